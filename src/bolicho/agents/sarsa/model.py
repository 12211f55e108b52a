"""Linear value of after-states of one game: its features, its weights, its file format."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bolicho.agents.compiled.rewards import PAYOFF
from bolicho.agents.inputs import check_features
from bolicho.agents.sarsa import TECHNIQUE, kernel
from bolicho.errors import BadInput
from bolicho.games.game import Game, View
from bolicho.i18n import Message, plain
from bolicho.store.artifact import artifact_path, load_artifact
from bolicho.store.rules_match import check_rules

KIND = "sarsa"
_DRAWN = 16  # worlds over which an action is averaged where after-states are not described


@dataclass(frozen=True)
class Model:
    """Features of a game's after-states, and the weight of each."""

    game: Game
    perfect: bool
    names: tuple[str, ...]
    drawn: bool  # True if after-states are evaluated in worlds drawn from the view
    scheme: int  # reward scheme of `agents.compiled.rewards`; or BY_POINTS
    apart: tuple[str, ...]  # rules that may differ from those of the training
    weights: NDArray[np.float64]

    @property
    def size(self) -> int:
        return len(self.names)


def new_model(game: Game, perfect: bool) -> Model:
    """Create an untrained model of a game."""
    own = TECHNIQUE.binding(game.name)  # without one, after-states have the game's own features
    if own is not None:
        names, scheme, apart = tuple(own.names(game, perfect)), own.SCHEME, own.APART
    else:
        check_features(game)
        names, scheme, apart = tuple(f"feature {i}" for i in range(game.num_features)), PAYOFF, ()
    return Model(game, perfect, names, own is None, scheme, apart, np.zeros(len(names)))


def load_model(game: Game, perfect: bool, name: str) -> Model:
    """Load the model of a file and check its game, rules and visibility.

    Cached per process until the file changes: do not modify its weights.
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
    check_rules(artifact.facts, game.options, artifact.path, apart=model.apart)
    weights = artifact.arrays.get("weights")
    if weights is None or weights.shape != (model.size,) or weights.dtype != np.float64:
        raise BadInput(f"{artifact.path} does not have {model.size} weights, as {game!r} needs; train it again")
    model.weights[:] = weights
    if not np.isfinite(weights).all():
        raise BadInput(f"{artifact.path} has weights that are not numbers; train it again")
    return model


def player(model: Model, weights: NDArray[np.float64] | None = None) -> kernel.Valuing:
    """Create the player of a model, optionally with other weights."""
    game = model.game
    return kernel.Valuing(
        model.weights if weights is None else weights,
        model.perfect,
        _DRAWN if model.drawn and not model.perfect else 0,
        np.zeros(2, game.dtype),
        np.zeros(game.num_actions, np.int16),
        np.zeros(model.size, np.int32),
        np.zeros(model.size, np.float32),
        np.zeros(game.seats),
        np.zeros(game.seats, np.int64),
        np.zeros(game.num_actions),
    )


def action_values(
    model: Model, player: kernel.Valuing, view: View, luck: np.uint64
) -> tuple[list[float], list[dict[str, float]]]:
    """Return the value of each legal action of a view, and the parts of its features (empty: the game would end)."""
    n = kernel.ask_all(player, view.pool, view.seat, luck)
    parts: list[dict[str, float]] = []
    for action in view.numbers:
        size = max(0, kernel.ask_value(player, view.seat, action)[1])
        on = zip(player.index[:size].tolist(), player.value[:size].tolist(), strict=True)
        parts.append({model.names[j]: x * float(player.weights[j]) for j, x in on})
    return player.action_values[:n].tolist(), parts


def say_feature(game: str, name: str) -> Message:
    """Return the name of a feature for people; the written one if the game has no binding."""
    own = TECHNIQUE.binding(game)
    return plain(name) if own is None else own.say_feature(name)


def facts_of(model: Model) -> dict[str, Any]:
    """Return the facts stored in the file of a model."""
    game = model.game
    return {
        "kind": KIND,
        "game": game.name,
        "rules": dict(game.options),
        "perfect": model.perfect,
        "features": model.size,
    }
