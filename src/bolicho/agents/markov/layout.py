"""Layout of all learned counts in one block, and published constants.

All matrices of a player are one flat array of `uint32`, so that compiled code gets them in one argument, and copies and
comparisons are single operations. Counts are stored in thousandths.
"""

import numpy as np

from bolicho.agents.markov.states import NUM_ENVIDO, NUM_FLOR, NUM_ORDERS, NUM_TRUCO
from bolicho.games.truco.lexicon import CLASSES, ENVIDO_CALLS, FLOR_CALLS, NO_PAIR_BELOW, TRUCO_CALLS

UNIT = 1000
"""Thousandths per count, so that an increment divided among 502 states is not lost."""

CAP = 2**31
"""Limit of a cell; before it, all cells of its mode are halved, which prevents overflow and keeps the odds."""

# Modes by number, their numbers of states, and the largest count of each initial matrix. Numbers passed to compiled
# functions are NumPy's: Numba would compile anew for each value of a Python constant.
TRUCO, ENVIDO, FLOR, CARDS = np.arange(4)
MODES = ("truco", "envido", "flor", "cards")
SIZES = (NUM_TRUCO, NUM_ENVIDO, NUM_FLOR, NUM_ORDERS)
MAXIMA = (
    73,
    26,
    36,
    11,
)  # Rossato 2020, tables 4.1 to 4.3; that of the cards only in the author's scripts (section 5.1)
DIAGONALS = (37, 13, 18, 6)  # for two equal states

INCREMENT = 0.1  # per hand, relative to the initial maximum (Rossato 2020, chapter 4)
BLUFF = 0.1  # per observed bluff, relative to the total

SIZE = np.array(SIZES, np.int64)
MAXIMUM = np.array(MAXIMA, np.int64)

_starts = np.cumsum([0, *(size * size for size in SIZES for _ in range(2)), len("BMA") * CLASSES])
WON = _starts[0:8:2].copy()
"""Start of each mode's victories."""
LOST = _starts[1:8:2].copy()
"""Start of each mode's defeats: the transpose of the victories, except for `matrices.WEAKEST`; rows are contiguous."""
LEVEL_COUNTS = int(_starts[8])
"""Start of the 3 x 14 counts of levels by class of card."""
BLOCK_SIZE = int(_starts[9])

# Questions, in the order of `MINIMA`.
ASK_TRUCO, ASK_RETRUCO, ASK_VALE4, ASK_ENVIDO, ASK_REAL, ASK_FALTA, ASK_CONTRAFLOR, ASK_RESTO = np.arange(8)
REQUESTS = (*TRUCO_CALLS, *ENVIDO_CALLS, *FLOR_CALLS)
MINIMA = (0.5, 0.7, 0.8, 0.4, 0.6, 0.8, 0.6, 0.8)
"""Published minimums: Rossato 2020, section 5.2, for truco and envido.

The text gives none for flor: these two are from the author's scripts, and equal those of the raises in the same
positions of table 3.1. According to the text, a contra flor, the first bet of its mode, has the minimum of an envido
(`options.Options`).
"""
MINIMUM = np.array(MINIMA)

ENVIDO_FLOOR = NO_PAIR_BELOW  # minimum points to call envido: two cards of one suit (Rossato 2020, appendix A)
HIGH_CARD = 5  # a shown card of higher value suggests a good envido of the opponent (appendix A)
HIGH_CARD_PENALTY = 0.2

BlockArray = np.ndarray[tuple[int], np.dtype[np.uint32]]


def matrix(block: BlockArray, mode: str, lost: bool = False) -> np.ndarray:
    """Return the victories (or defeats) of a mode as a square view into the block, in thousandths."""
    number = MODES.index(mode)
    start, size = (LOST if lost else WON)[number], SIZES[number]
    return block[start : start + size * size].reshape(size, size)


def level_counts(block: BlockArray) -> np.ndarray:
    """Return the 3 x 14 counts of levels by class as a view into the block, in thousandths."""
    return block[LEVEL_COUNTS:BLOCK_SIZE].reshape(3, CLASSES)


# Options of a player in compiled code.
AREA, SIMILARITY, INCREMENTS, MINIMUMS, ROUNDS, COUNTED, SURE, EXPLORE, TEXT, LEARNS = range(10)
NUM_OPTIONS = 10

# Columns of the trace of a decision, for explanations; the last row counts the others.
T_REQUEST, T_ROLE, T_CELLS, T_WON, T_LOST, T_CHANCE, T_USED, T_MINIMUM, T_DRAW, T_ANSWER = range(10)
TRACE_SHAPE = (8, 10)
ASK_CARD = 8  # row of a card: T_WON, T_LOST, T_CHANCE are the weights of low, middle, high, T_ANSWER the level
FORCED, FUTILE = -1.0, 2.0  # minimums where a no loses the match, or a yes can win nothing more

# Ledger of questions and answers in a hand, from which minimums adapt.
CALLING, ANSWERING = np.arange(2)
BINS = 20  # bins of 5%
LEDGER_SHAPE = (8, 2, 3, BINS, 2, 2)  # request, role, round, bin, no or yes: (points, times)
MINIMA_SHAPE = (8, 2, 3)
ASKED_SHAPE = (33, 5)  # (request, role, round, bin, yes); the last row counts the others
NUM_NEAR = 3**3  # number of hands whose cards each differ by at most one class


PLAYER_STATE = np.dtype(
    [
        # Learned.
        ("block", "u4", (BLOCK_SIZE,)),  # the matrices
        ("minima", "f8", MINIMA_SHAPE),  # by request, role and round
        ("ledger", "f8", LEDGER_SHAPE),  # results of answers
        # Constant.
        ("options", "f8", (NUM_OPTIONS,)),
        ("leads", "u1", (NUM_TRUCO, NUM_TRUCO)),  # winning leads for pairs of hands; see `compiled.chain`
        # Work fields.
        ("trace", "f8", TRACE_SHAPE),  # basis of the last decision
        ("marks", "i1", (NUM_TRUCO,)),
        ("won", "f8", (NUM_TRUCO,)),
        ("lost", "f8", (NUM_TRUCO,)),
        ("near", "i2", (NUM_NEAR,)),  # similar hands, and their distances
        ("steps", "i1", (NUM_NEAR,)),
        ("rows", "f8", (NUM_TRUCO,)),
        ("columns", "f8", (NUM_TRUCO,)),
        ("left", "i8", (CLASSES,)),  # unseen cards by class; the next three fields hold the opponent's possible cards
        ("hands", "f8", (NUM_TRUCO,)),
        ("pairs", "f8", (CLASSES, CLASSES)),
        ("singles", "f8", (CLASSES,)),
        ("weights", "f8", (3,)),
        ("chances", "f8", (3,)),
        ("weighed", "i1"),  # 1 if hands, pairs or singles and chances are computed for this decision
        ("levels", "i1", (3,)),
        ("mine", "i1", (NUM_ORDERS,)),
        ("theirs", "i1", (NUM_ORDERS,)),
    ],
    align=True,
)
"""Complete state of a player in one record, except its memory of a game (`compiled.hand`)."""
