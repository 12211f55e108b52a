"""The Gymnasium vector environment: its interface, and the same games as the arrays of `OneSeat`."""

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers.vector import RecordEpisodeStatistics

from bolicho import BadInput, IllegalAction, game
from bolicho.games.compiled.chance import stream
from bolicho.gymnasium import VectorEnv
from bolicho.vector import OneSeat

GAMES = [("truco", {"hands": 1}), ("dominoes", {}), ("fives", {}), ("wonders", {})]
SEED = 7


def first(infos):
    return infos["action_mask"].argmax(axis=1)


@pytest.mark.parametrize(("name", "rules"), GAMES)
def test_spaces_contain_observations_and_legal_actions(name, rules):
    envs = VectorEnv(name, num_envs=4, **rules)
    envs.action_space.seed(1)
    observations, infos = envs.reset(seed=SEED)
    assert envs.observation_space.shape == (4, *envs.single_observation_space.shape)
    assert envs.single_action_space.n == infos["action_mask"].shape[1]
    ended = 0
    for _ in range(60):
        assert observations in envs.observation_space
        assert infos["action_mask"].any(axis=1).all()
        actions = envs.action_space.sample(mask=tuple(infos["action_mask"]))
        assert actions in envs.action_space
        observations, rewards, terminations, truncations, infos = envs.step(actions)
        assert rewards.shape == terminations.shape == truncations.shape == (4,)
        assert not truncations.any() and (rewards[~terminations] == 0).all()
        assert ("final_obs" in infos) == terminations.any()
        for table in np.flatnonzero(terminations):
            ended += 1
            assert infos["final_obs"][table] in envs.single_observation_space
    assert ended > 0


@pytest.mark.parametrize(("name", "rules"), GAMES)
def test_same_seed_gives_the_games_and_rewards_of_one_seat(name, rules):
    envs = VectorEnv(name, num_envs=5, **rules)
    tables = OneSeat(name, tables=5, seed=SEED, opponent="random", **rules)
    observations, infos = envs.reset(seed=SEED)
    seen = tables.reset()
    for _ in range(60):
        np.testing.assert_array_equal(observations, seen.features)
        np.testing.assert_array_equal(infos["action_mask"], seen.masks)
        observations, got, ended, _, infos = envs.step(first(infos))
        seen, rewards, done = tables.step(seen.masks.argmax(axis=1))
        np.testing.assert_array_equal(got, rewards)
        np.testing.assert_array_equal(ended, done)


def told(envs, seed, steps=40):
    """Return everything that an environment returns from a reset on, as bytes."""
    observations, infos = envs.reset(seed=seed)
    parts = [observations, infos["action_mask"]]
    for _ in range(steps):
        observations, rewards, terminations, _, infos = envs.step(first(infos))
        parts += [observations, rewards, terminations, infos["action_mask"]]
    return b"".join(part.tobytes() for part in parts)


def test_seed_fixes_all_games_and_reset_without_seed_continues():
    envs = VectorEnv("dominoes", num_envs=3)
    begun = told(envs, SEED)
    after = told(envs, None)
    assert begun not in (after, told(envs, None), told(envs, SEED + 1))
    assert told(envs, SEED) == begun and told(envs, None) == after  # a seed fixes the resets that follow, too
    assert told(VectorEnv("dominoes", num_envs=3), SEED) == begun
    assert told(VectorEnv("dominoes", num_envs=3), None) != told(VectorEnv("dominoes", num_envs=3), None)


def test_returned_arrays_are_not_overwritten_by_later_steps():
    envs = VectorEnv("dominoes", num_envs=3)
    observations, infos = envs.reset(seed=SEED)
    kept, copied = [], []
    for _ in range(30):
        observations, rewards, terminations, truncations, infos = envs.step(first(infos))
        arrays = [observations, rewards, terminations, truncations, infos["action_mask"]]
        kept.append(arrays)
        copied.append([array.copy() for array in arrays])
    for arrays, copies in zip(kept, copied, strict=True):
        for array, copy in zip(arrays, copies, strict=True):
            np.testing.assert_array_equal(array, copy)


