"""A study in the browser: all steps, repeated input, withdrawal, accessibility, and the researcher's page."""

import re
import zipfile
from pathlib import Path

import pytest

from bolicho.store import studies
from bolicho.store.database import open_database
from bolicho.store.tokens import new_token
from tests.web.pages.reading import odd_words
from tests.web.pages.studying import PLAN, SPECS, Participant, answered
from tests.web.pages.test_access import LOOKS, check
from tests.web.pages.visitor import PHONE, QUICK
from tests.web.study.conftest import Study

QUESTIONS = 6  # number of the step with questions about the first match


@pytest.fixture(scope="module")
def study(app_state):
    """Make one study for all tests of the module."""
    made = Study(app_state, PLAN)
    yield made
    made.engine.dispose()


@pytest.fixture
def take_part(browser, app_state):
    """Make participants, and check at the end that their pages had no errors."""
    made = []

    def make(settings=None, **context):
        made.append(Participant(browser, app_state.base, settings, **context))
        return made[-1]

    yield make
    for one in made:
        one.close()


@pytest.fixture(scope="module")
def token(app_state):
    """The token of a researcher."""
    with open_database(app_state.database).begin() as connection:
        return new_token(connection, "desk", ["research"])


def advance_by_http(guest, until="questions"):
    """Advance a participant to a step by HTTP, and return its number."""
    return guest.go(until, 1)["number"]


# --- Complete study -------------------------------------------------------------------------------


def test_participant_completes_the_study_by_clicking(take_part, study):
    guest = study.invite()
    ana = take_part()
    ana.come_to(guest)
    assert ana.page.url.endswith(f"/s/{study.id}") and guest.token not in ana.page.url
    ana.page.locator("#onward").click()  # no consent without the checkbox
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


def test_table_of_a_study_does_not_reveal_the_agent(take_part, study):
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
    assert ana.page.locator("#settings-panel select").count() == 4  # all settings but the pace
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


# --- Repeated and concurrent input ----------------------------------------------------------------


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
    assert ana.page.locator("[name=fun]:checked").input_value() == "2"  # the unsent answer is kept
    ana.page.locator("#onward").dblclick()
    ana.page.locator("#confirm-yes").dblclick()
    assert ana.is_at(QUESTIONS + 1) == "match"
    ana.to_the_table()
    ana.page.go_back()
    assert ana.is_at(QUESTIONS + 1) == "match"
    told = answered(study, study.code)
    assert set(told) == set(range(1, QUESTIONS + 1))
    assert told[QUESTIONS] == {"skill": None, "fun": 2, "remarks": None}


def test_second_device_continues_at_the_same_step_and_the_first_answer_is_kept(take_part, study):
    guest = study.invite()
    advance_by_http(guest)
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
    ana.to_the_table()  # the same seat, so the match is over here too
    assert ana.state()["over"]


def test_blank_answers_are_confirmed_once_and_stay_blank(take_part, study):
    guest = study.invite()
    advance_by_http(guest)
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


def test_questions_are_answered_with_the_keyboard(take_part, study):
    guest = study.invite()
    advance_by_http(guest)
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
    keys.press("ArrowLeft")  # selects the last choice if none is selected
    walk_to("[name=remarks]")
    keys.type("by hand")
    walk_to("#onward")
    keys.press("Enter")
    assert ana.is_at(QUESTIONS + 1) == "match"
    assert ana.page.evaluate("document.activeElement.id") == "heading"
    assert answered(study, study.code)[QUESTIONS] == {"skill": 2, "fun": 11, "remarks": "by hand"}


def test_lost_connection_and_change_of_tab_lose_no_input(take_part, study):
    guest = study.invite()
    ana = take_part()
    ana.allowed = ["ERR_INTERNET_DISCONNECTED"]
    ana.come_to(guest)
    ana.page.locator("#agree").check()
    with ana.page.expect_response("**/me"):  # the page requests its step when it becomes visible
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


# --- Withdrawal and entry -------------------------------------------------------------------------


