"""The table as a place to come back to: rules kept, invitations, rematches, endings, and screens of phones."""

import json
import random
import re

import pytest

from bolicho.i18n import catalogue
from tests.web.pages.test_people import invite, table_of_two
from tests.web.pages.visitor import DESKTOP, PHONE, calm

LANDSCAPE = {**PHONE, "viewport": {"width": 844, "height": 390}}
WORDS = {language: catalogue(language).templates for language in ("en", "pt", "es")}


def seated(come, app_state, **options):
    """Seat two visitors at a match of Truco, and return (match, tokens, visitors, seat to act)."""
    match, tokens, turn = table_of_two(app_state, come, **options)
    visitors = [come({"name": name}) for name in ("Caio", "Dora")]
    for seat, visitor in enumerate(visitors):
        visitor.sit(match, tokens[seat], seat)
        visitor.page.locator("#table[data-ply]").wait_for()
    return match, tokens, visitors, turn


# --- Rules and opponents -----------------------------------------------------------------------------


@pytest.mark.parametrize(("language", "screen"), [("en", DESKTOP), ("pt", PHONE), ("es", PHONE)])
def test_opponents_are_those_of_the_rules_kept_and_play_without_a_refusal(come, language, screen):
    ana = come({"language": language}, **screen)
    ana.go("/")
    ana.page.evaluate("localStorage.setItem('bolicho.rules.truco', JSON.stringify({target: 12, flor: false}))")
    ana.page.reload()
    note = ana.page.locator(".game.truco .rules-note")
    note.wait_for()
    assert "12" in note.inner_text() and WORDS[language]["page.rule.target"] in note.inner_text()
    ana.page.locator("[data-opponent=balanced]").wait_for()
    assert not ana.page.locator("[data-opponent=cfr]").count()
    ana.page.locator("[data-usual=truco]").click()
    ana.page.locator("[data-opponent=cfr]").wait_for()
    assert not note.count()
    ana.page.locator("[data-opponent=cfr]").click()
    ana.page.wait_for_url("**/m/*")


def test_opponents_are_characters_from_easy_to_hard_with_one_suggested(come, app_state):
    ana = come()
    ana.go("/")
    ana.page.locator(".agents .agent").first.wait_for()
    agents = {one["name"]: one for one in app_state.get("/api/agents", game="truco").json()["agents"]}
    shown = ana.page.locator("#gallery > .agents [data-opponent]").evaluate_all(
        "all => all.map(one => one.dataset.opponent)"
    )
    ratings = [agents[name]["rating"] for name in shown if agents[name]["rating"] is not None]
    assert ratings == sorted(ratings) and len(ratings) > 8
    assert [agents[name]["rating"] for name in shown[len(ratings) :]] == [None] * (len(shown) - len(ratings))
    assert ana.page.locator(".suggested").count() == 1
    card = ana.page.locator(".agent", has=ana.page.locator("[data-opponent=bluffer]"))
    assert "Fox" in card.inner_text() and "bluffer" not in card.inner_text()
    card.locator("summary").click()
    assert "bluffer" in card.inner_text()
    card.locator("[data-options]").click()
    assert ana.page.locator("[name=seat-1]").input_value() == "bluffer"


def test_every_character_has_a_face_and_a_style(come):
    ana = come()
    ana.go("/")
    names = [key.removeprefix("opponents.name.") for key in WORDS["en"] if key.startswith("opponents.name.")]
    faces = """async names => {
      const {face} = await import("/a/opponents.js");
      return names.map(name => face(name)?.outerHTML ?? null);
    }"""
    drawn = ana.page.evaluate(faces, names)
    assert len(names) > 20 and None not in drawn
    assert all(f"opponents.style.{name}" in WORDS["en"] for name in names)
    assert len(set(drawn)) == len(drawn) - 1  # the two that follow fixed rules share one


def test_next_opponent_after_a_win_is_harder(come):
    ana = come()
    ana.go("/")
    ana.page.evaluate("localStorage.setItem('bolicho.last.truco', JSON.stringify({agent: 'novice', won: true}))")
    ana.page.reload()
    ana.page.get_by_text("against Deer").wait_for()


