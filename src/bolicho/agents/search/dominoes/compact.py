"""Compact positions of the solver: fields of a search state, and its lookup tables.

Tiles are renumbered, lightest first and then by the lower half, so that a blocked game is won by the hand whose
lowest bit is lower.  A hand is 28 bits.  In all fives each of the four sides is a *code* of all that matters
of it: the value that fits and the pips it counts.

=========  ===========================================================================
0 .. 6     the value fits, and counts once
7 .. 13    the end is a double: the code less 7 fits, and counts twice
14 .. 20   a bare side of the spinner, whose value is the code less 14
31         closed
=========  ===========================================================================
"""

import numpy as np

from bolicho.games.dominoes.rules import HALVES, set_size

NUM_TILES = set_size(6)
PLAIN, DOUBLE, BARE, CLOSED = 0, 7, 14, 31
CODE_BITS = 5
NO_VALUE = 7  # row of `FITS` that no tile fits

NEW_ORDER = sorted(range(NUM_TILES), key=lambda tile: (sum(HALVES[tile]), HALVES[tile][1]))
"""Tile numbers of the games in the order of the search."""

SEARCH_TILE = np.argsort(NEW_ORDER).astype(np.int64)
"""Tile number in the search, by its number in the games."""

SUM = np.array([sum(HALVES[tile]) for tile in NEW_ORDER], np.int64)
IS_DOUBLE = np.array([HALVES[tile][0] == HALVES[tile][1] for tile in NEW_ORDER], np.int64)


def _fits() -> np.ndarray:
    """Return the tiles that have a value, as bits, by value."""
    bits = np.zeros(NO_VALUE + 1, np.int64)
    for number, tile in enumerate(NEW_ORDER):
        for value in set(HALVES[tile]):
            bits[value] |= 1 << number
    return bits


def _planes() -> tuple[int, ...]:
    """Return the tiles with each binary digit of the pips set, so that pips are counted by population counts."""
    return tuple(sum(1 << number for number in range(NUM_TILES) if SUM[number] >> digit & 1) for digit in range(4))


FITS = _fits()
PLANES = _planes()

END = np.array([code % 7 if code <= 20 else NO_VALUE for code in range(32)], np.int64)
"""Value that fits a side, by its code."""

WORTH = np.array([code if code < 7 else 2 * (code - 7) if code < 14 else 0 for code in range(32)], np.int64)
"""Pips that a side counts, by its code; bare sides of the spinner are counted separately."""

CODE_FITS = FITS[END]
"""Tiles that fit a side, by its code."""

MAX_MOVES = 112  # in one position: every tile at every side
MAX_PLIES = NUM_TILES + 1
_FRAME = ("i8", (MAX_PLIES,))

CONTEXT = np.dtype(
    [
        ("nodes", "i8"),
        ("cap", "i8"),  # maximum number of nodes of a search
        ("stopped", "i8"),
        ("horizon", "i8"),  # plays from the root; positions beyond it are estimated
        ("generation", "i8"),  # entries of other generations count as empty
        # Right shift of a hash to the number of a pair of entries: a search begins with a small part of the table,
        # which fits the processor's cache, and uses more when needed.
        ("shift", "i8"),
        ("first_shift", "i8"),
        ("last_shift", "i8"),
        ("stored", "i8"),  # number of entries of this generation
        # The rules, and the tiles of the game.
        ("fives", "i8"),
        ("arms_after", "i8"),
        ("spinner_counts", "i8"),
        ("rounding", "i8"),
        ("multiple", "i8"),
        ("tiles", "i8"),
        # Tiles that can be drawn, as bits, in reverse order: with n left, `bone[n - 1]` is next.
        ("num_bone", "i8"),
        ("bone", "i8", (NUM_TILES,)),
        ("bone_pips", "i8", (NUM_TILES + 1,)),  # pips of the last n
        # Line of the search, by ply: the position,
        ("mine", *_FRAME),  # the hand of the mover
        ("other", *_FRAME),
        ("left", *_FRAME),  # number of tiles that can be drawn
        ("sides", *_FRAME),  # draw dominoes: two values of 3 bits; all fives: four codes of 5 bits
        ("alpha", *_FRAME),
        ("beta", *_FRAME),
        ("key", *_FRAME),
        ("more", *_FRAME),  # bits that do not fit into the key
        ("lower", *_FRAME),
        ("upper", *_FRAME),
        # its moves and the index of the next one,
        ("num_moves", *_FRAME),
        ("next", *_FRAME),
        ("best", *_FRAME),
        ("best_move", *_FRAME),
        ("moves", "i8", (MAX_PLIES, MAX_MOVES)),
        ("found", "i8", (MAX_MOVES,)),  # at the root, where an estimate may be interrupted
        # and the current move.
        ("move", *_FRAME),
        ("points", *_FRAME),  # its immediate score
        ("sign", *_FRAME),  # -1 if the other seat moves next, 1 if it passes
        ("high", *_FRAME),  # upper limit of its search window
    ],
    align=True,
)
"""State of one search, except the table of positions."""
