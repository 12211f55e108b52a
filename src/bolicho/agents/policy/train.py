"""Training by self-play, optionally also against an agent, with a curve of payoffs against it or random play."""

from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from bolicho.agents.neural import net
from bolicho.agents.neural.net import Nets
from bolicho.agents.player import InMemoryAgent
from bolicho.agents.policy import model
from bolicho.agents.policy.learner import PolicyLearner, PolicySettings, scheme_of
from bolicho.agents.policy.measure import measure
from bolicho.agents.registry import recipe
from bolicho.agents.training import Learner, whole_numbers
from bolicho.errors import BadInput
from bolicho.games.compiled.chance import stream
from bolicho.games.game import Game
from bolicho.store.artifact import Arrays

GAMES = 200_000
PARTS = 20  # number of points of the learning curve
CURVE_DEALS = 200  # deals per point of the curve, each played from every seat
WIDEST = 1_024  # maximum units of a layer
MOST_TURNS = 1_000_000  # maximum per round
MOST_KEEN, MOST_SHARP = 1_000, 100


@dataclass(frozen=True)
class PolicyOptions:
    """Options of a training; without `against` it is by self-play alone."""

    coding: str = ""  # inputs: `features`, or an input of the game's own; by default the best known
    scheme: str = ""  # reward: `payoff`, or a scheme of the game's own; by default the best known
    width: int = 256  # units of each of the two layers
    turns: int = PolicySettings.turns  # of a round, about; a training has 48 rounds or more
    rate: float = PolicySettings.rate[0]  # of Adam, at first; a twentieth of it at the end
    mixed: float = PolicySettings.mixed[0]  # pull towards the uniform policy, at first; a fifth of it at the end
    against: str = ""  # agent in all other seats in some of the games
    alone: float = 0.5  # share of games of pure self-play
    start: str = ""  # initial nets with the same inputs, whose values are preferences
    keen: float = model.KEEN  # factor of the outputs of `start`; 1 for nets that imitate
    sharp: float = 1.0  # factor of all preferences at the end, which makes the policy more deterministic

    def __post_init__(self) -> None:
        whole_numbers(width=self.width, turns=self.turns)
        for what, number, most in (("width", self.width, WIDEST), ("turns", self.turns, MOST_TURNS)):
            if number > most:
                raise BadInput(f"{what} must be at most {most:,}, not {number:,}")
        if not 0 < self.rate < 1:
            raise BadInput(f"rate must be a number above 0 and below 1, not {self.rate}")
        if not 0 <= self.mixed < 10:
            raise BadInput(f"mixed must be a number from 0 to below 10, not {self.mixed}")
        if not 0 <= self.alone <= 1:
            raise BadInput(f"alone must be a share of the games from 0 to 1, not {self.alone}")
        if not 0 < self.keen <= MOST_KEEN:
            raise BadInput(f"keen must be a number above 0, at most {MOST_KEEN:,}, not {self.keen}")
        if not 1 <= self.sharp <= MOST_SHARP:
            raise BadInput(f"sharp must be a number from 1 to {MOST_SHARP}, not {self.sharp}")


OPTIONS = PolicyOptions()


class PolicySelfPlay:
    """Learner of a policy by self-play, optionally also against an agent; a step is one round."""

    unit = "games"

    def __init__(self, game: Game, plan: PolicySettings, options: PolicyOptions = OPTIONS) -> None:
        against, start, keen = options.against, options.start, float(options.keen)
        other = recipe(against, game.name).maker(game) if against else None
        self.learner = PolicyLearner(game, plan, other, net.load(game, start) if start else None, keen)
        self.meets, self.sharp = against or "random", float(options.sharp)
        self.total, self.done = plan.games, 0
        self.points = 0  # number of points of the curve so far
        facts = {"game": game.name, "kind": model.KIND, "coding": plan.coding, "against": against, "start": start}
        self.facts = {**facts, "rules": dict(game.options), "plan": asdict(plan), "sharp": self.sharp}
        if start:
            self.facts["keen"] = keen

    def step(self) -> dict[str, Any] | None:
        learned = self.learner.round()
        self.done = self.learner.done
        if self.done * PARTS < (self.points + 1) * self.total:
            return None
        self.points = self.done * PARTS // self.total
        return {"games": self.done, "turns": self.learner.turns, **self._measured(), **learned}

    def _made(self) -> Nets:
        """Return the policy that would be written now."""
        nets = self.learner.nets
        made = replace(nets, weights=nets.weights.copy())
        model.sharpen(made, self.sharp)
        model.leave_length_out(made, self.learner.game)
        return made

    def _measured(self) -> dict[str, float]:
        game = self.learner.game
        seed = int(stream(np.uint64(self.learner.plan.seed), -1))
        me = InMemoryAgent(model.player(self._made(), game))
        payoff, won = measure(game, lambda: me, self.meets, CURVE_DEALS, seed)
        return {"payoff": payoff.value, "won": won.value}

    def state(self) -> Arrays:
        return {**self.learner.state(), "points": np.array(self.points)}

    def restore(self, state: Arrays) -> None:
        self.learner.done, self.points = self.done, int(state["points"])
        self.learner.restore({name: array for name, array in state.items() if name != "points"})

    def finish(self, out: Path, story: dict[str, Any]) -> dict[str, Any]:
        model.save(self._made(), out, story)
        return {"games": self.done, "turns": self.learner.turns, "agent": f"policy(artifact={out})"}


def policy(seed: int, game: Game, games: int = GAMES, *, options: PolicyOptions = OPTIONS) -> Learner:
    """Train a policy in self-play, optionally also against an agent."""
    whole_numbers(games=games)
    start, width, rate, mixed = options.start, options.width, options.rate, options.mixed
    plan = PolicySettings(
        model.coding_of(game, options.coding),
        scheme_of(game, options.scheme),
        games,
        seed,
        hidden=model.hidden_of(net.load(game, start)) if start else (width, width),
        turns=options.turns,
        rate=(rate, rate / 20),
        mixed=(mixed, mixed / 5),
        alone=float(options.alone) if options.against else 0.0,
    )
    return PolicySelfPlay(game, plan, options)
