"""The environment for learners: shapes, rewards, new deals, and reproducibility by seed."""

import re
from pathlib import Path

import numpy as np
import pytest

from bolicho import Agent, BadInput, IllegalAction, agent, game
from bolicho.agents.play import play
from bolicho.games.compiled.chance import stream
from bolicho.games.tables import Tables
from bolicho.vector import Environment, OneSeat

NAMES = ("truco", "dominoes", "fives", "wonders")
PAGE = (Path(__file__).parents[1] / "docs" / "learners.md").read_text(encoding="utf-8")


def run(environment, steps, seed=1):
    """Play at random, and return all observations, actions and rewards."""
    rng = np.random.default_rng(seed)
    seen = environment.reset()
    told = []
    for _ in range(steps):
        actions = (rng.random(seen.masks.shape) * seen.masks).argmax(axis=1)
        told.append([part.copy() for part in seen])
        seen, rewards, done = environment.step(actions)
        told[-1] += [actions, rewards.copy(), done]
    return told


@pytest.mark.parametrize("name", NAMES)
def test_shapes_are_as_documented(name):
    environment = Environment(name, tables=5)
    chosen = game(name)
    for seats, features, masks, _, rewards, done in run(environment, 3):
        assert seats.shape == done.shape == (5,)
        assert features.shape == (5, chosen.num_features) and len(environment.feature_names) == chosen.num_features
        assert masks.shape == (5, chosen.num_actions) and masks.any(axis=1).all()
        assert rewards.shape == (5, chosen.seats)


@pytest.mark.parametrize("name", NAMES)
def test_table_plays_consecutive_games_and_pays_each_once(name):
    """Compare seeds, turns, payoffs and ends with single tables."""
    environment = Environment(name, tables=3, seed=8)
    own = [np.uint64(stream(np.uint64(8), table)) for table in range(3)]
    dealt = [1, 1, 1]
    single = [game(name).deal(int(stream(own[table], 0))) for table in range(3)]
    ended = 0
    for seats, features, _, actions, rewards, done in run(environment, 260):
        for i, table in enumerate(single):
            view = table.view()
            assert seats[i] == view.seat
            np.testing.assert_array_equal(features[i], view.features())
            table.play(int(actions[i]))
            assert done[i] == table.over
            assert rewards[i].tolist() == (table.payoffs if table.over else [0.0] * table.game.seats)
            if table.over:
                ended += 1
                single[i] = game(name).deal(int(stream(own[i], dealt[i])))
                dealt[i] += 1
    assert ended >= 3


def test_environments_of_the_same_seed_are_equal():
    one, same, other = (run(Environment("dominoes", 4, seed), 60) for seed in (1, 1, 2))
    for a, b in zip(one, same, strict=True):
        for x, y in zip(a, b, strict=True):
            np.testing.assert_array_equal(x, y)
    assert any((a[1] != b[1]).any() for a, b in zip(one, other, strict=True))


def test_illegal_action_at_one_table_is_refused_and_no_table_plays():
    environment, other = Environment("dominoes", 3, 1), Environment("dominoes", 3, 1)
    seen, same = environment.reset(), other.reset()
    actions = seen.masks.argmax(axis=1)
    for wrong in (int(seen.masks[2].argmin()), -1, environment.game.num_actions):
        with pytest.raises(IllegalAction, match=f"table 2: {wrong} is not legal"):
            environment.step([*actions[:2], wrong])
    seen.masks[:] = True  # changing the returned masks has no effect
    with pytest.raises(IllegalAction, match="table 0"):
        environment.step([int(same.masks[0].argmin()), *actions[1:]])
    with pytest.raises(BadInput, match="each of 3 tables"):
        environment.step(actions[:2])
    for mine, others in zip(environment.step(actions)[0], other.step(actions)[0], strict=True):
        np.testing.assert_array_equal(mine, others)


def test_environment_without_tables_is_refused():
    with pytest.raises(BadInput, match="one table or more"):
        Environment("truco", 0)


def test_more_tables_do_not_change_the_first_ones():
    few, many = run(Environment("fives", 2, 3), 1), run(Environment("fives", 9, 3), 1)
    np.testing.assert_array_equal(few[0][1], many[0][1][:2])


