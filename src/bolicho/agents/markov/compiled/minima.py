"""Minimums that adapt: what each answer was worth, and where a yes begins to pay."""

import numpy as np

from bolicho.agents.markov.layout import ASK_ENVIDO, BINS, MINIMUM, MINIMUMS
from bolicho.games.jit import rule

LEDGER_CAP = 3000.0  # times of one answer, after which the past fades
VARIANCE = 4.0  # of the points of a hand, roughly: most bring one or two, either way
DOUBT = 1.0  # standard errors by which a change must pay
JUST_BELOW = 0.001  # so that the first chance of a step is above it


@rule
def enter(h, m):
    """Enter what each question of this hand led to, in points."""
    for n in range(h.asked[-1, 0]):
        asked = h.asked[n]
        request = asked[0]
        cell = m.ledger[request, asked[1], asked[2], asked[3], asked[4]]
        if cell[1] >= LEDGER_CAP:
            cell[0] *= 0.5
            cell[1] *= 0.5
        cell[0] += h.hand_won if request < ASK_ENVIDO else h.envido_won + h.flor_won
        cell[1] += 1


@rule
def adapt_minima(m):
    """Set each minimum where the log says that a yes begins to pay."""
    if not m.options[MINIMUMS]:
        return
    for request in range(m.ledger.shape[0]):
        for role in range(2):
            for r in range(3):
                m.minima[request, role, r] = best_minimum(m.ledger[request, role, r], MINIMUM[request])


@rule
def best_minimum(log, published):
    """The minimum that would have paid better than the published one, doubt taken off; or that one.

    Moving it down turns the answers in between from no to yes, moving it up from yes to no.
    """
    start = int(published * BINS + 0.5)
    best, most = published, 0.0
    gain, variance = 0.0, 0.0
    for b in range(start - 1, -1, -1):
        gain += worth(log[b])
        variance += uncertainty(log[b])
        if gain - DOUBT * np.sqrt(variance) > most:
            best, most = b / BINS - JUST_BELOW, gain - DOUBT * np.sqrt(variance)
    gain, variance = 0.0, 0.0
    for b in range(start, BINS):
        gain -= worth(log[b])
        variance += uncertainty(log[b])
        if gain - DOUBT * np.sqrt(variance) > most:
            best, most = (b + 1) / BINS - JUST_BELOW, gain - DOUBT * np.sqrt(variance)
    return best


@rule
def worth(step):
    """What a yes would have brought more than a no, over all answers of this step."""
    if step[0, 1] == 0 or step[1, 1] == 0:
        return 0.0
    return (step[0, 1] + step[1, 1]) * (step[1, 0] / step[1, 1] - step[0, 0] / step[0, 1])


@rule
def uncertainty(step):
    """The variance of `worth`."""
    if step[0, 1] == 0 or step[1, 1] == 0:
        return 0.0
    return (step[0, 1] + step[1, 1]) ** 2 * VARIANCE * (1 / step[0, 1] + 1 / step[1, 1])
