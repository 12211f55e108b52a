"""Schema of a Truco case: one hand as one seat saw it. The record, its columns in files, its encodings.

"Player 1" is the seat of the case, "player 2" the other. Sources: Paulus 2020, tables 3, 4 and 7 to 10; decisions on
open points are listed in docs/studies/cbr.md.
"""

from collections.abc import Mapping
from itertools import accumulate

import numpy as np

from bolicho.agents.cbr.casebase import Column
from bolicho.games.truco.compiled.lexicon import ME, NOBODY, OTHER
from bolicho.games.truco.compiled.reading import ACCEPTED, BOTH, RAISED, REFUSED, TIED, UNANSWERED, VOID
from bolicho.games.truco.lexicon import CLASS_CODES, CLASS_NAMES, ENVIDO_CALLS, FLOR_CALLS, TRUCO_CALLS
from bolicho.games.truco.rules import CARDS, STRENGTH_CLASSES

# --- Encodings ----------------------------------------------------------------------------------

CLASS_CATEGORIES = (3, 3, 3, 3, 7, 7, 7, 12, 20, 20, 41, 41, 51, 51)
"""Category of each class in clustering (Paulus 2020, table 7)."""

CODE_RANGE = 52  # range of the interval similarity (Paulus 2020, table 3)

CODE = np.zeros(40, np.int8)
COPIES = np.zeros(CODE_RANGE + 1, np.int8)  # number of cards of the deck with each code
CATEGORY = np.zeros(CODE_RANGE + 1, np.int8)
for _class, _cards in enumerate(STRENGTH_CLASSES):
    for _card in _cards:
        CODE[CARDS.index(_card)] = CLASS_CODES[_class]
    COPIES[CLASS_CODES[_class]] = len(_cards)
    CATEGORY[CLASS_CODES[_class]] = CLASS_CATEGORIES[_class]

CODE_NAMES = {0: "face down", **dict(zip(CLASS_CODES, CLASS_NAMES, strict=True))}
CATEGORY_NAMES = {51: "1e 1p", 41: "7e 7o", 20: "3s 2s", 12: "1c 1o", 7: "12s 11s 10s", 3: "7p 7c 6s 5s 4s"}

PLAYED_HIGH, PLAYED_MID, PLAYED_LOW = 46, 16, 4  # Paulus 2020, table 8
OTHER_GAVE_UP, FACE_DOWN_CARD, WENT_TO_DECK, LOST_A_BET = -46, -1, -10, -15  # Paulus 2020, table 9
PLAYED_NAMES = {
    PLAYED_HIGH: "the high card", PLAYED_MID: "the middle card", PLAYED_LOW: "the low card",
    OTHER_GAVE_UP: "none (the other gave up)", FACE_DOWN_CARD: "a card face down",
    WENT_TO_DECK: "none (went to the deck)", LOST_A_BET: "none (refused a bet)",
}  # fmt: skip
WHO_NAMES = {1: "player 1", 2: "nobody", 3: "player 2"}

# --- Values of the record -----------------------------------------------------------------------

NOT_PLAYED = -1
FACE_DOWN_CODE = 0

# Items are reused decisions. Cards are named by their strength among those left.
HIGH, MID, LOW, DOWN, DECK = range(5)
PASS, CALL = 0, 1  # a truco on one's own turn
REFUSE, ACCEPT, RAISE = 0, 1, 2  # the answer to a truco
ENVIDO_ITEM, REAL_ITEM, FALTA_ITEM = 2, 3, 4  # envido: 0 pass or refuse, 1 accept, then the calls
CONTRAFLOR_ITEM, RESTO_ITEM = 2, 3  # flor: 0 no raise or refuse, 1 accept, then the raises

UNFIT_PLAYS, UNFIT_ENVIDO = 1, 2  # kinds of decision affected by a suicide move, as bits

DECISIONS = {"card": 6, "envido": 2, "envido answer": 6, "truco": 6, "truco answer": 12, "flor": 1, "flor answer": 1}
"""Kinds of decision in the order of their numbers, and how many there are of each: of every round or call, leading and
following; of answers to truco also without and with a card on the table.
"""

CLUSTERINGS = {"card": 6, "envido": 2, "truco": 6, "cards received": 1, "points": 1}
"""Kinds of clustering, in the same way; the last two are an index for all decisions of cards and of points."""


def first_of(kinds: Mapping[str, int]) -> tuple[int, ...]:
    """Return the number of the first decision or clustering of each kind."""
    return tuple(accumulate(kinds.values(), initial=0))[:-1]


CARDS_LED, ENVIDO_SPOKEN, TRUCO_LED, INDEX_CARDS, INDEX_POINTS = first_of(CLUSTERINGS)
NUM_CLUSTERINGS = sum(CLUSTERINGS.values())

CASE = np.dtype(
    [
        ("envido_won", "i2"),
        ("flor_won", "i2"),
        ("hand_won", "i1"),
        ("high", "i1"),
        ("mid", "i1"),
        ("low", "i1"),
        ("envido", "i1"),
        ("flor", "i1"),
        ("mao", "i1"),
        ("card", "i1", (3,)),
        ("play", "i1", (3,)),
        ("theirs", "i1", (3,)),
        ("winner", "i1", (3,)),
        ("envido_by", "i1", (3,)),
        ("envido_again", "i1"),
        ("envido_answer", "i1"),
        ("flors", "i1"),
        ("flor_by", "i1", (2,)),
        ("flor_answer", "i1"),
        ("truco_by", "i1", (3,)),
        ("truco_round", "i1", (3,)),
        ("truco_answer", "i1", (3,)),
        ("deck_by", "i1"),
        ("every_round", "i1"),
        ("unfit", "i1"),
        ("label", "i1", (NUM_CLUSTERINGS,)),
    ],
    align=True,
)

