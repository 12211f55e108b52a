"""Statistics, each computed a second time in another way."""

import json
import math
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from bolicho import stats

# --- Estimates ------------------------------------------------------------------------------------


@pytest.mark.parametrize("numbers", [(0.5, 0.25, 1.0), (0.5,), (math.nan,)])
def test_an_estimate_is_read_as_it_was_written(numbers):
    written = stats.Estimate(*numbers).written()
    assert json.loads(json.dumps(written, allow_nan=False)) == written
    assert stats.Estimate.read(written) == stats.Estimate(*numbers)
    assert stats.Estimate.read(written).has_interval == (len(numbers) == 3)


def test_rest_of_a_share_is_its_complement():
    assert stats.Estimate(0.75, 0.5, 0.875).rest() == stats.Estimate(0.25, 0.125, 0.5)
    assert stats.rate([1, 0.5, 1]).rest().high == 1 - stats.rate([1, 0.5, 1]).low


def test_share_is_limited_to_0_to_1_and_without_an_interval_gets_all_of_it():
    assert stats.Estimate(0.9, 0.7, 1.1).within_one() == stats.Estimate(0.9, 0.7, 1.0)
    assert stats.Estimate(0.9).within_one() == stats.Estimate(0.9, 0.0, 1.0)


# --- Quantiles and intervals ----------------------------------------------------------------------


@pytest.mark.parametrize("freedom", [1, 2, 5, 24, 400])
def test_the_t_quantile_leaves_95_percent_in_the_middle(freedom):
    """Sum up Student's density."""
    x = np.linspace(0, stats.t_quantile(freedom), 200_001)
    height = math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)) / math.sqrt(freedom * math.pi)
    density = height * (1 + x**2 / freedom) ** (-(freedom + 1) / 2)
    assert 2 * np.trapezoid(density, x) == pytest.approx(0.95, abs=1e-6)


@settings(deadline=None)
@given(st.floats(0, 1), st.floats(1, 1e6), st.floats(0.5, 13))
def test_wilson_bounds_are_where_the_rate_is_z_standard_errors_away(p, size, z):
    """Bisect the equation that the closed form solves."""

    def solve(inner, outer):
        for _ in range(200):
            middle = (inner + outer) / 2
            if (p - middle) ** 2 <= z**2 * middle * (1 - middle) / size:
                inner = middle
            else:
                outer = middle
        return inner

    low, high = stats.wilson(p, size, z)
    assert low == pytest.approx(solve(p, 0.0), abs=1e-7)
    assert high == pytest.approx(solve(p, 1.0), abs=1e-7)


def rate_bounds(units, sets=None):
    estimate = stats.rate(units, sets)
    assert 0 <= estimate.low <= estimate.value <= estimate.high <= 1
    return estimate.low, estimate.high


def mirrored_pairs(rng, p, kind, shape):
    """Pairs of games won with chance p each: independent, ending alike, or taking turns as far as p allows."""
    one = rng.random(shape) < p
    if kind == "independent":
        other = rng.random(shape) < p
    elif kind == "alike":
        other = np.where(rng.random(shape) < 0.6, one, rng.random(shape) < p)
    else:
        luck = rng.random(shape)
        one, other = luck < p, luck > 1 - p
    return (one + other.astype(float)) / 2


@pytest.mark.parametrize("kind", ["independent", "alike", "taking turns"])
@pytest.mark.parametrize("p", [0.5, 0.7, 0.95])
@pytest.mark.parametrize("pairs", [12, 60])
def test_interval_of_a_rate_covers_it_in_95_percent_of_samples(kind, p, pairs):
    samples = mirrored_pairs(np.random.default_rng(pairs), p, kind, (2000, pairs))
    bounds = np.array([rate_bounds(sample) for sample in samples])
    covered = np.mean((bounds[:, 0] <= p) & (p <= bounds[:, 1]))
    assert covered >= 0.93  # two standard errors of 2000 samples below 0.95 is 0.94, and rates near 1 are lumpy
    certain = kind == "taking turns" and p == 0.5  # every pair is split
    if pairs == 60 and p < 0.9 and not certain:
        assert covered <= 0.985, "an interval that always covers is too wide"


def test_negative_correlation_within_pairs_narrows_the_interval_and_positive_widens_it():
    rng = np.random.default_rng(0)
    width = {}
    for kind in ("independent", "alike", "taking turns"):
        low, high = rate_bounds(mirrored_pairs(rng, 0.6, kind, 400))
        width[kind] = high - low
    assert width["taking turns"] < width["independent"] < width["alike"]


def test_all_wins_have_the_wilson_bound_of_one_game_per_set():
    for sets in (25, 100, 500):
        low, high = rate_bounds(np.ones(sets))
        expected, _ = stats.wilson(1.0, sets, stats.t_quantile(sets - 1))
        assert high == pytest.approx(1)
        assert low == pytest.approx(expected, abs=0.02)


def test_split_pairs_alone_still_have_an_interval():
    low, high = rate_bounds(np.full(25, 0.5))
    assert low < 0.46 and high > 0.54


