"""Memory limits of test processes and of caches."""

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


def test_process_above_the_memory_limit_fails_the_run(tmp_path):
    (tmp_path / "conftest.py").write_text(LIMITED)
    (tmp_path / "test_one.py").write_text("def test_one():\n    pass\n")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path)]
    run = subprocess.run(command, cwd=Path(__file__).parents[1], capture_output=True, text=True)
    assert run.returncode == 1 and "test_one.py; see MOST" in run.stdout, run.stdout


@pytest.fixture
def bases(monkeypatch, tmp_path):
    """Return paths of files in the place of case bases, each read as a separate object."""
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


def test_server_keeps_a_bounded_number_of_case_bases(bases):
    first = cbr.load_index(bases[0], "truco")
    for base in bases[1:-1]:
        cbr.load_index(base, "truco")
    assert cbr.load_index(bases[0], "truco") is first  # most recently used, so the second is evicted next
    second = cbr.load_index(bases[1], "truco")
    cbr.load_index(bases[-1], "truco")
    assert cbr.load_index(bases[1], "truco") is second and len(cbr._loaded) == cbr.KEPT == 8
