"""The compiled rules against a second engine, over whole random games of both kinds and many rules."""

import random

import pytest

import bolicho
from bolicho.games.dominoes.rules import HALVES, set_size

from .reference import name, start

CHOICES = {
    "reserve": [0, 0, 1, 2, 50],
    "opens": ["first", "double", "heaviest"],
    "arms_after": [0, 1, 2],
    "spinner": ["double", "sides"],
    "rounding": ["up", "nearest", "down", "none"],
    "multiple": [5, 3, 7, 4],
}


def random_rules(game, rng):
    names = [n for n in CHOICES if game == "fives" or n in ("reserve", "opens")]
    return {n: rng.choice(CHOICES[n]) for n in names if rng.random() < 0.5}


def entry_as_row(entry):
    """Return an entry of the log as the reference writes it."""
    rest = {
        "chose": lambda e: (e["action"],),
        "opens": lambda e: (e["tile"],),
        "drew": lambda e: (e["tile"],),
        "passed": lambda e: (),
        "points": lambda e: (e["points"],),
        "won": lambda e: (e["points"], e["blocked"]),
    }[entry["event"]]
    return (entry["event"], entry["seat"], *rest(entry))


def compare_games(game, highest, games, rng):
    blocked = spinners = 0
    for _ in range(games):
        rules = random_rules(game, rng)
        tiles = list(HALVES[: set_size(highest)])
        rng.shuffle(tiles)
        sizes = [rng.randint(1, min(9, len(tiles) // 2)) for _ in range(2)]
        hands = [tiles[: sizes[0]], tiles[sizes[0] : sum(sizes)]]
        boneyard = tiles[sum(sizes) : rng.randint(sum(sizes), len(tiles))]
        first = rng.choice([None, 0, 1])
        setup = {"hands": [list(map(name, hand)) for hand in hands], "boneyard": list(map(name, boneyard))}
        table = bolicho.game(game, highest=highest, hand=1, **rules).setup(
            **setup, **({} if first is None else {"first": first})
        )
        reference = start({"game": game, **rules}, hands, boneyard, first)
        while True:
            result = table.result()
            assert table.turn == reference.turn
            assert result["legal"] == reference.legal(), table.record()
            assert result["scores"] == reference.scores, table.record()
            assert [entry_as_row(entry) for entry in result["log"]] == reference.log
            assert [sorted(hand) for hand in result["hands"]] == [sorted(map(name, hand)) for hand in reference.hands]
            assert result["boneyard"] == list(map(name, reference.boneyard))
            assert result["ends"] == {side: reference.arms[side][0] for side in "lrud" if side in reference.arms}
            if game == "fives":
                assert table.view(0).total == (reference.total() if reference.arms else 0)
            if reference.turn is None:
                break
            action = rng.choice(reference.legal())
            table.play(action)
            reference.play(action)
        blocked += reference.log[-1][-1]
        spinners += reference.spinner is not None
    return blocked, spinners


@pytest.mark.parametrize("game", ["dominoes", "fives"])
def test_whole_games_of_double_six(game):
    blocked, spinners = compare_games(game, 6, 300, random.Random(f"{game} 6"))
    assert blocked > 20
    assert (spinners > 200) == (game == "fives")


@pytest.mark.parametrize(("game", "highest"), [("dominoes", 3), ("fives", 2), ("dominoes", 12), ("fives", 9)])
def test_whole_games_of_other_sets(game, highest):
    compare_games(game, highest, 30, random.Random(f"{game} {highest}"))
