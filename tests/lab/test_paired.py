"""Comparison of agents within people: effects are found, and intervals have their nominal coverage."""

import math

import numpy as np
import pytest

from bolicho.lab.paired import Difference, differences, with_holm
from bolicho.stats import Estimate

AGENTS = ("a", "b", "c", "d")
WILLIAMS = ("abdc", "bcad", "cdba", "dacb")  # every agent once at every place, and once after every other
EFFECTS = dict(zip(AGENTS, (0.0, 0.5, 1.0, -0.3), strict=True))
PLACES = (0.0, 0.4, 0.8, 1.2)  # effect of practice


def observe(orders, value):
    """Return the columns of a study in which each participant meets the agents of an order; None is not observed."""
    rows = [
        (found, str(person), agent, place + 1)
        for person, order in enumerate(orders)
        for place, agent in enumerate(order)
        if (found := value(person, place, agent, order)) is not None
    ]
    return tuple(map(list, zip(*rows, strict=True)))


def simulated(rng, people):
    """Simulate people who differ in level, taste and steadiness, with correlated matches and missing values."""
    level, steady = rng.normal(0, 2, people), rng.choice([0.3, 1.2], people)
    taste = rng.normal(0, 0.6, (people, 4))
    mood = np.zeros(people)

    def value(person, place, agent, order):
        mood[person] = 0.5 * mood[person] + rng.normal(0, steady[person])
        if rng.random() < 0.15:
            return None
        of_agent = EFFECTS[agent] + taste[person, AGENTS.index(agent)]
        return level[person] + of_agent + PLACES[place] + mood[person]

    return observe([WILLIAMS[person % 4] for person in range(people)], value)


def truth(one):
    return EFFECTS[one.one] - EFFECTS[one.other]


@pytest.mark.parametrize("people", [8, 24])
def test_estimates_are_unbiased_and_intervals_have_their_nominal_coverage(people):
    rng, studies = np.random.default_rng(1), 400
    found = [differences(*simulated(rng, people), AGENTS) for _ in range(studies)]
    held = np.array([[d.estimate.low <= truth(d) <= d.estimate.high for d in study] for study in found])
    off = np.array([[d.estimate.value - truth(d) for d in study] for study in found])
    assert 0.935 < held.mean() < 0.975  # of 2,400 intervals, six of a study each
    assert (held.mean(axis=0) > 0.9).all()
    assert (np.abs(off.mean(axis=0)) < 3.5 * off.std(axis=0) / math.sqrt(studies)).all()


def test_order_of_agents_does_not_bias_the_estimate():
    """Let three of four people meet a before b, so that means alone would be biased by the order."""
    level = (3.0, -1.0, 2.0, 5.0)
    values, *rest = observe(["ab", "ab", "ab", "ba"], lambda person, place, agent, order: level[person] + PLACES[place])
    of = {agent: np.mean([v for v, a in zip(values, rest[1], strict=True) if a == agent]) for agent in "ab"}
    assert of["b"] - of["a"] == pytest.approx(0.2)
    (found,) = differences(values, *rest, ("a", "b"))
    assert found.estimate.value == pytest.approx(0, abs=1e-9)


def test_level_of_people_does_not_bias_the_estimate():
    level = (0.0, 0.0, 9.0, 9.0)
    columns = observe(["ab", "ba", "bc", "cb"], lambda person, place, agent, order: level[person] + EFFECTS[agent])
    found = differences(*columns, ("a", "b", "c"))
    assert [d.estimate.value for d in found] == pytest.approx([-0.5, -1.0, -0.5])


def test_after_effects_enter_by_a_share_in_williams_orders():
    """Expect their difference divided by the number of agents, as the page of the study states."""
    left = dict(zip(AGENTS, (0.8, 0.0, -0.4, 1.6), strict=True))

    def value(person, place, agent, order):
        return EFFECTS[agent] + PLACES[place] + (left[order[place - 1]] if place else 0.0)

    for d in differences(*observe(WILLIAMS, value), AGENTS):
        assert d.estimate.value - truth(d) == pytest.approx(-(left[d.one] - left[d.other]) / 4)


def test_effects_that_cannot_be_separated_are_not_estimated():
    rng = np.random.default_rng(2)
    always = differences(*observe(["ab"] * 5, lambda *_: rng.normal()), ("a", "b"))  # confounded with place
    alone = differences(*observe(["a", "b", "a", "b"], lambda *_: rng.normal()), ("a", "b"))  # confounded with person
    assert all(math.isnan(d.estimate.value) and math.isnan(d.p) and math.isnan(d.holm) for d in always + alone)
    (two,) = differences(*observe(["ab", "ba"], lambda *_: rng.normal()), ("a", "b"))  # as many effects as differences
    assert math.isfinite(two.estimate.value) and not two.estimate.has_interval


def test_holm_adjusts_for_all_pairs():
    given = [Difference(str(i), "x", Estimate(0.0), p) for i, p in enumerate((0.01, 0.04, 0.03, math.nan))]
    assert [d.holm for d in with_holm(given)] == pytest.approx([0.03, 0.06, 0.06, math.nan], nan_ok=True)
