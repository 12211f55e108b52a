"""Second and third round of a hand of Truco: each seat has two cards left; compiled.

Each seat holds one of 105 pairs of classes. All actions of both are enumerated.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bolicho.agents.cfr.truco.compiled.bets import ANSWER, NODES, PLUS, Bets, gather, spread
from bolicho.agents.cfr.truco.compiled.blocks import DRAWN, RESPONDER, ROUNDS, Blocks, third_block
from bolicho.agents.cfr.truco.compiled.third import Third, third_round
from bolicho.agents.cfr.truco.hands import CLASSES, COVERED, PAIRS, Hands
from bolicho.games.compiled.chance import uniform
from bolicho.games.jit import rule

PLAYS = 3  # the weaker card, the stronger one, the weaker one face down
SEEN = CLASSES + 1  # looks of a card: its class, or COVERED

SELDOM = np.float32(0.15)
"""Probability of traversing a play without reach; such plays get the inverse weight."""


class Second(NamedTuple):
    """Work arrays: for the leader's turn, and for the follower's."""

    p: NDArray[np.float32]  # (node, pair): the leader
    o: NDArray[np.float32]  # (node, pair): the follower
    shares: NDArray[np.float32]
    worth: NDArray[np.float32]
    value_p: NDArray[np.float32]
    value_o: NDArray[np.float32]
    after_p: NDArray[np.float32]  # (node, pair): the follower
    after_o: NDArray[np.float32]  # (node, class): the leader, by its card left
    after_shares: NDArray[np.float32]
    after_worth: NDArray[np.float32]
    after_value_p: NDArray[np.float32]
    after_value_o: NDArray[np.float32]
    mass: NDArray[np.float32]  # (pair)
    ends: NDArray[np.float32]  # (pair)
    left: NDArray[np.float32]  # (class)
    removal: NDArray[np.float32]  # (seen, class, pair): by the leader's card played and left, and the follower's pair
    turned: NDArray[np.float32]  # (seen, pair, class)
    last: NDArray[np.float32]  # (seen, seen, class, class): by the cards that both have left
    last_turned: NDArray[np.float32]
    sides: NDArray[np.float32]  # (win or lose for L, level), for the third round
    tried: NDArray[np.float32]  # (node, play, pair): weight of its regret, 0 if not traversed
    after_tried: NDArray[np.float32]


class Solver(NamedTuple):
    """All arrays of the walks."""

    hands: Hands
    bets: Bets
    blocks: Blocks
    opening: Any
    first: Any
    second: Second
    third: Third
    regret: NDArray[np.float32]
    average: NDArray[np.float32]
    counts: NDArray[np.int64]  # see `blocks`


@rule
def prepare(h, room, lead, follow):
    """Write the removal factors of both seats' cards, once `lead` and `follow` were played in the first round."""
    meeting = h.meeting[lead, follow]
    for d in range(SEEN):
        for i in range(CLASSES):
            row = meeting[h.pair_of[d, i]] if d < CLASSES else meeting[0]
            own = h.set_of[lead, d, i]
            for q in range(PAIRS):
                w = row[q] if d < CLASSES else h.removal[own, h.set_of[follow, h.pairs[q, 0], h.pairs[q, 1]]]
                room.removal[d, i, q] = w
                room.turned[d, q, i] = w
            for e in range(SEEN):
                for j in range(CLASSES):
                    w = room.removal[d, i, h.pair_of[e, j]] if e < CLASSES else h.removal[own, h.set_of[follow, e, j]]
                    room.last[d, e, i, j] = w
                    room.last_turned[d, e, j, i] = w


@rule
def responds(solver, r, mao):
    """Return the best responder of a round where P is the mão, or not: 0 for none, 1 for P, 2 for O."""
    responder = solver.counts[RESPONDER]
    if responder < 0 or (solver.counts[ROUNDS] >> r) & 1 == 0:
        return 0
    return 1 if (responder == 0) == (mao == 1) else 2


