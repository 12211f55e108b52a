"""Bets of truco while one seat has to play a card: their course as tables, and regrets along it; compiled.

The seat to play is P, the other is O. P plays or calls; calls are answered until one is accepted, and then P is to act
again. A state of the bets is one of eleven *nodes*: six turns of P, by the accepted level and the seat that may call
next, and five answers. All functions work on vectors of the holdings of both seats.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bolicho.games.jit import rule

NODES = 11
FREE, ONE_P, ONE_O, TWO_P, TWO_O, THREE = range(6)
"""Turns of P: nothing called; truco accepted, where P or O may call next; retruco, likewise; vale quatro."""

ANSWER = 6  # first of the answers: O answers truco

RAISE = (6, 9, -1, 8, -1, -1, 7, 8, -1, 10, -1)
"""Node that a call leads to, by node, or -1."""

ACCEPT = (-1, -1, -1, -1, -1, -1, 2, 3, 5, 4, 5)
ANSWERS_P = (0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1)  # 1 if P answers
LEVEL = (0, 1, 1, 2, 2, 3, 0, 1, 2, 1, 2)
"""Accepted level: the hand is worth one point more, also after a refusal."""

ORDER = ((0, 6, 2, 7, 3, 8, 5), (1, 9, 4, 10, 5), (2,), (3, 8, 5), (4,), (5,), (6, 2, 7, 3, 8, 5))
"""Nodes that may follow each start, each after its predecessors; the last row starts after a call of P."""

SWAPPED = (0, 2, 1, 4, 3, 5)
"""Number of a turn from the side of the other seat, when that seat has to play next."""

PLUS, LINEAR = np.float32(0), np.float32(-3e38)
"""Lower bounds of regrets: zero where values are exact (CFR+), none where they are sampled."""

JOINED = 8  # node that two paths of P reach from a start before truco; O has the same reach on both
STARTS = len(ORDER)


class Bets(NamedTuple):
    """Tables of the bets, for compiled code."""

    leads: NDArray[np.int64]
    accept: NDArray[np.int64]
    answers_p: NDArray[np.int64]
    level: NDArray[np.int64]
    order: NDArray[np.int64]  # (start, place), -1 at the end
    swapped: NDArray[np.int64]


def bets() -> Bets:
    """Return the tables."""
    order = np.full((STARTS, NODES), -1)
    for start, nodes in enumerate(ORDER):
        order[start, : len(nodes)] = nodes
    return Bets(*(np.array(table) for table in (RAISE, ACCEPT, ANSWERS_P, LEVEL)), order, np.array(SWAPPED))


@rule
def is_turn(node):
    return node < ANSWER


@rule
def by_p(b, node):
    return node < ANSWER or b.answers_p[node] == 1


@rule
def choices_at(b, node, plays, extra):
    """Return the number of choices: plays, or accepting and refusing; a call; `extra` ones at the first turn."""
    return (plays if node < ANSWER else 2) + (b.leads[node] >= 0) + (extra if node == FREE else 0)


@rule
def match(regret, first, n, rows, out):
    """Write the strategy of all rows: proportional to positive regrets, or uniform."""
    if n == 1:
        for i in range(rows):
            out[0, i] = 1
        return
    for i in range(rows):
        out[n, i] = 0
    for a in range(n):
        for i in range(rows):
            out[a, i] = max(np.float32(0), regret[first + a * rows + i])
            out[n, i] += out[a, i]
    for i in range(rows):
        total = out[n, i]
        if total > 0:
            for a in range(n):
                out[a, i] /= total
        else:
            for a in range(n):
                out[a, i] = np.float32(1) / np.float32(n)


@rule
def spread(b, regret, base, at, start, plays, extra, rows_p, rows_o, p, o, shares):
    """Propagate the reach of both seats from the node `start` to all later nodes; write the strategy at each."""
    for k in range(NODES):
        node = b.order[start, k]
        if node < 0:
            break
        if k > 0:
            for i in range(rows_p):
                p[node, i] = 0
            for i in range(rows_o):
                o[node, i] = 0
    for k in range(NODES):
        node = b.order[start, k]
        if node < 0:
            break
        own = by_p(b, node)
        rows = rows_p if own else rows_o
        n = choices_at(b, node, plays, extra)
        match(regret, base + at[node], n, rows, shares[node])
        calls, leads = b.leads[node], plays if node < ANSWER else 0
        if calls >= 0:
            pass_on(own, shares[node, leads], rows_p, rows_o, p[node], o[node], p[calls], o[calls])
        if node >= ANSWER:
            takes = b.accept[node]
            pass_on(own, shares[node, n - 2], rows_p, rows_o, p[node], o[node], p[takes], o[takes])


@rule
def pass_on(own, share, rows_p, rows_o, p, o, to_p, to_o):
    """Propagate reach along a choice: add that of the acting seat times its share, copy that of the other seat."""
    if own:
        for i in range(rows_p):
            to_p[i] += p[i] * share[i]
        for i in range(rows_o):
            to_o[i] = o[i]
    else:
        for i in range(rows_p):
            to_p[i] = p[i]
        for i in range(rows_o):
            to_o[i] += o[i] * share[i]


@rule
def learn(regret, average, first, n, rows, reach, shares, worth, value, weight, mean, tried, plays, least, best):
    """Write the values of rows, and update their regrets and average strategy.

    `worth[a]` are the values of choice `a`; for the first `plays` choices, `tried[a]` weights the regrets. With `best`
    the values are those of the best choices, and nothing is updated.
    """
    if best:
        for i in range(rows):
            value[i] = worth[0, i]
        for a in range(1, n):
            for i in range(rows):
                value[i] = max(value[i], worth[a, i])
        return
    for i in range(rows):
        value[i] = 0
    for a in range(n):
        for i in range(rows):
            value[i] += shares[a, i] * worth[a, i]
    if n == 1:
        return
    for a in range(n):
        at = first + a * rows
        if a < plays:
            for i in range(rows):
                missed = weight * tried[a, i] * (worth[a, i] - value[i])
                regret[at + i] = max(least, regret[at + i] + missed)
        else:
            for i in range(rows):
                regret[at + i] = max(least, regret[at + i] + weight * (worth[a, i] - value[i]))
        for i in range(rows):
            average[at + i] += mean * reach[i] * shares[a, i]


@rule
def gather(
    b, regret, average, base, at, start, plays, extra, rows_p, rows_o, p, o, shares, worth, value_p, value_o,
    weight, mean, tried, partial, least, responds,
):  # fmt: skip
    """Write the values of every node for both seats, last nodes first, and update regrets.

    Reads the values of plays at all turns (`worth` and `value_o`), and of refusals at answers (`value_p` and
    `value_o`). `responds` is 1 if P plays a best response, 2 if O does.
    """
    for back in range(NODES):
        node = b.order[start, NODES - 1 - back]
        if node < 0:
            continue
        n = choices_at(b, node, plays, extra)
        calls, takes = b.leads[node], b.accept[node]
        if node < ANSWER:
            if calls >= 0:
                for i in range(rows_p):
                    worth[node, plays, i] = value_p[calls, i]
                if not (calls == JOINED and node == TWO_P and b.order[start, 0] != TWO_P):
                    for i in range(rows_o):
                        value_o[node, i] += value_o[calls, i]
            learn(
                regret, average, base + at[node], n, rows_p, p[node], shares[node], worth[node], value_p[node],
                weight, mean, tried[node], plays if partial else 0, least, responds == 1,
            )  # fmt: skip
        elif b.answers_p[node]:
            for i in range(rows_p):
                worth[node, n - 1, i] = value_p[node, i]
                worth[node, n - 2, i] = value_p[takes, i]
            for i in range(rows_o):
                value_o[node, i] += value_o[takes, i]
            if calls >= 0:
                for i in range(rows_p):
                    worth[node, 0, i] = value_p[calls, i]
                for i in range(rows_o):
                    value_o[node, i] += value_o[calls, i]
            learn(
                regret, average, base + at[node], n, rows_p, p[node], shares[node], worth[node], value_p[node],
                weight, mean, tried[node], 0, least, responds == 1,
            )  # fmt: skip
        else:
            for i in range(rows_o):
                worth[node, n - 1, i] = value_o[node, i]
                worth[node, n - 2, i] = value_o[takes, i]
            for i in range(rows_p):
                value_p[node, i] += value_p[takes, i]
            if calls >= 0:
                for i in range(rows_o):
                    worth[node, 0, i] = value_o[calls, i]
                for i in range(rows_p):
                    value_p[node, i] += value_p[calls, i]
            learn(
                regret, average, base + at[node], n, rows_o, o[node], shares[node], worth[node], value_o[node],
                weight, mean, tried[node], 0, least, responds == 2,
            )  # fmt: skip
