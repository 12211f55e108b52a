"""What the pages are made of: their own files, words that every catalogue has, nothing a strict policy refuses."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

import bolicho
from bolicho.games.truco.cards import sprite
from bolicho.i18n import LANGUAGES, catalogue
from bolicho.web.assets import page

PAGES = Path(bolicho.__file__).parent / "web" / "pages"
HTML = sorted(PAGES.glob("*.html"))
SOURCES = sorted(path for kind in ("html", "js", "css") for path in PAGES.glob(f"*.{kind}"))
HOOKS = ("table", "root", "players", "score", "log", "live", "why", "settings", "fair")
NAMES_OF_SVG = "http://www.w3.org/2000/svg"


class Page(HTMLParser):
    """The elements of a page: their names, attributes, and the texts of scripts."""

    def __init__(self, path):
        super().__init__()
        self.elements = []
        self.scripts = ""
        self.feed(page(path))

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data):
        if self.elements and self.elements[-1][0] in ("script", "style"):
            self.scripts += data.strip()


def named(path):
    return path.name


@pytest.mark.parametrize("path", HTML, ids=named)
def test_a_page_has_no_script_or_style_of_its_own(path):
    read = Page(path)
    assert read.scripts == ""
    for tag, attributes in read.elements:
        assert tag != "style"
        assert not {name for name in attributes if name == "style" or name.startswith("on")}


@pytest.mark.parametrize("path", SOURCES, ids=named)
def test_nothing_comes_from_another_host(path):
    text = path.read_text(encoding="utf-8").replace(NAMES_OF_SVG, "")
    assert re.findall(r"(?:https?|wss?):?//\w|url\(\s*[\"']?//", text) == []


@pytest.mark.parametrize("path", SOURCES, ids=named)
def test_what_a_source_names_is_there(path):
    text = page(path) if path in HTML else path.read_text(encoding="utf-8")
    named_files = re.findall(r"[\"'`]/a/([\w-]+\.\w+)", text) + re.findall(r"url\([\"']?([\w-]+\.\w+)", text)
    assert [name for name in named_files if not (PAGES / name).exists()] == []


@pytest.mark.parametrize("path", SOURCES, ids=named)
def test_no_source_runs_texts_as_code_or_markup(path):
    text = path.read_text(encoding="utf-8")
    assert re.findall(r"\beval\(|new Function|innerHTML|outerHTML|insertAdjacentHTML|document\.write", text) == []


@pytest.mark.parametrize("path", SOURCES, ids=named)
def test_what_plain_http_lacks_is_not_relied_upon(path):
    text = path.read_text(encoding="utf-8")
    assert re.findall(r"crypto\.subtle\.|randomUUID\(|serviceWorker", text) == []


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("path", HTML, ids=named)
def test_every_word_of_a_page_is_in_the_catalogue(path, language):
    wanted = [a[name] for _, a in Page(path).elements for name in ("data-word", "data-label") if name in a]
    assert wanted and [key for key in wanted if key not in catalogue(language).templates] == []


@pytest.mark.parametrize("name", ["table.html", "replay.html"])
def test_a_table_has_the_places_that_the_modules_write_to(name):
    found = {attributes.get("id") for _, attributes in Page(PAGES / name).elements}
    assert set(HOOKS) - found == set()


@pytest.mark.parametrize("path", HTML, ids=named)
def test_no_place_of_a_page_is_there_twice(path):
    found = [attributes["id"] for _, attributes in Page(path).elements if "id" in attributes]
    assert len(found) == len(set(found))


def test_the_cards_of_the_pages_are_those_of_the_game():
    assert (PAGES / "cards.svg").read_text(encoding="utf-8") == sprite()