@rule
def add_rows(matrix, by, rows, columns, scale, out):
    """Add the rows of a matrix to `out`, each times its share."""
    for j in range(rows):
        share = scale * by[j]
        if share != 0:
            row = matrix[j]
            for i in range(columns):
                out[i] += share * row[i]


@rule
def second_round(solver, first, lead, follow, won, mao, told, start, win, lose, weight, mean, luck):
    """Write the values of pairs into `second.value_p[start]` and `value_o[start]`; update regrets.

    Their reach is read from `second.p[start]` and `second.o[start]`. `lead` and `follow` are the classes played in the
    first round, `won` says whether the leader won it (otherwise it was a tie), `mao` whether the leader is the mão;
    `told` is the remembered information on points.
    """
    h, b, room, blocks = solver.hands, solver.bets, solver.second, solver.blocks
    p, o, shares = room.p, room.o, room.shares
    value_p, value_o = room.value_p, room.value_o
    at = blocks.second_lead[start]
    spread(b, solver.regret, first, at, start, PLAYS, 0, PAIRS, PAIRS, p, o, shares)
    meeting, turned = h.meeting[lead, follow], h.meeting[follow, lead]
    for k in range(NODES):
        node = b.order[start, k]
        if node < 0:
            break
        for i in range(PAIRS):
            value_p[node, i] = 0
            value_o[node, i] = 0
        if node >= ANSWER:
            level, own = b.level[node], b.answers_p[node] == 1
            u = lose[level] if own else win[level]
            refuses = shares[node, 1 + (b.leads[node] >= 0)]
            for i in range(PAIRS):
                room.mass[i] = (p[node, i] if own else o[node, i]) * refuses[i]
            if own:
                add_rows(turned, o[node], PAIRS, PAIRS, u, value_p[node])
                add_rows(meeting, room.mass, PAIRS, PAIRS, -u, value_o[node])
            else:
                add_rows(turned, room.mass, PAIRS, PAIRS, u, value_p[node])
                add_rows(meeting, p[node], PAIRS, PAIRS, -u, value_o[node])
            continue
        for a in range(PLAYS):
            for i in range(PAIRS):
                room.tried[node, a, i] = 1
                room.worth[node, a, i] = 0
        for d in range(SEEN):
            lead_card(solver, first, node, d, lead, follow, won, mao, told, start, win, lose, weight, mean, luck)
    gather(
        b, solver.regret, solver.average, first, at, start, PLAYS, 0, PAIRS, PAIRS, p, o, shares, room.worth,
        value_p, value_o, weight, mean, room.tried, True, PLUS, responds(solver, 1, mao),
    )  # fmt: skip


@rule
def is_tried(solver, mass, luck):
    """Return the weight of a play with a reach; 0 if it is not traversed."""
    if mass > 0 or solver.counts[RESPONDER] >= 0:
        return np.float32(1)
    solver.counts[DRAWN] += 1
    return 1 / SELDOM if uniform(luck, solver.counts[DRAWN]) < SELDOM else np.float32(0)


@rule
def lead_card(solver, first, turn, d, lead, follow, won, mao, told, start, win, lose, weight, mean, luck):
    """Compute a lead that looks like `d` at a turn: write its values for the leader, add those for the follower."""
    h, b, room = solver.hands, solver.bets, solver.second
    begin = b.swapped[turn]
    p, o = room.after_p, room.after_o
    total, coming = np.float32(0), np.float32(0)
    for i in range(CLASSES):
        o[begin, i] = 0
    if d < CLASSES:
        for i in range(CLASSES):
            q = h.pair_of[d, i]
            share = np.float32(0)
            if d <= i:
                share += room.shares[turn, 0, q]
            if d >= i:
                share += room.shares[turn, 1, q]
            o[begin, i] = room.p[turn, q] * share
            total += share * h.held[lead, q]
    else:
        for q in range(PAIRS):
            o[begin, h.pairs[q, 1]] += room.p[turn, q] * room.shares[turn, 2, q]
            total += room.shares[turn, 2, q] * h.held[lead, q]
    for q in range(PAIRS):
        p[begin, q] = room.o[turn, q]
        coming += p[begin, q]
    for i in range(CLASSES):
        coming += o[begin, i]
    tried = np.float32(0)
    if coming > 0:
        tried = is_tried(solver, total, luck)
    if tried > 0:
        follow_card(solver, first, begin, d, lead, follow, won, mao, told, start, win, lose, weight, mean, luck)
        for q in range(PAIRS):
            room.value_o[turn, q] += room.after_value_p[begin, q]
    found = room.after_value_o[begin]
    if d < CLASSES:
        for i in range(CLASSES):
            q = h.pair_of[d, i]
            if d <= i:
                room.worth[turn, 0, q] = found[i]
                room.tried[turn, 0, q] = tried
            if d >= i:
                room.worth[turn, 1, q] = found[i]
                room.tried[turn, 1, q] = tried
    else:
        for q in range(PAIRS):
            room.worth[turn, 2, q] = found[h.pairs[q, 1]]
            room.tried[turn, 2, q] = tried