def test_more_opponents_per_deal_raise_the_lower_bound_of_all_wins():
    assert rate_bounds(np.ones(25), sets=500)[0] > rate_bounds(np.ones(25))[0]


def test_rate_of_one_deal_has_the_interval_0_to_1():
    assert rate_bounds([1.0]) == (0.0, 1.0)


units = arrays(np.float64, st.integers(2, 30), elements=st.floats(0, 1))


@settings(deadline=None)
@given(units)
def test_rate_of_the_opponents_is_the_complement(sample):
    mine, theirs = stats.rate(sample), stats.rate(1 - sample)
    for a, b in ((mine.value, theirs.value), (mine.low, theirs.high), (mine.high, theirs.low)):
        assert a == pytest.approx(1 - b, abs=1e-9)


@settings(deadline=None)
@given(units)
def test_a_mean_has_the_textbook_interval(sample):
    n = len(sample)
    centre = sum(sample) / n
    spread = math.sqrt(sum((x - centre) ** 2 for x in sample) / (n - 1))
    reach = stats.t_quantile(n - 1) * spread / math.sqrt(n)
    estimate = stats.mean(sample)
    assert (estimate.value, estimate.low, estimate.high) == pytest.approx((centre, centre - reach, centre + reach))


def test_ratio_is_the_pooled_mean_and_its_interval_covers_in_95_percent():
    rng = np.random.default_rng(1)
    truth, held = 5.0, 0
    for _ in range(1000):
        counts = rng.integers(0, 3, 60)
        shared = rng.normal(0, 2, 60)  # the luck of a deal moves all its games
        sums = np.array(
            [sum(truth + luck + rng.normal() for _ in range(n)) for n, luck in zip(counts, shared, strict=True)]
        )
        estimate = stats.ratio(sums, counts)
        assert estimate.value == pytest.approx(sums.sum() / counts.sum())
        held += estimate.low <= truth <= estimate.high
    assert 930 <= held <= 970


def test_ratio_of_no_events_has_no_mean_and_of_one_event_no_interval():
    assert math.isnan(stats.ratio([0, 0], [0, 0]).value)
    once = stats.ratio([0, 7], [0, 1])
    assert once.value == 7 and math.isnan(once.low) and math.isnan(once.high)


# --- Games to numbers -----------------------------------------------------------------------------


def test_tied_winners_share_the_win():
    shares = stats.win_shares([[1, -1], [0, 0], [-2, 5]])
    assert shares.tolist() == [[1, 0], [0.5, 0.5], [0, 1]]
    assert stats.win_shares([3, 7, 7]).tolist() == [0, 0.5, 0.5]


@settings(deadline=None)
@given(st.lists(st.integers(0, 9), min_size=2, max_size=7))
def test_margin_is_the_distance_to_the_best_opponent(scores):
    expected = [mine - max(scores[:i] + scores[i + 1 :]) for i, mine in enumerate(scores)]
    assert stats.margins(scores).tolist() == expected


@settings(deadline=None)
@given(st.data())
def test_games_of_many_seats_count_once_for_every_pair_of_agents(data):
    pairings, deals, seats, agents = 2, 3, 3, 4
    shape = (pairings, deals, seats, seats)
    payoffs = data.draw(arrays(np.float64, shape, elements=st.sampled_from([-1.0, 0.0, 2.0])))
    seated = data.draw(arrays(np.int64, (pairings, seats, seats), elements=st.integers(0, agents - 1)))
    expected = np.zeros((deals, agents, agents))
    for pairing, deal, rotation in product(range(pairings), range(deals), range(seats)):
        for one, other in combinations(range(seats), 2):
            a, b = seated[pairing, rotation, one], seated[pairing, rotation, other]
            if a == b:
                continue
            mine, theirs = payoffs[pairing, deal, rotation, one], payoffs[pairing, deal, rotation, other]
            expected[deal, a, b] += 1 if mine > theirs else 0.5 if mine == theirs else 0
            expected[deal, b, a] += 1 if theirs > mine else 0.5 if mine == theirs else 0
    assert (stats.pair_wins(payoffs, seated, agents) == expected).all()


# --- Ratings --------------------------------------------------------------------------------------


def minorise_maximise(wins, prior, steps=20_000):
    """Bradley-Terry another way: Zermelo's iteration on the strengths themselves."""
    games = wins + wins.T
    strengths = np.ones(len(wins))
    for _ in range(steps):
        chances = games / (strengths[:, None] + strengths[None, :])
        strengths = (wins.sum(axis=1) + prior[:, 0]) / (chances.sum(axis=1) + prior.sum(axis=1) / (strengths + 1))
    return np.log(strengths)


@pytest.mark.parametrize("seed", range(5))
def test_newton_equals_zermelos_iteration(seed):
    rng = np.random.default_rng(seed)
    wins = rng.integers(0, 30, (5, 5)).astype(float)
    np.fill_diagonal(wins, 0)
    prior = np.full((5, 2), stats.PRIOR)
    assert stats.bradley_terry(wins, prior) == pytest.approx(minorise_maximise(wins, prior), abs=1e-6)


