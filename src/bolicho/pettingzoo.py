"""Every game as a PettingZoo environment (AEC).

>>> import bolicho.pettingzoo
>>> env = bolicho.pettingzoo.env("truco", hands=1)
>>> env.reset(seed=7)
>>> observation, reward, termination, truncation, info = env.last()
>>> sorted(observation)
['action_mask', 'observation']

Needs the extra `pettingzoo`: `pip install bolicho[pettingzoo]`.
"""

from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv

from bolicho.games import game as make_game
from bolicho.games.game import Table


def env(name: str, render_mode: str | None = None, **rules: Any) -> "BolichoEnv":
    """Return the environment of a game: `env("truco", target=12)`.

    An observation is a dictionary of the features the seat may know and the mask of its legal
    actions.  The reward is the payoff, given once at the end.
    """
    return BolichoEnv(name, render_mode, **rules)


class BolichoEnv(AECEnv[str, dict[str, NDArray[Any]], int | None]):  # type: ignore[misc]
    """Adapter of a game to PettingZoo."""

    def __init__(self, name: str, render_mode: str | None = None, **rules: Any) -> None:
        super().__init__()
        self.game = make_game(name, **rules)
        self.metadata = {"name": name, "render_modes": ["ansi", "svg"], "is_parallelizable": False}
        self.render_mode = render_mode
        self.possible_agents = [f"seat_{seat}" for seat in range(self.game.seats)]
        actions = self.game.num_actions
        self.action_spaces = {who: spaces.Discrete(actions) for who in self.possible_agents}
        self.observation_spaces = {
            who: spaces.Dict(
                {
                    "observation": spaces.Box(-1, 1, (self.game.num_features,), np.float32),
                    "action_mask": spaces.Box(0, 1, (actions,), np.int8),
                }
            )
            for who in self.possible_agents
        }
        self._rng = np.random.default_rng()
        self.table: Table | None = None

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal a new game.  A seed fixes this deal and all later ones."""
        if seed is not None:
            self._rng = np.random.default_rng(seed)
        self.table = self.game.deal(int(self._rng.integers(2**63)))
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {who: {} for who in self.agents}
        self._skip_agent_selection = None
        self._hand_over(self.table)

    def _hand_over(self, table: Table) -> None:
        """Select the agent to act, or end the game for all agents."""
        if table.over:
            for who, payoff in zip(self.possible_agents, table.payoffs, strict=True):
                self.rewards[who] = payoff
                self.terminations[who] = True
            self.agent_selection = self.possible_agents[0]
        else:
            assert table.turn is not None
            self.agent_selection = self.possible_agents[table.turn]

    def observe(self, agent: str) -> dict[str, NDArray[Any]]:
        assert self.table is not None, "reset the environment first"
        seat = self.possible_agents.index(agent)
        view = self.table.view(seat)
        mask = np.zeros(self.game.num_actions, np.int8)
        if view.turn == seat:
            mask[view.numbers] = 1
        return {"observation": view.features(), "action_mask": mask}

    def step(self, action: int | None) -> None:
        assert self.table is not None, "reset the environment first"
        who = self.agent_selection
        if self.terminations[who] or self.truncations[who]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[who] = 0.0
        self._clear_rewards()
        self.table.play(int(action))  # type: ignore[arg-type]
        self._hand_over(self.table)
        self._accumulate_rewards()

    def render(self) -> str | None:
        """Return the view of the seat to act, as text or as SVG."""
        if self.table is None or self.render_mode is None:
            return None
        view = self.table.view()
        return view.svg() if self.render_mode == "svg" else str(view)

    def close(self) -> None:
        self.table = None
