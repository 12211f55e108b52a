"""Balanced orders of opponents, also with dropouts."""

import random
from collections import Counter
from itertools import permutations

import pytest

from bolicho.web.study.latin_squares import balance, has_room, next_row, num_rows, sequence, square


@pytest.mark.parametrize("n", range(2, 9))
def test_positions_and_successions_of_opponents_are_balanced(n):
    rows = square(n)
    assert len(rows) == (n if n % 2 == 0 else 2 * n) and all(sorted(row) == list(range(n)) for row in rows)
    positions, successions = balance(rows, n)
    times = len(rows) // n
    assert positions == [[times] * n] * n
    assert successions == [[0 if one == other else times for other in range(n)] for one in range(n)]


def test_order_of_one_opponent():
    assert square(1) == [[0]] and sequence("williams", 1, 0) == [0]


def test_random_orders_are_all_permutations():
    assert {tuple(sequence("random", 4, row)) for row in range(num_rows("random", 4))} == set(permutations(range(4)))


def test_fixed_order_is_the_order_of_the_file():
    assert num_rows("fixed", 3) == 1 and sequence("fixed", 3, 0) == [0, 1, 2]


@pytest.mark.parametrize("n", [2, 3, 4, 5])
@pytest.mark.parametrize("seed", range(20))
def test_rows_are_balanced_in_the_end_with_dropouts_and_returns(n, seed):
    """Simulate arrivals, withdrawals, losses and returns until all places are held."""
    chance, rows = random.Random(seed), num_rows("williams", n)
    target = rows * chance.randint(1, 4)
    held, lost = [], []
    while len(held) < target or chance.random() < 0.5:
        what = chance.random()
        if what < 0.2 and held:
            held.remove(chance.choice(held))
        elif what < 0.3 and held:
            lost.append(held.pop(chance.randrange(len(held))))
        elif what < 0.5 and lost:
            row = lost.pop()
            if has_room("williams", n, held, target, row):
                held.append(row)
        elif (row := next_row("williams", n, held, target)) is not None:
            assert held.count(row) == min(held.count(other) for other in range(rows))
            held.append(row)
    while (row := next_row("williams", n, held, target)) is not None:
        held.append(row)
    assert Counter(held) == dict.fromkeys(range(rows), target // rows)


def test_a_full_study_has_no_row_left():
    assert next_row("williams", 4, [0, 1, 2, 3], 4) is None and next_row("random", 3, [5, 5], 2) is None
    assert not has_room("williams", 4, [0, 1, 2, 3], 4, 2) and not has_room("fixed", 4, [0, 0], 2, 0)
