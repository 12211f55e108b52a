"""Learners of nets on small games: progress, reproducibility, and recorded turns."""

from dataclasses import replace

import numpy as np
import pytest

import bolicho
from bolicho.agents.neural import dqn, imitation
from bolicho.agents.training import read_curve, run
from bolicho.errors import BadInput
from tests.agents.learners import learn

TRUCO = bolicho.game("truco", hands=1)
WONDERS = bolicho.game("wonders")
SMALL = dqn.QLearningSettings(hidden=(32,), games=60, memory=500, batch=16, rate=1e-3, last_rate=1e-4, renew=20)


def test_q_learning_learns_truco(tmp_path):
    plan = replace(SMALL, games=1500, target="return", round=10, batch=64, batches=0.2, explore=(1.0, 0.001, 0.1))
    before = dqn.measure(TRUCO, dqn.fresh(TRUCO, "features", (plan.hidden,), 1), ("learner", "random"), 500, 5)
    learner = dqn.QLearner(TRUCO, plan)
    run(learner, tmp_path / "truco.safetensors", show=False)
    after = dqn.measure(TRUCO, learner.nets, ("learner", "random"), 500, 5)
    assert after[1] > before[1] + 0.05
    assert read_curve(tmp_path / "truco.safetensors")[-1]["games"] == 1500


@pytest.mark.parametrize("target", dqn.TARGETS)
def test_same_seed_gives_the_same_file(tmp_path, target):
    plan = replace(SMALL, target=target)
    files = [tmp_path / f"{name}.safetensors" for name in "abc"]
    for path, seed in zip(files, (1, 1, 2), strict=True):
        run(dqn.QLearner(TRUCO, replace(plan, seed=seed)), path, show=False)
    assert files[0].read_bytes() == files[1].read_bytes() != files[2].read_bytes()


def test_restored_state_continues_to_the_same_weights():
    whole, first, second = (dqn.QLearner(TRUCO, SMALL) for _ in range(3))
    learn(whole)
    for _ in range(40):
        first.step()
    second.done = first.done
    second.restore({name: array.copy() for name, array in first.state().items()})
    learn(second)
    assert second.nets.weights.tobytes() == whole.nets.weights.tobytes() and second.updates == whole.updates


def after_one_round(game, plan):
    """Return a learner after one round of random play, and the seats of its tables."""
    learner = dqn.QLearner(game, replace(plan, explore=(1.0, 0.0, 1.0)))
    who = learner._seat(plan.round, np.random.default_rng(1))
    learner.play(who, 3)
    return learner, who


def test_rewards_add_up_to_payoffs():
    learner, _ = after_one_round(WONDERS, replace(SMALL, coding="table", round=5, memory=2000))
    rewards, returns, following = learner.explorer.rewards, learner.explorer.returns, learner.explorer.following
    firsts = sorted(set(range(learner.count)) - set(following[: learner.count].tolist()))
    assert len(firsts) == 15  # seats
    assert sorted({round(float(returns[i]), 3) for i in firsts}) == [-0.333, 0.667]
    assert rewards[: learner.count].sum() == pytest.approx(0, abs=1e-4)  # zero-sum, all seats learn


def test_published_rewards_are_points_weights_and_penalties():
    plan = replace(SMALL, coding="table", scheme="published", round=3, memory=500)
    learner, _ = after_one_round(WONDERS, plan)
    chosen, rewards = learner.explorer.chosen, learner.explorer.rewards
    sold = chosen[: learner.count] >= 2 * 65
    assert sold.any()
    kept, penalties = rewards[: learner.count][~sold], rewards[: learner.count][sold]
    assert kept.min() >= -10  # a weight of 1 to 5, and a turn that at worst loses two wars and coins
    assert penalties.min() < -3


