"""Artifacts: learned arrays and the facts of their training, in one safetensors file.

An artifact holds arrays by name and facts (JSON): its game, its kind, and the command, seed and version that made it.
A checksum among the facts seals the file (see `checksum`), and a changed file is refused.  An agent finds its
artifact by the name AGENT-GAME (`artifact_folders`).
"""

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load as from_bytes
from safetensors.numpy import save as to_bytes

from bolicho.errors import BadInput, unknown
from bolicho.files import read_bytes, write_bytes_atomic
from bolicho.formats import ARTIFACT, check_format
from bolicho.store.checksum import BLANK, damage, seal
from bolicho.strict import read_json

ENDING = ".safetensors"
SHIPPED = Path(__file__).parent.parent / "artifacts"
FACTS = "bolicho"  # the only key of the file's metadata, whose values are texts
SEAL = "seal"  # key of the checksum among the facts

Arrays = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class Artifact:
    """Arrays by name, the facts of their training, and their file."""

    arrays: Arrays
    facts: dict[str, Any]
    path: Path


_GAMES = "truco|dominoes|fives|wonders"
_RENAMED = (
    (rf"({_GAMES})-((?:dqn|neural)(?:-plus)?)", r"\2-\1"),
    (rf"sarsa-({_GAMES})-open", r"sarsa-open-\1"),
    (r"(markov(?:-plus)?|cbr-baseline|cbr-learned|cbr-published)", r"\1-truco"),
    (r"cfr-truco-scores", "cfr-scores-truco"),
    (r"wonders-plays", "neural-plays-wonders"),
)


def renamed(name: str) -> str:
    """Return the name of an artifact, AGENT-GAME, by the name that it had in version 0.3; any other name as it is."""
    return next((re.sub(old, new, name) for old, new in _RENAMED if re.fullmatch(old, name)), name)


def artifact_folders() -> list[Path]:
    """Return the folders in which artifacts are looked for, in this order.

    `BOLICHO_ARTIFACTS`, `artifacts` in the current folder, the user's data folder, the artifacts that ship.
    """
    own = [Path(given) for given in [os.environ.get("BOLICHO_ARTIFACTS")] if given]
    data = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    return [*own, Path("artifacts"), data / "bolicho" / "artifacts", SHIPPED]


def artifact_path(name: str, ending: str = ENDING, what: str = "artifact") -> Path:
    """Return the file of an artifact by name, or by a path, which has the suffix or a folder in it."""
    if name.endswith(ending) or "/" in name or os.sep in name:
        return Path(name)
    folders = artifact_folders()
    for file in (name + ending, renamed(name) + ending):
        for folder in folders:
            if (path := folder / file).exists():
                return path
    known = {path.name.removesuffix(ending) for folder in folders for path in folder.glob("*" + ending)}
    raise unknown(what, name, known)


def has_artifact(name: str, ending: str = ENDING) -> bool:
    """Return whether an artifact of that name exists."""
    try:
        return artifact_path(name, ending).exists()
    except BadInput:
        return False


def save_artifact(path: Path | str, arrays: Mapping[str, NDArray[Any]], facts: Mapping[str, Any]) -> None:
    """Write an artifact atomically."""
    whole = {name: np.asarray(array, order="C") for name, array in arrays.items()}
    write_bytes_atomic(path, seal(to_bytes(whole, {FACTS: write_facts(facts)})))


def load_artifact(name: str, *, game: str | None = None, kind: str | None = None) -> Artifact:
    """Read an artifact by name or path; check that it is complete and of that game and kind."""
    path = artifact_path(name)
    try:
        data = read_bytes(path)
    except FileNotFoundError:
        raise BadInput(f"there is no artifact {path}") from None
    except OSError as problem:
        raise BadInput(f"cannot read the artifact {path}: {problem.strerror}") from None
    if why := damage(data):
        raise BadInput(f"{path} is not a complete safetensors file ({why}); {made_again(path, data)}")
    arrays, facts = _unpack(data, path)
    check_format(facts, ARTIFACT, str(path))
    for word, wanted in (("game", game), ("kind", kind)):
        if wanted is not None and facts.get(word) != wanted:
            raise BadInput(f"{path} has {word} {facts.get(word)!r}, not {wanted!r}")
    return Artifact(arrays, facts, path)


def _unpack(data: bytes, path: Path) -> tuple[Arrays, dict[str, Any]]:
    """Parse the arrays and facts of a safetensors file."""
    try:
        arrays = from_bytes(data)
        size = int.from_bytes(data[:8], "little")
        return arrays, read_facts(read_json(data[8 : 8 + size])["__metadata__"][FACTS])
    except (SafetensorError, KeyError, ValueError) as problem:
        raise BadInput(f"{path} is not a safetensors file of bolicho ({problem}); {made_again(path, data)}") from None


# --- Facts of a file -----------------------------------------------------------------------------


def write_facts(facts: Mapping[str, Any]) -> str:
    """Format facts as JSON, with a placeholder for the file's checksum."""
    return json.dumps({**facts, SEAL: BLANK}, sort_keys=True, ensure_ascii=False)


def read_facts(text: str | bytes) -> dict[str, Any]:
    """Parse the facts of a file, without its checksum."""
    facts = read_json(text)
    if not isinstance(facts, dict) or SEAL not in facts:
        raise BadInput("it has no facts with a checksum")
    return {name: value for name, value in facts.items() if name != SEAL}


def made_again(path: Path, data: bytes) -> str:
    """Return the way to train a file again, found by its name or by readable facts."""
    commands = [found.decode() for found in re.findall(rb"bolicho train ([a-z-]+ [a-z]+|[a-z-]+)", data)]
    if (SHIPPED / path.name).exists():
        commands.insert(0, " ".join(path.stem.rsplit("-", 1)))
    if path.stem.endswith(".part"):
        return "delete it to start the training again"
    return f"`bolicho train {commands[0]}` makes it again" if commands else "train it or download it again"