def test_changed_rules_in_the_dialogue_offer_fitting_agents_alone(come):
    ana = come()
    ana.go("/")
    ana.page.locator("[data-arrange=truco]").click()
    ana.page.locator("[name=seat-1] option[value=cfr]").wait_for(state="attached")
    ana.page.locator("[name=flor]").uncheck()
    ana.page.locator("[name=seat-1] option[value=cfr]").wait_for(state="detached")
    assert ana.page.locator("[name=seat-1] option[value=balanced]").count() == 1


def test_adviser_of_seven_wonders_plays_with_five_seats(come, app_state):
    match, token = app_state.make("wonders", ["rules"] * 4, {"players": 5})
    ana = come()
    ana.sit(match, token, game="wonders")
    ana.state()
    ana.page.locator("#hint").click()
    ana.page.locator("#hint-panel .decided").wait_for()


# --- Invitations ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("language", "screen"), [("en", DESKTOP), ("pt", PHONE), ("es", PHONE)])
def test_invited_player_is_told_game_rules_and_hints(come, app_state, language, screen):
    ana, beto, late = come({"name": "Ana"}), come({"name": "Beto", "language": language}, **screen), come()
    link = invite(ana)
    beto.page.goto(link)
    told = beto.page.locator("form.join").inner_text()
    words = WORDS[language]
    assert words["page.agree.no_hint"] in told and words["page.rule.target"] + ": 4" in told
    assert words["page.agree.open_end"] in told and "Truco" in told
    beto.page.locator("#sit").click()
    beto.page.locator("#table[data-ply]").wait_for()
    assert beto.page.locator("#hint").is_hidden()  # off between people
    late.page.goto(link)
    late.page.get_by_text(WORDS["en"]["page.join.used"]).wait_for()
    assert not late.page.locator("#sit").count()


def test_match_by_invitation_has_hints_if_its_maker_asks_for_them(come, app_state):
    ana = come()
    ana.go("/")
    ana.page.locator("[data-invite=truco]").click()
    hints = ana.page.locator("#arrange-panel [name=hint]")
    assert not hints.is_checked()
    hints.check()
    ana.page.locator("#arrange-panel .main").click()
    ana.page.wait_for_url("**/m/*")
    assert app_state.get(f"/api/matches/{ana.page.url.rsplit('/', 1)[1]}").json()["options"]["hint"] is True


# --- Endings and rematches ----------------------------------------------------------------------------------


@pytest.mark.parametrize("screen", [DESKTOP, PHONE], ids=["desk", "phone"])
def test_rematch_of_two_people_goes_on_at_one_table_with_a_score(come, app_state, screen):
    ana, beto = come({"name": "Ana"}, **screen), come({"name": "Beto"}, **screen)
    link = invite(ana)
    beto.page.goto(link)
    beto.page.locator("#sit").click()
    for visitor in (ana, beto):
        visitor.page.locator("#table[data-ply]").wait_for()
    for game in (1, 2):
        beto.page.locator("#end").click()
        beto.page.locator("#resign").click()
        for visitor in (ana, beto):
            told = visitor.page.locator("#notice .finish").inner_text()
            assert "Ana won" in told and "Beto resigned" in told
        if game == 2:
            assert "Ana: 2" in told and "Beto: 0" in told
            break
        address = ana.page.url
        ana.page.locator("#again").click()
        beto.page.get_by_text("Ana wants to go on").wait_for()
        ana.page.locator(".rematch", has_text="Waiting for Beto").wait_for()
        beto.page.locator("#again").click()
        for visitor in (ana, beto):
            visitor.page.wait_for_url(re.compile(f"/m/(?!{address})"))
            visitor.page.locator("#table[data-ply='0']").wait_for()
        assert ana.page.url == beto.page.url
    match = ana.page.url.rsplit("/", 1)[1]
    assert [one["name"] for one in app_state.get(f"/api/matches/{match}").json()["players"]] == ["Beto", "Ana"]


def test_offer_to_stop_is_accepted_by_the_other(come, app_state):
    match, _, (caio, dora), _ = seated(come, app_state)
    caio.page.locator("#end").click()
    caio.page.locator("#stop").click()
    dora.page.get_by_text("Caio offers to stop").wait_for()
    dora.page.locator("#stop-accept").click()
    for visitor in (caio, dora):
        visitor.page.get_by_text("nobody won").first.wait_for()
    assert app_state.view(match)["result"]["winners"] == []


