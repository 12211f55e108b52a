"""Opening of a hand of Truco: the first turns, before and beside bets on points; compiled.

Every iteration traverses the whole opening.
"""

import numpy as np

from bolicho.agents.cfr.truco.compiled.bets import ANSWER, match
from bolicho.agents.cfr.truco.compiled.blocks import CARDS, DRAWN, PREPARED, TARGET
from bolicho.agents.cfr.truco.compiled.first import answer_first, value_of_pairs
from bolicho.agents.cfr.truco.compiled.points import (
    AS_ANSWER,
    AS_MAO,
    AS_PE,
    OTHER,
    bet_points,
    go,
    learn_types,
    refuse,
    set_pays,
    show,
    to_sets,
)
from bolicho.agents.cfr.truco.compiled.second import add_rows, responds
from bolicho.agents.cfr.truco.hands import BOTH_FLOR, CLASSES, MAO_FLOR, PAIRS, PE_FLOR, SETS, SILENT
from bolicho.games.compiled.chance import stream
from bolicho.games.jit import njit, rule

MAO_CHOICES, PE_CHOICES = 8, 7  # three cards, truco, envido, real, falta; the mão may go to the deck
FLOR_CHOICES = (3, 3, 2, 2)  # at the answers of the pé and the mão, and of the pé and the mão to resto
FLORS = len(FLOR_CHOICES)
FLOR_POINTS, CONTRA_FLOR, CONTRA_REFUSED, RESTO_REFUSED = 3, 6, 4, 6


@rule
def pe_opens(solver, c, utilities, scores, pays, weight, mean, luck):
    """Compute the pé's first turn, without flor, after a lead of class `c` and without bets on points.

    Reads `opening.pe` and `opening.pairs[0]` (the mão's); writes `pe_value` and the values of the mão's pairs into
    `opening.pairs[1]`.
    """
    h, room, first = solver.hands, solver.opening, solver.first
    types = len(h.type_set)
    at, shares, worth = room.pe_at[c], room.pe_shares, room.pe_worth
    up, down = pays[0], pays[1]
    match(solver.regret, at, PE_CHOICES, types, shares)
    for q in range(PAIRS):
        first.mao_value[q] = 0
    mine = room.pairs[1]
    for q in range(PAIRS):
        mine[q] = 0
    # cards: types become sets
    for e in range(CLASSES):
        for q in range(PAIRS):
            first.pe[q] = 0
            first.mao[q] = room.pairs[0, q]
        for t in range(types):
            if room.pe[t] > 0:
                s = h.type_set[t]
                rest = np.int64(h.rest_of[s, e])
                if rest >= 0:
                    share = np.float32(0)
                    for a in range(CARDS):
                        if h.sets[s, a] == e:
                            share += shares[a, t]
                    first.pe[rest] += room.pe[t] * share
        value_of_pairs(solver, SILENT, c, e, 0, up, down, weight, mean, luck)
        for q in range(PAIRS):
            mine[q] += first.mao_value[q]
        for t in range(types):
            s = h.type_set[t]
            rest = np.int64(h.rest_of[s, e])
            if rest >= 0:
                for a in range(CARDS):
                    if h.sets[s, a] == e:
                        worth[a, t] = first.pe_value[rest]
    # truco
    for t in range(types):
        room.y[t] = room.pe[t] * shares[CARDS, t]
    to_sets(h, room.y, room.y_sets)
    for i in range(SETS):
        first.after_p[ANSWER, i] = room.y_sets[i]
    for q in range(PAIRS):
        first.after_o[ANSWER, q] = room.pairs[0, q]
    answer_first(solver, SILENT, c, ANSWER, up, down, weight, mean, luck)
    for q in range(PAIRS):
        mine[q] += first.after_value_o[ANSWER, q]
    for t in range(types):
        worth[CARDS, t] = first.after_value_p[ANSWER, h.type_set[t]]
    # envido
    for k in range(3):
        for t in range(types):
            room.p[k, t] = room.pe[t] * shares[CARDS + 1 + k, t]
            room.o[k, t] = room.mao_after[t]
    bet_points(solver, c + 1, AS_PE + c, utilities, scores, weight, mean, luck)
    for k in range(3):
        for t in range(types):
            worth[CARDS + 1 + k, t] = room.value_p[k, t]
    learn_types(
        solver.regret, solver.average, at, PE_CHOICES, types, room.pe, shares, worth, room.pe_value, room.plain,
        weight, mean, responds(solver, 0, 0) == 1,
    )  # fmt: skip


