"""The parts of pages that are data of the program, of its studies and of the tests, as Markdown."""

import inspect
import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, get_type_hints

import study_tables
from markdown_tables import code, table

import bolicho
from bolicho import formats
from bolicho.games import BUILT_IN
from bolicho.games import kind as kind_of
from bolicho.games.fields import structures

# --- Games --------------------------------------------------------------------------------------


def features() -> str:
    """Return the names of the features of every game, by number."""
    parts = []
    for name in BUILT_IN:
        numbered = [f"{number} {code(one)}" for number, one in enumerate(bolicho.game(name).feature_names)]
        parts.append(f"### `{name}`\n\n{', '.join(numbered)}\n")
    return "\n".join(parts)


def view_fields(game: str) -> str:
    """Return the structures of a game's table with their fields; a comment beside a field says what it means."""
    found = [*structures(get_type_hints(kind_of(game).data)["return"])]
    return "\n".join(_fields(one) for one in dict.fromkeys(reversed(found)))


def _fields(of: type) -> str:
    source = inspect.getsource(of)
    found = re.findall(r"^    (\w+): ([^#\n]+?)(?: = [^#\n]*)?(?:  # (.*))?$", source, re.MULTILINE)
    rows = [(code(name.removesuffix("_")), code(kind), meaning) for name, kind, meaning in found]
    return f"`{of.__name__}`: {inspect.getdoc(of)}\n\n" + table(["field", "type", ""], rows)


def record_fields() -> str:
    """Return the fields of the record of every built-in game, as `Game.describe` does."""
    parts = []
    for game in BUILT_IN:
        rows = [
            (code(one["name"]), one["type"], one["offset"], " × ".join(map(str, one["shape"])), _reading(one))
            for one in bolicho.game(game).describe()["record"]["fields"]
        ]
        parts.append(f"### `{game}`\n\n" + table(["field", "type", "offset", "shape", "read as"], rows))
    return "\n".join(parts)


def _reading(field: dict[str, Any]) -> str:
    return next((f"{read} {code(field[read])}" for read in ("names", "bits", "numbers") if read in field), "")


# --- Files and results --------------------------------------------------------------------------


def file_formats() -> str:
    """Return the format numbers that this version writes."""
    rows = [(key.lower(), value) for key, value in vars(formats).items() if key.isupper() and isinstance(value, int)]
    return table(["file", "format"], rows)


def columns(kind: str) -> str:
    """Return the columns of every file of a kind: `runs`, `studies` or `bases`."""
    return "\n".join(
        f"### `{name}`\n\n" + table(["column", "type", "meaning"], [(code(column), *rest) for column, *rest in rows])
        for name, rows in _FILES[kind]()
    )


Described = Iterator[tuple[str, Iterable[tuple[str, str, str]]]]


def _runs() -> Described:
    from bolicho.arena.rows import COLUMNS

    yield from COLUMNS.items()


def _studies() -> Described:
    from bolicho.store.export_schema import CASES, KINDS, TABLES
    from bolicho.web.study.export import exported_columns

    for name, found in {**TABLES, CASES: exported_columns()}.items():
        yield f"{name}.parquet", [(column.name, KINDS[column.kind], column.meaning) for column in found]


def _bases() -> Described:
    """Yield the case bases that ship, one for each game, with the types that they have."""
    import duckdb

    from bolicho.agents.cbr.bases import domain_of

    for game in ("truco", "dominoes", "fives", "wonders"):
        name = "cbr-published-truco" if game == "truco" else f"cbr-{game}"  # the base with every column
        path = Path(bolicho.__file__).parent / "artifacts" / f"{name}.parquet"
        types = {column: kind for column, kind, *_ in duckdb.sql(f"DESCRIBE FROM '{path}'").fetchall()}
        yield path.name, [(one.name, types[one.name], one.meaning) for one in domain_of(game).schema.columns]


_FILES = {"runs": _runs, "studies": _studies, "bases": _bases}


def outcomes() -> str:
    """Return the outcome of every published table and figure."""
    from bolicho.lab import published

    return published.markdown()


def leaderboard() -> str:
    """Return the tables of all techniques on all games."""
    from bolicho.lab.matrix.leaderboard import shipped, tables

    return tables(shipped())


def promises(section: str) -> str:
    """Return the promises of a section with the tests that hold each."""
    listed = json.loads((Path(__file__).parents[1] / "promises.json").read_text(encoding="utf-8"))
    return "".join(
        f"- {one['promise']} {', '.join(map(code, one['tests']))}\n" for one in listed if one["section"] == section
    )


def study_table(page: str, name: str) -> str:
    """Return a table of measured results with its caption."""
    found = study_tables.find(page, name)
    caption = f"{found['caption']}\n\n" if found["caption"] else ""
    return caption + table(*study_tables.texts(found))
