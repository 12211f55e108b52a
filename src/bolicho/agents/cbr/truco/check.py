"""Validity rules of Truco cases, each with its error message.

A rule is a function that returns for all cases at once which of them break it; the error shows the row and the message.
"""

# ruff: noqa: D103  the functions' names describe the errors; RULES holds their messages

from functools import cache
from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray

from bolicho.agents.cbr.casebase import Cases, Rule, Schema
from bolicho.agents.cbr.truco import schema
from bolicho.agents.cbr.truco.compiled.hand import winner_of
from bolicho.games.truco.compiled.lexicon import ME, NOBODY, OTHER
from bolicho.games.truco.compiled.reading import ACCEPTED, RAISED, REFUSED, UNANSWERED
from bolicho.games.truco.compiled.reading import TIED as TIE
from bolicho.games.truco.kernel import envido_value, flor_value, is_flor
from bolicho.games.truco.lexicon import CLASS_CODES

Mask = NDArray[np.bool_]


def out_of_order(c: Cases) -> Mask:
    wrong: Mask = (c["high"] < c["mid"]) | (c["mid"] < c["low"])
    return wrong


@cache
def _hands() -> frozenset[tuple[int, ...]]:
    """Return every possible (high, mid, low, envido, flor) of three cards; flor 0 where it is not played."""
    found: set[tuple[int, ...]] = set()
    for hand in combinations(range(40), 3):
        codes = sorted((int(schema.CODE[card]) for card in hand), reverse=True)
        envido = int(envido_value(*hand))
        flor = int(flor_value(*hand)) if is_flor(*hand) else 0
        found |= {(*codes, envido, flor), (*codes, envido, 0)}
    return frozenset(found)


def impossible_hand(c: Cases) -> Mask:
    rows = zip(
        c["high"].tolist(), c["mid"].tolist(), c["low"].tolist(), c["envido"].tolist(), c["flor"].tolist(), strict=True
    )
    hands = _hands()
    return np.array([row not in hands for row in rows], bool)


def card_twice(c: Cases) -> Mask:
    seen = np.column_stack([c["high"], c["mid"], c["low"], c["theirs"]])
    wrong = np.zeros(len(c), bool)
    for code in CLASS_CODES:
        wrong |= (seen == code).sum(axis=1) > schema.COPIES[code]
    return wrong


def foreign_card(c: Cases) -> Mask:
    received = np.column_stack([c["high"], c["mid"], c["low"]])
    wrong = np.zeros(len(c), bool)
    for code in CLASS_CODES:
        wrong |= (c["card"] == code).sum(axis=1) > (received == code).sum(axis=1)
    return wrong


def wrong_winner(c: Cases) -> Mask:
    mine, theirs = c["card"], c["theirs"]
    winner = np.where(mine > theirs, ME, np.where(mine < theirs, OTHER, TIE))
    both = (mine != schema.NOT_PLAYED) & (theirs != schema.NOT_PLAYED)
    return np.asarray((c["winner"] != np.where(both, winner, NOBODY)).any(axis=1))


@cache
def _winners() -> NDArray[np.int8]:
    """Return the winner by cards, by the winners of the three rounds (NOBODY to TIE) and the mão."""
    every = product(range(4), range(4), range(4), range(3))
    return np.array([winner_of(*each) for each in every], np.int8).reshape(4, 4, 4, 3)


def _began(c: Cases) -> Mask:
    """Return (case, round): whether the round began."""
    first, second, _ = c["winner"].T
    decided = _winners()[first, second, NOBODY, c["mao"]] != NOBODY
    return np.column_stack([np.ones(len(c), bool), first != NOBODY, (second != NOBODY) & ~decided])


def round_too_early(c: Cases) -> Mask:
    played = (c["card"] != schema.NOT_PLAYED) | (c["theirs"] != schema.NOT_PLAYED) | (c["play"] != schema.NOT_PLAYED)
    called = np.zeros_like(played)
    for level in range(3):
        for r in range(3):
            called[:, r] |= c["truco_round"][:, level] == r + 1
    return np.asarray(((played | called) & ~_began(c)).any(axis=1))


def face_down_first(c: Cases) -> Mask:
    wrong: Mask = (c["card"][:, 0] == schema.FACE_DOWN_CODE) | (c["theirs"][:, 0] == schema.FACE_DOWN_CODE)
    return wrong


def wrong_play(c: Cases) -> Mask:
    wrong = np.zeros(len(c), bool)
    for r in range(3):
        card, play = c["card"][:, r], c["play"][:, r]
        left = _left(c, r)
        expected = np.where(
            card == schema.NOT_PLAYED, schema.NOT_PLAYED,
            np.where(card == schema.FACE_DOWN_CODE, schema.DOWN,
                     np.where((r == 2) | (card == left[:, 0]), schema.HIGH,
                              np.where((r == 0) & (card == left[:, min(1, 2 - r)]), schema.MID, schema.LOW))),
        )  # fmt: skip
        to_deck = (play == schema.DECK) & (card == schema.NOT_PLAYED) & (c["deck_by"] == ME)
        wrong |= (play != expected) & ~to_deck
    return np.asarray(wrong | ((c["deck_by"] == ME) != (c["play"] == schema.DECK).any(axis=1)))


