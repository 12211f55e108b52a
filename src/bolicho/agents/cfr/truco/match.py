"""File format of match scores: the chance of winning, and the envido strategy at every score."""

import lzma
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bolicho.agents.cfr.truco.compiled.scores import CHOICES, SITUATIONS, VALUES
from bolicho.errors import BadInput
from bolicho.games.game import Game
from bolicho.store.artifact import Arrays, artifact_path, load_artifact
from bolicho.store.rules_match import check_rules

NAME = "cfr-scores-truco"
KIND = "cfr-scores"
ANY_MATCH = (
    "hands",
    "target",
)  # what is learned by single hands, or by the points that seats lack, serves matches of any length
FULL = 15  # total of a mixture's shares: four bits per share


class Scores(NamedTuple):
    """Values by the points of the mão and of the pé before a hand."""

    chances: NDArray[np.float64]  # probability that the mão wins the match
    envido: NDArray[np.uint8]  # (..., situation, value of points, choice): shares, see `compiled.scores`

    def chance(self, points: Sequence[int], target: int, mao: int, seat: int) -> float:
        """Return the chance of a seat to win a match to `target`, before a hand with that mão.

        It depends on the points that the seats lack, and hardly at all on those beyond the target of training.
        """
        of_mao = float(self.chances[tuple(max(0, points[who] + len(self.chances) - target) for who in (mao, 1 - mao))])
        return of_mao if seat == mao else 1 - of_mao


NO_SCORES = Scores(np.zeros((0, 0)), np.zeros((0, 0, SITUATIONS, VALUES, CHOICES), np.uint8))


def packed(scores: Scores) -> Arrays:
    """Return the arrays of a file."""
    shares = lzma.compress(np.moveaxis(scores.envido, -1, 0).tobytes(), preset=9)
    return {"chances": scores.chances.astype(np.float32), "envido": np.frombuffer(shares, np.uint8)}


def load_scores(game: Game) -> Scores:
    """Load the shipped scores and check their rules; cached per process."""
    path = artifact_path(NAME)
    return _load(game, str(path), path.stat().st_mtime_ns)


@lru_cache(maxsize=8)
def _load(game: Game, path: str, modified: int) -> Scores:
    artifact = load_artifact(path, game=game.name, kind=KIND)
    check_rules(artifact.facts, game.options, artifact.path, apart=ANY_MATCH)
    try:
        chances = artifact.arrays["chances"].astype(np.float64)
        shares = np.frombuffer(lzma.decompress(artifact.arrays["envido"].tobytes()), np.uint8)
        envido = np.moveaxis(shares.reshape(CHOICES, *chances.shape, SITUATIONS, VALUES), 0, -1)
        if len(chances) != (artifact.facts.get("rules") or {}).get("target", 24) or (envido.sum(axis=-1) == 0).any():
            raise ValueError
    except (KeyError, ValueError, lzma.LZMAError):
        raise BadInput(f"{artifact.path} lacks shares for some score; train it again") from None
    return Scores(chances, np.ascontiguousarray(envido))
