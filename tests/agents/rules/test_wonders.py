"""The rules agent of 7 Wonders: weights of Pereira 2021, and play by them."""

import numpy as np
import pytest

import bolicho
from bolicho.agents.compiled.weights import RULES, WORDS
from bolicho.agents.rules.wonders import every_weight, weights
from bolicho.games.wonders.cards import CARDS
from bolicho.i18n import catalogue
from tests.games.wonders.script import IDLE, PLAIN, played

RNG = np.random.default_rng(0)


def test_every_card_has_a_weight_from_one_to_five():
    assert set(WORDS) == set(CARDS)
    used = RULES[..., 3][RULES[..., 3] > 0]
    assert {int(weight) for weight in used} == {1, 2, 3, 4, 5}
    assert (RULES[:, 0, 3] > 0).all()


def weighed(card, turns, boards=PLAIN):
    return every_weight(played(boards, turns).view(0))[card]


def built(*cards):
    """Return turns in which seat 0 builds these cards."""
    return [(f"build {card}", None, None) for card in cards]


NOTHING = [IDLE]
RHODOS = ("Rhodos A", "Gizah A", "Ephesos A")
FOUR_COMMERCIAL = [*built("East Trading Post", "Marketplace"), *[IDLE] * 4, *built("Forum", "Vineyard")]


@pytest.mark.parametrize(
    ("card", "turns", "weight"),
    [
        # Pereira 2021, table 3.1, row by row
        ("Lumber Yard", built("Stone Pit"), 4),  # "menos que 2 matérias primas": 4
        ("Temple", built("Altar"), 3),  # "menos que 2 estruturas civis construídas": 3
        ("Temple", built("Altar", "Theater"), 1),  # "pelo menos 2 estruturas civis construídas": 1
        ("Barracks", NOTHING, 5),  # "não ter construído estruturas militares": 5
        ("Barracks", built("Barracks"), 4),  # "pelo menos 1 estrutura militar": 4
        ("Press", NOTHING, 1),  # "desvalorizada pela estratégia militar": 1
        ("Palace", NOTHING, 5),  # "carta azul com maior pontuação": 5
        # table 3.11
        ("Statue", built("Lumber Yard"), 3),  # "menos que 2 estruturas", of any kind: 3
        ("Lighthouse", FOUR_COMMERCIAL, 3),  # "pelo menos 4 estruturas comerciais": 3
        ("Lighthouse", FOUR_COMMERCIAL[:-1], 1),  # "menos que 4 estruturas comerciais": 1
        ("Guard Tower", NOTHING, 5),  # "não ter construído estruturas militares": 5
        ("Guard Tower", built("Barracks"), 4),  # "pelo menos 1 estrutura militar": 4
        ("Chamber of Commerce", built("Loom", "Press", "Glassworks"), 3),  # "mais que 2 bens manufaturados": 3
        ("Pantheon", NOTHING, 5),  # "carta azul que fornece 7 pontos": 5
    ],
)  # fmt: skip
def test_weights_match_those_printed_in_the_document(card, turns, weight):
    assert weighed(card, turns, RHODOS) == weight


@pytest.mark.parametrize(
    ("card", "turns", "weight"),
    [
        ("Lumber Yard", built("Stone Pit", "Clay Pool"), 2),
        ("Statue", built("Lumber Yard", "Stone Pit"), 2),
        ("Chamber of Commerce", built("Loom", "Press"), 1),
    ],
)
def test_weight_is_lower_where_the_documented_condition_fails(card, turns, weight):
    assert weighed(card, turns, RHODOS) == weight


def test_statue_counts_structures_of_any_kind():
    assert weighed("Statue", built("Lumber Yard", "Altar"), RHODOS) == 2  # one civil structure, two in all


def test_the_heaviest_playable_card_is_played_and_explained():
    table = played(RHODOS, [], holds=["Barracks", "Press", "Altar"])
    player = bolicho.agent("rules", "wonders")
    choice = player.act(table.view(), RNG)
    assert choice == "build Barracks"
    explained = player.explain()
    assert (
        catalogue("en").say(explained.sentence).startswith("build Barracks: Barracks weighs 5 (5 if military < 1, 4)")
    )
    assert explained.facts["weights"] == weights(table.view())
    assert max(explained.facts["weights"].values()) == 5


def test_a_stage_is_built_before_a_structure():
    boards = ("Gizah A", "Rhodos A", "Ephesos A")
    table = played(boards, [("build Stone Pit", None, None)], holds=["Barracks", "Altar"])
    player = bolicho.agent("rules", "wonders")
    assert player.act(table.view(), RNG) == "wonder Barracks"


def test_when_nothing_can_be_played_the_lightest_card_is_sold():
    game = bolicho.game("wonders")
    table = game.deal(0)
    player = bolicho.agent("rules", "wonders")
    sold = 0
    for seed in range(1000):
        if table.over:
            table = game.deal(seed)
        view = table.view()
        choice = player.act(view, RNG)
        if choice.startswith("sell"):
            assert all(action.startswith("sell") for action in view.legal)
            assert weights(view)[choice[5:]] == min(weights(view).values())
            sold += 1
        table.play(choice)
    assert sold


@pytest.mark.parametrize(("players", "trade"), [(3, "cheapest"), (3, "choose"), (7, "choose")])
def test_games_of_any_rules_are_played_by_the_view_alone(players, trade):
    game = bolicho.game("wonders", players=players, trade=trade)
    player = bolicho.agent("rules", "wonders")
    table = game.deal(players)
    while not table.over:
        view = table.view()
        choice = player.act(view, RNG)
        assert player.act(view.redeal(table.ply).view(table.turn), RNG) == choice
        table.play(choice)


def test_rules_agent_beats_random_players():
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
