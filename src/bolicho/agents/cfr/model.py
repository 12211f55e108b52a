"""What was learned, as a file: for every situation its key, its mixture, and how often it was visited."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bolicho.agents.cfr import abstractions
from bolicho.agents.cfr.compiled.player import FULL, Mixing, situation
from bolicho.agents.cfr.learner import Regrets
from bolicho.agents.cfr.truco import model as vectors
from bolicho.errors import BadInput
from bolicho.games.game import Game, View
from bolicho.store.artifact import Arrays, artifact_path, load_artifact
from bolicho.store.made_for import check_rules

KIND = "cfr"
_EIGHTHS = 8  # steps of visits from one power of two to the next


@dataclass(frozen=True)
class Model:
    """A learned strategy of one game."""

    game: Game
    abstraction: Any
    keys: NDArray[np.uint64]
    shapes: NDArray[np.uint8]
    first: NDArray[np.int64]
    mixtures: NDArray[np.uint8]
    visits: NDArray[np.uint8]

    def visited(self, number: int) -> int:
        """About how often a situation was visited in training."""
        return round(2 ** (int(self.visits[number]) / _EIGHTHS))

    def situation(self, player: NamedTuple, memory: NDArray[np.void], view: View) -> int:
        """The number of the situation of a view, or NOT_SEEN."""
        return int(situation(player, memory, view.pool, view.seat))

    def player(self) -> Mixing:
        """What plays by it."""
        width = self.game.num_actions
        room = (np.zeros(width, np.int16), np.zeros(width, np.int16), np.zeros(width, np.int16), np.zeros(width))
        return Mixing(self.abstraction, self.keys, self.shapes, self.first, self.mixtures, *room)


def learned(regrets: Regrets, least: int) -> Arrays:
    """The average strategy of situations visited at least so often, by key; the last one where there is no average.

    Where a seat's own play never led, nothing was averaged, but regrets were learned.
    """
    met, arms = regrets.met(), regrets.learned()
    starts = met["first"].astype(np.int64)
    average = np.where(np.repeat(_totals(arms["average"], starts) > 0, met["count"]), arms["average"], arms["regret"])
    average = np.maximum(average, 0)
    totals = _totals(average, starts)
    kept = np.flatnonzero((met["visits"] >= least) & (totals > 0))
    kept = kept[np.argsort(met["key"][kept])]
    counts = met["count"][kept]
    first = np.cumsum(counts) - counts
    of_kept = np.repeat(starts[kept] - first, counts) + np.arange(counts.sum())
    shares = average[of_kept].astype(np.float64) / np.repeat(totals[kept].astype(np.float64), counts)
    steps = np.floor(shares * FULL + 0.5).astype(np.int64)
    if len(kept):  # the largest takes what rounding left over
        largest = first + np.array([int(np.argmax(part)) for part in np.split(shares, first[1:])])
        steps[largest] += FULL - np.add.reduceat(steps, first)
    return {
        "keys": met["key"][kept],
        "shapes": (met["shape"][kept] & 255).astype(np.uint8),
        "counts": counts.astype(np.uint8),
        "mixtures": steps.astype(np.uint8),
        "visits": np.round(_EIGHTHS * np.log2(np.maximum(1, met["visits"][kept]))).astype(np.uint8),
    }


def _totals(shares: NDArray[np.float32], starts: NDArray[np.int64]) -> NDArray[np.float32]:
    """The sums of shares, situation by situation."""
    return np.add.reduceat(shares, starts) if len(starts) else np.zeros(0, np.float32)


def model_of(game: Game, abstraction: Any, arrays: Arrays) -> Model:
    """A model of what was learned."""
    first = np.concatenate([[0], np.cumsum(arrays["counts"].astype(np.int64))])
    return Model(game, abstraction, arrays["keys"], arrays["shapes"], first, arrays["mixtures"], arrays["visits"])


def load_model(game: Game, name: str) -> Model | vectors.Vectors:
    """The model of a file, checked to be one of this game and these rules; read once in a process."""
    path = artifact_path(name)
    found: Model | vectors.Vectors = _load(game, str(path), path.stat().st_mtime_ns if path.exists() else 0)
    return found


@lru_cache(maxsize=8)
def _load(game: Game, path: str, modified: int) -> Any:
    artifact = load_artifact(path, game=game.name, kind=KIND)
    if artifact.facts.get("abstraction") == vectors.FORM:  # of single hands, which every match is made of
        check_rules(artifact.facts, game.options, artifact.path, apart=("hands",), instead=vectors.OTHER_RULES)
        return vectors.unpacked(game, artifact.arrays, artifact.facts, artifact.path)
    check_rules(artifact.facts, game.options, artifact.path)
    arrays = artifact.arrays
    kinds = {"keys": np.uint64, "shapes": np.uint8, "counts": np.uint8, "mixtures": np.uint8, "visits": np.uint8}
    whole = all(name in arrays and arrays[name].dtype == kind for name, kind in kinds.items())
    if whole:
        keys, counts = arrays["keys"], arrays["counts"]
        lengths = {len(arrays[name]) for name in ("keys", "shapes", "counts", "visits")}
        whole = lengths == {len(keys)} and int(counts.sum()) == len(arrays["mixtures"])
        whole = whole and bool((keys[1:] > keys[:-1]).all()) and bool((counts > 0).all())
    if not whole:
        raise BadInput(f"{artifact.path} has no mixture for each of its situations; train it again")
    return model_of(game, abstractions.find(str(artifact.facts.get("abstraction")), game), arrays)


def facts_of(game: Game, abstraction: str) -> dict[str, Any]:
    """What the file of a model says of it."""
    return {"kind": KIND, "game": game.name, "rules": dict(game.options), "abstraction": abstraction}