def _left(c: Cases, r: int) -> NDArray[np.int8]:
    """Return the codes left before round r, strongest first."""
    left = np.column_stack([c["high"], c["mid"], c["low"]])
    for i in range(r):
        gone = np.argmax(left == c["card"][:, i : i + 1], axis=1)
        found = (left == c["card"][:, i : i + 1]).any(axis=1)
        gone = np.where(found, gone, 2 - i)  # face down: the lowest
        keep = np.arange(left.shape[1]) != gone[:, None]
        left = left[keep].reshape(len(c), -1)
    return left


def wrong_truco(c: Cases) -> Mask:
    by, when, answer = c["truco_by"], c["truco_round"], c["truco_answer"]
    wrong = ((by != NOBODY) != (when != 0)).any(axis=1) | ((by == NOBODY) & (answer != UNANSWERED)).any(axis=1)
    for level in (1, 2):
        called = by[:, level] != NOBODY
        wrong |= called & ((by[:, level - 1] == NOBODY) | (by[:, level - 1] == by[:, level]))
        wrong |= called & (when[:, level] < when[:, level - 1])
        wrong |= called & ~np.isin(answer[:, level - 1], (ACCEPTED, RAISED))
        wrong |= called & (answer[:, level - 1] == RAISED) & (when[:, level] != when[:, level - 1])
        wrong |= ~called & (answer[:, level - 1] == RAISED)
    wrong |= (answer[:, 2] == RAISED) | ((by != NOBODY) & (answer == UNANSWERED)).any(axis=1) & (c["hand_won"] != 0)
    return np.asarray(wrong)


def wrong_envido(c: Cases) -> Mask:
    envido, real, falta = c["envido_by"].T
    again = c["envido_again"]
    called = (envido != NOBODY) | (real != NOBODY) | (falta != NOBODY)
    wrong = (again != NOBODY) & ((envido == NOBODY) | (again == envido))
    last = np.where(again != NOBODY, again, envido)
    wrong |= (real != NOBODY) & (real == last)
    last = np.where(real != NOBODY, real, last)
    wrong |= (falta != NOBODY) & (falta == last)
    last = np.where(falta != NOBODY, falta, last)
    settled = np.isin(c["envido_answer"], (ACCEPTED, REFUSED))
    wrong |= called != (c["envido_answer"] != UNANSWERED)
    wrong |= settled != (c["envido_won"] != 0)
    wrong |= (c["envido_answer"] == REFUSED) & ((c["envido_won"] > 0) != (last == ME))
    return np.asarray(wrong)


def wrong_flor(c: Cases) -> Mask:
    mine = np.isin(c["flors"], (ME, 3))
    wrong = mine & (c["flor"] == 0)
    raised = (c["flor_by"] != NOBODY).any(axis=1) | (c["flor_answer"] != UNANSWERED)
    return np.asarray(wrong | (raised & (c["flors"] != 3)) | ((c["flor_won"] != 0) & (c["flors"] == NOBODY)))


def wrong_hand_points(c: Cases) -> Mask:
    accepted = np.isin(c["truco_answer"], (ACCEPTED, RAISED)).sum(axis=1)
    refused = c["truco_answer"] == REFUSED
    winner = _winners()[(*c["winner"].T, c["mao"])]
    for level in range(3):
        winner = np.where(refused[:, level], c["truco_by"][:, level], winner)
    winner = np.where(c["deck_by"] != NOBODY, 3 - c["deck_by"], winner)
    points = np.where(winner == ME, 1, np.where(winner == OTHER, -1, 0)) * (1 + accepted)
    return np.asarray(c["hand_won"] != points)


RULES: tuple[Rule, ...] = (
    ("the cards received must be given strongest first (high, mid, low)", out_of_order),
    ("no three cards have these codes, envido and flor points", impossible_hand),
    ("a card occurs more often than the deck has it", card_twice),
    ("player 1 plays a card it did not receive", foreign_card),
    ("no card is played face down in the first round", face_down_first),
    ("the winner of a round does not agree with its cards", wrong_winner),
    ("something happens in a round that never began", round_too_early),
    ("what was played does not agree with the cards left (play, card, deck_by)", wrong_play),
    ("the truco calls and answers cannot follow one another like this", wrong_truco),
    ("the envido calls, answer and points do not agree", wrong_envido),
    ("the flor calls, answer and points do not agree", wrong_flor),
    ("the points of the hand do not agree with how it ended", wrong_hand_points),
)

SCHEMA = Schema("truco", schema.CASE, schema.COLUMNS, RULES)