class OneTable(gymnasium.Env):
    """One table of `OneSeat` played by single tables of the game: the other seats take their first legal action."""

    def __init__(self, name, table, **rules):
        self.game, self.number = game(name, **rules), table
        self.seat = table % self.game.seats
        self.observation_space = gymnasium.spaces.Box(-1, 1, (self.game.num_features,), np.float32)
        self.action_space = gymnasium.spaces.Discrete(self.game.num_actions)

    def reset(self, *, seed=None, options=None):
        if seed is not None:  # Gymnasium gives every environment a seed of its own
            self.own, self.dealt = np.uint64(stream(np.uint64(seed - self.number), self.number)), 0
        while True:
            self.table = self.game.deal(int(stream(self.own, self.dealt)))
            self.dealt += 1
            self._others()
            if not self.table.over:
                return self._told()

    def step(self, action):
        self.table.play(int(action))
        self._others()
        reward = self.table.payoffs[self.seat] if self.table.over else 0.0
        observation, info = self._told()
        return observation, reward, self.table.over, False, info

    def _others(self):
        while not self.table.over and self.table.turn != self.seat:
            self.table.play(min(self.table.view().numbers))

    def _told(self):
        view = self.table.view(self.seat)
        mask = np.zeros(self.game.num_actions, np.int8)
        if not self.table.over:
            mask[view.numbers] = 1
        return view.features(), {"action_mask": mask}


def same(one, other):
    """Compare infos: names, types and values, those of tables without a value left out."""
    assert set(one) == set(other)
    for key in set(one) - {"final_obs", "final_info"}:
        assert one[key].dtype == other[key].dtype
        np.testing.assert_array_equal(one[key], other[key])
    if "final_obs" in one:
        assert one["final_obs"].dtype == other["final_obs"].dtype == np.dtype(object)
        for mine, theirs in zip(one["final_obs"], other["final_obs"], strict=True):
            np.testing.assert_array_equal(mine, theirs)
        same(one["final_info"], other["final_info"])


@pytest.mark.parametrize(("name", "rules"), GAMES)
def test_steps_equal_sync_vector_env_over_single_tables(name, rules):
    """Compare observations, rewards, ends and infos with `SyncVectorEnv` over one environment for each table."""
    ours = VectorEnv(name, num_envs=4, opponent=lambda seen: seen.masks.argmax(axis=1), **rules)
    makers = [lambda table=table: OneTable(name, table, **rules) for table in range(4)]
    theirs = SyncVectorEnv(makers, autoreset_mode=AutoresetMode.SAME_STEP)
    assert ours.metadata["autoreset_mode"] == theirs.metadata["autoreset_mode"]
    for space in ("observation_space", "single_observation_space", "action_space", "single_action_space"):
        assert getattr(ours, space) == getattr(theirs, space)
    mine, their = ours.reset(seed=SEED), theirs.reset(seed=SEED)
    ended = 0
    for _ in range(80):
        for one, other in zip(mine[:-1], their[:-1], strict=True):
            assert one.dtype == other.dtype
            np.testing.assert_array_equal(one, other)
        same(mine[-1], their[-1])
        mine, their = ours.step(first(mine[-1])), theirs.step(first(their[-1]))
        ended += mine[2].sum()
    assert ended > 3


def test_wrappers_of_gymnasium_count_the_same_returns():
    envs = RecordEpisodeStatistics(VectorEnv("dominoes", num_envs=3, opponent="rule"))
    _, infos = envs.reset(seed=SEED)
    returns = []
    for _ in range(40):
        _, rewards, terminations, _, infos = envs.step(first(infos))
        returns += rewards[terminations].tolist()
    assert len(returns) > 3 and list(envs.return_queue) == pytest.approx(returns)


def test_invalid_calls_are_refused():
    envs = VectorEnv("dominoes", num_envs=2)
    with pytest.raises(ResetNeeded, match="before the first step"):
        envs.step([0, 0])
    with pytest.raises(BadInput, match="reset has no options here, not reset_mask"):
        envs.reset(options={"reset_mask": np.array([True, False])})
    for wrong in ([1, 2], -1, 2**64, 1.5):
        with pytest.raises(BadInput, match="the seed must be a number from 0"):
            envs.reset(seed=wrong)
    _, infos = envs.reset(seed=2**64 - 1, options={})
    with pytest.raises(IllegalAction, match="table 1"):
        envs.step([first(infos)[0], infos["action_mask"][1].argmin()])
