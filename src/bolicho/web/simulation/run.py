"""Run simulations by seed, and report failures."""

import logging
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from random import Random
from unittest.mock import patch

from bolicho.web.simulation.invariants import Violation
from bolicho.web.simulation.servers import seeded_secrets, warm
from bolicho.web.simulation.world import World

STEPS = 1500
"""Steps of the loop with faults; more steps follow until all matches are over."""


@dataclass(frozen=True)
class SeedResult:
    """Result of one seed."""

    seed: int
    failure: str | None  # the violation
    trace: str  # hash of the trace
    steps: int
    moves: int  # checked
    messages: int  # checked
    seconds: float  # simulated
    faults: Counter[str] = field(default_factory=Counter)
    ends: Counter[str] = field(default_factory=Counter)  # matches, by kind of end


def simulate(seed: int, steps: int = STEPS, tell: Callable[[str], None] | None = None) -> SeedResult:
    """Run one seed; `tell` receives each line of the trace."""
    logging.getLogger("bolicho.web").setLevel(logging.CRITICAL)
    failure: str | None = None
    with patch.multiple("secrets", **seeded_secrets(Random(f"{seed} secrets"))):
        world = World(seed, tell)
        try:
            world.run(steps)
        except Violation as violation:
            failure = str(violation)
            world.trace("violation", failure)
        finally:
            trace = world.close()
    ledger, loop = world.ledger, world.loop
    counts = (world.steps, ledger.checked, world.messages, loop.time(), world.faults.counts, ledger.ends)
    return SeedResult(seed, failure, trace, *counts)


def simulate_many(seeds: Iterable[int], steps: int = STEPS) -> Iterator[SeedResult]:
    """Run seeds one after the other."""
    warm()
    for seed in seeds:
        yield simulate(seed, steps)
