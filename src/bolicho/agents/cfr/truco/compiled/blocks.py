"""Layout of learned arrays: situations with the same past and the same earlier bets are one block; compiled.

A block begins with a round. In it every node of the bets has an offset of its own, for each card that may have been
led. Within a node the order is by choice, then by holding.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bolicho.agents.cfr.truco.compiled import bets as t
from bolicho.agents.cfr.truco.hands import CLASSES, PAIRS, SETS, TOLD, Hands
from bolicho.games.jit import rule

DRAWN, NEXT, STEPS_2, STEPS_3, SECONDS, PREPARED, TOLDS, TARGET, RESPONDER, ROUNDS = range(10)
"""Fields of `counts`.

Draws in this iteration; offset of the next block; numbers of card steps in the second and the third round; traversed
second rounds; cards of the last `second.prepare`; traversed hands after settled points; points of a match; seat that
plays a best response instead of learning (-1: none), and in which rounds, as bits.
"""

SEEN = CLASSES + 1
STATES = 6  # states of the bets when a round begins: the turns
CARDS = 3  # plays in the first round, and in the second
MAO_LEAVES = (1, 2)  # BOTH_FLOR, MAO_FLOR: the mão may still go to the deck


class Blocks(NamedTuple):
    """Offsets of nodes in their block (-1: unreachable), sizes, and offsets of blocks (-1: not allocated)."""

    first_lead: NDArray[np.int64]  # (told, node), from 0
    first_follow: NDArray[np.int64]  # (told, class, node), from 0
    second_lead: NDArray[np.int64]  # (state, node)
    second_follow: NDArray[np.int64]  # (state, seen, node)
    second_size: NDArray[np.int64]
    third_lead: NDArray[np.int64]  # (state, node)
    third_follow: NDArray[np.int64]
    third_size: NDArray[np.int64]
    seconds: NDArray[np.int64]
    thirds: NDArray[np.int64]
    second_visits: NDArray[np.int64]  # numbers of traversals
    third_visits: NDArray[np.int64]
    usual: NDArray[np.float32]  # (told, the mão's card, the pé's, state, seat, pair): stored value
    unlike: NDArray[np.float32]  # (told, the mão's card, the pé's, state): squared error of these; below 0: unknown


def steps_of(h: Hands) -> tuple[int, int]:
    """Return the numbers of card steps in the second and the third round."""
    return int(h.remembered[1].max()) + 1, int(h.remembered[2].max()) + 1


def choices_of(node: int, plays: int, extra: int = 0) -> int:
    """Return the number of choices, as `choices_at` does."""
    return (plays if node < t.ANSWER else 2) + (t.RAISE[node] >= 0) + (extra if node == t.FREE else 0)


def _lay(nodes, plays, rows_p, rows_o, first, extra=0):
    """Return the offsets of nodes from `first` on, and their end."""
    at = np.full(t.NODES, -1)
    for node in nodes:
        by_p = node < t.ANSWER or t.ANSWERS_P[node]
        n = choices_of(node, plays, extra)
        if n > 1:
            at[node] = first
            first += n * (rows_p if by_p else rows_o)
        else:
            at[node] = 0
    return at, first


def _after(state: int) -> list[int]:
    """Return the nodes that the follower's turn may have, in a round that begins with a state."""
    turns = [node for node in t.ORDER[state] if node < t.ANSWER]
    return sorted({node for turn in turns for node in t.ORDER[t.SWAPPED[turn]]})


def blocks(h: Hands, end: int = 0) -> tuple[Blocks, int]:
    """Return the blocks, with the first round from `end` on, and the next free offset."""
    first_lead = np.full((TOLD, t.NODES), -1)
    first_follow = np.full((TOLD, CLASSES, t.NODES), -1)
    for told in range(TOLD):
        first_lead[told], end = _lay(t.ORDER[0], CARDS, SETS, SETS, end, int(told in MAO_LEAVES))
        for c in range(CLASSES):
            first_follow[told, c], end = _lay(_after(0), CARDS, SETS, PAIRS, end)
    second_lead, second_follow = np.full((STATES, t.NODES), -1), np.full((STATES, SEEN, t.NODES), -1)
    third_lead, third_follow = np.full((STATES, t.NODES), -1), np.full((STATES, t.NODES), -1)
    second_size, third_size = np.zeros(STATES, np.int64), np.zeros(STATES, np.int64)
    for state in range(STATES):
        second_lead[state], size = _lay(t.ORDER[state], CARDS, PAIRS, PAIRS, 0)
        for d in range(SEEN):
            second_follow[state, d], size = _lay(_after(state), CARDS, PAIRS, CLASSES, size)
        second_size[state] = size
        third_lead[state], size = _lay(t.ORDER[state], 1, CLASSES, CLASSES, 0)
        third_follow[state], size = _lay(_after(state), 1, 2 * CLASSES, CLASSES, size)
        third_size[state] = size
    two, three = steps_of(h)
    seconds = np.full(2 * 2 * (int(h.told[1].max()) + 1) * two * two * STATES, -1)
    thirds = np.full(2 * 2 * (int(h.told[2].max()) + 1) * three**4 * 2 * STATES, -1)
    usual = np.zeros((TOLD, CLASSES, CLASSES, STATES, 2, PAIRS), np.float32)
    unlike = np.full((TOLD, CLASSES, CLASSES, STATES), -1, np.float32)
    made = Blocks(
        first_lead, first_follow, second_lead, second_follow, second_size, third_lead, third_follow, third_size,
        seconds, thirds, np.zeros_like(seconds), np.zeros_like(thirds), usual, unlike,
    )  # fmt: skip
    return made, end


@rule
def second_number(h, two, mao, won, told, lead, follow, state):
    """Return the number of a block of the second round: its leader, result and cards of the first, bets."""
    number = ((told * 2 + mao) * 2 + won) * two + h.remembered[1, lead]
    return (number * two + h.remembered[1, follow]) * STATES + state


@rule
def third_number(h, three, told, mao, tie_to_f, lead, lead_2, follow, follow_2, state, changed):
    number = (((told * 2 + mao) * 2 + tie_to_f) * three + h.remembered[2, lead]) * three + h.remembered[2, lead_2]
    number = (number * three + h.remembered[2, follow]) * three + h.remembered[2, follow_2]
    return (number * 2 + changed) * STATES + state


@rule
def steps(h, r):
    """Return the number of card steps in a round."""
    most = 0
    for c in range(SEEN):
        most = max(most, np.int64(h.remembered[r, c]))
    return most + 1


@rule
def third_block(h, blocks, counts, told, mao, lead, lead_2, follow, follow_2, tie_to_f, state, changed):
    """Return the offset of a block of the third round, allocated if new."""
    number = third_number(
        h, counts[STEPS_3], told, mao, tie_to_f, lead, lead_2, follow, follow_2, state, np.int64(changed)
    )
    if blocks.thirds[number] < 0:
        blocks.thirds[number] = counts[NEXT]
        counts[NEXT] += blocks.third_size[state]
    blocks.third_visits[number] += 1
    return blocks.thirds[number]


@rule
def second_block(blocks, counts, number, state):
    """Return the offset of a block of the second round, allocated if new."""
    if blocks.seconds[number] < 0:
        blocks.seconds[number] = counts[NEXT]
        counts[NEXT] += blocks.second_size[state]
    blocks.second_visits[number] += 1
    return blocks.seconds[number]
