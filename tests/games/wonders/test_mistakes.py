"""The known mistakes of existing programs, each as a game that shows it, with coins and points worked out by hand."""

import pytest

from .script import IDLE, legal, played, points

NO_RAW = ("Alexandria A", "Ephesos A", "Halikarnassos A")
"""Boards that give no raw material."""


def coins(table):
    return table.result()["coins"]


def test_the_starting_resource_of_a_neighbour_is_for_sale():
    table = played(("Gizah A", "Babylon A", "Ephesos A"), [("build Guard Tower", None, None)])
    assert coins(table) == [3 - 2, 3 + 3 + 2, 3 + 3]


def test_the_caravansery_of_a_neighbour_is_not_for_sale():
    turns = [(None, "build Marketplace", None), *[IDLE] * 5, (None, "build Caravansery", None)]
    table = played(NO_RAW, turns, holds=["School", "Vineyard"])
    assert coins(table)[0] == 3 + 7 * 3
    assert "build School" not in legal(table)  # wood and papyrus
    turns[-1] = ("build Sawmill", "build Caravansery", None)
    assert "build School" in legal(played(NO_RAW, turns, holds=["School", "Vineyard"]))


def test_the_forum_of_a_neighbour_is_not_for_sale():
    boards = ("Gizah A", "Rhodos A", "Olympia A")
    turns = [(None, "build East Trading Post", None), *[IDLE] * 5, (None, "build Forum", None)]
    assert "build School" not in legal(played(boards, turns, holds=["School"]))
    turns[-1] = (None, "build Press", None)
    assert "build School" in legal(played(boards, turns, holds=["School"]))


def test_a_stage_that_gives_one_of_four_gives_one_a_turn():
    boards = ("Alexandria B", "Babylon A", "Ephesos A")
    turns = [("build Clay Pool", None, None), ("wonder Altar", None, None), *[IDLE] * 4]
    table = played(boards, turns, holds=["Stables", "School"])
    assert coins(table)[0] == 3 - 2 + 4 * 3
    assert "build School" in legal(table)  # the stage gives wood, Ephesos sells papyrus
    assert "build Stables" not in legal(table)  # wood, ore and clay; only the clay is there besides


def test_a_stage_that_gives_one_of_four_is_not_for_sale():
    boards = ("Ephesos A", "Alexandria B", "Babylon A")
    turns = [(None, "build Clay Pool", None), (None, "wonder Altar", None), *[IDLE] * 4]
    assert "build School" not in legal(played(boards, turns, holds=["School"]))


def test_two_units_from_two_neighbours_cost_four():
    boards = ("Rhodos A", "Olympia A", "Ephesos A")
    table = played(boards, [(None, None, "build Lumber Yard"), ("wonder Altar", None, None)])  # two wood
    assert coins(table) == [3 + 3 - 4, 3 + 3 + 3 + 2, 3 + 3 + 2]


def test_a_neighbours_either_or_card_is_sold_as_one_unit():
    boards = ("Olympia A", "Alexandria A", "Ephesos A")
    turns = [("build Ore Vein", "build Timber Yard", None), *[IDLE] * 11]
    table = played(boards, turns, holds=["Senate"])  # two wood, stone, ore
    assert coins(table)[0] >= 30
    assert "build Senate" not in legal(table)
    turns[1] = (None, None, "build Stone Pit")
    table = played(boards, turns, holds=["Senate"])
    before = coins(table)
    table.play("build Senate")
    for _ in range(2):
        table.play(min(a for a in legal(table) if a.startswith("sell")))
    assert coins(table) == [before[0] - 4, before[1] + 2 + 3, before[2] + 2 + 3]


def test_each_neighbour_may_use_an_either_or_card_its_own_way_in_one_turn():
    """One card that serves its owner and both buyers, each with one unit."""
    boards = ("Alexandria A", "Ephesos A", "Halikarnassos A")
    turns = [("build Clay Pit", None, None), ("build Guard Tower", "build Barracks", None)]
    table = played(boards, turns)
    assert coins(table) == [3 - 1 + 2, 3 + 3 - 2, 3 + 3 + 3]


def test_own_either_or_cards_are_not_spent_greedily():
    turns = [
        ("build Timber Yard", None, None), ("build Clay Pit", None, None), ("build Marketplace", None, None),
        IDLE, IDLE, IDLE, ("build Caravansery", None, None), ("build Stables", None, None),
    ]  # fmt: skip
    table = played(NO_RAW, turns)  # wood from the yard, ore or clay from the pit, the other from the caravansery
    assert coins(table)[0] == 3 - 1 - 1 + 3 * 3
    assert table.view(0).shields[0] == 2


def test_trade_income_is_not_spent_in_the_same_turn():
    boards = ("Olympia A", "Rhodos A", "Ephesos A")
    turns = [(None, "build Stockade", None), (None, "build Timber Yard", None)]
    table = played(boards, [*turns, ("build Barracks", "sell Clay Pit", None)])
    assert coins(table)[1] == 3 - 2 - 1 + 2 + 3
    table = played(boards, [*turns, ("build Barracks", "sell Clay Pit", None)][:2], holds=["Barracks"])
    assert coins(table)[1] == 0
    table.play("build Barracks")  # pays two coins to seat 1, which are not there yet
    assert not any(action.startswith("build Clay Pit") for action in legal(table))
    assert coins(table)[1] == 0


def test_income_of_a_turn_is_spent_in_the_next():
    boards = ("Olympia A", "Rhodos A", "Ephesos A")
    turns = [
        (None, "build Stockade", None), (None, "build Timber Yard", None),
        ("build Barracks", "build Altar", None), (None, "build Clay Pit", None),
    ]  # fmt: skip
    assert coins(played(boards, turns))[1] == 3 - 2 - 1 + 2 - 1


