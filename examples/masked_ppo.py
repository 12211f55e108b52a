"""Train MaskablePPO of sb3-contrib against its own earlier versions.

    pip install sb3-contrib
    python examples/masked_ppo.py dominoes --steps 200000

Sixty-four tables are one environment. At each the learner has one seat, and a frozen copy of it, replaced after every
round, has the other. The trained model then plays `random` on mirrored deals.
"""

import argparse
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from stable_baselines3.common.vec_env import VecEnv

import bolicho
from bolicho.kit import meet, rate
from bolicho.vector import OneSeat, Seen, at_random

TABLES, STEPS_A_TABLE = 64, 64


class Tables(VecEnv):
    """`OneSeat` as an environment of stable-baselines."""

    def __init__(self, tables: OneSeat) -> None:
        self.tables = tables
        features, actions = tables.game.num_features, tables.game.num_actions
        super().__init__(len(tables.seats), spaces.Box(-1, 1, (features,), np.float32), spaces.Discrete(actions))

    def reset(self) -> NDArray[np.float32]:
        self.seen = self.tables.reset()
        return self.seen.features.copy()

    def step_async(self, actions: NDArray[np.int64]) -> None:
        self.actions = actions

    def step_wait(self) -> Any:
        self.seen, rewards, done = self.tables.step(self.actions)
        final = self.tables.final_features
        infos: list[dict[str, Any]] = [{"terminal_observation": final[i]} if done[i] else {} for i in range(len(done))]
        return self.seen.features.copy(), rewards.astype(np.float32), done, infos

    def action_masks(self) -> NDArray[np.bool_]:
        return self.seen.masks

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> list[Any]:
        return list(getattr(self, method_name)(*args, **kwargs))

    def has_attr(self, attr_name: str) -> bool:
        return hasattr(self, attr_name)

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        return [getattr(self, attr_name, None)] * self.num_envs

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        setattr(self, attr_name, value)

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> Sequence[bool]:
        return [False] * self.num_envs

    def close(self) -> None:
        pass


class Learned(bolicho.Agent):
    """Agent that plays by a trained model."""

    def __init__(self, model: MaskablePPO) -> None:
        self.model = model

    def act(self, view: bolicho.View, rng: np.random.Generator) -> int:
        mask = np.zeros(view.game.num_actions, np.bool_)
        mask[view.numbers] = True
        return int(self.model.predict(view.features(), action_masks=mask, deterministic=True)[0])


def copy_of(model: MaskablePPO) -> Callable[[Seen], NDArray[np.int64]]:
    """Return an opponent that plays as the model does now."""
    frozen = MaskablePPO("MlpPolicy", model.env, device="cpu")
    frozen.policy.load_state_dict(model.policy.state_dict())
    return lambda seen: frozen.predict(seen.features, action_masks=seen.masks)[0]


def main() -> None:
    """Train a model, and measure it."""
    parser = argparse.ArgumentParser()
    parser.add_argument("game", nargs="?", default="dominoes")
    parser.add_argument("--steps", type=int, default=200_000)
    parser.add_argument("--rounds", type=int, default=10, help="after each the opponent becomes a copy of the learner")
    parser.add_argument("--deals", type=int, default=200, help="deals of the measurement, each from both seats")
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    torch.set_num_threads(1)  # the nets are small: more threads are slower
    tables = OneSeat(chosen.game, TABLES, chosen.seed, at_random(chosen.seed))
    model = MaskablePPO(
        "MlpPolicy", Tables(tables), n_steps=STEPS_A_TABLE, batch_size=512, seed=chosen.seed, device="cpu"
    )
    for _ in range(chosen.rounds):
        model.learn(max(1, chosen.steps // chosen.rounds), reset_num_timesteps=False)
        tables.opponent = copy_of(model)
    met = meet(bolicho.game(chosen.game), [lambda: Learned(model), "random"], chosen.deals, seed=chosen.seed)
    won = rate(met.won[..., 0].mean(axis=1))
    print(f"{chosen.game}: won {won.value:.3f} [{won.low:.3f}, {won.high:.3f}] against random")


if __name__ == "__main__":
    main()
