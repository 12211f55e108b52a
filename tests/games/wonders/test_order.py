"""Order of play: payments between neighbours, beginning and end of rights, and the end of an age."""

import pytest

from bolicho.games.jit import njit
from bolicho.games.wonders.cards import BOARDS, CARDS, stage_cost
from bolicho.games.wonders.compiled import calls
from bolicho.games.wonders.compiled.scoring import POINT_KINDS, science
from bolicho.games.wonders.kernel import build, gain

from .script import IDLE, PLAIN, legal, played, points


def coins(table):
    return table.result()["coins"]


def events(table, kind):
    return [entry for entry in table.log if entry["event"] == kind]


def sell(table):
    table.play(min(action for action in legal(table) if action.startswith("sell")))


# --- Trade --------------------------------------------------------------------------------------


def test_among_equal_prices_the_left_neighbour_is_paid_least():
    table = played(
        ("Gizah A", "Rhodos A", "Ephesos A"), [(None, None, "build Ore Vein"), ("build Barracks", None, None)]
    )
    assert coins(table) == [3 + 3 - 2, 3 + 3 + 3, 3 + 3 + 2]


@pytest.mark.parametrize(("post", "left", "right"), [("West", 1, 0), ("East", 0, 1)])
def test_the_west_post_is_for_the_left_neighbour_and_the_east_post_for_the_right(post, left, right):
    turns = [(f"build {post} Trading Post", None, "build Ore Vein"), ("build Barracks", None, None)]
    table = played(("Gizah A", "Rhodos A", "Ephesos A"), turns)
    assert coins(table) == [3 - 1, 3 + 3 + 3 + left, 3 + 3 + right]


def test_the_marketplace_is_for_goods_only():
    boards = ("Gizah A", "Rhodos A", "Ephesos A")
    table = played(boards, [("build Marketplace", None, None), ("build Scriptorium", None, None)])
    assert coins(table)[0] == 3 - 1
    table = played(boards, [("build Marketplace", None, None), ("build Barracks", None, None)])
    assert coins(table)[0] == 3 - 2


def test_olympia_b_trades_raw_materials_only():
    boards = ("Olympia B", "Rhodos A", "Ephesos A")
    turns = [("build Lumber Yard", None, None), ("wonder Altar", None, None)]
    assert coins(played(boards, [*turns, ("build Barracks", None, None)]))[0] == 3 - 1
    assert coins(played(boards, [*turns, ("build Scriptorium", None, None)]))[0] == 3 - 2


def test_a_chain_is_free_of_coins_and_resources():
    turns = [("build Theater", None, None), *[IDLE] * 5]
    table = played(PLAIN, [*turns, ("build Statue", None, None)])
    assert coins(table)[0] == 3 + 5 * 3
    assert events(table, "built")[-1]["how"] == "chain"


# --- Names --------------------------------------------------------------------------------------


def test_a_name_already_built_may_be_sold_or_go_under_a_stage_but_not_be_built():
    boards = ("Olympia A", "Gizah A", "Ephesos A")
    turns = [
        ("build Loom", None, None), ("build Lumber Yard", None, None), ("wonder Altar", None, None),
        ("build Stone Pit", None, None), ("wonder Baths", None, None), IDLE,
    ]  # fmt: skip
    table = played(boards, turns, holds=["Loom", "Press"])
    assert {"free Press", "build Press", "sell Loom", "sell Press"} <= legal(table)
    assert not {"free Loom", "build Loom"} & legal(table)


# --- Olympia A ----------------------------------------------------------------------------------

OLYMPIA = ("Olympia A", "Gizah A", "Ephesos A")
TO_THE_RIGHT = [
    ("build Lumber Yard", None, None), ("wonder Altar", None, None), ("build Stone Pit", None, None),
]  # fmt: skip


