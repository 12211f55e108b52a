"""Dominoes with open hands: table 1, figures 13 and 14, in small."""

import json

from bolicho.lab.dominoes import open_hands
from bolicho.lab.dominoes.open_hands import AS_PUBLISHED, METHODS, OURS, SECONDS, meet_sarsa, open_search, time_rows
from bolicho.lab.dominoes.published import ITERATIONS_A_SECOND, NODES_A_SECOND, SARSA_AGAINST_RULE, SLOW
from bolicho.lab.study import Effort, run_study


def test_table_1_is_measured_beside_the_published_one(tmp_path):
    run_study("dominoes-perfect", out=tmp_path, jobs=2)
    (table,) = json.loads((tmp_path / "findings.json").read_text())["tables"]
    assert [row[1]["published"] for row in table["rows"]] == list(SARSA_AGAINST_RULE.values())
    assert all(row[1]["low"] < row[1]["value"] < row[1]["high"] for row in table["rows"])


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
    monkeypatch.setattr(open_hands, "METHODS", {AS_PUBLISHED: METHODS[AS_PUBLISHED], OURS: METHODS[OURS]})
    monkeypatch.setattr(open_hands, "QUICK_TIMED_DEALS", 1)
    monkeypatch.setattr(open_hands, "QUICK_SLOW_DEALS", {0.001: 30})
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


def test_published_rate_is_shown_beside_every_alpha_beta_with_its_time(tmp_path):
    point = meet_sarsa(Effort(False, 1, 1, tmp_path), "fives", AS_PUBLISHED + SLOW, 1.0, 1)
    assert point.points.published == 0.67
