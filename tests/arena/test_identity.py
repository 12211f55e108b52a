"""Identity of a run: one version of code and files, and errors that name a change."""

import importlib
import json
import shutil
import sys

import pytest

import bolicho.arena.run
from bolicho import BadInput
from bolicho.arena.experiment import Experiment
from bolicho.arena.identity import authors, identity
from bolicho.arena.run import inspect_agent, read_run, run
from bolicho.store.artifact import SHIPPED, load_artifact, save_artifact

MINE = """
from bolicho import Agent
from identity_taste import favourite

class Mine(Agent):
    def __init__(self, table: str = "") -> None:
        self.table = table

    def act(self, view, rng):
        return view.legal[favourite(len(view.legal))]
"""
TASTE = "def favourite(n):\n    return 0\n"
EXPERIMENT = Experiment("truco", ["random", "identity_mine:Mine"], {"hands": 1}, duplicates=4)


@pytest.fixture
def mine(tmp_path, monkeypatch):
    """Module of an external agent, and a module that it imports."""
    folder = tmp_path / "code"
    folder.mkdir()
    (folder / "identity_mine.py").write_text(MINE)
    (folder / "identity_taste.py").write_text(TASTE)
    monkeypatch.syspath_prepend(folder)
    yield folder
    for name in ("identity_mine", "identity_taste"):
        sys.modules.pop(name, None)


def edit(file, text):
    """Write another version of a module, and unload it, as for the next process."""
    file.write_text(text)
    for name in ("identity_mine", "identity_taste"):
        sys.modules.pop(name, None)
    importlib.invalidate_caches()


def test_finished_run_is_refused_for_an_edited_agent(mine, tmp_path):
    finished = run(EXPERIMENT, tmp_path / "run")
    assert run(EXPERIMENT, tmp_path / "run") == finished
    edit(mine / "identity_mine.py", MINE.replace("favourite(len(view.legal))", "-1"))
    with pytest.raises(BadInput, match="played before a change of identity_mine; choose another folder, or delete"):
        run(EXPERIMENT, tmp_path / "run")
    assert read_run(tmp_path / "run") == finished, "the stored run can still be read"
    edit(mine / "identity_mine.py", MINE)
    assert run(EXPERIMENT, tmp_path / "run") == finished