@pytest.mark.parametrize("name", NAMES)
def test_features_looked_up_by_name_match_the_view(name):
    """Compare some features with attributes of the view."""
    chosen = game(name)
    rng = np.random.default_rng(2)
    for seed in range(5):
        table = chosen.deal(seed)
        while not table.over:
            view = table.view()
            known = dict(zip(chosen.feature_names, view.features().tolist(), strict=True))
            if name == "truco":
                assert set(view.cards) == {n[: -len(" in hand")] for n in known if n.endswith(" in hand") and known[n]}
                assert known["my score"] == pytest.approx(min(view.scores[view.seat], 24) / 24)
                assert known["my envido"] == pytest.approx(view.envido / 33)
                assert known["mão"] == (view.mao == view.seat)
            elif name == "wonders":
                held = {n[: -len(" in hand")].split(" of age")[0] for n in known if n.endswith(" in hand") and known[n]}
                assert held == set(view.hand)
                assert known["my coins"] == pytest.approx(min(1, view.coins[view.seat] / 30))
                assert known[f"my {view.city().board}"] == 1
            else:
                assert set(view.hand) == {n[: -len(" mine")] for n in known if n.endswith(" mine") and known[n]}
                assert known["boneyard"] == pytest.approx(view.boneyard / 28)
                for side, value in view.ends.items():
                    assert known[f"{value} open at {side}"] == 1
            table.play(table.legal[rng.integers(len(table.legal))])


def test_page_lists_the_shape_of_every_game():
    told = re.findall(r"^\| `(\w+)` \| (\d+) \| (\d+) \| (\d+) \|$", PAGE, re.M)
    real = [(game(name).seats, game(name).num_features, game(name).num_actions) for name in NAMES]
    assert told == [(name, *map(str, shape)) for name, shape in zip(NAMES, real, strict=True)]


@pytest.mark.parametrize(("name", "megabytes"), [("truco", 2.5), ("dominoes", 5.9), ("fives", 5.9), ("wonders", 11.6)])
def test_the_page_tells_the_memory_of_ten_thousand_tables(name, megabytes):
    tables = Tables(game(name), 10_000)
    arrays = [part for part in (*vars(tables).values(), *tables.arrays) if isinstance(part, np.ndarray)]
    own = {id(array): array.nbytes for array in arrays if not isinstance(array.base, np.ndarray)}
    assert round(sum(own.values()) / 1e6, 1) == megabytes and f"{megabytes}" in PAGE


# --- One seat -----------------------------------------------------------------------------------


def first(seen):
    return seen.masks.argmax(axis=1)


@pytest.mark.parametrize("name", ["dominoes", "wonders"])
def test_one_seat_gets_the_rewards_of_that_seat_in_an_environment_of_all_seats(name):
    """Compare rewards table by table and game by game, with the same policy at the other seats."""
    mine = OneSeat(name, tables=6, seed=3, opponent=first)
    everybody = Environment(name, tables=6, seed=3)
    got, wanted = [[] for _ in range(6)], [[] for _ in range(6)]
    seen = mine.reset()
    for _ in range(200):
        assert (seen.seats == mine.seats).all()
        seen, rewards, done = mine.step(first(seen))
        assert (rewards[~done] == 0).all()
        for table in np.flatnonzero(done):
            got[table].append(rewards[table])
    seen = everybody.reset()
    for _ in range(800):
        seen, rewards, done = everybody.step(first(seen))
        for table in np.flatnonzero(done):
            wanted[table].append(rewards[table, mine.seats[table]])
    for table in range(6):
        assert len(got[table]) > 5 and got[table] == wanted[table][: len(got[table])]


def test_opponent_that_folds_pays_and_one_that_leaves_no_decision_is_refused():
    folds = int(next(action for action in game("truco").deal(1).legal if action == "baralho"))

    def quits(seen):
        return np.where(seen.masks[:, folds], folds, first(seen))

    alone = OneSeat("truco", tables=1, seed=1, opponent=quits, hands=1, flor=False)  # seat 0, which begins
    seen, ended = alone.reset(), 0
    for _ in range(50):
        seen, rewards, done = alone.step(first(seen))
        ended += done.sum()
        assert (rewards[done] > 0).all()
    assert ended > 10
    with pytest.raises(BadInput, match=r"has acted 10,000 times at table 1 and left nothing to decide"):
        OneSeat("truco", tables=2, seed=1, opponent=quits, hands=1, flor=False).reset()


