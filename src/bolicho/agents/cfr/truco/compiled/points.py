"""Bets on points in a hand of Truco, and the hand after they are settled; compiled.

While bets on points are open, a seat's holding is its type. The hand after points were shown, refused or announced is
traversed in some iterations only; in the others its stored values are used (as for second rounds, see `first`).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bolicho.agents.cfr.truco.compiled.bets import ANSWER, match
from bolicho.agents.cfr.truco.compiled.blocks import DRAWN, RESPONDER, TARGET, TOLDS
from bolicho.agents.cfr.truco.compiled.first import FOLLOWS, answer_first, lead_first, within
from bolicho.agents.cfr.truco.compiled.second import add_rows
from bolicho.agents.cfr.truco.hands import (
    BOTH_FLOR,
    MAO_FLOR,
    MAO_UNSEEN,
    PAIRS,
    PE_UNSEEN,
    SETS,
    SHOWN,
    SHOWN_STEPS,
    SILENT,
)
from bolicho.games.compiled.chance import uniform
from bolicho.games.jit import rule
from bolicho.games.truco.lexicon import envido_bets, levels
from bolicho.games.truco.rules import Rules

POINTS = 39  # values of envido or flor: 0 to 38
OTHER = 7  # bet other than envido
_LEVELS = levels(envido_bets(Rules()))
_BETS = [bet for level in _LEVELS for bet in level]
ENVIDOS = len(_BETS)  # pending calls of envido: E, R, F, ER, EF, RF, ERF
CALLS = [[_BETS.index(bet) for bet in called.raises] for called in _BETS]
"""Calls that may follow: real and falta, or falta."""

LEADS = np.array([(*calls, -1, -1)[:2] for calls in CALLS])  # the same, padded with -1
OPENER_ANSWERS = np.array([depth % 2 for depth, level in enumerate(_LEVELS) for _ in level])
STAKES = np.array([bet.accepted or 0 for bet in _BETS])  # points if accepted; 0: the points left to the target
REFUSALS = np.array([bet.refused for bet in _BETS])

TOLD_OFTEN, TOLD_FOR_ONE, TOLD_AT_LEAST = np.float32(8), np.float32(0.3), np.float32(0.002)
"""Probability of traversing the hand after settled points.

The sum of TOLD_AT_LEAST, TOLD_OFTEN times its reach, and TOLD_FOR_ONE times the larger reach of the two seats times the
error of the stored values.
"""

WITHIN = np.float32(0.25)  # reach of such a hand for the sampling of second rounds; 1 without revealed points

STEPS = len(SHOWN_STEPS)


class Opening(NamedTuple):
    """Offsets of learned shares, and work arrays; vectors are over types."""

    mao_at: NDArray[np.int64]  # (1)
    pe_at: NDArray[np.int64]  # (class)
    points_at: NDArray[np.int64]  # (opener: the mão, or the pé after a class; node)
    flor_at: NDArray[np.int64]  # (node)
    leads: NDArray[np.int64]  # (node, 2): `LEADS`
    by_opener: NDArray[np.int64]
    stake: NDArray[np.int64]
    refused: NDArray[np.int64]
    plain: NDArray[np.float32]  # (type): 1 without flor
    mao: NDArray[np.float32]
    pe: NDArray[np.float32]
    mao_shares: NDArray[np.float32]
    mao_worth: NDArray[np.float32]
    mao_value: NDArray[np.float32]
    pe_shares: NDArray[np.float32]
    pe_worth: NDArray[np.float32]
    pe_value: NDArray[np.float32]
    p: NDArray[np.float32]  # (node, type): the opener
    o: NDArray[np.float32]
    shares: NDArray[np.float32]
    worth: NDArray[np.float32]
    value_p: NDArray[np.float32]
    value_o: NDArray[np.float32]
    x: NDArray[np.float32]  # (type): reach of the mão after the bets
    y: NDArray[np.float32]  # of the pé
    x_value: NDArray[np.float32]
    y_value: NDArray[np.float32]
    x_sets: NDArray[np.float32]
    y_sets: NDArray[np.float32]
    x_found: NDArray[np.float32]  # (set)
    y_found: NDArray[np.float32]
    x_met: NDArray[np.float32]
    y_met: NDArray[np.float32]
    against_x: NDArray[np.float32]  # (points, set): reach of the pé's sets with at most these points
    against_y: NDArray[np.float32]
    by_points: NDArray[np.float64]  # (seat, points)
    usual: NDArray[np.float32]  # (told, way, bet, seat, set): stored values of sets, beyond the score
    unlike: NDArray[np.float32]  # (told, way, bet): squared error of these; below 0: unknown
    mao_after: NDArray[np.float32]  # (type): reach of the mão after it has played a card
    pairs: NDArray[np.float32]  # (2, pair): reach of the mão's pairs then, and their values
    sets: NDArray[np.float32]


@rule
def to_sets(h, source, target):
    for i in range(SETS):
        target[i] = 0
    for t in range(len(h.type_set)):
        target[h.type_set[t]] += source[t]


@rule
def set_pays(utilities, mao, pe, out):
    """Write the payoffs of the mão from scores, by winner of the hand and level; return the value of the scores."""
    for level in range(4):
        out[0, level] = utilities[mao + 1 + level, pe]
        out[1, level] = utilities[mao, pe + 1 + level]
    return np.float32(utilities[mao, pe])


# --- Hand after settled points -------------------------------------------------------------------

AS_MAO, AS_ANSWER, AS_PE = 0, 1, 2
"""Continuations (`way`): the mão's turn; the pé's answer to truco; the pé's turn.

