"""Dominoes: compiled play, exact solver, sampled worlds; beside the alpha-beta search of the package `dominoes`."""

import time
from collections.abc import Callable, Iterator
from statistics import median
from typing import Any

import numpy as np

from bolicho.agents.mirrored_games import meet
from bolicho.agents.search.agents import PIMC
from bolicho.agents.search.dominoes.solve import Memory, solve
from bolicho.agents.search.playout import play_out
from bolicho.bench import Figure, in_turns, peer, ratio
from bolicho.games import game
from bolicho.games.game import View
from bolicho.games.kind import Action

RANDOM_GAMES = 20_000
DEALS = 200
PEER_NODES = 1_000
DECIDED_GAMES = 10
WORLDS = 100

NAMES = {"dominoes": "draw", "fives": "fives"}


def compiled_games(name: str) -> Callable[[], int]:
    """Random rollouts of a deal in compiled code; counts games."""
    chosen = game(name)
    seeds = iter(range(10**12))
    return lambda: play_out(chosen, chosen.deal(seed := next(seeds)).pool, RANDOM_GAMES, seed).games


def solver_nodes(name: str) -> Callable[[], int]:
    """Whole deals solved from their first move; counts nodes."""
    chosen, memory = game(name), Memory()
    seeds = iter(range(10**12))
    return lambda: solve(chosen.deal(next(seeds)), every=False, memory=memory).nodes


class _Enough(Exception):
    pass


def peer_nodes() -> Callable[[], int]:
    """The alpha-beta search of the package `dominoes`, stopped after some nodes; counts them."""
    package = peer("dominoes")
    search = peer("dominoes.search")
    plain = search.alphabeta

    def work() -> int:
        nodes = 0

        def counted(*args: Any) -> Any:
            nonlocal nodes
            nodes += 1
            if nodes > PEER_NODES:
                raise _Enough
            return plain(*args)

        search.alphabeta = counted  # its recursive calls use this name
        try:
            counted(package.Game.new())
        except _Enough:
            pass
        finally:
            search.alphabeta = plain
        return min(nodes, PEER_NODES)

    return work


def seconds_a_deal(name: str) -> list[float]:
    """Return the time to solve each of some whole deals, from the first move."""
    chosen, memory = game(name), Memory()
    times = []
    for seed in range(DEALS + 1):
        table = chosen.deal(seed)
        start = time.perf_counter()
        solve(table, every=False, memory=memory)
        times.append(time.perf_counter() - start)
    return times[1:]


def seconds_a_decision(name: str) -> list[float]:
    """Return the times of PIMC's decisions between several actions, in games against itself."""
    times: list[float] = []

    class Timed(PIMC):
        def act(self, view: View, rng: np.random.Generator) -> Action:
            start = time.perf_counter()
            action = super().act(view, rng)
            if len(view.legal) > 1:
                times.append(time.perf_counter() - start)
            return action

    meet(game(name), [lambda: Timed(WORLDS, "exact")] * 2, DECIDED_GAMES // 2, seed=1)
    return times[1:]  # the first may have compiled


def bench() -> Iterator[Figure]:
    """Yield the figures of dominoes."""
    for name, wanted in {"dominoes": 1.0, "fives": 0.6}.items():
        (games,) = in_turns(compiled_games(name))
        yield Figure(
            f"{NAMES[name]}: compiled random playouts of a deal", median(games) / 1e6, "million games/s", wanted
        )
    draw, fives, theirs = in_turns(solver_nodes("dominoes"), solver_nodes("fives"), peer_nodes())
    yield Figure("draw: solver", median(draw) / 1e6, "million nodes/s", 3)
    yield Figure("fives: solver", median(fives) / 1e6, "million nodes/s", 2)
    yield Figure("alpha-beta of the package dominoes", median(theirs) / 1e3, "thousand nodes/s")
    yield Figure("draw: ratio of nodes to the package", ratio(draw, theirs), "times", 35)
    yield Figure("fives: ratio of nodes to the package", ratio(fives, theirs), "times", 35)
    for name, (middle, most) in {"dominoes": (2.0, 20.0), "fives": (6.0, 60.0)}.items():
        times = np.array(seconds_a_deal(name)) * 1e3
        deals = f"{NAMES[name]}: {DEALS} whole deals solved"
        yield Figure(f"{deals}, median", float(np.median(times)), "ms", middle, at_least=False)
        yield Figure(f"{deals}, 95%", float(np.quantile(times, 0.95)), "ms", most, at_least=False)
        yield Figure(f"{deals}, slowest", float(times.max()), "ms")
    for name, limit in {"dominoes": 80.0, "fives": None}.items():
        times = np.array(seconds_a_decision(name)) * 1e3
        what = f"{NAMES[name]}: PIMC of {WORLDS} worlds, mean decision"
        yield Figure(what, float(times.mean()), "ms", limit, at_least=False)
