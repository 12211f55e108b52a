"""Nets as files and arrays, independent of the training library."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bolicho.agents.compiled.rewards import PAYOFF
from bolicho.agents.inputs import check_features
from bolicho.agents.kernel import BATCH
from bolicho.agents.neural import TECHNIQUE
from bolicho.agents.neural.compiled.codings import FEATURES, NOTHING, Binding, Coding
from bolicho.agents.neural.kernel import Net
from bolicho.errors import BadInput, unknown
from bolicho.games.game import Game
from bolicho.store.artifact import has_artifact, load_artifact, save_artifact
from bolicho.store.rules_match import check_rules

KIND = "nets"

Floats = NDArray[np.float32]
Sizes = tuple[tuple[int, ...], ...]


def binding(game: str) -> Binding:
    """Return the binding of a game; loading it registers its compiled code."""
    return TECHNIQUE.binding(game) or NOTHING


def schemes(game: str) -> dict[str, int]:
    """Return the schemes of a game, by name."""
    return {"payoff": PAYOFF, **binding(game).schemes}


def coding(game: Game, name: str) -> Coding:
    """Return a coding by name."""
    own = binding(game.name)
    if name == "features":
        check_features(game)
        return Coding(FEATURES, ((game.num_features, game.num_actions),))
    if name not in own.codings:
        raise unknown(f"coding of {game.name}", name, ["features", *own.codings])
    if game.seats != own.seats:
        raise BadInput(f"the coding {name} is for {game.name} with {own.seats} players, not {game.seats}")
    found = own.codings[name]
    return found if found.of is None else replace(found, widths=found.of(game), of=None)


@dataclass(frozen=True)
class Nets:
    """One or several nets with all weights in one array; see `neural.kernel` for the layout."""

    game: str
    coding: str
    number: int  # number of the coding in compiled code
    sizes: Sizes
    weights: Floats
    facts: dict[str, Any]

    def player(self, game: Game) -> Net:
        """Create the player of these nets; it shares the weights."""
        widest = max(max(sizes) for sizes in self.sizes)
        return Net(
            self.number,
            self.weights,
            np.array(self.sizes, np.int64),
            np.array(starts(self.sizes), np.int64),
            np.zeros((2, BATCH, widest), np.float32),
            np.zeros(BATCH, np.int64),
            np.zeros(game.num_actions, np.int16),
            np.zeros(game.num_actions),
        )


def starts(sizes: Sizes) -> list[int]:
    """Return the offset of each net in the weights, and the end."""
    ends = [0]
    for widths in sizes:
        ends.append(ends[-1] + sum((n + 1) * m for n, m in pairwise(widths)))
    return ends


def layers(sizes: Sizes, which: int) -> list[tuple[slice, slice, tuple[int, int]]]:
    """Return for each layer of a net the slices of its matrix and its biases, and the shape of the matrix."""
    places = []
    at = starts(sizes)[which]
    for n, m in pairwise(sizes[which]):
        places.append((slice(at, at + n * m), slice(at + n * m, at + n * m + m), (n, m)))
        at += (n + 1) * m
    return places


def fresh(game: Game, name: str, hidden: Sequence[Sequence[int]], seed: int, more: int = 0) -> Nets:
    """Create untrained nets; `more` is the number of outputs besides those of the coding."""
    how = coding(game, name)
    if len(hidden) != len(how.widths):
        raise BadInput(f"the coding {name} has {len(how.widths)} nets, but hidden layers for {len(hidden)} were given")
    sizes = tuple((n, *inside, m + more) for (n, m), inside in zip(how.widths, hidden, strict=True))
    return Nets(game.name, name, how.number, sizes, untrained(sizes, np.random.default_rng([seed, 1])), {})


def untrained(sizes: Sizes, rng: np.random.Generator) -> Floats:
    """Return weights and biases drawn uniformly within 1/sqrt(inputs), as is customary."""
    weights = np.empty(starts(sizes)[-1], np.float32)
    for which in range(len(sizes)):
        for matrix, biases, (n, _) in layers(sizes, which):
            reach = 1 / math.sqrt(n)
            weights[matrix] = rng.uniform(-reach, reach, matrix.stop - matrix.start)
            weights[biases] = rng.uniform(-reach, reach, biases.stop - biases.start)
    return weights


def save(nets: Nets, path: Path | str, facts: dict[str, Any]) -> None:
    """Write nets in half precision, which does not affect decisions."""
    arrays = {}
    for which in range(len(nets.sizes)):
        for i, (matrix, biases, shape) in enumerate(layers(nets.sizes, which)):
            arrays[f"net{which}.layer{i}.weight"] = nets.weights[matrix].reshape(shape).astype(np.float16)
            arrays[f"net{which}.layer{i}.bias"] = nets.weights[biases].astype(np.float16)
    save_artifact(path, arrays, {"game": nets.game, "kind": KIND, "coding": nets.coding, **facts})


def load(game: Game, name: str, kind: str = KIND, more: int = 0, apart: Sequence[str] = ()) -> Nets:
    """Load nets for a game, by name or path of their file; cached per process.

    `more`: see `fresh`. `apart` are rules that may differ from those of the training.
    """
    nets = _load(game.name, name, kind)
    own = binding(game.name).codings.get(nets.coding)
    apart = ("sides", *apart, *(own.apart if own else ()))
    check_rules(nets.facts, game.options, f"the artifact {name}", apart=apart)
    widths = tuple((n, m + more) for n, m in coding(game, nets.coding).widths)
    if tuple((sizes[0], sizes[-1]) for sizes in nets.sizes) != widths:
        raise BadInput(f"the nets {name} do not match the inputs and outputs of the coding {nets.coding} of {game}")
    return nets


@lru_cache
def game_of(name: str) -> str | None:
    """Return the game of the nets with that name or path; None where there are none."""
    return str(load_artifact(name, kind=KIND).facts["game"]) if has_artifact(name) else None


@lru_cache
def _load(game: str, name: str, kind: str) -> Nets:
    artifact = load_artifact(name, game=game, kind=kind)
    by_net: list[list[int]] = []
    parts: list[NDArray[Any]] = []
    arrays = dict(artifact.arrays)
    while (first := arrays.get(f"net{len(by_net)}.layer0.weight")) is not None:
        which, widths = len(by_net), [len(first) if first.ndim else 0]
        while (matrix := arrays.pop(f"net{which}.layer{len(widths) - 1}.weight", None)) is not None:
            biases = arrays.pop(f"net{which}.layer{len(widths) - 1}.bias", np.zeros(0))
            if biases.ndim != 1 or matrix.shape != (widths[-1], len(biases)):
                raise BadInput(f"{artifact.path}: layer {len(widths)} of net {which} does not fit the one before")
            widths.append(len(biases))
            parts += [matrix.ravel(), biases]
        by_net.append(widths)
    if not parts or arrays:
        raise BadInput(f"{artifact.path} contains no nets, or other arrays too")
    sizes = tuple(tuple(widths) for widths in by_net)
    name_of = str(artifact.facts.get("coding"))
    known = {"features": Coding(FEATURES, ())} | binding(game).codings
    if name_of not in known:
        raise unknown(f"coding in {artifact.path}", name_of, known)
    weights = np.concatenate(parts).astype(np.float32)
    if not np.isfinite(weights).all():
        raise BadInput(f"{artifact.path} has weights that are not numbers; train it again")
    return Nets(game, name_of, known[name_of].number, sizes, weights, artifact.facts)
