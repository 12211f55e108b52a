"""Static checks of the pages: own files only, keys of the catalogues, a strict content security policy."""

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
def test_pages_have_no_inline_script_or_style(path):
    read = Page(path)
    assert read.scripts == ""
    for tag, attributes in read.elements:
        assert tag != "style"
        assert not {name for name in attributes if name == "style" or name.startswith("on")}


@pytest.mark.parametrize("path", SOURCES, ids=named)
def test_sources_load_nothing_from_other_hosts(path):
    text = path.read_text(encoding="utf-8").replace(NAMES_OF_SVG, "")
    assert re.findall(r"(?:https?|wss?):?//\w|url\(\s*[\"']?//", text) == []


@pytest.mark.parametrize("path", SOURCES, ids=named)
def test_files_named_in_sources_exist(path):
    text = page(path) if path in HTML else path.read_text(encoding="utf-8")
    named_files = re.findall(r"[\"'`]/a/([\w-]+\.\w+)", text) + re.findall(r"url\([\"']?([\w-]+\.\w+)", text)
    assert [name for name in named_files if not (PAGES / name).exists()] == []


@pytest.mark.parametrize("path", SOURCES, ids=named)
def test_sources_do_not_run_strings_as_code_or_markup(path):
    text = path.read_text(encoding="utf-8")
    assert re.findall(r"\beval\(|new Function|innerHTML|outerHTML|insertAdjacentHTML|document\.write", text) == []


@pytest.mark.parametrize("path", SOURCES, ids=named)
def test_sources_use_no_apis_that_need_https(path):
    text = path.read_text(encoding="utf-8")
    assert re.findall(r"crypto\.subtle\.|randomUUID\(|serviceWorker", text) == []


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("path", HTML, ids=named)
def test_catalogues_contain_every_key_of_a_page(path, language):
    wanted = [a[name] for _, a in Page(path).elements for name in ("data-word", "data-label") if name in a]
    assert wanted and [key for key in wanted if key not in catalogue(language).templates] == []


@pytest.mark.parametrize("name", ["table.html", "replay.html"])
def test_table_pages_have_the_elements_that_modules_write_to(name):
    found = {attributes.get("id") for _, attributes in Page(PAGES / name).elements}
    assert set(HOOKS) - found == set()


@pytest.mark.parametrize("path", HTML, ids=named)
def test_element_ids_of_a_page_are_unique(path):
    found = [attributes["id"] for _, attributes in Page(path).elements if "id" in attributes]
    assert len(found) == len(set(found))


def test_card_sprite_is_up_to_date():
    assert (PAGES / "cards.svg").read_text(encoding="utf-8") == sprite()
