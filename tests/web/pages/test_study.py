"""A study in the browser: the whole way by clicking, always the server's step, out of it at any time."""

import re
import zipfile
from pathlib import Path

import pytest

from bolicho.store.database import open_database
from bolicho.store.tokens import new_token
from tests.web.pages.reading import odd_words
from tests.web.pages.studying import PLAN, SPECS, Participant, answered
from tests.web.pages.test_access import LOOKS, check
from tests.web.pages.visitor import PHONE, QUICK
from tests.web.study.conftest import Study

QUESTIONS = 6  # the number of the step that asks about the first match


@pytest.fixture(scope="module")
def study(app_state):
    """One study for all; everybody has a link of their own."""
    made = Study(app_state, PLAN)
    yield made
    made.engine.dispose()


@pytest.fixture
def take_part(browser, app_state):
    """Make participants; when the test is over, nothing may have gone wrong in their pages."""
    made = []

    def make(settings=None, **context):
        made.append(Participant(browser, app_state.base, settings, **context))
        return made[-1]

    yield make
    for one in made:
        one.close()


@pytest.fixture(scope="module")
def token(app_state):
    """A researcher's."""
    with open_database(app_state.database).begin() as connection:
        return new_token(connection, "desk", ["research"])


def asked_by_http(guest, until="questions"):
    """Somebody who has come as far as that, elsewhere."""
    return guest.go(until, 1)["number"]


# --- The whole way --------------------------------------------------------------------------------


def test_somebody_goes_the_whole_way_by_clicking(take_part, study):
    guest = study.invite()
    ana = take_part()
    ana.come_to(guest)
    assert ana.page.url.endswith(f"/s/{study.id}") and guest.token not in ana.page.url
    ana.page.locator("#onward").click()  # without the tick nothing is agreed to
    assert ana.number() == 1 and ana.page.evaluate("!document.querySelector('form').checkValidity()")
    with ana.page.expect_download() as kept:
        ana.page.locator("#copy-consent").click()
    assert "You may leave." in kept.value.path().read_text(encoding="utf-8")
    ana.page.locator("#agree").check()
    assert ana.onward() == "instructions"
    ana.page.reload()
    assert ana.is_at(2) == "instructions"
    assert ana.onward() == "practice" and ana.play_out() == "before"
    ana.answer(years="long")
    assert ana.onward() == "match"
    for place in (1, 2):
        assert ana.page.locator("#heading").inner_text() == f"Match {place} of 2"
        assert f"Opponent {place}" in ana.page.locator("#sheet").inner_text()
        assert ana.play_out(place) == "questions"
        ana.answer(skill=place, fun=5, remarks=f"remark {place}")
        ana.onward()
    assert ana.is_at() == "thanks" and ana.page.locator("#foot").inner_text().count(study.code)
    told = answered(study, study.code)
    assert told[4] == {"years": "long"} and told[8] == {"skill": 2, "fun": 5, "remarks": "remark 2"}
    assert next(one for one in study.people() if one.code == study.code).state == "finished"


def test_at_the_table_of_a_study_nobody_learns_who_plays(take_part, study):
    guest = study.invite()
    guest.go("match")
    ana = take_part({"pace": 1800})
    ana.come_to(guest)
    ana.to_the_table()
    ana.state()
    for tool in ("why", "hint", "fair", "away"):
        assert ana.page.locator(f"#{tool}").is_hidden()
    assert ana.page.locator("#moment").is_visible() and ana.page.locator("#withdraw").is_visible()
    ana.page.locator("#settings").click()
    assert ana.page.locator("#settings-panel select").count() == 4  # all but the pace
    ana.page.keyboard.press("Escape")
    assert "Opponent 1" in ana.text() and ana.page.locator("#game").inner_text() == "Match 1 of 2"
    ana.play_to_the_end()
    assert ana.page.locator("#notice .finish a, #notice .finish button").count() == 1
    read = ana.text() + "".join(text for _, text in ana.frames)
    assert not re.findall("|".join(SPECS), read, re.IGNORECASE) and odd_words(ana.text()) == []
    assert ana.page.locator("#out").get_attribute("href") == f"/s/{study.id}"
    ana.go("/")
    ana.page.locator("[data-play=truco]").wait_for()
    assert ana.page.locator("#continue").is_hidden()


# --- The server's step, whatever was pressed ------------------------------------------------------