@rule
def mao_opens(solver, utilities, scores, weight, mean, luck):
    """Compute the mão's first turn, without flor; the pé may have one."""
    h, room, first = solver.hands, solver.opening, solver.first
    types = len(h.type_set)
    at, shares, worth = room.mao_at[0], room.mao_shares, room.mao_worth
    pays = first.pays[0]
    match(solver.regret, at, MAO_CHOICES, types, shares)
    for t in range(types):
        room.mao[t] = h.prior[t] * room.plain[t]
    # truco closes the bets on points, but a flor of the pé is announced
    for kind in range(2):
        for t in range(types):
            room.x[t] = room.mao[t] * shares[CARDS, t]
            room.y[t] = h.prior[t] * (room.plain[t] if kind == 0 else 1 - room.plain[t])
        if kind == 0:
            set_pays(utilities, scores[0], scores[1], pays)
            to_sets(h, room.x, room.x_sets)
            to_sets(h, room.y, room.y_sets)
            go(solver, SILENT, AS_ANSWER, pays, weight, mean, luck)
            for t in range(types):
                worth[CARDS, t] = first.mass[h.type_set[t]]
        else:
            refuse(solver, PE_FLOR, AS_ANSWER, OTHER, utilities, scores[0], scores[1] + FLOR_POINTS, weight, mean, luck)
            for t in range(types):
                worth[CARDS, t] += room.x_value[t]
    # envido: a flor of the pé voids it
    for t in range(types):
        room.x[t] = room.mao[t] * (shares[CARDS + 1, t] + shares[CARDS + 2, t] + shares[CARDS + 3, t])
        room.y[t] = h.prior[t] * (1 - room.plain[t])
    refuse(solver, PE_FLOR, AS_MAO, OTHER, utilities, scores[0], scores[1] + FLOR_POINTS, weight, mean, luck)
    for t in range(types):
        for k in range(3):
            worth[CARDS + 1 + k, t] = room.x_value[t]
            room.p[k, t] = room.mao[t] * shares[CARDS + 1 + k, t]
            room.o[k, t] = h.prior[t] * room.plain[t]
    bet_points(solver, 0, AS_MAO, utilities, scores, weight, mean, luck)
    for k in range(3):
        for t in range(types):
            worth[CARDS + 1 + k, t] += room.value_p[k, t]
    # to the deck
    to_sets(h, h.prior, room.y_sets)
    set_pays(utilities, scores[0], scores[1], pays)
    for i in range(SETS):
        room.x_sets[i] = 0
    add_rows(h.core, room.y_sets, SETS, SETS, pays[1, 0], room.x_sets)
    for t in range(types):
        worth[MAO_CHOICES - 1, t] = room.x_sets[h.type_set[t]]
    # a card
    for c in range(CLASSES):
        for q in range(PAIRS):
            room.pairs[0, q] = 0
        for t in range(types):
            s = h.type_set[t]
            rest = np.int64(h.rest_of[s, c])
            room.mao_after[t] = 0
            if rest >= 0:
                share = np.float32(0)
                for a in range(CARDS):
                    if h.sets[s, a] == c:
                        share += shares[a, t]
                room.mao_after[t] = room.mao[t] * share
                room.pairs[0, rest] += room.mao_after[t]
            room.pe[t] = h.prior[t] * room.plain[t]
        set_pays(utilities, scores[0], scores[1], pays)
        pe_opens(solver, c, utilities, scores, pays, weight, mean, luck)
        # the mão's values of bets on points are by type, those of cards by pair
        for t in range(types):
            rest = np.int64(h.rest_of[h.type_set[t], c])
            if rest >= 0:
                value = room.pairs[1, rest] + room.value_o[0, t] + room.value_o[1, t] + room.value_o[2, t]
                for a in range(CARDS):
                    if h.sets[h.type_set[t], a] == c:
                        worth[a, t] = value
        for t in range(types):
            room.x[t] = room.mao_after[t]
            room.y[t] = h.prior[t] * (1 - room.plain[t])
        refuse(solver, PE_FLOR, AS_PE + c, OTHER, utilities, scores[0], scores[1] + FLOR_POINTS, weight, mean, luck)
        for t in range(types):
            if h.rest_of[h.type_set[t], c] >= 0:
                for a in range(CARDS):
                    if h.sets[h.type_set[t], a] == c:
                        worth[a, t] += room.x_value[t]
    learn_types(
        solver.regret, solver.average, at, MAO_CHOICES, types, room.mao, shares, worth, room.mao_value, room.plain,
        weight, mean, responds(solver, 0, 1) == 1,
    )  # fmt: skip


