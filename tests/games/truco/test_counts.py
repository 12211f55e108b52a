"""Exact counts and values of Truco, over every one of its hands."""

from itertools import combinations
from math import comb

import numpy as np
import pytest

import bolicho
from bolicho.games.jit import njit
from bolicho.games.truco import kernel as k
from bolicho.games.truco.rules import CARDS

STRONGEST_FIRST = (
    "1e > 1p > 7e > 7o > 3e=3p=3c=3o > 2e=2p=2c=2o > 1c=1o > 12e=12p=12c=12o > 11e=11p=11c=11o"
    " > 10e=10p=10c=10o > 7p=7c > 6e=6p=6c=6o > 5e=5p=5c=5o > 4e=4p=4c=4o"
)
HANDS = list(combinations(range(40), 3))


@njit
def _measure(hands, out):
    for i in range(len(hands)):
        a, b, c = hands[i]
        out[i, 0] = k.envido_value(a, b, c)
        out[i, 1] = k.is_flor(a, b, c)
        out[i, 2] = k.flor_value(a, b, c)
        out[i, 3] = k.strength(a) * 10000 + k.strength(b) * 100 + k.strength(c)


@pytest.fixture(scope="module")
def measured() -> np.ndarray:
    """Return for every hand: envido, whether it is a flor, flor points, its three strengths."""
    out = np.zeros((len(HANDS), 4), np.int64)
    _measure(np.array(HANDS), out)
    return out


def points(card: int) -> int:
    number = int(CARDS[card][:-1])
    return number if number < 10 else 0


def test_the_deck_has_forty_different_cards_of_four_suits() -> None:
    assert len(set(CARDS)) == 40
    assert {card[-1] for card in CARDS} == set("epco")
    assert {int(card[:-1]) for card in CARDS} == {1, 2, 3, 4, 5, 6, 7, 10, 11, 12}


def test_there_are_9880_hands_and_7770_second_hands() -> None:
    assert len(HANDS) == comb(40, 3) == 9880
    assert sum(1 for hand in HANDS if not set(hand) & {0, 13, 27}) == comb(37, 3) == 7770


def test_the_fourteen_strength_classes_are_in_order() -> None:
    classes = [group.split("=") for group in STRONGEST_FIRST.split(" > ")]
    expected = {card: 14 - place for place, group in enumerate(classes) for card in group}
    assert len(classes) == 14
    assert {card: int(k.STRENGTH[number]) for number, card in enumerate(CARDS)} == expected


def test_a_card_face_down_has_no_strength() -> None:
    assert [int(k.STRENGTH[k.FACE_DOWN + card]) for card in range(40)] == [0] * 40


def test_there_are_502_strength_multisets(measured: np.ndarray) -> None:
    codes = [int(code) for code in measured[:, 3]]
    multisets = {tuple(sorted((code // 10000, code // 100 % 100, code % 100))) for code in codes}
    assert len(multisets) == 502


def test_480_hands_are_a_flor(measured: np.ndarray) -> None:
    assert measured[:, 1].sum() == 4 * comb(10, 3) == 480
    assert measured[:, 1].tolist() == [len({CARDS[card][-1] for card in hand}) == 1 for hand in HANDS]


def test_envido_of_every_hand(measured: np.ndarray) -> None:
    expected = [
        max(
            [20 + points(a) + points(b) for a, b in combinations(hand, 2) if CARDS[a][-1] == CARDS[b][-1]]
            or [points(card) for card in hand]
        )
        for hand in HANDS
    ]
    assert measured[:, 0].tolist() == expected


def test_envido_has_22_values(measured: np.ndarray) -> None:
    assert sorted(set(measured[:, 0].tolist())) == [*range(8), *range(20, 34)]


def test_flor_points_of_every_flor(measured: np.ndarray) -> None:
    flors = [(hand, row[2]) for hand, row in zip(HANDS, measured, strict=True) if row[1]]
    assert [row for _, row in flors] == [20 + sum(points(card) for card in hand) for hand, _ in flors]
    assert {int(row) for _, row in flors} == set(range(20, 39))


def test_every_action_has_a_text_and_reads_back_as_itself() -> None:
    game = bolicho.game("truco")
    table = game.deal(0)
    texts = [game.action(table.state, number) for number in range(game.num_actions)]
    assert len(set(texts)) == game.num_actions == 40 + 40 + 12
    assert [game.kind.read_action(table.state, text) for text in texts] == list(range(game.num_actions))


def test_deals_are_uniform_over_cards_and_seats() -> None:
    game = bolicho.game("truco", hands=1, flor=False)
    counts = np.zeros((2, 40))
    deals = 6000
    for seed in range(deals):
        state = game.deal(seed).state
        assert len({*state["dealt"].ravel().tolist()}) == 6
        for seat in range(2):
            counts[seat, state["dealt"][seat]] += 1
    expected = deals * 3 / 40
    # Three different cards a deal: counts vary less than those of independent draws, and the sum is fixed.
    chi_square = ((counts - expected) ** 2).sum(axis=1) / (expected * (1 - 3 / 40)) * (39 / 40)
    assert (chi_square < 85).all(), chi_square  # 39 degrees of freedom: beyond 85 once in 30,000