def test_newton_equals_zermelos_iteration_when_one_agent_wins_everything():
    wins = np.array([[0.0, 10, 10], [0, 0, 7], [0, 3, 0]])
    prior = np.full((3, 2), stats.PRIOR)
    assert stats.bradley_terry(wins, prior) == pytest.approx(minorise_maximise(wins, prior, 200_000), abs=1e-5)


@pytest.mark.parametrize("games", [1, 50, 100_000])
def test_solution_predicts_the_observed_wins(games):
    wins = np.array([[0.0, 1, 1], [0, 0, 1], [0, 0, 0]]) * games  # a perfect order: the hardest case
    prior = np.full((3, 2), stats.PRIOR)
    strengths = stats.bradley_terry(wins, prior)
    chance = 1 / (1 + np.exp(strengths[None, :] - strengths[:, None]))
    expected = ((wins + wins.T) * chance).sum(axis=1) + prior.sum(axis=1) / (1 + np.exp(-strengths))
    assert expected == pytest.approx(wins.sum(axis=1) + prior[:, 0], rel=1e-6)
    assert strengths[0] > strengths[1] > strengths[2]


def simulate(rng, elo, deals):
    """Round robin of mirrored games between agents of known ratings, as `pair_wins` counts them."""
    chance = 1 / (1 + 10 ** ((elo[None, :] - elo[:, None]) / 400))
    wins = np.zeros((deals, len(elo), len(elo)))
    for a, b in combinations(range(len(elo)), 2):
        wins[:, a, b] = rng.binomial(2, chance[a, b], deals)
        wins[:, b, a] = 2 - wins[:, a, b]
    return wins


def test_ratings_recover_planted_strengths():
    elo = np.array([1700.0, 1600, 1500, 1400, 1300])
    rated = stats.ratings(simulate(np.random.default_rng(7), elo, 4000))
    assert [estimate.value for estimate in rated] == pytest.approx(elo, abs=12)


def test_interval_of_a_rating_covers_it_in_95_percent_of_samples():
    rng = np.random.default_rng(3)
    elo = np.array([1620.0, 1500, 1380])
    held = 0
    for _ in range(150):
        for truth, estimate in zip(elo, stats.ratings(simulate(rng, elo, 40)), strict=True):
            assert estimate.low <= estimate.value <= estimate.high
            held += estimate.low <= truth <= estimate.high
    assert 0.91 <= held / 450 <= 0.985


def test_ratings_of_many_deals_do_not_depend_on_resampling_blocks():
    wins = simulate(np.random.default_rng(5), np.array([1550.0, 1450]), 3 * stats.MOST_BLOCKS)
    coarse = stats.ratings(wins)[0]
    fine = stats.ratings(wins.reshape(stats.MOST_BLOCKS, 3, 2, 2).sum(axis=1))[0]
    assert coarse.value == pytest.approx(fine.value)
    assert coarse.high - coarse.low == pytest.approx(fine.high - fine.low, rel=0.01)


def test_agent_that_won_everything_has_a_rating_and_a_wide_interval():
    wins = np.zeros((25, 2, 2))
    wins[:, 0, 1] = 2
    best, worst = stats.ratings(wins)
    assert best.value > 1700 and worst.value == pytest.approx(3000 - best.value)
    assert best.high - best.low > 100
    assert best.low > 1500 > worst.high


def test_ties_are_half_a_win_and_the_average_is_1500():
    wins = np.zeros((10, 3, 3))
    wins[:] = 0.5 * (1 - np.eye(3))
    assert [estimate.value for estimate in stats.ratings(wins)] == pytest.approx([1500] * 3)


def test_ratings_of_the_same_seed_are_equal():
    wins = simulate(np.random.default_rng(5), np.array([1550.0, 1500, 1450]), 30)
    assert stats.ratings(wins, seed=4) == stats.ratings(wins, seed=4)
    assert stats.ratings(wins, seed=4) != stats.ratings(wins, seed=5)


def test_single_agent_has_the_average_rating():
    assert stats.ratings(np.zeros((5, 1, 1)))[0].value == 1500


# --- Control variates ---------------------------------------------------------------------------


@pytest.mark.parametrize(("deals", "skew"), [(20, False), (20, True), (200, True)])
def test_controlled_means_have_the_stated_coverage_and_gain(deals, skew):
    """Values with luck of the standard deviation 2 and noise of 1: the control removes four fifths of the variance."""
    rng = np.random.default_rng(5)
    hits, gains, runs = 0, [], 2000
    for _ in range(runs):
        luck = rng.exponential(2.0, deals) - 2.0 if skew else rng.normal(0, 2, deals)
        units = 0.3 + luck + rng.normal(0, 1, deals)
        found, gain = stats.controlled(units, luck)
        hits += found.low <= 0.3 <= found.high
        gains.append(gain)
    assert 0.935 <= hits / runs <= 0.965
    assert 4 <= np.median(gains) <= 5.5


def test_a_control_that_never_varies_changes_nothing():
    units = [1.0, 2.0, 4.0, 5.0]
    assert stats.controlled(units, [0.0] * 4) == (stats.mean(units), 1.0)