@rule
def flor_opens(solver, utilities, scores, weight, mean, luck):
    """Compute the opening of a mão with a flor: alone, or with bets if both seats have one."""
    h, room = solver.hands, solver.opening
    types = len(h.type_set)
    for t in range(types):
        room.x[t] = h.prior[t] * (1 - room.plain[t])
        room.y[t] = h.prior[t] * room.plain[t]
    refuse(solver, MAO_FLOR, AS_MAO, OTHER, utilities, scores[0] + FLOR_POINTS, scores[1], weight, mean, luck)
    # Both: the pé answers flor, contraflor or resto (0); the mão contraflor (1); the pé resto (2), or the mão (3).
    p, o, shares, worth = room.p, room.o, room.shares, room.worth
    falta = solver.counts[TARGET] - max(scores[0], scores[1])
    for node in range(FLORS):
        match(solver.regret, room.flor_at[node], FLOR_CHOICES[node], types, shares[node])
        for t in range(types):
            room.value_p[node, t] = 0
            room.value_o[node, t] = 0
    for t in range(types):
        p[0, t] = h.prior[t] * (1 - room.plain[t])
        o[0, t] = p[0, t]
        p[1, t], o[1, t] = p[0, t], o[0, t] * shares[0, 1, t]
        p[3, t], o[3, t] = p[0, t], o[0, t] * shares[0, 2, t]
        p[2, t], o[2, t] = p[1, t] * shares[1, 0, t], o[1, t]
    for node in range(2, FLORS):
        show_flor(solver, node, 0, falta, utilities, scores, weight, mean, luck)
        lost = RESTO_REFUSED if node == 2 else CONTRA_REFUSED
        refuse_flor(solver, node, 1, lost, utilities, scores, weight, mean, luck)
        learn_flor(solver, node, weight, mean)
    show_flor(solver, 1, 1, CONTRA_FLOR, utilities, scores, weight, mean, luck)
    refuse_flor(solver, 1, 2, CONTRA_REFUSED, utilities, scores, weight, mean, luck)
    for t in range(types):
        worth[1, 0, t] = room.value_p[2, t]
        room.value_o[1, t] += room.value_o[2, t]
    learn_flor(solver, 1, weight, mean)
    show_flor(solver, 0, 0, FLOR_POINTS, utilities, scores, weight, mean, luck)
    for t in range(types):
        worth[0, 1, t] = room.value_o[1, t]
        worth[0, 2, t] = room.value_o[3, t]
    learn_flor(solver, 0, weight, mean)


@rule
def flor_by_pe(node):
    """Return whether the pé acts at a node of bets on flor."""
    return node == 0 or node == 2


@rule
def choose_flor(solver, node, a):
    """Write the reach after a choice at a node of bets on flor into `opening.x` and `y`."""
    room, by_pe = solver.opening, flor_by_pe(node)
    for t in range(len(solver.hands.type_set)):
        share = room.shares[node, a, t]
        room.x[t] = room.p[node, t] * (np.float32(1) if by_pe else share)
        room.y[t] = room.o[node, t] * (share if by_pe else np.float32(1))


@rule
def take_flor(solver, node, a):
    """Store the values of a choice at a node of bets on flor."""
    room, by_pe = solver.opening, flor_by_pe(node)
    for t in range(len(solver.hands.type_set)):
        room.worth[node, a, t] = room.y_value[t] if by_pe else room.x_value[t]
        if by_pe:
            room.value_p[node, t] += room.x_value[t]
        else:
            room.value_o[node, t] += room.y_value[t]


@rule
def show_flor(solver, node, a, stake, utilities, scores, weight, mean, luck):
    """Compute the choice by which both flores are shown, for a stake."""
    choose_flor(solver, node, a)
    show(solver, True, AS_MAO, node, stake, utilities, scores, weight, mean, luck)
    take_flor(solver, node, a)


@rule
def refuse_flor(solver, node, a, lost, utilities, scores, weight, mean, luck):
    """Compute the choice by which the seat to act gives up `lost` points."""
    choose_flor(solver, node, a)
    mao = scores[0] + (lost if flor_by_pe(node) else 0)
    pe = scores[1] + (0 if flor_by_pe(node) else lost)
    refuse(solver, BOTH_FLOR, AS_MAO, node, utilities, mao, pe, weight, mean, luck)
    take_flor(solver, node, a)


@rule
def learn_flor(solver, node, weight, mean):
    """Update regrets at a node of bets on flor, once all its choices have values."""
    h, room = solver.hands, solver.opening
    by_pe = flor_by_pe(node)
    for t in range(len(h.type_set)):
        room.x_value[t] = 1 - room.plain[t]
    learn_types(
        solver.regret, solver.average, room.flor_at[node], FLOR_CHOICES[node], len(h.type_set),
        room.o[node] if by_pe else room.p[node], room.shares[node], room.worth[node],
        room.value_o[node] if by_pe else room.value_p[node], room.x_value, weight, mean, False,
    )  # fmt: skip


@njit
def iterate(solver, utilities, scores, seed, first, count):
    """Run `count` iterations, from number `first` on."""
    solver.counts[PREPARED] = -1
    for done in range(count):
        number = first + done + 1
        luck = stream(seed, number)
        solver.counts[DRAWN] = 0
        weight, mean = np.float32(number), np.float32(number) * np.float32(number)
        mao_opens(solver, utilities, scores, weight, mean, luck)
        flor_opens(solver, utilities, scores, weight, mean, luck)
