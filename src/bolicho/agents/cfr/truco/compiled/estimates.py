"""Control variates: stored values of leaves whose subtree is walked in some iterations only; compiled.

The estimate of a leaf is its stored value, corrected by the walk, if there is one, over the probability of the walk. So
its mean is right whatever is stored, and its variance is small where the stored value is nearly right.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bolicho.agents.cfr.compiled.vector import Step
from bolicho.games.jit import rule

FOLLOWS = np.float32(0.2)  # step of stored values towards those found last


class Estimates(NamedTuple):
    """Stored values of all leaves of a level, and vectors of the present one."""

    usual: NDArray[np.float32]  # (leaf, seat, holding): values beyond a payoff known before, per reach of the other
    error: NDArray[np.float32]  # (leaf): squared error of these; below 0: unknown
    met: NDArray[np.float32]  # (seat, holding): reach of the other seat beside it
    found: NDArray[np.float32]  # (seat, holding): values of a walk
    value: NDArray[np.float32]  # (seat, holding): estimate


def estimates(leaves: int, holdings: int) -> Estimates:
    """Return estimates without knowledge."""
    usual, error = np.zeros((leaves, 2, holdings), np.float32), np.full(leaves, -1, np.float32)
    met, found, value = (np.zeros((2, holdings), np.float32) for _ in range(3))
    return Estimates(usual, error, met, found, value)


@rule
def deviation(stored, leaf):
    """Return the usual error of the stored values of a leaf."""
    return np.float32(1) if stored.error[leaf] < 0 else np.sqrt(stored.error[leaf])


@rule
def expect(stored, leaf, payoff):
    """Write the estimate of a leaf by its stored values and a payoff of seat 0."""
    for seat in range(2):
        sign, usual, met = np.float32(1 - 2 * seat), stored.usual[leaf, seat], stored.met[seat]
        value = stored.value[seat]
        for i in range(len(value)):
            value[i] = (sign * payoff + usual[i]) * met[i]


@rule
def correct(stored, chance):
    """Correct the estimate by the values of a walk that had a probability."""
    for seat in range(2):
        value, found = stored.value[seat], stored.found[seat]
        for i in range(len(value)):
            value[i] += (found[i] - value[i]) / chance


@rule
def remember(stored, leaf, payoff, most):
    """Move the stored values towards those of a walk, which are at most `most`."""
    pace, squares = np.float32(1) if stored.error[leaf] < 0 else FOLLOWS, np.float32(0)
    for seat in range(2):
        sign, usual, met = np.float32(1 - 2 * seat), stored.usual[leaf, seat], stored.met[seat]
        found = stored.found[seat]
        for i in range(len(met)):
            if met[i] > 0:
                off = min(max(found[i] / met[i], -most), most) - sign * payoff - usual[i]
                squares += off * off
                usual[i] += pace * off
    squares /= 2 * stored.met.shape[1]
    known = stored.error[leaf]
    stored.error[leaf] = np.float32(1) if known < 0 else known + FOLLOWS * (squares - known)


@rule
def scaled(step, chance):
    """Return an update whose weights make up for the probability of a walk."""
    return Step(step.regret / chance, step.average / chance, step.learner, step.responder, step.luck)


@rule
def copy_rows(source, target):
    for seat in range(2):
        for i in range(source.shape[1]):
            target[seat, i] = source[seat, i]


@rule
def sum_of(vector):
    total = np.float32(0)
    for i in range(len(vector)):
        total += vector[i]
    return total