From AS_PE on they are the pé's turns by the class of the mão's card.
"""


@rule
def let_sets_meet(solver):
    """Write the other seat's reach beside each set (of `opening.x_sets` and `y_sets`): `x_met` and `y_met`."""
    h, room = solver.hands, solver.opening
    for i in range(SETS):
        room.x_met[i] = 0
        room.y_met[i] = 0
    add_rows(h.core, room.y_sets, SETS, SETS, np.float32(1), room.x_met)
    add_rows(h.core, room.x_sets, SETS, SETS, np.float32(1), room.y_met)


@rule
def follow(solver, told, way, bet, u, pays, weight, mean, luck):
    """Write the values of `opening.x_sets` and `y_sets` after settled points: `x_found` and `y_found`.

    `u` is the value of the present scores for the mão.
    """
    first, room = solver.first, solver.opening
    x, y = room.x_sets, room.y_sets
    some_x, some_y = np.float32(0), np.float32(0)
    for i in range(SETS):
        some_x += x[i]
        some_y += y[i]
    let_sets_meet(solver)
    usual, unlike = room.usual[told, way, bet], room.unlike[told, way, bet]
    for i in range(SETS):
        room.x_found[i] = (u + usual[0, i]) * room.x_met[i]
        room.y_found[i] = (-u + usual[1, i]) * room.y_met[i]
    wrong = np.float32(1) if unlike < 0 else np.sqrt(unlike)
    chance = TOLD_AT_LEAST + TOLD_OFTEN * some_x * some_y + TOLD_FOR_ONE * wrong * max(some_x, some_y)
    chance = min(np.float32(1), chance)
    solver.counts[DRAWN] += 1
    if (some_x == 0 and some_y == 0) or solver.counts[RESPONDER] >= 0 or uniform(luck, solver.counts[DRAWN]) >= chance:
        return
    solver.counts[TOLDS] += 1
    go(solver, told, way, pays, weight / chance, mean / chance, luck)
    for i in range(SETS):
        room.x_found[i] += (first.mass[i] - room.x_found[i]) / chance
        room.y_found[i] += (room.sets[i] - room.y_found[i]) / chance
    remember(solver, told, way, bet, u, pays)


@rule
def remember(solver, told, way, bet, u, pays):
    """Move the stored values towards those just found (`first.mass`, `opening.sets`)."""
    room, first = solver.opening, solver.first
    usual, unlike = room.usual[told, way, bet], room.unlike[told, way, bet]
    pace = np.float32(1) if unlike < 0 else FOLLOWS
    squares = np.float32(0)
    for i in range(SETS):
        if room.x_met[i] > 0:
            off = within(first.mass[i] / room.x_met[i], pays[1, 3], pays[0, 3]) - u - usual[0, i]
            squares += off * off
            usual[0, i] += pace * off
        if room.y_met[i] > 0:
            off = within(room.sets[i] / room.y_met[i], -pays[0, 3], -pays[1, 3]) + u - usual[1, i]
            squares += off * off
            usual[1, i] += pace * off
    squares /= 2 * SETS
    room.unlike[told, way, bet] = np.float32(1) if unlike < 0 else unlike + FOLLOWS * (squares - unlike)


