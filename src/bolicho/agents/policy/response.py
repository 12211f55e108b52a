"""Lower bound of an agent's exploitability: a policy learns to respond to it, and is measured on unseen deals.

>>> from bolicho import game
>>> from bolicho.agents.policy.response import learn_response
>>> found = learn_response(game("dominoes", highest=3, hand=3), "random", seed=1, games=1_000, show=False)
>>> found.payoff.low <= found.wins <= found.payoff.high
True

The responder has one seat, every seat in rotation, and the agent has all others.  It sees the inputs that its policy
reads from its own view; its payoff is a lower bound for a best response, since a better responder may exist.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bolicho.agents.agent import is_oracle
from bolicho.agents.neural.net import Nets
from bolicho.agents.player import InMemoryAgent
from bolicho.agents.policy import model
from bolicho.agents.policy.learner import PolicyLearner, PolicySettings, scheme_of
from bolicho.agents.policy.measure import measure
from bolicho.agents.registry import recipe
from bolicho.agents.training import whole_numbers
from bolicho.errors import BadInput
from bolicho.games.compiled.chance import stream
from bolicho.games.game import Game
from bolicho.progress import progress
from bolicho.stats import Estimate

GAMES = 60_000
DEALS = 1_000  # for the measurement, each played from every seat
LOOKS = 12  # number of points of the learning curve ...
LOOK_DEALS = (20, 500)  # ... each from at least and at most so many deals ...
LOOK_SHARE = 0.5  # ... together at most this share of the training games
IMITATED = 0.1  # share of the games in which the agent is imitated at first
LEAST_DEALS = 2
WAYS = (False, True)  # drawing, and greedy


@dataclass(frozen=True)
class Response:
    """Payoff of a learned responder against an agent per game, averaged over seats."""

    agent: str
    game: Game
    payoff: Estimate
    won: Estimate  # share of games won
    games: int  # training games
    turns: int  # number of its own turns in training
    deals: int
    seed: int
    greedy: bool  # True if it takes the most probable action instead of drawing
    curve: tuple[dict[str, float], ...]
    nets: Nets  # the policy itself

    @property
    def wins(self) -> float:
        """Average payoff of the responder over its seats."""
        return self.payoff.value

    @property
    def inputs(self) -> int:
        """Number of inputs."""
        return self.nets.sizes[0][0]

    def as_json(self) -> dict[str, Any]:
        """Return everything as JSON."""
        return {
            "game": self.game.name,
            "rules": dict(self.game.options),
            "agent": self.agent,
            "exact": False,
            "wins": self.wins,
            "payoff": self.payoff.written(),
            "won": self.won.written(),
            "deals": self.deals,
            "seed": self.seed,
            "training": {"games": self.games, "turns": self.turns},
            "curve": [dict(point) for point in self.curve],
            "responder": {
                "sees": f"{self.inputs} numbers of its own view ({self.nets.coding}), nothing of its log beside them",
                "deviates": "in all its decisions",
                "knows": "nothing of the agent but the games it played",
                "plays": "what it likes best" if self.greedy else "by drawing from its mixture",
            },
        }

    def write(self, path: Path | str) -> None:
        """Write the responder to a file, for `policy(artifact=FILE)`."""
        facts = {"rules": dict(self.game.options), "response_to": self.agent, "seed": self.seed, "games": self.games}
        model.save(self.nets, path, facts)

    def lines(self) -> list[str]:
        """Return the result as text."""
        first, last = self.curve[0], self.curve[-1]
        nothing = (
            f" It found no way to win from {self.agent}: who plays as {self.agent} does wins an equal share."
            if self.won.value < 1 / self.game.seats
            else ""
        )
        return [
            f"A learned response wins {_signed(self.payoff)} a game from {self.agent} in {self.game!r}, averaged over "
            f"seats, and {self.won.value:.1%} ({self.won.low:.1%} to {self.won.high:.1%}) of the games, where equals "
            f"win {1 / self.game.seats:.1%}.{nothing}",
            "This is a lower bound: a better responder may win more. It was measured on "
            f"{self.deals:,} deals, each played from every seat, that were not used in training; intervals are 95%.",
            f"The responder sees {self.inputs} numbers of its own view ({self.nets.coding}) and knows nothing of "
            f"{self.agent} but the {self.games:,} games it learned from (seed {self.seed}).",
            f"While it learned it won {first['payoff']:+.3f} a game after {first['games']:,} games and "
            f"{last['payoff']:+.3f} after {last['games']:,}, of which the best was kept: {_trend(self.curve)}.",
        ]


def _signed(found: Estimate) -> str:
    return f"{found.value:+.4f} ({found.low:+.4f} to {found.high:+.4f})"


def _trend(curve: tuple[dict[str, float], ...]) -> str:
    """Return whether more games are likely to help, judged by the last quarter of the curve."""
    late = max(1, len(curve) // 4)
    before = max((point["payoff"] for point in curve[:-late]), default=-np.inf)
    since = max(point["payoff"] for point in curve[-late:])
    error = curve[-1]["error"]
    return "it was still getting better" if since > before + error else "it no longer got better at the end"


class ResponseTraining:
    """Training of a response with regular measurements; the best policy so far is kept."""

    def __init__(self, game: Game, spec: str, seed: int, games: int, coding: str = "") -> None:
        made = recipe(spec, game.name)
        agent = made.make(game)
        if agent.learns:
            raise BadInput(f"the agent {spec} learns while it plays, so there is no fixed agent to respond to")
        self.game, self.spec, self.seed = game, spec, seed
        self.is_open = is_oracle(agent)
        plan = PolicySettings(
            model.coding_of(game, coding), scheme_of(game), games, seed, rate=(1e-3, 1e-4), mixed=(0.02, 0.0), near=0.0,
        )  # fmt: skip
        self.learner = PolicyLearner(game, plan, made.maker(game))
        self.curve: list[dict[str, float]] = []
        self.best = self.learner.nets.weights.copy()
        self.greedy = False
        fewest, most = LOOK_DEALS
        self.look_deals = min(most, max(fewest, int(LOOK_SHARE * games / (LOOKS * len(WAYS) * game.seats))))

    def progress_text(self) -> str:
        """Return a short progress text."""
        return f"payoff {self.curve[-1]['payoff']:+.3f}" if self.curve else ""

    @property
    def watching(self) -> bool:
        """True while the training is in its imitation phase."""
        return self.learner.done < IMITATED * self.learner.plan.games

    def step(self) -> None:
        """Run one round: imitate the agent, or play against it; measure where a point of the curve is due."""
        learner, games = self.learner, self.learner.plan.games
        if self.watching:
            learner.imitate(learner.count())
        else:
            learner.round()
        if learner.done * LOOKS >= (len(self.curve) + 1) * games or learner.done == games:
            self._look()

    def _look(self) -> None:
        """Measure the policy on separate deals, drawing and greedy; keep the best."""
        seed = int(stream(np.uint64(self.seed), -1))
        found = [(*measure(self.game, self.maker(way), self.spec, self.look_deals, seed), way) for way in WAYS]
        payoff, won, greedy = max(found, key=lambda one: one[0].value)
        late = [point["payoff"] for point in self.curve[LOOKS // 2 :]]  # earlier points are not yet stable
        if payoff.value > max(late, default=-np.inf):
            self.best, self.greedy = self.learner.nets.weights.copy(), greedy
        error = (payoff.high - payoff.low) / 2
        point = {"games": self.learner.done, "payoff": payoff.value, "error": error, "won": won.value}
        self.curve.append(point)

    def maker(self, greedy: bool) -> Callable[[], InMemoryAgent]:
        """Return a factory of the current responder."""
        player = model.player(self.learner.nets, self.game, greedy)
        return lambda: InMemoryAgent(player)

    def measured(self, deals: int, advance: Callable[[int], None]) -> Response:
        """Measure the best policy on deals that were used neither for training nor for selection."""
        learner = self.learner
        learner.nets.weights[:] = self.best
        seed = int(stream(np.uint64(self.seed), -2))
        payoff, won = measure(self.game, self.maker(self.greedy), self.spec, deals, seed, advance)
        return Response(
            self.spec,
            self.game,
            payoff,
            won,
            games=learner.done,
            turns=learner.turns,
            deals=deals,
            seed=self.seed,
            greedy=self.greedy,
            curve=tuple(self.curve),
            nets=learner.nets,
        )


def learn_response(
    game: Game,
    spec: str,
    *,
    seed: int = 1,
    games: int = GAMES,
    deals: int = DEALS,
    coding: str = "",
    show: bool = True,
) -> Response:
    """Learn to respond to an agent in `games` games, and measure the payoff; the same seed gives the same figures.

    `coding` selects the inputs of the responder, by default the best known. Needs the extra `train`. The time is
    proportional to the games; use fewer for a slow agent. Progress is shown on stderr.
    """
    whole_numbers(games=games)
    whole_numbers(LEAST_DEALS, deals=deals)
    responder = ResponseTraining(game, spec, seed, games, coding)
    with progress(f"response to {spec}", games, "games", show=show) as bar:
        while responder.learner.done < games:
            responder.step()
            bar.update(responder.learner.done, note=responder.progress_text())
    with progress("measuring it", deals * game.seats, "games", show=show) as bar:
        return responder.measured(deals, bar.advance)