def test_withdrawal_at_the_table_asks_for_confirmation_and_deletes_the_data(take_part, study):
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
    ana.go(f"/s/{study.id}#p={guest.token}")  # the old link is invalid
    ana.page.locator("#sheet[data-step=door] .sorry").wait_for()


def test_declined_consent_stores_nothing_and_can_be_reconsidered(take_part, study):
    guest = study.invite()
    ana = take_part()
    ana.come_to(guest)
    ana.page.locator("#decline").click()
    ana.page.locator("#reconsider").wait_for()
    person = next(one for one in study.people() if one.code == study.code)
    assert person.state == "declined" and ana.page.evaluate("Object.keys(localStorage).join()").count("study.") == 0
    ana.page.locator("#reconsider").click()
    assert ana.is_at(1) == "consent" and answered(study, study.code) == {}
    ana.page.locator("#agree").check()
    assert ana.onward() == "instructions"


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
def test_page_uses_the_language_of_the_browser_or_portuguese(take_part, study, locale, language):
    guest = study.invite()
    ana = take_part({**QUICK, "language": None}, locale=locale)
    ana.come_to(guest)
    assert ana.page.evaluate("document.documentElement.lang").startswith(language)
    assert ana.page.locator("[data-language][aria-pressed=true]").get_attribute("data-language") == language


# --- Accessibility --------------------------------------------------------------------------------

NARROW = "document.documentElement.scrollWidth <= innerWidth"


def test_every_step_is_accessible(take_part, study):
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
        assert ana.page.locator(".rehearsal").is_visible()  # scripted participants are marked
        small = [box for box in ana.page.locator(".button:visible").all() if box.bounding_box()["height"] < 44]
        assert small == []


def test_entry_page_and_table_of_a_study_are_accessible(take_part, study):
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


# --- Researcher's page ----------------------------------------------------------------------------


def open_researcher_page(visitor, token):
    visitor.go("/research")
    visitor.page.locator("#token").fill(token)
    visitor.page.keyboard.press("Enter")


def count(visitor, state):
    return int(visitor.page.locator(f".counts [data-state={state}] b").inner_text())


def test_researcher_page_opens_only_with_a_researchers_token(come, study, token):
    ana = come()
    ana.allowed = ["401"]
    open_researcher_page(ana, "nobody")
    ana.page.locator(".door .sorry").wait_for()
    open_researcher_page(ana, token)
    ana.page.locator(f'#studies a[href="#{study.id}"]').wait_for()
    assert token not in ana.page.url and token not in ana.page.evaluate("JSON.stringify(localStorage)")
    ana.page.locator("#leave").click()
    ana.page.locator("#token").wait_for()
    assert token not in ana.page.evaluate("JSON.stringify(sessionStorage)")


def test_researcher_page_refreshes_and_keeps_focus_and_scroll_position(come, app_state, token):
    mine = Study(app_state, PLAN.replace("target = 20", "target = 2"))
    for _ in range(12):
        mine.invite()
    through = mine.invite()
    through.go("thanks", fun=4)
    ana = come()
    open_researcher_page(ana, token)
    ana.page.locator(f'#studies a[href="#{mine.id}"]').click()
    ana.page.locator(".counts").wait_for()
    assert ana.page.locator(".big").inner_text() == "1 of 2 finished" and count(ana, "invited") == 12
    assert ana.page.locator("#early").is_visible() and not ana.page.locator("#results table").is_visible()
    ana.page.locator("#so-far summary").click()
    results = ana.page.locator("#results tbody tr").all_inner_texts()
    fun = next(row for row in results if row.startswith("fun"))
    assert len(results) == 4 and fun.count("4.00") == fun.count("n = 1") == 2
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


def test_researcher_makes_links_downloads_data_and_closes_a_study(come, take_part, app_state, token):
    mine = Study(app_state, PLAN)
    ana = come()
    open_researcher_page(ana, token)
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


