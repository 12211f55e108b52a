"""Power of a study in which participants meet several opponents: a simulation with the analysis of the report.

Simulated marks: participant + agent + chance, both normal, rounded to the scale. One agent differs from all others by
`effect`; the power is the share of studies in which `lab.paired` finds its difference from a given other agent.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from bolicho.lab.paired import differences
from bolicho.stats import CONFIDENCE, Estimate, wilson

Orders = Sequence[Sequence[int]]
"""Orders of opponents, of which each participant gets one."""

Z = 1.959964  # 97.5% quantile of the normal distribution


@dataclass(frozen=True)
class Assumed:
    """Assumptions of a simulation, in steps of the scale."""

    effect: float  # difference of one agent from all others
    within: float  # standard deviation of a participant's marks for one agent
    between: float  # standard deviation between participants
    points: int  # of the scale
    missing: float = 0.0  # share of blank answers


@dataclass(frozen=True)
class Power:
    """Power with a number of participants: of one comparison, and of one among all pairs by Holm's method."""

    participants: int
    alone: Estimate
    holm: Estimate


def power(
    orders: Orders,
    participants: int,
    assumed: Assumed,
    *,
    studies: int,
    seed: int,
    advance: Callable[[int], None] = lambda done: None,
) -> Power:
    """Return the power with a number of participants, with 95% intervals for the number of simulated studies."""
    rng = np.random.default_rng([seed, participants])
    agents = [str(number) for number in sorted(orders[0])]
    found = np.zeros((studies, 2), bool)
    for number in range(studies):
        (first, *_) = differences(*simulated(rng, orders, participants, assumed), agents)
        found[number] = first.p < 1 - CONFIDENCE, first.holm < 1 - CONFIDENCE
        advance(number + 1)
    shares = found.mean(axis=0)
    alone, holm = (Estimate(float(p), *wilson(float(p), studies, Z)) for p in shares)
    return Power(participants, alone, holm)


def simulated(
    rng: np.random.Generator, orders: Orders, participants: int, assumed: Assumed
) -> tuple[list[float], list[str], list[str], list[int]]:
    """Return marks, participants, agents and places of one study; agent 0 is liked more by the effect."""
    centre = (1 + assumed.points) / 2
    rows = []
    for person in range(participants):
        level = centre + rng.normal(0, assumed.between)
        for place, agent in enumerate(orders[person % len(orders)], 1):
            mark = level + assumed.effect * (agent == 0) + rng.normal(0, assumed.within)
            if rng.random() >= assumed.missing:
                rows.append((float(np.clip(np.rint(mark), 1, assumed.points)), str(person), str(agent), place))
    marks, people, agents, places = map(list, zip(*rows, strict=True))
    return marks, people, agents, places