def test_unfinished_run_is_not_resumed_with_another_version(mine, tmp_path, monkeypatch):
    def give_up(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(bolicho.arena.run, "merge_parts", give_up)
    with pytest.raises(KeyboardInterrupt):
        run(EXPERIMENT, tmp_path / "run")
    monkeypatch.undo()
    monkeypatch.syspath_prepend(mine)
    edit(mine / "identity_taste.py", TASTE.replace("0", "n - 1"))
    with pytest.raises(BadInput, match="played before a change of identity_taste;"):
        run(EXPERIMENT, tmp_path / "run")


def test_code_edited_during_a_run_ends_the_run(mine, tmp_path, monkeypatch):
    merge = bolicho.arena.run.merge_parts

    def edit_and_merge(*arguments):
        (mine / "identity_taste.py").write_text(TASTE + "# later\n")
        merge(*arguments)

    monkeypatch.setattr(bolicho.arena.run, "merge_parts", edit_and_merge)
    with pytest.raises(BadInput, match="identity_taste was changed while the run in"):
        run(EXPERIMENT, tmp_path / "run")
    with pytest.raises(BadInput, match="holds no finished run"):
        read_run(tmp_path / "run")


WAYS = {
    "literal": "importlib.import_module('identity_taste')",
    "builtin": '__import__("identity_taste")',
    "computed": "importlib.import_module('identity_' + 'taste')",
    "by file": """importlib.util.module_from_spec(
    importlib.util.spec_from_file_location('identity_taste', Path(__file__).with_name('identity_taste.py'))
)
sys.modules['identity_taste'] = taste
taste.__spec__.loader.exec_module(taste)""",
}


@pytest.mark.parametrize("way", WAYS)
def test_module_imported_in_any_way_is_part_of_the_agent(mine, tmp_path, way):
    """Modules found by the process that describes the agent, also under computed names."""
    imports = "import importlib, importlib.util, sys\nfrom pathlib import Path\n"
    loading = f"{imports}taste = {WAYS[way]}\nfavourite = taste.favourite"
    edit(mine / "identity_mine.py", MINE.replace("from identity_taste import favourite", loading))
    found = authors(inspect_agent(EXPERIMENT, "identity_mine:Mine").modules)
    assert found == {name: mine / f"{name}.py" for name in ("identity_mine", "identity_taste")}


def test_module_imported_during_play_is_part_of_the_agent_if_its_name_is_literal(mine, tmp_path):
    late = MINE.replace("from identity_taste import favourite\n", "import importlib\n").replace(
        "favourite(len(view.legal))", "importlib.import_module('identity_taste').favourite(len(view.legal))"
    )
    edit(mine / "identity_mine.py", late)
    run(EXPERIMENT, tmp_path / "run")
    edit(mine / "identity_taste.py", TASTE.replace("0", "n - 1"))
    with pytest.raises(BadInput, match="played before a change of identity_taste;"):
        run(EXPERIMENT, tmp_path / "run")


def test_a_file_that_an_option_names_is_part_of_the_agent(mine, tmp_path):
    table = tmp_path / "table.csv"
    table.write_text("1")
    experiment = Experiment("truco", ["random", f"identity_mine:Mine(table={table})"], {"hands": 1}, duplicates=1)
    run(experiment, tmp_path / "run")
    table.write_text("2")
    with pytest.raises(BadInput, match=r"before a change of table\.csv of identity_mine:Mine"):
        run(experiment, tmp_path / "run")


@pytest.mark.parametrize(
    ("game", "agent", "file"),
    [
        ("dominoes", "sarsa", "sarsa-dominoes.safetensors"),
        ("fives", "sarsa-open", "sarsa-open-fives.safetensors"),
        ("truco", "markov", "markov-truco.safetensors"),
        ("truco", "markov-plus", "markov-plus-truco.safetensors"),
        ("truco", "pvcnps(base=baseline)", "cbr-baseline-truco.parquet"),
        ("wonders", "dqn", "dqn-wonders.safetensors"),
    ],
)
def test_identity_contains_the_files_of_built_in_agents(game, agent, file, tmp_path, monkeypatch):
    experiment = Experiment(game, [agent])
    before = identity(experiment)
    assert f"{file} of {agent}" in before
    shutil.copy(SHIPPED / file, tmp_path / file)
    with (tmp_path / file).open("ab") as other:
        other.write(b" ")
    monkeypatch.setenv("BOLICHO_ARTIFACTS", str(tmp_path))
    after = identity(experiment)
    assert {name for name in after if after[name] != before[name]} == {f"{file} of {agent}"}


def test_another_artifact_of_the_same_name_is_another_agent(tmp_path, monkeypatch):
    experiment = Experiment("dominoes", ["random", "sarsa"], duplicates=1)
    run(experiment, tmp_path / "run")
    shipped = load_artifact("sarsa-dominoes")
    save_artifact(tmp_path / "sarsa-dominoes.safetensors", shipped.arrays, {**shipped.facts, "seed": 99})
    monkeypatch.setenv("BOLICHO_ARTIFACTS", str(tmp_path))
    with pytest.raises(BadInput, match=r"before a change of sarsa-dominoes\.safetensors of sarsa;"):
        run(experiment, tmp_path / "run")


def test_the_rules_and_the_loop_are_part_of_a_run(tmp_path):
    finished = run(Experiment("truco", ["random"], {"hands": 1}, duplicates=1), tmp_path / "run")
    written = json.loads((finished.folder / "identity.json").read_text())
    rests = {"bolicho.games.truco.kernel", "bolicho.games.game", "bolicho.agents.loop", "bolicho.agents.basic.random"}
    assert rests <= set(written)
    shown = {"bolicho.arena.report", "bolicho.arena.standings"}
    assert not shown & set(written), "the display of a result is not part of its identity"
