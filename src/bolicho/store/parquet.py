"""Artifacts that are tables: columns and the facts of their making, in one sealed Parquet file."""

import glob
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import duckdb
from numpy.typing import NDArray

from bolicho.errors import BadInput
from bolicho.files import read_bytes
from bolicho.formats import ARTIFACT, check_format
from bolicho.store.artifact import FACTS, made_again, read_facts, write_facts
from bolicho.store.checksum import damage, seal

Columns = dict[str, NDArray[Any]]


def write_parquet(path: Path, columns: Columns, facts: Mapping[str, Any]) -> None:
    """Write columns and facts to `path`, not atomically (see `files.atomic_path`)."""
    with duckdb.connect() as connection:
        connection.register("columns", columns)
        place, story = (text.replace("'", "''") for text in (str(path), write_facts(facts)))
        connection.execute(
            f"COPY (FROM columns) TO '{place}'"
            f" (FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 19, KV_METADATA {{{FACTS}: '{story}'}})"
        )
    path.write_bytes(seal(path.read_bytes()))


def read_parquet(path: Path, *, foreign: bool = False) -> tuple[Columns, dict[str, Any]]:
    """Return the columns and facts of a sealed file; accept one without facts only if `foreign` is set."""
    try:
        data = read_bytes(path)
    except OSError as problem:
        raise BadInput(f"cannot read {path}: {problem.strerror}") from None
    why = damage(data)
    if why and not (foreign and FACTS.encode() not in data):
        raise BadInput(f"{path} is not a complete Parquet file ({why}); {made_again(path, data)}")
    try:
        columns, story = read_unsealed(path)
        facts = {} if why else read_facts(story)
    except (duckdb.Error, BadInput) as problem:
        raise BadInput(f"{path} is not a readable Parquet file ({str(problem).splitlines()[0]})") from None
    check_format(facts, ARTIFACT, str(path))
    return columns, facts


def read_unsealed(path: Path) -> tuple[Columns, bytes]:
    """Return the columns and the raw facts without any check."""
    place = [glob.escape(str(path))]
    with duckdb.connect() as connection:
        found = connection.execute("SELECT key, value FROM parquet_kv_metadata(?)", place).fetchall()
        columns: Columns = connection.execute("FROM read_parquet(?)", place).fetchnumpy()
        return columns, dict(found).get(FACTS.encode(), b"null")
