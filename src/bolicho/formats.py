"""Formats of files: the number that says how a run folder, an artifact or a record is to be read.

A file without a number has format 1, as bolicho 0.3.0 writes it.  A change of a format raises its number here, writes
it as `format` (in a record, in `experiment.toml`, among the facts of an artifact), and keeps reading those before.
"""

from collections.abc import Mapping
from typing import Any

from bolicho.errors import BadInput

RECORD = 1
RUN = 2  # 1: `actions` of `games.parquet` are texts
ARTIFACT = 1


def check_format(facts: Mapping[str, Any], known: int, where: str) -> int:
    """Return the format that something was written in; refuse one that is newer than this program."""
    found = facts.get("format", 1)
    if type(found) is not int or found < 1:
        raise BadInput(f"{where}: format must be a whole number from 1 to {known}, not {found!r}")
    if found > known:
        raise BadInput(
            f"{where} has format {found}, and this version of bolicho reads formats up to {known}; "
            "install a newer bolicho"
        )
    return found
