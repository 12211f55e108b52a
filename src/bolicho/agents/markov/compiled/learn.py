"""Learning from a hand: updates of the matrix cells."""

import numpy as np

from bolicho.agents.markov import layout
from bolicho.agents.markov.compiled import opponent_states
from bolicho.agents.markov.compiled.hand import was_raised
from bolicho.agents.markov.compiled.minima import enter
from bolicho.agents.markov.states import ENVIDO_TABLE, FLOR_TABLE, NUM_ORDERS, TRUCO_TABLE
from bolicho.games.jit import rule
from bolicho.games.truco import kernel as k
from bolicho.games.truco.compiled.lexicon import OTHER, class_of, count_shown
from bolicho.games.truco.compiled.reading import calls_made, was_envido_called
from bolicho.games.truco.lexicon import CLASSES

LARGEST_MEAN = 4.0  # in initial maxima: limit of an adaptive increment

# --- Cells --------------------------------------------------------------------------------------


@rule
def reward(block, mode, winner, loser, amount):
    """Add `amount` thousandths for winner against loser: a victory in one cell, a defeat in the mirrored one."""
    size = layout.SIZE[mode]
    there, back = winner * size + loser, loser * size + winner
    if np.int64(block[layout.WON[mode] + there]) + amount > layout.CAP:
        halve(block, layout.WON[mode], 2 * size * size)
    block[layout.WON[mode] + there] = np.int64(block[layout.WON[mode] + there]) + amount
    block[layout.LOST[mode] + back] = np.int64(block[layout.LOST[mode] + back]) + amount


@rule
def halve(block, start, size):
    """Halve all counts of a mode before they overflow; every chance stays the same."""
    for cell in range(start, start + size):
        block[cell] = np.int64(block[cell]) // 2


@rule
def increment(m, mode, row, marks, count):
    """Return the thousandths for each of `count` cells: 10% of the initial maximum, shared and rounded.

    An adaptive increment is not rounded, and uses 10% of these cells' average total where that is larger, so that
    recent hands keep their influence as the matrix grows.
    """
    whole = layout.INCREMENT * layout.MAXIMUM[mode]
    if not m.options[layout.INCREMENTS]:
        return np.int64(np.rint(whole / count)) * layout.UNIT
    size, seen, marked = layout.SIZE[mode], 0.0, 0
    for j in range(size):
        if marks[j]:
            marked += 1
            seen += m.block[layout.WON[mode] + row * size + j]
            seen += m.block[layout.LOST[mode] + row * size + j]
    mean = min(seen / marked / layout.UNIT / 2, LARGEST_MEAN * layout.MAXIMUM[mode])
    return np.int64(max(whole, layout.INCREMENT * mean) * layout.UNIT / count)


@rule
def learn_unknown_state(m, mode, row, marks, count, won):
    """Learn that `row` won (or lost) against one of the marked states, whose identity is unknown."""
    if count == 0:
        return
    amount = increment(m, mode, row, marks, count)
    if amount == 0:
        return
    size, area = layout.SIZE[mode], m.options[layout.AREA]
    rows, columns = m.rows, m.columns
    for j in range(size):
        rows[j], columns[j] = 0.0, 0.0
    spread(m, mode, row, area, rows)
    for j in range(size):
        if marks[j]:
            spread(m, mode, j, area, columns)
    for i in range(size):
        if rows[i] > 0:
            for j in range(size):
                if columns[j] > 0:
                    share = np.int64(amount * rows[i] * columns[j])
                    if share > 0:
                        if won:
                            reward(m.block, mode, i, j, share)
                        else:
                            reward(m.block, mode, j, i, share)


@rule
def spread(m, mode, state, area, out):
    """Add 1 at a state and, with an area, `area` to the power of the distance around it.

    Pairs and flors have distance one from those of the same points, two from those with a difference of one point.
    """
    if area == 0 or mode == layout.CARDS:
        out[state] += 1.0
    elif mode == layout.TRUCO:
        for i in range(opponent_states.near_hands(state, m.near, m.steps)):
            out[m.near[i]] += area ** m.steps[i]
    else:
        out[state] += 1.0
        for near in range(layout.SIZE[mode]):
            away = abs(points_of(mode, near) - points_of(mode, state))
            if near != state and away <= 1:
                out[near] += area ** (1 + away)


@rule
def points_of(mode, state):
    """Return the sum of the values of a pair or a flor."""
    if mode == layout.ENVIDO:
        return ENVIDO_TABLE[state, 0] + ENVIDO_TABLE[state, 1]
    return FLOR_TABLE[state, 0] + FLOR_TABLE[state, 1] + FLOR_TABLE[state, 2]


# --- A hand -------------------------------------------------------------------------------------


