"""The list of what was published is whole, and says the same wherever it stands."""

import re
from pathlib import Path

import pytest

from bolicho.agents.neural.net import load
from bolicho.games import game
from bolicho.lab import published
from bolicho.lab.study import STUDIES

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "references.md").read_text()


def test_all_results_are_listed_once():
    names = [(item.work, item.name) for item in published.ITEMS]
    assert len(set(names)) == len(names) == 49, "48 tables and figures, and an appendix"


@pytest.mark.parametrize("item", published.ITEMS, ids=lambda item: f"{item.work}, {item.name}")
def test_each_is_made_again_by_something_that_exists(item):
    assert item.outcome in published.OUTCOMES
    assert item.work in [work.cited for work in published.WORKS]
    if item.study.startswith("tests/"):
        assert (ROOT / item.study).exists()
    else:
        study = next(study for study in STUDIES if study.name == item.study)
        assert item.work in study.source


def test_the_page_has_the_same_list_and_the_same_works():
    assert published.markdown() in PAGE
    for work in published.WORKS:
        for words in (work.cited, work.authors, work.title, work.place, work.year):
            assert words in PAGE


def test_pages_and_code_cite_authors():
    for path in [*(ROOT / "docs").rglob("*.md"), *(ROOT / "src").rglob("*.py"), ROOT / "README.md"]:
        assert not re.search(r"documents? 00\d", path.read_text()), path


def test_the_published_nets_have_their_published_widths():
    """Pereira 2021, tables 3.6 and 3.8."""
    nets = load(game("wonders"), "neural-wonders")
    assert nets.sizes == (
        (32, 80, 80, 63), (32, 80, 80, 63), (37, 90, 90, 78),
    )  # fmt: skip
    assert nets.facts["plan"]["rate"] == 0.0001


# --- Outcomes of Pereira 2021, by the numbers of their page --------------------------------------

WONDERS = (ROOT / "docs" / "studies" / "wonders.md").read_text()


def why(name):
    return next(item.why for item in published.ITEMS if (item.work, item.name) == ("Pereira 2021", name))


def numbers(cell):
    """The numbers of a cell: measured first, the published one in brackets last."""
    return [float(number) for number in re.findall(r"\d+\.?\d*", cell)]


def row(section, first):
    """The cells of a row of the page by its section and its first cell, the first such row."""
    text = WONDERS[WONDERS.index(section) :]
    return re.search(rf"^\| {re.escape(first)} \|(.*)\|$", text, re.MULTILINE)[1].split(" | ")


@pytest.mark.parametrize(("name", "agent"), [("graph 4.1", "rules"), ("graph 4.2", "neural"), ("graph 4.4", "dqn")])
def test_points_against_random_players_are_those_of_the_page(name, agent):
    points, military, coins, wonder, civil, science, commerce, guilds = row("### Graphs 4.1", f"`{agent}`")
    ours, _, theirs = numbers(points)
    more = float(re.search(r"([\d.]+) points more", why(name))[1])
    assert ours - theirs == pytest.approx(more, abs=0.1)
    assert all(float(other) < float(military) < float(civil) for other in (coins, wonder, science, commerce, guilds))
    assert name != "graph 4.4" or f"commerce less ({commerce})" in why(name)


def test_accuracies_are_those_of_the_page():
    rows = [row("### Table 3.9", age) for age in ("I", "II", "III")]
    columns = [[round(numbers(cells[column])[0]) for cells in rows] for column in (1, 2, 3, 4)]
    expected = "train {}, {}, {}% ({}, {}, {}% published), test {}, {}, {}% ({}, {}, {}% published)"
    assert why("table 3.9") == expected.format(*(value for column in columns for value in column))


def test_the_order_of_the_tournament_is_that_of_the_page():
    cells = [row("### Table 4.1", f"`{agent}`") for agent in ("neural", "rules", "dqn")]
    won = [numbers(cell[1]) for cell in cells]
    for side in (0, -1):
        assert won[0][side] > won[1][side] > won[2][side]
    assert all(ours > theirs for ours, theirs in (numbers(cell[0]) for cell in cells))
    assert why("table 4.1") == "the order by games won; all score more here"