def test_back_button_and_double_click_change_nothing(take_part, study):
    guest = study.invite()
    guest.go("instructions")
    ana = take_part()
    ana.come_to(guest)
    ana.page.locator("#onward").dblclick()
    assert ana.is_at(3) == "practice"
    assert ana.play_out() == "before"
    ana.page.locator("#onward").dblclick()
    ana.page.locator("#confirm-yes").dblclick()
    assert ana.is_at(5) == "match"
    assert ana.play_out() == "questions"
    ana.answer(fun=2)
    ana.page.go_back()
    ana.page.locator("#notice #onward").click()
    assert ana.is_at(QUESTIONS) == "questions"
    assert ana.page.locator("[name=fun]:checked").input_value() == "2"  # as it was left
    ana.page.locator("#onward").dblclick()
    ana.page.locator("#confirm-yes").dblclick()
    assert ana.is_at(QUESTIONS + 1) == "match"
    ana.to_the_table()
    ana.page.go_back()
    assert ana.is_at(QUESTIONS + 1) == "match"
    told = answered(study, study.code)
    assert set(told) == set(range(1, QUESTIONS + 1))
    assert told[QUESTIONS] == {"skill": None, "fun": 2, "remarks": None}


def test_another_device_goes_on_where_the_first_one_was_and_the_first_answer_stands(take_part, study):
    guest = study.invite()
    asked_by_http(guest)
    ana, phone = take_part(), take_part(**PHONE)
    ana.come_to(guest)
    ana.page.locator("#elsewhere").click()
    link = ana.page.locator("#link-panel input").input_value()
    ana.page.keyboard.press("Escape")
    phone.page.goto(link)
    assert phone.is_at(QUESTIONS) == ana.is_at(QUESTIONS) == "questions"
    phone.answer(skill=4, fun=4, remarks="here")
    assert phone.onward() == "match"
    ana.allowed = ["409"]
    ana.answer(skill=1, fun=1, remarks="there")
    ana.page.locator("#onward").click()
    assert ana.is_at(QUESTIONS + 1) == "match"
    ana.page.locator("#toast p").wait_for()
    assert answered(study, study.code)[QUESTIONS] == {"skill": 4, "fun": 4, "remarks": "here"}
    phone.to_the_table()
    phone.play_to_the_end()
    ana.to_the_table()  # the same seat: the match is over here too
    assert ana.state()["over"]


def test_blanks_are_asked_about_once_and_stay_blank(take_part, study):
    guest = study.invite()
    asked_by_http(guest)
    ana = take_part()
    ana.come_to(guest)
    ana.answer(skill=3, remarks="  ")
    ana.page.locator("[data-item=skill] [data-clear]").click()
    ana.answer(fun=5)
    ana.page.locator("#onward").click()
    assert "2 questions" in ana.page.locator("#confirm-panel").inner_text()
    ana.page.locator("#confirm-no").click()
    ana.page.locator("[name=skill]:focus").wait_for()
    assert ana.onward() == "match"
    assert answered(study, study.code)[QUESTIONS] == {"skill": None, "fun": 5, "remarks": None}


def test_the_questions_are_answered_with_the_keys_alone(take_part, study):
    guest = study.invite()
    asked_by_http(guest)
    ana = take_part()
    ana.come_to(guest)
    keys = ana.page.keyboard

    def walk_to(what):
        for _ in range(40):
            keys.press("Tab")
            if ana.page.evaluate(f"document.activeElement.matches({what!r})"):
                return
        raise AssertionError(f"no way to {what}")

    walk_to("[name=skill]")
    keys.press("Space")
    keys.press("ArrowRight")
    walk_to("[name=fun]")
    keys.press("ArrowLeft")  # from none to the last
    walk_to("[name=remarks]")
    keys.type("by hand")
    walk_to("#onward")
    keys.press("Enter")
    assert ana.is_at(QUESTIONS + 1) == "match"
    assert ana.page.evaluate("document.activeElement.id") == "heading"
    assert answered(study, study.code)[QUESTIONS] == {"skill": 2, "fun": 11, "remarks": "by hand"}


def test_a_line_that_is_lost_and_a_glance_elsewhere_lose_nothing(take_part, study):
    guest = study.invite()
    ana = take_part()
    ana.allowed = ["ERR_INTERNET_DISCONNECTED"]
    ana.come_to(guest)
    ana.page.locator("#agree").check()
    with ana.page.expect_response("**/me"):  # the page looks where it is when it is looked at again
        ana.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    assert ana.page.locator("#agree").is_checked()
    guest.go("before")
    ana.page.reload()
    ana.answer(years="long")
    ana.context.set_offline(True)
    ana.page.locator("#onward").click()
    ana.page.locator("#toast p").wait_for()
    assert ana.page.locator("[name=years]:checked").input_value() == "long" and set(answered(study, study.code)) == {
        1,
        2,
        3,
    }
    ana.context.set_offline(False)
    assert ana.onward() == "match" and answered(study, study.code)[4] == {"years": "long"}


# --- Coming and going -----------------------------------------------------------------------------


