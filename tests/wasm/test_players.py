"""Decisions of agents in WebAssembly: the same as native for the same luck."""

import numpy as np
import pytest

import bolicho
from bolicho.agents.loop import Deal, play_deals
from bolicho.agents.mixture import mixture_of
from bolicho.agents.player import Compiled
from bolicho.agents.registry import agent_names, find
from bolicho.games.compiled.chance import stream
from bolicho.wasm import doors

DECISIONS = 20  # games of each agent against itself
ALIKE = ("mjs", "pls", "pvs", "nps", "mjcs", "plcs", "pvcs", "npcs", "npcmjs", "npcpvs", "npcpls", "mjcnps", "mjcpvs",
         "mjcpls", "plcnps", "plcmjs", "plcpvs", "pvcmjs", "pvcpls", "novice", "cautious", "aggressive")  # fmt: skip
"""Agents that share their code with another one, and differ in options alone."""


def compiled_agents():
    for game in ("truco", "dominoes", "fives", "wonders"):
        for name in agent_names(game):
            entry = find(name, game)
            if name not in ALIKE and not entry.oracle and isinstance(entry.made(), Compiled):
                yield game, name


def check_decisions(name, agent, drive, games):
    """Compare the games of an agent against itself, action by action."""
    game, made = bolicho.game(name), find(agent, name).made()
    found = drive(game, "decisions", games, made)
    seats = range(game.seats)
    keys = [[int(stream(np.uint64(seed), np.uint64(1000 + seat))) for seat in seats] for seed in range(games)]
    deals = [Deal(seed, [0] * game.seats, keys[seed]) for seed in range(games)]
    played = {outcome.number: outcome.actions.tolist() for outcome in play_deals(game, [lambda: made], deals)}
    assert [one["actions"] for one in found] == [played[seed] for seed in range(games)]
    print(f"{name} {agent}: {games} games, {sum(map(len, played.values()))} decisions")


@pytest.mark.parametrize(("name", "agent"), list(compiled_agents()))
def test_decisions_are_the_same_for_the_same_luck(name, agent, drive):
    check_decisions(name, agent, drive, DECISIONS)


@pytest.mark.nightly
@pytest.mark.parametrize(("name", "agent"), list(compiled_agents()))
def test_decisions_are_the_same_in_a_thousand_games(name, agent, drive):
    check_decisions(name, agent, drive, 1000)


@pytest.mark.parametrize("name", ["truco", "fives", "wonders", "examples.kuhn:KUHN"])
def test_tree_search_decides_the_same(name, drive):
    game, search = bolicho.game(name), find("mcts").made(iterations=300)
    found = drive(game, "decisions", 2, search)
    keys = [[int(stream(np.uint64(seed), np.uint64(1000 + seat))) for seat in range(game.seats)] for seed in range(2)]
    deals = [Deal(seed, range(game.seats), keys[seed]) for seed in range(2)]
    agents = [lambda: find("mcts").made(iterations=300)] * game.seats
    played = {outcome.number: outcome.actions.tolist() for outcome in play_deals(game, agents, deals)}
    assert [one["actions"] for one in found] == [played[0], played[1]]


@pytest.mark.parametrize(("name", "agent"), [("truco", "cfr"), ("truco", "bluffer"), ("dominoes", "policy")])
def test_mixtures_are_the_same_to_the_last_digits(name, agent, drive):
    game, made = bolicho.game(name), find(agent, name).made()
    [found] = drive(game, "decisions", 1, made, mixtures=True)
    table, agents = game.deal(0), [find(agent, name).made() for _ in range(game.seats)]
    for number, theirs in zip(found["actions"], found["mixtures"], strict=True):
        mine = mixture_of(agents[table.turn], table.view())
        assert (theirs is None) == (mine is None)
        if theirs is not None:
            assert theirs == pytest.approx(list(mine), rel=1e-14)
        table.play(number)


def test_agents_in_plain_python_are_refused_in_a_sentence():
    game = bolicho.game("truco")
    with pytest.raises(
        bolicho.BadInput, match="human is written in plain Python; only compiled players run in a browser"
    ):
        doors.compiled_form(find("human").made(), game, "human")
