"""Policies as files: a net of one output more than its coding has, which is the worth of the position."""

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
KEEN = 20.0  # what the outputs of nets to begin from are multiplied by: right for those that value actions


def coding_of(game: Game, name: str = "") -> str:
    """The coding of that name, checked; by default what learners do best with in that game."""
    own = binding(game.name)
    if not name:
        name = own.coding if game.seats == own.seats else "features"
    if len(net.coding(game, name).widths) != 1:
        raise BadInput(f"the coding {name} is for several nets, and a policy is one; take {coding_of(game)}")
    return name


def fresh(game: Game, coding: str, hidden: Sequence[int], seed: int) -> Nets:
    """A policy that has learned nothing."""
    return net.fresh(game, coding, (hidden,), seed, WORTH)


def hidden_of(nets: Nets) -> tuple[int, ...]:
    """The widths of the hidden layers of the one net there is."""
    return nets.sizes[0][1:-1]


def begin_from(nets: Nets, start: Nets, keen: float = KEEN) -> None:
    """Let a policy prefer what a net of the same inputs and layers values; its worth is 0 everywhere."""
    if start.coding != nets.coding or len(start.sizes) != 1 or hidden_of(start) != hidden_of(nets):
        raise BadInput(f"a policy of the coding {nets.coding} cannot begin from nets of the coding {start.coding}")
    for (matrix, biases, shape), (own, offsets, wanted) in zip(
        layers(start.sizes, 0), layers(nets.sizes, 0), strict=True
    ):
        wider = [(0, 0), (0, wanted[1] - shape[1])]
        nets.weights[own] = np.pad(start.weights[matrix].reshape(shape), wider).ravel()
        nets.weights[offsets] = np.pad(start.weights[biases], wider[1])
    sharpen(nets, keen)


def sharpen(nets: Nets, factor: float) -> None:
    """Multiply all preferences: the larger, the more often what is liked best is drawn."""
    matrix, biases, shape = layers(nets.sizes, 0)[-1]
    nets.weights[matrix].reshape(shape)[:, :-WORTH] *= factor
    nets.weights[biases][:-WORTH] *= factor


def leave_length_out(nets: Nets, game: Game) -> None:
    """Where single hands were learned, let scores be nothing to the policy: it saw none."""
    if game.options.get("hands") and nets.coding == "features":
        matrix, _, shape = layers(nets.sizes, 0)[0]
        blind = [game.feature_names.index(name) for name in binding(game.name).of_length]
        nets.weights[matrix].reshape(shape)[blind] = 0


def save(nets: Nets, path: Path | str, facts: dict[str, Any]) -> None:
    """Write a policy."""
    net.save(nets, path, {**facts, "kind": KIND})


def load(game: Game, name: str) -> Nets:
    """A policy for a game, by name or path of its file."""
    nets = net.load(game, name, KIND, WORTH, binding(game.name).length)
    if len(nets.sizes) != 1:
        raise BadInput(f"the policy {name} has {len(nets.sizes)} nets, not one; train it again")
    return nets


def player(nets: Nets, game: Game, greedy: bool = False) -> Policy:
    """What decides by it; the weights are shared, not copied."""
    width = game.num_actions
    return Policy(nets.player(game), greedy, np.zeros(width, np.int64), np.zeros(width))
