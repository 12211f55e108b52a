"""Leaf at the end of the hand, with the score's chance of winning the match as its value."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bolicho.agents.search.compiled import leaf as leaves
from bolicho.agents.search.compiled.leaf import HERE
from bolicho.games import kernel
from bolicho.games.jit import njit
from bolicho.games.kernel import implements


class Hand(NamedTuple):
    """Number of the searched hand, and the values of scores before the next hand."""

    number: int
    chances: NDArray[np.float64]  # probability that the mão wins the match, by its points and the other's


@implements(leaves.ended, Hand)
@njit
def ended(leaf, s):
    return kernel.over(s) or s.hand_number != leaf.number


@implements(leaves.judge, Hand)
@njit
def judge(leaf, room, seat):
    s = room.pool[HERE]
    if kernel.over(s):
        kernel.payoff(s, room.payoffs)
        return
    mao = s.mao
    worth = 2 * leaf.chances[s.scores[mao], s.scores[1 - mao]] - 1
    room.payoffs[mao] = worth
    room.payoffs[1 - mao] = -worth
