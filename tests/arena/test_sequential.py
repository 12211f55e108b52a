"""Sequential tests: error rates, and estimates that account for the stopping rule."""

import math

import numpy as np
import pytest

import bolicho
from bolicho import BadInput, stats
from bolicho.agents.mirrored_games import meet
from bolicho.arena.match import LEAST, PAYOFF
from bolicho.arena.sequential import Bounds, elo_share, estimate, log_ratios, share_elo, stops, superiority

SHARES = np.array([0, 0.25, 0.5, 0.75, 1])
EVEN = np.array([1, 2, 4, 2, 1.0])  # how often a pair brings each share, roughly as matches of Truco do: ...
WILD = np.array([4, 0.01, 3, 0.01, 4])  # ... or both games go the same way ...
TAME = np.array([0.3, 2, 16, 2, 0.3])  # ... or mirrored games cancel


def tilted(values, base, mean):
    """Return the distribution closest to `base` with this mean."""
    low, high = -60.0, 60.0
    for _ in range(100):
        tilt = (low + high) / 2
        chances = base * np.exp(tilt * (values - values.mean()))
        chances /= chances.sum()
        low, high = (tilt, high) if chances @ values < mean else (low, tilt)
    return chances


def matches(values, base, mean, bounds, count, seed):
    """Return simulated matches, each long enough for its test."""
    chances = tilted(values, base, mean)
    deviation = math.sqrt(chances @ (values - chances @ values) ** 2)
    pairs = 60 + int(60 * (deviation / (bounds.high - bounds.low)) ** 2)
    return np.random.default_rng(seed).choice(values, p=chances, size=(count, pairs))


def verdicts(units, bounds, reach):
    return [stops(ratios, bounds) for ratios in log_ratios(units, bounds, reach)]


@pytest.mark.parametrize("base", [EVEN, WILD, TAME], ids=["even", "wild", "tame"])
@pytest.mark.parametrize(
    ("elo0", "elo1", "alpha", "beta"), [(0, 20, 0.05, 0.05), (-40, 0, 0.05, 0.1), (0, 60, 0.1, 0.02)]
)
def test_error_rates_of_shares_stay_within_alpha_and_beta(base, elo0, elo1, alpha, beta):
    bounds = Bounds(elo_share(elo0), elo_share(elo1), alpha, beta)
    count = 400
    for mean, wrong, promised in ((bounds.low, "H1", alpha), (bounds.high, "H0", beta)):
        found = verdicts(matches(SHARES, base, mean, bounds, count, seed=7), bounds, 0.5)
        errors = sum(verdict == wrong for _, verdict in found) / count
        assert errors <= promised + 2.6 * math.sqrt(promised * (1 - promised) / count)
        assert sum(verdict is None for _, verdict in found) < 0.01 * count


@pytest.fixture(scope="module")
def gains():
    """Gains of one of two styles in pairs of hands of Truco, most of them 0, some of them 20."""
    game = bolicho.game("truco", hands=1)
    return meet(game, ["aggressive", "bluffer"], deals=2000, seed=3).payoffs[..., 0].mean(axis=1)


@pytest.mark.parametrize("width", [0.1, 0.25, 0.5])
def test_error_rates_of_real_payoffs_stay_within_alpha_and_beta(width, gains):
    bounds, count = Bounds(0.0, width), 400
    pairs = LEAST[PAYOFF] + int(60 * (gains.std() / width) ** 2)
    for mean, wrong in ((bounds.low, "H1"), (bounds.high, "H0")):
        units = np.random.default_rng(11).choice(gains - gains.mean() + mean, size=(count, pairs))
        ratios = log_ratios(units, bounds)
        found = [stops(each, bounds, LEAST[PAYOFF]) for each in ratios]
        assert sum(verdict == wrong for _, verdict in found) / count <= 0.05 + 2.6 * math.sqrt(0.05 * 0.95 / count)


def test_repeated_looks_at_a_fixed_interval_exceed_the_error_rate():
    """Stops at the first 95% interval that excludes 0, which are wrong several times as often as promised."""
    bounds = Bounds(0.5, elo_share(20))
    units = matches(SHARES, EVEN, 0.5, bounds, 200, seed=3)[:, :1500]
    naive = sum(
        any(stats.rate(match[:pairs]).low > 0.5 for pairs in range(20, 1500, 20)) for match in units
    )  # only one side of it
    sound = sum(verdict == "H1" for _, verdict in verdicts(units, bounds, 0.5))
    assert sound <= 18 < 2 * 0.05 * 200 < naive


