"""What a hand teaches: the cells of what happened, and what each answer was worth."""

import numba
import numpy as np

from bolicho.agents.markov.compiled.possible import (
    NOBODY,
    by_level,
    class_of,
    envido_columns,
    envido_row,
    flor_columns,
    flor_row,
    opponent_orders,
    shown_order,
    truco_columns,
    truco_row,
)
from bolicho.agents.markov.layout import (
    AREA,
    ASK_ENVIDO,
    BINS,
    CAP,
    CARDS,
    ENVIDO,
    ENVIDO_FLOOR,
    FLOR,
    INCREMENT,
    INCREMENTS,
    LEVEL_COUNTS,
    LOST,
    MAXIMUM,
    MINIMUM,
    MINIMUMS,
    SIZE,
    TRUCO,
    UNIT,
    WON,
)
from bolicho.agents.markov.states import (
    CLASSES,
    ENVIDO_TABLE,
    FLOR_TABLE,
    NUM_ENVIDO,
    NUM_FLOR,
    NUM_ORDERS,
    TRUCO_INDEX,
    TRUCO_TABLE,
)
from bolicho.games.jit import rule
from bolicho.games.kernel import CHOSE
from bolicho.games.truco import kernel as k

NO_BOUND = 99
LARGEST_MEAN = 4.0  # initial maxima: an adaptive increment grows no further

HAND = np.dtype(
    [
        ("mao", "i1"),
        ("mine", "i1", (3,)),  # one's own cards; NONE first when they were never seen
        ("played", "i1", (2, 3)),  # by seat and round, as everybody saw them
        ("rounds", "i1"),  # how many were finished
        ("called", "i1"),  # how far the truco was raised
        ("caller", "i1"),  # who called last
        ("winner", "i1"),  # of the hand, and why
        ("why", "i1"),
        ("envido_called", "i1"),
        ("envido_winner", "i1"),
        ("envido_shown", "i1"),  # the winner's points, when accepted
        ("flor_raised", "i1"),
        ("flor_winner", "i1"),
        ("flor_shown", "i1"),
        ("told", "i1"),  # the opponent's points of envido or flor, where a trainer says them
        ("hand_points", "i2"),  # won minus lost, by the hand and by envido and flor
        ("bet_points", "i2"),
    ],
    align=True,
)
"""A hand as one seat saw it, told by the events everybody saw."""
HAND_RECORD = numba.from_dtype(HAND)


@rule
def open_hand(h, mao):
    """A new hand, nothing known."""
    h.mao = mao
    for i in range(3):
        h.mine[i] = k.NONE
        h.played[0, i] = k.NONE
        h.played[1, i] = k.NONE
    h.rounds = 0
    h.called = 0
    h.caller = k.NONE
    h.winner = k.NONE
    h.why = k.NONE
    h.envido_called = 0
    h.envido_winner = k.NONE
    h.envido_shown = k.NONE
    h.flor_raised = 0
    h.flor_winner = k.NONE
    h.flor_shown = k.NONE
    h.told = k.NONE
    h.hand_points = 0
    h.bet_points = 0


@rule
def note(h, seat, row):
    """Read one event into the hand as `seat` sees it."""
    kind, who, value, extra = row[0], row[1], row[2], row[3]
    if kind == CHOSE:
        if value < k.TRUCO:
            h.played[who, extra] = value
        elif value <= k.VALE4:
            h.called = value - k.TRUCO + 1
            h.caller = who
        elif value <= k.FALTA:
            h.envido_called = 1
        elif value == k.CONTRAFLOR or value == k.RESTO:
            h.flor_raised = 1
    elif kind == k.ROUND:
        h.rounds = value + 1
    elif kind == k.ENVIDO_SHOWN:
        h.envido_shown = value
    elif kind == k.FLOR_SHOWN:
        h.flor_shown = value
    elif kind == k.POINTS:
        gain = value if who == seat else -value
        if extra == k.BY_ENVIDO:
            h.envido_winner = who
            h.bet_points += gain
        elif extra == k.BY_FLOR:
            h.flor_winner = who
            h.bet_points += gain
        else:
            h.winner = who
            h.why = extra
            h.hand_points += gain


# --- Cells --------------------------------------------------------------------------------------


@rule
def reward(block, mode, winner, loser, amount):
    """Count `amount` thousandths for winner against loser: a victory here, a defeat there."""
    size = SIZE[mode]
    there, back = winner * size + loser, loser * size + winner
    if np.int64(block[WON[mode] + there]) + amount > CAP:
        halve(block, WON[mode], 2 * size * size)
    value = np.int64(block[WON[mode] + there]) + amount
    block[WON[mode] + there] = value
    block[LOST[mode] + back] = value


@rule
def halve(block, start, size):
    """Halve all counts of a mode: every chance stays what it was, and there is room again."""
    for cell in range(start, start + size):
        block[cell] = np.int64(block[cell]) // 2


