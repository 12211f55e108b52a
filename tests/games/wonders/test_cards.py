"""Facts of the rulebook: decks, costs, boards."""

from collections import Counter

import numpy as np
import pytest

import bolicho
from bolicho.games.wonders import cards as c
from bolicho.games.wonders.layout import STATE


def of_age(age):
    return [card for card in range(c.NUM_CARDS) if c.AGE[card] == age]


def test_there_are_78_cards_of_75_names_and_14_boards():
    assert (c.NUM_CARDS, len(set(c.CARDS)), c.NUM_BOARDS) == (78, 75, 14)
    assert c.BOARDS[:7] == tuple(f"{wonder} A" for wonder in c.WONDERS)
    assert c.BOARDS[7:] == tuple(f"{wonder} B" for wonder in c.WONDERS)


@pytest.mark.parametrize("players", range(3, 8))
def test_every_age_has_seven_cards_for_each_player(players):
    sizes = [sum(int(c.COPIES[players, card]) for card in of_age(age)) for age in range(3)]
    assert sizes == [7 * players, 7 * players, 7 * players - (players + 2)]


def test_three_players_have_21_21_and_16_cards_of_65_names_with_the_guilds():
    names = {c.CARDS[card] for card in range(c.NUM_CARDS) if c.COPIES[3, card] or c.COLOUR[card] == c.PURPLE}
    assert len(names) == 65
    assert c.COPIES[3].max() == 1


@pytest.mark.parametrize("players", range(3, 8))
@pytest.mark.parametrize("sides", ["random", "A", "B"])
def test_deal_is_the_deck_for_its_number_of_players(players, sides):
    game = bolicho.game("wonders", players=players, sides=sides)
    for seed in range(20):
        s = game.deal(seed).state
        for age in range(3):
            dealt = Counter(s["cards"][age, :players].ravel().tolist())
            guilds = {card for card in dealt if c.COLOUR[card] == c.PURPLE}
            assert len(guilds) == (players + 2 if age == 2 else 0)
            assert all(dealt[guild] == 1 for guild in guilds)
            for card in of_age(age):
                if card not in c.GUILDS:
                    assert dealt[card] == c.COPIES[players, card]
        boards = [c.BOARDS[board] for board in s["board"][:players]]
        assert len({board[:-2] for board in boards}) == players
        assert sides == "random" or {board[-1] for board in boards} == {sides}


def test_hands_boards_and_guilds_are_dealt_evenly():
    game = bolicho.game("wonders")
    deals = 3000
    boards, guilds, first = Counter(), Counter(), Counter()
    for seed in range(deals):
        s = game.deal(seed).state
        boards[int(s["board"][1])] += 1
        first[int(s["cards"][0, 2, 0] == 0)] += 1  # Lumber Yard, the lowest, in the third hand
        guilds.update(card for card in s["cards"][2, :3].ravel().tolist() if card >= c.FIRST_GUILD)
    for counts, chance in ((boards, 1 / 14), (guilds, 1 / 2), ({1: first[1]}, 1 / 3)):
        spread = (deals * chance * (1 - chance)) ** 0.5
        assert all(abs(count - deals * chance) < 5 * spread for count in counts.values()), counts
    assert len(boards) == 14
    assert len(guilds) == 10


def test_facts_that_differ_from_other_editions():
    worth = {name: int(c.POINTS[c.CARDS.index(name)]) for name in ("Altar", "Pawnshop", "Palace", "Temple", "Aqueduct")}
    assert worth == {"Altar": 2, "Pawnshop": 3, "Palace": 8, "Temple": 3, "Aqueduct": 5}
    assert c.COSTS[c.CARDS.index("Fortifications")] == "stone, 3 ore"
    assert c.COSTS[c.CARDS.index("Magistrates Guild")] == "3 wood, stone, cloth"
    assert "Strategists Guild" in c.CARDS
    assert c.NUM_STAGES.tolist() == [3] * 7 + [4, 3, 3, 2, 3, 3, 3]


def test_chains_lead_from_one_age_to_the_next():
    chains = [(int(card), int(other)) for card in range(c.NUM_CARDS) for other in c.CHAIN[card] if other >= 0]
    assert len(chains) == 26
    assert all(c.AGE[other] + 1 == c.AGE[card] for card, other in chains)


def test_the_record_is_small_and_has_no_gaps():
    assert STATE.itemsize == sum(STATE[name].itemsize for name in STATE.names) <= 1536


def test_subset_sums_are_sums():
    for kinds in range(16):
        bits = [1 << i for i in range(4) if kinds >> i & 1]
        assert np.array_equal(c.RAW_COST[:, kinds], c.RAW_COST[:, bits].sum(axis=1))
