"""Learning by self-play: one policy has all seats, and a curve against random play."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from bolicho.agents.agent import parse_spec
from bolicho.agents.player import AtHand
from bolicho.agents.policy import model
from bolicho.agents.policy.learner import Plan, PolicyLearner, scheme_of
from bolicho.agents.policy.measure import measure
from bolicho.agents.training import Learner, whole_numbers
from bolicho.errors import BadInput
from bolicho.games import game as find_game
from bolicho.games.compiled.chance import stream
from bolicho.games.game import Game
from bolicho.store.artifact import Arrays

GAMES = 200_000
PARTS = 20  # of a training: a point of the curve after each
CURVE_DEALS = 200  # played from every seat for a point of the curve
WIDEST = 1_024  # units of a layer
MOST_TURNS = 1_000_000  # of a round


class SelfPlay:
    """Learns a policy in so many games against itself; a step is one round."""

    unit = "games"

    def __init__(self, game: Game, plan: Plan) -> None:
        self.learner = PolicyLearner(game, plan)
        self.total, self.done = plan.games, 0
        self.points = 0  # of the curve so far
        facts = {"game": game.name, "kind": model.KIND, "coding": plan.coding}
        self.facts = {**facts, "rules": dict(game.options), "plan": asdict(plan)}

    def step(self) -> dict[str, Any] | None:
        learned = self.learner.round()
        self.done = self.learner.done
        if self.done * PARTS < (self.points + 1) * self.total:
            return None
        self.points = self.done * PARTS // self.total
        return {"games": self.done, "turns": self.learner.turns, **self._against_random(), **learned}

    def _against_random(self) -> dict[str, float]:
        game, nets = self.learner.game, self.learner.nets
        seed = int(stream(np.uint64(self.learner.plan.seed), -1))
        me = AtHand(model.player(nets, game))
        payoff, won = measure(game, lambda: me, "random", CURVE_DEALS, seed)
        return {"payoff": payoff.value, "won": won.value}

    def state(self) -> Arrays:
        return {**self.learner.state(), "points": np.array(self.points)}

    def restore(self, state: Arrays) -> None:
        self.learner.done, self.points = self.done, int(state["points"])
        self.learner.restore({name: array for name, array in state.items() if name != "points"})

    def finish(self, out: Path, story: dict[str, Any]) -> dict[str, Any]:
        model.save(self.learner.nets, out, story)
        return {"games": self.done, "turns": self.learner.turns, "agent": f"policy(artifact={out})"}


def policy(
    seed: int,
    game: str = "dominoes",
    games: int = GAMES,
    *,
    coding: str = "",
    scheme: str = "",
    width: int = 256,
    turns: int = Plan.turns,
    rate: float = Plan.rate[0],
    mixed: float = Plan.mixed[0],
) -> Learner:
    """Any game, by name or with rules: "truco(hands=1)"."""
    name, rules = parse_spec(game)
    chosen = find_game(name, **rules)
    return SelfPlay(chosen, plan_of(chosen, seed, games, coding, scheme, width, turns, rate, mixed))


def plan_of(
    game: Game, seed: int, games: int, coding: str, scheme: str, width: int, turns: int, rate: float, mixed: float
) -> Plan:
    """A plan of these options; what makes no sense is refused."""
    whole_numbers(games=games, width=width, turns=turns)
    for what, number, most in (("width", width, WIDEST), ("turns", turns, MOST_TURNS)):
        if number > most:
            raise BadInput(f"{what} must be at most {most:,}, not {number:,}")
    if not 0 < rate < 1:
        raise BadInput(f"rate must be a number above 0 and below 1, not {rate}")
    if not 0 <= mixed < 10:
        raise BadInput(f"mixed must be a number from 0 to below 10, not {mixed}")
    return Plan(
        model.coding_of(game, coding),
        scheme_of(game, scheme),
        games,
        seed,
        hidden=(width, width),
        turns=turns,
        rate=(rate, rate / 20),
        mixed=(mixed, mixed / 5),
    )
