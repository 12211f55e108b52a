"""Test processes stay within the memory that `make test` may take."""

import subprocess
import sys
from functools import lru_cache
from pathlib import Path

import pytest

from bolicho.agents.cbr import agent as cbr
from tests import conftest

LIMITED = """
from tests import conftest
from tests.conftest import _bounded_memory
conftest.MOST = 1 << 20
"""


def test_a_process_that_holds_too_much_fails_the_run(tmp_path):
    (tmp_path / "conftest.py").write_text(LIMITED)
    (tmp_path / "test_one.py").write_text("def test_one():\n    pass\n")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path)]
    run = subprocess.run(command, cwd=Path(__file__).parents[1], capture_output=True, text=True)
    assert run.returncode == 1 and "test_one.py; see MOST" in run.stdout, run.stdout


@pytest.fixture
def bases(monkeypatch, tmp_path):
    """Files that stand for case bases, each read as an object of its own."""
    monkeypatch.setattr(cbr, "_loaded", {})
    monkeypatch.setattr(cbr, "load_base", lambda base, domain: base)
    monkeypatch.setattr(cbr, "CaseIndex", lambda base: [base])
    paths = [tmp_path / f"{number}.parquet" for number in range(cbr.KEPT + 1)]
    for path in paths:
        path.write_text(path.name)
    return [str(path) for path in paths]


def test_caches_of_agents_are_dropped(bases, monkeypatch):
    monkeypatch.setattr(cbr, "cached", lru_cache(lambda: object()), raising=False)
    before = cbr.load_index(bases[0], "truco"), cbr.cached()
    assert cbr.load_index(bases[0], "truco") is before[0] and cbr.cached() is before[1]
    conftest.drop_caches()
    assert cbr.load_index(bases[0], "truco") is not before[0] and cbr.cached() is not before[1]


def test_a_server_keeps_few_of_the_bases_that_grow(bases):
    first = cbr.load_index(bases[0], "truco")
    for base in bases[1:-1]:
        cbr.load_index(base, "truco")
    assert cbr.load_index(bases[0], "truco") is first  # used last, so the second is the next to go
    second = cbr.load_index(bases[1], "truco")
    cbr.load_index(bases[-1], "truco")
    assert cbr.load_index(bases[1], "truco") is second and len(cbr._loaded) == cbr.KEPT == 8