def test_researcher_makes_edits_previews_and_opens_a_study(come, take_part, app_state, token):
    ana = come()
    ana.allowed = ["422", "409"]
    open_researcher_page(ana, token)
    ana.page.locator("#new-study").click()
    box = ana.page.locator("#plan-text")
    box.wait_for()
    box.fill(PLAN.replace("Play as you like.", "Play as [who] likes.") + "nonsense = 1")
    ana.page.locator("#save-plan").click()
    ana.page.locator("#plan-state.sorry").wait_for()
    assert "nonsense" in ana.page.locator("#plan-state").inner_text() and ana.page.url.endswith("#new")
    box.fill(PLAN.replace("Play as you like.", "Play as [who] likes."))
    ana.page.locator("#save-plan").click()
    ana.page.locator("#open-study").wait_for()
    mine = ana.page.url.partition("#")[2]
    ana.page.locator("#open-study").click()
    ana.page.locator("#confirm-yes").click()
    ana.page.locator("#toast :text('[who]')").wait_for()
    ana.page.locator("[data-blank='[who]']").fill('a "player" [you]')
    ana.page.locator("#apply").click()
    ana.page.locator("#save-plan").click()
    ana.page.locator("#plan-state:has-text('Saved')").wait_for()
    with ana.page.expect_popup() as opened:
        ana.page.locator("#preview").click()
    guest = opened.value
    guest.locator("#sheet[data-step=consent] #agree").check()
    guest.locator("#onward").click()
    guest.locator("#sheet[data-step=instructions]").wait_for()
    assert "Play as a 'player' (you) likes." in guest.locator("#sheet").inner_text()
    assert guest.locator("#progress .rehearsal").count() == 1
    guest.close()
    ana.page.locator("#open-study").click()
    ana.page.locator("#confirm-yes").click()
    ana.page.locator("#open-study").wait_for(state="hidden")
    ana.page.locator("#qr svg path").wait_for(state="attached")
    visitor = take_part()
    visitor.go(f"/s/{mine}#room=galpao")
    visitor.page.locator("#onward").click()
    assert visitor.is_at(1) == "consent"


def test_browser_measures_decisions_and_pages(take_part, app_state):
    """Wait before the first decision, reload before a later one, and find one time and one blank."""
    mine = Study(app_state, PLAN.replace("retention", "signals = true\nretention"))
    guest = mine.invite()
    guest.go("match")
    ana = take_part()
    ana.come_to(guest)
    ana.to_the_table()
    ana.page.locator("#root button[data-action]:enabled").first.wait_for()
    ana.page.wait_for_timeout(700)
    ana.page.locator("#root button[data-action]:enabled").first.click()
    with mine.engine.connect() as connection:
        ana.page.wait_for_timeout(500)
        [took] = studies.read_decision_times(connection, mine.id)[mine.code][:1]
    assert 0.7 <= took < 5
    ana.page.reload()
    ana.page.locator("#table[data-ply]").wait_for()
    ana.play_to_the_end(0)
    ana.page.locator("#onward").click()
    ana.is_at(QUESTIONS)
    ana.answer(skill=3, fun=7, remarks="typed")
    ana.onward()
    with mine.engine.connect() as connection:
        times = studies.read_decision_times(connection, mine.id)[mine.code]
        page = next(one for one in studies.read_steps(connection, mine.id, mine.code) if one.step == QUESTIONS)
    assert page.measured["read"] > 0 and page.measured["touches"] > 0 and page.measured["trap"] is False
    assert page.measured["driver"] is True and all(time >= 0 for time in times)
    mine.engine.dispose()


def test_researcher_page_is_accessible(come, study, token):
    ana = come()
    ana.go("/research")
    ana.page.locator("#token").wait_for()
    check(ana, "desk's door", LOOKS[:2])
    study.invite().go("thanks")
    open_researcher_page(ana, token)
    ana.page.locator(f'#studies a[href="#{study.id}"]').wait_for()
    check(ana, "studies", LOOKS[2:4])
    ana.page.locator(f'#studies a[href="#{study.id}"]').click()
    ana.page.locator(".counts").wait_for()
    for look in LOOKS:  # each look renders the page again
        check(ana, "study", [look])
    phone = come(**PHONE)
    open_researcher_page(phone, token)
    phone.page.locator(f'#studies a[href="#{study.id}"]').click()
    phone.page.locator(".counts").wait_for()
    check(phone, "desk, phone", LOOKS[:1])
    assert phone.page.evaluate(NARROW)
