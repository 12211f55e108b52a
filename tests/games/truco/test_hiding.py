"""Hidden information: views hold none, and redeals are uniform over the deals that a seat cannot tell apart."""

import json
import random
from collections import Counter
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2

import bolicho
from bolicho.games import kernel
from bolicho.games.game import Table, View
from bolicho.games.jit import njit
from bolicho.games.truco import kernel as k
from bolicho.games.truco.compiled.unseen import dealt_cards, hand_code
from bolicho.games.truco.rules import CARDS

from .knowledge import Deal, possible_deals
from .test_against_reference import choose, dealt, random_hands, random_rules

SIGNIFICANCE = 1e-6
"""Chance that one fair comparison would be called unfair; the seeds are fixed, so none is."""


@njit
def _guess(hidden, seat, seeds, out):
    """Redeal a hidden record once per seed: the other's cards, then those it played face down."""
    other = 1 - seat
    scratch = hidden.copy()
    for i in range(len(seeds)):
        scratch[0] = hidden[0]
        kernel.redeal(scratch[0], seat, seeds[i])
        for j in range(3):
            out[i, j] = scratch[0].dealt[other, j]
            out[i, 3 + j] = scratch[0].played[other, j]


def guesses(view: View, n: int) -> Counter[Deal]:
    out = np.zeros((n, 6), np.int8)
    _guess(view.pool, view.seat, np.arange(n, dtype=np.uint64), out)
    rows, times = np.unique(out, axis=0, return_counts=True)
    counted: Counter[Deal] = Counter()
    for row, count in zip(rows.tolist(), times.tolist(), strict=True):
        down = tuple(CARDS[card - k.FACE_DOWN] for card in row[3:] if card >= k.FACE_DOWN)
        counted[tuple(sorted(CARDS[card] for card in row[:3])), down] += count
    return counted


def replay(rules: dict[str, Any], setup: dict[str, Any], actions: list[str]) -> Table:
    table = bolicho.game("truco", **rules).setup(**setup)
    for action in actions:
        table.play(action)
    return table


# --- Uniformity of redeals ----------------------------------------------------------------------

PLAIN = ["1e 3p 4c", "2e 2p 5c"]
PAIRS = ["7e 6e 1c", "5p 4p 12o"]  # envido 33 and 29
TIED = ["7e 2e 12c", "5p 4p 1o"]  # envido 29 each
FLOR_MAO = ["7e 6e 1e", "5p 4p 12o"]
FLOR_PE = ["5p 4p 12o", "7e 6e 1e"]
FLORS = ["7e 6e 1e", "5p 4p 12p"]  # flor 34 and 29
TIED_FLORS = ["7e 2e 12e", "5p 4p 10p"]
PARDAS = ["3e 10p 5e", "3p 10o 5c"]

