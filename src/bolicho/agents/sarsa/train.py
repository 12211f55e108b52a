"""Training by self-play: the weights of after-states, and a curve against random play."""

from pathlib import Path
from typing import Any

import numpy as np

from bolicho.agents.basic.random import Random
from bolicho.agents.loop import Deal, play_deals
from bolicho.agents.mirrored_games import meet
from bolicho.agents.player import InMemoryAgent, OpenAtHand
from bolicho.agents.sarsa import kernel
from bolicho.agents.sarsa.model import facts_of, new_model, player
from bolicho.agents.training import Learner, whole_numbers
from bolicho.games.compiled.chance import stream
from bolicho.games.game import Game
from bolicho.stats import ratio
from bolicho.store.artifact import Arrays, save_artifact

EPSILON = 0.07  # Pinto 2018, section 5.2.1
GAMMA = 0.99  # Pinto 2018, section 5.2.1
ALPHA = 0.1  # initial learning rate: share of the error that is corrected ...
FADE = 20_000  # ... halved after so many games, a third after twice as many
GAMES = 400_000
PARTS = 20  # number of points of the learning curve
CURVE_DEALS = 1_000  # deals per point of the curve, each played from every seat
_SLICE = 2_000  # games per step
TABLES = 64  # parallel games


class SarsaSelfPlay:
    """Learner of the value of after-states by `games` games of self-play; `perfect` with full information."""

    unit = "games"

    def __init__(
        self,
        game: Game,
        seed: int,
        games: int = GAMES,
        perfect: bool = False,
        *,
        epsilon: float = EPSILON,
        alpha: float = ALPHA,
        deals: int = 0,
    ) -> None:
        whole_numbers(games=games)
        self.deals = deals or CURVE_DEALS
        self.total, self.done = games, 0
        self.seed = seed
        self.model = new_model(game, perfect)
        self.mean = np.zeros(self.model.size)
        self.at_hand = OpenAtHand if perfect else InMemoryAgent  # agent class with the model's visibility
        self.rate = 0.0  # share of points against random play, at the last point of the curve
        self.epsilon, self.alpha = epsilon, alpha
        rates = {"epsilon": epsilon, "gamma": GAMMA, "alpha": alpha, "fade": FADE}
        self.facts = {**facts_of(self.model), "games": games, **rates}
        self._ends = sorted({games * part // PARTS for part in range(1, PARTS + 1)})

    def step(self) -> dict[str, Any] | None:
        end = next(end for end in self._ends if end > self.done)
        count = min(_SLICE, end - self.done)
        self._play(count)
        self.done += count
        return {"games": self.done, **self._against_random()} if self.done == end else None

    def _play(self, count: int) -> None:
        """Play the next games in self-play, in parallel."""
        model, seats = self.model, self.model.game.seats
        numbers = self.epsilon, GAMMA, self.alpha, FADE, self.total // 2, model.scheme
        learner = kernel.Learner(player(model), *numbers, self.mean, np.array([self.done]))
        agent = self.at_hand(learner, kernel.last_after_state(model.size), learns=True)
        own = [np.uint64(stream(np.uint64(self.seed), self.done + number)) for number in range(count)]
        deals = [Deal(int(stream(x, 0)), [0] * seats, [int(stream(x, 1 + seat)) for seat in range(seats)]) for x in own]
        for outcome in play_deals(model.game, [lambda: agent], deals, tables=TABLES):
            assert outcome.forfeit is None, outcome.forfeit

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
        """Return the weights to play by: their mean over the second half of the games, once it has begun."""
        half = self.total // 2
        return self.mean / (self.done - half) if self.done > half else self.model.weights.copy()

    def _against_random(self) -> dict[str, float | None]:
        """Return the share of points won against random play, with its 95% interval."""
        agent = self.at_hand(player(self.model, self.average()))
        others = [Random] * (self.model.game.seats - 1)
        met = meet(self.model.game, [lambda: agent, *others], self.deals, int(stream(np.uint64(self.seed), -1)))
        points = met.scores.sum(axis=1)  # by deal and agent
        found = ratio(points[:, 0], points.sum(axis=1))
        self.rate = found.value
        written = found.written()
        return {"rate": written.pop("value"), **written}


def sarsa(
    seed: int, game: Game, games: int = GAMES, *, epsilon: float = EPSILON, alpha: float = ALPHA, deals: int = 0
) -> Learner:
    """Train on the views of seats; `deals` is the number of deals per point of the curve (0: the default)."""
    return SarsaSelfPlay(game, seed, games, epsilon=epsilon, alpha=alpha, deals=deals)


def sarsa_open(seed: int, game: Game, games: int = GAMES) -> Learner:
    """Train with full information."""
    return SarsaSelfPlay(game, seed, games, perfect=True)
