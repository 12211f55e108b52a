"""The studies of dominoes: rates of points, and what is published beside them."""

import json

import numpy as np
import pytest

import bolicho
from bolicho.arena.rows import Games
from bolicho.lab.dominoes import play as dominoes
from bolicho.lab.dominoes.play import (
    AS_PUBLISHED,
    ITERATIONS_A_SECOND,
    METHODS,
    NODES_A_SECOND,
    OURS,
    ROUND_ROBINS,
    SARSA_AGAINST_RULE,
    SEARCHED,
    SECONDS,
    SLOW,
    SLOW_PI,
    SLOW_PIMC,
    TIMED_PIMC,
    AnyDouble,
    Meeting,
    differences,
    meet_sarsa,
    open_search,
    points_rate,
    time_rows,
)
from bolicho.lab.study import Effort, Measured, run_study


def games_of(scores):
    """One pairing, its scores by deal, rotation, seat."""
    scores = np.array([scores])
    nothing = np.zeros(scores.shape[:3], np.int64)
    return Games(np.array([[[0, 1], [1, 0]]]), scores, scores * 1.0, nothing, nothing, scores, scores, scores)


def test_the_rate_of_points_follows_the_agent_through_the_seats():
    rate = points_rate(games_of([[[30, 0], [10, 20]], [[0, 40], [0, 0]], [[0, 0], [0, 0]]]), 0)
    assert rate.value == pytest.approx((30 + 20) / (30 + 10 + 20 + 40))
    assert rate.low < rate.value < rate.high


def test_the_interval_is_that_of_a_ratio_over_deals():
    rng = np.random.default_rng(1)
    covered = 0
    for _ in range(300):
        mine, theirs = rng.poisson(6, (200, 2)) * rng.integers(0, 5, (200, 1)), rng.poisson(4, (200, 2)) * 2
        scores = np.stack([mine, theirs], axis=-1)
        scores[:, 1] = scores[:, 1, ::-1]
        rate = points_rate(games_of(scores), 0)
        covered += rate.low <= 12 / 20 <= rate.high  # 6 * 2 of 6 * 2 + 4 * 2
    assert 270 <= covered <= 297


def test_differences_name_what_lies_outside():
    inside = Meeting("a", "b", Measured(0.6, 0.5, 0.7, 0.65, True), Measured(0.5))
    outside = Meeting("a", "c", Measured(0.6, 0.5, 0.7, 0.8, True), Measured(0.5))
    unpublished = Meeting("a", "d", Measured(0.6, 0.5, 0.7), Measured(0.5))
    assert differences([inside, unpublished]) == "All 1 published rates lie in our intervals."
    assert differences([inside, outside]) == (
        "1 of 2 published rates lie in our intervals; not so: a against c 60.0% instead of 80%."
    )


def test_table_1_is_measured_beside_the_published_one(tmp_path):
    run_study("dominoes-perfect", out=tmp_path, jobs=2)
    (table,) = json.loads((tmp_path / "findings.json").read_text())["tables"]
    assert [row[1]["published"] for row in table["rows"]] == list(SARSA_AGAINST_RULE.values())
    assert all(row[1]["low"] < row[1]["value"] < row[1]["high"] for row in table["rows"])


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


def test_a_search_is_slowed_down_by_counting_not_by_the_clock():
    assert open_search(AS_PUBLISHED + SLOW, 0.1) == (
        f"alphabeta(nodes={NODES_A_SECOND // 10}, plain=true, eval=scores)",
        f"open-mcts(iterations={ITERATIONS_A_SECOND // 10})",
    )
    for method in METHODS:
        assert all("seconds=0.1" in spec for spec in open_search(method, 0.1))
        assert not any("seconds" in spec for spec in open_search(method + SLOW, 0.1))


def test_every_method_is_played_by_the_clock_and_slowed_down(tmp_path):
    rows = time_rows(Effort(True, 1, 1, tmp_path))
    assert set(rows) == {*METHODS, *(method + SLOW for method in METHODS)}
    assert all(set(times) == set(SECONDS) for times in rows.values())


def test_every_point_of_figures_13_and_14_is_a_row(tmp_path, monkeypatch):
    monkeypatch.setattr(dominoes, "METHODS", {AS_PUBLISHED: METHODS[AS_PUBLISHED], OURS: METHODS[OURS]})
    monkeypatch.setattr(dominoes, "QUICK_TIMED_DEALS", 1)
    monkeypatch.setattr(dominoes, "QUICK_SLOW_DEALS", {0.001: 30})
    run_study("dominoes-time", out=tmp_path, jobs=2)
    tables = json.loads((tmp_path / "findings.json").read_text())["tables"]
    assert [table["title"] for table in tables] == [
        f"{title}: {game}"
        for title in ("Alpha-beta against Sarsa", "Monte Carlo trees against alpha-beta")
        for game in ("draw dominoes", "all fives")
    ]
    for table in tables:
        assert {(row[0], row[1]) for row in table["rows"] if row[0] != "solved"} == {
            (AS_PUBLISHED, 0.001), (AS_PUBLISHED, 0.01), (AS_PUBLISHED + SLOW, 0.001),
            (OURS, 0.001), (OURS, 0.01), (OURS + SLOW, 0.001),
        }  # fmt: skip
    against_sarsa, trees = ({row[0]: row[4]["value"] for row in tables[n]["rows"]} for n in (0, 2))
    assert against_sarsa[AS_PUBLISHED + SLOW] < 0.5  # as published: behind at first
    assert trees[AS_PUBLISHED + SLOW] > 0.5  # as published: the trees are ahead


def test_the_published_rate_stands_beside_every_alpha_beta_with_that_time(tmp_path):
    point = meet_sarsa(Effort(False, 1, 1, tmp_path), "fives", AS_PUBLISHED + SLOW, 1.0, 1)
    assert point.points.published == 0.67


def test_the_other_reading_of_the_rule_plays_any_double():
    table = bolicho.game("dominoes").setup(hands=[["6-6", "5-5", "1-1", "6-5"], ["6-1", "4-1", "3-1", "2-1"]], first=0)
    rng = np.random.default_rng(1)
    assert {str(AnyDouble().act(table.view(), rng)) for _ in range(100)} == {"6-6", "5-5", "1-1"}
    table = bolicho.game("dominoes").setup(hands=[["6-4", "5-2", "1-0"], ["6-1", "4-1", "3-1"]], first=0)
    assert {str(AnyDouble().act(table.view(), rng)) for _ in range(20)} == {"6-4"}
