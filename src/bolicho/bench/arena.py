"""Tournaments: speed of the loop by number of tables, and the cost of a separate process for a Python agent."""

import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import median

from bolicho.agents.agent import Agent
from bolicho.agents.loop import Deal, play_deals
from bolicho.agents.mirrored_games import deal_seed, in_rotation
from bolicho.agents.registry import recipe
from bolicho.agents.seated import ExternalAgent
from bolicho.arena import subprocess_agent
from bolicho.arena.experiment import Experiment
from bolicho.arena.run import run
from bolicho.bench import Figure, ratio
from bolicho.games import game
from bolicho.games.game import View

STYLES = "balanced", "cautious"
PERSON = "bolicho.bench.arena:Strongest"
ROUNDS = 5


class Strongest(Agent):
    """A typical Python agent: plays its strongest card and accepts every raise."""

    games = ("truco",)

    def act(self, view: View, rng: object) -> str:
        if "quero" in view.legal:
            return "quero"
        cards = [action for action in view.legal if view.strength(action) < NO_CARD]  # type: ignore[attr-defined]
        return max(cards or view.legal, key=view.strength)  # type: ignore[attr-defined]


NO_CARD = 15  # `strength` is this or more for an action that is no card


def deals(count: int) -> list[Deal]:
    """Return games, each deal from both seats."""
    return [in_rotation(2, k % 2, deal_seed(1, k // 2), k // 2) for k in range(count)]


def games_per_second(players: Sequence[Callable[[], Agent] | ExternalAgent], count: int, tables: int) -> float:
    """Return games of Truco per second of processor time, including that of agents' child processes."""
    elsewhere = [player.process for player in players if isinstance(player, subprocess_agent.SubprocessAgent)]
    before = sum(process.worked() for process in elsewhere)
    start = time.process_time()
    wanted = deals(count)
    done = sum(1 for _ in play_deals(game("truco"), players, wanted, tables=tables, oracles=[False] * 2, move_limit=30))
    spent = time.process_time() - start + sum(process.worked() for process in elsewhere) - before
    return done / spent


def tournament(duplicates: int) -> float:
    """Return games per second of processor time of a whole tournament, with its files."""
    with tempfile.TemporaryDirectory() as folder:
        start = time.process_time()
        run(Experiment("truco", STYLES, duplicates=duplicates), Path(folder, "run"))
        return 2 * duplicates / (time.process_time() - start)


def bench() -> Iterator[Figure]:
    """Yield the figures of the arena."""
    chosen = game("truco")
    styles = [recipe(style, "truco").maker(chosen) for style in STYLES]
    for tables in (1, 64, 256):
        games_per_second(styles, 64, tables)
        rates = [games_per_second(styles, 64 if tables == 1 else 2048, tables) for _ in range(ROUNDS)]
        yield Figure(f"two scripted styles, {tables} tables", median(rates), "games/CPU-s")
    tournament(10)
    yield Figure("a tournament of them, 4,000 games, all written", tournament(2_000), "games/CPU-s")
    yield Figure("a tournament of them, 20,000 games, all written", tournament(10_000), "games/CPU-s", 7_000)
    process = subprocess_agent.Process(chosen, PERSON, 30.0)
    here, there = recipe(PERSON, "truco").maker(chosen), subprocess_agent.SubprocessAgent(process, learns=False)
    try:
        for player in (here, there):
            games_per_second([styles[0], player], 64, 64)
        pairs = [[games_per_second([styles[0], player], 512, 64) for player in (here, there)] for _ in range(ROUNDS)]
    finally:
        process.end()
    inside, outside = ([pair[k] for pair in pairs] for k in (0, 1))
    yield Figure("a Python agent in-process, 64 tables", median(inside), "games/CPU-s")
    yield Figure("a Python agent in its own process, 64 tables", median(outside), "games/CPU-s")
    yield Figure("own process, ratio", ratio(outside, inside), "times", 0.5)
    subprocess_agent.end_all()
    for name in ("start of the first process, with its fork server", "start of another process"):
        start = time.perf_counter()
        process.start()
        yield Figure(name, time.perf_counter() - start, "s")
        process.end()
    subprocess_agent.end_all()
