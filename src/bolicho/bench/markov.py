"""The Markov agents: decisions, matches in the arena, self-play as published, memory and disk space."""

import time
from collections.abc import Iterator
from statistics import median

from bolicho.agents.markov.compiled.hand import MEMORY
from bolicho.agents.markov.layout import BLOCK_SIZE, PLAYER_STATE
from bolicho.agents.markov.options import SHIPPED
from bolicho.agents.markov.train import AS_PLUS, AS_PUBLISHED, MATCHES, SNAPSHOTS, TrainingParameters, evolution
from bolicho.agents.mirrored_games import meet
from bolicho.bench import ROUNDS, Figure
from bolicho.bench.decisions import microseconds_a_decision
from bolicho.games import game
from bolicho.store.artifact import artifact_path

GAMES = 100  # matches per round, for the time of a decision
DEALS = 800  # each from both seats, for matches in the arena
COUNT_SIZE = 4  # bytes
PUBLISHED_HOURS = 150.0  # for the same self-play (Rossato 2020, section 5.3: 6 hours for 200 matches)


def decision(name: str) -> float:
    """Return the microseconds per decision: the median over a few rounds of whole matches."""
    microseconds_a_decision("truco", name, range(2))  # compile, load
    return median(microseconds_a_decision("truco", name, range(i * GAMES, (i + 1) * GAMES)) for i in range(ROUNDS))


def arena(one: str, other: str) -> float:
    """Return matches per second of processor time, at many tables: the median over a few rounds."""
    truco, speeds = game("truco"), []
    meet(truco, [one, other], 2, 1)  # compile, load
    for number in range(ROUNDS):
        start = time.process_time()
        meet(truco, [one, other], DEALS, 1, first=number * DEALS)
        speeds.append(truco.seats * DEALS / (time.process_time() - start))
    return median(speeds)


def self_play(recipe: TrainingParameters, seed: int = 1) -> float:
    """Return seconds of processor time for the published self-play: 5,000 matches, 25 snapshots."""
    next(evolution(1, 1, seed, recipe))  # compile
    start = time.process_time()
    for _ in evolution(MATCHES, SNAPSHOTS, seed, recipe):
        pass
    return time.process_time() - start


def bench() -> Iterator[Figure]:
    """Yield the figures of the Markov agents."""
    for name in SHIPPED:
        yield Figure(f"a decision of {name}", decision(name), "µs", 20, at_least=False)
    for one, other in (("markov", "balanced"), ("markov-plus", "balanced"), ("markov", "markov-plus")):
        yield Figure(f"{one} against {other}, matches a second", arena(one, other), "1/s")
    seconds = self_play(AS_PUBLISHED)
    yield Figure("5,000 matches of self-play, one core", seconds, "s", 180, at_least=False)
    yield Figure("the same against the published time", PUBLISHED_HOURS * 3600 / seconds, "times")
    yield Figure("5,000 matches of markov-plus's training", self_play(AS_PLUS), "s")
    yield Figure("all matrices in memory", COUNT_SIZE * BLOCK_SIZE / 1e6, "MB", 3, at_least=False)
    yield Figure("a whole player in memory", PLAYER_STATE.itemsize / 1e6, "MB", 3, at_least=False)
    yield Figure("what it remembers at a table", MEMORY.itemsize / 1e3, "kB")
    for name in SHIPPED:
        size = artifact_path(f"{name}-truco").stat().st_size / 1000
        yield Figure(f"{name} on disk", size, "kB", 300, at_least=False)