@rule
def go(solver, told, way, pays, weight, mean, luck):
    """Traverse the hand; write the values of the mão's sets into `first.mass`, of the pé's into `opening.sets`."""
    h, first, room = solver.hands, solver.first, solver.opening
    if told != SILENT:
        some_x, some_y = np.float32(0), np.float32(0)
        for i in range(SETS):
            some_x += room.x_sets[i]
            some_y += room.y_sets[i]
        first.scales[0] = WITHIN / some_x if some_x > 0 else np.float32(0)
        first.scales[1] = WITHIN / some_y if some_y > 0 else np.float32(0)
    if way < AS_PE:
        entry = 0 if way == AS_MAO else ANSWER
        extra = np.int64(way == AS_MAO and (told == MAO_FLOR or told == BOTH_FLOR))
        for i in range(SETS):
            first.p[entry, i] = room.x_sets[i]
            first.o[entry, i] = room.y_sets[i]
        lead_first(solver, told, entry, extra, pays[0], pays[1], weight, mean, luck)
        for i in range(SETS):
            first.mass[i] = first.value_p[entry, i]
            room.sets[i] = first.value_o[entry, i]
        first.scales[:] = 1
        return
    c = way - AS_PE
    for q in range(PAIRS):
        first.after_o[0, q] = room.x_sets[h.set_of[c, h.pairs[q, 0], h.pairs[q, 1]]]
    for i in range(SETS):
        first.after_p[0, i] = room.y_sets[i]
    answer_first(solver, told, c, 0, pays[0], pays[1], weight, mean, luck)
    for i in range(SETS):
        first.mass[i] = 0
        room.sets[i] = first.after_value_p[0, i]
    for q in range(PAIRS):
        first.mass[h.set_of[c, h.pairs[q, 0], h.pairs[q, 1]]] = first.after_value_o[0, q]
    first.scales[:] = 1


# --- Bets on points -----------------------------------------------------------------------------


@rule
def refuse(solver, told, way, bet, utilities, mao, pe, weight, mean, luck):
    """Compute the hand after a refusal or an announcement: `opening.x`, `y` into `x_value`, `y_value`."""
    h, room = solver.hands, solver.opening
    to_sets(h, room.x, room.x_sets)
    to_sets(h, room.y, room.y_sets)
    pays = solver.first.pays[1]
    u = set_pays(utilities, mao, pe, pays)
    if mao >= solver.counts[TARGET] or pe >= solver.counts[TARGET]:  # the match is over
        end_here(solver, u)
    else:
        follow(solver, told, way, bet, u, pays, weight, mean, luck)
    for t in range(len(h.type_set)):
        room.x_value[t] = room.x_found[h.type_set[t]]
        room.y_value[t] = room.y_found[h.type_set[t]]


@rule
def end_here(solver, u):
    h, room = solver.hands, solver.opening
    for i in range(SETS):
        room.x_found[i] = 0
        room.y_found[i] = 0
    add_rows(h.core, room.y_sets, SETS, SETS, u, room.x_found)
    add_rows(h.core, room.x_sets, SETS, SETS, -u, room.y_found)