def test_learning_within_a_game_records_the_same_turns():
    """Comparison of learning after every turn with learning after the game."""
    plan = replace(SMALL, coding="table", scheme="published", round=2, explore=(1.0, 0.0, 1.0), memory=500)
    afterwards, within = (dqn.QLearner(WONDERS, replace(plan, each_turn=each, target="max")) for each in (False, True))
    who = afterwards._seat(plan.round, np.random.default_rng(1))
    stops = []
    for row in range(plan.round):  # side by side they would be noted in another order
        afterwards.play(who[row : row + 1], 3 + row)
        within.play(who[row : row + 1], 3 + row, lambda: stops.append(within.whole()))
    assert len(stops) == within.count  # after each turn
    for name in dqn.REPLAY_COLUMNS:
        np.testing.assert_array_equal(getattr(afterwards.explorer, name), getattr(within.explorer, name))
    for count, (first, behind) in enumerate(stops, start=1):
        assert (
            first == 0 and 0 <= count - behind <= 4
        )  # three learners' last turns wait for the next; a revival is one more
    assert within.whole() == (0, within.count)


def test_turns_without_a_following_turn_are_not_drawn():
    plan = replace(
        SMALL, coding="table", each_turn=True, target="max", tables=((1.0, ("learner", "random", "random")),)
    )
    learner = dqn.QLearner(WONDERS, replace(plan, memory=10))
    seen = []

    def look():
        first, behind = learner.whole()
        seen.append((learner.count, first, behind))

    for row in learner._seat(2, np.random.default_rng(1)):
        learner.play(row[None], 3, look)
        first, behind = learner.whole()
        assert (first, behind) == (learner.count - 10, learner.count)
    assert [count for count, _, _ in seen] == list(range(1, learner.count + 1))
    for count, first, behind in seen:
        assert (first, behind) == (max(0, count - 10), count - 1)  # the one just noted has no next one yet


def test_learning_after_every_turn_updates_as_often_with_another_result(tmp_path):
    afterwards = replace(SMALL, target="max", games=10)
    files = [tmp_path / f"{name}.safetensors" for name in "ab"]
    for path, each_turn in zip(files, (False, True), strict=True):
        run(dqn.QLearner(TRUCO, replace(afterwards, each_turn=each_turn)), path, show=False)
    assert files[0].read_bytes() != files[1].read_bytes()
    learner = dqn.QLearner(TRUCO, replace(afterwards, each_turn=True))
    while not learner.updates:  # a game of a single turn has nothing to learn from within it
        learner.step()
    updates, count = learner.updates, learner.count
    assert updates < count  # at first no turn is complete
    learner.step()
    assert learner.updates - updates == learner.count - count > 0


@pytest.mark.parametrize("target", dqn.TARGETS)
def test_next_turn_is_valued_by_the_net_of_the_target_option(target):
    plan = replace(SMALL, target=target, gamma=0.9, renew=7, round=10)
    learner, _ = after_one_round(TRUCO, plan)
    learner.update(6, np.random.default_rng(1))
    noted, followed = learner.explorer, learner.explorer.following >= 0
    turns = np.flatnonzero(followed[: learner.count])
    following = noted.following[turns]
    with learner.torch.no_grad():
        by_net, by_target = (
            np.where(noted.masks[following] == 0, -np.inf, learner.trainee(learner.tensors["inputs"][following], parts))
            for parts in (None, learner.target)
        )
    value = {
        "max": by_net.max(axis=1),
        "fixed": by_target.max(axis=1),
        "double": by_target[np.arange(len(turns)), by_net.argmax(axis=1)],
        "return": (noted.returns[turns] - noted.rewards[turns]) / 0.9,
    }[target]
    wanted = learner._wanted(learner.torch.from_numpy(turns)).numpy()
    np.testing.assert_allclose(wanted, noted.rewards[turns] + 0.9 * value, atol=1e-5)
    assert len({*map(bytes, (by_net, by_target))}) == 2
    learner.update(1, np.random.default_rng(2))  # the seventh renews
    renewed = all(bool((copy == part).all()) for copy, part in zip(learner.target, learner.trainee.parts, strict=True))
    assert renewed == (target in ("fixed", "double"))


def test_replay_buffer_is_a_ring():
    plan = replace(SMALL, coding="table", round=10, memory=100)
    learner, _ = after_one_round(WONDERS, plan)
    following, masks = learner.explorer.following, learner.explorer.masks
    assert learner.count > 500
    oldest = learner.count % 100
    for i in range(100):
        if following[i] >= 0:
            assert (following[i] - oldest) % 100 > (i - oldest) % 100  # what follows is younger
    assert (masks.sum(axis=1) > 0).all()


