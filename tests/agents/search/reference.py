"""Reference implementations of the searches as plain recursion, which share only the rules with the compiled ones."""

from functools import cache
from math import inf

from bolicho.games.game import Table


def minimax(table: Table, seat: int) -> float:
    """Return the value of the position to `seat` of two when both play best."""
    if table.over:
        return table.payoffs[seat]
    values = [minimax(child, seat) for child in children(table)]
    return max(values) if table.turn == seat else min(values)


def action_values(table: Table) -> list[float]:
    """Return the minimax value of every legal action to the seat to act, in the order of their numbers."""
    return [minimax(child, table.turn) for child in children(table)]


def to_depth(table: Table, seat: int, depth: int, judge) -> float:
    """Return the minimax value with `judge(table, seat)` at the horizon."""
    if table.over:
        return table.payoffs[seat]
    if depth == 0:
        return judge(table, seat)
    values = [to_depth(child, seat, depth - 1, judge) for child in children(table)]
    return max(values) if table.turn == seat else min(values)


def pruned(table: Table, seat: int, depth: int, judge, visited: list, alpha=-inf, beta=inf) -> float:
    """Return the textbook alpha-beta value, without a table; append every position to `visited`."""
    if table.over:
        return table.payoffs[seat]
    if depth == 0:
        return judge(table, seat)
    best = -inf if table.turn == seat else inf
    for child in children(table):
        visited.append(child)
        value = pruned(child, seat, depth - 1, judge, visited, alpha, beta)
        if table.turn == seat:
            best = max(best, value)
            alpha = max(alpha, best)
        else:
            best = min(best, value)
            beta = min(beta, best)
        if alpha >= beta:
            break
    return best


def children(table: Table) -> list[Table]:
    out = []
    for action in table.legal:
        child = table.copy()
        child.play(action)
        out.append(child)
    return out


@cache
def coins_outcomes(row: tuple[int, ...], turn: int, seats: int, again: int) -> frozenset[tuple[int, ...]]:
    """Return the points that seats may still take from a row under best play; several on ties."""
    if not row:
        return frozenset([(0,) * seats])
    left, right = (after_taking(row, end, turn, seats, again) for end in (0, -1))
    best_left, best_right = ([gain(points, turn) for points in side] for side in (left, right))
    outcomes = set()
    if max(best_left) >= min(best_right):
        outcomes |= left
    if max(best_right) >= min(best_left):
        outcomes |= right
    return frozenset(outcomes)


def after_taking(row: tuple[int, ...], end: int, turn: int, seats: int, again: int) -> set[tuple[int, ...]]:
    """Return the outcomes for all seats when `turn` takes the coin at that end."""
    rest = row[1:] if end == 0 else row[:-1]
    after = turn if row[end] == again else (turn + 1) % seats
    taken = []
    for points in coins_outcomes(rest, after, seats, again):
        taken.append(tuple(got + row[end] * (seat == turn) for seat, got in enumerate(points)))
    return set(taken)


def gain(points, seat: int) -> float:
    """Return the payoff of a seat: its lead over the mean of the others."""
    others = sum(points) - points[seat]
    return points[seat] - others / (len(points) - 1)
