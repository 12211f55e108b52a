"""Technique of `docs/new-technique.md`: the page's code, installed as a distribution, is listed, checked and played."""

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import bolicho
from bolicho.agents.technique import GROUP

PAGE = Path(__file__).parents[2] / "docs" / "new-technique.md"
SOURCE = Path(bolicho.__file__).parent.parent
CONCEPTS = 12
CHECK = """
from bolicho.games import BUILT_IN
from bolicho.kit import check_agent, game

for name in sorted(BUILT_IN):
    assert check_agent("rollout-quick", game(name), games=1, looks=4).redeals > 0
"""


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)


MODULE, THEIR_TEST = blocks("python")
(PROJECT,) = map(tomllib.loads, blocks("toml"))
(COMMANDS,) = blocks("sh")


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Return a function that runs Python in a process where the technique is installed."""
    folder = tmp_path_factory.mktemp("site")
    (folder / "rollout.py").write_text(MODULE, encoding="utf-8")
    info = folder / "{name}-{version}.dist-info".format(**PROJECT["project"])
    info.mkdir()
    metadata = "Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n".format(**PROJECT["project"])
    (info / "METADATA").write_text(metadata)
    points = "\n".join(f"{name} = {value}" for name, value in PROJECT["project"]["entry-points"][GROUP].items())
    (info / "entry_points.txt").write_text(f"[{GROUP}]\n{points}\n")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(SOURCE), str(folder)])}

    def run(code: str, *arguments: str) -> str:
        command = [sys.executable, "-c", code, *arguments]
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


def bolicho_command(run, line: str, *more: str) -> str:
    return run("from bolicho.cli import main; main()", *line.removeprefix("bolicho ").split(), *more)


def test_technique_of_the_page_is_sixty_lines_of_few_public_names():
    assert sum(bool(line.strip()) for line in MODULE.splitlines()) <= 60
    (names,) = re.findall(r"^from bolicho\.kit import (.*)$", MODULE, re.MULTILINE)
    assert MODULE.count("bolicho") == 1 and len(names.split(",")) <= CONCEPTS
    assert set(PROJECT["tool"]["setuptools"]["py-modules"]) == {"rollout"}


def test_agents_of_the_page_are_listed(run):
    listed, _ = COMMANDS.splitlines()
    names = [agent["name"] for agent in json.loads(bolicho_command(run, listed, "--json"))["agents"]]
    assert {"rollout", "rollout-quick"} <= set(names)


def test_technique_of_the_page_keeps_the_contract_in_every_game(run):
    run(CHECK)


def test_own_test_of_the_page_passes(run):
    test = f"open('test_rollout.py', 'w').write({THEIR_TEST!r}); import pytest; raise SystemExit(pytest.main(['-q']))"
    assert "4 passed" in run(test)


def test_tournament_of_the_page_on_mirrored_deals(run):
    _, tournament = COMMANDS.splitlines()
    result = json.loads(bolicho_command(run, tournament, "--jobs", "1", "--json"))
    first, second = result["agents"]
    assert (first["agent"], first["games"], first["forfeits"], second["forfeits"]) == ("rollout", 100, 0, 0)
    value, low, high = (100 * first["rate"][name] for name in ("value", "low", "high"))
    won = f"{value:.1f}% [{low:.1f}, {high:.1f}]"
    assert won in PAGE.read_text(encoding="utf-8")
