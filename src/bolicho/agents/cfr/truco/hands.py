"""Abstract hands of Truco: classes of strength, and points of envido or flor.

A *set* is three classes of strength in ascending order, of fourteen and `COVERED`, a card played face down. A *type* is
a set of three cards in hand with its points, of envido or, for a flor, of flor.
"""

from functools import lru_cache
from itertools import combinations
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bolicho.games.truco import kernel as k
from bolicho.games.truco.compiled.unseen import hand_code
from bolicho.games.truco.lexicon import CLASS_SIZES
from bolicho.games.truco.rules import CARDS, STRENGTH_CLASSES

CLASSES = len(STRENGTH_CLASSES)
COVERED = CLASSES
SETS = comb(CLASSES + 2, 3)  # without COVERED; sets with it have higher numbers
ALL_SETS = comb(CLASSES + 3, 3)
PAIRS = comb(CLASSES + 1, 2)
HANDS = comb(len(CARDS), 3)

# Information about the hands that envido and flor revealed, relevant for play of the cards.
SILENT, BOTH_FLOR, MAO_FLOR, PE_FLOR, MAO_UNSEEN, PE_UNSEEN, SHOWN = range(7)
"""Nothing; seats with a flor; seats whose bet was refused; from SHOWN on: the winner, by steps of the points shown."""

SHOWN_STEPS = (0, 25, 27, 29, 31, 33)
"""Lower bounds of the steps of points."""

TOLD = SHOWN + 2 * len(SHOWN_STEPS)


REMEMBERED = (
    tuple(range(CLASSES + 1)),
    (0, 0, 0, 1, 1, 2, 2, 3, 4, 4, 5, 5, 6, 6, 7),
    (0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 5, 5, 6, 6, 7),
)
"""Remembered step of a class once its round is over, by round; the last entry is a card played face down."""


class Hands(NamedTuple):
    """Lookup tables for compiled code."""

    class_of: NDArray[np.int8]  # by card + 2: UNSEEN is COVERED, NONE is -1
    card_of: NDArray[np.int16]  # an action that plays a card of the class; the last one plays a card face down
    sets: NDArray[np.int8]  # (set, 3): classes of the set
    set_of: NDArray[np.int16]  # by three classes in any order
    pairs: NDArray[np.int8]  # (pair, 2)
    pair_of: NDArray[np.int16]  # by two classes in any order
    rest_of: NDArray[np.int16]  # (set, class): the pair that remains of a set, or -1
    removal: NDArray[np.float32]  # (set, set): probability of both being dealt, relative to independence
    core: NDArray[np.float32]  # the same without COVERED
    meeting: NDArray[np.float32]  # (class, class, pair, pair): the same for pairs in hand, after those cards
    first_type: NDArray[np.int16]  # by set, and the end
    type_set: NDArray[np.int16]
    type_points: NDArray[np.int8]
    type_flor: NDArray[np.bool_]
    prior: NDArray[np.float32]  # by type: its share of all hands
    type_of: NDArray[np.int16]  # by `hand_code`
    step_of: NDArray[np.int8]  # by points shown
    remembered: NDArray[np.int8]  # (round, class): as a step
    told: NDArray[np.int8]  # (round, revealed information): its remembered part in that round
    held: NDArray[np.float32]  # (class, pair): 1 where such cards exist


