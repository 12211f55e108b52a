"""File format of learned strategies: the key, the mixture and the number of visits of every situation."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bolicho.agents.cfr import abstractions
from bolicho.agents.cfr.compiled.player import FULL, Mixing, situation
from bolicho.agents.cfr.learner import Regrets
from bolicho.agents.cfr.truco import model as vectors
from bolicho.agents.cfr.truco.match import ANY_MATCH
from bolicho.errors import BadInput
from bolicho.games.game import Game, View
from bolicho.store.artifact import Arrays, artifact_path, load_artifact
from bolicho.store.rules_match import check_rules

KIND = "cfr"
_EIGHTHS = 8  # steps of stored visits per factor of two


@dataclass(frozen=True)
class Model:
    """Learned strategy of one game."""

    game: Game
    abstraction: Any
    keys: NDArray[np.uint64]
    shapes: NDArray[np.uint8]
    first: NDArray[np.int64]
    mixtures: NDArray[np.uint8]
    visits: NDArray[np.uint8]

    def visited(self, number: int) -> int:
        """Return the approximate number of training visits to a situation."""
        return round(2 ** (int(self.visits[number]) / _EIGHTHS))

    def situation(self, player: NamedTuple, memory: NDArray[np.void], view: View) -> int:
        """Return the number of the situation of a view, or NOT_SEEN."""
        return int(situation(player, memory, view.pool, view.seat))

    def player(self) -> Mixing:
        """Create the player of the strategy."""
        width = self.game.num_actions
        room = (np.zeros(width, np.int16), np.zeros(width, np.int16), np.zeros(width, np.int16), np.zeros(width))
        return Mixing(self.abstraction, self.keys, self.shapes, self.first, self.mixtures, *room)


def learned(regrets: Regrets, least: int) -> Arrays:
    """Return the average strategy of situations visited at least `least` times, by key.

    Where no average exists, because the seat's own strategy never led there, the last strategy by regrets is used.
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
    if len(kept):  # the largest share absorbs the rounding error
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
    """Return the sums of shares by situation."""
    return np.add.reduceat(shares, starts) if len(starts) else np.zeros(0, np.float32)


def model_of(game: Game, abstraction: Any, arrays: Arrays) -> Model:
    """Return the model of learned arrays."""
    first = np.concatenate([[0], np.cumsum(arrays["counts"].astype(np.int64))])
    return Model(game, abstraction, arrays["keys"], arrays["shapes"], first, arrays["mixtures"], arrays["visits"])


def load_model(game: Game, name: str) -> Model | vectors.Vectors:
    """Load the model of a file and check its game and rules; cached per process."""
    path = artifact_path(name)
    found: Model | vectors.Vectors = _load(game, str(path), path.stat().st_mtime_ns if path.exists() else 0)
    return found


@lru_cache(maxsize=8)
def _load(game: Game, path: str, modified: int) -> Any:
    artifact = load_artifact(path, game=game.name, kind=KIND)
    if artifact.facts.get("abstraction") == vectors.FORM:  # trained on single hands
        check_rules(artifact.facts, game.options, artifact.path, apart=ANY_MATCH, instead=vectors.OTHER_RULES)
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
    """Return the facts stored in the file of a model."""
    return {"kind": KIND, "game": game.name, "rules": dict(game.options), "abstraction": abstraction}
