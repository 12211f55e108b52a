"""The vector environment: steps with features and masks at many tables, beside the PettingZoo interface."""

from collections.abc import Callable, Iterator
from statistics import median

import numpy as np

from bolicho.bench import Figure, in_turns, peer, ratio
from bolicho.games import game
from bolicho.games.tables import Tables
from bolicho.vector import Environment

TABLES = 1024
STEPS = 8  # at all tables, between reads of the clock
WANTED = {"truco": 60, "dominoes": 60, "fives": 60, "wonders": 30}


def many_tables(name: str) -> Callable[[], int]:
    """Steps with the first legal action at all tables; counts steps."""
    environment = Environment(name, TABLES, seed=1)
    seen = environment.reset()

    def work() -> int:
        nonlocal seen
        for _ in range(STEPS):
            seen, _, _ = environment.step(seen.masks.argmax(axis=1))
        return STEPS * TABLES

    return work


def pettingzoo(name: str) -> Callable[[], int]:
    """Steps of the same game through PettingZoo's interface, one table; counts steps."""
    peer("pettingzoo")
    from bolicho.pettingzoo import env

    environment = env(name)
    seeds = iter(range(10**12))
    environment.reset(seed=0)

    def work() -> int:
        for _ in range(64):
            observation, _, ended, cut, _ = environment.last()
            if ended or cut:
                environment.reset(seed=next(seeds))
            else:
                environment.step(int(observation["action_mask"].argmax()))
        return 64

    return work


def bench() -> Iterator[Figure]:
    """Yield the figures of the environment."""
    for name, wanted in WANTED.items():
        ours, theirs = in_turns(many_tables(name), pettingzoo(name))
        yield Figure(f"{name}, {TABLES:,} tables", median(ours) / 1e6, "million steps/s")
        yield Figure(f"{name}, PettingZoo", median(theirs) / 1e3, "thousand steps/s")
        yield Figure(f"{name}, ratio", ratio(ours, theirs), "times", wanted)
    tables = Tables(game("truco"), 10_000)
    size = sum(value.nbytes for value in vars(tables).values() if isinstance(value, np.ndarray))
    yield Figure("memory of 10,000 tables of Truco", size / 1e6, "MB")
