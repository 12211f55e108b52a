from collections import Counter
from math import comb

from hypothesis import given, settings
from hypothesis import strategies as st

from bolicho.agents.mirrored_games import deal_seed, rotated
from bolicho.arena.pairing import LONGEST_TASK, pairings, tasks


def test_two_seats_are_a_round_robin():
    assert pairings(4, 2) == [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]


def test_many_seats_are_all_combinations():
    assert len(pairings(7, 3)) == comb(7, 3)
    assert pairings(3, 3) == [(0, 1, 2)]


def test_too_few_agents_fill_all_seats_and_all_of_them_play():
    assert pairings(1, 2) == [(0, 0)]
    assert pairings(2, 3) == [(0, 0, 1), (0, 1, 1)]
    assert len(pairings(3, 7)) == comb(6, 2)  # ways to write 7 as a sum of three positive numbers


@settings(deadline=None)
@given(st.integers(1, 8), st.integers(2, 7))
def test_all_agents_play_equally_often(agents, seats):
    counts = Counter(agent for pairing in pairings(agents, seats) for agent in pairing)
    assert set(counts) == set(range(agents))
    assert len(set(counts.values())) == 1


@settings(deadline=None)
@given(st.integers(2, 7))
def test_rotations_put_every_player_in_every_seat_once_and_keep_their_order(seats):
    tables = [rotated(range(seats), rotation) for rotation in range(seats)]
    assert tables[0] == list(range(seats))
    for seat in range(seats):
        assert sorted(table[seat] for table in tables) == list(range(seats))
    for table in tables:
        assert all((table[(i + 1) % seats] - table[i]) % seats == 1 for i in range(seats))


def test_two_players_exchange_their_seats():
    assert rotated("ab", 1) == ["b", "a"]


def test_deals_of_a_run_differ_and_depend_on_its_seed():
    seeds = [deal_seed(run, deal) for run in range(20) for deal in range(200)]
    assert len(set(seeds)) == len(seeds)
    assert all(0 <= seed < 2**64 for seed in seeds)
    assert max(seeds) > 2**63  # all 64 bits are used


@settings(deadline=None)
@given(st.integers(1, 300), st.integers(1, 500))
def test_tasks_hold_every_deal_of_every_pairing_once_in_order(number, duplicates):
    work = tasks(number, duplicates)
    done = [(task.pairing, deal) for task in work for deal in range(task.first, task.first + task.deals)]
    assert done == [(pairing, deal) for pairing in range(number) for deal in range(duplicates)]
    assert max(task.deals for task in work) <= LONGEST_TASK
    names = [task.name for task in work]
    assert names == sorted(set(names))