def test_who_withdraws_at_the_table_is_asked_first_and_gone_then(take_part, study):
    guest = study.invite()
    guest.go("match")
    ana = take_part()
    ana.allowed = ["40[134]", "WebSocket"]
    ana.come_to(guest)
    ana.to_the_table()
    ana.page.locator("#withdraw").click()
    ana.page.locator("#confirm-no").click()
    assert guest.me()["step"]["name"] == "match"
    ana.page.locator("#withdraw").click()
    ana.page.locator("#confirm-yes").click()
    ana.page.locator("#sheet[data-step=withdrawn]").wait_for()
    assert guest.get().status_code == 401 and answered(study, study.code) == {}
    kept = ana.page.evaluate("JSON.stringify(localStorage)")
    assert guest.token not in kept and "bolicho.match." not in kept
    ana.page.reload()
    ana.page.locator("#sheet[data-step=withdrawn]").wait_for()
    ana.go(f"/s/{study.id}#p={guest.token}")  # the old link opens nothing
    ana.page.locator("#sheet[data-step=door] .sorry").wait_for()


def test_who_says_no_has_said_nothing_else(take_part, study):
    guest = study.invite()
    ana = take_part()
    ana.come_to(guest)
    ana.page.locator("#decline").click()
    ana.page.locator("#reconsider").click()
    assert ana.is_at(1) == "consent" and answered(study, study.code) == {}


def test_a_room_is_entered_by_its_code(take_part, study):
    ana = take_part({"language": "es"})
    ana.allowed = ["404"]
    ana.go(f"/s/{study.id}#room=corral")
    ana.page.locator("#room").wait_for()
    assert ana.page.locator("#room").input_value() == "corral" and "corral" not in ana.page.url
    ana.page.locator("#onward").click()
    ana.page.locator("#sheet .sorry").wait_for()
    before = len(study.people())
    ana.page.locator("#room").fill("galpao")
    ana.page.locator("#onward").dblclick()
    assert ana.is_at(1) == "consent" and len(study.people()) == before + 1
    ana.page.locator("#agree").check()
    assert ana.onward() == "instructions"
    ana.page.locator("[data-language=pt]").click()
    ana.page.locator("text=Jogue como quiser.").wait_for()
    assert {one.language for one in study.people()} >= {"es"}


@pytest.mark.parametrize(("locale", "language"), [("de-DE", "pt"), ("es-UY", "es"), ("en-US", "en")])
def test_the_page_speaks_as_the_browser_does_and_portuguese_otherwise(take_part, study, locale, language):
    guest = study.invite()
    ana = take_part({**QUICK, "language": None}, locale=locale)
    ana.come_to(guest)
    assert ana.page.evaluate("document.documentElement.lang").startswith(language)
    assert ana.page.locator("[data-language][aria-pressed=true]").get_attribute("data-language") == language


# --- For everybody --------------------------------------------------------------------------------

NARROW = "document.documentElement.scrollWidth <= innerWidth"


def test_nobody_is_kept_out_of_a_step(take_part, study):
    guest = study.invite()
    ana = take_part()
    ana.come_to(guest)
    for step in ("consent", "instructions", "practice", "before", "match", "questions", "thanks"):
        guest.go(step)
        ana.page.reload()
        assert ana.is_at() == step
        check(ana, step)
    ana.page.locator("#withdraw").click()
    check(ana, "withdraw", LOOKS[:2])
    ana.page.keyboard.press("Escape")
    ana.page.locator("#elsewhere").click()
    check(ana, "link", LOOKS[2:4])


def test_a_step_fits_a_phone(take_part, study):
    guest = study.invite(scripted=True)
    ana = take_part(**PHONE)
    ana.come_to(guest)
    for step, look in zip(("consent", "before", "match", "questions", "thanks"), LOOKS, strict=False):
        guest.go(step)
        ana.page.reload()
        assert ana.is_at() == step
        check(ana, f"{step}, phone", [look])
        assert ana.page.evaluate(NARROW), step
        assert ana.page.locator(".rehearsal").is_visible()  # a program is marked as one
        small = [box for box in ana.page.locator(".button:visible").all() if box.bounding_box()["height"] < 44]
        assert small == []


def test_nobody_is_kept_out_of_the_door_and_of_a_studys_table(take_part, study):
    ana = take_part()
    ana.go(f"/s/{study.id}")
    ana.page.locator("#room").wait_for()
    check(ana, "door", LOOKS[:4])
    guest = study.invite()
    guest.go("match")
    ana.come_to(guest)
    ana.to_the_table()
    ana.state()
    check(ana, "table", LOOKS[4:])
    ana.play_to_the_end()
    check(ana, "end", LOOKS[:2])


# --- The researcher's desk ------------------------------------------------------------------------