POSITIONS = [
    ("the mão at the start knows its cards alone", 0, PLAIN, "", {}, 7770),
    ("the pé at the start has heard no flor", 1, PLAIN, "", {}, None),
    ("without flor nothing is known at the start", 1, PLAIN, "", {"flor": False}, 7770),
    ("the mão after its card has heard no flor of the pé", 0, PLAIN, "1e", {}, None),
    ("the mão after its truco has heard no flor of the pé", 0, PLAIN, "truco", {}, None),
    ("the pé after the mão's card", 1, PLAIN, "1e", {}, None),
    ("the pé after two of the mão's cards", 1, PLAIN, "1e, 2e, 3p", {}, None),
    ("one card left to guess", 0, PARDAS, "3e, 3p, 10p, 10o", {}, 35),
    ("the pé's flor announced on a card", 0, FLOR_PE, "5p", {}, None),
    ("the pé's flor announced on a voided envido", 0, FLOR_PE, "envido", {}, None),
    ("the pé's flor and one card of it", 0, FLOR_PE, "5p, 7e", {}, None),
    ("the mão's flor, seen by the pé", 1, FLOR_MAO, "", {}, None),
    ("the mão's flor alone: the pé has none", 0, FLOR_MAO, "", {}, None),
    ("an envido refused tells nothing", 0, PAIRS, "envido, nao", {}, None),
    ("an envido won by the mão, seen by the winner", 0, PAIRS, "envido, quero", {}, None),
    ("an envido won by the mão, seen by the loser", 1, PAIRS, "envido, quero", {}, None),
    ("an envido won by the pé, seen by the winner", 1, PAIRS[::-1], "envido, quero", {}, None),
    ("an envido won by the pé, seen by the loser", 0, PAIRS[::-1], "envido, quero", {}, None),
    ("a tied envido, seen by the mão", 0, TIED, "envido, quero", {}, None),
    ("a tied envido, seen by the pé", 1, TIED, "envido, quero", {}, None),
    ("an envido won with three cards of a suit", 1, FLOR_MAO, "falta, nao, 7e", {"flor": False}, None),
    ("an envido lost to three cards of a suit", 1, FLOR_MAO, "envido, quero", {"flor": False}, None),
    ("an envido of nothing leaves few hands", 0, ["12e 1p 10c", "11o 10p 12c"], "envido, quero", {}, None),
    ("an envido lost and a card shown", 1, PAIRS, "envido, quero, 7e, 5p", {}, None),
    ("an envido lost and two cards shown", 1, PAIRS, "envido, quero, 1c, 5p, 7e", {}, None),
    ("a card face down", 1, PLAIN, "1e, 2e, virada 3p", {}, None),
    ("a card face down after a lost envido", 1, PAIRS, "envido, quero, 1c, 5p, virada 7e", {}, None),
    ("a card face down after an announced flor", 0, FLOR_PE, "5p, 7e, virada 6e", {}, None),
    ("two cards face down", 1, PARDAS, "3e, 3p, virada 10p, virada 10o, virada 5e", {}, None),
    ("two cards face down, at the end of the hand", 0, PARDAS, "3e, 3p, 10p, virada 10o", {}, None),
    ("both flors, before the answer", 0, FLORS, "", {}, None),
    ("both flors compared, seen by the winner", 0, FLORS, "flor", {}, None),
    ("both flors compared, seen by the loser", 1, FLORS, "flor", {}, None),
    ("both flors compared, won by the pé", 1, FLORS[::-1], "flor", {}, None),
    ("both flors compared, lost by the mão", 0, FLORS[::-1], "contraflor, quero", {}, None),
    ("both flors tied, seen by the mão", 0, TIED_FLORS, "contraflor, quero", {}, None),
    ("both flors tied, seen by the pé", 1, TIED_FLORS, "contraflor, quero", {}, None),
    ("a refused contra flor tells only of the flor", 0, FLORS, "contraflor, nao", {}, None),
    ("a hand given up shows nothing", 1, PLAIN, "baralho", {}, None),
    ("an envido before a pending truco", 0, PAIRS, "truco, envido, quero", {"envido_first": True}, None),
]


@pytest.mark.parametrize(
    ("seat", "hands", "actions", "rules", "count"),
    [position[1:] for position in POSITIONS],
    ids=[position[0] for position in POSITIONS],
)
def test_redeals_are_uniform_over_the_deals_the_seat_cannot_tell_apart(
    seat: int, hands: list[str], actions: str, rules: dict[str, Any], count: int | None
) -> None:
    cards = [hand.split() for hand in hands]
    said = [action.strip() for action in actions.split(",") if action]
    rules = {"hands": 1, **rules}
    possible = possible_deals(seat, rules, cards, 0, [0, 0], said)
    assert count is None or len(possible) == count
    view = replay(rules, {"hands": cards, "scores": [0, 0]}, said).view(seat)
    samples = max(10 * len(possible), 1000)
    guessed = guesses(view, samples)
    assert set(guessed) <= possible
    expected = samples / len(possible)
    statistic = sum((guessed[deal] - expected) ** 2 / expected for deal in possible)
    if len(possible) > 1:
        assert chi2.sf(statistic, len(possible) - 1) > SIGNIFICANCE
        # A distribution that is too even would be as suspicious as one that is too uneven.
        assert chi2.cdf(statistic, len(possible) - 1) > SIGNIFICANCE


