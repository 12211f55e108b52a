"""The study of future work: calibration by hand, and the whole of it in its quick form."""

import json

import numpy as np
import pytest

from bolicho.lab.cbr.future import STUDIED, Calls, bins_of, brier_table, calls_of, reliability_table
from bolicho.lab.study import run_study


@pytest.fixture(scope="module")
def four():
    """Return four calls on two deals: beliefs 0.2, 0.2, 0.8 and 1, of which the second and the last two were bluffs."""
    return Calls(np.array([0.2, 0.2, 0.8, 1.0]), np.array([False, True, True, True]), np.array([0, 0, 1, 1]))


def test_brier_score_as_computed_by_hand(four):
    (row,) = brier_table({"four": four}).rows
    assert row[1] == 4 and row[2].estimate.value == 0.75 and row[3].estimate.value == pytest.approx(0.55)
    assert row[4].estimate.value == pytest.approx((0.04 + 0.64 + 0.04 + 0) / 4)
    assert row[5] == pytest.approx(0.75 * 0.25)


def test_reliability_by_tenths_of_the_belief(four):
    assert bins_of(np.array([0.0, 0.2, 0.99, 1.0])).tolist() == [0, 2, 9, 9]
    rows = reliability_table("four", four).rows
    assert [row[:3] for row in rows] == [["0.2 to 0.3", 2, 0.2], ["0.8 to 0.9", 1, 0.8], ["0.9 to 1.0", 1, 1.0]]
    assert [row[3].estimate.value for row in rows] == [0.5, 1, 1]


def test_calls_are_judged_once_each_with_the_true_hand():
    found = calls_of("baseline", "bluffer", 3, 1)
    assert len(found.belief) == len(found.bluff) > 10 and set(found.deal) == {0, 1, 2}
    assert 0 <= found.belief.min() <= found.belief.max() <= 1 and 0 < found.bluff.mean() < 1


def test_quick_study_plays_every_option(tmp_path):
    run_study("cbr-future", jobs=1, out=tmp_path)
    duels, weights, brier, *reliability = json.loads((tmp_path / "findings.json").read_text())["tables"]
    assert list(dict.fromkeys(row[0] for row in duels["rows"])) == [one.name for one in STUDIED]
    assert all(0 <= row[2]["value"] <= 1 for row in duels["rows"])
    assert any("high" in row[1] for row in weights["rows"]) and len(brier["rows"]) == len(reliability) == 4
    assert (tmp_path / "reliability.png").exists() and (tmp_path / "work" / "baseline-mixture.parquet").exists()
