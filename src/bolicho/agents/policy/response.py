"""What can be won from an agent at least: a policy learns to respond to it, and is measured on deals it never saw.

>>> from bolicho import game
>>> from bolicho.agents.policy.response import learn_response
>>> found = learn_response(game("dominoes", highest=3, hand=3), "random", seed=1, games=1_000, show=False)
>>> found.payoff.low <= found.wins <= found.payoff.high
True

The responder has one seat, every seat in rotation, and the agent has all others.  It sees what the inputs of its policy
say of its own view; what it wins is a lower bound of what a best response wins, since a better responder may exist.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bolicho.agents.agent import is_oracle
from bolicho.agents.neural.net import Nets
from bolicho.agents.player import AtHand
from bolicho.agents.policy import model
from bolicho.agents.policy.learner import Plan, PolicyLearner, scheme_of
from bolicho.agents.policy.measure import measure
from bolicho.agents.registry import recipe
from bolicho.agents.training import progress, whole_numbers
from bolicho.errors import BadInput
from bolicho.games.compiled.chance import stream
from bolicho.games.game import Game
from bolicho.stats import Estimate

GAMES = 60_000
DEALS = 1_000  # that are played from every seat, to measure
LOOKS = 12  # at how it goes: points of the curve ...
LOOK_DEALS = (20, 500)  # ... of so many deals, at least and at most ...
LOOK_SHARE = 0.5  # ... which all in all are so many of the games learned from
IMITATED = 0.1  # of the games: at first the agent is watched and imitated
LEAST_DEALS = 2
WAYS = (False, True)  # drawing, and greedy


@dataclass(frozen=True)
class Response:
    """What a learned responder wins from an agent, in payoffs a game, over seats alike."""

    agent: str
    game: Game
    payoff: Estimate
    won: Estimate  # the share of games won
    games: int  # of training
    turns: int  # of its own, that it learned from
    deals: int
    seed: int
    greedy: bool  # whether it takes what it likes best, instead of drawing
    curve: tuple[dict[str, float], ...]
    nets: Nets  # the policy itself

    @property
    def wins(self) -> float:
        """What the responder wins, on average over the seats it may have."""
        return self.payoff.value

    @property
    def inputs(self) -> int:
        """How many numbers it sees."""
        return self.nets.sizes[0][0]

    def as_json(self) -> dict[str, Any]:
        """All of it for programs."""
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
        """Keep the responder as a file, which `policy(artifact=FILE)` plays from."""
        facts = {"rules": dict(self.game.options), "response_to": self.agent, "seed": self.seed, "games": self.games}
        model.save(self.nets, path, facts)

    def lines(self) -> list[str]:
        """All of it for people."""
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
            f"{last['payoff']:+.3f} after {last['games']:,}, of which the best was kept: {_settled(self.curve)}.",
        ]


def _signed(found: Estimate) -> str:
    return f"{found.value:+.4f} ({found.low:+.4f} to {found.high:+.4f})"


def _settled(curve: tuple[dict[str, float], ...]) -> str:
    """Whether more games are likely to win more: by the last quarter of the curve."""
    late = max(1, len(curve) // 4)
    before = max((point["payoff"] for point in curve[:-late]), default=-np.inf)
    since = max(point["payoff"] for point in curve[-late:])
    error = curve[-1]["error"]
    return "it was still getting better" if since > before + error else "it no longer got better at the end"


class Responder:
    """A training of a response, with looks at how it goes; the best policy so far is kept."""

    def __init__(self, game: Game, spec: str, seed: int, games: int, coding: str = "") -> None:
        made = recipe(spec, game.name)
        agent = made.make(game)
        if agent.learns:
            raise BadInput(f"the agent {spec} learns while it plays, so there is no fixed agent to respond to")
        self.game, self.spec, self.seed = game, spec, seed
        self.is_open = is_oracle(agent)
        plan = Plan(
            model.coding_of(game, coding), scheme_of(game), games, seed, rate=(1e-3, 1e-4), mixed=(0.02, 0.0), near=0.0,
        )  # fmt: skip
        self.learner = PolicyLearner(game, plan, made.maker(game))
        self.curve: list[dict[str, float]] = []
        self.best = self.learner.nets.weights.copy()
        self.greedy = False
        fewest, most = LOOK_DEALS
        self.look_deals = min(most, max(fewest, int(LOOK_SHARE * games / (LOOKS * len(WAYS) * game.seats))))

    def told(self) -> str:
        """How it goes, in a few words."""
        return f"payoff {self.curve[-1]['payoff']:+.3f}" if self.curve else ""

    @property
    def watching(self) -> bool:
        """Whether the agent is still being watched."""
        return self.learner.done < IMITATED * self.learner.plan.games

    def step(self) -> None:
        """A lesson: watch the agent play itself, or play against it; look at how it goes where that is due."""
        learner, games = self.learner, self.learner.plan.games
        if self.watching:
            learner.imitate(learner.count())
        else:
            learner.round()
        if learner.done * LOOKS >= (len(self.curve) + 1) * games or learner.done == games:
            self._look()

    def _look(self) -> None:
        """Measure what has been learned on deals for that alone, drawing and greedy; keep the best."""
        seed = int(stream(np.uint64(self.seed), -1))
        found = [(*measure(self.game, self.maker(way), self.spec, self.look_deals, seed), way) for way in WAYS]
        payoff, won, greedy = max(found, key=lambda one: one[0].value)
        late = [point["payoff"] for point in self.curve[LOOKS // 2 :]]  # those before had not settled
        if payoff.value > max(late, default=-np.inf):
            self.best, self.greedy = self.learner.nets.weights.copy(), greedy
        error = (payoff.high - payoff.low) / 2
        point = {"games": self.learner.done, "payoff": payoff.value, "error": error, "won": won.value}
        self.curve.append(point)

    def maker(self, greedy: bool) -> Callable[[], AtHand]:
        """Makes the responder as it plays now."""
        player = model.player(self.learner.nets, self.game, greedy)
        return lambda: AtHand(player)

    def measured(self, deals: int, advance: Callable[[int], None]) -> Response:
        """What the best policy wins on deals that nothing was learned or chosen by."""
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
    """Learn to respond to an agent in so many games, and measure what that wins; the same seed gives the same figures.

    `coding` says which inputs the responder reads, by default the best known.  Needs the extra `train`.  Time goes with
    the games; a slow agent wants fewer.  Progress is shown on stderr.
    """
    whole_numbers(games=games)
    whole_numbers(LEAST_DEALS, deals=deals)
    responder = Responder(game, spec, seed, games, coding)
    with progress(f"response to {spec}", games, "games", show) as tell:
        while responder.learner.done < games:
            responder.step()
            tell(responder.learner.done, responder.told())
    played = 0
    with progress("measuring it", deals * game.seats, "games", show) as tell:

        def advance(more: int) -> None:
            nonlocal played
            played += more
            tell(played, "")

        return responder.measured(deals, advance)
