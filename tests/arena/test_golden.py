"""Bytes of small tournaments, so that a change that should leave results alone can show it.

A change of results is a line in the changelog, and new checksums:

    python -m tests.arena.test_golden > tests/arena/golden.json
"""

import hashlib
import json
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

import pytest

from bolicho.arena.experiment import Experiment
from bolicho.arena.run import run, run_shard
from bolicho.games import BUILT_IN
from tests.arena.players import HOME

STORED = Path(__file__).with_name("golden.json")
SHARDS = 2

TOURNAMENTS = {
    "scripted styles": Experiment("truco", ["balanced", "cautious", "bluffer", "random"], duplicates=30, seed=1),
    "learned agents of truco": Experiment(
        "truco",
        ["markov-plus", "markov", "mjs", "pvcnps", "cbr", "sarsa", "dqn-plus", "policy"],
        {"target": 12},
        duplicates=3,
        seed=2,
    ),
    "single hands by other rules": Experiment(
        "truco",
        ["balanced", "mcts(iterations=20)", "pimc-search(worlds=3, nodes=100)"],
        {"hands": 1, "envido_first": True, "envido_envido": True, "flor_points": 4},
        duplicates=20,
        seed=3,
    ),
    "agents in Python": Experiment("truco", ["balanced", f"{HOME}:First", f"{HOME}:Returns"], {},
                                   duplicates=10, seed=4, trust=True),
    "dominoes": Experiment("dominoes", ["rule", "sarsa", "cbr", "neural-plus", "random"], duplicates=10, seed=5),
    "fives": Experiment("fives", ["rule", "sarsa", "policy", "pimc(worlds=3)"], duplicates=6, seed=6),
    "wonders": Experiment("wonders", ["rules", "dqn-plus", "cbr", "random"], duplicates=4, seed=7),
}  # fmt: skip


def checksums(name: str, folder: Path) -> dict[str, str]:
    """Play a tournament in shards; return the checksums of its games and of its result without that of the code."""
    for number in range(SHARDS, 0, -1):
        run_shard(TOURNAMENTS[name], folder, number, SHARDS)
    finished = run(TOURNAMENTS[name], folder)
    result = json.dumps({key: value for key, value in finished.result.items() if key != "code"}).encode()
    files = {"games.parquet": (folder / "games.parquet").read_bytes(), "result.json without code": result}
    return {file: hashlib.sha256(data).hexdigest() for file, data in files.items()}


@pytest.mark.parametrize("name", TOURNAMENTS)
def test_tournament_has_the_stored_bytes(name, tmp_path):
    stored = json.loads(STORED.read_text())
    assert version("duckdb") == stored["duckdb"], "another version may write other bytes of the same games"
    assert checksums(name, tmp_path / "run") == stored["tournaments"][name]


def test_every_game_has_a_tournament():
    assert {experiment.game for experiment in TOURNAMENTS.values()} == set(BUILT_IN)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        found = {name: checksums(name, Path(folder, str(i))) for i, name in enumerate(TOURNAMENTS)}
    json.dump({"duckdb": version("duckdb"), "tournaments": found}, sys.stdout, indent=1)
    print()
