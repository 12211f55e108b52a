"""Cumulative logit model: its likelihood, its effects, and the coverage of its intervals."""

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import logistic

from bolicho.lab.ordinal import NODES, as_superiority, loss_and_slope, ordinal_differences, superiority
from bolicho.stats import Estimate
from tests.lab.test_paired import AGENTS, WILLIAMS

EFFECTS = dict(zip(AGENTS, (0.0, 0.8, 1.5, -0.5), strict=True))
PLACES = (0.0, 0.2, 0.4, 0.6)
CUTS = (-1.5, -0.2, 1.0, 2.5)


def simulated(rng, people, spread=1.0, slope=0.0):
    """Return the columns of a study, and the covariate of each participant."""
    rows, level = [], rng.normal(0, spread, people)
    covariate = {str(person): float(rng.integers(0, 5)) for person in range(people)}
    for person in range(people):
        for place, agent in enumerate(WILLIAMS[person % 4]):
            if rng.random() < 0.1:
                continue
            at = EFFECTS[agent] + PLACES[place] + level[person] + slope * covariate[str(person)] + rng.logistic()
            rows.append((1 + int(np.searchsorted(CUTS, at)), str(person), agent, place + 1))
    return tuple(map(list, zip(*rows, strict=True))), covariate


def held(rng, people, studies):
    """Return whether each interval of each simulated study covers its truth, and the errors of the estimates."""
    inside, off = [], []
    for _ in range(studies):
        found = ordinal_differences(*simulated(rng, people)[0], AGENTS).differences
        truth = [EFFECTS[d.one] - EFFECTS[d.other] for d in found]
        inside.append([d.estimate.low <= t <= d.estimate.high for d, t in zip(found, truth, strict=True)])
        off.append([d.estimate.value - t for d, t in zip(found, truth, strict=True)])
    return np.array(inside), np.array(off)


def test_likelihood_equals_one_by_numerical_integration():
    """Integrate over the participant effect with an adaptive rule, and compare slopes with differences."""
    rng = np.random.default_rng(3)
    y, people = rng.integers(0, 4, 12), np.repeat([0, 1, 2], 4)
    x, cuts, slopes, spread = rng.normal(size=(12, 2)), np.array([-1.0, 0.3, 1.2]), np.array([0.5, -0.8]), 1.3
    edges = np.array([-np.inf, *cuts, np.inf])

    def of_person(person):
        def density(z):
            at = x[people == person] @ slopes + spread * z
            mine = y[people == person]
            chance = np.prod(logistic.cdf(edges[mine + 1] - at) - logistic.cdf(edges[mine] - at))
            return chance * math.exp(-z * z / 2) / math.sqrt(2 * math.pi)

        return quad(density, -12, 12, epsabs=1e-13)[0]

    exact = -sum(math.log(of_person(person)) for person in range(3)) + float((slopes**2).sum()) / 200
    at, starts = np.concatenate([cuts, slopes, [spread]]), np.array([0, 4, 8])
    loss, slope = loss_and_slope(at, y, x, starts)
    assert loss == pytest.approx(exact, abs=1e-6) and NODES >= 31
    for place in range(len(at)):
        step = np.eye(len(at))[place] * 1e-6
        up, down = (loss_and_slope(at + sign * step, y, x, starts)[0] for sign in (1, -1))
        assert slope[place] == pytest.approx((up - down) / 2e-6, abs=1e-5)


def test_intervals_cover_the_truth_and_estimates_are_near_it():
    inside, off = held(np.random.default_rng(1), 24, 120)
    assert 0.92 < inside.mean() < 0.985
    assert np.abs(off.mean(axis=0)).max() < 0.25


@pytest.mark.nightly
@pytest.mark.parametrize("people", [12, 24, 48])
def test_intervals_have_their_nominal_coverage(people):
    inside, off = held(np.random.default_rng(2), people, 1000)
    assert 0.94 < inside.mean() < 0.985 and (inside.mean(axis=0) > 0.925).all()
    assert np.abs(off.mean(axis=0)).max() < 5.0 / people  # maximum likelihood overstates effects in small samples


def test_effect_of_a_covariate_is_found():
    rng, found = np.random.default_rng(4), []
    for _ in range(20):
        columns, covariate = simulated(rng, 40, slope=0.6)
        model = ordinal_differences(*columns, AGENTS, covariate)
        found.append((model.covariate.value, model.covariate.low <= 0.6 <= model.covariate.high, model.spread))
    values, inside, spread = map(np.array, zip(*found, strict=True))
    assert values.mean() == pytest.approx(0.6, abs=0.15) and inside.sum() >= 16
    assert spread.mean() == pytest.approx(1, abs=0.25)


def test_participants_without_a_covariate_count_for_the_agents():
    columns, covariate = simulated(np.random.default_rng(5), 24)
    some = {who: value for who, value in covariate.items() if int(who) % 3}
    whole, part = ordinal_differences(*columns, AGENTS), ordinal_differences(*columns, AGENTS, some)
    assert math.isnan(whole.covariate.value) and math.isfinite(part.covariate.value)
    near = [abs(a.estimate.value - b.estimate.value) for a, b in zip(whole.differences, part.differences, strict=True)]
    assert max(near) < 0.3


def test_agent_with_the_same_mark_everywhere_has_a_finite_estimate():
    columns = ([5, 1, 5, 2, 5, 3, 5, 4], list("aabbccdd"), ["x", "y"] * 4, [1, 2, 2, 1] * 2)
    (found,) = ordinal_differences(*columns, ("x", "y")).differences
    assert found.estimate.value > 2 and math.isfinite(found.estimate.high)


def test_marks_that_tell_nothing_are_not_fitted():
    assert ordinal_differences([3, 3, 3, 3], list("abcd"), ["x", "y"] * 2, [1] * 4, ("x", "y")) is None
    assert ordinal_differences([3, 4], ["a", "a"], ["x", "y"], [1, 2], ("x", "y")) is None


@pytest.mark.parametrize("log_odds", [-3.0, -0.5, 0.0, 1e-5, 0.7, 2.5])
def test_superiority_equals_an_integral_over_two_logistic_variables(log_odds):
    value = quad(lambda z: logistic.pdf(z - log_odds) * logistic.cdf(z), -60, 60, epsabs=1e-12)[0]
    assert superiority(log_odds) == pytest.approx(value, abs=1e-6)
    shown = as_superiority(Estimate(log_odds, log_odds - 40, log_odds + 40))
    assert 0 <= shown.low <= shown.value <= shown.high <= 1
