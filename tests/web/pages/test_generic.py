"""The generic table, for games without their own page: play, watch and replay."""

import json

import pytest

from tests.web.pages.test_access import check
from tests.web.pages.visitor import PHONE
from tests.web.running import agent

KUHN, DRAWN = "examples.kuhn:KUHN", "tests.web.drawn:DRAWN"
LARGE = 44  # pixels, the least size of a touch target


@pytest.fixture
def visit(come, poker):
    """Make visitors of the poker server."""
    return lambda settings=None, **context: come(settings, poker.base, **context)


def start(ana, game=KUHN):
    """Start a match from the home page, and return its id."""
    ana.go("/")
    ana.press(f"[data-play='{game}']")
    ana.page.wait_for_url("**/m/*")
    return ana.page.url.rpartition("/")[2]


def cards(page, seat):
    """Return the cards shown at a seat, with None for a hidden card."""
    chips = page.locator(f".gn-place[data-seat='{seat}'] .gn-fact", has_text="Cards").locator(".gn-chip")
    return [text or None for text in chips.all_inner_texts()]


def test_kuhn_poker_is_played_watched_and_replayed(visit, poker):
    ana, eva = visit(), visit({"name": "Eva"})
    match = start(ana)
    eva.go(f"/m/{match}#watch")
    ana.state()
    assert ana.page.locator("#game").inner_text() == "Kuhn poker"
    assert cards(ana.page, 0)[0] in ("J", "Q", "K") and cards(ana.page, 1) == [None]
    eva.page.locator(".gn-place").first.wait_for()
    assert cards(eva.page, 0) == cards(eva.page, 1) == [None]
    check(ana, "Kuhn poker, one's turn")
    check(eva, "Kuhn poker, watched")
    assert ana.play_to_the_end() >= 1
    eva.page.locator("#notice .finish").wait_for()
    assert ana.log() == eva.log() and len(ana.log()) >= 2
    check(ana, "Kuhn poker, over")

    last = poker.view(match)["ply"]
    eva.go(f"/replay/{match}#ply=0")
    eva.page.locator(".gn-place").first.wait_for()
    for ply in range(1, last + 1):
        eva.page.locator("#next").click()
        eva.page.locator(f"#table[data-ply='{ply}']").wait_for()
    assert eva.log() == ana.log()
    eva.page.locator("#eyes").select_option("1")
    eva.page.locator("#first").click()
    eva.page.locator("#table[data-ply='0']").wait_for()
    assert cards(eva.page, 1)[0] in ("J", "Q", "K") and cards(eva.page, 0) == [None]
    check(eva, "Kuhn poker, replayed")


def test_no_message_has_a_hidden_card(visit, poker):
    ana, eva = visit(), visit({"name": "Eva"})
    for _ in range(6):
        match = start(ana)
        eva.go(f"/m/{match}#watch")
        eva.page.locator(".gn-place").first.wait_for()
        ana.play_to_the_end(seed=match)
        eva.page.locator("#notice .finish").wait_for()
    shown = {"seat": 0, "public": 0}
    for visitor, seat in ((ana, 0), (eva, None)):
        for way, text in visitor.frames:
            message = json.loads(text)
            for view in [message.get("view"), *message.get("frames", [])] if way == "received" else []:
                if view is None:
                    continue
                assert view["seat"] == seat
                held, paid = view["table"]["cards"], view["table"]["paid"]
                if view["over"] and paid[0] == paid[1]:
                    assert None not in held  # showdown
                elif seat is None:
                    assert held == [None, None]
                    shown["public"] += 1
                else:
                    assert held[0] is not None and held[1] is None
                    shown["seat"] += 1
    assert shown["seat"] >= 6 and shown["public"] >= 6


def test_kuhn_poker_is_played_with_the_keyboard_on_a_phone(visit):
    ana = visit(**PHONE)
    start(ana)
    while not ana.state()["over"]:
        for button in ana.page.locator("#root [data-action]").all():
            box = button.bounding_box()
            assert box["height"] >= LARGE and box["width"] >= LARGE
        ply = ana.ply
        ana.page.locator("#table").focus()
        ana.page.keyboard.press("ArrowRight")
        ana.page.keyboard.press("Enter")
        ana.page.wait_for_function("ply => Number(document.querySelector('#table').dataset.ply) > ply", arg=ply)
    assert ana.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    check(ana, "Kuhn poker on a phone")


def test_two_people_play_a_game_by_an_invitation(visit):
    ana, beto = visit(), visit({"name": "Beto"})
    ana.go("/")
    ana.press(f"[data-invite='{DRAWN}']")
    ana.page.locator("#arrange-panel [name=chips]").select_option("square")
    check(ana, "a table of drawn poker is set", [("pt", "light"), ("en", "dark")])
    ana.press("#arrange-panel .main")
    ana.page.wait_for_url("**/m/*")
    beto.page.goto(ana.page.locator("#notice .invite input").input_value())
    beto.press("#sit")
    while not ana.page.locator("#notice .finish").count():
        for visitor in (ana, beto):
            if visitor.page.locator("#root [data-action]:enabled").count():
                visitor.press("#root [data-action]")
        ana.page.wait_for_timeout(20)
    beto.page.locator("#notice .finish").wait_for()
    assert ana.log() == beto.log()


def test_drawing_of_a_game_is_shown_and_hides_hidden_cards(visit, poker):
    ana = visit()
    match, token = poker.make(DRAWN, ["random"])
    ana.sit(match, token, 0, DRAWN)
    ana.state()
    drawn = ana.page.locator("#root svg.gn-drawing text").all_text_contents()
    assert drawn[0] in ("J", "Q", "K") and drawn[1] == "?"
    check(ana, "drawn poker")


def test_help_hint_and_why_work_at_the_generic_table(visit, poker):
    ana = visit()
    start(ana)
    ana.state()
    ana.press("#moment")
    ana.page.locator("#moment-panel li").first.wait_for()
    assert ana.page.locator("#moment-panel li").all_inner_texts() == ["pass", "bet"]
    ana.page.keyboard.press("Escape")
    ana.press("#hint")
    ana.page.locator("#hint-panel .decided").wait_for()
    ana.page.keyboard.press("Escape")
    ana.play_to_the_end()
    ana.press("#why")
    ana.page.locator("#why-panel .decisions button").first.click()
    ana.page.locator("#why-panel .decided").wait_for()
    check(ana, "why, at the generic table", [("es", "light")])


def test_match_of_agents_alone_can_be_watched(visit, poker):
    eva = visit()
    match = poker.made(KUHN, [agent("random"), agent("pimc-search")])["match"]
    eva.go(f"/m/{match}#watch")
    eva.page.locator("#notice .finish").wait_for()
    assert len(eva.log()) >= 2
