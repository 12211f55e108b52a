"""Features of a view, each computed again in plain Python."""

import numpy as np
import pytest

import bolicho
from bolicho.games.wonders.cards import AGE, BOARDS, CARDS, COLOURS, NAME, RESOURCES, SYMBOLS
from bolicho.games.wonders.layout import BUILT, REVIVAL
from bolicho.games.wonders.rules import row_held

LABELS = [name if NAME[card] == card else f"{name} of age {AGE[card] + 1}" for card, name in enumerate(CARDS)]


def capped(amount, whole):
    return min(1, amount / whole)


def label(name, age):
    """Return the name of a card in a hand, with the age for the three names that two ages have."""
    return next(text for card, text in enumerate(LABELS) if CARDS[card] == name and AGE[card] == age - 1)


def around(view):
    """Return cards of hands that this seat has held this age and passed on, except its own plays and what was built."""
    s, age = view.state, view.age - 1
    turns = range(min(int(s["round"]), 5) + 1)
    rows = [row_held(view.seat, view.game.seats, age, turn) for turn in turns]  # held on each turn so far
    for row in set(rows) - {rows[-1]}:
        for place in range(rows.index(row), 7):
            mine = place < len(rows) and rows[place] == row
            if not mine and s["fate"][age, row, place] != BUILT:
                yield LABELS[s["cards"][age, row, place]]


def city_of(view, seat, whose):
    city, s = view.city(seat), view.state
    told = {f"{whose} {board}": float(board == city.board) for board in BOARDS}
    told |= {f"{whose} {colour} cards": capped(city.count(colour), 8) for colour in COLOURS}
    told |= {f"{whose} {symbol}s": capped(city.symbols[symbol], 4) for symbol in SYMBOLS}
    told |= {f"{whose} {raw}": capped(s["raw"][seat, 1 << i], 4) for i, raw in enumerate(RESOURCES[:4])}
    told |= {f"{whose} {good}": capped(s["goods"][seat, i], 2) for i, good in enumerate(RESOURCES[4:])}
    cheap = ("cheap on the left", "cheap on the right", "cheap goods")
    told |= {f"{whose} {what}": 2 - s["price"][seat, i] for i, what in enumerate(cheap)}
    rest = {
        "stages": city.stages / 4,
        "coins": capped(city.coins, 30),
        "shields": capped(city.shields, 12),
        "war points": city.victories / 18,
        "defeats": city.defeats / 6,
        "points": max(-1, capped(city.points["total"], 80)),
        "free building": s["free"][seat],
        "any raw material": capped(s["any_raw"][seat], 2),
        "any good": capped(s["any_goods"][seat], 2),
        "raw materials": capped(s["raw"][seat, 15], 8),
        "wild symbols": capped(city.wild, 4),
    }
    return told | {f"{whose} {what}": value for what, value in rest.items()}


def plain(view):
    """Return all features of the seat to act, by name."""
    s = view.state
    told = dict.fromkeys(view.game.feature_names, 0.0)
    told |= {f"{label(card, view.age)} in hand": 1 for card in view.hand}
    told |= {f"{text} around": 1 for text in around(view)}
    for action in view.legal:
        if action.startswith("build ") and s["phase"] != REVIVAL:
            price = view.cost(action)
            told[f"{LABELS[int(action)]} affordable"] = 1 - (price.left + price.right + price.bank) / 16
    for seat, whose, where in ((view.seat, "my", "mine"), (view.left, "left", "left"), (view.right, "right", "right")):
        told |= city_of(view, seat, whose) | {f"{card} {where}": 1 for card in view.city(seat).structures}
    others = [city_of(view, seat, "the") for seat in range(view.game.seats) if seat != view.seat]
    for what in ("coins", "shields", "points"):
        told[f"most {what} of the others"] = max(0, *(city[f"the {what}"] for city in others))
        told[f"mean {what} of the others"] = np.mean([city[f"the {what}"] for city in others])
    told["a stage can be raised"] = float(any(action.startswith("wonder") for action in view.legal))
    told |= {"my turn": 1, "hands pass right": view.age == 2, f"age {view.age}": 1, f"turn {view.round}": 1}
    return told | {("choosing", "reviving", "seventh card")[s["phase"]]: 1, f"{view.game.seats} players": 1}


@pytest.mark.parametrize("players", [3, 4, 7])
def test_every_feature_has_the_value_that_its_name_describes(players):
    rng = np.random.default_rng(players)
    compared = 0
    for seed in range(6):
        table = bolicho.game("wonders", players=players).deal(seed)
        while not table.over:
            view = table.view()
            if view.state["phase"] != REVIVAL:  # features have prices then too, although nothing can be built
                expected = plain(view)
                assert list(expected) == list(view.game.feature_names), "the names and their order"
                np.testing.assert_allclose(view.features(), list(expected.values()), atol=1e-6)
                compared += 1
            builds = [action for action in table.legal if not action.startswith("sell")] or table.legal
            table.play(builds[rng.integers(len(builds))])
    assert compared > 300
