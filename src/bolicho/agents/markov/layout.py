"""Where everything learned stands in one block of counts, and the numbers that were published.

All matrices of a player are one flat array of `uint32`, so that compiled code gets them in one
argument, a copy is one copy and a comparison one comparison.  A count is kept in thousandths.
"""

import numpy as np

from bolicho.agents.markov.states import NUM_ENVIDO, NUM_FLOR, NUM_ORDERS, NUM_TRUCO
from bolicho.games.truco.lexicon import CLASSES, ENVIDO_CALLS, FLOR_CALLS, NO_PAIR_BELOW, TRUCO_CALLS

UNIT = 1000
"""Thousandths to a count: an increment divided among 502 states is not lost."""

CAP = 2**31
"""Before a cell passes this, all of its mode are halved: nothing overflows, odds stay."""

# The modes, by number: how many states, and the largest count of the initial matrix.  Numbers that are
# handed to compiled functions are NumPy's: for a Python constant each value would be compiled anew.
TRUCO, ENVIDO, FLOR, CARDS = np.arange(4)
MODES = ("truco", "envido", "flor", "cards")
SIZES = (NUM_TRUCO, NUM_ENVIDO, NUM_FLOR, NUM_ORDERS)
MAXIMA = (
    73,
    26,
    36,
    11,
)  # Rossato 2020, tables 4.1 to 4.3; that of the cards only in the author's scripts (section 5.1)
DIAGONALS = (37, 13, 18, 6)  # two equal states

INCREMENT = 0.1  # of the initial maximum, for each hand (Rossato 2020, chapter 4)
BLUFF = 0.1  # of the total, for each bluff seen

SIZE = np.array(SIZES, np.int64)
MAXIMUM = np.array(MAXIMA, np.int64)

_starts = np.cumsum([0, *(size * size for size in SIZES for _ in range(2)), len("BMA") * CLASSES])
WON = _starts[0:8:2].copy()
"""Where the victories of each mode begin."""
LOST = _starts[1:8:2].copy()
"""Start of its defeats: the transpose of the victories, but for `matrices.WEAKEST`; a row is read in one sweep."""
LEVEL_COUNTS = int(_starts[8])
"""Where the 3 x 14 counts begin that say which level a class of card was."""
BLOCK_SIZE = int(_starts[9])

# What a player may ask itself, in the order of `MINIMA`.
ASK_TRUCO, ASK_RETRUCO, ASK_VALE4, ASK_ENVIDO, ASK_REAL, ASK_FALTA, ASK_CONTRAFLOR, ASK_RESTO = np.arange(8)
REQUESTS = (*TRUCO_CALLS, *ENVIDO_CALLS, *FLOR_CALLS)
MINIMA = (0.5, 0.7, 0.8, 0.4, 0.6, 0.8, 0.6, 0.8)
"""Rossato 2020, section 5.2, for truco and envido.

Of the flor it prints none: these two are those of the author's scripts, and of the raises that stand in the
same places of table 3.1.  Read to the letter a contra flor, the first bet of its mode, is asked as an
envido is (`options.Options`).
"""
MINIMUM = np.array(MINIMA)

ENVIDO_FLOOR = NO_PAIR_BELOW  # no envido without two cards of one suit (Rossato 2020, appendix A)
HIGH_CARD = 5  # a shown card worth more than this speaks for the opponent's envido (appendix A)
HIGH_CARD_PENALTY = 0.2

BlockArray = np.ndarray[tuple[int], np.dtype[np.uint32]]


def matrix(block: BlockArray, mode: str, lost: bool = False) -> np.ndarray:
    """The victories (or defeats) of a mode as a square view into the block, in thousandths."""
    number = MODES.index(mode)
    start, size = (LOST if lost else WON)[number], SIZES[number]
    return block[start : start + size * size].reshape(size, size)


def level_counts(block: BlockArray) -> np.ndarray:
    """The 3 x 14 counts of levels by class as a view into the block, in thousandths."""
    return block[LEVEL_COUNTS:BLOCK_SIZE].reshape(3, CLASSES)


# The options a player is built from, as compiled code reads them.
AREA, SIMILARITY, INCREMENTS, MINIMUMS, ROUNDS, COUNTED, SURE, EXPLORE, TEXT, LEARNS = range(10)
NUM_OPTIONS = 10

# What was asked, for explanations: rows of a trace, the last of which counts the others.
T_REQUEST, T_ROLE, T_CELLS, T_WON, T_LOST, T_CHANCE, T_USED, T_MINIMUM, T_DRAW, T_ANSWER = range(10)
TRACE_SHAPE = (8, 10)
ASK_CARD = 8  # a row about a card: T_WON, T_LOST, T_CHANCE are the weights of low, middle, high, T_ANSWER the level
FORCED, FUTILE = -1.0, 2.0  # minimums where the match hangs on a no, or a yes can win nothing more

# The log of what was asked and answered in a hand, from which minimums adapt.
CALLING, ANSWERING = np.arange(2)
BINS = 20  # chances in steps of 5%
LEDGER_SHAPE = (8, 2, 3, BINS, 2, 2)  # request, role, round, bin, no or yes: (points, times)
MINIMA_SHAPE = (8, 2, 3)
ASKED_SHAPE = (33, 5)  # (request, role, round, bin, yes); the last row counts the others
NUM_NEAR = 3**3  # hands whose cards are each at most one class away


MIND = np.dtype(
    [
        # What is learned.
        ("block", "u4", (BLOCK_SIZE,)),  # the matrices
        ("minima", "f8", MINIMA_SHAPE),  # by request, role and round
        ("ledger", "f8", LEDGER_SHAPE),  # what answers were worth
        # What it is.
        ("options", "f8", (NUM_OPTIONS,)),
        ("leads", "u1", (NUM_TRUCO, NUM_TRUCO)),  # which leads win, hand against hand; see `compiled.chain`
        # Room to work in.
        ("trace", "f8", TRACE_SHAPE),  # what the last decision rested on
        ("marks", "i1", (NUM_TRUCO,)),
        ("won", "f8", (NUM_TRUCO,)),
        ("lost", "f8", (NUM_TRUCO,)),
        ("near", "i2", (NUM_NEAR,)),  # hands one step away, and how many steps
        ("steps", "i1", (NUM_NEAR,)),
        ("rows", "f8", (NUM_TRUCO,)),
        ("columns", "f8", (NUM_TRUCO,)),
        ("left", "i8", (CLASSES,)),  # unseen cards by class; then what the opponent may hold
        ("hands", "f8", (NUM_TRUCO,)),
        ("pairs", "f8", (CLASSES, CLASSES)),
        ("singles", "f8", (CLASSES,)),
        ("weights", "f8", (3,)),
        ("chances", "f8", (3,)),
        ("weighed", "i1"),  # whether, in this decision, hands, pairs or singles and chances are
        ("levels", "i1", (3,)),
        ("mine", "i1", (NUM_ORDERS,)),
        ("theirs", "i1", (NUM_ORDERS,)),
    ],
    align=True,
)
"""Everything a player knows and is, in one record; what it remembers of a game is apart (`compiled.hand`)."""
