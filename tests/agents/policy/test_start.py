"""Policies that start from a net of action values, train against an agent, and are sharpened at the end."""

import numpy as np
import pytest

from bolicho import game
from bolicho.agents.neural import net
from bolicho.agents.policy import model
from bolicho.agents.policy.learner import PolicyLearner, PolicySettings
from bolicho.agents.policy.train import PolicyOptions, PolicySelfPlay, policy
from bolicho.agents.registry import recipe
from bolicho.errors import BadInput

FIVES = game("fives", highest=3, hand=3)


def plan(**options):
    return PolicySettings(
        **{"coding": "features", "scheme": "payoff", "games": 60, "seed": 1, "hidden": (8, 6)} | options
    )


@pytest.fixture
def valued(tmp_path):
    """Net of action values, as a file and as an object."""
    nets = net.fresh(FIVES, "features", ((8, 6),), seed=5)
    path = tmp_path / "values.safetensors"
    net.save(nets, path, {"rules": dict(FIVES.options)})
    return str(path), net.load(FIVES, str(path))


def outputs(nets, inputs):
    values = inputs
    places = net.layers(nets.sizes, 0)
    for i, (matrix, biases, shape) in enumerate(places):
        values = values @ nets.weights[matrix].reshape(shape) + nets.weights[biases]
        values = np.maximum(values, 0) if i + 1 < len(places) else values
    return values


def test_started_policy_prefers_valued_actions_and_values_positions_at_zero(valued):
    started = PolicyLearner(FIVES, plan(), start=valued[1])
    inputs = np.random.default_rng(1).random((20, FIVES.num_features))
    said, wanted = outputs(started.nets, inputs), outputs(valued[1], inputs)
    np.testing.assert_allclose(said[:, :-1], model.KEEN * wanted, rtol=1e-4, atol=1e-5)
    assert not said[:, -1].any()


def test_scaling_of_inputs_does_not_change_the_preferences(valued):
    started = PolicyLearner(FIVES, plan(), start=valued[1])
    before = started.nets.weights.copy()
    started._learn = lambda lesson, aim: {}  # look at a round, and learn nothing
    started.round()
    assert started.scale.min() < 1
    inputs = np.random.default_rng(1).random((20, FIVES.num_features))
    after = outputs(started.nets, inputs)
    started.nets.weights[:] = before
    np.testing.assert_allclose(after, outputs(started.nets, inputs), rtol=1e-4, atol=1e-4)


def test_a_net_of_other_layers_is_refused(valued):
    with pytest.raises(BadInput, match="cannot start from nets"):
        PolicyLearner(FIVES, plan(hidden=(8,)), start=valued[1])


def test_self_play_has_its_configured_share_of_games():
    other = recipe("random", "fives").maker(FIVES)
    for alone in (0.0, 0.3, 1.0):
        learner = PolicyLearner(FIVES, plan(alone=alone), other)
        seated = [learner._seated(number) for number in range(2_000)]
        assert np.mean([seats == [0, 0] for seats in seated]) == pytest.approx(alone, abs=0.04)
        assert all(seats == [number % 2, 1 - number % 2] or seats == [0, 0] for number, seats in enumerate(seated))


def test_sharpening_multiplies_the_preferences(tmp_path):
    mixtures = []
    for sharp in (1.0, 5.0):
        learner = PolicySelfPlay(FIVES, plan(), PolicyOptions(sharp=sharp))
        mixtures.append(outputs(learner._made(), np.ones((1, FIVES.num_features)))[0])
    np.testing.assert_allclose(mixtures[1][:-1], 5 * mixtures[0][:-1], rtol=1e-5)
    assert mixtures[1][-1] == mixtures[0][-1]


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"alone": 1.5}, "alone must be a share of the games from 0 to 1, not 1.5"),
        ({"keen": 0.0}, "keen must be a number above 0, at most 1,000, not 0.0"),
        ({"sharp": 0.5}, "sharp must be a number from 1 to 100, not 0.5"),
        ({"against": "nobody"}, "unknown agent 'nobody'"),
        ({"start": "policy-wonders"}, "has (game|kind)"),
    ],
)
def test_invalid_options_are_refused(options, why):
    with pytest.raises(BadInput, match=why):
        policy(1, FIVES, 10, options=PolicyOptions(**options))
