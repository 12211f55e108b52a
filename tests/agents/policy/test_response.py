"""Learned responses, compared with exact best responses."""

import json
from typing import NamedTuple

import numpy as np
import pytest

from bolicho import Agent, agent, game
from bolicho.agents import kernel as players
from bolicho.agents.cfr.solve import FullTree
from bolicho.agents.check import check_agent
from bolicho.agents.player import InMemoryAgent
from bolicho.agents.policy.response import learn_response
from bolicho.errors import BadInput
from bolicho.games import kernel
from bolicho.games.jit import njit
from bolicho.games.kernel import implements
from bolicho.games.poker import KUHN, LEDUC

GAMES = 6_000


class First(NamedTuple):
    """Player of the first legal action: it checks, and folds where it can."""

    legal: np.ndarray


@implements(players.decide, First)
@njit
def decide(player, memory, view, seat, luck):
    kernel.legal(view, player.legal)
    return player.legal[0]


@implements(players.mixture, First)
@njit
def mixture(player, memory, view, seat, out):
    out[:] = 0
    out[0] = 1
    return kernel.legal(view, player.legal)


class Meek(InMemoryAgent):
    def __init__(self):
        super().__init__(First(np.zeros(8, np.int16)))


class PythonMeek(Agent):
    def act(self, view, rng):
        return view.legal[0]


class Changing(Agent):
    learns = True

    def act(self, view, rng):
        return view.legal[0]


def best(chosen, spec):
    """Return the exact payoff of a best response."""
    whole = FullTree(chosen)
    strategy = whole.strategy_of(agent(spec, chosen))
    return np.mean([whole.response(strategy, seat)[0] for seat in range(chosen.seats)])


@pytest.mark.parametrize("spec", ["random", f"{__name__}:Meek"])
def test_learned_response_in_kuhn_poker_is_close_to_the_best_response(spec):
    known = best(KUHN, spec)
    found = learn_response(KUHN, spec, seed=1, games=GAMES, show=False)
    assert found.wins == pytest.approx(known, abs=0.08)
    assert found.payoff.low <= known + 1e-9


def test_learned_response_in_leduc_wins_more_than_half_of_the_best_response():
    known = best(LEDUC, "random")
    found = learn_response(LEDUC, "random", seed=2, games=GAMES, show=False)
    assert known / 2 < found.wins
    assert found.payoff.low < known


def test_response_to_a_python_agent_equals_the_response_to_its_compiled_form():
    found = [learn_response(KUHN, f"{__name__}:{who}", seed=1, games=200, show=False) for who in ("Meek", "PythonMeek")]
    assert found[0].as_json() | {"agent": ""} == found[1].as_json() | {"agent": ""}


def test_the_same_seed_gives_the_same_figures():
    found = [learn_response(KUHN, "random", seed=seed, games=300, deals=50, show=False) for seed in (1, 1, 2)]
    assert found[0].as_json() == found[1].as_json()
    assert np.array_equal(found[0].nets.weights, found[1].nets.weights)
    assert found[0].as_json() != found[2].as_json()


def test_response_is_learned_in_three_seats(tmp_path):
    found = learn_response(game("wonders"), "rules", seed=1, games=60, deals=10, show=False)
    assert found.nets.coding == "cities" and found.deals == 10
    assert -1 / 3 <= found.payoff.value <= 2 / 3
    found.write(tmp_path / "it.safetensors")
    assert check_agent(f"policy(artifact={tmp_path / 'it.safetensors'})", game("wonders"), games=1, looks=5).mixtures


def test_report_contains_inputs_and_training_of_the_responder():
    found = learn_response(KUHN, "random", seed=1, games=300, deals=40, show=False)
    written = json.loads(json.dumps(found.as_json()))
    assert written["exact"] is False and written["deals"] == 40
    assert written["payoff"]["low"] <= written["wins"] <= written["payoff"]["high"]
    assert written["training"]["games"] == 300 == written["curve"][-1]["games"]
    assert "4 numbers of its own view (features)" in written["responder"]["sees"]
    said = " ".join(found.lines())
    for part in ("A learned response wins", "lower bound", "4 numbers of its own view", "300 games", "40 deals"):
        assert part in said


@pytest.mark.parametrize(
    ("spec", "options", "why"),
    [
        (f"{__name__}:Changing", {}, "learns while it plays"),
        ("random", {"games": 0}, "games must be a whole number from 1 on"),
        ("random", {"deals": 1}, "deals must be a whole number from 2 on"),
    ],
)
def test_unsupported_agents_and_options_are_refused(spec, options, why):
    with pytest.raises(BadInput, match=why):
        learn_response(KUHN, spec, **{"seed": 1, "games": 100, "show": False} | options)