def test_a_sequential_test_needs_fewer_pairs_than_one_of_fixed_length():
    bounds = Bounds(0.5, elo_share(20))
    units = matches(SHARES, EVEN, bounds.high, bounds, 300, seed=5)
    fixed = (2 * 1.645 * units.std() / (bounds.high - bounds.low)) ** 2  # both errors 5%
    assert np.mean([pairs for pairs, _ in verdicts(units, bounds, 0.5)]) < 0.7 * fixed


def check_estimates(units, bounds, truth, reach=None, least=1):
    """Check how often intervals miss the truth on either side, and return how often estimates are too high."""
    found = []
    for match, ratios in zip(units, log_ratios(units, bounds, reach), strict=True):
        pairs, _ = stops(ratios, bounds, least)
        found.append(estimate(match[:pairs], bounds, reach, least))
    value, low, high = np.array([(each.value, each.low, each.high) for each in found]).T
    assert np.mean(truth < low) <= 0.025 + SLACK * math.sqrt(0.025 * 0.975 / len(units))
    assert np.mean(high < truth) <= 0.025 + SLACK * math.sqrt(0.025 * 0.975 / len(units))
    return np.mean(value > truth) + np.mean(value == truth) / 2


SLACK = 3  # standard errors


@pytest.mark.parametrize(("base", "elo0", "elo1"), [(EVEN, 0, 40), (WILD, -100, 100)], ids=["even", "wild"])
@pytest.mark.parametrize("elo", [0, 30, 300, 800])
def test_intervals_and_estimates_of_shares_are_calibrated_at_every_stop(base, elo0, elo1, elo):
    bounds, count = Bounds(elo_share(elo0), elo_share(elo1)), 60
    units = matches(SHARES, base, elo_share(elo), bounds, count, seed=elo + 1)
    above = check_estimates(units, bounds, elo_share(elo), reach=0.5)
    if elo < 800:  # beyond, most matches are won without a loss, and their shares are all the same
        assert above == pytest.approx(0.5, abs=SLACK * math.sqrt(0.25 / count))


@pytest.mark.parametrize(("least", "deviation"), [(1, 3), (32, 0.5), (128, 0.5), (128, 3)])
@pytest.mark.parametrize("mean", [0, 0.3, 1.5, 10])
def test_intervals_and_estimates_of_payoffs_are_calibrated_at_every_stop(least, deviation, mean):
    """Stops at the minimum, with a mean far beyond the bounds, and at all later pairs."""
    bounds, count = Bounds(0.0, 0.6), 60
    units = np.random.default_rng(5).normal(mean, deviation, (count, 600))
    above = check_estimates(units, bounds, mean, least=least)
    assert above == pytest.approx(0.5, abs=SLACK * math.sqrt(0.25 / count))


@pytest.mark.parametrize("mean", [-3, 0, 0.1, 0.7])
def test_intervals_hold_the_mean_payoff_of_real_games(mean, gains):
    """Payoffs with rare large values, which not every sample contains."""
    units = np.random.default_rng(9).choice(gains - gains.mean() + mean, size=(60, 1000))
    check_estimates(units, Bounds(0.0, 0.3), mean, least=LEAST[PAYOFF])


def test_estimate_of_a_test_stopped_at_its_first_look_equals_the_plain_estimate():
    """Mean far beyond the bounds: every match stops at its first look, so the plain estimate is unbiased."""
    units = np.random.default_rng(2).normal(2.0, 1.0, LEAST[PAYOFF])
    found, plain = estimate(units, Bounds(0.0, 0.3), least=LEAST[PAYOFF]), stats.mean(units)
    assert found.value == pytest.approx(plain.value, abs=0.005)
    assert (found.low, found.high) == pytest.approx((plain.low, plain.high), abs=0.05)


def test_estimate_after_a_verdict_is_nearer_to_the_middle_than_the_sample_mean():
    bounds, verdicts = Bounds(0.5, elo_share(20)), set()
    for match in matches(SHARES, EVEN, bounds.middle, bounds, 12, seed=21):
        pairs, verdict = stops(log_ratios(match, bounds, 0.5), bounds)
        seen, found = match[:pairs].mean(), estimate(match[:pairs], bounds, 0.5).value
        assert abs(found - bounds.middle) < abs(seen - bounds.middle)
        verdicts.add(verdict)
    assert {"H0", "H1"} <= verdicts


