"""The rate of points of document 003, counted again by hand; published tables as printed."""

import pytest

import bolicho
from bolicho.arena.experiment import Experiment
from bolicho.arena.run import row_record, run
from bolicho.arena.stats import Estimate
from bolicho.lab.dominoes import NAMES, TABLE_2, TABLE_3, differences, meetings


def test_the_rate_of_points_is_points_won_over_points_played_for(tmp_path):
    finished = run(Experiment("fives", ["random", "rule"], duplicates=8, seed=2), tmp_path / "run", jobs=1)
    points = {"random": 0, "rule": 0}
    for row in range(16):
        record = row_record(finished.folder, row)
        for name, score in zip(record["players"], bolicho.replay(record).scores, strict=True):
            points[name] += score
    met = meetings(finished)
    rate = points["rule"] / sum(points.values())
    assert met["rule", "random"].points.value == pytest.approx(rate)
    assert met["random", "rule"].points.value == pytest.approx(1 - rate)
    assert met["rule", "random"].games.value == pytest.approx(1 - met["random", "rule"].games.value)
    assert met["rule", "random"].points.low < rate < met["rule", "random"].points.high


@pytest.mark.parametrize("table", [TABLE_2, TABLE_3], ids=["draw", "fives"])
def test_every_pair_of_the_round_robin_has_its_published_rate(table):
    names = list(NAMES)
    assert set(table) == {(one, other) for i, one in enumerate(names) for other in names[:i]}
    assert all(0.5 < rate < 1 for rate in table.values())


def test_differences_are_said_plainly():
    compared = {("a", "b"): (Estimate(0.6, 0.5, 0.7), 0.65), ("a", "c"): (Estimate(0.9, 0.85, 0.95), 0.7)}
    (sentence,) = differences(compared)
    assert "**1 of 2**" in sentence and "a against c +20" in sentence