@lru_cache(maxsize=1)
def hands() -> Hands:
    """Return the tables of a deck of forty."""
    class_of = np.full(2 + 2 * k.FACE_DOWN, COVERED, np.int8)
    class_of[1] = -1
    class_of[2 : 2 + k.FACE_DOWN] = k.STRENGTH[: k.FACE_DOWN] - 1
    card_of = np.array([CARDS.index(cards[0]) for cards in STRENGTH_CLASSES] + [k.FACE_DOWN], np.int16)
    sets = np.array([(a, b, c) for c in range(CLASSES + 1) for b in range(c + 1) for a in range(b + 1)], np.int8)
    pairs = np.array([(a, b) for b in range(CLASSES) for a in range(b + 1)], np.int8)
    set_of = np.zeros((CLASSES + 1,) * 3, np.int16)
    for number, (a, b, c) in enumerate(sets.tolist()):
        for x, y, z in ((a, b, c), (a, c, b), (b, a, c), (b, c, a), (c, a, b), (c, b, a)):
            set_of[x, y, z] = number
    pair_of = np.zeros((CLASSES, CLASSES), np.int16)
    for number, (a, b) in enumerate(pairs.tolist()):
        pair_of[a, b] = pair_of[b, a] = number
    rest_of = np.full((SETS, CLASSES), -1, np.int16)
    for number, (a, b, c) in enumerate(sets[:SETS].tolist()):
        rest_of[number, a], rest_of[number, b], rest_of[number, c] = pair_of[b, c], pair_of[a, c], pair_of[a, b]
    removal = _removal(sets)
    whole = set_of[np.arange(CLASSES)[:, None], pairs[:, 0][None, :], pairs[:, 1][None, :]]  # (class played, pair)
    types, counts, type_of = _types(class_of, set_of)
    return Hands(
        class_of, card_of, sets, set_of, pairs, pair_of, rest_of, removal, np.ascontiguousarray(removal[:SETS, :SETS]),
        removal[whole[:, None, :, None], whole[None, :, None, :]],
        np.searchsorted(types[:, 0], np.arange(SETS + 1)).astype(np.int16),
        types[:, 0].astype(np.int16), types[:, 2].astype(np.int8), types[:, 1].astype(np.bool_),
        (counts / HANDS).astype(np.float32), type_of,
        np.searchsorted(SHOWN_STEPS, np.arange(40), "right").astype(np.int8) - 1,
        np.array(REMEMBERED, np.int8), _told(), _held(set_of, pairs, sets),
    )  # fmt: skip


def _removal(sets: NDArray[np.int8]) -> NDArray[np.float32]:
    """Return the probability that both of two sets are dealt, divided by the product of their probabilities."""
    held = np.array([[(row == c).sum() for c in range(CLASSES)] for row in sets])
    found = np.ones((len(sets), len(sets)))
    for c, size in enumerate(CLASS_SIZES):
        after = np.array(
            [[comb(size - a, b) / comb(size, b) if b <= size >= a else 0.0 for b in range(4)] for a in range(4)]
        )
        found *= after[held[:, c][:, None], held[:, c][None, :]]
    known = held.sum(axis=1)
    usual = np.array([[comb(40 - a, b) / comb(40, b) for b in range(4)] for a in range(4)])
    likelier: NDArray[np.float64] = found / usual[known[:, None], known[None, :]]
    return likelier.astype(np.float32)


def _types(
    class_of: NDArray[np.int8], set_of: NDArray[np.int16]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int16]]:
    """Return the types as rows (set, whether it is a flor, points), their hand counts, and the type of each hand."""
    rows, codes = [], []
    for a, b, c in combinations(range(len(CARDS)), 3):
        flor = bool(k.is_flor(a, b, c))
        points = k.flor_value(a, b, c) if flor else k.envido_value(a, b, c)
        rows.append((set_of[class_of[a + 2], class_of[b + 2], class_of[c + 2]], flor, points))
        codes.append(hand_code(a, b, c))
    types, inverse, counts = np.unique(np.array(rows, np.int64), axis=0, return_inverse=True, return_counts=True)
    type_of = np.full(HANDS + 1, -1, np.int16)
    type_of[codes] = inverse
    return types, counts, type_of


def _held(set_of: NDArray[np.int16], pairs: NDArray[np.int8], sets: NDArray[np.int8]) -> NDArray[np.float32]:
    there = np.array([all((row == c).sum() <= CLASS_SIZES[c] for c in range(CLASSES)) for row in sets])
    return there[set_of[np.arange(CLASSES)[:, None], pairs[:, 0], pairs[:, 1]]].astype(np.float32)


def _told() -> NDArray[np.int8]:
    """Return the remembered part of revealed information, by round.

    In the first round everything; in the second refusals, and shown flores or points in coarser steps; in the third
    only the seat that has shown any.
    """
    told = np.tile(np.arange(TOLD, dtype=np.int8), (3, 1))
    told[1:] = 0
    told[1, MAO_UNSEEN], told[1, PE_UNSEEN] = 1, 2
    told[1, MAO_FLOR], told[1, PE_FLOR] = 5, 6
    for step in range(len(SHOWN_STEPS)):
        told[1, SHOWN + 2 * step], told[1, SHOWN + 2 * step + 1] = 3 + 2 * (step // 2), 4 + 2 * (step // 2)
    told[2, MAO_FLOR], told[2, PE_FLOR] = 1, 2
    told[2, SHOWN::2], told[2, SHOWN + 1 :: 2] = 1, 2
    return told
