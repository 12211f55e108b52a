"""Artifacts: what was learned, in one safetensors file with the story of its making inside.

An artifact is arrays by name and a few facts (JSON): the game it is for, what it is, and the
command, seed and version that made it.  Shipped ones stand in the package; `BOLICHO_ARTIFACTS`
names a folder that is looked into first.
"""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save as to_bytes

from bolicho.errors import BadInput, unknown
from bolicho.files import write_bytes_atomic

ENDING = ".safetensors"
SHIPPED = Path(__file__).parent.parent / "artifacts"
FACTS = "bolicho"  # the one key of the file's metadata, which are texts only

Arrays = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class Artifact:
    """Arrays by name, the facts of their making, and where they come from."""

    arrays: Arrays
    facts: dict[str, Any]
    path: Path


def artifact_path(name: str) -> Path:
    """The file of an artifact: of that name, or at that path."""
    if name.endswith(ENDING) or "/" in name or os.sep in name:
        return Path(name)
    folders = [Path(own) for own in [os.environ.get("BOLICHO_ARTIFACTS")] if own] + [SHIPPED]
    for folder in folders:
        if (path := folder / (name + ENDING)).exists():
            return path
    known = {path.name.removesuffix(ENDING) for folder in folders for path in folder.glob("*" + ENDING)}
    raise unknown("artifact", name, known)


def save_artifact(path: Path | str, arrays: Mapping[str, NDArray[Any]], facts: Mapping[str, Any]) -> None:
    """Write an artifact in one piece."""
    whole = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    text = json.dumps(dict(facts), sort_keys=True, ensure_ascii=False)
    write_bytes_atomic(path, to_bytes(whole, {FACTS: text}))


def load_artifact(name: str, *, game: str | None = None, kind: str | None = None) -> Artifact:
    """Read an artifact by name or path, and check that it is one of that game and kind."""
    path = artifact_path(name)
    try:
        with safe_open(path, "numpy") as file:
            metadata = file.metadata() or {}
            arrays = {key: file.get_tensor(key) for key in file.keys()}  # noqa: SIM118
    except FileNotFoundError:
        raise BadInput(f"there is no artifact {path}") from None
    except (SafetensorError, OSError) as problem:
        raise BadInput(f"{path} is no whole safetensors file ({problem}); train it again or fetch it anew") from None
    try:
        facts = json.loads(metadata[FACTS])
    except (KeyError, ValueError):
        raise BadInput(f"{path} was not made by bolicho: it does not say what it is") from None
    for word, wanted in (("game", game), ("kind", kind)):
        if wanted is not None and facts.get(word) != wanted:
            raise BadInput(f"{path} has {word} {facts.get(word)!r}; {wanted!r} is wanted here")
    return Artifact(arrays, facts, path)
