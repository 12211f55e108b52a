"""The agent `policy`: its contract, mixture, explanation and accepted rules."""

import subprocess
import sys

import numpy as np
import pytest

from bolicho import agent, game
from bolicho.agents.check import check_agent
from bolicho.agents.neural.kernel import output_of, read
from bolicho.agents.neural.net import layers
from bolicho.agents.player import Luck
from bolicho.agents.policy import model
from bolicho.agents.training import train
from bolicho.errors import BadInput
from bolicho.games.poker import KUHN
from bolicho.i18n import LANGUAGES, catalogue
from bolicho.store.artifact import load_artifact, save_artifact

SMALL = {"games": 60, "width": 16, "turns": 200}
GAMES = ("truco(hands=1)", "dominoes", "fives", "wonders")
DOMINOES = game("dominoes")


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """Function that returns a policy file for a game, trained once on a few games."""
    folder, made = tmp_path_factory.mktemp("policy"), {}

    def file(name):
        if name not in made:
            made[name] = folder / f"{len(made)}.safetensors"
            train(f"policy {name}", made[name], 1, SMALL, show=False)
        return made[name]

    return file


def named(name):
    return game("truco", hands=1) if name.startswith("truco") else game(name)


@pytest.mark.parametrize("name", GAMES)
def test_policy_agent_keeps_the_contract(name, trained):
    report = check_agent(f"policy(artifact={trained(name)})", named(name), games=2, looks=8)
    assert report.mixtures == report.explanations == report.decisions > 0


def test_greedy_policy_agent_keeps_the_contract(trained):
    report = check_agent(f"policy(artifact={trained('dominoes')}, greedy=true)", DOMINOES, games=2, looks=8)
    assert report.mixtures == report.decisions > 0


def plain(nets, values):
    """Return the outputs of the net, computed with matrices."""
    places = layers(nets.sizes, 0)
    for i, (matrix, biases, shape) in enumerate(places):
        values = values @ nets.weights[matrix].reshape(shape) + nets.weights[biases]
        values = np.maximum(values, 0) if i + 1 < len(places) else values
    return values


def test_mixture_is_the_softmax_of_legal_outputs_and_last_output_is_the_value(trained):
    made, nets = (
        agent(f"policy(artifact={trained('dominoes')})", DOMINOES),
        model.load(DOMINOES, str(trained("dominoes"))),
    )
    for seed in range(10):
        table = DOMINOES.deal(seed)
        while not table.over:
            view = table.view()
            inputs = np.zeros(nets.sizes[0][0], np.float32)
            read(view.pool, view.seat, nets.number, inputs)
            said = plain(nets, inputs)
            likes = np.exp(said[[output_of(view.pool, nets.number, number) for number in view.numbers]])
            np.testing.assert_allclose(made.mixture(view), likes / likes.sum(), rtol=1e-3, atol=1e-5)
            table.play(made.act(view, Luck.of(seed)))
            assert made.explain().facts["worth"] == pytest.approx(said[-1], rel=1e-3, abs=1e-3)


def test_greedy_agent_takes_the_most_probable_action(trained):
    drawing, greedy = (
        agent(f"policy(artifact={trained('dominoes')}, greedy={way})", DOMINOES) for way in ("false", "true")
    )
    view = DOMINOES.deal(3).view()
    assert greedy.mixture(view)[int(np.argmax(drawing.mixture(view)))] == 1
    assert greedy.act(view, Luck.of(1)) == view.legal[int(np.argmax(drawing.mixture(view)))]


def test_explanation_contains_the_mixture(trained):
    made = agent(f"policy(artifact={trained('dominoes')})", DOMINOES)
    action = made.act(DOMINOES.deal(3).view(), Luck.of(1))
    why = made.explain()
    assert why.facts["action"] == action
    assert sum(why.facts["mixture"].values()) == pytest.approx(1)
    assert [one["value"] for one in why.picture["bars"]] == list(why.facts["mixture"].values())
    assert len({catalogue(language).say(why.sentence) for language in LANGUAGES}) == len(LANGUAGES)


@pytest.mark.parametrize(
    ("name", "rules", "why"),
    [
        ("truco", {"hands": 1, "flor": False}, r"was made for the default rules, and this game has flor=False"),
        ("truco", {"flor": False}, r"was made for the default rules, and this game has flor=False"),
        ("wonders", {}, r"has game 'truco'"),
    ],
)
def test_policy_agent_refuses_rules_it_was_not_trained_on(trained, name, rules, why):
    with pytest.raises(BadInput, match=why):
        agent(f"policy(artifact={trained('truco(hands=1)')})", game(name, **rules))


def test_policy_of_single_hands_plays_matches_and_ignores_scores(trained):
    match = game("truco")
    made = agent(f"policy(artifact={trained('truco(hands=1)')})", match)
    nets = model.load(match, str(trained("truco(hands=1)")))
    matrix, _, shape = layers(nets.sizes, 0)[0]
    rows = np.abs(nets.weights[matrix].reshape(shape)).sum(axis=1)
    blind = {name for name, row in zip(match.feature_names, rows, strict=True) if row == 0}
    assert blind == {"my score", "other's score"}
    table = match.deal(1)
    while not table.over:
        table.play(made.act(table.view(), Luck.of(table.ply)))
    assert max(table.scores) >= 24


def test_a_file_that_is_no_policy_is_refused(trained, tmp_path):
    with pytest.raises(BadInput, match="has kind 'nets', not 'policy'"):
        agent("policy(artifact=dqn-plus-wonders)", game("wonders"))
    whole = load_artifact(str(trained("dominoes")))
    arrays = {name: array for name, array in whole.arrays.items() if "layer2" not in name}
    save_artifact(tmp_path / "short.safetensors", arrays, whole.facts)
    with pytest.raises(BadInput, match="do not match the inputs and outputs"):
        agent(f"policy(artifact={tmp_path / 'short.safetensors'})", DOMINOES)


def test_missing_artifact_error_names_the_training_command():
    with pytest.raises(BadInput, match=f"bolicho train policy {KUHN.name}"):
        agent("policy", KUHN)
    with pytest.raises(BadInput, match="was made for the default rules, and this game has hand=2, highest=3"):
        agent("policy", game("dominoes", highest=3, hand=2))


def test_playing_needs_no_torch(trained):
    code = (
        "import sys, bolicho; from bolicho.agents.mirrored_games import meet;"
        f"meet(bolicho.game('dominoes'), ['policy(artifact={trained('dominoes')})', 'random'], 2, 1);"
        "print('torch' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"