def open_desk(visitor, token):
    visitor.go("/research")
    visitor.page.locator("#token").fill(token)
    visitor.page.keyboard.press("Enter")


def count(visitor, state):
    return int(visitor.page.locator(f".counts [data-state={state}] b").inner_text())


def test_the_desk_opens_to_a_researchers_token_alone(come, study, token):
    ana = come()
    ana.allowed = ["401"]
    open_desk(ana, "nobody")
    ana.page.locator(".door .sorry").wait_for()
    open_desk(ana, token)
    ana.page.locator(f'#studies a[href="#{study.id}"]').wait_for()
    assert token not in ana.page.url and token not in ana.page.evaluate("JSON.stringify(localStorage)")
    ana.page.locator("#leave").click()
    ana.page.locator("#token").wait_for()
    assert token not in ana.page.evaluate("JSON.stringify(sessionStorage)")


def test_the_desk_looks_again_by_itself_and_leaves_the_reader_where_they_are(come, app_state, token):
    mine = Study(app_state, PLAN.replace("target = 20", "target = 2"))
    for _ in range(12):
        mine.invite()
    through = mine.invite()
    through.go("thanks", fun=4)
    ana = come()
    open_desk(ana, token)
    ana.page.locator(f'#studies a[href="#{mine.id}"]').click()
    ana.page.locator(".counts").wait_for()
    assert ana.page.locator(".big").inner_text() == "1 of 2 finished" and count(ana, "invited") == 12
    results = ana.page.locator("#results tbody tr").all_inner_texts()
    assert len(results) == 2 and all("4.00" in row and "n = 1" in row for row in results)
    assert ana.page.locator("#attrition tbody tr").count() == 9
    assert odd_words(ana.text()) == []
    ana.page.locator("[data-key=participants]").focus()
    ana.page.evaluate("scrollTo(0, 500)")
    place = ana.page.locator("#results-title").bounding_box()
    mine.invite(scripted=True)
    mine.invite()
    ana.page.wait_for_function("() => document.querySelector('[data-state=invited] b').textContent === '13'")
    assert ana.page.evaluate("document.activeElement.dataset.key") == "participants"
    assert ana.page.locator("#results-title").bounding_box()["y"] == pytest.approx(place["y"], abs=2)
    assert ana.page.locator("#participants .tag").count() == 1
    ana.page.locator("#whose button").nth(1).click()
    ana.page.locator(".scripted").wait_for()
    assert count(ana, "invited") == 1 and count(ana, "finished") == 0
    mine.engine.dispose()


def test_links_are_made_and_shown_once_data_is_downloaded_and_a_study_is_closed(come, take_part, app_state, token):
    mine = Study(app_state, PLAN)
    ana = come()
    open_desk(ana, token)
    ana.page.locator(f'#studies a[href="#{mine.id}"]').click()
    ana.page.locator("[name=count]").fill("3")
    ana.page.locator("#make-links").click()
    links = ana.page.locator("#links textarea")
    links.wait_for()
    made = links.input_value().split()
    assert len(made) == len(set(made)) == 3
    ana.page.wait_for_function("() => document.querySelector('[data-state=invited] b')?.textContent === '3'")
    with ana.page.expect_download() as kept:
        ana.page.locator("#export").click()
    assert {"plan.toml", "participants.csv"} <= {
        Path(name).name for name in zipfile.ZipFile(kept.value.path()).namelist()
    }
    guest = take_part()
    guest.page.goto(made[0])
    assert guest.is_at(1) == "consent"
    ana.page.locator("#close").click()
    ana.page.locator("#confirm-yes").click()
    ana.page.locator("#close").wait_for(state="hidden")
    guest.allowed = ["410"]
    guest.page.reload()
    guest.page.locator("#sheet[data-step=full]").wait_for()
    ana.page.reload()
    ana.page.locator(".counts").wait_for()
    assert links.count() == 0
    mine.engine.dispose()


def test_nobody_is_kept_out_of_the_desk(come, study, token):
    ana = come()
    ana.go("/research")
    ana.page.locator("#token").wait_for()
    check(ana, "desk's door", LOOKS[:2])
    study.invite().go("thanks")
    open_desk(ana, token)
    ana.page.locator(f'#studies a[href="#{study.id}"]').wait_for()
    check(ana, "studies", LOOKS[2:4])
    ana.page.locator(f'#studies a[href="#{study.id}"]').click()
    ana.page.locator(".counts").wait_for()
    for look in LOOKS:  # each makes the desk anew
        check(ana, "study", [look])
    phone = come(**PHONE)
    open_desk(phone, token)
    phone.page.locator(f'#studies a[href="#{study.id}"]').click()
    phone.page.locator(".counts").wait_for()
    check(phone, "desk, phone", LOOKS[:1])
    assert phone.page.evaluate(NARROW)
