"""Trains what ships again, each by the command that stands in it, and says whether the same came out and what it took.

python benchmarks/again.py [--note] [NAME ...]

Without names everything is, which takes hours of one core.  `--note` keeps the curve, in which stands what it took,
beside the file that ships, where that came out again.
"""

import shlex
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import bolicho
from bolicho.agents.training import CURVE, beside, read_cost, train
from bolicho.cli.shell import read_rules
from bolicho.store.artifact import load_artifact
from bolicho.store.parquet import read_parquet

SHIPPED = Path(bolicho.__file__).parent / "artifacts"
ENDINGS = (".safetensors", ".parquet")


def content(path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """What a file holds: arrays or columns by name, and facts."""
    if path.suffix == ".parquet":
        columns, facts = read_parquet(path)
        return dict(columns), facts
    artifact = load_artifact(str(path))
    return dict(artifact.arrays), artifact.facts


def again(shipped: Path, folder: Path, note: bool) -> str:
    """Train it into a folder; in a line what came of it."""
    arrays, facts = content(shipped)
    _, _, agent, game, *options = shlex.split(facts["command"])
    at = options.index("--seed")
    out = folder / shipped.name
    train(f"{agent} {game}", out, int(options[at + 1]), read_rules(options[:at]), show=False)
    others, told = content(out)
    same = arrays.keys() == others.keys() and all(np.array_equal(arrays[key], others[key]) for key in arrays)
    differing = sorted(key for key in facts.keys() | told.keys() if facts.get(key) != told.get(key))
    if same and note:
        shutil.copy(beside(out, CURVE), beside(shipped, CURVE))
    found = "the same bytes" if out.read_bytes() == shipped.read_bytes() else "the same" if same else "SOMETHING ELSE"
    return f"{shipped.name}: {found}, {read_cost(out):.0f} CPU-seconds{'; other facts: ' if differing else ''}" + (
        ", ".join(f"{key} {told.get(key)!r}, not {facts.get(key)!r}" for key in differing)
    )


if __name__ == "__main__":
    wanted = [name for name in sys.argv[1:] if name != "--note"]
    with tempfile.TemporaryDirectory() as home:
        for path in sorted(SHIPPED.iterdir()):
            if path.suffix in ENDINGS and (not wanted or path.stem in wanted):
                print(again(path, Path(home), "--note" in sys.argv), flush=True)