def test_claimed_match_says_why_it_ended(come, app_state):
    _, _, visitors, slow = seated(come, app_state, clock={"seconds": 5, "plus": 0})
    visitors[1 - slow].page.locator("#claim:enabled").click()
    names = ["Caio", "Dora"]
    for visitor in visitors:
        visitor.page.get_by_text(f"{names[slow]} ran out of time, and {names[1 - slow]} claimed the win").wait_for()


def test_player_who_is_away_does_not_think(come, app_state):
    _, _, visitors, turn = seated(come, app_state)
    stays = visitors[1 - turn]
    name = ["Caio", "Dora"][turn]
    stays.page.get_by_text(f"{name} is thinking").wait_for()
    visitors[turn].page.goto("about:blank")
    stays.page.locator(".prompt", has_text=f"{name} is away").wait_for()
    assert not stays.page.get_by_text(f"{name} is thinking").count()


@pytest.mark.parametrize(("language", "screen"), [("en", DESKTOP), ("pt", PHONE)])
def test_series_of_dominoes_goes_on_with_the_next_hand(come, app_state, language, screen):
    ana = come({"language": language}, **screen)
    ana.go("/")
    ana.page.locator("[data-arrange=dominoes]").click()
    ana.page.locator("[name=series]").select_option("100")
    ana.page.locator("#arrange-panel .main").click()
    ana.page.wait_for_url("**/m/*")
    first = ana.page.url
    ana.page.locator("#offers", has_text="100").wait_for()
    ana.play_to_the_end(seed=2)
    again = ana.page.locator("#again")
    assert again.inner_text() == WORDS[language]["page.again.hand"]
    points = ana.page.locator(".finish .evening").inner_text()
    again.click()
    ana.page.wait_for_url(lambda url: url != first and "/m/" in url)
    ana.page.locator("#offers", has_text="100").wait_for()
    assert sorted(points.split(": ", 1)[1].split(" · ")) == sorted(
        ana.page.locator("#offers .evening").inner_text().split(": ", 1)[1].split(" · ")
    )
    ana.go("/")
    assert "100" in ana.page.locator(".game.dominoes .rules-note").inner_text()


# --- Open cards, hints, focus -----------------------------------------------------------------------------------


def test_cards_of_the_other_hand_are_open_at_the_end_and_in_the_replay(come, app_state):
    match, tokens, (caio, dora), _ = seated(come, app_state)
    cards = app_state.view(match, tokens[1])["view"]["table"]["cards"]
    assert not caio.page.locator(".others.open").count()
    dora.page.locator("#end").click()
    dora.page.locator("#resign").click()
    caio.page.locator(".others.open").wait_for()
    drawn = "all => all.map(one => one.getAttribute('href').replace('#card-', ''))"
    assert caio.page.locator(".others.open use").evaluate_all(drawn) == cards
    caio.go(f"/replay/{match}#ply=0&seat=all")
    caio.page.locator(".others.open").wait_for()
    assert caio.page.locator(".others.open use").evaluate_all(drawn) == cards
    caio.page.locator("#eyes").select_option("0")
    caio.page.locator(".others:not(.open)").wait_for()


def test_cards_stay_closed_at_the_end_where_that_was_agreed(come, app_state):
    match, tokens, (caio, dora), _ = seated(come, app_state, open_end=False)
    dora.page.locator("#end").click()
    dora.page.locator("#resign").click()
    caio.page.locator("#notice .finish").wait_for()
    caio.page.wait_for_load_state("networkidle")
    assert not caio.page.locator(".others.open").count()
    hidden = set(app_state.view(match, tokens[1])["view"]["table"]["cards"])
    texts = [text for kind, text in caio.frames if kind == "received"]
    seen = {
        card for text in texts for view in [json.loads(text).get("view")] if view for card in view["table"]["cards"]
    }
    assert seen and not seen & hidden


def test_hint_marks_one_action_at_a_time(come, app_state):
    match, token = app_state.make("truco", ["balanced"], {"target": 24})
    ana = come()
    ana.sit(match, token)
    ana.play_to_a_card()
    ana.page.locator("#hint").click()
    for adviser in ("random", "novice", "cautious", "random", "aggressive"):
        ana.page.locator("[name=adviser]").select_option("balanced")  # its answer is no longer wanted
        ana.page.locator("[name=adviser]").select_option(adviser)
        name = WORDS["en"][f"opponents.name.{adviser}"]
        ana.page.locator("#hint-panel .decided", has_text=f"{name} would play").wait_for()
        assert ana.page.locator("#root .hinted").count() == 1


