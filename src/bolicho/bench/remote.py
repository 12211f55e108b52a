"""Time per decision of a remote bot: `python -m bolicho.bench.remote examples/bots/bot.py`.

The bot is a Python file with `decide(view, luck)` that listens with `--listen PORT`; the same function is
called in this process, over the same deals.
"""

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from statistics import median
from typing import Any

from bolicho.agents.agent import Agent
from bolicho.agents.loop import Deal, play_deals
from bolicho.agents.mirrored_games import luck_of_seats
from bolicho.agents.player import luck_of
from bolicho.agents.remote.agent import Remote
from bolicho.errors import BadInput
from bolicho.games import game
from bolicho.games.game import View

ROUNDS = 5
GAMES = {"truco": 16, "dominoes": 32, "wonders": 8}  # games per round


class LocalBot(Agent):
    """Agent that calls the bot's function in this process."""

    def __init__(self, decide: Callable[[dict[str, Any], str], str]) -> None:
        self.decide = decide

    def act(self, view: View, rng: Any) -> str:
        return self.decide(view.data(), f"{int(luck_of(rng)):016x}")


@contextmanager
def listening(file: Path) -> Iterator[str]:
    """Start a bot in a child process, and yield its address."""
    command = [sys.executable, str(file), "--listen", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield process.stdout.readline().split()[-1]
        finally:
            process.terminate()


def microseconds(name: str, make: Callable[[], Agent], tables: int) -> float:
    """Return the wall-clock time per decision, with all overhead, of an agent against itself."""
    chosen = game(name)
    deals = [Deal(seed, [0] * chosen.seats, luck_of_seats(seed, chosen.seats)) for seed in range(GAMES[name])]
    spent = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        outcomes = list(play_deals(chosen, [make], deals, tables=tables))
        if broken := [outcome.forfeit for outcome in outcomes if outcome.forfeit]:
            raise BadInput(f"the bot broke: {broken[0][1]}")
        spent.append((time.perf_counter() - start) / sum(sum(outcome.decisions) for outcome in outcomes))
    return 1e6 * median(spent)


def main(file: str) -> None:
    """Print the times as a table."""
    found = spec_from_file_location("bot", file)
    assert found is not None and found.loader is not None
    module = module_from_spec(found)
    found.loader.exec_module(module)
    print("| game | in process | remote, one table | remote, 64 tables |")
    print("|---|--:|--:|--:|")
    with listening(Path(file)) as url:
        for name in GAMES:
            times = [
                microseconds(name, lambda: LocalBot(module.decide), 1),
                microseconds(name, lambda: Remote(url), 1),
                microseconds(name, lambda: Remote(url), 64),
            ]
            print(f"| {name} | " + " | ".join(f"{one:.0f} µs" for one in times) + " |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
