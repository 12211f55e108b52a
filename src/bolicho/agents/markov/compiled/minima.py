"""Adaptive minimums: the results of each answer, and the chance above which a yes pays."""

import numpy as np

from bolicho.agents.markov.layout import ASK_ENVIDO, BINS, MINIMUM, MINIMUMS
from bolicho.games.jit import rule

LEDGER_CAP = 3000.0  # count of one answer above which old counts decay
VARIANCE = 4.0  # approximate variance of the points of a hand: most give one or two, either way
DOUBT = 1.0  # standard errors by which a change must pay
JUST_BELOW = 0.001  # so that the lowest chance of a bin exceeds the minimum


@rule
def enter(h, m):
    """Record the points that followed each question of this hand."""
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
    """Set each minimum to the chance above which a yes pays according to the ledger."""
    if not m.options[MINIMUMS]:
        return
    for request in range(m.ledger.shape[0]):
        for role in range(2):
            for r in range(3):
                m.minima[request, role, r] = best_minimum(m.ledger[request, role, r], MINIMUM[request])


@rule
def best_minimum(log, published):
    """Return the minimum with the best significant gain over the published one, or the published one.

    A lower minimum changes answers in between from no to yes, a higher one from yes to no.
    """
    start = int(published * BINS + 0.5)
    best, most = published, 0.0
    gain, variance = 0.0, 0.0
    for b in range(start - 1, -1, -1):
        gain += gain_of_yes(log[b])
        variance += uncertainty(log[b])
        if gain - DOUBT * np.sqrt(variance) > most:
            best, most = b / BINS - JUST_BELOW, gain - DOUBT * np.sqrt(variance)
    gain, variance = 0.0, 0.0
    for b in range(start, BINS):
        gain -= gain_of_yes(log[b])
        variance += uncertainty(log[b])
        if gain - DOUBT * np.sqrt(variance) > most:
            best, most = (b + 1) / BINS - JUST_BELOW, gain - DOUBT * np.sqrt(variance)
    return best


@rule
def gain_of_yes(step):
    """Return the total gain of a yes over a no in this bin."""
    if step[0, 1] == 0 or step[1, 1] == 0:
        return 0.0
    return (step[0, 1] + step[1, 1]) * (step[1, 0] / step[1, 1] - step[0, 0] / step[0, 1])


@rule
def uncertainty(step):
    """Return the variance of `gain_of_yes`."""
    if step[0, 1] == 0 or step[1, 1] == 0:
        return 0.0
    return (step[0, 1] + step[1, 1]) ** 2 * VARIANCE * (1 / step[0, 1] + 1 / step[1, 1])
