"""Structure of the package: layers of imports, public names, folders, and no work at import time."""

import ast
import importlib
import inspect
import pydoc
import re
import subprocess
import sys
from pathlib import Path

import pytest

import bolicho
from bolicho import kit

PACKAGE = Path(bolicho.__file__).parent
LAYERS = [
    "errors",
    "formats",
    "strict",
    "files",
    "sources",
    "stats",
    "progress",
    "machine",
    "i18n",
    "words",
    "games",
    "store",
    "agents",
    "arena",
    "vector",
    "gymnasium",
    "pettingzoo",
    "openspiel",
    "trl",
]
LAYERS += ["kit", "wasm", "lab", "web", "site", "bench", "cli", "__main__"]
"""Layers of the package; a module imports from its own layer and those before it."""


def layer(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imported_names(path: Path) -> set[str]:
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def imported_layers(path: Path) -> set[str]:
    return {name.split(".")[1] for name in imported_names(path) if name.startswith("bolicho.")} & set(LAYERS)


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=lambda p: str(p.relative_to(PACKAGE)))
def test_imports_go_down_only(path):
    here = layer(path)
    if here == "__init__":
        return
    assert here in LAYERS, f"{here} is not in LAYERS"
    for other in imported_layers(path):
        assert LAYERS.index(other) <= LAYERS.index(here), f"{path} imports {other}, which is above it"