@rule
def show(solver, flor, way, bet, stake, utilities, scores, weight, mean, luck):
    """Compare points for a stake: `opening.x`, `y` into `x_value`, `y_value`.

    The rest of the hand depends on the winner and the points shown; one outcome is sampled.
    """
    h, room = solver.hands, solver.opening
    over = scores[0] + stake >= solver.counts[TARGET], scores[1] + stake >= solver.counts[TARGET]
    u_mao = np.float32(utilities[scores[0] + stake, scores[1]])
    u_pe = np.float32(utilities[scores[0], scores[1] + stake])
    types = len(h.type_set)
    below_x, below_y = room.against_x, room.against_y
    for p in range(POINTS):
        room.by_points[0, p] = 0
        room.by_points[1, p] = 0
        for i in range(SETS):
            below_x[p, i] = 0
            below_y[p, i] = 0
    for t in range(types):
        p = h.type_points[t]
        if room.y[t] > 0:
            row, share = h.core[h.type_set[t]], room.y[t]
            room.by_points[1, p] += share
            for i in range(SETS):
                below_x[p, i] += share * row[i]
        if room.x[t] > 0:
            row, share = h.core[h.type_set[t]], room.x[t]
            room.by_points[0, p] += share
            for i in range(SETS):
                below_y[p, i] += share * row[i]
    for p in range(1, POINTS):
        for i in range(SETS):
            below_x[p, i] += below_x[p - 1, i]
            below_y[p, i] += below_y[p - 1, i]
    for t in range(types):
        i, p = h.type_set[t], np.int64(h.type_points[t])
        # the mão wins ties
        wins = below_x[p, i]
        value = (u_mao + (np.float32(0) if over[0] else room.usual[told_of(h, flor, 0, p), way, bet, 0, i])) * wins
        below = wins
        for k in range(STEPS):
            top = SHOWN_STEPS[k + 1] - 1 if k + 1 < STEPS else POINTS - 1
            if top > p:
                upto = below_x[top, i]
                shown = SHOWN + 2 * k + 1 if not flor else BOTH_FLOR
                beyond = np.float32(0) if over[1] else room.usual[shown, way, bet, 0, i]
                value += (u_pe + beyond) * (upto - below)
                below = upto
        room.x_value[t] = value
        wins = below_y[p - 1, i] if p > 0 else np.float32(0)
        value = (-u_pe + (np.float32(0) if over[1] else room.usual[told_of(h, flor, 1, p), way, bet, 1, i])) * wins
        below = wins
        for k in range(STEPS):
            top = SHOWN_STEPS[k + 1] - 1 if k + 1 < STEPS else POINTS - 1
            if top >= p:
                upto = below_y[top, i]
                shown = SHOWN + 2 * k if not flor else BOTH_FLOR
                beyond = np.float32(0) if over[0] else room.usual[shown, way, bet, 1, i]
                value += (-u_mao + beyond) * (upto - below)
                below = upto
        room.y_value[t] = value
    chance, winner, points = draw_outcome(solver, over, room.unlike[BOTH_FLOR if flor else SHOWN + 2, way, bet], luck)
    if chance <= 0:
        return
    settle(solver, flor, way, bet, winner, points, stake, utilities, scores, chance, weight, mean, luck)


@rule
def told_of(h, flor, winner, points):
    """Return the remembered information on points that were shown."""
    return BOTH_FLOR if flor else SHOWN + 2 * np.int64(h.step_of[points]) + winner


@rule
def draw_outcome(solver, over, unlike, luck):
    """Sample an outcome; return its probability (0: none), the winner and the points."""
    room = solver.opening
    x, y = room.by_points[0], room.by_points[1]
    total, some_x, some_y = 0.0, 0.0, 0.0
    for p in range(POINTS):
        if not over[1]:
            total += y[p] * some_x
        some_x += x[p]
        some_y += y[p]
        if not over[0]:
            total += x[p] * some_y
    wrong = np.float32(1) if unlike < 0 else np.sqrt(unlike)
    often = TOLD_AT_LEAST + TOLD_OFTEN * some_x * some_y + TOLD_FOR_ONE * wrong * max(some_x, some_y)
    often = min(1.0, often)
    solver.counts[DRAWN] += 2
    if total <= 0 or solver.counts[RESPONDER] >= 0 or uniform(luck, solver.counts[DRAWN] - 1) >= often:
        return 0.0, 0, 0
    left = uniform(luck, solver.counts[DRAWN]) * total
    some_x, some_y = 0.0, 0.0
    for p in range(POINTS):
        if not over[1]:
            mass = y[p] * some_x
            left -= mass
            if left < 0:
                return often * mass / total, 1, p
        some_x += x[p]
        some_y += y[p]
        if not over[0]:
            mass = x[p] * some_y
            left -= mass
            if left < 0:
                return often * mass / total, 0, p
    return 0.0, 0, 0


@rule
def settle(solver, flor, way, bet, winner, points, stake, utilities, scores, chance, weight, mean, luck):
    """Traverse the hand after one outcome, and correct the values that used stored ones."""
    h, room = solver.hands, solver.opening
    types = len(h.type_set)
    for i in range(SETS):
        room.x_sets[i] = 0
        room.y_sets[i] = 0
    for t in range(types):
        p = np.int64(h.type_points[t])
        if room.x[t] > 0 and (p == points if winner == 0 else p < points):
            room.x_sets[h.type_set[t]] += room.x[t]
        if room.y[t] > 0 and (p == points if winner == 1 else p <= points):
            room.y_sets[h.type_set[t]] += room.y[t]
    mao, pe = scores[0] + (stake if winner == 0 else 0), scores[1] + (stake if winner == 1 else 0)
    pays = solver.first.pays[1]
    u = set_pays(utilities, mao, pe, pays)
    told = told_of(h, flor, winner, points)
    let_sets_meet(solver)
    scale = np.float32(1 / chance)
    solver.counts[TOLDS] += 1
    go(solver, told, way, pays, weight * scale, mean * scale, luck)
    usual = room.usual[told, way, bet]
    for i in range(SETS):
        room.x_found[i] = (solver.first.mass[i] - (u + usual[0, i]) * room.x_met[i]) * scale
        room.y_found[i] = (room.sets[i] - (-u + usual[1, i]) * room.y_met[i]) * scale
    remember(solver, told, way, bet, u, pays)
    for t in range(types):
        p = np.int64(h.type_points[t])
        if p == points if winner == 0 else p < points:
            room.x_value[t] += room.x_found[h.type_set[t]]
        if p == points if winner == 1 else p <= points:
            room.y_value[t] += room.y_found[h.type_set[t]]


