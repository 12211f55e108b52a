"""The rules agent of 7 Wonders: the document's weights, and what follows from them."""

import numpy as np
import pytest

import bolicho
from bolicho.agents.rules.wonders import every_weight, weights
from bolicho.agents.rules.wonders.weights import RULES, WORDS
from bolicho.games.wonders.cards import CARDS
from tests.wonders.script import IDLE, PLAIN, played

RNG = np.random.default_rng(0)


def test_every_card_has_a_weight_from_one_to_five():
    assert set(WORDS) == set(CARDS)
    used = RULES[..., 3][RULES[..., 3] > 0]
    assert {int(weight) for weight in used} == {1, 2, 3, 4, 5}
    assert (RULES[:, 0, 3] > 0).all()


def weighed(card, turns, boards=PLAIN):
    return every_weight(played(boards, turns).view(0))[card]


NO_CIVIL = [IDLE]
TWO_CIVIL = [("build Altar", None, None), ("build Theater", None, None)]
THREE_GOODS = [(f"build {card}", None, None) for card in ("Loom", "Press", "Glassworks")]
FOUR_COMMERCIAL = [
    ("build East Trading Post", None, None), ("build Marketplace", None, None), *[IDLE] * 4,
    ("build Forum", None, None), ("build Vineyard", None, None),
]  # fmt: skip


@pytest.mark.parametrize(
    ("card", "turns", "weight"),
    [
        ("Lumber Yard", [("build Stone Pit", None, None)], 4),
        ("Temple", NO_CIVIL, 3),
        ("Temple", TWO_CIVIL, 1),
        ("Statue", NO_CIVIL, 3),
        ("Barracks", NO_CIVIL, 5),
        ("Guard Tower", NO_CIVIL, 5),
        ("Press", NO_CIVIL, 1),
        ("Palace", NO_CIVIL, 5),
        ("Pantheon", NO_CIVIL, 5),
        ("Lighthouse", NO_CIVIL, 1),
        ("Lighthouse", FOUR_COMMERCIAL, 3),
        ("Chamber of Commerce", THREE_GOODS, 3),
        ("Chamber of Commerce", THREE_GOODS[:2], 1),
    ],
)  # fmt: skip
def test_weights_that_the_document_gives(card, turns, weight):
    assert weighed(card, turns) == weight


def test_the_second_military_structure_weighs_four():
    boards = ("Rhodos A", "Gizah A", "Ephesos A")
    assert weighed("Guard Tower", [("build Barracks", None, None)], boards) == 4
    assert weighed("Barracks", [("build Barracks", None, None)], boards) == 4


def test_the_heaviest_playable_card_is_played_and_explained():
    table = played(("Rhodos A", "Gizah A", "Ephesos A"), [], holds=["Barracks", "Press", "Altar"])
    player = bolicho.agent("rules", "wonders")
    choice = player.act(table.view(), RNG)
    assert table.game.action(table.state, choice) == "build Barracks"
    explained = player.explain()
    assert explained.sentence.startswith("build Barracks: Barracks weighs 5 (5 if military < 1, 4)")
    assert explained.facts["weights"] == weights(table.view())
    assert max(explained.facts["weights"].values()) == 5


def test_a_stage_is_built_before_a_structure():
    boards = ("Gizah A", "Rhodos A", "Ephesos A")
    table = played(boards, [("build Stone Pit", None, None)], holds=["Barracks", "Altar"])
    player = bolicho.agent("rules", "wonders")
    assert table.game.action(table.state, player.act(table.view(), RNG)) == "wonder Barracks"


def test_when_nothing_can_be_played_the_lightest_card_is_sold():
    game = bolicho.game("wonders")
    table = game.deal(0)
    player = bolicho.agent("rules", "wonders")
    sold = 0
    for seed in range(1000):
        if table.over:
            table = game.deal(seed)
        view = table.view()
        choice = table.game.action(table.state, player.act(view, RNG))
        if choice.startswith("sell"):
            assert all(action.startswith("sell") for action in view.legal)
            assert weights(view)[choice[5:]] == min(weights(view).values())
            sold += 1
        table.play(choice)
    assert sold


@pytest.mark.parametrize(("players", "trade"), [(3, "cheapest"), (3, "choose"), (7, "choose")])
def test_it_plays_whole_games_of_any_rules_without_knowing_what_is_hidden(players, trade):
    game = bolicho.game("wonders", players=players, trade=trade)
    player = bolicho.agent("rules", "wonders")
    table = game.deal(players)
    while not table.over:
        view = table.view()
        choice = player.act(view, RNG)
        assert player.act(view.redeal(table.ply).view(table.turn), RNG) == choice
        table.play(choice)


def test_it_beats_random_players_by_far():
    game = bolicho.game("wonders")
    player, rng = bolicho.agent("rules", "wonders"), np.random.default_rng(1)
    points = []
    for seed in range(60):
        table = game.deal(seed)
        while not table.over:
            view = table.view()
            table.play(player.act(view, rng) if table.turn == seed % 3 else view.legal[rng.integers(len(view.legal))])
        points.append(table.scores[seed % 3])
    assert np.mean(points) - 3 * np.std(points) / 60**0.5 > 48
