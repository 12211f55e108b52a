"""List of promises: every one names existing tests, and is shown in its section of the page."""

import ast
import json
import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
DOCS = TESTS.parent / "docs"
PROMISES = json.loads((DOCS / "promises.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("promise", PROMISES, ids=lambda promise: promise["promise"][:60])
def test_every_promise_names_tests_that_exist(promise):
    assert set(promise) == {"section", "promise", "tests"} and promise["promise"].endswith(".") and promise["tests"]
    for named in promise["tests"]:
        file, _, name = named.partition("::")
        tree = ast.parse((TESTS / file).read_text(encoding="utf-8"))
        assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}, named


def test_page_shows_every_section_of_promises_once():
    page = (DOCS / "promises.md").read_text(encoding="utf-8")
    shown = re.findall(r"<!-- generated: promises (\S+) -->", page)
    assert len(PROMISES) > 30 and shown == list(dict.fromkeys(promise["section"] for promise in PROMISES))