@rule
def learn_types(regret, average, first, n, types, reach, shares, worth, value, counted, weight, mean, best):
    """Update as `bets.learn` does, for the types that count."""
    if best:
        for t in range(types):
            value[t] = worth[0, t]
        for a in range(1, n):
            for t in range(types):
                value[t] = max(value[t], worth[a, t])
        return
    for t in range(types):
        value[t] = 0
    for a in range(n):
        for t in range(types):
            value[t] += shares[a, t] * worth[a, t]
    for a in range(n):
        at = first + a * types
        for t in range(types):
            regret[at + t] += counted[t] * weight * (worth[a, t] - value[t])
            average[at + t] += mean * reach[t] * shares[a, t]


@rule
def bet_points(solver, who, way, utilities, scores, weight, mean, luck):
    """Compute envido opened by a seat: `opening.p[:3]`, `o[:3]` (E, R, F) into `value_p[:3]`, `value_o[:3]`.

    `who` is 0 for the mão, and otherwise one more than the class of its card.
    """
    h, room = solver.hands, solver.opening
    types = len(h.type_set)
    p, o, shares, worth = room.p, room.o, room.shares, room.worth
    for node in range(ENVIDOS):
        n = 2 + (room.leads[node, 0] >= 0) + (room.leads[node, 1] >= 0)
        match(solver.regret, room.points_at[who, node], n, types, shares[node])
        own = room.by_opener[node] == 1
        for a in range(n - 2):
            to = room.leads[node, a]
            for t in range(types):
                p[to, t] = p[node, t] * (shares[node, a, t] if own else np.float32(1))
                o[to, t] = o[node, t] * (np.float32(1) if own else shares[node, a, t])
    for back in range(ENVIDOS):
        node = ENVIDOS - 1 - back
        n = 2 + (room.leads[node, 0] >= 0) + (room.leads[node, 1] >= 0)
        own = room.by_opener[node] == 1
        opener = 0 if who == 0 else 1
        for t in range(types):
            room.value_p[node, t] = 0
            room.value_o[node, t] = 0
        for a in range(n):
            if a < n - 2:
                to = room.leads[node, a]
                for t in range(types):
                    worth[node, a, t] = room.value_p[to, t] if own else room.value_o[to, t]
                    if own:
                        room.value_o[node, t] += room.value_o[to, t]
                    else:
                        room.value_p[node, t] += room.value_p[to, t]
                continue
            for t in range(types):
                of_p = p[node, t] * (shares[node, a, t] if own else np.float32(1))
                of_o = o[node, t] * (np.float32(1) if own else shares[node, a, t])
                room.x[t] = of_p if opener == 0 else of_o
                room.y[t] = of_o if opener == 0 else of_p
            if a == n - 2:
                stake = room.stake[node]
                if stake == 0:
                    stake = solver.counts[TARGET] - max(scores[0], scores[1])
                show(solver, False, way, node, stake, utilities, scores, weight, mean, luck)
            else:
                caller = 1 - opener if own else opener
                mao = scores[0] + (room.refused[node] if caller == 0 else 0)
                pe = scores[1] + (room.refused[node] if caller == 1 else 0)
                told = MAO_UNSEEN if caller == 0 else PE_UNSEEN
                refuse(solver, told, way, node, utilities, mao, pe, weight, mean, luck)
            of_p = room.x_value if opener == 0 else room.y_value
            of_o = room.y_value if opener == 0 else room.x_value
            for t in range(types):
                worth[node, a, t] = of_p[t] if own else of_o[t]
                if own:
                    room.value_o[node, t] += of_o[t]
                else:
                    room.value_p[node, t] += of_p[t]
        own_value = room.value_p[node] if own else room.value_o[node]
        own_reach = p[node] if own else o[node]
        learn_types(
            solver.regret, solver.average, room.points_at[who, node], n, types, own_reach, shares[node], worth[node],
            own_value, room.plain, weight, mean, False,
        )  # fmt: skip