def test_a_free_build_comes_from_the_turn_after_the_stage_once_an_age():
    table = played(OLYMPIA, TO_THE_RIGHT, holds=["Barracks"])
    assert not any(action.startswith("free") for action in legal(table))
    turns = [*TO_THE_RIGHT, ("wonder Baths", None, None)]
    table = played(OLYMPIA, [*turns, ("free Barracks", None, None)])
    assert coins(table)[0] == 3 - 2  # a stone from Gizah for the stage
    assert table.view(0).shields[0] == 1
    assert not any(action.startswith("free") for action in legal(table))
    table = played(OLYMPIA, [*turns, ("free Barracks", None, None), IDLE], holds=["Walls"])
    assert "free Walls" in legal(table)


def test_a_right_to_build_for_free_is_one_an_age_even_when_it_was_not_used():
    turns = [*TO_THE_RIGHT, ("wonder Baths", None, None), IDLE, IDLE, ("free Walls", None, None)]
    assert not any(action.startswith("free") for action in legal(played(OLYMPIA, turns)))


def test_every_card_not_yet_built_may_be_free_also_one_that_costs_nothing():
    table = played(OLYMPIA, [*TO_THE_RIGHT, ("wonder Baths", None, None), IDLE, IDLE], holds=["Vineyard", "Walls"])
    assert {f"free {card}" for card in table.view(0).hand} <= legal(table)


# --- Halikarnassos ------------------------------------------------------------------------------

HALIKARNASSOS = ("Halikarnassos B", "Rhodos A", "Gizah A")


def test_an_empty_pile_loses_the_right():
    turns = [("build Ore Vein", "build Press", "build Stone Pit"), ("wonder Altar", "build Baths", "build Loom")]
    table = played(HALIKARNASSOS, turns)
    assert table.turn == 0
    assert table.view(0).round == 3
    assert events(table, "no revival") == [{"event": "no revival", "seat": 0, "stage": 1}]


def test_pile_with_only_built_names_loses_the_right():
    boards = ("Halikarnassos B", "Rhodos A", "Gizah A", "Ephesos A")
    turns = [
        ("build Ore Vein", "build Press", "sell Ore Vein", "build Theater"),
        ("wonder Altar", "build Stone Pit", "build Loom", "build Clay Pool"),
    ]
    table = played(boards, turns)
    assert len(events(table, "no revival")) == 1
    assert table.view(0).round == 3


def test_the_pile_of_a_turn_holds_its_sales_but_not_the_seventh_cards():
    turns = [("build Ore Vein", None, None), *[IDLE] * 4, ("wonder Altar", "sell Baths", "sell Theater")]
    table = played(HALIKARNASSOS, turns)
    assert {"revive Baths", "revive Theater"} <= legal(table)
    assert len(legal(table)) == 2 + 4 * 3 + 2
    for seat in range(3):
        (left_over,) = table.view(seat).hand
        assert f"revive {left_over}" not in legal(table)


def test_seventh_cards_are_in_the_pile_of_the_next_age():
    turns = [("build Ore Vein", None, None), *[IDLE] * 5, ("wonder Walls", None, None)]
    table = played(HALIKARNASSOS, turns)
    left_over = [entry["card"] for entry in events(table, "discarded")]
    assert len(left_over) == 3
    assert {f"revive {card}" for card in left_over} <= legal(table)


def test_a_revived_card_pays_its_coins_and_is_gone_from_the_pile():
    boards = ("Halikarnassos B", "Rhodos A", "Babylon A")
    turns = [
        ("build Ore Vein", None, None), ("build Clay Pool", None, None), *[IDLE] * 4,
        ("sell Vineyard", "build Brickyard", None), ("wonder Walls", None, None, "revive Vineyard"),
        ("wonder Statue", None, None),
    ]  # fmt: skip
    table = played(boards, turns)
    assert "revive Vineyard" not in legal(table)
    assert events(table, "income") == [{"event": "income", "seat": 0, "coins": 3}]  # Ore Vein, Clay Pool, Brickyard


# --- Babylon B and the end of an age ------------------------------------------------------------

BABYLON = ("Babylon B", "Alexandria A", "Halikarnassos A")
UP_TO_THE_POWER = [
    (None, "build Lumber Yard", "build Timber Yard"), ("wonder Altar", None, None), IDLE, IDLE, IDLE,
]  # fmt: skip


