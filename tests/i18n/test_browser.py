"""Messages in the browser, compared with those in Python: i18n.js and the catalogues, in Chromium."""

import base64
import random
import re
import shutil
from pathlib import Path

import pytest

import bolicho
from bolicho.i18n import _FIELD, LANGUAGES, Message, Seat, Several, catalogue

SOURCE = Path(bolicho.__file__).parent / "web" / "pages" / "i18n.js"
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
NAMES = ["Ana", "{who}", "$&"]
NUMBERS = [0, 1, 2, -1, 1000, 0.5, 0.125, 0.005, 1.005, 2.5, 3.5, -2.5, 0.995, 1 / 3, 2 / 3, -0.25, 12.345, 2.0, 1.0]
TEXTS = ["", "7o", "{points}", "$1", "não quero", "<b>"]
SAY = """async ([source, language, templates, said, names]) => {
  const {Catalogue} = await import(`data:text/javascript;base64,${source}`);
  const words = new Catalogue(language, templates);
  return said.map((one) => words.say(one, names));
}"""


def fact(rng, deep=2):
    """Return a fact of any kind."""
    plain = [*NUMBERS, *TEXTS, *map(Seat, range(4))]
    if deep == 0 or rng.random() < 0.6:
        return rng.choice(plain)
    if rng.random() < 0.5:
        return Message("terminal.does", who=fact(rng, deep - 1), what=fact(rng, deep - 1))
    return Several([fact(rng, deep - 1) for _ in range(rng.randrange(4))], rng.choice(["and", "or", ","]))


def filled(key, rng):
    """Return a message with facts for all its placeholders in all languages, and numbers where one is required."""
    templates = [catalogue(language).templates[key] for language in LANGUAGES]
    fields = [field for template in templates for field in _FIELD.finditer(template) if field[1]]
    numbers = {field[1] for field in fields if field[4]}
    names = sorted({field[1] for field in fields})
    return Message(key, **{name: rng.choice(NUMBERS) if name in numbers else fact(rng) for name in names})


@pytest.fixture(scope="module")
def page():
    if not CHROMIUM:
        pytest.skip("no Chromium: apt-get install chromium")
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as p:
        browser = p.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser.new_page()
        browser.close()


@pytest.mark.parametrize("language", LANGUAGES)
def test_messages_in_the_browser_equal_those_in_python(page, language):
    rng = random.Random(1)
    entries = catalogue(language)
    said = [filled(key, rng) for key in entries.templates for _ in range(5)]
    assert any(re.search(r"[.,]\d", entries.say(one, NAMES)) for one in said)
    source = base64.b64encode(SOURCE.read_bytes()).decode()
    given = [source, language, dict(entries.templates), [one.as_json() for one in said], NAMES]
    shown = page.evaluate(SAY, given)
    wanted = [entries.say(one, NAMES) for one in said]
    assert [(one, ours, theirs) for one, ours, theirs in zip(said, wanted, shown, strict=True) if ours != theirs] == []
