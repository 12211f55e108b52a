"""Table of promises: every row names existing tests."""

import ast
import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
PAGE = (TESTS.parent / "docs" / "promises.md").read_text(encoding="utf-8")
PROMISES = [line for line in PAGE.partition("## Test campaigns")[0].splitlines() if line.startswith("- ")]


@pytest.mark.parametrize("promise", PROMISES, ids=lambda promise: promise[2:62])
def test_every_promise_names_tests_that_exist(promise):
    named = re.findall(r"`([\w/]+\.py)::(\w+)`", promise)
    assert named and len(named) == promise.count("::"), promise
    for file, name in named:
        tree = ast.parse((TESTS / file).read_text(encoding="utf-8"))
        assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}, f"{file}::{name}"


def test_table_of_promises_is_not_empty():
    assert len(PROMISES) > 30
