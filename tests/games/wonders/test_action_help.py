"""Help for 7 Wonders at the table: effects of cards, possible actions, and why others are impossible."""

import numpy as np
import pytest

import bolicho
from bolicho.games.kind import copy_pool
from bolicho.games.wonders import layout as st
from bolicho.games.wonders.action_help import action_help, refusal
from bolicho.games.wonders.building import gives, lacking, status, why_not
from bolicho.games.wonders.cards import CARDS, GIVES, NUM_CARDS
from bolicho.games.wonders.compiled import calls
from bolicho.games.wonders.compiled.payment import IMPOSSIBLE
from bolicho.games.wonders.text import find_card
from bolicho.i18n import catalogue

from .script import IDLE, PLAIN, played


def games(rules=({}, {"trade": "choose"}, {"players": 5}), count=9):
    """Yield every position of some random games."""
    rng = np.random.default_rng(1)
    for seed in range(count):
        table = bolicho.game("wonders", **rules[seed % len(rules)]).deal(seed)
        while not table.over:
            yield table
            table.play(table.legal[int(rng.integers(len(table.legal)))])


ENGLISH = catalogue("en")


def help_by_heading(view):
    """Return the sentences of the help, by heading."""
    return {heading: ENGLISH.say(remark) for heading, remark in action_help(view)}


def test_help_calls_a_card_possible_exactly_when_it_is_legal():
    seen = set()
    for table in games():
        view, legal = table.view(), " ".join(table.legal)
        said = help_by_heading(view)
        if view.state["phase"] == st.REVIVAL:
            assert set(said) == {"", *table.legal}
            continue
        for card in set(view.hand):
            possible = any(action == f"build {card}" or action.startswith(f"build {card} ") for action in table.legal)
            assert ("You can build it" in said[card]) == possible
            assert ("Not possible" in said[card]) != possible
            seen |= {word for word in ("already", "lack", "it takes") if word in said[card]}
        assert ("You can build it" in said["wonder"]) == ("wonder " in legal)
        assert ("free" in said) == bool(view.state["free"][view.seat]) and "sell" in said
    assert seen == {"already", "lack", "it takes"}


def impossible(pool, seat, card):
    return calls.price(pool, seat, st.BUILD * NUM_CARDS + card)[0] == IMPOSSIBLE


def test_lacking_resources_are_exactly_those_that_make_a_card_possible():
    tried = 0
    for table in games(count=4):
        view = table.view()
        for card in {find_card(name, view.age - 1) for name in view.hand}:
            why = why_not(view, st.BUILD, card, *status(view, st.BUILD, card))
            found = lacking(view, card) if why is None or why.key != "wonders.why.built" else []
            if not found or not impossible(view.pool, view.seat, card):
                continue
            raw = sum(units for units, kinds in found if set(kinds) <= {"wood", "stone", "ore", "clay"})
            goods = sum(units for units, _ in found) - raw
            pool = copy_pool(view.pool)
            pool["any_raw"][0, view.seat] += raw
            pool["any_goods"][0, view.seat] += goods
            assert not impossible(pool, view.seat, card)
            for kind, units in (("any_raw", raw), ("any_goods", goods)):
                if units:
                    pool[kind][0, view.seat] -= 1
                    assert impossible(pool, view.seat, card)
                    pool[kind][0, view.seat] += 1
                    tried += 1
    assert tried > 20


def test_the_missing_resource_is_named():
    table = played(PLAIN, [], holds=["Stockade", "Apothecary", "Barracks", "Altar"])
    said = help_by_heading(table.view())
    assert "you and your neighbours lack 1 wood" in said["Stockade"]
    assert "you and your neighbours lack 1 cloth" in said["Apothecary"]
    assert "You can build it: 2 to left" in said["Barracks"]
    assert said["Altar"] == "blue; gives 2 points; costs nothing. You can build it: free"
    assert said["wonder"].startswith("stage 1 of 3") and "3 points" in said["wonder"] and "2 stone" in said["wonder"]


def test_help_says_that_a_card_is_already_built():
    table = played(PLAIN, [("build Loom", None, None), *[IDLE] * 5], holds=["Loom"])
    assert "it stands in your city already" in help_by_heading(table.view())["Loom"]


@pytest.mark.parametrize(
    ("typed", "why"),
    [
        ("build stockade", "Stockade: you and your neighbours lack 1 wood"),
        ("BUILD STOCK", "Stockade: you and your neighbours lack 1 wood"),
        ("wonder Altar", "Altar: you and your neighbours lack 1 stone"),
        ("altar", "say what to do with Altar"),
        ("build Palace", "Palace is not in your hand"),
        ("free Altar", "cannot build for nothing"),
        ("revive Altar", "only when a stage of your wonder"),
        ("build", "an action is one of build, wonder"),
        ("build Nothing", "an action is one of build, wonder"),
    ],
)
def test_refusal_gives_the_reason(typed, why):
    table = played(PLAIN, [], holds=["Stockade", "Apothecary", "Barracks", "Altar"])
    assert why in ENGLISH.say(refusal(table.view(), typed))


def test_effects_of_cards_and_stages_are_written_in_words():
    for number, written in enumerate(GIVES):
        if written:
            sentence = ENGLISH.say(gives(number))
            assert sentence and not {"own", "next", "per", "raw", "trade"} & set(sentence.split()), sentence
    said = {name: ENGLISH.say(gives(CARDS.index(name))) for name in CARDS}
    assert said["Vineyard"] == "1 coin for each brown card in your city and the neighbouring ones"
    assert said["Shipowners Guild"] == "1 point for each brown, grey or purple card in your city"
    assert said["Caravansery"] == "wood, stone, ore or clay each turn"
    assert said["Sawmill"] == "2 wood each turn"
    assert said["Workshop"] == "gear"
