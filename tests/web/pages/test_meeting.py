"""Match between two participants of a study, each in a separate browser."""

import random

import pytest

from tests.web.pages.studying import PLAN, Participant, answered
from tests.web.pages.test_access import LOOKS, check
from tests.web.pages.test_people import whose_turn
from tests.web.pages.visitor import DESKTOP, PHONE, calm
from tests.web.study.conftest import Study

MEETING = PLAN.replace('[{agent = "cautious"}, {agent = "bluffer"}]', "[{person = true, wait = 60}]").replace(
    '[practice]\nagent = "novice"\n', ""
)
WAITING = 4  # number of the step


@pytest.fixture
def study(app_state):
    made = Study(app_state, MEETING)
    yield made
    made.engine.dispose()


@pytest.fixture
def come_to_match(browser, app_state, study):
    """Make participants whose next step is the match, and check at the end that their pages had no errors."""
    made = []

    def make(settings=None, **context):
        guest = study.invite()
        for answers in ({"agree": True}, {}, {}):
            guest.do(answers)
        made.append(Participant(browser, app_state.base, settings, **context))
        made[-1].code = study.code
        made[-1].go(f"/s/{guest.study}#p={guest.token}")
        return made[-1]

    yield make
    for one in made:
        one.close()


def test_two_participants_wait_for_each_other_and_play(come_to_match, study, tmp_path):
    ana = come_to_match({"language": "pt"}, **DESKTOP)
    ana.page.locator("#waiting").wait_for()
    assert "outro participante" in ana.page.locator("#sheet").inner_text()
    assert ana.page.locator("#left").inner_text().startswith("No máximo mais ")
    for name, context in (("desktop", DESKTOP), ("phone", PHONE)):
        ana.page.set_viewport_size(context["viewport"])
        assert ana.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), name
        ana.page.screenshot(path=tmp_path / f"waiting-{name}.png")
    rui = come_to_match(**DESKTOP)
    rui.page.locator("#onward").click()  # another participant waits, so the match begins at once
    for one in (ana, rui):
        one.page.wait_for_url("**/m/*")
        one.page.locator("#table[data-ply]").wait_for()
    luck = random.Random(1)
    while (player := whose_turn([ana, rui])) is not None:
        player.play(luck, among=calm)
    for one in (ana, rui):
        one.page.locator("#notice #onward").click()
        assert one.is_at(WAITING + 1) == "questions"
    assert "Another participant" in rui.page.locator("#heading").inner_text()
    for one, fun in ((ana, "3"), (rui, "9")):
        one.answer(skill="2", fun=fun, remarks="-")
        assert one.onward() == "thanks"
        assert answered(study, one.code)[WAITING + 1]["fun"] == int(fun)


def test_waiting_page_is_accessible(come_to_match):
    ana = come_to_match()
    ana.page.locator("#waiting").wait_for()
    check(ana, "waiting", LOOKS[:1])
