"""The private names of Numba that compilation depends on, and the versions that were tested."""

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import numba
import pytest
from numba.core.compiler import CompileResult
from numba.core.dispatcher import _FunctionCompiler

import bolicho
from bolicho.games import numba_version
from bolicho.games.numba_version import NAMES, WANTED, check_version, missing

GAMES = Path(bolicho.__file__).parent / "games"
LISTED = {part for name in NAMES for part in re.split("[:.]", name)} | {
    name for of, names in vars(numba_version).items() if of.startswith("OF_") for name in names
}


def test_the_installed_numba_has_every_private_name():
    assert missing() == [], f"numba {numba.__version__} lacks names that jit.py uses; see games/numba_version.py"


def test_every_private_name_that_compilation_uses_is_listed():
    own = {"_suffix", "_module", "_label", "_path", "_part", "_reduce", "_rebuild"}
    for file in (GAMES / "jit.py", GAMES / "kernel.py"):
        tree = ast.parse(file.read_text())
        imported = {
            name
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom) and re.match(r"numba\.|llvmlite", node.module or "")
            for name in (*node.module.split("."), *(alias.name for alias in node.names))
        }
        private = {
            node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute) and re.match("_[a-z]", node.attr)
        }
        assert imported | private <= LISTED | own, f"{file.name} uses names that numba_version.py does not list"


def test_tested_range_is_the_declared_dependency():
    project = tomllib.loads((GAMES.parents[2] / "pyproject.toml").read_text())["project"]
    assert WANTED in project["dependencies"]


def test_untested_version_is_reported_and_used(monkeypatch, capsys):
    monkeypatch.setattr(numba, "__version__", "0.99.0rc1")
    check_version()
    assert capsys.readouterr().err == (
        f"bolicho was not tested with numba 0.99.0rc1; if something fails: pip install '{WANTED}'\n"
    )


def test_a_missing_name_and_other_parameters_are_named_with_the_version(monkeypatch):
    monkeypatch.setattr(numba, "__version__", "0.99.0")
    monkeypatch.delattr(CompileResult, "_reduce")
    monkeypatch.setattr(_FunctionCompiler, "_compile_core", lambda self, everything: None)
    with pytest.raises(
        ImportError, match=r"numba 0\.99\.0, which lacks numba.core.compiler.CompileResult._reduce, .*"
    ) as why:
        check_version()
    assert "_FunctionCompiler._compile_core(self, args, return_type); pip install" in str(why.value)


def test_import_of_a_game_reports_missing_names_before_anything_is_compiled():
    code = (
        "import numba, numba.core.serialize; numba.__version__ = '0.99.0'; del numba.core.serialize.dumps\n"
        "import bolicho.games.jit"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert run.stderr.splitlines()[-1] == (
        f"ImportError: bolicho cannot compile with numba 0.99.0, which lacks numba.core.serialize.dumps; "
        f"pip install '{WANTED}'"
    )
