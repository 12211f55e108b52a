"""Setups: strict reading, with a sentence for every mistake."""

import copy

import pytest

import bolicho
from bolicho import BadInput, IllegalAction

from .script import PLAIN, deal_for, legal, played


@pytest.fixture
def setup():
    return deal_for(PLAIN, [])


def broken(setup, change):
    setup = copy.deepcopy(setup)
    change(setup)
    return setup


def put(age, seat, place, card):
    def change(setup):
        setup["ages"][age][seat][place] = card

    return change


MISTAKES = {
    "boards must be 3 names": lambda s: s.pop("boards"),
    "one for each player": lambda s: s["boards"].pop(),
    "unknown board in the setup 'Giza A'": lambda s: s["boards"].__setitem__(0, "Giza A"),
    "the wonder Gizah is dealt twice": lambda s: s["boards"].__setitem__(1, "Gizah B"),
    "ages must be three lists": lambda s: s["ages"].pop(),
    "age II must have 3 hands": lambda s: s["ages"][1].pop(),
    "age III: seat 2 must hold 7 cards": lambda s: s["ages"][2][2].pop(),
    "unknown card of seat 0 in age I of the setup 'Tarven'": put(0, 0, 0, "Tarven"),
    "unknown card of seat 0 in age I of the setup '7'": put(0, 0, 0, 7),
    "seat 1 holds Palace, a card of age III": put(0, 1, 0, "Palace"),
    "age I has Tavern once; the deck for 3 players has it not at all": put(0, 0, 0, "Tavern"),
    "unknown key of a wonders setup 'coins'": lambda s: s.__setitem__("coins", [3, 3, 3]),
}


@pytest.mark.parametrize("sentence", MISTAKES)
def test_an_impossible_setup_is_refused(setup, sentence):
    with pytest.raises(BadInput) as refused:
        bolicho.game("wonders").setup(**broken(setup, MISTAKES[sentence]))
    assert sentence in str(refused.value)


def test_a_card_twice_is_refused(setup):
    hand = setup["ages"][0][0]
    with pytest.raises(BadInput, match=f"age I has {hand[1]} twice; the deck for 3 players has it once"):
        bolicho.game("wonders").setup(**broken(setup, put(0, 0, 0, hand[1])))


def test_guilds_must_be_two_more_than_players(setup):
    def one_more(setup):
        for hand in setup["ages"][2]:
            for i, card in enumerate(hand):
                if card == "Palace":
                    hand[i] = "Builders Guild"

    with pytest.raises(BadInput, match="age III has 6 guilds; the deck for 3 players has 5 different ones"):
        bolicho.game("wonders").setup(**broken(setup, one_more))


def test_sides_in_the_rules_hold_for_setups(setup):
    with pytest.raises(BadInput, match="Gizah A does not show side B"):
        bolicho.game("wonders", sides="B").setup(**setup)
    bolicho.game("wonders", sides="A").setup(**setup)


def test_more_boards_than_players_are_refused():
    setup = deal_for(("Gizah A", "Rhodos A", "Ephesos A", "Olympia B"), [])
    with pytest.raises(BadInput, match="boards must be 3 names"):
        bolicho.game("wonders").setup(**setup)
    assert bolicho.game("wonders", players=4).setup(**setup).turn == 0


@pytest.mark.parametrize(
    ("rules", "sentence"),
    [
        ({"players": 2}, "players must be 3 to 7"),
        ({"players": 8}, "players must be 3 to 7"),
        ({"trade": "dear"}, "unknown rule trade 'dear'"),
        ({"sides": "C"}, "unknown rule sides 'C'"),
    ],
)
def test_bad_rules_are_refused(rules, sentence):
    with pytest.raises(BadInput, match=sentence):
        bolicho.game("wonders", **rules)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("Loom", "an action is one of build, wonder, sell, free, revive and the name of a card"),
        ("build  Loom", "unknown card ' Loom'"),
        ("Build Loom", "an action is one of"),
        ("build Lom", "did you mean 'Loom'"),
        ("build Palace", "not legal here"),
        ("build Loom 0/0", "coins are chosen only when the rules say trade=choose"),
        ("", "an action is one of"),
    ],
)
def test_illegal_action_is_refused_with_the_ply_and_the_legal_actions(setup, text, why):
    table = bolicho.game("wonders").setup(**setup)
    before = table.pool.tobytes()
    with pytest.raises(IllegalAction) as refused:
        table.play(text)
    assert why in str(refused.value)
    assert "ply 0: seat 0 tried" in str(refused.value)
    assert min(legal(table)) in str(refused.value)
    assert table.pool.tobytes() == before


TWO_ORES = (("Gizah A", "Rhodos A", "Alexandria A"), [(None, None, "build Ore Vein")])
"""Both neighbours of seat 0 have ore."""


def test_with_a_choice_every_way_of_paying_is_an_action():
    table = played(*TWO_ORES, holds=["Barracks", "Altar"], trade="choose")
    assert {"build Barracks 2/0", "build Barracks 0/2", "build Altar"} <= legal(table)
    assert "build Barracks" not in legal(table)
    table.play("build Barracks 2/0")
    for _ in range(2):
        table.play(min(a for a in legal(table) if a.startswith("sell")))
    assert table.result()["coins"] == [6 - 2, 6 + 3 + 2, 3 + 3]


@pytest.mark.parametrize(
    ("text", "coins"), [("build Barracks 0/2", 2), ("build Barracks", 2), ("build Barracks 2/0", 0)]
)
def test_without_coins_an_action_pays_the_cheapest_way_and_the_right_first(text, coins):
    table = played(*TWO_ORES, holds=["Barracks"], trade="choose")
    table.play(text)
    assert table.actions[-1] == ("build Barracks 2/0" if coins == 0 else "build Barracks 0/2")
    for _ in range(2):
        table.play(min(a for a in legal(table) if a.startswith("sell")))
    assert table.result()["coins"][2] == 3 + 3 + coins


@pytest.mark.parametrize("text", ["build Barracks 1/1", "build Barracks 2/2", "build Altar 2/0", "sell Barracks 0/2"])
def test_invalid_way_of_paying_is_refused(text):
    table = played(*TWO_ORES, holds=["Barracks", "Altar"], trade="choose")
    with pytest.raises(IllegalAction, match=f"{text[-3:]} is no way to pay for it"):
        table.play(text)
