"""First round of a hand of Truco once bets on points are closed; compiled.

The mão leads. Each seat holds one of 560 sets of classes, and all of them are enumerated. Of the second rounds that
follow, some are sampled and traversed; for the others the values of their last traversal are used, so that samples only
correct stored values.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bolicho.agents.cfr.truco.compiled.bets import ANSWER, LINEAR, NODES, gather, spread
from bolicho.agents.cfr.truco.compiled.blocks import (
    CARDS,
    DRAWN,
    PREPARED,
    RESPONDER,
    SECONDS,
    STEPS_2,
    second_block,
    second_number,
)
from bolicho.agents.cfr.truco.compiled.second import add_rows, prepare, responds, second_round
from bolicho.agents.cfr.truco.hands import CLASSES, PAIRS, SETS
from bolicho.games.compiled.chance import uniform
from bolicho.games.jit import rule

OFTEN, FOR_ONE, AT_LEAST = np.float32(0.5), np.float32(0.4), np.float32(0.002)
"""Probability of sampling a second round.

The sum of AT_LEAST, OFTEN times the root of its reach, and FOR_ONE times the larger reach of the two seats times the
error of the stored values.
"""

FOLLOWS = np.float32(0.2)  # step of stored values towards the values found last


class First(NamedTuple):
    """Work arrays: for the mão's turn, for the pé's turn, and for the pairs that remain."""

    p: NDArray[np.float32]  # (node, set): the mão
    o: NDArray[np.float32]  # (node, set): the pé
    shares: NDArray[np.float32]
    worth: NDArray[np.float32]
    value_p: NDArray[np.float32]
    value_o: NDArray[np.float32]
    after_p: NDArray[np.float32]  # (node, set): the pé
    after_o: NDArray[np.float32]  # (node, pair): the mão
    after_shares: NDArray[np.float32]
    after_worth: NDArray[np.float32]
    after_value_p: NDArray[np.float32]
    after_value_o: NDArray[np.float32]
    mao: NDArray[np.float32]  # (pair)
    pe: NDArray[np.float32]  # (pair)
    mao_met: NDArray[np.float32]  # (pair): reach of the pé's pairs beside it
    pe_met: NDArray[np.float32]
    mao_value: NDArray[np.float32]  # (pair)
    pe_value: NDArray[np.float32]
    mass: NDArray[np.float32]  # (set)
    turned: NDArray[np.float32]  # (class, set, pair): removal, by the pé's set and the mão's pair beside its card
    scales: NDArray[np.float32]  # (seat): factor that makes reach relative to the traversed subtree
    pays: NDArray[np.float32]  # (use, winner of the hand, level): payoff of the mão


@rule
def pairs_after(h, c, reach, shares, out):
    """Write the reach of each pair that remains after a card of a class, by the shares of the cards."""
    for q in range(PAIRS):
        s = h.set_of[c, h.pairs[q, 0], h.pairs[q, 1]]
        share = np.float32(0)
        for a in range(CARDS):
            if h.sets[s, a] == c:
                share += shares[a, s]
        out[q] = reach[s] * share


@rule
def sets_before(h, c, values, worth):
    """Write the value of playing a card of a class for each set that has one."""
    for q in range(PAIRS):
        s = h.set_of[c, h.pairs[q, 0], h.pairs[q, 1]]
        for a in range(CARDS):
            if h.sets[s, a] == c:
                worth[a, s] = values[q]


@rule
def lead_first(solver, told, entry, extra, up, down, weight, mean, luck):
    """Write the values of sets into `first.value_p[entry]` (mão) and `value_o[entry]` (pé); update regrets.

    Their reach is read from `first.p[entry]` and `first.o[entry]`. `entry` is the node of the bets; with `extra` the
    mão may also go to the deck at first. `up[level]` and `down[level]` are the payoffs of the mão when it, or the pé,
    wins the hand.
    """
    h, b, room, blocks = solver.hands, solver.bets, solver.first, solver.blocks
    p, o, shares = room.p, room.o, room.shares
    value_p, value_o = room.value_p, room.value_o
    at = blocks.first_lead[told]
    spread(b, solver.regret, 0, at, entry, CARDS, extra, SETS, SETS, p, o, shares)
    for k in range(NODES):
        node = b.order[entry, k]
        if node < 0:
            break
        for i in range(SETS):
            value_p[node, i] = 0
            value_o[node, i] = 0
        level = b.level[node]
        if node >= ANSWER:
            own = b.answers_p[node] == 1
            u = down[level] if own else up[level]
            refuses = shares[node, 1 + (b.leads[node] >= 0)]
            for i in range(SETS):
                room.mass[i] = (p[node, i] if own else o[node, i]) * refuses[i]
            if own:
                add_rows(h.core, o[node], SETS, SETS, u, value_p[node])
                add_rows(h.core, room.mass, SETS, SETS, -u, value_o[node])
            else:
                add_rows(h.core, room.mass, SETS, SETS, u, value_p[node])
                add_rows(h.core, p[node], SETS, SETS, -u, value_o[node])
            continue
        if extra and node == 0:  # to the deck
            for i in range(SETS):
                room.worth[node, CARDS + 1, i] = 0
                room.mass[i] = p[node, i] * shares[node, CARDS + 1, i]
            add_rows(h.core, o[node], SETS, SETS, down[0], room.worth[node, CARDS + 1])
            add_rows(h.core, room.mass, SETS, SETS, -down[0], value_o[node])
        begin = b.swapped[node]
        for c in range(CLASSES):
            pairs_after(h, c, p[node], shares[node], room.after_o[begin])
            coming = np.float32(0)
            for i in range(SETS):
                room.after_p[begin, i] = o[node, i]
                coming += o[node, i]
            for q in range(PAIRS):
                coming += room.after_o[begin, q]
            if coming > 0:
                answer_first(solver, told, c, begin, up, down, weight, mean, luck)
                for i in range(SETS):
                    value_o[node, i] += room.after_value_p[begin, i]
                sets_before(h, c, room.after_value_o[begin], room.worth[node])
            else:
                for q in range(PAIRS):
                    room.mao_value[q] = 0
                sets_before(h, c, room.mao_value, room.worth[node])
    gather(
        b, solver.regret, solver.average, 0, at, entry, CARDS, extra, SETS, SETS, p, o, shares, room.worth,
        value_p, value_o, weight, mean, room.worth, False, LINEAR, responds(solver, 0, 1),
    )  # fmt: skip


@rule
def answer_first(solver, told, c, begin, up, down, weight, mean, luck):
    """Compute the pé's turn after a lead of class `c`: the values of its sets and of the mão's pairs."""
    h, b, room, blocks = solver.hands, solver.bets, solver.first, solver.blocks
    p, o, shares = room.after_p, room.after_o, room.after_shares
    value_p, value_o = room.after_value_p, room.after_value_o
    at = blocks.first_follow[told, c]
    spread(b, solver.regret, 0, at, begin, CARDS, 0, SETS, PAIRS, p, o, shares)
    for k in range(NODES):
        node = b.order[begin, k]
        if node < 0:
            break
        for i in range(SETS):
            value_p[node, i] = 0
        for i in range(PAIRS):
            value_o[node, i] = 0
        if node >= ANSWER:
            level = b.level[node]
            own = b.answers_p[node] == 1  # the pé refuses
            u = up[level] if own else down[level]
            refuses = shares[node, 1 + (b.leads[node] >= 0)]
            if own:
                for i in range(SETS):
                    room.mass[i] = p[node, i] * refuses[i]
                meet_sets(h, c, o[node], -u, value_p[node])
                add_rows(room.turned[c], room.mass, SETS, PAIRS, u, value_o[node])
            else:
                for i in range(PAIRS):
                    room.mao[i] = o[node, i] * refuses[i]
                meet_sets(h, c, room.mao, -u, value_p[node])
                add_rows(room.turned[c], p[node], SETS, PAIRS, u, value_o[node])
            continue
        play_first(
            solver, told, c, node, p[node], o[node], shares[node], room.after_worth[node], value_o[node],
            up, down, weight, mean, luck,
        )  # fmt: skip
    gather(
        b, solver.regret, solver.average, 0, at, begin, CARDS, 0, SETS, PAIRS, p, o, shares, room.after_worth,
        value_p, value_o, weight, mean, room.after_worth, False, LINEAR, responds(solver, 0, 0),
    )  # fmt: skip


@rule
def meet_sets(h, c, pairs, scale, out):
    """Add `scale` times the reach of the mão's pairs beside a card of a class, as the pé's sets meet them."""
    for q in range(PAIRS):
        share = scale * pairs[q]
        if share != 0:
            row = h.core[h.set_of[c, h.pairs[q, 0], h.pairs[q, 1]]]
            for i in range(SETS):
                out[i] += share * row[i]


@rule
def play_first(solver, told, c, turn, pe, mao, shares, worth, value_o, up, down, weight, mean, luck):
    """Compute the pé's plays at a turn: write their values for its sets, add those for the mão's pairs."""
    h, room = solver.hands, solver.first
    for e in range(CLASSES):
        pairs_after(h, e, pe, shares, room.pe)
        for q in range(PAIRS):
            room.mao[q] = mao[q]
        value_of_pairs(solver, told, c, e, turn, up, down, weight, mean, luck)
        for q in range(PAIRS):
            value_o[q] += room.mao_value[q]
        sets_before(h, e, room.pe_value, worth)


@rule
def within(x, low, high):
    return min(max(x, low), high)


@rule
def value_of_pairs(solver, told, c, e, turn, up, down, weight, mean, luck):
    """Write the values of pairs once the mão has played `c` and the pé `e`.

    `turn` is the node of the bets, with the pé as P. Reads `first.mao` and `first.pe`; writes `first.mao_value` and
    `first.pe_value`.
    """
    h, b, room, blocks, second = solver.hands, solver.bets, solver.first, solver.blocks, solver.second
    mao, pe = room.mao, room.pe
    some_mao, some_pe = np.float32(0), np.float32(0)
    for q in range(PAIRS):
        some_mao += mao[q]
        some_pe += pe[q]
        room.mao_met[q] = 0
        room.pe_met[q] = 0
    if some_mao == 0 and some_pe == 0:
        for q in range(PAIRS):
            room.mao_value[q] = 0
            room.pe_value[q] = 0
        return
    add_rows(h.meeting[e, c], pe, PAIRS, PAIRS, np.float32(1), room.mao_met)
    add_rows(h.meeting[c, e], mao, PAIRS, PAIRS, np.float32(1), room.pe_met)
    mao_leads = c >= e
    won = np.int64(c != e)
    start = b.swapped[turn] if mao_leads else turn
    lead, follow = (c, e) if mao_leads else (e, c)
    number = second_number(h, solver.counts[STEPS_2], np.int64(mao_leads), won, h.told[1, told], lead, follow, start)
    usual = blocks.usual[told, c, e, turn]
    unlike = blocks.unlike[told, c, e, turn]
    level = b.level[turn]
    even = np.float32(0.5) * (up[level] + down[level])
    for q in range(PAIRS):
        room.mao_value[q] = (even + usual[0, q]) * room.mao_met[q]
        room.pe_value[q] = (-even + usual[1, q]) * room.pe_met[q]
    some_mao, some_pe = some_mao * room.scales[0], some_pe * room.scales[1]
    wrong = np.float32(1) if unlike < 0 else np.sqrt(unlike)
    chance = AT_LEAST + OFTEN * np.sqrt(some_mao * some_pe) + FOR_ONE * wrong * max(some_mao, some_pe)
    chance = np.float32(1) if solver.counts[RESPONDER] >= 0 else min(np.float32(1), chance)
    solver.counts[DRAWN] += 1
    if uniform(luck, solver.counts[DRAWN]) >= chance:
        return
    solver.counts[SECONDS] += 1
    first = second_block(blocks, solver.counts, number, start)
    if solver.counts[PREPARED] != c * CLASSES + e:
        solver.counts[PREPARED] = c * CLASSES + e
        prepare(h, second, lead, follow)
    win, lose = room.pays[8, 0], room.pays[8, 1]
    for i in range(4):
        win[i] = up[i] if mao_leads else -down[i]
        lose[i] = down[i] if mao_leads else -up[i]
    for q in range(PAIRS):
        second.p[start, q] = mao[q] if mao_leads else pe[q]
        second.o[start, q] = pe[q] if mao_leads else mao[q]
    second_round(
        solver, first, lead, follow, won, np.int64(mao_leads), np.int64(h.told[2, told]), start, win, lose,
        weight / chance, mean / chance, luck,
    )  # fmt: skip
    own, others = second.value_p[start], second.value_o[start]
    pace = np.float32(1) if unlike < 0 else FOLLOWS
    squares = np.float32(0)
    for q in range(PAIRS):
        m = own[q] if mao_leads else others[q]
        if room.mao_met[q] > 0:
            off = within(m / room.mao_met[q], down[3], up[3]) - even - usual[0, q]
            squares += off * off
            usual[0, q] += pace * off
        room.mao_value[q] += (m - room.mao_value[q]) / chance
        m = others[q] if mao_leads else own[q]
        if room.pe_met[q] > 0:
            off = within(m / room.pe_met[q], -up[3], -down[3]) + even - usual[1, q]
            squares += off * off
            usual[1, q] += pace * off
        room.pe_value[q] += (m - room.pe_value[q]) / chance
    squares /= 2 * PAIRS
    blocks.unlike[told, c, e, turn] = np.float32(1) if unlike < 0 else unlike + FOLLOWS * (squares - unlike)
