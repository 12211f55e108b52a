"""First game with an empty compile cache, beside the second: processor time of one process each."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from bolicho.bench import Figure

GAMES = {
    "truco balanced bluffer": 12.3,
    "dominoes rule random": 7.0,
    "fives rule random": 6.7,
    "wonders rules random random": 21.5,
    "wonders rules neural random": 37.8,
}
"""Arguments of `bolicho play`, and targets in seconds: half the times when Numba optimised each function separately."""

PLAY = "import sys; from bolicho.cli import main; sys.argv[0] = 'bolicho'; main()"


def seconds_of_a_game(played: str, cache: Path) -> float:
    """Return the processor time of a process that plays one game, with `cache` as the compile cache."""
    environment = {**os.environ, "BOLICHO_QUIET": "1", "NUMBA_CACHE_DIR": str(cache)}
    command = [sys.executable, "-c", PLAY, "play", *played.split(), "--seed", "1"]
    before = os.times()
    subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def bench() -> Iterator[Figure]:
    """Yield the time of each first game, in seconds and as a ratio to the second, which uses the compile cache."""
    for played, wanted in GAMES.items():
        with tempfile.TemporaryDirectory() as cache:
            first, second = (seconds_of_a_game(played, Path(cache)) for _ in range(2))
        yield Figure(f"{played}: first game", first, "s", wanted, at_least=False)
        yield Figure(f"{played}: ratio to the second", first / second, "times")
