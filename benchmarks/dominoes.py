"""How fast dominoes is played, redealt and solved.  `python -m benchmarks.dominoes` prints one JSON object.

Machines are shared and noisy: short slices are measured many times and the fastest counts, but for quantiles over
deals, which are what they are.
"""

import json
import time
from collections.abc import Callable
from itertools import islice
from typing import Any

import numpy as np

import bolicho
from bolicho.agents.search.dominoes.solve import Memory, sample, solve
from bolicho.bench.play import random_games
from bolicho.games import calls
from bolicho.games.game import Table

GAMES = ("dominoes", "fives")
SLICES = 60


def fastest(work: Callable[[], int]) -> float:
    """How much of `work` (which returns how much it did) is done a second, in the fastest slice."""
    work()
    best = 0.0
    for _ in range(SLICES):
        start = time.perf_counter()
        done = work()
        best = max(best, done / (time.perf_counter() - start))
    return best


def positions(name: str, games: int, seed: int = 0) -> list[Table]:
    """Positions of random games, one a ply."""
    rng = np.random.default_rng(seed)
    found = []
    for deal in range(games):
        table = bolicho.game(name).deal(deal)
        while not table.over:
            found.append(table.copy())
            table.play(table.legal[int(rng.random() * len(table.legal))])
    return found


def random_play() -> dict[str, float]:
    """Whole random games a second on one core, compiled."""
    rates = {}
    for name in GAMES:
        pool = bolicho.game(name).deal(0).pool
        rates[name] = fastest(lambda pool=pool: random_games(pool, 2000, np.uint64(1))[0])
    return rates


def redeals() -> dict[str, float]:
    """Microseconds of a redeal, over the positions of random games, for the seat to move."""
    times = {}
    for name in GAMES:
        views = [table.view() for table in positions(name, 30)]
        worlds = np.zeros(20, views[0].pool.dtype)

        def work(views: list[Any] = views, worlds: Any = worlds) -> int:
            for view in views:
                calls.redeals(view.pool, view.seat, np.uint64(7), worlds)
            return len(views) * len(worlds)

        times[name] = 1e6 / fastest(work)
    return times


def whole_deals(deals: int = 200) -> dict[str, dict[str, float]]:
    """Milliseconds to solve a deal from its first move, and nodes a second."""
    found = {}
    for name in GAMES:
        memory = Memory()
        solve(bolicho.game(name).deal(deals), memory=memory)  # compiles, and touches the memory
        times, nodes = [], 0
        for seed in range(deals):
            table = bolicho.game(name).deal(seed)
            start = time.perf_counter()
            nodes += solve(table, memory=memory, every=False).nodes
            times.append(time.perf_counter() - start)
        median, late = np.quantile(times, [0.5, 0.95]) * 1000
        found[name] = {"median_ms": median, "95%_ms": late, "nodes_a_second": nodes / sum(times)}
    return found


def decisions(worlds: int = 100, count: int = 40) -> dict[str, float]:
    """Mean milliseconds of a decision over sampled worlds, at the moves of random games that are a choice."""
    found = {}
    for name in GAMES:
        choices = (table.view() for table in positions(name, 20, 1) if len(table.legal) > 1)
        views = list(islice(choices, count))
        sample(views[0], worlds, 1)
        start = time.perf_counter()
        for seed, view in enumerate(views):
            sample(view, worlds, seed)
        found[name] = (time.perf_counter() - start) / len(views) * 1000
    return found


def peer_nodes(seconds: float = 3.0) -> float:
    """Nodes a second of the alpha-beta search of the package `dominoes`, on whole deals of its own game."""
    import dominoes

    count = 0
    deadline = time.perf_counter() + seconds

    class Enough(Exception):
        pass

    def counting(game: Any) -> None:
        nonlocal count
        count += 1
        if time.perf_counter() > deadline:
            raise Enough

    start = time.perf_counter()
    try:
        while True:
            dominoes.search.alphabeta(dominoes.Game.new(), player=counting)
    except Enough:
        return count / (time.perf_counter() - start)


def main() -> None:
    figures = {
        "random games a second": random_play(),
        "microseconds of a redeal": redeals(),
        "whole deals": whole_deals(),
        "milliseconds of a decision with 100 worlds": decisions(),
        "nodes a second of the package dominoes": peer_nodes(),
    }
    print(json.dumps(figures, indent=2))


if __name__ == "__main__":
    main()
