"""Dominoes as it is played: table 2 in small."""

import json

import numpy as np

import bolicho
from bolicho.lab.dominoes.hidden_hands import SEARCHED, SLOW_PI, SLOW_PIMC, TIMED_PIMC, AnyDouble
from bolicho.lab.dominoes.published import ROUND_ROBINS
from bolicho.lab.study import run_study


def test_every_published_pair_of_table_2_is_measured_for_everybody_who_stands_for_it(tmp_path):
    run_study("dominoes-draw", out=tmp_path, jobs=2)
    (table,) = json.loads((tmp_path / "findings.json").read_text())["tables"]
    rows = {(row[0], row[1]): row[2] for row in table["rows"]}
    assert len(rows) == len(table["rows"])
    published = {pair: row["published"] for pair, row in rows.items() if row["published"] is not None}
    assert published.items() >= ROUND_ROBINS["dominoes"].items()
    for pimc in (SEARCHED, TIMED_PIMC, SLOW_PIMC):
        for pair, rate in ROUND_ROBINS["dominoes"].items():
            if pair[0] == "pimc":
                assert published[pimc, pair[1]] == rate
    assert published["pi", TIMED_PIMC] == published[SLOW_PI, SLOW_PIMC] == ROUND_ROBINS["dominoes"]["pi", "pimc"]
    assert rows["pi", "random"]["value"] > 0.8


def test_the_other_reading_of_the_rule_plays_any_double():
    table = bolicho.game("dominoes").setup(hands=[["6-6", "5-5", "1-1", "6-5"], ["6-1", "4-1", "3-1", "2-1"]], first=0)
    rng = np.random.default_rng(1)
    assert {str(AnyDouble().act(table.view(), rng)) for _ in range(100)} == {"6-6", "5-5", "1-1"}
    table = bolicho.game("dominoes").setup(hands=[["6-4", "5-2", "1-0"], ["6-1", "4-1", "3-1"]], first=0)
    assert {str(AnyDouble().act(table.view(), rng)) for _ in range(20)} == {"6-4"}
