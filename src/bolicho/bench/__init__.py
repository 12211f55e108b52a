"""Benchmarks: speed, as ratios to a peer measured in the same run.

Machines are shared and noisy, so Bolicho and the peer take turns for a few rounds and the ratio is
the median over the rounds.  Nothing here is a test.
"""

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib import import_module
from statistics import median
from typing import Any

from bolicho.errors import BadInput, unknown
from bolicho.machine import machine

ROUNDS = 5
SECONDS = 0.5

BENCHES = {
    "arena": "bolicho.bench.arena:bench",
    "cbr": "bolicho.bench.cbr:bench",
    "cfr": "bolicho.bench.cfr:bench",
    "cold": "bolicho.bench.cold:bench",
    "dominoes": "bolicho.bench.dominoes:bench",
    "markov": "bolicho.bench.markov:bench",
    "truco": "bolicho.bench.truco:bench",
    "vector": "bolicho.bench.vector:bench",
    "wasm": "bolicho.bench.wasm:bench",
    "web": "bolicho.bench.web:bench",
    "wonders": "bolicho.bench.wonders:bench",
}
"""Benches by name, as module:function."""


@dataclass(frozen=True)
class Figure:
    """One measured figure, with its target."""

    name: str
    value: float
    unit: str
    wanted: float | None = None
    at_least: bool = True
    note: str = ""

    @property
    def reached(self) -> bool | None:
        """True if the target is reached; None without a target."""
        if self.wanted is None:
            return None
        return self.value >= self.wanted if self.at_least else self.value <= self.wanted


Clock = Callable[[], float]


def rate(work: Callable[[], int], seconds: float = SECONDS, clock: Clock = time.perf_counter) -> float:
    """Return the units of `work` per second of the clock; `work` returns the number of units of one call."""
    done, start = 0, clock()
    while (spent := clock() - start) < seconds:
        done += work()
    return done / spent


def in_turns(*works: Callable[[], int], rounds: int = ROUNDS, clock: Clock = time.perf_counter) -> list[list[float]]:
    """Measure the rates of several works in turns; return a list of rates for each."""
    for work in works:
        work()  # compile, warm up
    measured = [[rate(work, clock=clock) for work in works] for _ in range(rounds)]
    return [list(rates) for rates in zip(*measured, strict=True)]


def ratio(ours: list[float], theirs: list[float]) -> float:
    """Return the median ratio over the rounds."""
    return median(a / b for a, b in zip(ours, theirs, strict=True))


def peer(module: str) -> Any:
    """Import a library of the comparison; it is in the extra `bench`."""
    try:
        return import_module(module)
    except ImportError:
        raise BadInput(f"the peer {module!r} is not installed; pip install 'bolicho[bench]'") from None


def run(names: list[str] | None = None, say: Callable[[str], None] = lambda _: None) -> dict[str, list[Figure]]:
    """Measure the named benches (all by default)."""
    for name in names or []:
        if name not in BENCHES:
            raise unknown("bench", name, BENCHES)
    results = {}
    for name in names or BENCHES:
        say(name)
        module, attribute = BENCHES[name].split(":")
        results[name] = list(getattr(import_module(module), attribute)())
    return results


def as_json(results: dict[str, list[Figure]]) -> dict[str, Any]:
    """Return the figures as JSON."""
    return {
        "machine": machine(),
        "figures": {
            name: [{**asdict(figure), "reached": figure.reached} for figure in figures]
            for name, figures in results.items()
        },
    }