@pytest.mark.parametrize("text", ["build Press", "sell Press"])
def test_babylon_b_plays_its_seventh_card_also_when_the_stage_is_of_this_turn(text):
    table = played(BABYLON, [*UP_TO_THE_POWER, ("wonder Theater", None, None, text)])
    assert table.view(0).age == 2
    assert [entry["seat"] for entry in events(table, "discarded")] == [1, 2]
    spent = 2 + (2 + 4)  # cloth for the first stage; glass and two wood for the second
    assert coins(table)[0] == 3 + 4 * 3 - spent + 3 * text.startswith("sell")
    assert ("Press" in table.view(0).city()) == text.startswith("build")


def test_babylon_b_may_build_a_stage_with_its_seventh_card():
    boards = ("Babylon B", "Alexandria A", "Ephesos A")
    turns = [
        ("build Loom", "build Lumber Yard", "build Timber Yard"), ("wonder Altar", None, None), *[IDLE] * 4,
        ("wonder Temple", None, None), ("build Brickyard", None, None), *[IDLE] * 3, (None, None, None, "wonder Walls"),
    ]  # fmt: skip
    table = played(boards, turns)
    assert (table.view(0).city().stages, table.view(0).city().wild) == (3, 1)
    assert coins(table)[0] == 3 + 4 * 3 - 6 - 1 + 4 * 3 - 2


def test_the_income_of_the_sixth_turn_pays_for_the_seventh_card():
    boards = ("Babylon B", "Alexandria A", "Olympia A")
    turns = [
        ("build Loom", None, None), ("wonder Altar", None, None), ("build Lumber Yard", None, None),
        IDLE, ("wonder Theater", None, None), ("build Workshop", "build Guard Tower", None, "build Timber Yard"),
    ]  # fmt: skip
    table = played(boards, turns)
    assert coins(table)[0] == 3 + 3 - 4 - 2 + 2 - 1  # nothing is left but what Guard Tower paid for clay


def test_the_others_discard_their_seventh_card_and_war_comes_after_it():
    turns = [*UP_TO_THE_POWER, ("wonder Theater", None, None, "build Guard Tower")]
    table = played(BABYLON, turns)
    wars = {entry["seat"]: (entry["left"], entry["right"]) for entry in events(table, "war")}
    assert wars == {0: (1, 1), 1: (0, -1), 2: (-1, 0)}
    assert [points(table, seat)["military"] for seat in range(3)] == [2, -1, -1]


def test_victories_are_worth_one_three_and_five_and_a_defeat_always_costs_one():
    turns = [("build Stockade", None, None), *[IDLE] * 17]
    table = played(("Olympia A", "Gizah A", "Ephesos A"), turns)
    assert [points(table, seat)["military"] for seat in range(3)] == [2 * (1 + 3 + 5), -3, -3]


def test_equal_shields_bring_no_token():
    turns = [("build Stockade", "build Baths", "build Barracks"), *[IDLE] * 5]
    table = played(("Olympia A", "Gizah A", "Rhodos A"), turns)
    assert [points(table, seat)["military"] for seat in range(3)] == [1, -2, 1]


def test_hands_pass_left_in_ages_one_and_three_and_right_in_age_two():
    table = played(PLAIN, [])
    for age in range(3):
        for _ in range(6):
            hands = [table.view(seat).hand for seat in range(3)]
            for seat in range(3):
                card = hands[seat].pop(0)
                table.play(f"sell {card}")
            if not table.over and table.view(0).age == age + 1:
                step = -1 if age != 1 else 1
                assert [table.view(seat).hand for seat in range(3)] == [hands[(seat + step) % 3] for seat in range(3)]


# --- Points -------------------------------------------------------------------------------------


@njit
def _build(pool, seat, card):
    build(pool[0], seat, card)


@njit
def _raise(pool, seat, number):
    pool[0].stages[seat] += 1
    gain(pool[0], seat, number)


