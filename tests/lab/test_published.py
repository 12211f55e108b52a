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
    assert load(game("wonders"), "wonders-neural").sizes == (
        (32, 80, 80, 63), (32, 80, 80, 63), (37, 90, 90, 78),
    )  # fmt: skip
