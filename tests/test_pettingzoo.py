import pytest
from pettingzoo.test import api_test, seed_test

import bolicho.pettingzoo


@pytest.mark.parametrize(
    ("name", "rules"),
    [("truco", {"hands": 1}), ("truco", {"target": 12}), ("dominoes", {}), ("fives", {}), ("wonders", {})],
)
def test_pettingzoo_accepts_the_environment(name, rules):
    api_test(bolicho.pettingzoo.env(name, **rules), num_cycles=200)


def test_a_seed_fixes_the_whole_stream_of_games():
    seed_test(lambda: bolicho.pettingzoo.env("truco"), num_cycles=100)


def test_only_the_seat_to_act_has_a_mask():
    env = bolicho.pettingzoo.env("truco", hands=1)
    env.reset(seed=3)
    acting, waiting = env.agent_selection, next(a for a in env.agents if a != env.agent_selection)
    assert env.observe(acting)["action_mask"].sum() == len(env.table.legal)
    assert env.observe(waiting)["action_mask"].sum() == 0


def test_rewards_are_the_payoffs_and_sum_to_zero():
    env = bolicho.pettingzoo.env("truco", hands=1)
    env.reset(seed=5)
    while not any(env.terminations.values()):
        env.step(int(env.observe(env.agent_selection)["action_mask"].nonzero()[0][-1]))
    assert sum(env.rewards.values()) == 0
    assert sorted(env.rewards.values()) == sorted(env.table.payoffs)
