"""Seal artifacts that were made without seals: `python -m bolicho.store.add_checksums FILE...`.

Arrays and facts stay unchanged.  The content is not checked, so use this only for files from a trusted source.
"""

import sys
from pathlib import Path

from safetensors import safe_open

from bolicho.files import atomic_path
from bolicho.store.artifact import ENDING, FACTS, save_artifact
from bolicho.store.parquet import read_unsealed, write_parquet
from bolicho.strict import read_json


def stamp(path: Path) -> None:
    """Seal one file, .safetensors or .parquet."""
    if path.suffix == ENDING:
        with safe_open(path, "numpy") as file:
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
            story = file.metadata()[FACTS]
        save_artifact(path, arrays, read_json(story))
        return
    columns, written = read_unsealed(path)
    with atomic_path(path) as beside:
        write_parquet(beside, columns, read_json(written))


if __name__ == "__main__":
    for name in sys.argv[1:]:
        stamp(Path(name))
