"""Cases: their schema, and reading and writing them as CSV and Parquet.

An invalid case file is rejected as a whole, with the row and the reason; it is never loaded partially.
"""

import csv
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bolicho.errors import BadInput, unknown
from bolicho.files import atomic_path
from bolicho.store.parquet import read_parquet, write_parquet

if TYPE_CHECKING:
    from bolicho.agents.cbr.clusters import Clustering
    from bolicho.agents.cbr.domain import Domain

Cases = NDArray[np.void]
"""Array of case records."""

Rule = tuple[str, Callable[[Cases], NDArray[np.bool_]]]
"""Description of an error, and a function that finds the cases with it."""


@dataclass(frozen=True)
class Column:
    """Column of a case file: its field in the record, its valid values, its meaning."""

    name: str
    field: str
    place: int  # index within a field of several values
    values: tuple[int, ...]
    meaning: str
    derived: bool = False  # computed by a base, not observed

    @property
    def is_optional(self) -> bool:
        """Return whether a file may omit the column, which means zeros."""
        return self.derived and self.field != "label"


@dataclass(frozen=True)
class Schema:
    """Schema of a game's cases: the record, the columns of a file, and validity rules.

    The record has a field `label`: the case's group (1 ..) in every clustering, 0 where it does not belong to it.
    """

    game: str
    dtype: np.dtype[np.void]
    columns: tuple[Column, ...]
    rules: tuple[Rule, ...] = ()

    def column(self, cases: Cases, column: Column) -> NDArray[Any]:
        """Return the values of one column."""
        values: NDArray[Any] = cases[column.field]
        return values[:, column.place] if values.ndim == 2 else values


@dataclass
class CaseBase:
    """Cases with their clusterings, and their origin."""

    domain: "Domain"
    cases: Cases
    clusterings: "tuple[Clustering, ...]"
    made: dict[str, Any] = field(default_factory=dict)
    """Origin of the base: its name, the command, the seed, the version."""

    def __len__(self) -> int:
        return len(self.cases)

    @property
    def name(self) -> str:
        return str(self.made.get("name", "cases"))


# --- Files --------------------------------------------------------------------------------------


def write_cases(schema: Schema, cases: Cases, path: Path | str, made: Mapping[str, Any] | None = None) -> None:
    """Write cases as CSV or Parquet, by the file name's ending; `made` goes into a Parquet file's metadata."""
    with atomic_path(path) as beside:
        _write(schema, cases, Path(path), beside, made or {})


def _write(schema: Schema, cases: Cases, path: Path, beside: Path, made: Mapping[str, Any]) -> None:
    columns = {
        column.name: values.copy()
        for column in schema.columns
        if (values := schema.column(cases, column)).any() or not column.is_optional
    }
    if path.suffix == ".parquet":
        write_parquet(beside, columns, made)
    elif path.suffix == ".csv":
        with beside.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([columns, *zip(*columns.values(), strict=True)])
    else:
        raise BadInput(f"cases can be written as .csv or .parquet, not {path.name!r}")


def read_cases(schema: Schema, path: Path, labels: bool = True) -> tuple[Cases, dict[str, Any]]:
    """Read and validate a case file; return the cases and the metadata of a Parquet file.

    With `labels=False` the columns of groups may be missing (then 0): such cases are not clustered yet. They may come
    from other programs; a Parquet file with groups must have our checksum.
    """
    path = Path(path)
    table, made = _read_table(path, foreign=not labels)
    return cases_of(schema, path, table, labels), made


def cases_of(schema: Schema, path: Path, table: Mapping[str, NDArray[Any]], labels: bool = True) -> Cases:
    """Return the validated cases from the columns of a file."""
    wanted = [
        column
        for column in schema.columns
        if column.name in table or not (column.is_optional or (column.derived and not labels))
    ]
    names = [column.name for column in schema.columns]
    for name in table:
        if name not in names:
            raise BadInput(f"{path}: {unknown('column', name, names)}")
    missing = [column.name for column in wanted if column.name not in table]
    if missing:
        raise BadInput(f"{path}: the column {missing[0]} is missing; a case of {schema.game} has {', '.join(names)}")
    cases = np.zeros(len(table[wanted[0].name]), schema.dtype)
    for column in wanted:
        schema.column(cases, column)[:] = _whole_numbers(path, column, table[column.name])
    check_cases(schema, cases, str(path))
    return cases


def check_cases(schema: Schema, cases: Cases, where: str = "cases") -> None:
    """Raise `BadInput` for impossible cases: it names the first row that breaks a rule, with the reason."""
    for reason, wrong in schema.rules:
        rows = np.flatnonzero(wrong(cases))
        if len(rows):
            raise BadInput(f"{where}, row {rows[0] + 1}: {reason}")


def _read_table(path: Path, foreign: bool) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Return the columns of a file, and its metadata."""
    if not path.is_file():
        raise BadInput(f"there is no case file {str(path)!r}")
    if path.suffix not in (".csv", ".parquet"):
        raise BadInput(f"cases can be read from .csv or .parquet, not {path.name!r}")
    return (_read_csv(path), {}) if path.suffix == ".csv" else read_parquet(path, foreign=foreign)


def _read_csv(path: Path) -> dict[str, NDArray[Any]]:
    try:
        with path.open(encoding="utf-8", newline="") as file:
            names, *rows = list(csv.reader(file)) or [[]]
    except (UnicodeDecodeError, csv.Error) as problem:
        raise BadInput(f"{path} cannot be read as cases: {problem}") from None
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise BadInput(f"{path}: the column {twice[0]} appears twice")
    for number, row in enumerate(rows, 1):
        if len(row) != len(names):
            raise BadInput(f"{path}, row {number}: {len(row)} values, and there are {len(names)} columns")
    return dict(zip(names, np.array(rows, object).reshape(len(rows), len(names)).T, strict=True))


def _whole_numbers(path: Path, column: Column, values: NDArray[Any]) -> NDArray[np.int64]:
    """Return a column as valid integers; otherwise raise `BadInput` for the first invalid row."""
    found = np.zeros(len(values), np.int64)
    masked = np.ma.getmaskarray(values)
    plain = np.ma.getdata(values)
    if plain.dtype.kind in "iu" and not masked.any():
        found[:] = plain
    else:
        for i, value in enumerate(plain):
            if masked[i] or value is None or value == "":
                raise BadInput(f"{path}, row {i + 1}: {column.name} is empty")
            try:
                if float(value) != int(float(value)):
                    raise ValueError
                found[i] = int(float(value))
            except (ValueError, OverflowError):
                raise BadInput(f"{path}, row {i + 1}: {column.name} is {value!r}, not a whole number") from None
    wrong = np.flatnonzero(~np.isin(found, column.values))
    if len(wrong):
        row = wrong[0]
        raise BadInput(
            f"{path}, row {row + 1}: {column.name} is {found[row]}, and may be {_ranges(column.values)}"
            f" ({column.meaning})"
        )
    return found


def _ranges(values: Sequence[int]) -> str:
    """Return the values of a column as text, such as `0 to 7, 20 to 33`."""
    parts: list[list[int]] = []
    for value in sorted(values):
        if parts and value == parts[-1][1] + 1:
            parts[-1][1] = value
        else:
            parts.append([value, value])
    return ", ".join(str(low) if low == high else f"{low} to {high}" for low, high in parts)


def describe(schema: Schema) -> Iterable[str]:
    """Yield a description of the schema, one line per column."""
    for column in schema.columns:
        yield f"{column.name}: {column.meaning} ({_ranges(column.values)})"
