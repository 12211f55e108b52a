"""Fingerprints of modules, which cover everything that they import."""

import importlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from bolicho import sources

LITERALS = """
import importlib
from importlib import import_module

def act():
    importlib.import_module("late")
    __import__('later')
    import_module(".near", __package__)
    import_module(
        name=".called", package="pack"
    )
    import_module("numpy")
    import_module("missing.module")
"""
FILES = {
    "mine.py": "from helper import value\nimport pack.deep.inner\nimport numpy\n",
    "helper.py": "from pack import (\n    shared,  # a module\n    name,\n)\nvalue = 1\n",
    "pack/__init__.py": "name = 1\n",
    "pack/shared.py": "from . import sister\n",
    "pack/sister.py": "def late():\n    from .deep import other\n",
    "pack/deep/__init__.py": "",
    "pack/deep/inner.py": "from ..beside import thing\n",
    "pack/deep/other.py": LITERALS,
    "pack/deep/near.py": "",
    "pack/called.py": "",
    "late.py": "",
    "later.py": "",
    "pack/beside.py": "thing = 1\n",
    "stranger.py": "value = 1\n",
}
RESTS_ON = {"mine", "helper", "pack", "pack.shared", "pack.sister", "pack.deep.inner"} | {
    "pack.deep.other", "pack.beside", "pack.deep.near", "pack.called", "late", "later",
}  # fmt: skip


@pytest.fixture
def folder(tmp_path, monkeypatch):
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    before = set(sys.modules)
    importlib.import_module("mine")
    yield tmp_path
    for name in set(sys.modules) & RESTS_ON - before:
        del sys.modules[name]


def test_imports_of_every_form_are_found(folder):
    assert set(sources.files_of("mine")) == RESTS_ON


@pytest.mark.parametrize("name", sorted(FILES))
def test_changed_file_changes_only_fingerprints_of_modules_that_import_it(folder, name):
    before = sources.fingerprint("mine")
    assert sources.fingerprint("mine") == before
    path = folder / name
    path.write_text(path.read_text() + "# changed\n")
    module = name.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    assert (sources.fingerprint("mine") != before) == (module in RESTS_ON)


def test_fingerprint_covers_modules_of_the_package():
    importlib.import_module("bolicho.games.truco")
    files = sources.files_of("bolicho.games.truco.compiled.unseen")
    assert {"bolicho.games.truco.kernel", "bolicho.games.compiled.chance", "bolicho.games.truco.rules"} <= set(files)
    assert not any(name.startswith(("bolicho.cli", "bolicho.arena", "numpy")) for name in files)


def test_module_without_a_file_has_no_fingerprint():
    sys.modules["prompt"] = type(sys)("prompt")
    try:
        assert sources.fingerprint("prompt") is None
    finally:
        del sys.modules["prompt"]


def test_files_of_modules_equal_those_of_sys_modules():
    importlib.import_module("bolicho.games.truco")
    for name, path in sources.files_of("bolicho.games.truco.kernel").items():
        assert Path(sys.modules[name].__file__).resolve() == path


def test_installed_packages_of_another_environment_are_not_followed(folder, monkeypatch):
    """Packages that a `.pth` file has put on the path of this environment."""
    packages = folder / "lib" / "site-packages"
    packages.mkdir(parents=True)
    (packages / "elsewhere.py").write_text("")
    (folder / "helper.py").write_text("import elsewhere\nfrom pack import shared, name\nvalue = 1\n")
    monkeypatch.syspath_prepend(str(packages))
    assert set(sources.files_of("mine")) == RESTS_ON


def test_module_loaded_by_a_computed_name_is_found(folder):
    """Use a separate process, since this one has loaded modules of many tests."""
    code = "import mine; __import__('pack.' + 'called', fromlist=['x']); from bolicho import sources; "
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), str(Path(sources.__file__).parents[1])])}
    printed = subprocess.run(
        [sys.executable, "-P", "-c", code + "print(*sources.loaded_files())"],
        env=environment, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    loaded = {"mine", "helper", "pack", "pack.shared", "pack.sister", "pack.deep", "pack.deep.inner", "pack.beside"}
    assert set(printed.split()) == loaded | {"pack.called"}


def test_name_imported_from_kit_depends_on_its_defining_module(tmp_path, monkeypatch):
    (tmp_path / "game_of_mine.py").write_text("from bolicho.kit import implements, kernel, rule\n")
    monkeypatch.syspath_prepend(tmp_path)
    importlib.import_module("game_of_mine")
    found = sources.files_of("game_of_mine")
    assert {"bolicho.games.kernel", "bolicho.games.jit"} <= set(found)
    assert not [name for name in found if name.startswith(("bolicho.agents", "bolicho.arena", "bolicho.kit"))]
