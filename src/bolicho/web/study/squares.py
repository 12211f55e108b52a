"""In which order a participant meets the opponents, so that neither position nor succession favours anybody.

A Williams square has every opponent at every position equally often, and every opponent right after every other
equally often: n rows where n is even, 2n where it is odd (Williams 1949).  A participant is given a row.

>>> for row in square(4):
...     print(*row)
0 1 3 2
1 2 0 3
2 3 1 0
3 0 2 1
"""

import secrets
from collections import Counter
from collections.abc import Sequence
from math import ceil, factorial

ORDERS = {
    "williams": "positions and successions balanced",
    "random": "every participant in an order of their own, drawn by lot",
    "fixed": "everybody in the order of the file",
}
MOST = 12  # opponents: so many orders still have a number each


def square(n: int) -> list[list[int]]:
    """The rows of a Williams square of n opponents."""
    first = [0]
    for step in range(1, n):
        first.append((step + 1) // 2 if step % 2 else n - step // 2)
    rows = [[(opponent + shift) % n for opponent in first] for shift in range(n)]
    return rows if n % 2 == 0 or n == 1 else rows + [row[::-1] for row in rows]


def num_rows(order: str, n: int) -> int:
    """How many sequences there are to be given out."""
    return {"williams": len(square(n)), "random": factorial(n), "fixed": 1}[order]


def sequence(order: str, n: int, row: int) -> list[int]:
    """The opponents of a row, in the order in which they are met."""
    if order == "williams":
        return square(n)[row]
    if order == "fixed":
        return list(range(n))
    left, found = list(range(n)), []
    for size in range(n, 0, -1):
        row, place = divmod(row, size)
        found.append(left.pop(place))
    return found


def next_row(order: str, n: int, held: Sequence[int], target: int) -> int | None:
    """The row for somebody new, where `held` are those of everybody who holds a place; None where all places are taken.

    The row with the fewest holders, by lot among several.  So when `target` is a multiple of the rows and all
    places are held, every row is held equally often, whoever has left on the way.
    """
    if len(held) >= target:
        return None
    rows = num_rows(order, n)
    if order == "random":
        return secrets.randbelow(rows)
    holders = Counter(held)
    fewest = min(holders[row] for row in range(rows))
    return secrets.choice([row for row in range(rows) if holders[row] == fewest])


def has_room(order: str, n: int, held: Sequence[int], target: int, row: int) -> bool:
    """Whether somebody who was taken to be lost may have their row back without anybody else's balance suffering."""
    most = target if order == "random" else ceil(target / num_rows(order, n))
    return len(held) < target and Counter(held)[row] < most


def balance(sequences: Sequence[Sequence[int | None]], n: int) -> tuple[list[list[int]], list[list[int]]]:
    """How often each opponent was met at each position, and how often right after each opponent; None: nobody was."""
    length = max(map(len, sequences), default=n)
    positions, successions = [[0] * length for _ in range(n)], [[0] * n for _ in range(n)]
    for met in sequences:
        for position, opponent in enumerate(met):
            if opponent is None:
                continue
            positions[opponent][position] += 1
            if position and (before := met[position - 1]) is not None:
                successions[opponent][before] += 1
    return positions, successions
