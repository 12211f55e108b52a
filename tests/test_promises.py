"""Each promise names a test, and the test is there."""

import ast
import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
ROWS = [
    row
    for row in (TESTS.parent / "docs" / "promises.md").read_text(encoding="utf-8").splitlines()
    if row.startswith("|") and not row.startswith(("| Promise", "|---"))
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.split("|")[1].strip()[:60])
def test_every_promise_names_tests_that_exist(row):
    _, promise, tests, _ = row.split("|")
    named = re.findall(r"`([\w/]+\.py)::(\w+)`", tests)
    assert named and len(named) == tests.count("`") // 2, promise
    for file, name in named:
        tree = ast.parse((TESTS / file).read_text(encoding="utf-8"))
        assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}, f"{file}::{name}"


def test_there_are_promises():
    assert len(ROWS) > 30
