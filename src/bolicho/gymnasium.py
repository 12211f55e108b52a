"""Many tables of a game as a Gymnasium vector environment.

>>> import bolicho.gymnasium
>>> envs = bolicho.gymnasium.VectorEnv("truco", num_envs=8, opponent="balanced", hands=1)
>>> observations, infos = envs.reset(seed=7)
>>> observations.shape, infos["action_mask"].shape
((8, 169), (8, 92))
>>> actions = infos["action_mask"].argmax(axis=1)
>>> observations, rewards, terminations, truncations, infos = envs.step(actions)
>>> rewards.shape, envs.metadata["autoreset_mode"]
((8,), <AutoresetMode.SAME_STEP: 'SameStep'>)

Needs the extra `gymnasium`: `pip install bolicho[gymnasium]`.
"""

from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode
from gymnasium.vector import VectorEnv as GymnasiumVectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from bolicho.errors import BadInput
from bolicho.games.game import Game
from bolicho.vector import OneSeat, Opponent, Seen

Infos = dict[str, Any]
Step = tuple[NDArray[np.float32], NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], Infos]
"""Observations, rewards, terminations, truncations and infos."""


class VectorEnv(GymnasiumVectorEnv):  # type: ignore[misc]
    """One seat of every table (`bolicho.vector.OneSeat`) as a Gymnasium vector environment.

    An observation is the features of your seat.  `infos["action_mask"]` has the legal actions, in the form that
    `action_space.sample(mask=tuple(...))` takes; an illegal action is an error, and then no table has changed.
    When a game ends, the same step deals the next one: `infos["final_obs"]` has the last observations.
    A game is never truncated.
    """

    def __init__(self, game: str | Game, num_envs: int = 64, opponent: Opponent = "random", **rules: Any) -> None:
        self.tables = OneSeat(game, num_envs, opponent=opponent, **rules)
        self.num_envs = num_envs
        self.metadata = {"render_modes": [], "autoreset_mode": AutoresetMode.SAME_STEP}
        self.single_observation_space = spaces.Box(-1, 1, (self.tables.game.num_features,), np.float32)
        self.single_action_space = spaces.Discrete(self.tables.game.num_actions)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._was_reset = False

    def reset(self, *, seed: int | None = None, options: Infos | None = None) -> tuple[NDArray[np.float32], Infos]:
        """Deal new games: those of `OneSeat` with that seed, or different ones at each reset without a seed."""
        if options:
            raise BadInput(
                f"reset has no options here, not {', '.join(options)}: games that end are followed by others"
            )
        if seed is not None and not (isinstance(seed, int | np.integer) and 0 <= seed < 2**64):
            raise BadInput(f"the seed must be a number from 0 to 2**64 - 1, not {seed!r}")
        super().reset(seed=None if seed is None else int(seed))
        self._was_reset = True
        seen = self.tables.reset(int(self.np_random.integers(2**63) if seed is None else seed))
        return seen.features, self._infos(seen)

    def step(self, actions: ArrayLike) -> Step:
        """Act at every table, then play the opponent's actions until your seat has the turn at all tables."""
        if not self._was_reset:
            raise ResetNeeded("reset the environment before the first step")
        seen, rewards, done = self.tables.step(actions)
        infos = self._infos(seen)
        if done.any():
            final = np.full(self.num_envs, None, object)
            for table in np.flatnonzero(done):
                final[table] = self.tables.final_features[table]
            nothing = {"action_mask": np.zeros_like(infos["action_mask"]), "_action_mask": done.copy()}
            infos |= {"final_obs": final, "_final_obs": done.copy(), "final_info": nothing, "_final_info": done.copy()}
        return seen.features, rewards, done, np.zeros(self.num_envs, np.bool_), infos

    def _infos(self, seen: Seen) -> Infos:
        """Return the legal actions of every table; a key with `_` is the mask of tables with a value (Gymnasium)."""
        return {"action_mask": seen.masks.astype(np.int8), "_action_mask": np.ones(self.num_envs, np.bool_)}
