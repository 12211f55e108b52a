"""A leaf at the end of the hand: what the score is worth there, by how often a match is won from it."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bolicho.agents.search.compiled import leaf as leaves
from bolicho.agents.search.compiled.leaf import HERE
from bolicho.games import kernel
from bolicho.games.jit import njit
from bolicho.games.kernel import implements


class Hand(NamedTuple):
    """The hand that is searched, and what scores are worth at the opening of the next."""

    number: int
    chances: NDArray[np.float64]  # of the mão to win the match, by its points and the other's


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
