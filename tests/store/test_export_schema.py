"""Exported tables of a study: the same cells as CSV and as Parquet, read back strictly."""

import duckdb
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from bolicho import BadInput
from bolicho.store.export_schema import TABLES, Column, read_table, write_dictionary, write_table, written_time

COLUMNS = (
    Column("who", "text", "a code"),
    Column("scripted", "truth", "a program"),
    Column("mark", "whole", "from 1 to 5"),
    Column("seconds", "number", "how long"),
    Column("at", "time", "when"),
    Column("said", "text", "as typed"),
)
ODD = 'a "b", c\nd; é 🂡 \\ =1+1'
ROWS = [
    {"who": "a", "scripted": False, "mark": 5, "seconds": 1.25, "at": written_time(0.5), "said": ODD},
    {"who": "b", "scripted": True, "mark": None, "seconds": None, "at": None, "said": None},
    {"who": "null", "scripted": False, "mark": -3, "seconds": 0.0, "at": written_time(2e9), "said": " NULL "},
]


def test_written_table_is_read_unchanged_with_its_blanks(tmp_path):
    write_table(tmp_path, "t", COLUMNS, ROWS)
    assert read_table(tmp_path, "t", COLUMNS) == ROWS
    assert ROWS[0]["at"] == "1970-01-01 00:00:00.500"


def test_parquet_holds_the_same_cells_with_their_kinds(tmp_path):
    write_table(tmp_path, "t", COLUMNS, ROWS)
    with duckdb.connect() as connection:
        found = connection.execute(f"FROM read_parquet('{tmp_path}/t.parquet')").fetchall()
        kinds = connection.execute(f"DESCRIBE FROM read_parquet('{tmp_path}/t.parquet')").fetchall()
    assert [(name, kind) for name, kind, *_ in kinds] == [
        ("who", "VARCHAR"), ("scripted", "BOOLEAN"), ("mark", "BIGINT"), ("seconds", "DOUBLE"), ("at", "TIMESTAMP"),
        ("said", "VARCHAR")]  # fmt: skip
    cells = [tuple(str(c)[:23] if i == 4 and c is not None else c for i, c in enumerate(row)) for row in found]
    wanted = [tuple(row.values()) for row in ROWS]
    assert cells[0] == wanted[0] and cells[1] == ("b", True, None, None, None, None)
    assert cells[2][:4] == wanted[2][:4] and cells[2][5] == " NULL "


TEXTS = st.text(
    st.characters(exclude_categories=["Cs"]) | st.sampled_from("\0\r\n\t\x0b\x0c\x1c\x85\u2028\u2029\ufeff\",;'\\=+-@")
)


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.none() | TEXTS.filter(bool), max_size=4))
@example(["a\rb", "\r", "a\r\nb", "\n", '"', '""', "\0", "a\0b", "\u2028\u2029", "\ufeffa"])
@example(["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "'=1", "NULL", "NaN", "true", "007", " "])
@example(["é🂡" * 50_000, "\r\n" * 50_000, '"' * 60_000])
def test_every_text_is_the_same_in_csv_and_in_parquet(tmp_path, texts):
    columns = [Column(name, "text", "as typed") for name in ("first", "said", "last")]
    rows = [{"first": text, "said": text, "last": text} for text in texts]
    write_table(tmp_path, "t", columns, rows)
    assert read_table(tmp_path, "t", columns) == rows
    found = duckdb.sql(f"FROM read_parquet('{tmp_path}/t.parquet')").fetchall()
    assert found == [tuple(row.values()) for row in rows]


def test_an_empty_text_is_a_blank_in_both_files(tmp_path):
    columns = [Column("who", "text", "a code"), Column("said", "text", "as typed")]
    write_table(tmp_path, "t", columns, [{"who": "a", "said": ""}])
    assert read_table(tmp_path, "t", columns) == [{"who": "a", "said": None}]
    assert duckdb.sql(f"FROM read_parquet('{tmp_path}/t.parquet')").fetchall() == [("a", None)]


def test_a_table_without_rows_has_its_columns(tmp_path):
    write_table(tmp_path, "t", COLUMNS, [])
    assert read_table(tmp_path, "t", COLUMNS) == []
    assert duckdb.sql(f"FROM read_parquet('{tmp_path}/t.parquet')").columns == [column.name for column in COLUMNS]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("a,false,five,1,,", "row 1: mark must be a whole number or empty, not 'five'"),
        ("a,false,5.0,1,,", "row 1: mark must be a whole number or empty, not '5.0'"),
        ("a,yes,5,1,,", "row 1: scripted must be true or false or empty, not 'yes'"),
        ("a,false,5,1e9,,", "row 1: seconds must be a number or empty, not '1e9'"),
        ("a,false,5,1", "row 1: 4 values, and there are 6 columns"),
    ],
)
def test_invalid_value_is_refused_with_its_row(tmp_path, line, reason):
    header = ",".join(column.name for column in COLUMNS)
    (tmp_path / "t.csv").write_text(f"{header}\n{line}\n")
    with pytest.raises(BadInput, match=reason):
        read_table(tmp_path, "t", COLUMNS)


def test_folder_that_is_not_an_export_is_refused(tmp_path):
    with pytest.raises(BadInput, match=r"there is no matches\.csv .* `bolicho study export`"):
        read_table(tmp_path, "matches", TABLES["matches"])
    (tmp_path / "matches.csv").write_text("a,b\n")
    with pytest.raises(BadInput, match="the columns must be study, participant"):
        read_table(tmp_path, "matches", TABLES["matches"])


def test_dictionary_has_one_line_per_column(tmp_path):
    write_dictionary(tmp_path, {"t": COLUMNS})
    assert (tmp_path / "dictionary.csv").read_text().splitlines()[:2] == [
        "file,column,kind,meaning",
        "t,who,text,a code",
    ]


def test_every_table_has_a_column_for_scripted_participants():
    for columns in TABLES.values():
        names = [column.name for column in columns]
        assert "scripted" in names and len(set(names)) == len(names) and all(column.meaning for column in columns)
