"""Documentation: doctests pass, commands run, and the tutorial's agent plays."""

import doctest
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import bolicho

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(bolicho.__file__).parent.parent)}
TWINS = {
    "people.md": "pessoas.md", "ethics.md": "etica.md", "play.md": "jogar.md", "playing.md": "jogar-bem.md",
    "analyse.md": "analise.md", "games/truco.md": "games/regras-truco.md",
    "games/dominoes.md": "games/regras-domino.md",
}  # fmt: skip
RULES = {f"games/{name}.md": ROOT / "src" / "bolicho" / "games" / name / "rules.md" for name in ("truco", "dominoes")}
"""Files whose first section the twins of these pages translate; of the others, the whole page."""
BOLICHO = [sys.executable, "-c", "from bolicho.cli import main; main()"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_doctests_of_pages_pass(page):
    if page.name == "openspiel.md":
        pytest.importorskip("pyspiel", reason="OpenSpiel is not installed (extra `openspiel`)")
    assert doctest.testfile(str(page), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE).failed == 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_relative_links_lead_to_existing_files(page):
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text()):
        if "://" not in target:
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def commands(page):
    blocks = re.findall(r"```console\n(.*?)```", page.read_text(), re.DOTALL)
    lines = [line.removeprefix("$ ") for block in blocks for line in block.splitlines() if line.startswith("$ ")]
    return [shlex.split(line)[1:] for line in lines if line.startswith("bolicho ")]


@pytest.mark.parametrize("page", [page for page in PAGES if commands(page)], ids=lambda page: page.name)
def test_commands_run(page, tmp_path):
    for number, block in enumerate(re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL)):
        if "class " in block and number == 0:
            (tmp_path / "my_agents.py").write_text(block)
    made = "STUDY"  # id of the study created last, which a page cannot know
    for command in commands(page):
        command, _, file = "\n".join(command).replace("STUDY", made).partition("\n>\n")
        arguments = [*BOLICHO, *command.split("\n")]
        run = subprocess.run(arguments, cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True)
        assert run.returncode == 0, f"{' '.join(arguments)}: {run.stderr}"
        if file:
            (tmp_path / file).write_text(run.stdout)
        made = next(iter(re.findall(r"^study: (\w+)$", run.stdout, re.MULTILINE)), made)


@pytest.mark.parametrize(("page", "twin"), TWINS.items())
def test_portuguese_page_says_the_same(page, twin):
    """Compare commands, headings, tables, lists, names in code, and links."""
    texts = [(ROOT / "docs" / name).read_text() for name in (page, twin)]
    if page in RULES:
        texts[0] = RULES[page].read_text().partition("## Rules\n")[2].partition("\n## ")[0]
        texts = [texts[0].replace("\n### ", "\n## "), texts[1].partition("\n")[2]]
    for what in (r"```(?:console)?\n(.*?)```", r"^(#+) ", r"^\| `[^|\n]*|^\|(?:--)?", r"^- (?:\[ \])?"):
        found = [re.findall(what, text, re.DOTALL | re.MULTILINE) for text in texts]
        assert found[0] == found[1], what
    named = [set(re.findall(r"`([^`\n]+)`", text)) for text in texts]
    assert named[0] == named[1]
    folder = Path(page).parent
    linked = [[str(folder / target) for target in re.findall(r"\]\(([^)#]+)", text)] for text in texts]
    portuguese = {**TWINS, **{twin: page for page, twin in TWINS.items()}, "images/table.png": "images/table.pt.png"}
    back = [page] if page in RULES else []  # the twin of rules links to the English page
    assert sorted([*(portuguese.get(target, target) for target in linked[0]), *back]) == sorted(linked[1])


def test_portuguese_readme_matches_the_english_one():
    ours, twin = (ROOT / name for name in ("README.md", "README.pt.md"))
    for what in (r"```console\n(.*?)```", r"^(#+) ", r"^- "):
        found = [re.findall(what, page.read_text(), re.DOTALL | re.MULTILINE) for page in (ours, twin)]
        assert found[0] == found[1] and found[0], what
    linked = [set(re.findall(r"\]\(([^)]+)\)", page.read_text())) for page in (ours, twin)]
    assert linked[0] - linked[1] == {"README.pt.md", "docs/images/table.png"}
    assert all((ROOT / target.partition("#")[0]).exists() for target in linked[1])
    assert doctest.testfile(str(twin), module_relative=False).failed == 0
