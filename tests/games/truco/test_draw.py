"""Drawings: valid, self-contained, and without hidden cards."""

import random
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bolicho
from bolicho.errors import BadInput
from bolicho.games.truco import cards
from bolicho.games.truco.draw import card_svg, svg
from bolicho.games.truco.rules import CARDS

from .test_hiding import random_match, random_table

PICTURE = Path(__file__).parents[3] / "docs" / "images" / "truco.svg"
SVG = "{http://www.w3.org/2000/svg}"


def titles(drawing: str) -> list[str]:
    """Return the cards (and backs) that a drawing names."""
    found = [element.text or "" for element in ElementTree.fromstring(drawing).iter(f"{SVG}title")]
    return found[1:]


@pytest.mark.parametrize("card", CARDS)
def test_every_card_is_valid_and_has_its_name(card: str) -> None:
    root = ElementTree.fromstring(card_svg(card))
    assert root.tag == f"{SVG}svg"
    assert root.get("viewBox") == "0 0 100 154"
    number = card[:-1]
    assert [element.text for element in root.iter(f"{SVG}text")] == [number, number]
    assert (root.findtext(f"{SVG}title") or "").endswith(cards.SUIT_NAMES[card[-1]])


def test_the_forty_cards_and_the_back_are_all_different() -> None:
    pictures = {cards.face(card) for card in CARDS} | {cards.back()}
    assert len(pictures) == 41


@pytest.mark.parametrize("card", [card for card in CARDS if int(card[:-1]) < 10])
def test_a_card_has_as_many_suit_signs_as_its_number(card: str) -> None:
    assert cards.face(card).count(cards.SUITS[card[-1]]) == int(card[:-1])


@pytest.mark.parametrize("card", [card for card in CARDS if int(card[:-1]) >= 10])
def test_a_figure_holds_one_suit_sign(card: str) -> None:
    assert cards.face(card).count(cards.SUITS[card[-1]]) == 1


@pytest.mark.parametrize(("suit", "gaps"), [("o", 0), ("c", 1), ("e", 2), ("p", 3)])
def test_the_frame_is_interrupted_by_suit(suit: str, gaps: int) -> None:
    frame = re.search(r'<path d="([^"]*)" fill="none" stroke="' + cards.FRAME, cards.face(f"4{suit}"))
    assert frame is not None
    pieces = re.findall(r"M([\d.]+) 6.5L([\d.]+) 6.5", frame[1])
    assert len(pieces) == gaps + 1


def test_an_unknown_card_is_refused() -> None:
    with pytest.raises(BadInput, match="unknown card '8e'"):
        card_svg("8e")


@settings(max_examples=100, deadline=None)
@given(st.randoms(use_true_random=False), st.integers(0, 1))
def test_drawing_is_valid_and_self_contained(rng: random.Random, seat: int) -> None:
    drawing = random_match(rng).view(seat).svg()
    root = ElementTree.fromstring(drawing)
    assert root.get("viewBox")
    assert root.get("width")
    names = {name for element in root.iter() for name in element.attrib}
    assert not names & {"id", "href", "src", "class", "onclick"}
    assert {element.tag.removeprefix(SVG) for element in root.iter()} <= {
        "svg", "title", "g", "rect", "circle", "ellipse", "path", "text",
    }  # fmt: skip
    assert "url(" not in drawing
    assert {element.get("font-family") for element in root.iter()} <= {None, "serif"}


@settings(max_examples=200, deadline=None)
@given(st.randoms(use_true_random=False), st.integers(0, 1))
def test_drawing_names_only_cards_that_the_seat_sees(rng: random.Random, seat: int) -> None:
    table, _ = random_table(rng)
    view = table.view(seat)
    face_up = [card for who in (0, 1) for card in view.played(who) if not card.startswith("virada")]
    own_down = [card.split()[1] for card in view.played(seat) if card.startswith("virada")]
    unseen = [card for card in view.played(1 - seat) if card.startswith("virada")]
    expected = [cards.card_title(card) for card in [*view.cards, *face_up]]
    expected += [f"{cards.card_title(card)}, face down" for card in own_down]
    expected += ["a card face down"] * len(unseen)
    assert sorted(titles(view.svg())) == sorted(expected)


@settings(max_examples=100, deadline=None)
@given(st.randoms(use_true_random=False), st.integers(0, 1))
def test_full_state_is_drawn_like_the_view_of_the_seat(rng: random.Random, seat: int) -> None:
    table = random_match(rng)
    assert svg(table.open_view(seat)) == svg(table.view(seat))


def test_the_other_hand_is_drawn_as_backs_by_count() -> None:
    table = bolicho.game("truco", hands=1).setup(hands=[["1e", "3p", "4c"], ["2e", "2p", "5c"]])
    backs = [table.view(0).svg().count(cards.back())]
    for action in ("1e", "2e", "3p", "virada 5c"):
        table.play(action)
        backs.append(table.view(0).svg().count(cards.back()))
    assert backs == [3, 3, 2, 2, 2]  # the last one lies on the table


def test_the_drawing_shows_mao_turn_worth_calls_and_scores() -> None:
    game = bolicho.game("truco")
    table = game.setup(hands=[["7e", "3p", "6e"], ["7o", "12p", "4o"]], mao=1, scores=[13, 17])
    for action in ("envido", "real", "quero", "truco", "quero"):
        table.play(action)
    words = [element.text for element in ElementTree.fromstring(table.view(0).svg()).iter(f"{SVG}text")]
    assert words.count("mão") == 1
    for expected in (
        "the other to act",
        "2",
        "truco",
        "18",
        "17",
        "real envido",
        "33 points",
        "+5",
        "hand 1, to 24 points",
    ):
        assert expected in words


def test_picture_in_the_documentation_is_up_to_date() -> None:
    table = bolicho.game("truco").setup(hands=[["7e", "6e", "1o"], ["3c", "5c", "12p"]], mao=1, scores=[13, 17])
    for action in ["envido", "real", "quero", "3c", "7e", "truco", "quero", "6e", "12p", "retruco"]:
        table.play(action)
    assert table.view(0).svg() == PICTURE.read_text("utf-8")
