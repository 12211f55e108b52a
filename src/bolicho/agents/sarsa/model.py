"""The linear value of after-states of one game: its features, its weights, its file."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bolicho.agents.sarsa import kernel
from bolicho.errors import BadInput
from bolicho.games.chance import stream
from bolicho.games.game import Game, View
from bolicho.store.artifact import artifact_path, load_artifact
from bolicho.store.made_for import check_rules

KIND = "sarsa"
OWN_FEATURES = {"dominoes": "bolicho.agents.sarsa.dominoes", "fives": "bolicho.agents.sarsa.dominoes"}
"""The games whose after-states are described here; those of all others by their own features."""

_DRAWN = 16  # worlds over which an action is valued where after-states are not described


@dataclass(frozen=True)
class Model:
    """What a game's after-states are made of; `weights` gives each feature its worth."""

    game: Game
    perfect: bool
    names: tuple[str, ...]
    drawn: bool  # whether after-states are looked for in worlds drawn from the view
    by_points: bool  # whether payoffs are earned point by point
    weights: NDArray[np.float64]

    @property
    def size(self) -> int:
        return len(self.names)

    @property
    def how(self) -> kernel.How:
        """For compiled code."""
        return kernel.How(self.perfect, self.drawn)


def new_model(game: Game, perfect: bool) -> Model:
    """A model of a game that knows nothing yet."""
    if game.name in OWN_FEATURES:
        name_all: Callable[..., list[str]] = import_module(OWN_FEATURES[game.name]).names
        names, own = tuple(name_all(game, perfect)), True
    else:
        names, own = tuple(f"feature {i}" for i in range(game.num_features)), False
    return Model(game, perfect, names, not own, own, np.zeros(len(names)))


def load_model(game: Game, perfect: bool, name: str) -> Model:
    """The model of a file, checked to be one of this game, with these rules and this much knowledge.

    Read once in a process, unless the file is written anew: its weights are not to be changed.
    """
    path = artifact_path(name)
    return _load(game, perfect, str(path), path.stat().st_mtime_ns if path.exists() else 0)


@lru_cache(maxsize=8)
def _load(game: Game, perfect: bool, path: str, modified: int) -> Model:
    artifact = load_artifact(path, game=game.name, kind=KIND)
    model = new_model(game, perfect)
    if artifact.facts.get("perfect") is not perfect:
        knows, wants = ("everything", "only its view") if not perfect else ("only its view", "everything")
        raise BadInput(f"{artifact.path} was trained to see {knows}; this agent sees {wants}")
    check_rules(artifact.facts, game.options, artifact.path)
    weights = artifact.arrays.get("weights")
    if weights is None or weights.shape != (model.size,) or weights.dtype != np.float64:
        raise BadInput(f"{artifact.path} does not have {model.size} weights, as {game!r} needs; train it again")
    model.weights[:] = weights
    if not np.isfinite(weights).all():
        raise BadInput(f"{artifact.path} has weights that are not numbers; train it again")
    return model


def buffers(model: Model) -> kernel.Work:
    """Buffers of the right sizes, the rules of the game set."""
    game, size = model.game, model.size
    pool = np.zeros(kernel.POOL, game.dtype)
    pool[kernel.GAME] = game.deal(0).pool[0]  # for the rules
    return kernel.Work(
        pool,
        np.zeros(game.num_actions, np.int16),
        np.zeros(size, np.int32),
        np.zeros(size, np.float32),
        np.zeros(game.seats),
        np.zeros(game.seats, np.int64),
        np.zeros((game.seats, size), np.int32),
        np.zeros((game.seats, size), np.float32),
        np.zeros(game.seats, np.int64),
    )


def worth(model: Model, work: kernel.Work, view: View, seed: int) -> tuple[NDArray[np.float64], list[dict[str, float]]]:
    """What each legal action of a view is worth, and what its features add to that (empty: the game would end)."""
    values = np.zeros(len(view.numbers))
    parts: list[dict[str, float]] = []
    worlds = _DRAWN if model.drawn and not model.perfect else 1
    for world in range(worlds):
        drawn = view.redeal(int(stream(np.uint64(seed), world))).pool if worlds > 1 else view.pool
        work.pool[kernel.ASKED] = drawn[0]
        parts = []
        for i, action in enumerate(view.numbers):
            value, n = kernel.ask_value(work, model.how, model.weights, view.seat, action)
            values[i] += value / worlds
            on = zip(work.index[: max(0, n)].tolist(), work.value[: max(0, n)].tolist(), strict=True)
            parts.append({model.names[j]: x * float(model.weights[j]) for j, x in on})
    return values, parts


def facts_of(model: Model) -> dict[str, Any]:
    """What the file of a model says of it."""
    game = model.game
    return {
        "kind": KIND,
        "game": game.name,
        "rules": dict(game.options),
        "perfect": model.perfect,
        "features": model.size,
    }
