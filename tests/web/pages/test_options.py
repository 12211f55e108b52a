"""Options of an agent in the dialogue for a match, on a desktop and on a phone."""

import pytest

from tests.web.pages.test_access import LOOKS, check
from tests.web.pages.visitor import DESKTOP, PHONE


@pytest.mark.parametrize("screen", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_a_match_is_arranged_with_the_options_of_an_agent(come, app_state, screen):
    ana = come(**screen)
    ana.go("/")
    page = ana.page
    page.locator("[data-arrange=truco]").click()
    page.locator("[name=seat-1]").select_option("pvcnps")
    page.locator(".agent-options summary").click()
    page.locator("[name=seat-1-base]").select_option("baseline")
    page.locator("[name=seat-1-victory]").select_option("share")
    page.locator("[name=seat-1-minimum]").fill("20")
    spec = "pvcnps(base=baseline, minimum=20, victory=share)"
    assert page.locator(".agent-options code").inner_text() == spec
    assert page.evaluate(
        "(({scrollWidth, clientWidth}) => scrollWidth <= clientWidth)(document.querySelector('#arrange-panel'))"
    )
    check(ana, "options of an agent", [LOOKS[0]])
    page.locator("#arrange-panel .main").click()
    page.wait_for_url("**/m/*")
    match = page.url.rsplit("/", 1)[1]
    assert app_state.get(f"/api/matches/{match}").json()["players"][1]["agent"] == spec


def test_refused_value_is_shown_in_the_dialogue(come):
    ana = come({"language": "es"})
    ana.allowed = ["422"]
    ana.go("/")
    page = ana.page
    page.locator("[data-arrange=truco]").click()
    page.locator("[name=seat-1]").select_option("pvcnps")
    page.locator(".agent-options summary").click()
    page.locator("[name=seat-1-threshold]").evaluate(
        "one => { one.min = 0; one.value = 0.2; one.dispatchEvent(new Event('input')); }"
    )
    page.locator("#arrange-panel .main").click()
    page.get_by_text("threshold de pvcnps no puede ser 0.2; es un número de 0,50 a 1.").wait_for()
