"""Export format of a study: a folder of tables, each as CSV and Parquet, and a dictionary of their columns.

A missing value is an empty cell of the CSV and NULL in the Parquet file.  Times are UTC.  Every table marks scripted
participants (`scripted`).  Lines of `matches.jsonl` are records for `bolicho replay`.
"""

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from bolicho.errors import BadInput
from bolicho.files import atomic_path, read_bytes, write_text_atomic

Row = Mapping[str, Any]

KINDS = {"text": "VARCHAR", "whole": "BIGINT", "number": "DOUBLE", "truth": "BOOLEAN", "time": "TIMESTAMP"}
"""Kinds of columns, with their types in Parquet."""

RECORDS, PLAN, DICTIONARY, README = "matches.jsonl", "plan.toml", "dictionary.csv", "README.md"
"""Files of the folder beside the tables."""

HUMAN = "human"  # a person's seat in records
PERSON = "person"  # an opponent that is another participant, in tables


@dataclass(frozen=True)
class Column:
    """Column of a table, with its meaning."""

    name: str
    kind: str  # one of KINDS
    meaning: str


def _columns(*parts: str) -> tuple[Column, ...]:
    rows = [row for part in parts for row in part.strip().splitlines()]
    return tuple(Column(*(cell.strip() for cell in row.split("|"))) for row in rows)


_WHO = """
study | text | the name of the study
participant | text | the participant's code
scripted | truth | whether a program took the participant's place
"""

_WHERE = """
match | text | the name of the match
practice | truth | whether the match was for practice
"""

TABLES: dict[str, tuple[Column, ...]] = {
    "states": _columns("""
study | text | the name of the study
scripted | truth | whether these are programs in participants' places
state | text | invited, declined, consented, playing, finished, lost (long without a sign), or withdrawn
participants | whole | how many are in that state; of those who declined or withdrew this number is all that is left
"""),
    "participants": _columns(
        _WHO,
        """
state | text | invited, consented, playing, finished or lost (long without a sign)
sequence | whole | which order of opponents the participant was given, from 0; blank before consent
replaced | truth | whether that order was given to somebody else after a long silence
language | text | the language the pages were read in; blank before they were
consent | text | the version of the consent that was agreed to; blank where none was
seen | time | when the participant was last heard of; blank before consent
""",
    ),
    "pages": _columns(
        _WHO,
        """
step | whole | the number of the page on the participant's way, from 1
name | text | consent, instructions, comprehension, practice, before, match, questions, after, debriefing or thanks; \
skipped: not shown (questions on a match that was not played; a second attempt at comprehension that was not needed)
shown | time | when it was first shown; for consent, the time of consent minus that of reading
done | time | when it was answered; blank where it was not
seconds | number | from shown to done; blank where it was not answered
read | number | seconds for which the browser had the page visible before the answer; blank where not measured
""",
    ),
    "matches": _columns(
        _WHO,
        _WHERE,
        """
record | whole | the line of matches.jsonl that holds the match, from 1
step | whole | the number of the match's page on the participant's way, from 1
place | whole | which of the participant's matches it was, from 1; blank for practice
agent | text | the opponent, as the study's file names it; person: another participant, who has a row too
played | text | the same as it sat down: with the case base of that moment, where that grows with people's hands
after | text | the opponent of the match before; blank for the first one and for practice
label | text | what the participant saw the opponent called
seat | whole | where the participant sat, from 0
began | time | when the cards were dealt
ended | time | when the match was over; blank where it was not
seconds | number | from began to ended; blank where it was not over
moves | whole | how many actions were chosen, of all seats
points | whole | the participant's points
against | whole | the opponent's points (of several the best one's)
winner | text | participant, agent, person (the other participant) or nobody; blank where the match was not over
""",
    ),
    "meetings": _columns(
        _WHO,
        """
step | whole | the number of the match's page on the participant's way, from 1
place | whole | which of the participant's matches it was to be, from 1
match | text | the name of the match; blank where there is none
outcome | text | played (to its end), claimed (by the participant: the other one had left or was out of time), \
left (the other participant claimed it), agent (played instead), nobody (skipped, as no other participant came), \
withdrawn (the other participant withdrew, and the match is deleted); blank while it is waited for or played
waited | number | seconds from when the page was shown until the match began or was skipped; blank where not known
""",
    ),
    "moves": _columns(
        _WHO,
        _WHERE,
        """
ply | whole | the number of the action in the match, from 0
seat | whole | whose action it was, from 0
by | text | participant or agent; of two participants each has their own actions alone
action | text | the action, as records write it
at | time | when the server wrote it down
seconds | number | since the action before; for the first one since the deal
decided | number | seconds from when the browser had shown all that went before to the choice, so without pauses of \
the table and of the network; only for the participant; blank where not measured, as after a reload of the page
""",
    ),
    "answers": _columns(
        _WHO,
        """
step | whole | the number of the page on the participant's way, from 1
name | text | before (once, at the start), questions (after a match) or after (once, at the end)
match | text | the match the page was about; blank where it was about none
place | whole | which of the participant's matches that was, from 1; blank where the page was about none
agent | text | the opponent of that match; blank where the page was about none
item | text | the name of the question, as the study's file gives it
position | whole | which question of the page it was, from 1, in the order that the participant got
construct | text | what the item measures together with others; blank for an item of its own
answer | text | a scale's number, a choice's name, or a text as typed (it may look like a formula); blank if left blank
correct | truth | for a check of attention or understanding, whether the answer is right; blank for others and blanks
""",
    ),
    "signals": _columns(
        _WHO,
        """
signal | text | a sign of careless or automated participation that could be judged; its meaning is in README.md
count | whole | how often it was seen
of | whole | out of how many times
""",
    ),
}
"""Tables of every study."""

