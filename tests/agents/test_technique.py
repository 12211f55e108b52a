"""Declaration of a technique: its agents, bindings, identity and rows of the matrix."""

import importlib
import subprocess
import sys
from importlib.metadata import EntryPoint

import pytest

import bolicho
from bolicho.agents import technique as techniques
from bolicho.agents.registry import Entry, built_in_entries, entries, find
from bolicho.agents.technique import Technique, built_in_techniques
from bolicho.arena.experiment import Experiment
from bolicho.arena.identity import identity
from bolicho.errors import BadInput
from bolicho.games import BUILT_IN
from bolicho.sources import files_of, fingerprint

DECLARED = built_in_techniques().items()


@pytest.mark.parametrize(("module", "technique"), DECLARED)
def test_every_import_string_of_a_technique_resolves(module, technique):
    assert technique.name == module.rpartition(".")[2]
    for preset in technique.presets().values():
        assert callable(techniques.load(preset.agent))
    for game in technique.bindings:
        assert game in BUILT_IN and technique.binding(game) is not None
    assert technique.binding("chess") is None


@pytest.mark.parametrize(("module", "technique"), [pair for pair in DECLARED if pair[1].bindings])
def test_identity_of_a_technique_follows_its_bindings(module, technique):
    bound = {home.partition(":")[0] for home in technique.bindings.values()}
    assert bound <= files_of(module).keys()


def test_identity_of_a_run_contains_only_the_techniques_of_its_agents():
    found = identity(Experiment("dominoes", ("rule", "random"), duplicates=1, seed=1))
    modules = {name for name in found if name.startswith("bolicho.agents.")}
    assert {"bolicho.agents.rules", "bolicho.agents.basic", "bolicho.agents.rules.dominoes"} <= modules
    others = {f"bolicho.agents.{name}" for name in techniques.BUILT_IN if name not in ("rules", "basic")}
    assert not [name for name in modules for other in others if f"{name}.".startswith(f"{other}.")]


def test_declarations_import_no_code_of_their_techniques():
    code = (
        "import sys; from bolicho.agents.technique import built_in_techniques; built_in_techniques();"
        "print([name for name in sys.modules if name.startswith('bolicho.agents.') and name.count('.') > 2])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


# --- A technique of another package --------------------------------------------------------------

MINE = """
from bolicho.agents.technique import Preset, Technique

TECHNIQUE = Technique(
    "mine",
    agents={"mine": "my_player:Mine", "mine-last": Preset("my_player:Mine", {"last": True})},
    bindings={"dominoes": "my_dominoes:NAME", "fives": "my_fives"},
)
"""
PLAYER = '''
from bolicho import Agent


class Mine(Agent):
    """Plays the first action, or the last."""

    def __init__(self, last: bool = False) -> None:
        self.last = last

    def act(self, view, rng):
        return view.legal[-1 if self.last else 0]
'''


@pytest.fixture
def mine(tmp_path, monkeypatch):
    for name, text in {"my_technique": MINE, "my_player": PLAYER, "my_dominoes": "NAME = 'it'", "my_fives": ""}.items():
        (tmp_path / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    points = [EntryPoint("mine", "my_technique:TECHNIQUE", techniques.GROUP)]
    monkeypatch.setattr(techniques, "entry_points", lambda group: points)
    yield tmp_path, points
    for name in ("my_technique", "my_player", "my_dominoes", "my_fives"):
        sys.modules.pop(name, None)


def test_technique_of_another_package_is_registered_by_an_entry_point(mine):
    assert [entry.name for entry in entries()][len(built_in_entries()) :][:2] == ["mine", "mine-last"]
    assert find("mine-last").about == "Plays the first action, or the last."
    assert find("mine-last").declared == "my_technique"
    table = bolicho.game("dominoes").deal(1)
    assert bolicho.agent("mine-last").act(table.view(), None) == table.legal[-1]
    found = next(one for one in techniques.techniques() if one.name == "mine")
    assert found.binding("dominoes") == "it" and found.binding("fives").__name__ == "my_fives"


def test_changed_binding_changes_the_identity(mine):
    folder, _ = mine
    importlib.import_module("my_technique")
    before = fingerprint("my_technique")
    run = identity(Experiment("dominoes", ("mine", "random"), duplicates=1, seed=1))
    assert {"my_technique", "my_dominoes", "my_fives", "my_player"} <= run.keys()
    (folder / "my_dominoes.py").write_text("NAME = 'something else'")
    assert fingerprint("my_technique") != before
    assert identity(Experiment("dominoes", ("mine", "random"), duplicates=1, seed=1)) != run


@pytest.mark.parametrize(
    ("value", "says"), [("my_player:Mine", "is a type, not a Technique"), ("no_module:X", "ModuleNotFoundError")]
)
def test_broken_technique_is_reported_and_other_techniques_still_load(mine, value, says):
    mine[1][:] = [EntryPoint("wrong", value, techniques.GROUP)]
    broken = [entry for entry in entries() if entry.broken]
    assert [entry.name for entry in broken] == ["wrong"] and says in broken[0].broken
    with pytest.raises(BadInput, match="the agent wrong is broken"):
        bolicho.agent("wrong")
    assert isinstance(find("random"), Entry)
    assert all(isinstance(one, Technique) for one in techniques.techniques())
