"""Learning: rules with pictures, a guided game, puzzles, and training on one's own mistakes."""

import random

import pytest

from bolicho.games.truco.rules import STRENGTH_CLASSES
from bolicho.i18n import catalogue
from tests.web.pages.reading import odd_words
from tests.web.pages.test_access import LOOKS, check
from tests.web.pages.visitor import DESKTOP, PHONE

GAMES = ("truco", "dominoes", "fives", "wonders")
VISITS = [("en", DESKTOP), ("pt", PHONE), ("es", PHONE)]


@pytest.mark.parametrize(("language", "screen"), VISITS)
def test_rules_of_every_game_are_read_in_every_language(come, language, screen):
    ana = come({"language": language}, **screen)
    for game in GAMES:
        ana.go(f"/learn/{game}")
        ana.page.locator("#rules .rule").first.wait_for()
        text = ana.text()
        assert not odd_words(text)
        assert catalogue(language).templates[f"learn.{game}.goal"] in text
        assert ana.page.evaluate("document.scrollingElement.scrollWidth <= innerWidth")
    check(ana, "rules", [LOOKS[0]])


def test_order_of_the_cards_is_that_of_the_rules(come):
    ana = come()
    ana.go("/learn/truco")
    rows = ana.page.locator(".card-order li")
    rows.first.wait_for()
    drawn = "all => all.map(row => [...row.querySelectorAll('use')].map(one => one.getAttribute('href').slice(6)))"
    assert rows.evaluate_all(drawn) == [list(cards) for cards in reversed(STRENGTH_CLASSES)]


@pytest.mark.parametrize("game", GAMES)
def test_rules_are_one_tap_away_at_the_table_and_on_the_first_page(come, app_state, game):
    others = {"truco": ["balanced"], "wonders": ["rules"] * 2}.get(game, ["rule"])
    match, token = app_state.make(game, others)
    ana = come({"language": "pt"}, **PHONE)
    ana.sit(match, token, game=game)
    ana.page.locator("#rules").click()
    ana.page.locator("#rules-panel .rule").first.wait_for()
    assert not odd_words(ana.text())
    ana.go("/")
    ana.page.locator(f".game.{game} a[href='/learn/{game}']").click()
    ana.page.locator("#rules .rule").first.wait_for()


@pytest.mark.parametrize(
    ("game", "language", "screen"),
    [("truco", "en", DESKTOP), ("dominoes", "pt", PHONE), ("fives", "es", PHONE), ("wonders", "pt", DESKTOP)],
)
def test_guided_game_has_a_word_at_every_choice(come, game, language, screen):
    ana = come({"language": language}, **screen)
    ana.go(f"/learn/{game}")
    ana.page.locator("#guided").click()
    ana.page.wait_for_url("**/m/*")
    luck, said = random.Random(1), set()
    for _ in range(9):
        if ana.state()["over"]:
            break
        said.add(ana.page.locator("#guide p").inner_text())
        ana.play(luck)
    assert not odd_words(" ".join(said)) and all(said)
    if not ana.state()["over"]:
        ana.page.locator("#guide-hint").click()
        ana.page.locator("#hint-panel .decided").wait_for()
        ana.page.keyboard.press("Escape")
    ana.page.locator("#guide-off").click()
    assert ana.page.locator("#guide").is_hidden()


@pytest.mark.parametrize(
    ("game", "language", "screen"),
    [("truco", "pt", PHONE), ("dominoes", "en", DESKTOP), ("fives", "pt", DESKTOP), ("wonders", "es", PHONE)],
)
def test_puzzle_of_the_day_is_solved_and_another_follows(come, game, language, screen):
    ana = come({"language": language}, **screen)
    ana.go(f"/puzzle/{game}")
    first = ana.page.locator("#table").get_attribute
    assert ana.play(random.Random(3))
    ana.page.locator("#notice .solved h2").wait_for()
    assert ana.page.locator("#notice .solved .track").count() > 1
    assert not odd_words(ana.text())
    assert not ana.page.locator("#root [data-action]:enabled").count()
    ana.page.locator("#next").click()
    ana.page.locator("#notice .ask").wait_for()
    ana.state()
    assert first("data-ply") is not None
    check(ana, "puzzle", [LOOKS[0]])


def test_player_trains_on_the_mistakes_of_a_match(come, app_state):
    match, token = app_state.make("truco", ["balanced"], {"target": 12})
    ana = come({"language": "en"})
    ana.sit(match, token)
    ana.play_to_the_end(seed=5)
    ana.page.locator("#analysis").click()
    ana.page.locator("#train").click()
    ana.page.wait_for_url("**/puzzle/truco#*")
    ana.state()
    assert "Your mistake 1 of" in ana.page.locator("#game").inner_text()
    ana.play(random.Random(1))
    ana.page.locator("#notice .solved").wait_for()
    assert ana.page.locator("#notice .solved .track").count() > 1
    assert not odd_words(ana.text())