@rule
def learn_hand(h, seat, m):
    """Learn from a finished hand as one seat."""
    if was_raised(h):
        learn_truco(h, seat, m)
    if was_envido_called(h) and h.envido_won != 0:
        learn_envido(h, seat, m)
    if (h.flor_by[0] or h.flor_by[1]) and h.flor_won != 0:
        learn_flor(h, seat, m)
    if h.why == k.BY_CARDS or (m.options[layout.TEXT] and h.hand_won != 0):
        learn_cards(h, seat, m)
    if h.played[0, 0] != k.NONE and h.played[1, 0] != k.NONE:
        count_levels(h, seat, m)
    enter(h, m)


@rule
def learn_truco(h, seat, m):
    """Learn one's hand against the possible hands of the opponent."""
    n = opponent_states.truco_columns(h.mine, h.played[1 - seat], m.marks)
    learn_unknown_state(m, layout.TRUCO, opponent_states.truco_row(h.mine), m.marks, n, h.hand_won > 0)


@rule
def strength_sum(state):
    """Return three times the mean strength of a Truco state."""
    return TRUCO_TABLE[state, 0] + TRUCO_TABLE[state, 1] + TRUCO_TABLE[state, 2]


@rule
def note_bluff(h, seat):
    """Record a bluff: the opponent called, and all its cards are shown and weaker than one's own."""
    other = 1 - seat
    if h.truco_by[calls_made(h) - 1] != OTHER or count_shown(h.played[other]) < 3:
        return
    theirs = opponent_states.truco_row(h.played[other])
    if strength_sum(theirs) < strength_sum(opponent_states.truco_row(h.mine)):
        h.bluffs[theirs] += 1
        h.bluffed += 1


@rule
def known_points(h, seat, won, shown, mine):
    """Return (points, bound) known of the opponent's envido or flor points."""
    if h.told != k.NONE:
        return h.told, opponent_states.NO_BOUND
    if shown == k.NONE:
        return opponent_states.NOBODY, opponent_states.NO_BOUND
    if not won:
        return shown, opponent_states.NO_BOUND
    return opponent_states.NOBODY, mine if h.mao == seat else mine - 1


@rule
def learn_envido(h, seat, m):
    """Learn one's pair against the possible pairs of the opponent; nothing without a pair."""
    points = k.envido_value(h.mine[0], h.mine[1], h.mine[2])
    row = opponent_states.envido_row(h.mine)
    theirs, bound = known_points(h, seat, h.envido_won > 0, h.envido_shown, points)
    if (
        points < layout.ENVIDO_FLOOR
        or row == opponent_states.NOBODY
        or opponent_states.NOBODY < theirs < layout.ENVIDO_FLOOR
    ):
        return
    n = opponent_states.envido_columns(h.played[1 - seat], theirs, bound, m.marks)
    learn_unknown_state(m, layout.ENVIDO, row, m.marks, n, h.envido_won > 0)


@rule
def learn_flor(h, seat, m):
    """Learn one's flor against the possible flors of the opponent."""
    points = k.flor_value(h.mine[0], h.mine[1], h.mine[2])
    theirs, bound = known_points(h, seat, h.flor_won > 0, h.flor_shown, points)
    n = opponent_states.flor_columns(h.played[1 - seat], theirs, bound, m.marks)
    learn_unknown_state(m, layout.FLOR, opponent_states.flor_row(h.mine), m.marks, n, h.flor_won > 0)


@rule
def learn_cards(h, seat, m):
    """Learn one's order of play against the opponent's; unknown parts are shared among all orders."""
    other = 1 - seat
    levels, mine, theirs = m.levels, m.mine, m.theirs
    opponent_states.by_level(h.mine, levels)
    rows = opponent_states.shown_order(levels, h.played[seat], mine)
    if count_shown(h.played[other]) == 3:
        opponent_states.by_level(h.played[other], levels)
        columns = opponent_states.shown_order(levels, h.played[other], theirs)
    else:
        columns = opponent_states.opponent_orders(m.block, h.played[other], theirs)
    for o in range(NUM_ORDERS):
        if mine[o]:
            learn_unknown_state(m, layout.CARDS, o, theirs, columns * rows, h.hand_won > 0)


@rule
def count_levels(h, seat, m):
    """Count the classes of known hands as low, middle and high."""
    levels = m.levels
    opponent_states.by_level(h.mine, levels)
    count_three(levels, m.block)
    if count_shown(h.played[1 - seat]) == 3:
        opponent_states.by_level(h.played[1 - seat], levels)
        count_three(levels, m.block)


@rule
def count_three(levels, block):
    """Count three cards, each at its level."""
    for level in range(3):
        cell = layout.LEVEL_COUNTS + level * CLASSES + class_of(levels[level])
        if np.int64(block[cell]) + layout.UNIT > layout.CAP:
            halve(block, layout.LEVEL_COUNTS, 3 * CLASSES)
        block[cell] = np.int64(block[cell]) + layout.UNIT
