"""Learning a hand of Truco by vectors: `bolicho train cfr-truco`."""

from pathlib import Path
from typing import Any

import numpy as np

from bolicho.agents.cfr.learner import Situations
from bolicho.agents.cfr.model import facts_of
from bolicho.agents.cfr.truco import steps
from bolicho.agents.cfr.truco.compiled.vectors import POINTS, Space, iterate
from bolicho.agents.cfr.truco.hands import CLASSES, SETS, hands
from bolicho.agents.cfr.truco.model import CHOICES, FORM, LEAST, packed
from bolicho.agents.training import Learner, whole_numbers
from bolicho.errors import BadInput
from bolicho.games import game as find_game
from bolicho.games.game import Game, copy_pool
from bolicho.store.artifact import Arrays, save_artifact

ITERATIONS = 60_000
DEEPEST = 60
MOST_CHOICES = 12
FIRST_SLOTS, FIRST_ARMS = 1 << 21, 1 << 25  # what the first iterations meet has room
_SLICE = 50  # iterations of a step
_PARTS = 20  # of a training: a point of the curve after each


def room(game: Game) -> Space:
    """Room for walks by vectors."""
    types = len(hands().type_set)
    blank = game.deal(0).pool

    def vectors(*shape: int) -> Any:
        return np.zeros((DEEPEST, *shape, types), np.float32)

    return Space(
        pool=np.frombuffer(bytearray(blank.tobytes() * DEEPEST), game.dtype),
        actions=np.zeros((DEEPEST, game.num_actions), np.int16),
        labels=np.zeros((DEEPEST, game.num_actions), np.int16),
        shows=np.zeros(DEEPEST, np.bool_),
        reach=vectors(),
        dealt=vectors(),
        strategy=vectors(MOST_CHOICES),
        worth=vectors(MOST_CHOICES),
        value=vectors(),
        chosen=vectors(),
        sums=np.zeros(SETS, np.float32),
        numbers=np.zeros(SETS, np.int64),
        meeting=np.zeros((DEEPEST, CLASSES, CLASSES), np.float32),
        against=np.zeros((POINTS, SETS), np.float32),
        met=np.zeros(SETS, np.float32),
        mine=np.zeros(POINTS),
        theirs=np.zeros(POINTS),
        below_me=np.zeros(POINTS),
        below_them=np.zeros(POINTS),
        ended=vectors(),
        stops=np.zeros(CLASSES, np.bool_),
        ends=np.zeros(CLASSES),
        tries=np.zeros((DEEPEST, MOST_CHOICES), np.float32),
        shares=np.zeros(MOST_CHOICES, np.float32),
        masses=np.zeros(CLASSES + MOST_CHOICES, np.float32),
        drawn=np.zeros(1, np.int64),
    )


def points(target: int) -> Any:
    """What scores are worth where points are: those of the mão less the other's."""
    scores = np.arange(3 * target + 8, dtype=np.float64)
    return scores[:, None] - scores[None, :]


class Walks:
    """Learns the mixtures of a single hand, at 0-0, in so many iterations: a walk by vectors for either seat."""

    unit = "iterations"

    def __init__(self, game: Game, seed: int, iterations: int, least: float) -> None:
        whole_numbers(iterations=iterations)
        if not 0 <= least < 1:
            raise BadInput(f"least must be a share of all play from 0 to below 1, not {least!r}")
        if game.options.get("hands") != 1 or game.options.get("envido_envido") or game.options.get("envido_first"):
            raise BadInput(f"vectors learn single hands, hands=1, without envido_envido and envido_first, not {game!r}")
        self.total, self.done, self.least = iterations, 0, least
        self.seed, self.game = np.uint64(seed), game
        self.learned = Situations(FIRST_SLOTS, FIRST_ARMS)
        self._room, self._blank = room(game), copy_pool(game.deal(0).pool)
        self._utilities = points(int(self._blank[0]["target"]))
        self.facts = {**facts_of(game, FORM), "iterations": iterations, "least": least}
        self._ends = sorted({iterations * part // _PARTS for part in range(1, _PARTS + 1)} - {0})

    def step(self) -> dict[str, Any] | None:
        end = next(end for end in self._ends if end > self.done)
        stop = min(self.done + _SLICE, end)
        while self.done < stop:
            self.done += iterate(
                hands(), steps(CHOICES), self.learned.slots, self.learned.arms, self.learned.status, self._room,
                self._blank, np.zeros(2, np.int64), self._utilities, self.seed, self.done, stop - self.done,
            )  # fmt: skip
            self.learned.grow()
        return {"iterations": self.done, "situations": len(self.learned)} if self.done == end else None

    def state(self) -> Arrays:
        return self.learned.state()

    def restore(self, state: Arrays) -> None:
        self.learned.restore(state)

    def finish(self, out: Path, story: dict[str, Any]) -> dict[str, Any]:
        arrays = packed(self.learned, self.least)
        save_artifact(out, arrays, story)
        return {
            "situations": len(self.learned),
            "kept": len(arrays["keys"]),
            "size": out.stat().st_size,
            "agent": f"cfr(artifact={out})",
        }


def cfr_truco(seed: int, iterations: int = ITERATIONS, *, least: float = LEAST) -> Learner:
    """A single hand of Truco by its default rules."""
    return Walks(find_game("truco", hands=1), seed, iterations, least)
