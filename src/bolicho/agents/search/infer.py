"""Search with opponent models: plans per game, built from agents by name."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from bolicho.agents.agent import Agent, is_oracle
from bolicho.agents.neural.agents import NetAgent
from bolicho.agents.neural.net import schemes
from bolicho.agents.player import Compiled
from bolicho.agents.registry import agent
from bolicho.agents.search import mcts
from bolicho.agents.search.agents import MCTS
from bolicho.agents.search.binding import END, HAND, RANDOM, SearchSettings, binding
from bolicho.agents.search.compiled.leaf import ValueNetLeaf
from bolicho.agents.search.limits import Limits
from bolicho.errors import BadInput
from bolicho.games.game import Game, View

AUTO, NONE = "auto", "none"


def usual(game: Game) -> SearchSettings:
    """Return the default plan of a game."""
    plan = binding(game.name).plan
    try:
        agent(plan.model, game)
    except BadInput:
        return binding(game.name).otherwise
    return plan


def player_of(name: str, game: Game) -> tuple[Agent, Any]:
    """Return an agent usable within a search, and its player."""
    asked = agent(name, game)
    if not isinstance(asked, Compiled) or asked.remembers or is_oracle(asked) or asked.learns:
        raise BadInput(f"a search cannot use {name}: it needs a compiled player that depends on the view alone")
    return asked, asked.player(game)


def learned_leaf(name: str, game: Game, steps: int) -> tuple[Agent, ValueNetLeaf]:
    """Return the value net of an agent as a leaf, with the agent."""
    asked = agent(name, game)
    if not isinstance(asked, NetAgent) or not asked.values:
        raise BadInput(f"{name} has no net that values actions; leaves are end, hand or such an agent")
    facts = asked.model(game).facts
    return asked, ValueNetLeaf(asked.player(game), schemes(game.name)[facts["plan"]["scheme"]], steps)


class Infer(MCTS):
    """Tree search over worlds weighted by the likelihood of the opponents' actions under a model of them.

    Limited by `iterations` or `seconds` per decision. `model` is the agent that models the opponents (none: all worlds
    have equal weight), `playouts` the agent that plays out, `leaves` the end of playouts: "end", "hand" (for matches of
    hands) or an agent with a value net, evaluated after `steps` steps. `opponents` choose "modelled", "informed" or
    "shared". At most `worlds` are drawn and weighted (`weigh=false`: none), until their effective sample size is
    `enough`; the model acts at random with probability `tremble`. "auto", 0 iterations or worlds and a negative
    exploration select the best measured values for the game at 50 ms per decision.
    """

    def __init__(
        self,
        iterations: int = 0,
        seconds: float | None = None,
        model: str = AUTO,
        playouts: str = AUTO,
        leaves: str = AUTO,
        opponents: str = mcts.MODELLED,
        weigh: bool = True,
        worlds: int = 0,
        enough: float = 50.0,
        tremble: float = 0.05,
        steps: int = 0,
        exploration: float = -1.0,
    ) -> None:
        super().__init__(iterations or None, seconds, max(0.0, exploration), 0, opponents)
        if not 0 < tremble <= 1:
            raise BadInput(f"tremble must be a chance above 0, not {tremble!r}")
        for name, value in (("iterations", iterations), ("worlds", worlds), ("steps", steps)):
            if value < 0:
                raise BadInput(f"{name} must be 0 or more, not {value}")
        names = {"model": model, "playouts": playouts, "leaves": leaves}
        numbers = {"iterations": iterations, "worlds": worlds}
        self._given: dict[str, Any] = {key: value for key, value in names.items() if value != AUTO}
        self._given |= {key: value for key, value in numbers.items() if value}
        if exploration >= 0:
            self._given["exploration"] = exploration
        self.tremble, self.enough, self.steps, self.weigh = tremble, enough, steps, weigh
        self._game: Game | None = None

    def plan(self, game: Game) -> SearchSettings:
        """Return the plan for a game."""
        return replace(usual(game), **self._given)

    def prepare(self, game: Game) -> None:
        if self._game is game:
            return
        plan = self.plan(game)
        self._agents: list[Agent] = []
        self._model = self._player(plan.model, game) if plan.model != NONE else None
        self._playouts = None
        if plan.playouts == plan.model:
            self._playouts = self._model
        elif plan.playouts != RANDOM:  # random playouts need no player
            self._playouts = self._player(plan.playouts, game)
        self._leaf: Any = None
        if plan.leaves not in (END, HAND):
            asked, self._leaf = learned_leaf(plan.leaves, game, self.steps)
            self._agents.append(asked)
        elif plan.leaves == HAND and binding(game.name).horizon is None:
            raise BadInput(f"{game.name} has no hands to end a search with")
        if self.limits.seconds is None:
            self.limits = Limits(plan.iterations)
        self.exploration = plan.exploration
        self._plan, self._game = plan, game

    def _player(self, name: str, game: Game) -> Any:
        asked, player = player_of(name, game)
        self._agents.append(asked)
        return player

    def means(self, view: View) -> mcts.Means:
        self.prepare(view.game)
        horizon = binding(view.game.name).horizon if self._plan.leaves == HAND else None
        leaf = self._leaf if horizon is None else horizon(view.game, view.pool)
        worlds = self._plan.worlds if self.weigh and self._model is not None else 0
        return mcts.Means(self._model, self._playouts, leaf, self.tremble, worlds, self.enough)

    def files(self, game: Game) -> Sequence[Path]:
        self.prepare(game)
        return [path for each in self._agents for path in each.files(game)]
