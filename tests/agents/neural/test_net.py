"""Nets as arrays and as files."""

import numpy as np
import pytest

import bolicho
from bolicho.agents.neural import kernel
from bolicho.agents.neural.net import Nets, fresh, layers, load, save, starts
from bolicho.errors import BadInput
from bolicho.store.artifact import save_artifact

GAME = bolicho.game("truco", hands=1)


def plain(nets, which, values):
    """Return the outputs of the net, computed with matrices."""
    places = layers(nets.sizes, which)
    for i, (matrix, biases, shape) in enumerate(places):
        values = values @ nets.weights[matrix].reshape(shape) + nets.weights[biases]
        if i + 1 < len(places):
            values = np.maximum(values, 0)
    return values


def test_forward_pass_matches_matrices_and_relu():
    nets = Nets("x", "features", 0, ((5, 7, 3), (4, 6, 6, 9)), np.zeros(0, np.float32), {})
    rng = np.random.default_rng(1)
    nets = Nets("x", "features", 0, nets.sizes, rng.standard_normal(starts(nets.sizes)[-1]).astype(np.float32), {})
    for which, sizes in enumerate(nets.sizes):
        net = Nets("x", "features", 0, (sizes,), weights_of(nets, which), {}).player(GAME)
        net.rows[:] = np.nan
        inputs = rng.standard_normal((2, sizes[0])).astype(np.float32)
        inputs[:, 1] = 0
        net.rows[0, :2, : sizes[0]] = inputs
        here = kernel.forward(net, 0, np.arange(2))
        for k in (0, 1):
            wanted = plain(nets, which, inputs[k])
            np.testing.assert_allclose(net.rows[here, k, : sizes[-1]], wanted, rtol=1e-4, atol=1e-5)


def weights_of(nets, which):
    first, last = starts(nets.sizes)[which : which + 2]
    return nets.weights[first:last]


def test_choice_is_the_best_legal_action():
    nets = fresh(GAME, "features", ((16,),), seed=2)
    for seed in range(20):
        view = GAME.deal(seed).view()
        net = nets.player(GAME)
        best = kernel.choose(view.pool, view.seat, net)
        said = plain(nets, 0, view.features())
        assert net.legal[: len(view.numbers)].tolist() == view.numbers
        assert view.numbers[best] == max(view.numbers, key=lambda number: said[number])


def test_a_file_gives_the_same_net(tmp_path):
    nets = fresh(GAME, "features", ((16, 8),), seed=3)
    path = str(tmp_path / "some.safetensors")
    save(nets, path, {"seed": 3, "rules": dict(GAME.options)})
    again = load(GAME, path)
    assert again.sizes == nets.sizes
    assert again.facts["seed"] == 3
    np.testing.assert_array_equal(again.weights, nets.weights.astype(np.float16).astype(np.float32))


def test_foreign_files_are_refused_with_a_message(tmp_path):
    nets = fresh(GAME, "features", ((16, 8),), seed=3)
    whole = tmp_path / "whole.safetensors"
    save(nets, whole, {})
    broken = tmp_path / "broken.safetensors"
    broken.write_bytes(whole.read_bytes()[:-100])
    with pytest.raises(BadInput, match="not a complete safetensors file"):
        load(GAME, str(broken))
    with pytest.raises(BadInput, match="has game 'truco'"):
        load(bolicho.game("wonders"), str(whole))
    other = tmp_path / "other.safetensors"
    facts = {"game": "truco", "kind": "nets", "coding": "features", "rules": dict(GAME.options)}
    save_artifact(other, {"net0.layer0.weight": np.zeros((3, 4)), "net0.layer0.bias": np.zeros(5)}, facts)
    with pytest.raises(BadInput, match="does not fit"):
        load(GAME, str(other))
    save_artifact(other := tmp_path / "small.safetensors", {"net0.layer0.weight": np.zeros((3, 4)), "net0.layer0.bias": np.zeros(4)}, facts)  # fmt: skip  # noqa: E501
    with pytest.raises(BadInput, match="do not match the inputs and outputs"):
        load(GAME, str(other))
    save_artifact(other := tmp_path / "empty.safetensors", {"x": np.zeros(1)}, facts)
    with pytest.raises(BadInput, match="contains no nets"):
        load(GAME, str(other))
