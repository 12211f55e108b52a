"""Shipped neural agents: play, explanations, and independence of the training library."""

import subprocess
import sys

import pytest

import bolicho
from bolicho.agents.play import advice, play
from bolicho.agents.training import find, options_of, train
from bolicho.errors import BadInput
from bolicho.i18n import catalogue

NAMES = ("neural", "neural-plus", "dqn", "dqn-plus")


@pytest.mark.parametrize("name", NAMES)
def test_beats_random_players(name):
    game = bolicho.game("wonders")
    agents = [bolicho.agent(spec, "wonders") for spec in (name, "random", "random")]
    games = [play(game, agents, seed) for seed in range(20)]
    assert all(played.forfeit is None for played in games)
    won = sum(played.payoffs[0] == max(played.payoffs) for played in games)
    assert won >= 15  # by chance 7; a player of 80% falls below once in fifty


@pytest.mark.parametrize("name", NAMES)
def test_explains_its_choice(name):
    game = bolicho.game("wonders")
    agent = bolicho.agent(name, "wonders")
    assert agent.explain() is None
    table = game.deal(5)
    for _ in range(12):
        action, why = advice(table, agent)
        assert next(iter(why.facts["actions"])) == action
        assert catalogue("en").say(game.kind.name_action(table.state, action)) in catalogue("en").say(why.sentence)
        assert why.facts["inputs"]
        values = list(why.facts["actions"].values())
        assert values[0] == max(values)
        table.play(action)


def test_probabilities_are_shares():
    table = bolicho.game("wonders").deal(5)
    _, why = advice(table, bolicho.agent("neural", "wonders"))
    assert 0 < sum(why.facts["actions"].values()) <= 1 + 1e-6


def test_other_rules_and_unknown_artifacts_are_refused_with_a_message():
    with pytest.raises(BadInput, match="made for the default rules, and this game has players=4"):
        bolicho.agent("dqn", "wonders").begin(bolicho.game("wonders", players=4), 0)
    with pytest.raises(BadInput, match="unknown artifact 'wonders-dqm'"):
        bolicho.agent("dqn(weights=wonders-dqm)", "wonders").begin(bolicho.game("wonders"), 0)


def test_every_recipe_can_be_called():
    for name in ("neural-wonders", "neural-plus-wonders", "dqn-wonders", "dqn-plus-wonders"):
        assert find(name).artifact == name
        assert options_of(name)["games"] >= 1000


def test_training_reports_a_first_measurement(tmp_path):
    facts = train("dqn wonders", tmp_path / "small.safetensors", 3, {"games": 3}, show=False)
    assert facts["points against two random"] > 10


def test_playing_needs_no_torch():
    code = (
        "import sys, bolicho; t = bolicho.game('wonders').deal(1); a = bolicho.agent('dqn', 'wonders');"
        "import numpy; t.play(a.act(t.view(), numpy.random.default_rng(1))); print('torch' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"