SCENARIOS = (
    "first card, leads",
    "first card, follows",
    "second card, won the first",
    "second card, lost the first",
    "third card, won the second",
    "third card, lost the second",
    "envido, first to speak",
    "envido, second to speak",
    "truco in round 1, leads",
    "truco in round 1, follows",
    "truco in round 2, won the first",
    "truco in round 2, lost the first",
    "truco in round 3, won the second",
    "truco in round 3, lost the second",
    "index by cards",
    "index by envido points",
)
"""14 decision scenarios (Paulus 2020, table 6) and 2 indexes."""

LABEL_COLUMNS = (
    "card_1_leads", "card_1_follows", "card_2_won", "card_2_lost", "card_3_won", "card_3_lost",
    "envido_first", "envido_second",
    "truco_1_leads", "truco_1_follows", "truco_2_won", "truco_2_lost", "truco_3_won", "truco_3_lost",
    "index_cards", "index_points",
)  # fmt: skip

_PLAYER = (NOBODY, ME, OTHER)
_CODES = (*CLASS_CODES,)
_CODES_PLAYED = (NOT_PLAYED, FACE_DOWN_CODE, *CLASS_CODES)
_ROUNDS = ("1", "2", "3")


def _columns() -> tuple[Column, ...]:
    """Return every column of a case file, in order: its field, its valid values, its meaning."""
    points = tuple(range(-1000, 1001))  # a falta may win the whole match
    return (
        Column("high", "high", 0, _CODES, "code of the strongest card received"),
        Column("mid", "mid", 0, _CODES, "code of the middle card received"),
        Column("low", "low", 0, _CODES, "code of the weakest card received"),
        Column("envido", "envido", 0, (*range(8), *range(20, 34)), "envido points in hand"),
        Column("flor", "flor", 0, (0, *range(20, 39)), "flor points in hand; 0 without a flor"),
        Column("mao", "mao", 0, (ME, OTHER), "who leads the first round"),
        *(Column(f"card_{r}", "card", i, _CODES_PLAYED, f"code of player 1's card in round {r}; 0 face down, -1 none")
          for i, r in enumerate(_ROUNDS)),
        *(Column(f"play_{r}", "play", i, (NOT_PLAYED, HIGH, MID, LOW, DOWN, DECK),
                 f"round {r}, of the cards left: 0 high, 1 mid, 2 low, 3 face down, 4 to the deck, -1 none")
          for i, r in enumerate(_ROUNDS)),
        *(Column(f"theirs_{r}", "theirs", i, _CODES_PLAYED, f"the same of player 2 in round {r}")
          for i, r in enumerate(_ROUNDS)),
        *(Column(f"winner_{r}", "winner", i, (*_PLAYER, TIED), f"who won round {r}: 1, 2, 3 tied, 0 not played")
          for i, r in enumerate(_ROUNDS)),
        *(Column(f"{call}_by", "envido_by", i, _PLAYER, f"who called {call}: 1, 2, 0 nobody")
          for i, call in enumerate(ENVIDO_CALLS)),
        Column("envido_again_by", "envido_again", 0, _PLAYER, "who answered envido with envido"),
        Column("envido_answer", "envido_answer", 0, (UNANSWERED, ACCEPTED, REFUSED, VOID),
               "to the last envido call: 1 accepted, 2 refused, 4 voided by a flor, 0 none"),
        Column("flors", "flors", 0, (NOBODY, ME, OTHER, BOTH), "who announced a flor; 3 both"),
        *(Column(f"{call}_by", "flor_by", i, _PLAYER, f"who called {call}") for i, call in enumerate(FLOR_CALLS)),
        Column("flor_answer", "flor_answer", 0, (UNANSWERED, ACCEPTED, REFUSED),
               "how two flors were settled: 1 shown, 2 refused, 0 no dispute"),
        *(Column(f"{call}_by", "truco_by", i, _PLAYER, f"who called {call}") for i, call in enumerate(TRUCO_CALLS)),
        *(Column(f"{call}_round", "truco_round", i, (0, 1, 2, 3), f"the round of the {call}; 0 none")
          for i, call in enumerate(TRUCO_CALLS)),
        *(Column(f"{call}_answer", "truco_answer", i, (UNANSWERED, ACCEPTED, REFUSED, RAISED),
                 f"to the {call}: 1 accepted, 2 refused, 3 raised at once, 0 none")
          for i, call in enumerate(TRUCO_CALLS)),
        Column("deck_by", "deck_by", 0, _PLAYER, "who went to the deck"),
        Column("envido_won", "envido_won", 0, points, "points won (lost when negative) by envido"),
        Column("flor_won", "flor_won", 0, points, "points won or lost by flor"),
        Column("hand_won", "hand_won", 0, tuple(range(-4, 5)), "points won or lost by the hand; 0: the match ended"),
        Column("every_round", "every_round", 0, (0, 1),
               "1 belongs to the scenarios of all rounds, 0 only to those of rounds that began", derived=True),
        Column("unfit", "unfit", 0, (0, 1, 2, 3),
               "decisions left out for a suicide move: 1 cards and truco, 2 envido, 3 both", derived=True),
        *(Column(f"group_{name}", "label", i, tuple(range(13)), f"group in '{SCENARIOS[i]}'; 0 not of it", derived=True)
          for i, name in enumerate(LABEL_COLUMNS)),
    )  # fmt: skip


COLUMNS = _columns()