@rule
def increment(m, mode, row, marks, count):
    """Thousandths for each of `count` cells: 10% of the initial maximum, shared and rounded.

    Adapting, it is not rounded, and 10% of what these cells have won and lost on average where
    that is more: what happened lately goes on to count when the matrix has grown.
    """
    whole = INCREMENT * MAXIMUM[mode]
    if not m.options[INCREMENTS]:
        return np.int64(np.rint(whole / count)) * UNIT
    size, seen, marked = SIZE[mode], 0.0, 0
    for j in range(size):
        if marks[j]:
            marked += 1
            seen += m.block[WON[mode] + row * size + j]
            seen += m.block[LOST[mode] + row * size + j]
    mean = min(seen / marked / UNIT / 2, LARGEST_MEAN * MAXIMUM[mode])
    return np.int64(max(whole, INCREMENT * mean) * UNIT / count)


@rule
def settle(m, mode, row, marks, count, won):
    """Learn that `row` won (or lost) against one of the marked states, nobody knows which."""
    if count == 0:
        return
    amount = increment(m, mode, row, marks, count)
    if amount == 0:
        return
    size, area = SIZE[mode], m.options[AREA]
    rows, columns = m.rows, m.columns
    for j in range(size):
        rows[j], columns[j] = 0.0, 0.0
    spread(mode, row, area, rows)
    for j in range(size):
        if marks[j]:
            spread(mode, j, area, columns)
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
def spread(mode, state, area, out):
    """Add 1 at a state and, with an area, `area` to the power of the distance around it."""
    out[state] += 1.0
    if area == 0 or mode == CARDS:
        return
    if mode == TRUCO:
        a, b, c = TRUCO_TABLE[state, 0], TRUCO_TABLE[state, 1], TRUCO_TABLE[state, 2]
        for x in range(max(0, a - 1), min(CLASSES, a + 2)):
            for y in range(max(x, b - 1), min(CLASSES, b + 2)):
                for z in range(max(y, c - 1), min(CLASSES, c + 2)):
                    near = TRUCO_INDEX[x, y, z]
                    if near >= 0 and near != state:
                        out[near] += area ** (abs(x - a) + abs(y - b) + abs(z - c))
    elif mode == ENVIDO:
        total = ENVIDO_TABLE[state, 0] + ENVIDO_TABLE[state, 1]
        for near in range(NUM_ENVIDO):
            steps = abs(ENVIDO_TABLE[near, 0] + ENVIDO_TABLE[near, 1] - total)
            if near != state and steps <= 1:
                out[near] += area ** (1 + steps)
    else:
        total = FLOR_TABLE[state, 0] + FLOR_TABLE[state, 1] + FLOR_TABLE[state, 2]
        for near in range(NUM_FLOR):
            steps = abs(FLOR_TABLE[near, 0] + FLOR_TABLE[near, 1] + FLOR_TABLE[near, 2] - total)
            if near != state and steps <= 1:
                out[near] += area ** (1 + steps)


# --- A hand -------------------------------------------------------------------------------------


@rule
def learn_hand(h, seat, m):
    """Everything one seat learns from a finished hand."""
    if h.mine[0] == k.NONE:  # it never had a turn: its cards are unknown even to this player
        m.memory[seat, -1, 0] = 0
        return
    if h.called > 0 and h.winner != k.NONE:
        learn_truco(h, seat, m)
        note_bluff(h, seat, m.bluffs[seat])
    if h.envido_called and h.envido_winner != k.NONE:
        learn_envido(h, seat, m)
    if h.flor_raised and h.flor_winner != k.NONE:
        learn_flor(h, seat, m)
    if h.played[0, 0] != k.NONE and h.played[1, 0] != k.NONE:
        if h.why == k.BY_CARDS:
            learn_cards(h, seat, m)
        count_levels(h, seat, m)
    enter(h, seat, m)


@rule
def shown_cards(h, other):
    """How many of the opponent's cards were shown."""
    shown = 0
    for r in range(3):
        shown += 0 <= h.played[other, r] < k.FACE_DOWN
    return shown


@rule
def learn_truco(h, seat, m):
    """One's hand won or lost against those the opponent may have held."""
    n = truco_columns(h.mine, h.played[1 - seat], m.marks)
    settle(m, TRUCO, truco_row(h.mine), m.marks, n, h.winner == seat)


@rule
def strength_sum(state):
    """Three times the mean strength of a Truco state."""
    return TRUCO_TABLE[state, 0] + TRUCO_TABLE[state, 1] + TRUCO_TABLE[state, 2]


@rule
def note_bluff(h, seat, bluffs):
    """The opponent called, and all its cards turned out weaker than one's own."""
    other = 1 - seat
    if h.caller != other or shown_cards(h, other) < 3:
        return
    theirs = truco_row(h.played[other])
    if strength_sum(theirs) < strength_sum(truco_row(h.mine)):
        bluffs[theirs] += 1


@rule
def known_points(h, seat, winner, shown, mine):
    """(points, bound): what is known of the opponent's envido or flor points."""
    if h.told != k.NONE:
        return h.told, NO_BOUND
    if shown == k.NONE:
        return NOBODY, NO_BOUND
    if winner != seat:
        return shown, NO_BOUND
    return NOBODY, mine if h.mao == seat else mine - 1


