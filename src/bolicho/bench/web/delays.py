"""Timing side channel: information on an agent's cards in its response time: `python -m bolicho.bench.web.delays`.

The benchmark redeals a seat's view many times, so that the other seat holds different cards in the same information
set, and measures several decisions of the agent at the other seat for each deal.  The intraclass correlation, the
share of the variance of times that its cards explain (0 to 1), bounds the information for an observer with a perfect
clock.
"""

import sys
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from bolicho.agents.play import answer
from bolicho.agents.registry import agent
from bolicho.games import game as make_game
from bolicho.games.game import Table

HANDS, TIMES = 100, 10


def delays(table: Table, spec: str, hands: int = HANDS, times: int = TIMES) -> NDArray[np.float64]:
    """Return the seconds of an agent's decisions: a row for each of some hands that are possible for the other seat."""
    assert table.turn is not None
    watching = 1 - table.turn
    player = agent(spec, table.game)
    seconds = np.zeros((hands, times))
    tables = [table.view(watching).redeal(seed) for seed in range(hands)]
    for number in range(-1, times):  # the first round loads and compiles
        for hand, other in enumerate(tables):
            start = perf_counter()
            answer(other, player, number + 2)
            seconds[hand, number] = perf_counter() - start
    return seconds


def share_of_hands(seconds: NDArray[np.float64]) -> float:
    """Return the intraclass correlation of rows: the share of the variance that the hand explains."""
    hands, times = seconds.shape
    between = times * seconds.mean(axis=1).var(ddof=1)
    within = ((seconds - seconds.mean(axis=1, keepdims=True)) ** 2).sum() / (hands * (times - 1))
    return float((between - within) / (between + (times - 1) * within))


def main(specs: list[str]) -> None:
    """Print one line per agent."""
    print("| agent | median | from 5% to 95% | share that goes with the hand |\n|---|--:|--:|--:|")
    for spec in specs:
        table = make_game("truco").deal(1)
        seconds = np.clip(found := delays(table, spec), None, np.quantile(found, 0.99))  # clip pauses of the machine
        low, middle, high = 1e6 * np.quantile(seconds, [0.05, 0.5, 0.95])
        print(f"| `{spec}` | {middle:.0f} µs | {low:.0f} to {high:.0f} µs | {share_of_hands(seconds):.2f} |")


if __name__ == "__main__":
    main(sys.argv[1:] or ["balanced", "markov", "mjs", "mcts(iterations=200)"])
