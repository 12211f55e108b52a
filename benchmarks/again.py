"""Reproduce the shipped artifacts: train each by its stored command, compare the results, and measure the cost.

python benchmarks/again.py [--note] [NAME ...]

Without names all artifacts are trained, which takes hours of one core.  For reproduced artifacts, `--note` copies the
training curve, which holds the cost, beside the shipped file.
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
    """Return the content of a file: arrays or columns by name, and facts."""
    if path.suffix == ".parquet":
        columns, facts = read_parquet(path)
        return dict(columns), facts
    artifact = load_artifact(str(path))
    return dict(artifact.arrays), artifact.facts


def again(shipped: Path, folder: Path, note: bool) -> str:
    """Train an artifact into a folder; return a line with the comparison."""
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
