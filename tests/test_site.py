"""The documentation site: it builds without a warning, is complete, and loads nothing from other hosts."""

import os
import re
import subprocess
import sys
from html import unescape
from pathlib import Path

import pytest
import typer

import bolicho
from bolicho.agents.registry import entries
from bolicho.agents.training import trainings
from bolicho.arena.rows import COLUMNS
from bolicho.cli import app
from bolicho.games import BUILT_IN
from bolicho.lab.matrix.leaderboard import shipped
from bolicho.lab.published import ITEMS

pytest.importorskip("furo", reason="furo is not installed; it comes with the extra `docs`")

DOCS = Path(__file__).parents[1] / "docs"
PAGES = [path.relative_to(DOCS).with_suffix("").as_posix() for path in DOCS.rglob("*.md")]
LOADED = (
    r"""<(?:script|img|iframe|source|audio|video|embed)\b[^>]*?\bsrc=["']?([^"'\s>]+)"""
    r"""|<link\b[^>]*?\bhref=["']?([^"'\s>]+)"""
)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Folder of the site, built as `make docs` builds it."""
    out = tmp_path_factory.mktemp("site")
    environment = {**os.environ, "PYTHONPATH": str(Path(bolicho.__file__).parents[1])}
    options = ("--builder", "html", "--fresh-env", "--fail-on-warning", "--keep-going", "--quiet")
    command = [sys.executable, "-m", "sphinx", *options, str(DOCS), str(out)]
    run = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return out


def text_of(page):
    """Return the text of a page of HTML, without its marks."""
    return unescape(re.sub(r"<[^>]+>", "", page.read_text()))


def test_every_page_is_in_the_navigation_of_the_index(site):
    sidebar = re.search(r'<div class="sidebar-tree">.*?</aside>', (site / "index.html").read_text(), re.DOTALL)
    linked = set(re.findall(r'href="([^"#]+)\.html"', sidebar[0]))
    assert set(PAGES) - {"index"} - linked == set()


def test_the_search_index_holds_every_page(site):
    index = (site / "searchindex.js").read_text()
    assert [page for page in PAGES if f'"{page}"' not in index] == []


def test_nothing_is_loaded_from_another_host(site):
    found = []
    for path in [path for path in site.rglob("*") if path.suffix in (".html", ".css", ".js", ".svg")]:
        text = path.read_text()
        loaded = ["".join(target) for target in re.findall(LOADED, text)] if path.suffix == ".html" else []
        if path.suffix in (".html", ".css", ".svg"):
            loaded += re.findall(r"""(?:@import\s+|url\()["']?([^"')\s]+)""", text)
        if path.suffix == ".js":
            loaded += re.findall(r"""(?:import\s*\(|fetch\s*\(|importScripts\s*\(|from\s+)\s*["'`]([^"'`]+)""", text)
        found += [(path.name, target) for target in loaded if re.match(r"(?:\w+:)?//", target)]
    assert found == []


def commands(command, path):
    """Yield the path of every command of the program with its parameters."""
    yield path, command.params
    for name, child in getattr(command, "commands", {}).items():
        yield from commands(child, f"{path} {name}")


def test_the_command_line_reference_holds_every_command_and_option(site):
    parts = re.split(r"<h[23]>", (site / "reference" / "cli.html").read_text())
    described = {unescape(re.sub(r"<[^>]+>", "", part.partition("<a ")[0])): unescape(part) for part in parts[1:]}
    for path, parameters in commands(typer.main.get_command(app), "bolicho"):
        text = re.sub(r"<[^>]+>", " ", described[path])
        for parameter in [one for one in parameters if not getattr(one, "hidden", False)]:
            names = parameter.opts if parameter.param_type_name == "option" else [parameter.metavar or parameter.name]
            assert [name for name in names if name not in text] == [], path


def test_the_reference_holds_every_agent_and_training(site):
    agents, trained = (text_of(site / "reference" / f"{name}.html") for name in ("agents", "trainings"))
    for entry in entries():
        assert re.search(rf"^\s*{re.escape(entry.name)}\s*$", agents, re.MULTILINE), entry.name
        assert [option for option in entry.options if option not in agents] == [], entry.name
    assert "units of each of the two layers" in trained and "first threshold of retrieval" in agents
    for chosen in trainings():
        part = re.search(rf"bolicho train {re.escape(chosen.training.name)} (\S+)", trained)
        assert part and chosen.game in part[1].split("|"), chosen.name


def test_the_python_reference_holds_every_public_name(site):
    from bolicho import kit

    for page, names in (("bolicho", bolicho.__all__), ("kit", kit.__all__)):
        text = (site / "reference" / f"{page}.html").read_text()
        assert [name for name in names if f"bolicho.{name}" not in text and f"kit.{name}" not in text] == []


def test_the_reference_names_every_feature_in_order(site):
    text = text_of(site / "reference" / "environments.html")
    for name in BUILT_IN:
        features = bolicho.game(name).feature_names
        assert ", ".join(f"{number} {feature}" for number, feature in enumerate(features)) in text, name


def test_views_page_shows_every_field_of_a_view_and_of_a_record(site):
    text = text_of(site / "views.html")
    for name in BUILT_IN:
        game = bolicho.game(name)
        fields = [field["name"] for field in game.describe()["record"]["fields"]]
        fields += game.deal(1).view(0).data()["table"]
        assert [field for field in fields if not re.search(rf"^\s*{field}\s*$", text, re.MULTILINE)] == [], name


def test_pages_of_data_show_every_row(site):
    columns, outcomes, best = (
        text_of(site / f"{name}.html").replace("\u2019", "'") for name in ("columns", "references", "leaderboard")
    )
    meanings = [meaning.replace("`", "") for file in COLUMNS.values() for _, _, meaning in file]
    assert [meaning for meaning in meanings if meaning not in columns] == []
    assert [item.name for item in ITEMS if item.why not in outcomes] == []
    agents = {row["agent"] for game in shipped()["games"].values() for row in game["rows"]}
    assert [agent for agent in agents if agent not in best] == []


def test_the_http_reference_holds_every_request(site):
    from bolicho.web.app import make_app
    from bolicho.web.app_state import Settings
    from bolicho.web.workers import AgentPool

    text = text_of(site / "reference" / "rest.html")
    described = make_app(Settings(""), AgentPool([]), None).openapi()["paths"]
    for path, methods in described.items():
        assert [method for method in methods if f"{method.upper()} {path}" not in text] == [], path
        assert [method for method, request in methods.items() if not request.get("description")] == [], path
