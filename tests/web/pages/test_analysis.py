"""After a match of Truco: what did it cost me, decision by decision, and each leads to its place in the replay."""

from tests.web.pages.test_access import LOOKS, check
from tests.web.pages.test_reasons import at, finished
from tests.web.pages.visitor import PHONE


def judged(visitor):
    """Wait until all is judged; how many decisions there are."""
    visitor.page.locator("#verdict h2").wait_for(timeout=300_000)  # a process starts, and compiles the first time
    return visitor.page.locator(".decision").count()


def test_from_the_end_of_a_match_to_its_mistakes_and_from_there_to_the_replay(come, app_state):
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


def test_on_a_phone_at_night(come, app_state):
    match, token = finished(app_state, {"target": 3})
    ana = come(**PHONE)
    ana.hold(match, token)
    ana.go(f"/analysis/{match}")
    judged(ana)
    check(ana, "analysis, phone", [LOOKS[0], LOOKS[3]])
    assert ana.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_who_has_not_played_is_told_so(come, app_state):
    match, _ = finished(app_state, {"target": 3})
    beto = come()
    beto.go(f"/analysis/{match}")
    beto.page.locator("#progress .sorry").wait_for()
    beto.go(f"/replay/{match}#ply=0&seat=0")
    at(beto.page, 0)
    assert not beto.page.locator("#analysis:visible").count()
