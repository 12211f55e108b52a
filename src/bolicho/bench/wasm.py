"""WebAssembly beside native code: random games, their final records and their speed, in one run."""

import base64
import json
import shutil
import subprocess
import tempfile
import time
from hashlib import sha256
from pathlib import Path
from statistics import median

import numpy as np

from bolicho.bench import Figure
from bolicho.bench.compiled.loops import play_at_random
from bolicho.errors import BadInput
from bolicho.games import game, game_names
from bolicho.games.game import Game
from bolicho.wasm import emit

GAMES = 100_000
TABLES = 1_000  # per call
ROUNDS = 3
PACKAGE = Path(emit.__file__).parent / "javascript"
WANTED = 1 / 3  # of the native speed


def bench() -> list[Figure]:
    """Play the same random games natively and in node."""
    figures = []
    for name in game_names():
        figures += _compared(game(name))
    return figures


def _compared(played: Game) -> list[Figure]:
    pool = np.frombuffer(bytearray(played.blank_bytes * TABLES), played.dtype)
    legal = np.zeros(played.num_actions, np.int16)
    door = emit.Door("play", play_at_random, (pool, np.uint64(0), legal))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "game.wasm")
        file.write_bytes(emit.module_of([door]))
        size = file.stat().st_size
        rounds = [(_native(played, legal), _in_node(played, file)) for _ in range(ROUNDS)]
    same = min(sum(a == b for a, b in zip(mine[1], theirs[1], strict=True)) for mine, theirs in rounds)
    share = median(theirs[0] / mine[0] for mine, theirs in rounds)
    native = median(mine[0] for mine, _ in rounds)
    return [
        Figure(f"{played.name}: games with the same final record", same * TABLES, f"of {GAMES:,}", float(GAMES)),
        Figure(f"{played.name}: speed in node beside native", share, "times", WANTED, note=f"{native:,.0f} choices/s"),
        Figure(f"{played.name}: module of random games", size / 1000, "kB"),
    ]


def _native(played: Game, legal: object) -> tuple[float, list[str]]:
    """Return choices per second, and a hash of the final records of every block."""
    hashes, steps, spent = [], 0, 0.0
    for first in range(0, GAMES, TABLES):
        pool = np.frombuffer(bytearray(played.blank_bytes * TABLES), played.dtype)
        start = time.perf_counter()
        count = play_at_random(pool, np.uint64(first), legal)
        if first:
            spent += time.perf_counter() - start
            steps += int(count)
        hashes.append(sha256(pool.tobytes()).hexdigest())
    return steps / spent, hashes


def _in_node(played: Game, file: Path) -> tuple[float, list[str]]:
    node = shutil.which("node")
    if node is None:
        raise BadInput("this bench needs node: install nodejs, version 20 or later")
    blank = base64.b64encode(played.blank_bytes).decode()
    facts = [PACKAGE, file, played.record_size, played.num_actions, GAMES, TABLES, blank]
    run = subprocess.run(
        [node, Path(__file__).with_suffix(".mjs"), *map(str, facts)], capture_output=True, text=True, check=True
    )
    told = json.loads(run.stdout)
    return told["rate"], told["hashes"]