def test_invalid_settings_are_refused():
    with pytest.raises(BadInput, match="unknown target 'maxx'"):
        dqn.QLearner(TRUCO, replace(SMALL, target="maxx"))
    with pytest.raises(BadInput, match="is incompatible with each_turn"):
        dqn.QLearner(TRUCO, replace(SMALL, target="return", each_turn=True))
    with pytest.raises(BadInput, match="the scheme margin is for wonders"):
        dqn.QLearner(TRUCO, replace(SMALL, scheme="margin"))
    with pytest.raises(BadInput, match="at least one learner"):
        dqn.QLearner(TRUCO, replace(SMALL, tables=((1.0, ("random", "random")),)))
    with pytest.raises(BadInput, match="unknown agent 'rando'"):
        dqn.QLearner(TRUCO, replace(SMALL, tables=((1.0, ("learner", "rando")),)))


def test_any_agent_may_play_at_a_table_of_the_learner():
    tables = ((1.0, ("learner", "balanced")), (1.0, ("cautious", "learner")))
    learner = dqn.QLearner(TRUCO, replace(SMALL, tables=tables, round=20))
    assert learner.kinds == [*dqn.KINDS, "balanced", "cautious"]
    who = learner._seat(20, np.random.default_rng(1))
    assert {*np.unique(who)} == {dqn.KINDS.index("learner"), 4, 5} and ((who == 2).sum(axis=1) == 1).all()
    learner.play(who, 3)
    assert 20 <= learner.count <= 120


# --- Imitation ----------------------------------------------------------------------------------

IMITATE = imitation.ImitationSettings(
    teacher="balanced", games=60, hidden=((32,),), epochs=30, patience=0, rate=3e-3, masked=True
)


def test_imitation_learns_a_style(tmp_path):
    measured, untrained = (
        run(imitation.Imitator(TRUCO, plan), tmp_path / f"{plan.epochs}.safetensors", show=False)["accuracy"]
        for plan in (IMITATE, replace(IMITATE, epochs=0))
    )
    assert measured["legal"]["train"][0] > untrained["legal"]["train"][0] + 0.2
    assert measured["legal"]["test"][0] > untrained["legal"]["test"][0] + 0.1


def test_raw_is_right_only_where_no_illegal_output_is_higher():
    """Accuracy among all outputs, at most that among the legal ones."""
    plays = imitation.collect(TRUCO, ["balanced", "balanced"], IMITATE, games=20)
    nets = dqn.fresh(TRUCO, "features", ((32,),), 1)
    raw, legal = (imitation.predict(nets, 0, plays, how) for how in ("raw", "legal"))
    allowed = plays.masks[np.arange(len(plays)), raw] == 1
    assert 0 < allowed.mean() < 1
    np.testing.assert_array_equal(raw[allowed], legal[allowed])
    assert plays.masks[np.arange(len(plays)), legal].all()
    rates = [imitation.accuracy_of(nets, 0, plays, how) for how in ("raw", "legal")]
    assert rates[0] == np.mean(raw == plays.chosen) < rates[1] == np.mean(legal == plays.chosen)


def test_split_keeps_the_plays_of_a_game_together():
    plays = imitation.collect(TRUCO, ["balanced", "balanced"], IMITATE)
    parts = imitation.split(plays, IMITATE.games, seed=1)
    games = [set(part.game.tolist()) for part in parts]
    assert sum(len(part) for part in parts) == len(plays)
    assert not games[0] & games[1] and not games[0] & games[2] and not games[1] & games[2]
    assert len(games[2]) == pytest.approx(12, abs=2)


def test_only_winners_are_imitated():
    agents = ["balanced", "novice"]
    won = imitation.collect(TRUCO, agents, replace(IMITATE, games=30))
    both = imitation.collect(TRUCO, agents, replace(IMITATE, games=30, winners=False))
    assert 0 < len(won) < len(both)


def test_training_does_not_change_the_floating_point_mode():
    smallest = np.nextafter(0.0, 1.0)
    learn(dqn.QLearner(TRUCO, replace(SMALL, games=2)))
    assert smallest * np.float64(1.0) == smallest > 0
