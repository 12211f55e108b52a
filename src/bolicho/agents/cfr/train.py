"""Training by Monte Carlo CFR: walks through numbered deals of the game."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bolicho.agents.cfr import abstractions
from bolicho.agents.cfr.compiled.walk import DISCOUNTED, LINEAR, UNIFORM, Learning
from bolicho.agents.cfr.learner import Regrets
from bolicho.agents.cfr.model import facts_of, learned
from bolicho.agents.training import Learner, whole_numbers
from bolicho.errors import BadInput, unknown
from bolicho.games.game import Game
from bolicho.store.artifact import Arrays, save_artifact

ITERATIONS = 100_000
WEIGHTINGS = {"uniform": UNIFORM, "linear": LINEAR, "discounted": DISCOUNTED}
_SLICE = 1_000  # iterations per step
_PARTS = 20  # points of the learning curve


@dataclass(frozen=True)
class CFROptions:
    """Weights of iterations, limits of walks, and visits below which nothing is kept."""

    weighting: str = "linear"
    cut: float = 1000.0
    prune: float = 0.95
    least: int = 1

    def __post_init__(self) -> None:
        whole_numbers(least=self.least)
        if self.weighting not in WEIGHTINGS:
            raise unknown("weighting", self.weighting, WEIGHTINGS)
        if not 0 <= self.prune < 1:
            raise BadInput(f"prune must be a share of the walks from 0 to below 1, not {self.prune!r}")
        if not 0 <= self.cut < float("inf"):
            raise BadInput(f"cut must be a number from 0 on, not {self.cut!r}")


OPTIONS = CFROptions()


class Walks:
    """Learner of regrets and an average strategy; an iteration is a deal and a walk for every seat."""

    unit = "iterations"

    def __init__(
        self,
        game: Game,
        seed: int,
        iterations: int = ITERATIONS,
        abstraction: str = abstractions.RECALL,
        options: CFROptions = OPTIONS,
    ) -> None:
        whole_numbers(iterations=iterations)
        self.total, self.done = iterations, 0
        found = abstractions.find(abstraction, game)
        abstractions.check(found, game)
        self.least, cut = options.least, float(options.cut)
        learning = Learning(WEIGHTINGS[options.weighting], cut, float(options.prune) if cut > 0 else 0.0)
        self.regrets = Regrets(game, found, learning, seed)
        self.facts = {**facts_of(game, abstraction), "iterations": iterations, **asdict(options)}
        self._ends = sorted({iterations * part // _PARTS for part in range(1, _PARTS + 1)} - {0})

    def step(self) -> dict[str, Any] | None:
        end = next(end for end in self._ends if end > self.done)
        self.regrets.iterate(min(_SLICE, end - self.done))
        self.done = self.regrets.done
        if self.done < end:
            return None
        return {"iterations": self.done, "situations": len(self.regrets), "nodes": self.regrets.nodes}

    def state(self) -> Arrays:
        return self.regrets.state()

    def restore(self, state: Arrays) -> None:
        self.regrets.restore(state)
        self.regrets.done = self.done

    def finish(self, out: Path, story: dict[str, Any]) -> dict[str, Any]:
        arrays = learned(self.regrets, self.least)
        save_artifact(out, arrays, story)
        return {
            "situations": len(self.regrets),
            "kept": len(arrays["keys"]),
            "nodes": self.regrets.nodes,
            "agent": f"cfr(artifact={out})",
        }


def cfr(
    seed: int,
    game: Game,
    iterations: int = ITERATIONS,
    abstraction: str = abstractions.RECALL,
    *,
    options: CFROptions = OPTIONS,
) -> Learner:
    """Train by regret minimisation, with an abstraction of the game."""
    return Walks(game, seed, iterations, abstraction, options)