def test_positions_have_few_and_many_deals_so_that_both_methods_of_redealing_run() -> None:
    sizes = {
        len(possible_deals(seat, {"hands": 1, **rules}, [h.split() for h in hands], 0, [0, 0], actions.split(", ")))
        for _, seat, hands, actions, rules, _ in POSITIONS
        if actions.count(",") == 1
    }
    assert min(sizes) < 100 < 1000 < max(sizes)


@pytest.mark.parametrize("seed", range(12))
def test_redeals_of_random_positions_are_possible_deals(seed: int) -> None:
    rng = random.Random(seed)
    table, setup = random_table(rng)
    rules = table.game.options
    seat = rng.randrange(2)
    actions = [str(action) for action in table.actions]
    possible = possible_deals(seat, rules, setup["hands"], setup["mao"], setup["scores"], actions)
    guessed = guesses(table.view(seat), 3000)
    assert set(guessed) <= possible
    if len(possible) < 100:
        assert set(guessed) == possible


# --- Hidden cards and views ---------------------------------------------------------------------


def random_table(rng: random.Random) -> tuple[Table, dict[str, Any]]:
    """Return a random position of a single hand, not later than its end."""
    rules = {**random_rules(rng), "hands": 1}
    target = rules.get("target", 24)
    setup = {
        "mao": rng.randrange(2),
        "hands": random_hands(rng),
        "scores": [rng.randrange(target), rng.randrange(target)],
    }
    table = bolicho.game("truco", **rules).setup(**setup)
    for _ in range(rng.randrange(14)):
        if not table.over:
            table.play(choose(rng, sorted(map(str, table.legal))))
    return table, setup


def random_match(rng: random.Random) -> Table:
    """Return a random position of a match, some hands into it."""
    rules = {**random_rules(rng), "hands": 0}
    table = bolicho.game("truco", **rules).deal(rng.randrange(2**64))
    for _ in range(rng.randrange(60)):
        if not table.over:
            table.play(choose(rng, sorted(map(str, table.legal))))
    return table


def seen_by(table: Table, seat: int) -> dict[str, Any]:
    """Return everything that a view shows."""
    view = table.view(seat)
    return {
        "bytes": view.pool.tobytes(),
        "history": view.history,
        "legal": view.legal,
        "text": str(view),
        "drawing": view.svg(),
        "features": view.features().tolist(),
        "scores": view.scores,
    }


positions = st.randoms(use_true_random=False)
seats = st.integers(0, 1)
seeds = st.integers(0, 2**64 - 1)


@settings(max_examples=200, deadline=None)
@given(positions, seats, seeds)
def test_view_of_a_redeal_has_the_bytes_of_the_original_view(rng: random.Random, seat: int, seed: int) -> None:
    view = random_match(rng).view(seat)
    again = view.redeal(seed).view(seat)
    assert again.pool.tobytes() == view.pool.tobytes()
    assert again.legal == view.legal


@settings(max_examples=200, deadline=None)
@given(positions, seats, seeds)
def test_replayed_redeal_looks_the_same_to_the_seat(rng: random.Random, seat: int, seed: int) -> None:
    """Deal the guessed cards, play the same game, and compare everything the seat is given."""
    table, setup = random_table(rng)
    guess = table.view(seat).redeal(seed)
    down = iter(CARDS[card - k.FACE_DOWN] for card in guess.state["played"][1 - seat].tolist() if card >= k.FACE_DOWN)
    other = bolicho.game("truco", **table.game.options).setup(**{**setup, "hands": dealt(guess)})
    for action in table.actions:
        is_hidden = action.startswith("virada") and other.turn != seat
        other.play(f"virada {next(down)}" if is_hidden else action)
    assert seen_by(other, seat) == seen_by(table, seat)