def test_focus_never_falls_on_a_bet(come, app_state):
    match, token = app_state.make("truco", ["aggressive"], {"target": 30})
    ana = come()
    ana.sit(match, token)
    luck, asked = random.Random(3), 0
    for _ in range(40):
        state = ana.state()
        if state["over"]:
            break
        button = luck.choice(calm(state["buttons"]))
        ana.page.locator(f'#root [data-action="{button["action"]}"]').first.focus()
        before = ana.ply
        ana.page.keyboard.press("Enter")
        ana.page.wait_for_function("ply => +document.querySelector('#table').dataset.ply > ply", arg=before)
        buttons = {one["action"] for one in ana.state()["buttons"]}
        focused = ana.page.evaluate("({...document.activeElement.dataset})")
        assert "call" not in focused or "passive" in focused, focused
        if "quero" in buttons:
            asked += 1
            assert focused.get("action") == "nao"
    assert asked > 2


# --- Screens -------------------------------------------------------------------------------------------------

IN_VIEW = """all => all.map(one => {
  const {top, bottom, left, right} = one.getBoundingClientRect();
  return top >= 0 && left >= 0 && bottom <= innerHeight + 1 && right <= innerWidth + 1;
})"""


@pytest.mark.parametrize("game", ["truco", "dominoes"])
def test_phone_in_landscape_shows_everything_that_can_be_played(come, app_state, game):
    match, token = app_state.make(game, ["balanced" if game == "truco" else "rule"])
    ana = come(**LANDSCAPE)
    ana.sit(match, token, game=game)
    luck = random.Random(4)
    for _ in range(12):
        if ana.state()["over"]:
            break
        seen = ana.page.locator("#root [data-action]:enabled, #root [data-tile]:enabled").evaluate_all(IN_VIEW)
        assert seen and all(seen)
        assert all(ana.page.locator("#players .name, #stage").evaluate_all(IN_VIEW))
        ana.play(luck)


def test_cards_of_seven_wonders_are_in_view_in_landscape(come, app_state):
    match, token = app_state.make("wonders", ["rules"] * 2)
    ana = come(**LANDSCAPE)
    ana.sit(match, token, game="wonders")
    ana.state()
    tops = ana.page.locator("#root .wn-card").evaluate_all("all => all.map(one => one.getBoundingClientRect().top)")
    assert tops and max(tops) < 300


@pytest.mark.parametrize("screen", [DESKTOP, PHONE, LANDSCAPE], ids=["desk", "phone", "landscape"])
def test_end_of_seven_wonders_is_in_view(come, app_state, screen):
    match, token = app_state.make("wonders", ["rules"] * 2)
    ana = come(**screen)
    ana.sit(match, token, game="wonders")
    ana.state()
    ana.page.evaluate("scrollTo(0, document.body.scrollHeight)")
    ana.page.locator("#end").click()
    ana.page.locator("#resign").click()
    heading = ana.page.locator("#notice .finish h2")
    heading.wait_for()
    ana.page.wait_for_timeout(200)
    assert all(heading.evaluate_all(IN_VIEW))


def test_names_on_a_phone_are_not_broken_inside_words(come, app_state):
    match, token = app_state.make("wonders", ["rules"] * 2)
    ana = come({"language": "pt", "name": "Oponente"}, **PHONE)
    ana.sit(match, token, game="wonders")
    ana.state()
    lines = """all => all.map(one => {
      const range = document.createRange();
      range.selectNodeContents(one.firstChild);
      return [one.textContent.trim().split(" ").length, new Set([...range.getClientRects()].map(box => box.top)).size];
    })"""
    assert all(rows <= words for words, rows in ana.page.locator("#players .name").evaluate_all(lines))


def test_address_that_does_not_exist_has_a_page_of_its_own(come):
    ana = come({"language": "pt"})
    ana.allowed = ["404"]
    ana.go("/nada")
    ana.page.get_by_text(WORDS["pt"]["page.missing.why"]).wait_for()