def test_a_long_test_is_computed_by_fewer_looks_with_nearly_the_same_result(monkeypatch):
    bounds = Bounds(0.5, elo_share(20))
    units = matches(SHARES, WILD, elo_share(10), bounds, 1, seed=3)[0]
    pairs, _ = stops(log_ratios(units, bounds, 0.5), bounds)
    coarse = estimate(units[:pairs], bounds, 0.5)
    monkeypatch.setattr("bolicho.arena.sequential.MOST_LOOKS", 100_000)
    fine = estimate(units[:pairs], bounds, 0.5)
    assert pairs > 400
    assert (coarse.value, coarse.low, coarse.high) == pytest.approx((fine.value, fine.low, fine.high), abs=0.001)


def test_interval_of_a_test_without_a_verdict_is_calibrated():
    bounds = Bounds(0.5, elo_share(20))
    check_estimates(matches(SHARES, EVEN, elo_share(8), bounds, 60, seed=9)[:, :200], bounds, elo_share(8), reach=0.5)


def test_units_all_at_the_middle_give_no_interval():
    found = estimate(np.zeros(40), Bounds(-0.5, 0.5))
    assert found.value == 0 and not found.has_interval and superiority(np.zeros(40), Bounds(-0.5, 0.5), 0.0) == 0.5


def test_superiority_of_equal_agents_is_uniform():
    """Uniform distribution of superiority in matches of equal agents."""
    bounds, found = Bounds(elo_share(-10), elo_share(10)), []
    for match in matches(SHARES, EVEN, 0.5, bounds, 100, seed=13):
        pairs, _ = stops(log_ratios(match, bounds, 0.5), bounds)
        found.append(superiority(match[:pairs], bounds, 0.5, 0.5))
    for quantile in (0.1, 0.25, 0.5, 0.75, 0.9):
        assert np.mean(np.array(found) <= quantile) == pytest.approx(quantile, abs=0.13)


@pytest.mark.parametrize(("mean", "likely"), [(-2.0, 0), (-0.5, 0), (0.5, 1), (2.0, 1)])
@pytest.mark.parametrize("least", [1, LEAST[PAYOFF]])
def test_superiority_is_certain_for_agents_far_apart(mean, likely, least):
    bounds, units = Bounds(-0.1, 0.1), np.random.default_rng(1).normal(mean, 1.0, 2000)
    pairs, _ = stops(log_ratios(units, bounds), bounds, least)
    assert superiority(units[:pairs], bounds, 0.0, least=least) == pytest.approx(likely, abs=1e-3)


def test_identical_pairs_give_no_verdict_at_once():
    bounds = Bounds(0.5, elo_share(10))
    assert stops(log_ratios([0.5] * 3, bounds, 0.5), bounds) == (3, None)
    assert stops(log_ratios([1.0] * 3, bounds, 0.5), bounds) == (3, None)
    assert stops(log_ratios([0.5] * 5000, bounds, 0.5), bounds)[1] == "H0"
    assert stops(log_ratios([1.0] * 5000, bounds, 0.5), bounds)[1] == "H1"
    assert stops(log_ratios([0.0] * 50, Bounds(-0.5, 0.5), None), Bounds(-0.5, 0.5)) == (50, None)


def test_the_ratio_of_many_pairs_is_that_of_fishtest():
    """Near the bounds it is the ratio of two normal distributions: n (s1 - s0) (2 x - s0 - s1) / (2 v)."""
    bounds = Bounds(elo_share(0), elo_share(2))
    units = matches(SHARES, EVEN, bounds.middle, bounds, 1, seed=2)[0, :40000]
    plain = len(units) * (bounds.high - bounds.low) * (units.mean() - bounds.middle) / units.var()
    assert log_ratios(units, bounds, 0.5)[-1] == pytest.approx(plain, rel=0.01)


def test_elo_and_share_conversions_are_inverse():
    assert elo_share(0) == 0.5 and share_elo(10 / 11) == pytest.approx(400)
    assert [share_elo(elo_share(elo)) for elo in (-300, 5, 700)] == pytest.approx([-300, 5, 700])
    assert (share_elo(0), share_elo(1)) == (-math.inf, math.inf)


def test_invalid_bounds_are_refused():
    with pytest.raises(BadInput, match=r"from the lower to the higher, not from 0\.5 to 0\.5"):
        Bounds(0.5, 0.5)
    for name in ("alpha", "beta"):
        for value in (0.0, 0.5, 7.0, math.nan):
            with pytest.raises(BadInput, match=f"{name} is a probability of more than 0 and less than 0.5"):
                Bounds(0.5, 0.6, **{name: value})