def test_an_illegal_action_of_one_seat_names_its_table():
    tables = OneSeat("dominoes", tables=4, seed=1)
    seen = tables.reset()
    actions = first(seen)
    actions[2] = np.flatnonzero(~seen.masks[2])[0]
    with pytest.raises(IllegalAction, match=r"table 2: \d+ is not legal there"):
        tables.step(actions)


class First(Agent):
    """Play the first legal action, in Python, so that it gets one view at a time."""

    def act(self, view, rng):
        return min(view.numbers)


class Broken(Agent):
    def act(self, view, rng):
        raise RuntimeError("no idea")


def played_by_first(tables, steps):
    """Play the first legal action, and return the reward and features of your seat at each end, by table."""
    ended = [[] for _ in tables.seats]
    seen = tables.reset()
    for _ in range(steps):
        seen, rewards, done = tables.step(first(seen))
        for table in np.flatnonzero(done):
            ended[table].append((rewards[table], tables.final_features[table].copy()))
    return ended


@pytest.mark.parametrize(
    ("name", "opponent"),
    [
        ("truco", "balanced"),  # compiled
        ("truco", "markov"),  # compiled, with memory
        ("dominoes", "random"),  # random
        ("dominoes", f"{__name__}:First"),  # in Python
        ("wonders", "random"),  # in two seats of three
    ],
)
def test_named_opponent_plays_every_deal_as_in_a_game_of_agents(name, opponent):
    tables = OneSeat(name, tables=3, seed=5, opponent=opponent)
    ended = played_by_first(tables, 150)
    chosen = game(name)
    for table, seat in enumerate(tables.seats):
        assert len(ended[table]) >= 2
        own = np.uint64(stream(np.uint64(5), table))
        for number, (reward, features) in enumerate(ended[table]):
            seated = [First() if at == seat else agent(opponent, chosen) for at in range(chosen.seats)]
            real = play(chosen, seated, int(stream(own, number)))
            assert real.decisions[seat] > 0 and reward == real.payoffs[seat]
            np.testing.assert_array_equal(features, real.table.view(int(seat)).features())


def test_named_opponent_is_made_by_the_registry():
    with pytest.raises(BadInput, match="balancd"):
        OneSeat("truco", opponent="balancd")
    with pytest.raises(BadInput, match="does not play dominoes"):
        OneSeat("dominoes", opponent="balanced")
    with pytest.raises(BadInput, match=r"Broken broke at table \d: ply \d+: .*no idea"):
        OneSeat("dominoes", tables=2, opponent=f"{__name__}:Broken").reset()


def test_opponent_is_exchanged_at_once_for_a_policy_and_at_a_reset_for_an_agent():
    tables = OneSeat("dominoes", tables=4, seed=1, opponent="rule")
    seen = tables.reset()
    tables.opponent = first
    for _ in range(10):
        seen, _, _ = tables.step(first(seen))
    tables.opponent = "random"
    with pytest.raises(BadInput, match="random takes its seats at a reset"):
        tables.step(first(seen))
    fresh = OneSeat("dominoes", tables=4, seed=1, opponent="random")
    np.testing.assert_array_equal(tables.reset().features, fresh.reset().features)


def test_reset_with_a_seed_begins_with_the_deals_of_that_seed():
    tables, other = (OneSeat("dominoes", tables=4, seed=seed, opponent="random") for seed in (1, 2))
    first_of_one, first_of_two = tables.reset(), other.reset()
    assert (first_of_one.features != first_of_two.features).any()
    np.testing.assert_array_equal(tables.reset(seed=2).features, first_of_two.features)


def test_steps_at_some_tables_leave_the_others_alone():
    environment = Environment("dominoes", tables=4, seed=1)
    before = environment.reset().features.copy()
    which = np.array([1, 3])
    seen, rewards, done = environment.step_at(which, first(environment.reset())[which])
    changed = (seen.features != before).any(axis=1)
    assert changed.tolist() == [False, True, False, True] and rewards.shape == (2, 2) and done.shape == (2,)
