"""Accessibility of the pages by axe-core: WCAG 2.2 AA, in every language and theme."""

import random
from pathlib import Path

import axe_playwright_python
import pytest

from bolicho.i18n import LANGUAGES
from tests.web.pages.reading import odd_words
from tests.web.pages.visitor import PHONE
from tests.web.running import agent, invited, me

AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
RUN = """async (tags) => {
  const {violations} = await axe.run(document, {runOnly: {type: "tag", values: tags}, resultTypes: ["violations"]});
  return violations.flatMap(({id, nodes}) =>
    nodes.map(({html, any}) => `${id}: ${html.slice(0, 160)} (${any[0]?.message ?? ""})`));
}"""
DRESS = """async ([language, theme]) => {
  const {set} = await import("/a/settings.js");
  await set("language", language);
  await set("theme", theme);
}"""
LOOKS = [(language, theme) for language in LANGUAGES for theme in ("light", "dark")]
SHORT = {
    "truco": (["balanced"], {"target": 6}),
    "dominoes": (["rule"], {}),
    "fives": (["rule"], {}),
    "wonders": (["rules", "rules"], {}),
}


def violations(page):
    """Return the violations that axe-core finds on a page."""
    if not page.evaluate("typeof axe !== 'undefined'"):
        page.evaluate(AXE)
    return page.evaluate(RUN, RULES)


def check(visitor, where, looks=LOOKS):
    """Check the current page in every language and theme."""
    page = visitor.page
    for language, theme in looks:
        page.evaluate(DRESS, [language, theme])
        assert violations(page) == [], (where, language, theme)
        assert odd_words(visitor.text()) == [], (where, language)
        assert page.evaluate("document.documentElement.lang").startswith(language)


def with_panel(visitor, name, ready, where, looks):
    visitor.page.locator(f"#{name}").click()
    visitor.page.locator(f"#{name}-panel {ready}").first.wait_for()
    check(visitor, f"{where}, {name}", looks)
    visitor.page.keyboard.press("Escape")


def test_home_page_is_accessible(come):
    ana = come()
    ana.go("/")
    ana.page.locator(".agents .agent").first.wait_for()
    check(ana, "door")
    with_panel(ana, "settings", "select", "door", LOOKS[2:4])
    ana.page.locator("[data-arrange=wonders]").click()
    ana.page.locator("#arrange-panel .main").wait_for()
    check(ana, "arrange", LOOKS[:1] + LOOKS[-1:])


def test_planted_violations_are_found(come):
    ana = come()
    ana.go("/")
    ana.page.locator("[data-play=truco]").wait_for()
    spoil = """() => {
      ["aria-label", "title"].forEach(name => document.querySelector("#settings").removeAttribute(name));
      document.querySelector("#games-title").style.color = "#cbb894";
    }"""
    ana.page.evaluate(spoil)
    assert {one.split(":")[0] for one in violations(ana.page)} >= {"button-name", "color-contrast"}


@pytest.mark.parametrize("game", SHORT)
def test_table_and_its_panels_are_accessible_from_beginning_to_end(come, app_state, game):
    others, rules = SHORT[game]
    match, token = app_state.make(game, others, rules)
    ana = come()
    ana.sit(match, token, game=game)
    ana.state()
    check(ana, f"{game}, beginning")
    with_panel(ana, "moment", "dl", game, LOOKS[:1])
    with_panel(ana, "hint", ".decided", game, LOOKS[3:4])
    luck = random.Random(1)
    for _ in range(4):
        ana.play(luck)
    if not ana.state()["over"]:
        if game in ("wonders", "dominoes"):
            asking = ana.page.locator("#root [data-card], #root [data-tile]")
            if asking.count():
                asking.first.click()
        check(ana, f"{game}, middle")
    while ana.play(luck):
        pass
    check(ana, f"{game}, end")
    ana.page.locator("#why").click()
    ana.page.locator("#why-panel .decisions button").first.click()
    ana.page.locator("#why-panel .decided").wait_for()
    check(ana, f"{game}, why", LOOKS[:2])
    ana.page.keyboard.press("Escape")
    with_panel(ana, "fair", "#fair-seed", game, LOOKS[4:])


@pytest.mark.parametrize("game", SHORT)
def test_table_is_accessible_on_a_phone(come, app_state, game):
    others, rules = SHORT[game]
    match, token = app_state.make(game, others, rules)
    ana = come(**PHONE)
    ana.sit(match, token, game=game)
    ana.play(random.Random(2))
    ana.state()
    check(ana, f"{game}, phone", [LOOKS[0], LOOKS[3]])


def test_replay_with_a_reason_is_accessible(come, app_state):
    match = app_state.made("truco", [agent("balanced"), agent("mjcs")], {"target": 6})["match"]
    app_state.over(match)
    ana = come()
    ana.go(f"/replay/{match}#ply=4")
    ana.page.locator("#table[data-ply='4']").wait_for()
    ana.page.locator("#why").click()
    ana.page.locator("#reason .decided").wait_for()
    check(ana, "replay")


def test_invitation_and_waiting_pages_are_accessible(come, app_state):
    options = {"clock": {"seconds": 300, "plus": 5}, "why": False, "hint": False}
    made = app_state.made("truco", [me(), invited()], **options)
    beto = come()
    beto.go(f"/m/{made['match']}#invite={made['seats'][1]['invite']}")
    beto.page.locator("#sit").wait_for()
    check(beto, "invitation")
    ana = come()
    ana.sit(made["match"], made["seats"][0]["token"])
    ana.page.locator("#notice .waiting").wait_for()
    check(ana, "waiting")