def test_importing_the_package_does_no_work():
    code = (
        "import sys, bolicho; dir(bolicho); bolicho.__doc__;"
        "print(sorted(m for m in sys.modules if m in ('numba', 'numpy', 'duckdb', 'matplotlib')))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_the_public_names_of_the_package_are_listed():
    assert set(bolicho.__all__) | {"__doc__", "__version__"} == set(dir(bolicho))
    assert all(getattr(bolicho, name).__doc__ for name in bolicho.__all__)
    described = re.findall(r"^- `(\w+)(\(.*\))?`: \w+", bolicho.__doc__, re.MULTILINE)
    assert sorted(name for name, _ in described) == sorted(bolicho.__all__)
    for name, arguments in described:
        told = [argument.strip("*") for argument in arguments.strip("()").split(", ") if argument]
        assert not told or set(told) <= set(inspect.signature(getattr(bolicho, name)).parameters), name


def test_help_shows_the_public_names():
    page = pydoc.plaintext.document(bolicho)
    assert [name for name in bolicho.__all__ if not re.search(rf"^    (class )?{name}\(", page, re.MULTILINE)] == []


KIT = """
Absent Action Agent BadInput Compiled Estimate Explanation Game IllegalAction Kind LearnedAgent Learner Message Names
Preset Table Technique Training View agent begin below blank_of check_agent check_game choose game implements kernel
load_artifact log mean meet njit plain play players playout rate read_records record_type replay rule save_artifact
state stream train uniform win_shares
"""
"""Names that authors may import; one that is to go stays for a minor version, with a `DeprecationWarning`."""


def test_no_name_of_the_kit_is_gone():
    assert set(kit.__all__) == set(KIT.split()) == {name for name in kit.__all__ if hasattr(kit, name)}
    told = set(re.findall(r"`(\w+)`", kit.__doc__))
    assert set(kit.__all__) - told <= {"Action", "BadInput", "Game", "IllegalAction", "Table", "View"}


PUBLIC = {
    "bolicho",
    "bolicho.kit",
    "bolicho.vector",
    "bolicho.gymnasium",
    "bolicho.pettingzoo",
    "bolicho.openspiel",
    "bolicho.trl",
}


@pytest.mark.parametrize("path", sorted((PACKAGE.parents[1] / "examples").glob("*.py")), ids=lambda path: path.name)
def test_examples_use_public_modules_alone(path):
    used = {name for name in imported_names(path) if name.split(".")[0] == "bolicho"}
    assert {name if name in PUBLIC else name.rpartition(".")[0] for name in used} <= PUBLIC


def test_playing_needs_neither_plots_nor_databases():
    code = (
        "import sys, bolicho; t = bolicho.game('truco').deal(1); t.play(t.legal[0]);"
        "print(sorted(m for m in sys.modules if m in ('duckdb', 'matplotlib', 'sklearn', 'joblib', 'torch')))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_test_folders_mirror_the_folders_of_the_package():
    """Compare all folders of tests except `fuzz`, which covers several of the package."""
    tests = Path(__file__).parent
    folders = {path.parent.relative_to(tests) for path in tests.rglob("*.py")} - {Path("fuzz")}
    assert [str(folder) for folder in sorted(folders) if not (PACKAGE / folder).is_dir()] == []


AGENTS = PACKAGE / "agents"
GAMES = {path.name for path in (PACKAGE / "games").iterdir() if (path / "kernel.py").is_file()}
TECHNIQUES = {path.name for path in AGENTS.iterdir() if path.is_dir()} - {"compiled", "inputs", "__pycache__"}


@pytest.mark.parametrize("technique", sorted(TECHNIQUES))
def test_techniques_do_not_import_game_bindings_of_one_another(technique):
    """Bindings: modules named after a game, or in a folder named after one."""
    assert {"truco", "dominoes", "wonders"} <= GAMES
    foreign = [
        f"{path.relative_to(PACKAGE)} imports {name}"
        for path in (AGENTS / technique).rglob("*.py")
        for name in imported_names(path)
        if name.startswith("bolicho.agents.")
        and name.split(".")[2] in TECHNIQUES - {technique}
        and set(name.split(".")[3:]) & GAMES
    ]
    assert foreign == []


def test_shared_agent_code_imports_no_technique():
    shared = [*(AGENTS / "compiled").rglob("*.py"), *(AGENTS / "inputs").rglob("*.py")]
    names = {name for path in shared for name in imported_names(path) if name.startswith("bolicho.agents.")}
    assert {name.split(".")[2] for name in names} <= {"compiled", "inputs", "kernel"}


def listed_in_architecture() -> set[str]:
    """Folders and modules of the tree in docs/architecture.md, as paths below the package."""
    page = (PACKAGE.parents[1] / "docs" / "architecture.md").read_text()
    tree = re.search(r"^src/bolicho/\n(.*?)^```", page, re.MULTILINE | re.DOTALL)[1]
    found, above = set(), {0: ""}
    for line in tree.splitlines():
        indent = len(line) - len(line.lstrip())
        names = [name for name in re.split(r" {3,}", line.strip())[0].split(" ") if name.endswith(("/", ".py"))]
        found |= {above[indent - 2] + name.rstrip("/") for name in names}
        above[indent] = above[indent - 2] + names[0]
    return found


def test_architecture_page_lists_the_existing_folders():
    listed = listed_in_architecture()
    assert [path for path in sorted(listed) if not (PACKAGE / path).exists()] == []
    folders = {path.relative_to(PACKAGE) for path in [*PACKAGE.glob("*/"), *PACKAGE.glob("*/*/")]}
    modules = {path.relative_to(PACKAGE) for path in PACKAGE.glob("*.py") if path.name != "__init__.py"}
    wanted = {str(path) for path in folders | modules if path.name != "__pycache__"}
    assert sorted(wanted - listed) == []


DEPRECATED = {
    "words": "i18n",
    "arena.here": "arena.inprocess",
    "arena.asking": "arena.inspect",
    "agents.meet": "agents.mirrored_games",
}


@pytest.mark.parametrize("old", DEPRECATED)
def test_deprecated_modules_name_their_successor(old, monkeypatch):
    monkeypatch.delitem(sys.modules, f"bolicho.{old}", raising=False)
    with pytest.warns(DeprecationWarning, match=re.escape(f"bolicho.{DEPRECATED[old]}")):
        importlib.import_module(f"bolicho.{old}")
