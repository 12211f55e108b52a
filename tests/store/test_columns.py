"""Page of columns, compared with the written files column for column."""

import re
import sys
from pathlib import Path

import duckdb
import pytest

import bolicho
from bolicho.agents.cbr.truco.schema import COLUMNS
from bolicho.arena.experiment import Experiment
from bolicho.arena.run import run
from bolicho.store.export_schema import CASES, TABLES, write_table
from bolicho.web.study.export import exported_columns

DOCS = Path(__file__).parents[2] / "docs"
ARTIFACTS = Path(bolicho.__file__).parent / "artifacts"
TURNS = ("dominoes", "fives", "wonders")  # the games with cases of single turns


@pytest.fixture(scope="module")
def sections():
    """Return the columns of each file on the page as the site shows it: (column, type, meaning)."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(DOCS / "site")
        pytest.importorskip("sphinx", reason="Sphinx is not installed; it comes with the extra `docs`")
        from pages import generated

        page = re.sub(
            r"<!-- generated: (\w+) (.*?) -->",
            lambda part: generated(*part.groups()),
            (DOCS / "columns.md").read_text(encoding="utf-8"),
        )
        for module in ("pages", "reference"):
            del sys.modules[module]
    return {
        name: re.findall(r"^\| `(\w+)` \| (\S+) \| (.+) \|$", text, re.MULTILINE)
        for name, text in re.findall(r"^### `([\w.-]+)`\n(.*?)(?=^##|\Z)", page, re.MULTILINE | re.DOTALL)
    }


def types(rows):
    return [(column, kind) for column, kind, _ in rows]


def columns_in(path):
    return [(name, kind) for name, kind, *_ in duckdb.sql(f"DESCRIBE SELECT * FROM '{path}'").fetchall()]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs") / "small"
    return run(Experiment("truco", ["random", "balanced"], {"target": 3}, duplicates=1), folder).folder


@pytest.mark.parametrize("name", ["games.parquet", "timing.parquet"])
def test_files_of_a_run_have_the_columns_of_the_page(name, folder, sections):
    assert columns_in(folder / name) == types(sections[name])


@pytest.mark.parametrize("name", [*TABLES, CASES])
def test_files_of_an_export_have_the_columns_of_the_page(name, tmp_path, sections):
    columns = exported_columns() if name == CASES else TABLES[name]
    write_table(tmp_path, name, columns, [])
    assert columns_in(tmp_path / f"{name}.parquet") == types(sections[f"{name}.parquet"])
    assert [column.meaning for column in columns] == [meaning for *_, meaning in sections[f"{name}.parquet"]]


@pytest.mark.parametrize("name", ["cbr-baseline-truco", "cbr-learned-truco", "cbr-published-truco"])
def test_case_base_has_the_columns_of_the_page(name, sections):
    optional = [column.name for column in COLUMNS if column.is_optional]
    expected = types(sections["cbr-published-truco.parquet"])
    if name != "cbr-published-truco":
        expected = [(column, kind) for column, kind in expected if column not in optional]
    assert columns_in(ARTIFACTS / f"{name}.parquet") == expected
    page = (DOCS / "columns.md").read_text(encoding="utf-8")
    assert all(f"`{column}`" in page for column in optional)


@pytest.mark.parametrize("game", TURNS)
def test_base_of_turns_has_the_columns_of_the_page(game, sections):
    assert columns_in(ARTIFACTS / f"cbr-{game}.parquet") == types(sections[f"cbr-{game}.parquet"])


def test_every_kind_of_file_is_on_the_page(sections):
    like_published = {"cbr-baseline-truco.parquet", "cbr-learned-truco.parquet"}
    assert {path.name for path in ARTIFACTS.glob("*.parquet")} - like_published <= set(sections)
    assert len(sections) == 2 + len(TABLES) + 1 + 1 + len(TURNS)
