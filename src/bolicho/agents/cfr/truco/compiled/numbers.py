"""Numbers of second and third rounds by what the seats remember, and their blocks; compiled."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bolicho.games.jit import rule

STATES = (
    6  # states of the bets when a round begins: nothing called; truco, retruco, each by the seat that may call; all
)


class Blocks(NamedTuple):
    """Begin of each block (-1: not allocated) and number of visits; remembered steps of cards and information."""

    remembered: NDArray[np.int64]  # (round, class or COVERED)
    steps: NDArray[np.int64]  # (round): number of these steps
    told: NDArray[np.int8]  # (round, revealed information)
    seconds: NDArray[np.int64]
    thirds: NDArray[np.int64]
    second_visits: NDArray[np.int64]
    third_visits: NDArray[np.int64]
    end: NDArray[np.int64]  # (1): end of all blocks


LEAD, FOLLOW, MAO_LEADS, TOLD_ROOT = range(4)
"""Fields of a root of the second round: the cards of the first, whether the mão leads, what was revealed."""


@rule
def second_number(blocks, root, state):
    """Return the number of a second round: what was revealed, its leader, the result and cards of the first, bets."""
    won = np.int64(root[LEAD] != root[FOLLOW])
    number = (np.int64(blocks.told[1, root[TOLD_ROOT]]) * 2 + root[MAO_LEADS]) * 2 + won
    for card in (root[LEAD], root[FOLLOW]):
        number = number * blocks.steps[1] + blocks.remembered[1, card]
    return number * STATES + state


@rule
def third_number(blocks, told, mao_leads, tie_wins, cards, state):
    """Return the number of a third round; `cards` are the leader's two and the follower's two."""
    number = (np.int64(blocks.told[2, told]) * 2 + mao_leads) * 2 + tie_wins
    for card in cards:
        number = number * blocks.steps[2] + blocks.remembered[2, card]
    return number * 2 * STATES + state


@rule
def block_of(begins, visits, number, size, end):
    """Return the begin of a block, allocated if new."""
    if begins[number] < 0:
        begins[number] = end[0]
        end[0] += size
    visits[number] += 1
    return begins[number]
