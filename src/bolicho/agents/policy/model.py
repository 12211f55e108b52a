"""File format of policies: a net with one output more than its coding, the value of the position."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bolicho.agents.neural import net
from bolicho.agents.neural.net import Nets, binding, layers
from bolicho.agents.policy.kernel import Policy
from bolicho.errors import BadInput
from bolicho.games.game import Game

KIND = "policy"
WORTH = 1  # output beside those of the coding
KEEN = 20.0  # factor on the outputs of initial nets; it suits nets that value actions


def coding_of(game: Game, name: str = "") -> str:
    """Return the coding of that name, checked; by default the best one for learners in the game."""
    own = binding(game.name)
    if not name:
        name = own.coding if game.seats == own.seats else "features"
    if len(net.coding(game, name).widths) != 1:
        raise BadInput(f"the coding {name} is for several nets, but a policy has one; use {coding_of(game)}")
    return name


def fresh(game: Game, coding: str, hidden: Sequence[int], seed: int) -> Nets:
    """Create an untrained policy."""
    return net.fresh(game, coding, (hidden,), seed, WORTH)


def hidden_of(nets: Nets) -> tuple[int, ...]:
    """Return the widths of the hidden layers of a policy's net."""
    return nets.sizes[0][1:-1]


def begin_from(nets: Nets, start: Nets, keen: float = KEEN) -> None:
    """Initialise a policy's preferences from a value net of the same inputs and layers; its value output is 0."""
    if start.coding != nets.coding or len(start.sizes) != 1 or hidden_of(start) != hidden_of(nets):
        raise BadInput(f"a policy of the coding {nets.coding} cannot start from nets of the coding {start.coding}")
    for (matrix, biases, shape), (own, offsets, wanted) in zip(
        layers(start.sizes, 0), layers(nets.sizes, 0), strict=True
    ):
        wider = [(0, 0), (0, wanted[1] - shape[1])]
        nets.weights[own] = np.pad(start.weights[matrix].reshape(shape), wider).ravel()
        nets.weights[offsets] = np.pad(start.weights[biases], wider[1])
    sharpen(nets, keen)


def sharpen(nets: Nets, factor: float) -> None:
    """Multiply all preferences; a larger factor makes the policy less random."""
    matrix, biases, shape = layers(nets.sizes, 0)[-1]
    nets.weights[matrix].reshape(shape)[:, :-WORTH] *= factor
    nets.weights[biases][:-WORTH] *= factor


def leave_length_out(nets: Nets, game: Game) -> None:
    """Remove the influence of scores from a policy trained on single hands, where they never vary."""
    if game.options.get("hands") and nets.coding == "features":
        matrix, _, shape = layers(nets.sizes, 0)[0]
        blind = [game.feature_names.index(name) for name in binding(game.name).of_length]
        nets.weights[matrix].reshape(shape)[blind] = 0


def save(nets: Nets, path: Path | str, facts: dict[str, Any]) -> None:
    """Write a policy to a file."""
    net.save(nets, path, {**facts, "kind": KIND})


def load(game: Game, name: str) -> Nets:
    """A policy for a game, by name or path of its file."""
    nets = net.load(game, name, KIND, WORTH, binding(game.name).length)
    if len(nets.sizes) != 1:
        raise BadInput(f"the policy {name} has {len(nets.sizes)} nets, not one; train it again")
    return nets


def player(nets: Nets, game: Game, greedy: bool = False) -> Policy:
    """Create the player of a policy; it shares the weights."""
    width = game.num_actions
    return Policy(nets.player(game), greedy, np.zeros(width, np.int64), np.zeros(width))
