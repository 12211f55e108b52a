"""The compile cache is keyed by everything compiled code rests on."""

import shutil
from pathlib import Path

import bolicho
from bolicho.games import jit


def hash_of(package: Path, monkeypatch) -> str:
    monkeypatch.setattr(jit, "__file__", str(package / "games" / "jit.py"))
    return jit._source_hash()


def test_a_changed_kernel_or_table_changes_the_cache(tmp_path, monkeypatch):
    package = tmp_path / "bolicho"
    shutil.copytree(Path(bolicho.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__", "artifacts"))
    before = hash_of(package, monkeypatch)
    assert hash_of(package, monkeypatch) == before
    for changed in ("games/truco/kernel.py", "games/truco/rules.py", "agents/rules/truco/kernel.py"):
        path = package / changed
        path.write_text(path.read_text() + "\n# changed\n")
        after = hash_of(package, monkeypatch)
        assert after != before, changed
        before = after


def test_what_is_above_the_agents_changes_nothing(tmp_path, monkeypatch):
    package = tmp_path / "bolicho"
    shutil.copytree(Path(bolicho.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__", "artifacts"))
    before = hash_of(package, monkeypatch)
    (package / "cli.py").write_text("")
    assert hash_of(package, monkeypatch) == before