@settings(max_examples=100, deadline=None)
@given(positions, seats)
def test_no_unseen_card_is_in_a_view(rng: random.Random, seat: int) -> None:
    table = random_match(rng)
    view, state = table.view(seat), table.state
    seen = {card for card in state["played"][1 - seat].tolist() if 0 <= card < k.FACE_DOWN}
    assert {card for card in view.state["dealt"][1 - seat].tolist() if card != k.NONE} == seen
    assert set(view.state["hands"][1 - seat].tolist()) == {k.NONE}
    assert {card for card in view.state["played"][1 - seat].tolist() if card >= k.FACE_DOWN} == set()
    assert view.state["seed"] == 0
    assert view.state["dealt"][seat].tolist() == state["dealt"][seat].tolist()
    unseen = set(state["dealt"][1 - seat].tolist()) - seen
    lines = str(view).replace(",", " ").split()
    assert not {CARDS[card] for card in unseen} & set(lines)


@settings(max_examples=100, deadline=None)
@given(positions)
def test_a_view_has_the_same_legal_actions_and_features_as_the_table(rng: random.Random) -> None:
    table = random_match(rng)
    for seat in range(2):
        assert table.view(seat).legal == (table.legal if seat == table.turn else ())
    for seat in range(2):
        numbers = table.view(seat).features()
        assert np.array_equal(numbers, table.open_view(seat).features())
        assert (np.abs(numbers) <= 1).all()


@settings(max_examples=100, deadline=None)
@given(positions, seats)
def test_history_of_a_seat_holds_calls_and_no_card_face_down(rng: random.Random, seat: int) -> None:
    table = random_match(rng)
    chosen = [entry["action"] for entry in table.view(seat).history if entry["event"] == "chose"]
    assert chosen == ["virada" if action.startswith("virada") else action for action in table.actions]
    json.dumps(table.view(seat).history)


def test_the_loser_of_an_envido_reveals_nothing() -> None:
    lost = [
        replay({"hands": 1}, {"hands": [["7e", "6e", "1c"], hand]}, ["envido", "quero"])
        for hand in (["5p", "4p", "12o"], ["1o", "2p", "3c"])
    ]
    assert seen_by(lost[0], 0) == seen_by(lost[1], 0)
    shown = [entry for entry in lost[0].view(0).history if entry["event"] == "shown"]
    assert shown == [{"event": "shown", "seat": 0, "envido": 33}]


def test_next_hands_of_a_redeal_are_not_those_of_the_match() -> None:
    table = bolicho.game("truco", flor=False).deal(5)
    upcoming = []
    for match in (table.copy(), table.view(0).redeal(1), table.view(0).redeal(2)):
        match.play("baralho")
        upcoming.append(json.dumps(dealt(match)))
    assert len(set(upcoming)) == 3


# --- Own cards in the log -----------------------------------------------------------------------


def test_every_hand_of_three_cards_has_a_code_of_its_own():
    hands = list(combinations(range(40), 3))
    codes = [int(hand_code(*hand)) for hand in hands]
    assert sorted(codes) == list(range(1, len(hands) + 1)) and max(codes) <= np.iinfo(np.int16).max
    assert [dealt_cards(code) for code in codes] == hands
    assert dealt_cards(0) == (k.NONE, k.NONE, k.NONE)


def test_log_of_a_seat_holds_its_own_cards_of_every_hand_and_no_others():
    for seed in range(5):
        table, rng, held = bolicho.game("truco").deal(seed), random.Random(seed), {}
        while not table.over:
            held[int(table.state["hand_number"])] = table.state["dealt"].tolist()
            table.play(rng.choice(table.legal))
        for seat in range(2):
            rows = table.view(seat).rows
            told = {int(row[2]): list(dealt_cards(row[3])) for row in rows if row[0] == k.DEALT}
            assert told.items() >= {number: cards[seat] for number, cards in held.items()}.items()
