"""Third round of a hand of Truco, where each seat has one card left; compiled.

The leader L bets or plays its card. Then the follower F, which sees the card and so knows the winner, bets or plays. A
holding is one of fourteen classes; after the lead, a holding of F is (class of the lead, whether F wins).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bolicho.agents.cfr.truco.compiled.bets import ANSWER, NODES, PLUS, gather, spread
from bolicho.agents.cfr.truco.hands import CLASSES
from bolicho.games.jit import rule

OUTCOMES = 2 * CLASSES


class Third(NamedTuple):
    """Work arrays: for bets before the lead, and after it."""

    p: NDArray[np.float32]  # (node, class): L
    o: NDArray[np.float32]  # (node, class): F
    shares: NDArray[np.float32]  # (node, choice, class)
    worth: NDArray[np.float32]
    value_p: NDArray[np.float32]
    value_o: NDArray[np.float32]
    after_p: NDArray[np.float32]  # (node, outcome): F
    after_o: NDArray[np.float32]  # (node, class): L
    after_shares: NDArray[np.float32]
    after_worth: NDArray[np.float32]
    after_value_p: NDArray[np.float32]
    after_value_o: NDArray[np.float32]
    outcome: NDArray[np.float32]  # (outcome): values of F


@rule
def third_round(
    b, room, regret, average, base, at, after_at, start, removal, turned, tie_to_f, win, lose, weight, mean, responds
):
    """Write the values of L and F into `room.value_p[start]` and `room.value_o[start]`; update regrets.

    Their reach is read from `room.p[start]` and `room.o[start]`. `removal[l, f]` (`turned[f, l]`) is the probability
    that both classes were dealt, relative to independence. `win[level]` and `lose[level]` are the payoffs of L when L,
    or F, wins the hand.
    """
    p, o, shares = room.p, room.o, room.shares
    value_p, value_o = room.value_p, room.value_o
    spread(b, regret, base, at, start, 1, 0, CLASSES, CLASSES, p, o, shares)
    for k in range(NODES):
        node = b.order[start, k]
        if node < 0:
            break
        for c in range(CLASSES):
            value_p[node, c] = 0
            value_o[node, c] = 0
        if node < ANSWER:
            lay(
                b,
                room,
                regret,
                average,
                base,
                after_at,
                node,
                removal,
                turned,
                tie_to_f,
                win,
                lose,
                weight,
                mean,
                responds,
            )
        else:  # a refusal loses the accepted stake
            level, own = b.level[node], b.answers_p[node] == 1
            u = lose[level] if own else win[level]
            n = 2 + (b.leads[node] >= 0)
            refuses = shares[node, n - 1]
            for c in range(CLASSES):
                to_f = o[node, c] if own else o[node, c] * refuses[c]
                to_l = p[node, c] * refuses[c] if own else p[node, c]
                if to_f != 0:
                    for i in range(CLASSES):
                        value_p[node, i] += u * to_f * turned[c, i]
                if to_l != 0:
                    for i in range(CLASSES):
                        value_o[node, i] -= u * to_l * removal[c, i]
    gather(
        b, regret, average, base, at, start, 1, 0, CLASSES, CLASSES, p, o, shares, room.worth, value_p, value_o,
        weight, mean, room.worth, False, PLUS, responds,
    )  # fmt: skip


@rule
def lay(b, room, regret, average, base, at, turn, removal, turned, tie_to_f, win, lose, weight, mean, responds):
    """Compute L's play of its card at a turn: its values for L (`worth`) and for F (`value_o`)."""
    start = b.swapped[turn]
    p, o, shares = room.after_p, room.after_o, room.after_shares
    value_p, value_o, worth = room.after_value_p, room.after_value_o, room.after_worth
    for c in range(CLASSES):
        o[start, c] = room.p[turn, c] * room.shares[turn, 0, c]
        loses, wins = np.float32(0), np.float32(0)
        for f in range(c):
            loses += removal[c, f] * room.o[turn, f]
        for f in range(c + 1, CLASSES):
            wins += removal[c, f] * room.o[turn, f]
        even = removal[c, c] * room.o[turn, c]
        p[start, c] = loses + (np.float32(0) if tie_to_f else even)
        p[start, CLASSES + c] = wins + (even if tie_to_f else np.float32(0))
    spread(b, regret, base, at, start, 1, 0, OUTCOMES, CLASSES, p, o, shares)
    for k in range(NODES):
        node = b.order[start, k]
        if node < 0:
            break
        level = b.level[node]
        if node < ANSWER:  # the cards decide
            for c in range(CLASSES):
                worth[node, 0, c] = -win[level] * o[node, c]
                worth[node, 0, CLASSES + c] = -lose[level] * o[node, c]
                value_o[node, c] = (
                    win[level] * p[node, c] * shares[node, 0, c]
                    + lose[level] * p[node, CLASSES + c] * shares[node, 0, CLASSES + c]
                )
        else:
            own = b.answers_p[node] == 1
            u = win[level] if own else lose[level]
            refuses = shares[node, 1 + (b.leads[node] >= 0)]
            for c in range(CLASSES):
                if own:
                    value_p[node, c] = -u * o[node, c]
                    value_p[node, CLASSES + c] = -u * o[node, c]
                    value_o[node, c] = u * (p[node, c] * refuses[c] + p[node, CLASSES + c] * refuses[CLASSES + c])
                else:
                    value_p[node, c] = -u * o[node, c] * refuses[c]
                    value_p[node, CLASSES + c] = -u * o[node, c] * refuses[c]
                    value_o[node, c] = u * (p[node, c] + p[node, CLASSES + c])
    gather(
        b, regret, average, base, at, start, 1, 0, OUTCOMES, CLASSES, p, o, shares, worth, value_p, value_o,
        weight, mean, worth, False, PLUS, 3 - responds if responds else 0,
    )  # fmt: skip
    # values of F by (class of the lead, outcome) become values of its classes
    found = room.after_value_p[start]
    for c in range(CLASSES):
        room.worth[turn, 0, c] = value_o[start, c]
    for f in range(CLASSES):
        total = np.float32(0)
        for c in range(CLASSES):
            wins = f > c or (f == c and tie_to_f)
            total += turned[f, c] * found[CLASSES + c if wins else c]
        room.value_o[turn, f] = total
