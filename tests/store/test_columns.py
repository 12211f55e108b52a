"""The page of columns says what the files hold, column for column."""

import re
from pathlib import Path

import duckdb
import pytest

import bolicho
from bolicho.agents.cbr.bases import domain_of
from bolicho.agents.cbr.truco.schema import COLUMNS
from bolicho.arena.experiment import Experiment
from bolicho.arena.run import run
from bolicho.store.exported import CASES, TABLES, write_table
from bolicho.web.study.export import exported_columns

PAGE = (Path(__file__).parents[2] / "docs" / "columns.md").read_text()
SECTIONS = dict(re.findall(r"^### `([\w.-]+)`\n(.*?)(?=^##|\Z)", PAGE, re.MULTILINE | re.DOTALL))
ARTIFACTS = Path(bolicho.__file__).parent / "artifacts"
TURNS = ("dominoes", "fives", "wonders")  # the games whose cases are turns


REFERENCE = r"(Begins|Ends) with `(\w+)` to `(\w+)` of `([\w.-]+)`(?:, as (\w+) \((.+): (\w+)\))?\."


def described(name):
    """Return the columns that the page gives a file, also those taken from other files: (column, type, meaning)."""
    rows = []
    for column, kind, meaning in re.findall(r"^\| `([\w{},]+)` \| (\S+) \| (.+) \|$", SECTIONS[name], re.MULTILINE):
        family = re.search(r"{(.+)}", column)
        values = family[1].split(",") if family else [""]
        rows += [(re.sub("{.+}", value, column), kind, meaning.replace("{}", value)) for value in values]
    for side, first, last, source, kind, others, other_kind in re.findall(REFERENCE, SECTIONS[name]):
        columns = [column for column, *_ in described(source)]
        taken = described(source)[columns.index(first) : columns.index(last) + 1]
        if kind:
            of = dict.fromkeys(re.findall(r"\w+", others), other_kind)
            taken = [(column, of.get(column, kind), meaning) for column, _, meaning in taken]
        rows = taken + rows if side == "Begins" else rows + taken
    return rows


def told(name):
    """Return what the page says of a file: (column, type) and its meaning, in order."""
    rows = described(name)
    return [(column, kind) for column, kind, _ in rows], [meaning for *_, meaning in rows]


def held(path):
    return [(name, kind) for name, kind, *_ in duckdb.sql(f"DESCRIBE SELECT * FROM '{path}'").fetchall()]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs") / "small"
    return run(Experiment("truco", ["random", "balanced"], {"target": 3}, duplicates=1), folder).folder


@pytest.mark.parametrize("name", ["games.parquet", "timing.parquet"])
def test_a_run_holds_what_the_page_says(name, folder):
    assert held(folder / name) == told(name)[0]


@pytest.mark.parametrize("name", [*TABLES, CASES])
def test_an_export_holds_what_the_page_says(name, tmp_path):
    columns = exported_columns() if name == CASES else TABLES[name]
    write_table(tmp_path, name, columns, [])
    assert held(tmp_path / f"{name}.parquet") == told(f"{name}.parquet")[0]
    assert [column.meaning for column in columns] == told(f"{name}.parquet")[1]


@pytest.mark.parametrize("name", ["cbr-baseline-truco.parquet", "cbr-learned-truco.parquet"])
def test_a_case_base_holds_what_the_page_says(name):
    assert held(ARTIFACTS / name) == told("cbr-learned-truco.parquet")[0]
    assert [column.meaning for column in COLUMNS if not column.is_optional] == told("cbr-learned-truco.parquet")[1]
    for column in COLUMNS:
        assert not column.is_optional or f"`{column.name}` ({column.meaning})" in PAGE


@pytest.mark.parametrize("game", TURNS)
def test_a_base_of_turns_holds_what_the_page_says(game):
    assert held(ARTIFACTS / f"cbr-{game}.parquet") == told(f"cbr-{game}.parquet")[0]
    assert [column.meaning for column in domain_of(game).schema.columns] == told(f"cbr-{game}.parquet")[1]


def test_the_published_base_has_the_optional_columns_too():
    columns = [column.name for column in COLUMNS]
    assert [name for name, _ in held(ARTIFACTS / "cbr-published-truco.parquet")] == columns


def test_every_kind_of_file_is_on_the_page():
    like_learned = {"cbr-baseline-truco.parquet", "cbr-published-truco.parquet"}
    assert {path.name for path in ARTIFACTS.glob("*.parquet")} - like_learned <= set(SECTIONS)
    assert len(SECTIONS) == 2 + len(TABLES) + 1 + 1 + len(TURNS)
