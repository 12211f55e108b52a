"""Learning by self-play: the weights of after-states, and a curve against random play."""

from pathlib import Path
from typing import Any

import numpy as np

from bolicho.agents.agent import parse_spec
from bolicho.agents.sarsa import kernel
from bolicho.agents.sarsa.model import buffers, facts_of, new_model
from bolicho.agents.training import Learner, whole_numbers
from bolicho.games import game as find_game
from bolicho.games.chance import stream
from bolicho.games.game import Game
from bolicho.store.artifact import Arrays, save_artifact

EPSILON = 0.07  # Pinto 2018, section 5.2.1
GAMMA = 0.99  # the same
ALPHA = 0.1  # of the error is corrected at first ...
FADE = 20_000  # ... half of that after so many games, a third after twice as many
GAMES = 400_000
PARTS = 20  # of a training: a point of the curve after each
CURVE_DEALS = 1_000  # played from every seat for a point of the curve
_SLICE = 2_000  # games of a step


class SelfPlay:
    """Learns the value of after-states by `games` games against itself; `perfect` with everything open."""

    unit = "games"

    def __init__(self, game: Game, seed: int, games: int = GAMES, perfect: bool = False) -> None:
        whole_numbers(games=games)
        self.total, self.done = games, 0
        self.seed = np.uint64(seed)
        self.model = new_model(game, perfect)
        self.mean = np.zeros(self.model.size)
        self.work = buffers(self.model)
        self.rate = 0.0  # against random play, at the last point of the curve
        rates = {"epsilon": EPSILON, "gamma": GAMMA, "alpha": ALPHA, "fade": FADE}
        self.facts = {**facts_of(self.model), "games": games, **rates}
        self._ends = sorted({games * part // PARTS for part in range(1, PARTS + 1)})

    def step(self) -> dict[str, Any] | None:
        model, half = self.model, self.total // 2
        end = next(end for end in self._ends if end > self.done)
        count = min(_SLICE, end - self.done)
        learning = kernel.Learning(EPSILON, GAMMA, ALPHA, FADE, half, model.by_points)
        kernel.self_play(self.work, model.how, model.weights, self.mean, learning, self.seed, self.done, count)
        self.done += count
        return {"games": self.done, **self._against_random()} if self.done == end else None

    def state(self) -> Arrays:
        return {"weights": self.model.weights, "mean": self.mean, "rate": np.array(self.rate)}

    def restore(self, state: Arrays) -> None:
        self.model.weights[:], self.mean[:], self.rate = state["weights"], state["mean"], float(state["rate"])

    def finish(self, out: Path, story: dict[str, Any]) -> dict[str, Any]:
        save_artifact(out, {"weights": self.average()}, story)
        agent = "sarsa-open" if self.model.perfect else "sarsa"
        return {
            "games": self.done,
            "features": self.model.size,
            "rate_against_random": self.rate,
            "agent": f"{agent}(artifact={out})",
        }

    def average(self) -> Any:
        """The weights to play by: their mean over the second half of the games, once it has begun."""
        half = self.total // 2
        return self.mean / (self.done - half) if self.done > half else self.model.weights.copy()

    def _against_random(self) -> dict[str, float]:
        """The rate of points won against random play, with its 95% interval."""
        won = np.zeros((CURVE_DEALS, 2), np.int64)
        own = np.uint64(stream(self.seed, -1))
        kernel.against_random(self.work, self.model.how, self.average(), CURVE_DEALS, own, won)
        mine, theirs = won.sum(axis=0)
        self.rate = float(mine / max(1, mine + theirs))
        # A ratio of sums: its error is that of the mean of what each deal adds to it.
        parts = won[:, 0] - self.rate * won.sum(axis=1)
        error = float(parts.std() * np.sqrt(CURVE_DEALS) / max(1, mine + theirs))
        return {"rate": self.rate, "low": self.rate - 1.96 * error, "high": self.rate + 1.96 * error}


def sarsa(seed: int, game: str = "dominoes", games: int = GAMES, perfect: bool = False) -> Learner:
    """Any game, by name or with rules: "truco(hands=1)"."""
    name, rules = parse_spec(game)
    return SelfPlay(find_game(name, **rules), seed, games, perfect)
