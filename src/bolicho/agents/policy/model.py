"""Policies as files: a net of one output more than its coding has, which is the worth of the position."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bolicho.agents.neural import net
from bolicho.agents.neural.bindings import binding
from bolicho.agents.neural.net import Nets
from bolicho.agents.policy.kernel import Policy
from bolicho.errors import BadInput
from bolicho.games.game import Game

KIND = "policy"
WORTH = 1  # output beside those of the coding


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


def save(nets: Nets, path: Path | str, facts: dict[str, Any]) -> None:
    """Write a policy."""
    net.save(nets, path, {**facts, "kind": KIND})


def load(game: Game, name: str) -> Nets:
    """A policy for a game, by name or path of its file."""
    nets = net.load(game, name, KIND, WORTH)
    if len(nets.sizes) != 1:
        raise BadInput(f"the policy {name} has {len(nets.sizes)} nets, not one; train it again")
    return nets


def player(nets: Nets, game: Game, greedy: bool = False) -> Policy:
    """What decides by it; the weights are shared, not copied."""
    width = game.num_actions
    return Policy(nets.player(game), greedy, np.zeros(width, np.int64), np.zeros(width))