CASES = "cases"

CASE_COLUMNS = _columns(_WHO, _WHERE, "hand | whole | the number of the hand in the match, from 1")
"""Columns of a case before those of its game."""


def case_columns(described: Mapping[str, str]) -> tuple[Column, ...]:
    """Return the columns of `cases` for a game whose cases have these columns (name: meaning)."""
    return (*CASE_COLUMNS, *(Column(name, "whole", meaning) for name, meaning in described.items()))


# --- Writing ------------------------------------------------------------------------------------


def write_table(folder: Path, name: str, columns: Sequence[Column], rows: Sequence[Row]) -> None:
    """Write a table as CSV, and the same cells as Parquet."""
    import duckdb

    cells = [[_written(row[column.name]) for column in columns] for row in rows]
    write_text_atomic(folder / f"{name}.csv", _csv([[column.name for column in columns], *cells]))
    typed = ", ".join(f'CAST("{column.name}" AS {KINDS[column.kind]}) AS "{column.name}"' for column in columns)
    table = {
        column.name: np.array([row[place] or None for row in cells], object) for place, column in enumerate(columns)
    }
    with atomic_path(folder / f"{name}.parquet") as beside, duckdb.connect() as connection:
        connection.register("cells", table)
        place = str(beside).replace("'", "''")
        connection.execute(f"COPY (SELECT {typed} FROM cells) TO '{place}' (FORMAT parquet)")


def _csv(rows: Iterable[Sequence[str]]) -> str:
    """Format rows as CSV (RFC 4180).

    Lines end in CR LF because Python's writer quotes the characters of its line end and no other line breaks.
    """
    lines = io.StringIO()
    csv.writer(lines, lineterminator="\r\n").writerows(rows)
    return lines.getvalue()


def _written(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def written_time(at: float | None) -> str | None:
    """Format a time, in seconds since 1970, for the tables."""
    if at is None:
        return None
    return datetime.fromtimestamp(at, UTC).isoformat(" ", "milliseconds").removesuffix("+00:00")


def write_dictionary(folder: Path, tables: Mapping[str, Sequence[Column]]) -> None:
    """Write the meaning of every column of every table."""
    rows = [(file, column.name, column.kind, column.meaning) for file, columns in tables.items() for column in columns]
    write_text_atomic(folder / DICTIONARY, _csv([("file", "column", "kind", "meaning"), *rows]))


# --- Reading ------------------------------------------------------------------------------------


def read_table(folder: Path, name: str, columns: Sequence[Column]) -> list[dict[str, Any]]:
    """Read a table from its CSV, strictly; an empty cell is None."""
    path = folder / f"{name}.csv"
    try:
        names, *rows = list(csv.reader(io.StringIO(read_bytes(path).decode("utf-8"), newline=""))) or [[]]
    except FileNotFoundError:
        raise BadInput(
            f"there is no {path.name} in {str(folder)!r}; name the folder of a `bolicho study export`"
        ) from None
    except (OSError, UnicodeDecodeError, csv.Error) as problem:
        raise BadInput(f"cannot read {path}: {problem}") from None
    if names != [column.name for column in columns]:
        raise BadInput(f"{path}: the columns must be {', '.join(column.name for column in columns)}")
    found = []
    for number, row in enumerate(rows, 1):
        if len(row) != len(columns):
            raise BadInput(f"{path}, row {number}: {len(row)} values, and there are {len(columns)} columns")
        where = f"{path}, row {number}"
        found.append({c.name: _read(where, c, cell) for c, cell in zip(columns, row, strict=True)})
    return found


_FORMS = {"whole": r"-?\d{1,18}", "number": r"-?\d{1,15}(\.\d{1,9})?", "truth": "true|false"}


def _read(where: str, column: Column, cell: str) -> Any:
    if cell == "":
        return None
    if column.kind in _FORMS and not re.fullmatch(_FORMS[column.kind], cell, re.ASCII):
        wanted = {"whole": "a whole number", "number": "a number", "truth": "true or false"}[column.kind]
        raise BadInput(f"{where}: {column.name} must be {wanted} or empty, not {cell!r}")
    match column.kind:
        case "whole":
            return int(cell)
        case "number":
            return float(cell)
        case "truth":
            return cell == "true"
    return cell
