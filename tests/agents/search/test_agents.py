import json

import numpy as np
import pytest

import bolicho
from bolicho import BadInput, agent
from bolicho.agents.registry import find
from bolicho.agents.search.agents import MCTS, PIMC, AlphaBeta, OpenMCTS
from bolicho.games import game_names
from bolicho.games.game import Game
from tests.games.coins import COINS

SPECS = (
    "alphabeta(nodes=200)",
    "alphabeta(nodes=200, plain=true, eval=scores)",
    "mcts(iterations=60)",
    "mcts(iterations=60, opponents=shared, worlds=5)",
    "open-mcts(iterations=60)",
    "pimc-search(worlds=3, nodes=60)",
    "pimc-search(worlds=3, inner=mcts, iterations=30)",
)
KEYS = {
    AlphaBeta: {"action", "values", "exact", "line", "depth", "solved", "nodes"},
    MCTS: {"action", "values", "visits", "iterations", "nodes", "worlds"},
    OpenMCTS: {"action", "values", "visits", "iterations", "nodes", "worlds"},
    PIMC: {"action", "values", "errors", "worlds"},
}


def plays(spec, name):
    return find(spec.partition("(")[0]).plays(name)


PAIRS = [(name, spec) for name in game_names() for spec in SPECS if plays(spec, name)]


def look(player, table):
    return table.open_view(table.turn) if player.oracle else table.view()


@pytest.mark.parametrize(("name", "spec"), PAIRS)
def test_every_game_is_played_legally_and_explained(name, spec):
    table = bolicho.game(name).deal(21)
    player = agent(spec, name)
    for seat in range(table.game.seats):
        player.begin(table.game, seat)
    assert player.explain() is None
    rng = np.random.default_rng(0)
    for _ in range(12):
        if table.over:
            break
        view = look(player, table)
        choice = player.act(view, rng)
        assert choice in view.legal
        why = player.explain()
        facts = json.loads(json.dumps(why.facts, allow_nan=False))
        assert why.sentence
        if len(view.legal) > 1:
            assert set(facts) == KEYS[type(player)]
            assert set(facts["values"]) == set(view.legal) and facts["action"] == choice
        table.play(choice)


@pytest.mark.parametrize(("name", "spec"), PAIRS)
def test_the_same_seed_gives_the_same_move(name, spec):
    table = bolicho.game(name).deal(5)
    used = agent(spec, name)
    used.act(look(used, table), np.random.default_rng(1))
    choices, reasons = [], []
    for player in (used, agent(spec, name)):
        choices.append(player.act(look(player, table), np.random.default_rng(9)))
        reasons.append(player.explain())
    assert choices[0] == choices[1]
    assert reasons[0] == reasons[1]


@pytest.mark.parametrize(("name", "spec"), PAIRS)
def test_decisions_do_not_depend_on_hidden_information(name, spec):
    """Decisions in two worlds that the seat cannot distinguish."""
    player = agent(spec, name)
    if player.oracle:
        return
    table = bolicho.game(name).deal(33)
    rng = np.random.default_rng(2)
    for ply in range(8):
        if table.over:
            break
        other = table.view().redeal(1000 + ply)
        reasons = []
        for world in (table, other):
            player.act(world.view(table.turn), np.random.default_rng(ply))
            reasons.append(player.explain())
        assert reasons[0] == reasons[1]
        table.play(table.legal[rng.integers(len(table.legal))])


@pytest.mark.parametrize("spec", ["alphabeta(seconds=0.005)", "mcts(seconds=0.005)", "pimc-search(seconds=0.01)"])
def test_players_accept_a_time_limit(spec):
    table = bolicho.game("truco").deal(1)
    player = agent(spec, "truco")
    assert player.act(look(player, table), np.random.default_rng(0)) in table.legal


@pytest.mark.parametrize(
    "spec", ["pimc-search(worlds=40, inner=mcts, world_seconds=0.001)", "pimc(worlds=40, inner=mcts, seconds=0.001)"]
)
def test_all_worlds_are_searched_under_a_time_limit(spec):
    player = agent(spec, "dominoes")
    player.act(bolicho.game("dominoes").deal(1).view(), np.random.default_rng(0))
    assert player.explain().facts["worlds"] == 40


@pytest.mark.parametrize("seats", [2, 3])
def test_game_of_another_package_is_searched(seats):
    table = Game(COINS, coins=10, seats=seats).deal(6)
    for player in (MCTS(300), OpenMCTS(300), PIMC(worlds=4, iterations=50)):
        player.begin(table.game, 0)
        assert player.act(look(player, table), np.random.default_rng(0)) in ("left", "right")


def best_end_by_hand(game, pool, seed):
    """Return the coin of each end as its value: a solver for coins."""
    row = [int(coin) for coin in pool["row"][0] if coin]
    return np.array([row[0], row[-1]][: len(row)], float)


def test_an_inner_solver_can_be_plugged_in():
    table = Game(COINS, coins=4).setup(row=[3, 1, 4, 9])
    player = agent("pimc-search(worlds=2, inner=tests.agents.search.test_agents:best_end_by_hand)")
    assert player.act(table.view(), np.random.default_rng(0)) == "right"
    assert player.explain().facts["values"] == {"left": 3, "right": 9}


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("mcts(iterations=0)", "iterations must be a whole number from 1 on, not 0"),
        ("mcts(iterations=1.5)", "iterations must be a whole number"),
        ("mcts(seconds=-1)", "seconds must be a positive number, not -1"),
        ("mcts(worlds=-1)", "worlds must be 0"),
        ("mcts(exploration=-0.1)", "exploration must be"),
        ("mcts(opponents=sharde)", "did you mean 'shared'"),
        ("alphabeta(nodes=many)", "nodes must be a whole number"),
        ("alphabeta(depth=0)", "depth must be 1 to"),
        ("alphabeta(eval=guess)", "unknown evaluation 'guess'"),
        ("alphabeta(playouts=0)", "playouts must be"),
        ("alphabeta(plain=1)", "plain of alphabeta must be bool"),
        ("pimc-search(plain=yes)", "plain of pimc-search must be bool"),
        ("pimc-search(worlds=0)", "worlds must be a whole number from 1 on"),
        ("pimc-search(inner=alphabet)", "did you mean 'alphabeta'"),
        ("pimc-search(inner=nowhere:solve)", "cannot load the inner solver"),
        ("pimc-search(seconds=1, world_seconds=1)", "give one of them"),
        ("pimc-search(world_seconds=0)", "seconds must be a positive number, not 0"),
    ],
)
def test_a_wrong_option_is_refused(spec, says):
    with pytest.raises(BadInput, match=says):
        agent(spec)


def test_alphabeta_refuses_three_seats():
    for spec in ("alphabeta", "pimc-search(inner=alphabeta)"):
        with pytest.raises(BadInput, match="does not play coins: alpha-beta is for two players and zero sum"):
            agent(spec, Game(COINS, seats=3))
        assert agent(spec, Game(COINS, seats=2))
    assert agent("pimc-search", Game(COINS, seats=3))


def test_pimc_refuses_games_without_an_exact_solver():
    with pytest.raises(BadInput, match="does not play truco: exact solvers exist for dominoes, fives only"):
        agent("pimc", "truco")
    assert agent("pimc(inner=mcts)", "truco") and agent("pimc-search(inner=exact)", "fives")
