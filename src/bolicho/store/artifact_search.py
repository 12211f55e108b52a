"""Artifacts in the search path, with their facts."""

from pathlib import Path
from typing import Any

from bolicho.errors import BadInput
from bolicho.store.artifact import ENDING, artifact_folders, load_artifact
from bolicho.store.parquet import read_parquet

ENDINGS = (ENDING, ".parquet")


def facts_of(path: Path) -> dict[str, Any]:
    """Return the facts of an artifact, arrays or table."""
    return load_artifact(str(path.absolute())).facts if path.suffix == ENDING else read_parquet(path)[1]


def found_artifacts() -> list[dict[str, Any]]:
    """Return a row for each artifact in the search path; of several with the same name, the first, which agents use."""
    rows: dict[str, dict[str, Any]] = {}
    for folder in artifact_folders():
        for path in sorted(folder.glob("*")):
            if path.suffix in ENDINGS and ".part" not in path.suffixes and path.name not in rows:
                rows[path.name] = _row(path)
    return [rows[name] for name in sorted(rows)]


def _row(path: Path) -> dict[str, Any]:
    try:
        facts = facts_of(path)
    except BadInput as problem:
        facts = {"command": f"unreadable: {problem}"}
    told = {key: facts.get(key) for key in ("game", "rules", "command", "seed", "version")}
    return {"name": path.stem, "file": str(path), **told, "game": told["game"] or path.stem.rpartition("-")[2]}
