"""Dominoes with hidden hands: table 2 in small."""

import json

import numpy as np
import pytest

import bolicho
from bolicho.agents.registry import agent
from bolicho.arena.experiment import Experiment
from bolicho.lab.dominoes import hidden_hands
from bolicho.lab.dominoes.hidden_hands import SEARCHED, SLOW_PI, SLOW_PIMC, TIMED_PI, TIMED_PIMC, AnyDouble
from bolicho.lab.dominoes.published import ROUND_ROBINS
from bolicho.lab.study import Effort, run_study


def test_every_published_pair_of_table_2_is_measured_for_each_of_its_agents(tmp_path):
    run_study("dominoes-draw", out=tmp_path, jobs=2)
    (table,) = json.loads((tmp_path / "findings.json").read_text())["tables"]
    rows = {(row[0], row[1]): row[2] for row in table["rows"]}
    assert len(rows) == len(table["rows"])
    published = {pair: row["published"] for pair, row in rows.items() if row["published"] is not None}
    assert published.items() >= ROUND_ROBINS["dominoes"].items()
    for pimc in (SEARCHED, SLOW_PIMC):
        for pair, rate in ROUND_ROBINS["dominoes"].items():
            if pair[0] == "pimc":
                assert published[pimc, pair[1]] == rate
    assert published[SLOW_PI, SLOW_PIMC] == ROUND_ROBINS["dominoes"]["pi", "pimc"]
    assert rows["pi", "random"]["value"] > 0.8


@pytest.mark.parametrize("game", ["dominoes", "fives"])
def test_tables_2_and_3_are_measured_with_the_published_pimc(game, tmp_path, monkeypatch):
    monkeypatch.setattr(hidden_hands, "QUICK_DEALS", 1)
    monkeypatch.setattr(hidden_hands, "TITLES", {game: hidden_hands.TITLES[game]})
    run_study("dominoes-published", out=tmp_path, jobs=1)
    (table,) = json.loads((tmp_path / "findings.json").read_text())["tables"]
    rows = {(row[0], row[1]): row[2]["published"] for row in table["rows"]}
    stand_in = {"pimc": TIMED_PIMC}
    expected = {tuple(stand_in.get(name, name) for name in pair): rate for pair, rate in ROUND_ROBINS[game].items()}
    expected[TIMED_PI, TIMED_PIMC] = expected.pop(("pi", TIMED_PIMC))
    assert rows == expected


def test_the_full_study_plays_100_worlds_with_7_ms_each(tmp_path, monkeypatch):
    """Pinto 2018, section 5.3.1: the numbers of PIMC, and its search by game; section 4.7: its inference."""
    asked: list[Experiment] = []

    def note(effort, experiment, name):
        asked.append(experiment)
        raise StopIteration

    monkeypatch.setattr(Effort, "play", note)
    monkeypatch.setattr(hidden_hands, "tournament", without_raising(hidden_hands.tournament))
    for game, inner in (("dominoes", "mcts"), ("fives", "alphabeta")):
        asked.clear()
        hidden_hands.published_table(Effort(True, 1, 1, tmp_path), game)
        with_pimc = [experiment for experiment in asked if "pimc-search" in str(experiment.agents)]
        assert len(with_pimc) == 4
        assert {experiment.duplicates for experiment in with_pimc} == {hidden_hands.TIMED_DEALS}
        assert all(experiment.duplicates == 500 for experiment in asked if experiment not in with_pimc)  # as published
        for experiment in with_pimc:
            (spec,) = (spec for spec in experiment.agents if spec.startswith("pimc-search"))
            player = agent(spec, game)
            assert (player.limits.units, player.limits.seconds) == (100, None)
            assert f"inner={inner}" in spec and "world_seconds=0.007" in spec and "inference=answered" in spec
            assert ("plain=true" in spec.lower()) is (inner == "alphabeta")


def without_raising(play):
    """Replace `play`, so that it plays no games and returns no results."""

    def found(*arguments):
        try:
            return play(*arguments)
        except StopIteration:
            return []

    return found


def test_the_other_reading_of_the_rule_plays_any_double():
    table = bolicho.game("dominoes").setup(hands=[["6-6", "5-5", "1-1", "6-5"], ["6-1", "4-1", "3-1", "2-1"]], first=0)
    rng = np.random.default_rng(1)
    assert {str(AnyDouble().act(table.view(), rng)) for _ in range(100)} == {"6-6", "5-5", "1-1"}
    table = bolicho.game("dominoes").setup(hands=[["6-4", "5-2", "1-0"], ["6-1", "4-1", "3-1"]], first=0)
    assert {str(AnyDouble().act(table.view(), rng)) for _ in range(20)} == {"6-4"}
