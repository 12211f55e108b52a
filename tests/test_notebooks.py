"""Notebooks: they run from top to bottom, and the result of every cell can be displayed."""

import ast
import json
from functools import cache
from pathlib import Path

import pytest

NOTEBOOKS = sorted((Path(__file__).parents[1] / "examples" / "notebooks").glob("*.ipynb"))


def cells(path):
    notebook = json.loads(path.read_text())
    assert notebook["nbformat"] == 4
    return [(cell, "".join(cell["source"])) for cell in notebook["cells"] if cell["cell_type"] == "code"]


def execute(source, names):
    """Execute a cell as a notebook does, and return the value of its last line."""
    body = ast.parse(source).body
    last = body.pop() if isinstance(body[-1], ast.Expr) else None
    exec(compile(ast.Module(body, []), "cell", "exec"), names)
    return None if last is None else eval(compile(ast.Expression(last.value), "cell", "eval"), names)


def displayed(value):
    """Return a value as a notebook displays it."""
    for way in ("_repr_html_", "_repr_svg_"):
        if getattr(value, way, None) is not None:
            return getattr(value, way)()
    return repr(value)


@cache
def names_after(path):
    """Return the names that a notebook defines, executed once for all tests."""
    names = {"__name__": "__main__"}
    for _, source in cells(path):
        value = execute(source, names)
        assert value is None or displayed(value)
    return names


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_from_top_to_bottom(path):
    names = names_after(path)
    assert "found" not in names or names["found"].result["games"] > 0


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_kept_without_output(path):
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell, _ in cells(path))


def test_agent_trained_in_the_notebook_wins_at_least_about_half_against_random():
    (path,) = [path for path in NOTEBOOKS if path.stem == "write_a_learner"]
    assert names_after(path)["found"].won("learned", "random").low > 0.45