@rule
def follow_card(solver, first, begin, d, lead, follow, won, mao, told, start, win, lose, weight, mean, luck):
    """Compute the follower's turn after a lead that looks like `d`: the values of both seats' cards."""
    b, room, blocks = solver.bets, solver.second, solver.blocks
    p, o, shares = room.after_p, room.after_o, room.after_shares
    value_p, value_o = room.after_value_p, room.after_value_o
    at = blocks.second_follow[start, d]
    removal, turned = room.removal[d], room.turned[d]
    spread(b, solver.regret, first, at, begin, PLAYS, 0, PAIRS, CLASSES, p, o, shares)
    for k in range(NODES):
        node = b.order[begin, k]
        if node < 0:
            break
        for i in range(PAIRS):
            value_p[node, i] = 0
        for i in range(CLASSES):
            value_o[node, i] = 0
        level = b.level[node]
        if node >= ANSWER:
            own = b.answers_p[node] == 1  # the follower refuses
            u = win[level] if own else lose[level]
            refuses = shares[node, 1 + (b.leads[node] >= 0)]
            if own:
                for i in range(PAIRS):
                    room.mass[i] = p[node, i] * refuses[i]
                add_rows(removal, o[node], CLASSES, PAIRS, -u, value_p[node])
                add_rows(turned, room.mass, PAIRS, CLASSES, u, value_o[node])
            else:
                for i in range(CLASSES):
                    room.mass[i] = o[node, i] * refuses[i]
                add_rows(removal, room.mass, CLASSES, PAIRS, -u, value_p[node])
                add_rows(turned, p[node], PAIRS, CLASSES, u, value_o[node])
            continue
        play_second(solver, node, d, lead, follow, won, mao, told, start, win, lose, weight, mean, luck)
    gather(
        b, solver.regret, solver.average, first, at, begin, PLAYS, 0, PAIRS, CLASSES, p, o, shares, room.after_worth,
        value_p, value_o, weight, mean, room.after_tried, True, PLUS, responds(solver, 1, 1 - mao),
    )  # fmt: skip


@rule
def beats(e, d):
    """Return whether a card that looks like `e` beats one that looks like `d`."""
    return e != COVERED and (d == COVERED or e > d)


