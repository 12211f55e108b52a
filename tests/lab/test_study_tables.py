"""Tables of measured results: complete data, shown once each, and replaced by those of a report."""

import json
import re

import pytest
import study_tables

DOCS = study_tables.FOLDER.parents[1]
PAGES = sorted(path.stem for path in study_tables.FOLDER.glob("*.json"))
SHOWN = [
    call
    for path in sorted(DOCS.rglob("*.md"))
    for call in re.findall(r"<!-- generated: study_table (\S+) (\S+) -->", path.read_text(encoding="utf-8"))
]


@pytest.mark.parametrize("page", PAGES)
def test_every_table_is_whole_and_names_what_made_it(page):
    for table in study_tables.read(page):
        assert set(table) == {"name", "caption", "command", "seed", "version", "columns", "rows"}, table["name"]
        assert table["rows"] and {len(row) for row in table["rows"]} == {len(table["columns"])}, table["name"]
        assert table["command"] is None or table["command"].startswith("bolicho "), table["name"]


def test_every_table_is_shown_once():
    assert sorted(SHOWN) == sorted((page, table["name"]) for page in PAGES for table in study_tables.read(page))


def test_rows_of_a_report_replace_those_of_a_table(tmp_path, monkeypatch):
    monkeypatch.setattr(study_tables, "FOLDER", tmp_path)
    old = {
        "caption": "",
        "command": None,
        "seed": 1,
        "version": None,
        "columns": ["agent", "won"],
        "rows": [["a", "1%"]],
    }
    study_tables.write("page", [{"name": "kept", **old}, {"name": "new", **old}])
    won = {"value": 0.5, "low": 0.4, "high": 0.6, "published": 0.55, "percent": True}
    report = {"command": "bolicho lab run styles --full --seed 7", "version": "0.4.0"}
    tables = [{"title": "Won", "columns": ["agent", "won"], "rows": [["b", won]], "note": ""}]
    (tmp_path / "findings.json").write_text(json.dumps({**report, "tables": tables}))
    study_tables.take(tmp_path / "findings.json", "Won", "page", "new")
    kept, new = study_tables.read("page")
    assert kept == {"name": "kept", **old}
    assert (new["command"], new["seed"], new["version"]) == (report["command"], 7, "0.4.0")
    columns, rows = study_tables.texts(new)
    assert (columns, rows) == (["agent", "won", "won (published)"], [["b", "50.0% [40.0%, 60.0%]", "55.0%"]])