def test_wild_science_symbol_becomes_the_symbol_that_scores_most():
    boards = ("Babylon A", "Olympia A", "Alexandria A")
    turns = [
        ("build Clay Pool", "build Loom", "build Timber Yard"), ("build Lumber Yard", None, None),
        ("wonder Altar", None, None), ("build Workshop", None, None), IDLE, ("build Apothecary", None, None),
        IDLE, ("wonder Quarry", None, None),
    ]  # fmt: skip
    table = played(boards, turns)
    assert coins(table)[0] == 3 - 2 + 3 - 2 + 3 - 4
    assert points(table, 0)["science"] == 1 + 1 + 1 + 7  # a gear, a compass, and the tablet that makes the set
    assert points(table, 0)["wonder"] == 3


def test_the_fourth_stage_of_gizah_b_can_be_built():
    boards = ("Gizah B", "Olympia A", "Ephesos A")
    turns = [
        ("build Lumber Yard", None, None), ("wonder Altar", None, None), ("build Stone Pit", None, None),
        ("build Clay Pool", None, None), IDLE, IDLE,
        ("build Quarry", None, None), ("wonder Walls", None, None), ("build Brickyard", None, None),
        ("wonder Statue", None, None), ("wonder Stables", None, None),
    ]  # fmt: skip
    table = played(boards, turns, holds=["Temple"])
    assert coins(table)[0] == 3 - 2 + 6 - 1 - 1 - 2
    assert points(table, 0)["wonder"] == 3 + 5 + 5 + 7
    assert not any(action.startswith("wonder") for action in legal(table))


def test_the_discard_build_takes_a_card_from_the_pile_and_none_from_the_hand():
    boards = ("Halikarnassos B", "Rhodos A", "Gizah A")
    turns = [("build Ore Vein", "sell Baths", "build Stone Pit"), ("wonder Altar", "sell Theater", "sell Loom")]
    table = played(boards, turns)
    assert legal(table) == {"revive Baths", "revive Theater", "revive Loom"}
    hand = table.view(0).hand
    assert len(hand) == 5
    table.play("revive Baths")
    assert "Baths" in table.view(0).city()
    assert points(table, 0)["civil"] == 3
    assert coins(table) == [3 - 2, 3 + 3 + 3 + 2, 3 + 3]
    assert len(table.view(0).hand) == 5
    assert table.view(1).hand == hand  # passed to the left as it was


def test_the_lighthouse_pays_for_itself():
    boards = ("Gizah A", "Alexandria A", "Rhodos A")
    turns = [("build Marketplace", None, None), ("build East Trading Post", None, None), *[IDLE] * 10]
    table = played(boards, [*turns, ("build Lighthouse", None, None)])
    assert coins(table)[0] == 3 + 10 * 3 - 1 + 3
    assert points(table, 0)["commerce"] == 3


def test_players_are_resolved_together():
    turns = [*[IDLE] * 6, ("build Vineyard", "build Quarry", "build Foundry")]
    table = played(("Gizah A", "Rhodos A", "Ephesos A"), turns)
    assert coins(table) == [21 + 2, 21 - 1, 21 - 1]  # the two brown cards of this very turn


def test_neighbours_who_buy_from_each_other_pay_each_other():
    boards = ("Gizah A", "Babylon A", "Ephesos A")
    table = played(boards, [("build Guard Tower", "build Baths", None)])
    assert coins(table) == [3 - 2 + 2, 3 - 2 + 2, 3 + 3]


def test_a_chain_does_not_work_in_the_turn_it_is_laid():
    boards = ("Gizah A", "Rhodos A", "Ephesos A")
    turns = [("build Theater", None, None), *[IDLE] * 5]
    assert "build Statue" in legal(played(boards, turns, holds=["Statue"]))
    assert "build Statue" not in legal(played(boards, [IDLE] * 6, holds=["Statue"]))


def test_olympia_b_copies_a_guild_with_its_factor():
    boards = ("Olympia B", "Gizah A", "Rhodos A")
    turns = [
        ("build Lumber Yard", "build Press", None), ("wonder Altar", "build Glassworks", None),
        ("build Stone Pit", None, None), ("wonder Theater", None, None),
        ("build Ore Vein", None, None), ("build Loom", None, None),
        ("wonder Walls", None, "build Loom"), (None, None, "build Glassworks"), *[IDLE] * 4,
        (None, "build Craftsmens Guild", None),
    ]  # fmt: skip
    table = played(boards, turns)
    assert points(table, 0)["guilds"] == 2 * 4  # Press, Glassworks; Loom, Glassworks
    assert points(table, 1)["guilds"] == 2 * 3
    assert points(table, 0)["wonder"] == 5


def test_a_tie_is_broken_by_coins():
    boards = ("Rhodos A", "Gizah A", "Ephesos A")
    table = played(boards, [("build Baths", None, "build Altar"), *[IDLE] * 17])
    result = table.result()
    assert result["coins"] == [3 - 2 + 17 * 3, 3 + 2 + 18 * 3, 3 + 17 * 3]
    assert result["scores"] == [17 + 3, 19, 18 + 2]
    assert result["winners"] == [2]
    assert table.payoffs == pytest.approx([-1 / 3, -1 / 3, 2 / 3])


def test_a_full_tie_is_shared():
    table = played(("Rhodos A", "Gizah A", "Ephesos A"), [IDLE] * 18)
    assert table.result()["winners"] == [0, 1, 2]
    assert table.scores == [19, 19, 19]
    assert table.payoffs == [0, 0, 0]