def worth(cities, boards=PLAIN, stages=(0, 0, 0), defeats=(0, 0, 0)):
    """Return the points of seat 0 with these cities."""
    table = played(boards, [])
    pool = table.pool
    for seat, cards in enumerate(cities):
        for card in cards:
            _build(pool, seat, CARDS.index(card))
        for stage in range(stages[seat]):
            _raise(pool, seat, stage_cost(BOARDS.index(boards[seat]), stage))
        pool["defeats"][0, seat] = defeats[seat]
    return dict(zip(POINT_KINDS, calls.points(pool, 0), strict=True))


GREENS = ("Apothecary", "Dispensary", "Workshop", "Laboratory", "Scriptorium", "Library", "School", "Study")


@pytest.mark.parametrize(
    ("guild", "cities", "points"),
    [
        ("Workers Guild", [["Mine"], ["Mine", "Quarry"], ["Foundry"]], 3),
        ("Craftsmens Guild", [["Press"], ["Loom"], ["Loom", "Press"]], 6),
        ("Traders Guild", [["Forum"], ["Forum", "Tavern"], ["Arena"]], 3),
        ("Philosophers Guild", [GREENS[:2], GREENS[:3], GREENS[:1]], 4),
        ("Spies Guild", [["Walls"], ["Walls"], ["Circus"]], 2),
        ("Magistrates Guild", [["Palace"], ["Palace"], ["Altar", "Baths"]], 3),
        ("Shipowners Guild", [["Mine", "Loom", "Spies Guild", "Altar"], ["Mine"], ["Loom"]], 4),
        ("Builders Guild", [[], [], []], 1 + 2 + 3),
        ("Strategists Guild", [[], [], []], 2 + 3),
    ],
)
def test_guilds(guild, cities, points):
    cities = [[*cities[0], guild], *cities[1:]]
    found = worth(cities, stages=(1, 2, 3), defeats=(1, 2, 3))["guilds"]
    assert found == points


@pytest.mark.parametrize(
    ("card", "points"),
    [("Haven", 2), ("Lighthouse", 3), ("Chamber of Commerce", 4), ("Arena", 2), ("Vineyard", 0), ("Bazar", 0)],
)
def test_commerce(card, points):
    own = ["Mine", "Quarry", "Press", "Loom", "Forum", "Tavern", card]
    assert worth([own, ["Mine"], ["Press"]], stages=(2, 1, 1))["commerce"] == points


@pytest.mark.parametrize(
    ("symbols", "wild", "best"),
    [((0, 0, 0), 0, 0), ((1, 1, 1), 0, 10), ((2, 1, 0), 1, 13), ((3, 0, 0), 1, 16), ((1, 1, 0), 1, 10),
     ((3, 1, 0), 1, 18), ((4, 1, 0), 1, 26), ((0, 0, 0), 2, 4), ((1, 0, 0), 2, 10),
     ((2, 2, 2), 2, 38), ((3, 3, 3), 2, 64)],
)  # fmt: skip
def test_science_by_hand(symbols, wild, best):
    assert science(*symbols, wild) == best


OLYMPIA_B = ("Olympia B", "Gizah A", "Rhodos A")


def test_a_copied_scientists_guild_scores_as_science_when_it_is_better():
    found = worth([["Apothecary", "Workshop"], ["Scientists Guild"], ["Spies Guild"]], OLYMPIA_B, (3, 0, 0))
    assert (found["science"], found["guilds"]) == (10, 0)


def test_on_equal_value_scientists_are_not_copied():
    cities = [[], ["Scientists Guild", "Altar"], ["Magistrates Guild"]]
    found = worth(cities, OLYMPIA_B, (3, 0, 0))
    assert (found["science"], found["guilds"]) == (0, 1)


def test_a_copy_is_not_a_card_in_the_city():
    found = worth([["Mine", "Loom"], ["Shipowners Guild"], []], OLYMPIA_B, (3, 0, 0))
    assert found["guilds"] == 2


def test_olympia_b_copies_only_from_its_third_stage_and_only_the_best():
    cities = [[], ["Craftsmens Guild", "Spies Guild", "Press", "Walls"], ["Loom"]]
    assert worth(cities, OLYMPIA_B, (2, 0, 0))["guilds"] == 0
    assert worth(cities, OLYMPIA_B, (3, 0, 0))["guilds"] == 4