@rule
def play_second(solver, turn, d, lead, follow, won, mao, told, start, win, lose, weight, mean, luck):
    """Compute the follower's plays at a turn: write their values for it, add those for the leader."""
    h, b, room = solver.hands, solver.bets, solver.second
    level = b.level[turn]
    p, o, shares, worth = room.after_p[turn], room.after_o[turn], room.after_shares[turn], room.after_worth[turn]
    value_o = room.after_value_o[turn]
    for q in range(PAIRS):
        room.mass[q] = 0
        room.ends[q] = 0
    add_rows(room.removal[d], o, CLASSES, PAIRS, np.float32(1), room.mass)
    for a in range(PLAYS):
        for q in range(PAIRS):
            room.after_tried[turn, a, q] = 1
    leading = np.float32(0)
    for i in range(CLASSES):
        leading += o[i]
    for e in range(SEEN):
        ends_for = 0  # 1: the leader wins the hand; -1: the follower does
        if beats(e, d):
            ends_for = 0 if won else -1
        elif e == d:
            ends_for = 1 if won else 0
        else:
            ends_for = 1
        if ends_for != 0:
            u = win[level] if ends_for > 0 else lose[level]
            if e < CLASSES:
                for i in range(CLASSES):
                    q = h.pair_of[e, i]
                    if e <= i:
                        worth[0, q] = -u * room.mass[q]
                        room.ends[q] += u * p[q] * shares[0, q]
                    if e >= i:
                        worth[1, q] = -u * room.mass[q]
                        room.ends[q] += u * p[q] * shares[1, q]
            else:
                for q in range(PAIRS):
                    worth[2, q] = -u * room.mass[q]
                    room.ends[q] += u * p[q] * shares[2, q]
            continue
        # Third round: the follower leads it after winning the second.
        left, total, coming = room.left, np.float32(0), leading
        for i in range(CLASSES):
            left[i] = 0
        if e < CLASSES:
            for i in range(CLASSES):
                q = h.pair_of[e, i]
                share = np.float32(0)
                if e <= i:
                    share += shares[0, q]
                if e >= i:
                    share += shares[1, q]
                left[i] = p[q] * share
                total += share * h.held[follow, q]
        else:
            for q in range(PAIRS):
                left[h.pairs[q, 1]] += p[q] * shares[2, q]
                total += shares[2, q] * h.held[follow, q]
        for i in range(CLASSES):
            coming += left[i]
        tried = np.float32(0)
        if coming > 0:
            tried = is_tried(solver, total, luck)
        if tried > 0:
            go_on(solver, turn, d, e, lead, follow, won, mao, told, start, win, lose, weight, mean)
        last = solver.third
        state = b.swapped[turn] if not won else turn
        found = last.value_p[turn] if won else last.value_o[state]
        if tried > 0:
            others = last.value_o[turn] if won else last.value_p[state]
            for i in range(CLASSES):
                value_o[i] += others[i]
        if e < CLASSES:
            for i in range(CLASSES):
                q = h.pair_of[e, i]
                if e <= i:
                    worth[0, q] = found[i]
                    room.after_tried[turn, 0, q] = tried
                if e >= i:
                    worth[1, q] = found[i]
                    room.after_tried[turn, 1, q] = tried
        else:
            for q in range(PAIRS):
                worth[2, q] = found[h.pairs[q, 1]]
                room.after_tried[turn, 2, q] = tried
    add_rows(room.turned[d], room.ends, PAIRS, CLASSES, np.float32(1), value_o)


@rule
def go_on(solver, turn, d, e, lead, follow, won, mao, told, start, win, lose, weight, mean):
    """Compute the third round after `d` and `e`, led by the follower of the second if `won`, else by its leader."""
    h, b, room, last, blocks = solver.hands, solver.bets, solver.second, solver.third, solver.blocks
    o, left = room.after_o[turn], room.left
    changed = b.level[turn] != b.level[start]
    if won:
        state = turn
        for level in range(4):
            room.sides[0, level] = -lose[level]
            room.sides[1, level] = -win[level]
        for i in range(CLASSES):
            last.p[state, i] = left[i]
            last.o[state, i] = o[i]
        first = third_block(h, blocks, solver.counts, told, 1 - mao, follow, e, lead, d, 1, state, changed)
        removal, turned = room.last_turned[d, e], room.last[d, e]
    else:
        state = b.swapped[turn]
        for level in range(4):
            room.sides[0, level] = win[level]
            room.sides[1, level] = lose[level]
        for i in range(CLASSES):
            last.p[state, i] = o[i]
            last.o[state, i] = left[i]
        first = third_block(h, blocks, solver.counts, told, mao, lead, d, follow, e, 0, state, changed)
        removal, turned = room.last[d, e], room.last_turned[d, e]
    third_round(
        b, last, solver.regret, solver.average, first, blocks.third_lead[state], blocks.third_follow[state],
        state, removal, turned, won, room.sides[0], room.sides[1], weight, mean,
        responds(solver, 2, 1 - mao if won else mao),
    )  # fmt: skip
