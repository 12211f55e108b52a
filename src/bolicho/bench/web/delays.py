"""What the time an agent takes tells of its cards: `python -m bolicho.bench.web.delays`.

A seat's view is dealt again many times, so that the other seat holds other cards each time and the seat cannot tell;
then the agent at the other seat is asked what it does, several times over.  How much of the variation of its times goes
with its cards (the intraclass correlation: 0 nothing, 1 everything) is what somebody with a perfect clock could learn.
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
    """Seconds of an agent's answers: a row for each of the hands it may hold, as far as the other seat knows."""
    assert table.turn is not None
    watching = 1 - table.turn
    player = agent(spec, table.game)
    seconds = np.zeros((hands, times))
    tables = [table.view(watching).redeal(seed) for seed in range(hands)]
    for number in range(-1, times):  # the first round loads what is needed
        for hand, other in enumerate(tables):
            start = perf_counter()
            answer(other, player, number + 2)
            seconds[hand, number] = perf_counter() - start
    return seconds


def share_of_hands(seconds: NDArray[np.float64]) -> float:
    """The intraclass correlation of rows: the share of the variation that goes with the hand."""
    hands, times = seconds.shape
    between = times * seconds.mean(axis=1).var(ddof=1)
    within = ((seconds - seconds.mean(axis=1, keepdims=True)) ** 2).sum() / (hands * (times - 1))
    return float((between - within) / (between + (times - 1) * within))


def main(specs: list[str]) -> None:
    """One line an agent."""
    print("| agent | median | from 5% to 95% | share that goes with the hand |\n|---|--:|--:|--:|")
    for spec in specs:
        table = make_game("truco").deal(1)
        seconds = np.clip(found := delays(table, spec), None, np.quantile(found, 0.99))  # pauses of the machine
        low, middle, high = 1e6 * np.quantile(seconds, [0.05, 0.5, 0.95])
        print(f"| `{spec}` | {middle:.0f} µs | {low:.0f} to {high:.0f} µs | {share_of_hands(seconds):.2f} |")


if __name__ == "__main__":
    main(sys.argv[1:] or ["balanced", "markov", "mjs", "mcts(iterations=200)"])
