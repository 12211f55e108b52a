"""Draw dominoes and all fives: the state record and the compiled rules.

Tiles are numbers (see `rules.TILES`), and sets of tiles are bits, 64 to a word.  Action `4 * tile + side`
plays a tile at the side l, r, u or d; the first tile is played at "side" l.

Two record types have the same fields: `SIX` for sets up to double-six, one word a hand, and `LARGE`
for sets up to double-twelve.  Every function is compiled separately for each type in use.
"""

import numba
import numpy as np

from bolicho.games import kernel
from bolicho.games.compiled.bits import count, lowest
from bolicho.games.compiled.chance import below, stream
from bolicho.games.compiled.events import log, wipe_events
from bolicho.games.dominoes.rules import (
    HALVES,
    MAX_HIGHEST,
    OPENS,
    ROUNDINGS,
    SPINNER_COUNTS,
    DrawRules,
    FivesRules,
    set_size,
)
from bolicho.games.jit import rule
from bolicho.games.kernel import CHOSE

NONE = -1
LEFT, RIGHT, UP, DOWN = range(4)
NUM_SIDES = 4

# Kinds of event, as rows of (kind, seat, value, extra); kind 0 is CHOSE, its extra is 1 if there was a choice of side.
OPENED, DREW, PASSED, SCORED, WON = range(1, 6)
"""OPENED: (seat, the tile it must lead, 0).  DREW: (seat, tile, 0); the tile is hidden from the other seat.
PASSED: (seat, 0, 0).  SCORED: (seat, points of the ends, 0).  WON: (winner, bonus, 1 if blocked)."""

# Numbers of the rules whose values are words.
BY_FIRST, BY_LOT, BY_DOUBLE, BY_HEAVIEST = range(len(OPENS))
AS_DOUBLE, AS_SIDES = range(len(SPINNER_COUNTS))
ROUND_UP, ROUND_NEAREST, ROUND_DOWN, ROUND_NONE = range(len(ROUNDINGS))

OTHER_EVENTS = 6  # maximum in one action, besides draws: chosen, scored, two passes, won; opened
STREAM_LOT = 1  # the stream of the seed for the opening seat


def _layout(highest: int, action: str) -> np.dtype:
    """Return the record type for sets up to a highest double."""
    tiles = set_size(highest)
    words = (tiles + 63) // 64
    fields = [
        # Rules, set before the deal.
        ("fives", "i1"),
        ("highest", "i1"),
        ("hand", "i1"),
        ("reserve", "i1"),
        ("opens", "i1"),
        ("arms_after", "i1"),
        ("spinner_counts", "i1"),
        ("rounding", "i1"),
        ("multiple", "i1"),
        # The deal.
        ("seed", "u8"),
        ("first", "i1"),  # seat that opens
        ("lead", "i1"),  # the tile that must be led, if announced
        ("tiles", "i8", (words,)),  # the tiles of this game; some setups use fewer than the set
        ("hands", "i8", (2, words)),
        ("counts", "i1", (2,)),  # tiles in hand
        ("boneyard", "i1", (tiles - 2,)),  # in the order of drawing, drawn tiles included
        ("num_boneyard", "i1"),  # at the deal
        ("drawn", "i1"),  # number of drawn tiles
        # The table.
        ("turn", "i1"),
        ("scores", "i2", (2,)),
        ("ends", "i1", (4,)),  # the value that fits each side, NONE if the side is closed
        ("worth", "i1", (4,)),  # fives: what each end counts; the spinner is counted separately
        ("spinner", "i1"),  # fives: the value of the first double played
        ("covered", "i1"),  # fives: its covered sides, as bits
        # The history: the plays, and before each the draws and the open ends.
        ("played", "i8", (words,)),
        ("num_plays", "i1"),
        ("line", action, (tiles,)),  # the actions
        ("by", "i1", (tiles,)),  # the seat of each
        ("stuck", "i2", (tiles + 1,)),  # before it, the open values (as bits) if the seat to act could not play
        ("drew", "i1", (tiles + 1,)),  # number of tiles drawn by that seat then
        # Events of the last action.
        ("num_events", "i1"),
        ("events", "i2", (tiles - 2 + OTHER_EVENTS, 4)),
    ]
    # The widest first and the rest filled up: no byte of a record is padding.
    fields.sort(key=lambda field: field[1][1], reverse=True)
    fields.append(("filler", "i1", (-np.dtype(fields).itemsize % 8,)))
    return np.dtype(fields, align=True)


SIX = _layout(6, "u1")
LARGE = _layout(MAX_HIGHEST, "i2")
RECORDS = (numba.from_dtype(SIX), numba.from_dtype(LARGE))