@rule
def learn_envido(h, seat, m):
    """One's pair won or lost against those the opponent may have held; without a pair nothing."""
    points = k.envido_value(h.mine[0], h.mine[1], h.mine[2])
    row = envido_row(h.mine)
    theirs, bound = known_points(h, seat, h.envido_winner, h.envido_shown, points)
    if points < ENVIDO_FLOOR or row == NOBODY or NOBODY < theirs < ENVIDO_FLOOR:
        return
    n = envido_columns(h.played[1 - seat], theirs, bound, m.marks)
    settle(m, ENVIDO, row, m.marks, n, h.envido_winner == seat)


@rule
def learn_flor(h, seat, m):
    """One's flor won or lost against those the opponent may have held."""
    points = k.flor_value(h.mine[0], h.mine[1], h.mine[2])
    theirs, bound = known_points(h, seat, h.flor_winner, h.flor_shown, points)
    n = flor_columns(h.played[1 - seat], theirs, bound, m.marks)
    settle(m, FLOR, flor_row(h.mine), m.marks, n, h.flor_winner == seat)


@rule
def learn_cards(h, seat, m):
    """One's order of play won or lost against the opponent's, where the cards decided."""
    other = 1 - seat
    levels, mine, theirs = m.levels, m.mine, m.theirs
    by_level(h.mine, levels)
    rows = shown_order(levels, h.played[seat], mine)
    if shown_cards(h, other) == 3:
        by_level(h.played[other], levels)
        columns = shown_order(levels, h.played[other], theirs)
    else:
        columns = opponent_orders(m.block, h.played[other], theirs)
    for o in range(NUM_ORDERS):
        if mine[o]:
            settle(m, CARDS, o, theirs, columns * rows, h.winner == seat)


@rule
def count_levels(h, seat, m):
    """One more time that these classes were low, middle and high."""
    levels = m.levels
    by_level(h.mine, levels)
    count_three(levels, m.block)
    if shown_cards(h, 1 - seat) == 3:
        by_level(h.played[1 - seat], levels)
        count_three(levels, m.block)


@rule
def count_three(levels, block):
    """Count three cards, each at its level."""
    for level in range(3):
        cell = LEVEL_COUNTS + level * CLASSES + class_of(levels[level])
        if np.int64(block[cell]) + UNIT > CAP:
            halve(block, LEVEL_COUNTS, 3 * CLASSES)
        block[cell] = np.int64(block[cell]) + UNIT


# --- What answers are worth ---------------------------------------------------------------------

LEDGER_CAP = 3000.0  # times of one answer, after which the past fades


@rule
def enter(h, seat, m):
    """Enter what each question of this hand led to, in points."""
    for n in range(m.memory[seat, -1, 0]):
        asked = m.memory[seat, n]
        request = asked[0]
        cell = m.ledger[request, asked[1], asked[2], asked[3], asked[4]]
        if cell[1] >= LEDGER_CAP:
            cell[0] *= 0.5
            cell[1] *= 0.5
        cell[0] += h.hand_points if request < ASK_ENVIDO else h.bet_points
        cell[1] += 1
    m.memory[seat, -1, 0] = 0


@rule
def adapt_minima(m):
    """Set each minimum where the log says that a yes begins to pay."""
    if not m.options[MINIMUMS]:
        return
    for request in range(m.ledger.shape[0]):
        for role in range(2):
            for r in range(3):
                m.minima[request, role, r] = best_minimum(m.ledger[request, role, r], MINIMUM[request])


VARIANCE = 4.0  # of the points of a hand, roughly: most bring one or two, either way
DOUBT = 1.0  # standard errors by which a change must pay


@rule
def best_minimum(log, published):
    """The minimum that would have paid better than the published one, doubt taken off; or that one.

    Moving it down turns the answers in between from no to yes, moving it up from yes to no.
    """
    start = int(published * BINS + 0.5)
    best, most = published, 0.0
    gain, variance = 0.0, 0.0
    for b in range(start - 1, -1, -1):
        gain += worth(log[b])
        variance += uncertainty(log[b])
        if gain - DOUBT * np.sqrt(variance) > most:
            best, most = b / BINS - JUST_BELOW, gain - DOUBT * np.sqrt(variance)
    gain, variance = 0.0, 0.0
    for b in range(start, BINS):
        gain -= worth(log[b])
        variance += uncertainty(log[b])
        if gain - DOUBT * np.sqrt(variance) > most:
            best, most = (b + 1) / BINS - JUST_BELOW, gain - DOUBT * np.sqrt(variance)
    return best


JUST_BELOW = 0.001  # so that the first chance of a step is above it


@rule
def worth(step):
    """What a yes would have brought more than a no, over all answers of this step."""
    if step[0, 1] == 0 or step[1, 1] == 0:
        return 0.0
    return (step[0, 1] + step[1, 1]) * (step[1, 0] / step[1, 1] - step[0, 0] / step[0, 1])


@rule
def uncertainty(step):
    """The variance of `worth`."""
    if step[0, 1] == 0 or step[1, 1] == 0:
        return 0.0
    return (step[0, 1] + step[1, 1]) ** 2 * VARIANCE * (1 / step[0, 1] + 1 / step[1, 1])
