"""Rates of points and their intervals."""

import numpy as np
import pytest

from bolicho.arena.rows import Games
from bolicho.lab.dominoes.meetings import Meeting, differences, points_rate
from bolicho.lab.study import Measured
from bolicho.stats import Estimate


def games_of(scores):
    """Return games of one pairing, with its scores by deal, rotation and seat."""
    scores = np.array([scores])
    nothing = np.zeros(scores.shape[:3], np.int64)
    return Games(np.array([[[0, 1], [1, 0]]]), scores, scores * 1.0, nothing, nothing, scores, scores, scores)


def test_the_rate_of_points_follows_the_agent_through_the_seats():
    rate = points_rate(games_of([[[30, 0], [10, 20]], [[0, 40], [0, 0]], [[0, 0], [0, 0]]]), 0).estimate
    assert rate.value == pytest.approx((30 + 20) / (30 + 10 + 20 + 40))
    assert rate.low < rate.value < rate.high


def test_the_interval_is_that_of_a_ratio_over_deals():
    rng = np.random.default_rng(1)
    covered = 0
    for _ in range(300):
        mine, theirs = rng.poisson(6, (200, 2)) * rng.integers(0, 5, (200, 1)), rng.poisson(4, (200, 2)) * 2
        scores = np.stack([mine, theirs], axis=-1)
        scores[:, 1] = scores[:, 1, ::-1]
        rate = points_rate(games_of(scores), 0).estimate
        covered += rate.low <= 12 / 20 <= rate.high  # 6 * 2 of 6 * 2 + 4 * 2
    assert 270 <= covered <= 297


def test_differences_name_published_rates_outside_the_intervals():
    inside = Meeting("a", "b", Measured(Estimate(0.6, 0.5, 0.7), 0.65, True), Measured(Estimate(0.5)))
    outside = Meeting("a", "c", Measured(Estimate(0.6, 0.5, 0.7), 0.8, True), Measured(Estimate(0.5)))
    unpublished = Meeting("a", "d", Measured(Estimate(0.6, 0.5, 0.7)), Measured(Estimate(0.5)))
    assert differences([inside, unpublished]) == "All 1 published rates lie in our intervals."
    assert differences([inside, outside]) == (
        "1 of 2 published rates lie in our intervals; not so: a against c 60.0% instead of 80%."
    )
