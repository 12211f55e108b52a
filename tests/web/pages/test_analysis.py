"""Analysis page of a match of Truco: cost of every decision, with links to the replay."""

from tests.web.pages.test_access import LOOKS, check
from tests.web.pages.test_reasons import at, finished
from tests.web.pages.visitor import PHONE


def judged(visitor):
    """Wait for the end of the analysis, and return the number of decisions."""
    visitor.page.locator("#verdict h2").wait_for(timeout=300_000)  # a worker starts, and compiles at its first analysis
    return visitor.page.locator(".decision").count()


def test_analysis_opens_from_the_end_of_a_match_and_links_to_the_replay(come, app_state):
    match, token = finished(app_state, {"target": 12})
    ana = come()
    ana.sit(match, token)
    ana.page.locator("#notice .finish #analysis").click()
    ana.page.wait_for_url(f"**/analysis/{match}#seat=0")
    count = judged(ana)
    told = app_state.get(f"/api/matches/{match}/analysis", token).json()
    assert count == told["of"] == told["done"]
    assert ana.page.locator(".biggest li").count() == len(told["biggest"])
    assert ana.page.locator(".decision .bars .chosen").count() == told["of"]
    check(ana, "analysis")
    mistakes = sum(one["cost"] > 0.01 for one in told["decisions"])
    ana.page.locator("#only").check()
    assert ana.page.locator(".decision:visible").count() == mistakes
    ana.page.locator("#only").uncheck()
    last = told["decisions"][-1]["ply"]
    ana.page.locator(f".decision[data-ply='{last}'] .head a").focus()
    ana.page.keyboard.press("Enter")
    ana.page.wait_for_url(f"**/replay/{match}#ply={last}&seat=0")
    at(ana.page, last)
    ana.page.locator("#analysis").click()
    assert judged(ana) == told["of"]


def test_analysis_fits_a_phone_in_the_dark_theme(come, app_state):
    match, token = finished(app_state, {"target": 3})
    ana = come(**PHONE)
    ana.hold(match, token)
    ana.go(f"/analysis/{match}")
    judged(ana)
    check(ana, "analysis, phone", [LOOKS[0], LOOKS[3]])
    assert ana.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_analysis_is_refused_to_non_players(come, app_state):
    match, _ = finished(app_state, {"target": 3})
    beto = come()
    beto.go(f"/analysis/{match}")
    beto.page.locator("#progress .sorry").wait_for()
    beto.go(f"/replay/{match}#ply=0&seat=0")
    at(beto.page, 0)
    assert not beto.page.locator("#analysis:visible").count()