HIGH = np.array([high for high, _ in HALVES], np.int8)
LOW = np.array([low for _, low in HALVES], np.int8)
PIPS = HIGH + LOW
ORDER = np.array([(high + low) * 16 + low for high, low in HALVES], np.int16)
"""Rank of each tile, lightest first, then by the lower half; it decides blocked games."""


ROWS = 16  # rows of the next table; `value % ROWS` maps NONE to the last one


def _fitting() -> np.ndarray:
    """Return the tiles with each value, as words of bits; the last row, for NONE, is empty."""
    bits = np.zeros((ROWS, 2), np.uint64)
    for tile, halves in enumerate(HALVES):
        for value in set(halves):
            bits[value, tile // 64] |= np.uint64(1 << tile % 64)
    return bits.view(np.int64)


FITTING = _fitting()


def blank(rules: DrawRules | FivesRules) -> np.ndarray:
    """Return a pool of one blank record with the rules set, ready for `deal`."""
    pool = np.zeros(1, SIX if rules.highest <= 6 else LARGE)
    s = pool[0]
    s["highest"], s["hand"], s["reserve"] = rules.highest, rules.hand, rules.reserve
    s["opens"] = OPENS.index(rules.opens)
    s["rounding"] = ROUND_NONE
    s["multiple"] = 1
    if isinstance(rules, FivesRules):
        s["fives"] = 1
        s["arms_after"], s["multiple"] = rules.arms_after, rules.multiple
        s["spinner_counts"] = SPINNER_COUNTS.index(rules.spinner)
        s["rounding"] = ROUNDINGS.index(rules.rounding)
    s["turn"] = -1
    return pool


def implements(stub):
    """Register a compiled function for both record types."""

    def register(function):
        for record in RECORDS:
            kernel.implements(stub, record)(function)
        return function

    return register


# --- Sets of tiles ------------------------------------------------------------------------------


@rule
def bit(tile):
    return np.int64(1) << np.int64(tile & 63)


@rule
def fitting(s, side, w):
    """Return word `w` of the tiles that fit a side."""
    return FITTING[s.ends[side] & (ROWS - 1), w]


@rule
def can_play(s, seat):
    """Return whether a tile of the seat fits an open side."""
    found = np.int64(0)
    for w in range(s.hands.shape[1]):
        fit = fitting(s, LEFT, w) | fitting(s, RIGHT, w)
        if s.spinner != NONE:
            fit |= fitting(s, UP, w) | fitting(s, DOWN, w)
        found |= s.hands[seat, w] & fit
    return found != 0


@rule
def pips(s, seat):
    """Return the number of pips in a hand."""
    total = 0
    for w in range(s.hands.shape[1]):
        left = s.hands[seat, w]
        while left:
            total += PIPS[64 * w + lowest(left)]
            left &= left - 1
    return total


@rule
def lightest(s, seat):
    """Return the rank in `ORDER` of a hand's lightest tile, which decides a blocked game."""
    best = 32767
    for w in range(s.hands.shape[1]):
        left = s.hands[seat, w]
        while left:
            best = min(best, ORDER[64 * w + lowest(left)])
            left &= left - 1
    return best


# --- The deal -----------------------------------------------------------------------------------


@implements(kernel.deal)
@rule
def deal(s, seed):
    s.seed = np.uint64(seed)
    size = (s.highest + 1) * (s.highest + 2) // 2
    clear(s)
    tiles = s.line  # used as scratch space for shuffling
    for i in range(size):
        j = below(seed, i, i + 1)
        tiles[i] = tiles[j]
        tiles[j] = i
    n = s.hand
    for i in range(n):
        give(s, 0, tiles[i])
        give(s, 1, tiles[n + i])
    s.num_boneyard = size - 2 * n
    for i in range(s.num_boneyard):
        s.boneyard[i] = tiles[2 * n + i]
    for i in range(size):
        tiles[i] = 0
    open_game(s, opener(s))


@rule
def clear(s):
    """Empty the table, the hands and the boneyard; the caller fills the hands and the boneyard."""
    for w in range(s.tiles.shape[0]):
        s.hands[0, w] = 0
        s.hands[1, w] = 0
    for i in range(s.boneyard.shape[0]):
        s.boneyard[i] = NONE
    s.counts[0] = s.counts[1] = 0
    s.num_boneyard = 0
    clear_table(s)


@rule
def clear_table(s):
    """Remove all plays and draws."""
    for w in range(s.tiles.shape[0]):
        s.played[w] = 0
    for side in range(4):
        s.ends[side] = NONE
        s.worth[side] = 0
    for seat in range(2):
        s.scores[seat] = 0
    for i in range(s.line.shape[0]):
        s.line[i] = 0
        s.by[i] = 0
    for i in range(s.drew.shape[0]):
        s.drew[i] = 0
        s.stuck[i] = 0
    s.drawn = 0
    s.spinner = NONE
    s.covered = 0
    s.num_plays = 0


@rule
def give(s, seat, tile):
    s.hands[seat, tile >> 6] |= bit(tile)
    s.counts[seat] += 1


@rule
def opener(s):
    """Return the seat that opens by the rules, or NONE if the tiles decide."""
    if s.opens >= BY_DOUBLE:
        return NONE
    return below(stream(s.seed, STREAM_LOT), 0, 2) if s.opens == BY_LOT else 0


@rule
def open_game(s, first):
    """Store the tiles of the game and the opener: a seat, or NONE for the holder of the best lead."""
    for w in range(s.tiles.shape[0]):
        s.tiles[w] = s.hands[0, w] | s.hands[1, w]
    for i in range(s.num_boneyard):
        s.tiles[s.boneyard[i] >> 6] |= bit(s.boneyard[i])
    last = s.num_events
    s.num_events = 0
    s.lead = NONE
    if first == NONE:
        for tile in range((s.highest + 1) * (s.highest + 2) // 2):
            held = (s.hands[0, tile >> 6] | s.hands[1, tile >> 6]) & bit(tile)
            if held and (s.lead == NONE or leads(s.opens, tile, s.lead)):
                s.lead = tile
        first = 0 if s.hands[0, s.lead >> 6] & bit(s.lead) else 1
        log(s, OPENED, first, s.lead, 0)
    s.first = first
    s.turn = first
    wipe_events(s, last)


@rule
def leads(opens, tile, other):
    """Return whether a tile precedes another in the search for the opener; the order is strict."""
    if opens == BY_DOUBLE and (HIGH[tile] == LOW[tile]) != (HIGH[other] == LOW[other]):
        return HIGH[tile] == LOW[tile]
    if PIPS[tile] != PIPS[other]:
        return PIPS[tile] > PIPS[other]
    return HIGH[tile] > HIGH[other]


# --- Legal actions ------------------------------------------------------------------------------


@implements(kernel.legal)
@rule
def legal(s, out):
    """Keep a single exit, and pass `out` to no function: Numba would count references to it at every call."""
    seat = s.turn
    n = 0
    if seat >= 0:
        for w in range(s.hands.shape[1]):
            hand = s.hands[seat, w]
            at_left, at_right = hand & fitting(s, LEFT, w), hand & fitting(s, RIGHT, w)
            at_up, at_down = hand & fitting(s, UP, w), hand & fitting(s, DOWN, w)
            if s.num_plays == 0:
                at_left = hand & may_lead(s, w)
            left = at_left | at_right | at_up | at_down
            while left:
                i = lowest(left)
                left &= left - 1
                action = NUM_SIDES * (64 * w + i)
                # written always and counted only if it fits: a branch would be unpredictable
                out[n] = action + LEFT
                n += (at_left >> i) & 1
                out[n] = action + RIGHT
                n += (at_right >> i) & 1
                if s.spinner != NONE:
                    out[n] = action + UP
                    n += (at_up >> i) & 1
                    out[n] = action + DOWN
                    n += (at_down >> i) & 1
    return n


@rule
def may_lead(s, w):
    """Return word `w` of the tiles that may open: any, or the announced one."""
    if s.lead == NONE:
        return np.int64(-1)
    return bit(s.lead) if s.lead >> 6 == w else np.int64(0)


@rule
def has(tile, value):
    return (HIGH[tile] == value) | (LOW[tile] == value)


@rule
def num_fitting(s, tile):
    """Return the number of open sides that a tile fits."""
    n = has(tile, s.ends[LEFT]) + has(tile, s.ends[RIGHT])
    if s.spinner != NONE:
        n += has(tile, s.ends[UP]) + has(tile, s.ends[DOWN])
    return n


# --- Playing ------------------------------------------------------------------------------------


@implements(kernel.apply)
@rule
def apply(s, action):
    seat = s.turn
    tile, side = action >> 2, action & 3
    last = s.num_events
    s.num_events = 0
    log(s, CHOSE, seat, action, num_fitting(s, tile) > 1)
    n = s.num_plays
    s.line[n] = action
    s.by[n] = seat
    s.num_plays = n + 1
    s.hands[seat, tile >> 6] &= ~bit(tile)
    s.played[tile >> 6] |= bit(tile)
    s.counts[seat] -= 1
    place(s, tile, side, n == 0)
    if s.fives:
        points = ends_total(s)
        if points > 0 and points % s.multiple == 0:
            s.scores[seat] += points
            log(s, SCORED, seat, points, 0)
    if s.counts[seat] == 0:
        win(s, seat, 0)
    else:
        give_turn(s, 1 - seat)
    wipe_events(s, last)


@rule
def place(s, tile, side, opening):
    """Put a tile at a side: update the values of the ends and, in fives, what they count."""
    high, low = HIGH[tile], LOW[tile]
    if opening:
        s.ends[LEFT] = high
        s.ends[RIGHT] = low
        if s.fives:
            s.worth[LEFT] = high
            s.worth[RIGHT] = low
            if high == low:
                s.worth[LEFT] = 0
                s.worth[RIGHT] = 0
                s.spinner = high
                open_arms(s)
        return
    outer = high + low - s.ends[side]
    s.ends[side] = outer
    if not s.fives:
        return
    s.worth[side] = high + low if high == low else outer
    if s.spinner != NONE:
        s.covered |= 1 << side
        open_arms(s)
    elif high == low:
        s.spinner = high
        s.worth[side] = 0
        s.covered = 1 << (1 - side)  # the side towards the line
        open_arms(s)


@rule
def open_arms(s):
    """Open the spinner's arms if enough of its sides along the line are covered."""
    if (s.covered & 1) + ((s.covered >> 1) & 1) >= s.arms_after:
        if s.ends[UP] == NONE:
            s.ends[UP] = s.spinner
        if s.ends[DOWN] == NONE:
            s.ends[DOWN] = s.spinner


@rule
def ends_total(s):
    """Return the sum of the open ends (fives)."""
    total = s.worth[LEFT] + s.worth[RIGHT] + s.worth[UP] + s.worth[DOWN]
    if s.spinner > 0:
        covered = count(np.int64(s.covered))
        open_sides = 4 if s.ends[UP] != NONE else 2
        total += spinner_worth(s.spinner, open_sides - covered, covered, s.spinner_counts)
    return total


@rule
def spinner_worth(value, bare, covered, counts):
    """Return a spinner's part in the sum of the ends, by the numbers of bare and covered open sides."""
    if counts == AS_DOUBLE:
        return 2 * value if covered < 2 else 0
    return bare * value


@rule
def points_of(s, action):
    """Return the points of the ends after a legal action (fives); the state is restored."""
    ends = (s.ends[0], s.ends[1], s.ends[2], s.ends[3])
    worth = (s.worth[0], s.worth[1], s.worth[2], s.worth[3])
    spinner, covered = s.spinner, s.covered
    place(s, action >> 2, action & 3, s.num_plays == 0)
    points = ends_total(s)
    for side in range(4):
        s.ends[side] = ends[side]
        s.worth[side] = worth[side]
    s.spinner = spinner
    s.covered = covered
    return points if s.fives and points % s.multiple == 0 else 0


@rule
def give_turn(s, seat):
    """Pass the turn, with the forced draws and passes."""
    s.turn = seat
    if can_play(s, seat):
        return
    n = s.num_plays
    values = 0
    for side in range(4):
        if s.ends[side] != NONE:
            values |= 1 << s.ends[side]
    s.stuck[n] = values
    limit = s.num_boneyard - s.reserve
    while s.drawn < limit:
        tile = s.boneyard[s.drawn]
        s.drawn += 1
        give(s, seat, tile)
        s.drew[n] += 1
        log(s, DREW, seat, tile, 0)
        if ((values >> HIGH[tile]) | (values >> LOW[tile])) & 1:
            return
    log(s, PASSED, seat, 0, 0)
    s.turn = 1 - seat
    if not can_play(s, 1 - seat):
        log(s, PASSED, 1 - seat, 0, 0)
        win(s, 0 if lightest(s, 0) < lightest(s, 1) else 1, 1)


@rule
def win(s, winner, blocked):
    """End the game: the winner scores the pips of the other hand, rounded by the rules."""
    points = rounded(pips(s, 1 - winner), s.rounding, s.multiple)
    s.scores[winner] += points
    log(s, WON, winner, points, blocked)
    s.turn = -1


@rule
def rounded(points, rounding, unit):
    """Return points as whole units, rounded by the rules."""
    if rounding == ROUND_UP:
        return (points + unit - 1) // unit * unit
    if rounding == ROUND_NEAREST:
        return (2 * points + unit) // (2 * unit) * unit
    if rounding == ROUND_DOWN:
        return points // unit * unit
    return points


# --- Results ------------------------------------------------------------------------------------


@implements(kernel.over)
@rule
def over(s):
    return s.turn < 0


@implements(kernel.scores)
@rule
def scores(s, out):
    out[0] = s.scores[0]
    out[1] = s.scores[1]


@implements(kernel.payoff)
@rule
def payoff(s, out):
    """Write the difference of the points won."""
    out[0] = s.scores[0] - s.scores[1]
    out[1] = s.scores[1] - s.scores[0]
