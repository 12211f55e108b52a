"""Third-party agents at the command line: lookup, output and error messages."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import bolicho

ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(bolicho.__file__).parent.parent), "COLUMNS": "200"}
BOLICHO = [sys.executable, "-P", "-c", "from bolicho.cli import main; main()"]  # as the installed command starts

LOUD = """
import subprocess, sys
from bolicho import Agent

print("imported")


class Loud(Agent):
    "Talks [/all] the time."

    def act(self, view, rng):
        print("acting")
        sys.__stdout__.write("loudly")
        subprocess.run(["echo", "from afar"])
        return view.legal[0]


class Mute(Agent):
    def act(self, view, rng):
        return {}["what"]


class Needs(Agent):
    def __init__(self, depth):
        pass


class Breaks(Agent):
    def __init__(self):
        1 / 0
"""

STOLEN = "raise SystemExit('stolen')"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "loud.py").write_text(LOUD)
    return tmp_path


def bolicho_run(*arguments, cwd):
    return subprocess.run([*BOLICHO, *map(str, arguments)], cwd=cwd, env=ENVIRONMENT, capture_output=True, text=True)


@pytest.mark.parametrize("jobs", [1, 2])
def test_output_of_an_agent_goes_to_stderr(folder, jobs):
    arguments = ["loud:Loud", "random", "--duplicates", 2, "-r", "hands=1", "--jobs", jobs]
    run = bolicho_run("tournament", "truco", *arguments, "--out", "run", "--json", cwd=folder)
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout)["games"] == 4
    for word in ("imported", "acting", "loudly", "from afar"):
        assert word in run.stderr


def test_play_with_json_prints_one_object_alone(folder):
    run = bolicho_run("play", "truco", "loud:Loud", "random", "--seed", 1, "-r", "hands=1", "--json", cwd=folder)
    assert json.loads(run.stdout)["over"] and "acting" in run.stderr


@pytest.mark.parametrize("jobs", [1, 2])
def test_local_files_do_not_replace_installed_modules(folder, jobs):
    for name in ("secrets", "random", "queue", "numpy", "bolicho"):
        (folder / f"{name}.py").write_text(STOLEN)
    arguments = ["loud:Loud", "random", "--duplicates", 2, "-r", "hands=1", "--jobs", jobs]
    run = bolicho_run("tournament", "truco", *arguments, "--out", "run", cwd=folder)
    assert run.returncode == 0, run.stderr
    assert "stolen" not in run.stderr
    assert bolicho_run("play", "truco", "random", "random", "-r", "hands=1", cwd=folder).returncode == 0


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("os:path", "os:path is not an agent but a module"),
        ("builtins:int", "builtins:int is not an agent but a type"),
        ("loud:Needs", "the agent loud:Needs needs the option depth"),
        ("loud:Breaks", "the agent loud:Breaks cannot be made: ZeroDivisionError: division by zero (loud.py, line "),
        ("markov(base=nope)", "unknown artifact 'nope'"),
    ],
)
@pytest.mark.parametrize("command", ["play", "tournament"])
def test_agent_that_cannot_be_made_prints_one_sentence_and_exits_with_code_2(folder, command, spec, sentence):
    run = bolicho_run(command, "truco", spec, "random", cwd=folder)
    assert run.returncode == 2, run.stderr
    said = [line for line in run.stderr.splitlines() if line != "imported"]
    assert len(said) == 1 and said[0].startswith(f"bolicho: {sentence}") and run.stdout == ""
    assert not (folder / "runs").exists()


def test_a_broken_plugin_does_not_hide_the_others(folder):
    info = folder / "loud-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: loud\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[bolicho.agents]\nloud = loud:Loud\ncrumbled = loud:Nobody\n")
    told = bolicho_run("agents", "truco", cwd=folder)
    assert told.returncode == 0, told.stderr
    assert "Talks [/all] the time." in told.stdout and "balanced" in told.stdout
    assert "broken: cannot load the agent 'crumbled': AttributeError" in told.stdout
    listed = json.loads(bolicho_run("agents", "--json", cwd=folder).stdout)["agents"]
    assert {"loud", "crumbled", "random"} <= {agent["name"] for agent in listed}
    assert [agent["name"] for agent in listed if agent["oracle"]] == ["alphabeta", "open-mcts", "pi", "sarsa-open"]


def test_help_goes_to_stdout(folder):
    for command in ([], ["play"], ["tournament"]):
        run = bolicho_run(*command, "--help", cwd=folder)
        assert run.returncode == 0 and "Usage" in run.stdout and run.stderr == ""


def test_agent_that_raises_when_asked_prints_one_sentence_and_exits_with_code_2(folder):
    (folder / "position.json").write_text(json.dumps({"game": "truco", "seed": 1, "actions": []}))
    run = bolicho_run("ask", "position.json", "loud:Mute", cwd=folder)
    assert run.returncode == 2 and run.stdout == ""
    assert run.stderr.splitlines()[-1].startswith("bolicho: the agent failed to decide: KeyError: 'what' (loud.py")
