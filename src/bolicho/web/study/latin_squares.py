"""Orders of opponents that balance positions and successions.

A Williams square has every opponent at every position equally often, and every opponent right after every other
equally often: n rows if n is even, 2n if it is odd (Williams 1949).  Each participant gets a row.

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
    "random": "a random order for each participant",
    "fixed": "the order of the file for all participants",
}
MOST = 12  # most opponents: 12! orders can still be numbered


def square(n: int) -> list[list[int]]:
    """Return the rows of a Williams square of n opponents."""
    first = [0]
    for step in range(1, n):
        first.append((step + 1) // 2 if step % 2 else n - step // 2)
    rows = [[(opponent + shift) % n for opponent in first] for shift in range(n)]
    return rows if n % 2 == 0 or n == 1 else rows + [row[::-1] for row in rows]


def num_rows(order: str, n: int) -> int:
    """Return the number of different sequences."""
    return {"williams": len(square(n)), "random": factorial(n), "fixed": 1}[order]


def sequence(order: str, n: int, row: int) -> list[int]:
    """Return the opponents of a row, in order."""
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
    """Return the row of a new participant, given the rows `held` by others; None if all places are taken.

    It is a row with the fewest holders, drawn if there are several.  So when `target` is a multiple of the number of
    rows and all places are held, every row is held equally often, even after participants left.
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
    """Return whether a lost participant may continue with the same row without disturbing the balance."""
    most = target if order == "random" else ceil(target / num_rows(order, n))
    return len(held) < target and Counter(held)[row] < most


def balance(sequences: Sequence[Sequence[int | None]], n: int) -> tuple[list[list[int]], list[list[int]]]:
    """Count each opponent's positions, and its predecessors; None stands for a match that was not played."""
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
