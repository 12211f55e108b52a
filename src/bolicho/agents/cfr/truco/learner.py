"""Training of a hand of Truco by vectors: `bolicho train cfr truco`."""

from pathlib import Path
from typing import Any

import numpy as np

from bolicho.agents.cfr.model import facts_of
from bolicho.agents.cfr.truco.compiled.blocks import NEXT
from bolicho.agents.cfr.truco.compiled.opening import iterate
from bolicho.agents.cfr.truco.model import FORM, LEAST, packed
from bolicho.agents.cfr.truco.solver import points, solver
from bolicho.agents.training import Learner, whole_numbers
from bolicho.errors import BadInput
from bolicho.games import game as find_game
from bolicho.store.artifact import Arrays, save_artifact

ITERATIONS = 20_000
_SLICE = 5  # iterations per step
_PARTS = 20  # points of the learning curve


class Walks:
    """Learner of the mixtures of a single hand at 0-0; an iteration covers all hands of both seats."""

    unit = "iterations"

    def __init__(self, seed: int, iterations: int, least: float) -> None:
        whole_numbers(iterations=iterations)
        if not 0 <= least < 1:
            raise BadInput(f"least must be a share of all play from 0 to below 1, not {least!r}")
        self.total, self.done, self.least = iterations, 0, least
        self.seed, game = np.uint64(seed), find_game("truco", hands=1)
        target = game.rules.target
        self.solver, self._utilities = solver(target), points(target)
        self.facts = {**facts_of(game, FORM), "iterations": iterations, "least": least}
        self._ends = sorted({iterations * part // _PARTS for part in range(1, _PARTS + 1)} - {0})

    def step(self) -> dict[str, Any] | None:
        end = next(end for end in self._ends if end > self.done)
        count = min(_SLICE, end - self.done)
        iterate(self.solver, self._utilities, np.zeros(2, np.int64), self.seed, self.done, count)
        self.done += count
        return {"iterations": self.done, "learned": int(self.solver.counts[NEXT])} if self.done == end else None

    def _kept(self) -> Arrays:
        """Return all arrays that change, as views."""
        made, n = self.solver, self.solver.counts[NEXT]
        return {
            "counts": made.counts,
            "regret": made.regret[:n],
            "average": made.average[:n],
            "seconds": made.blocks.seconds,
            "thirds": made.blocks.thirds,
            "second_visits": made.blocks.second_visits,
            "third_visits": made.blocks.third_visits,
            "usual": made.blocks.usual,
            "unlike": made.blocks.unlike,
            "usual_told": made.opening.usual,
            "unlike_told": made.opening.unlike,
        }

    def state(self) -> Arrays:
        return {name: array.copy() for name, array in self._kept().items()}

    def restore(self, state: Arrays) -> None:
        self.solver.counts[:] = state["counts"]
        for name, array in self._kept().items():
            array[:] = state[name]

    def finish(self, out: Path, story: dict[str, Any]) -> dict[str, Any]:
        arrays = packed(self.solver, self.least)
        save_artifact(out, arrays, story)
        return {
            "blocks": len(arrays["seconds"]) + len(arrays["thirds"]),
            "shares": int(self.solver.counts[NEXT]),
            "size": out.stat().st_size,
            "agent": f"cfr(artifact={out})",
        }


def cfr_truco(seed: int, iterations: int = ITERATIONS, *, least: float = LEAST) -> Learner:
    """Train a single hand of Truco by its default rules."""
    return Walks(seed, iterations, least)
