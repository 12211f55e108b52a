"""Tables of measured results: data of `studies/tables/*.json`, which pages show with `<!-- generated: study_table -->`.

Each table has a name, a caption, the command, seed and version that made it (null where they were not recorded),
columns, and rows of text or of estimates as a study's `findings.json` has them. After a new run

    python docs/site/study_tables.py reports/NAME/findings.json "TITLE IN THE REPORT" PAGE TABLE

replaces the columns and rows of a table by those of the report.
"""

import json
import sys
from pathlib import Path
from typing import Any

from bolicho.files import write_text_atomic
from bolicho.lab.study import Cell, Measured, Table
from bolicho.stats import Estimate

FOLDER = Path(__file__).parents[1] / "studies" / "tables"


def read(page: str) -> list[dict[str, Any]]:
    """Return the tables of a page."""
    found: list[dict[str, Any]] = json.loads((FOLDER / f"{page}.json").read_text(encoding="utf-8"))
    return found


def write(page: str, tables: list[dict[str, Any]]) -> None:
    """Write the tables of a page, one row of a table a line."""
    parts = []
    for table in tables:
        rows = ",\n".join(f"    {json.dumps(row, ensure_ascii=False)}" for row in table["rows"])
        facts = [
            f"   {json.dumps(key)}: {json.dumps(table[key], ensure_ascii=False)}," for key in table if key != "rows"
        ]
        parts.append("\n".join(["  {", *facts, f'   "rows": [\n{rows}\n   ]\n  }}']))
    write_text_atomic(FOLDER / f"{page}.json", "[\n" + ",\n".join(parts) + "\n]\n")


def find(page: str, name: str) -> dict[str, Any]:
    """Return a table by its name."""
    return next(table for table in read(page) if table["name"] == name)


def texts(table: dict[str, Any]) -> tuple[list[str], list[list[str]]]:
    """Return the columns and rows of a table as text."""
    return Table("", table["columns"], [[_cell(cell) for cell in row] for row in table["rows"]]).written()


def _cell(cell: Any) -> Cell:
    if not isinstance(cell, dict):
        return str(cell)
    estimate = Estimate.read({key: cell[key] for key in ("value", "low", "high")})
    return Measured(estimate, cell["published"], cell["percent"])


def take(findings: Path, title: str, page: str, name: str) -> None:
    """Replace the content of a table, and what made it, by a table of a report."""
    report = json.loads(findings.read_text(encoding="utf-8"))
    new = next(table for table in report["tables"] if table["title"] == title)
    tables = read(page)
    for table in tables:
        if table["name"] == name:
            seed = int(report["command"].split("--seed ")[1].split()[0])
            table |= {"command": report["command"], "seed": seed, "version": report["version"]}
            table |= {"columns": new["columns"], "rows": new["rows"]}
    write(page, tables)


if __name__ == "__main__":
    take(Path(sys.argv[1]), *sys.argv[2:])
