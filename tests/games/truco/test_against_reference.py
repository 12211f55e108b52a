"""The compiled rules against a second engine written from the rules alone, step by step."""

import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

import bolicho
from bolicho.games.game import Game, Table
from bolicho.games.truco.rules import CARDS

from .reference import DECK, Reference, has_flor

EAGER = {"baralho": 0.1, "nao": 0.5}
"""Weights of actions that end a hand early; the rest weigh 1, so that hands go deep."""


def dealt(table: Table) -> list[list[str]]:
    return [[CARDS[card] for card in hand] for hand in table.state["dealt"]]


def random_rules(rng: random.Random) -> dict[str, Any]:
    """Some rules of the game, each changed one time in two."""
    choices: dict[str, list[Any]] = {
        "target": [1, 2, 5, 12, 24, 30, 100],
        "hands": [0, 0, 1, 2, 7],
        "face_down": [False, True],
        "envido_first": [False, True],
        "envido_envido": [False, True],
        "flor": [False, True, True, True],
        "flor_points": [0, 1, 3, 5],
        "contra_flor_points": [0, 6, 8],
        "contra_flor_refused": [0, 4, 5],
        "resto_refused": [0, 6, 7],
    }
    return {name: rng.choice(values) for name, values in choices.items() if rng.random() < 0.5}


def random_hands(rng: random.Random) -> list[list[str]]:
    """Two hands; in half of the draws one or both are flors, which chance alone seldom deals."""
    while True:
        cards = rng.sample(DECK, 6)
        hands = [cards[:3], cards[3:]]
        wanted = rng.random()
        flors = sum(has_flor(hand) for hand in hands)
        if wanted > 0.5 or flors >= (1 if wanted > 0.25 else 2):
            return hands
        for seat in range(2 if wanted < 0.25 else 1):
            suit = rng.choice("epco")
            hands[seat] = rng.sample([card for card in DECK if card[-1] == suit], 3)
        if len({*hands[0], *hands[1]}) == 6:
            rng.shuffle(hands)
            return hands


def choose(rng: random.Random, legal: list[str]) -> str:
    return rng.choices(legal, [EAGER.get(action, 1.0) for action in legal])[0]


def assert_same(table: Table, reference: Reference, context: object) -> None:
    here = (table.over, table.turn, table.scores, sorted(map(str, table.legal)))
    there = (reference.over, reference.turn, reference.scores, reference.legal)
    assert here == there, (context, table.record(), dealt(table))
    if not table.over:
        assert int(table.state["mao"]) == reference.hand.mao


def play_both(table: Table, reference: Reference, rng: random.Random) -> Iterator[tuple[str, int]]:
    """Play both engines to the end with the same random actions, and yield each action and its round."""
    assert_same(table, reference, "deal")
    while not table.over:
        action = choose(rng, reference.legal)
        yield action, int(table.state["round"])
        table.play(action)
        reference.play(action)
        assert_same(table, reference, action)


def tables(rng: random.Random, n: int) -> Iterator[tuple[Table, Reference]]:
    """Yield random beginnings: deals and setups, in turn, under random rules."""
    games: list[Game] = []
    for i in range(n):
        if i % 10 == 0:
            games = [bolicho.game("truco", **random_rules(rng))]
        game = games[0]
        if i % 4 == 0:
            table = game.deal(rng.randrange(2**64))
            start, mao = [0, 0], 0
        else:
            mao, target = rng.randrange(2), game.rules.target
            start = [rng.randrange(target), rng.randrange(target)]
            table = game.setup(hands=random_hands(rng), mao=mao, scores=start)
        yield table, Reference(game.options, lambda table=table: dealt(table), mao, start)


@pytest.mark.parametrize("seed", range(8))
def test_both_engines_agree_at_every_step(seed: int) -> None:
    rng = random.Random(seed)
    for table, reference in tables(rng, 250):
        for _ in play_both(table, reference, rng):
            pass


def test_the_comparison_reaches_every_kind_of_action_in_every_round() -> None:
    rng = random.Random(2024)
    reached: Counter[tuple[str, int]] = Counter()
    for table, reference in tables(rng, 400):
        for action, played_in in play_both(table, reference, rng):
            kind = "virada" if action.startswith("virada") else "card" if action in DECK else action
            reached[kind, played_in] += 1
    first = ["card", "truco", "retruco", "vale4", "quero", "nao", "baralho"]
    first += ["envido", "real", "falta", "flor", "contraflor", "resto"]
    later = ["card", "virada", "truco", "retruco", "vale4", "quero", "nao", "baralho"]
    everything = {(kind, 0) for kind in first} | {(kind, round_) for kind in later for round_ in (1, 2)}
    assert set(reached) == everything
    assert min(reached.values()) >= 5
