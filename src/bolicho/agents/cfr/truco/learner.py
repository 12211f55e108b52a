"""Training of a hand of Truco by vectors: `bolicho train cfr truco`."""

from pathlib import Path
from typing import Any

import numpy as np

from bolicho.agents.cfr.model import facts_of
from bolicho.agents.cfr.rules import LINEAR
from bolicho.agents.cfr.truco.compiled.opening import iterate
from bolicho.agents.cfr.truco.model import COARSE, FORM, LEAST, packed
from bolicho.agents.cfr.truco.solver import Memory, Solver, expanded, solver
from bolicho.agents.training import Learner, whole_numbers
from bolicho.errors import BadInput
from bolicho.games import game as find_game
from bolicho.store.artifact import Arrays, save_artifact

ITERATIONS = 20_000
RULE = LINEAR  # of regrets in the opening and the first round; those of later rounds are cut at zero
_OFTEN = 4  # factor of the probabilities of walks with fine memory, where there are four times as many blocks
_SLICE = 5  # iterations per step
_PARTS = 20  # points of the learning curve
_ROOM = 80_000_000, 300_000_000  # shares, with coarse memory and with that of the file


class Walks:
    """Learner of the mixtures of a single hand at 0-0; an iteration covers all hands of both seats.

    The last `refined` iterations remember the cards of the first round by class, and begin with what was learned from
    seven steps of strength.
    """

    unit = "iterations"

    def __init__(self, seed: int, iterations: int, refined: int, least: float) -> None:
        whole_numbers(iterations=iterations)
        whole_numbers(0, refined=refined)
        if refined > iterations:
            raise BadInput(f"refined must be at most the number of iterations, {iterations:,}, not {refined:,}")
        if not 0 <= least < 1:
            raise BadInput(f"least must be a share of all play from 0 to below 1, not {least!r}")
        self.total, self.done, self.least, self.coarse = iterations, 0, least, iterations - refined
        self.seed, game = np.uint64(seed), find_game("truco", hands=1)
        self._target = game.rules.target
        self.solver = self._empty(0)
        memory = tuple(Memory()) if refined else COARSE
        self.facts = {
            **facts_of(game, FORM), "iterations": iterations, "refined": refined, "least": least,
            "memory": list(memory),
        }  # fmt: skip
        self._ends = sorted({iterations * part // _PARTS for part in range(1, _PARTS + 1)} - {0})

    def _empty(self, done: int) -> Solver:
        """Return a solver with the memory that a number of iterations calls for."""
        fine = self.coarse <= done and self.coarse < self.total
        made = solver(self._target, Memory() if fine else Memory(*COARSE), _ROOM[fine])
        made.opening.first.rate[0] = _OFTEN if fine else 1
        return made

    def step(self) -> dict[str, Any] | None:
        end = next(end for end in self._ends if end > self.done)
        if self.done < self.coarse:
            end = min(end, self.coarse)
        count = min(_SLICE, end - self.done)
        weights = RULE.weights(self.done, count)
        iterate(self.solver.opening, weights, self.done, self.seed, RULE.learners)
        self.done += count
        if self.done == self.coarse < self.total:
            fine = self._empty(self.done)
            expanded(self.solver, fine)
            self.solver = fine
        return {"iterations": self.done, "learned": self.solver.used} if self.done in self._ends else None

    def _kept(self) -> Arrays:
        """Return all arrays that change, as views."""
        made = self.solver
        opening, first, blocks = made.opening, made.opening.first, made.blocks
        return {
            "end": blocks.end,
            "regret": opening.learned.regret[: made.used],
            "average": opening.learned.average[: made.used],
            "seconds": blocks.seconds,
            "thirds": blocks.thirds,
            "second_visits": blocks.second_visits,
            "third_visits": blocks.third_visits,
            "usual": first.stored.usual,
            "error": first.stored.error,
            "usual_told": opening.stored.usual,
            "error_told": opening.stored.error,
        }

    def state(self) -> Arrays:
        return {name: array.copy() for name, array in self._kept().items()}

    def restore(self, state: Arrays) -> None:
        self.solver = self._empty(self.done)
        self.solver.blocks.end[:] = state["end"]
        for name, array in self._kept().items():
            array[:] = state[name]

    def finish(self, out: Path, story: dict[str, Any]) -> dict[str, Any]:
        arrays = packed(self.solver, self.least)
        save_artifact(out, arrays, story)
        return {
            "blocks": len(arrays["seconds"]) + len(arrays["thirds"]),
            "shares": self.solver.used,
            "size": out.stat().st_size,
            "agent": f"cfr(artifact={out})",
        }


def cfr_truco(seed: int, iterations: int = ITERATIONS, *, refined: int = 0, least: float = LEAST) -> Learner:
    """Train a single hand of Truco by its default rules."""
    return Walks(seed, iterations, refined, least)
