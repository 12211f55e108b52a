"""Views of 7 Wonders: texts, prices, drawings, features."""

import xml.etree.ElementTree as ET

import numpy as np
import pytest

import bolicho
from bolicho.games.wonders.cards import CARDS
from bolicho.games.wonders.draw import city_svg
from bolicho.games.wonders.layout import NUM_ACTIONS, SPLIT
from bolicho.games.wonders.text import action_text, read_action
from bolicho.i18n import catalogue

from .script import IDLE, played

NAMESPACE = "{http://www.w3.org/2000/svg}"


def positions(players, trade="cheapest", seed=1):
    rng = np.random.default_rng(seed)
    table = bolicho.game("wonders", players=players, trade=trade).deal(seed)
    while not table.over:
        yield table
        builds = [action for action in table.legal if not action.startswith("sell")] or table.legal
        table.play(builds[rng.integers(len(builds))])
    yield table


def texts_of(svg):
    root = ET.fromstring(svg)
    assert root.tag == f"{NAMESPACE}svg"
    return [element.text for element in root.iter(f"{NAMESPACE}text")]


@pytest.mark.parametrize("players", [3, 7])
def test_drawings_show_hand_cities_and_nothing_hidden(players):
    for number, table in enumerate(positions(players)):
        if number % 5:
            continue
        for seat in (0, players - 1):
            view = table.view(seat)
            texts = texts_of(view.svg())
            for card in view.hand:
                assert card in texts
            for city in view.cities:
                assert city.board in texts
                assert set(city.structures) <= set(texts)
            shown = {text for text in texts if text in CARDS}
            assert shown == set(view.hand) | {card for city in view.cities for card in city.structures}


def test_one_city_is_drawn_alone():
    table = played(("Gizah A", "Rhodos A", "Ephesos A"), [("build Stone Pit", "build Press", None)])
    texts = texts_of(city_svg(table.view(0), 1))
    assert {"Rhodos A", "Press"} <= set(texts)
    assert "Stone Pit" not in texts
    assert "Gizah A" in texts_of(city_svg(table.view(0)))


def test_prices_name_the_receiver_of_the_coins():
    table = played(("Gizah A", "Rhodos A", "Ephesos A"), [IDLE], holds=["Barracks", "Clay Pit", "Scriptorium", "Altar"])
    view = table.view()
    prices = {str(action): view.cost(action) for action in view.legal}
    assert prices["build Barracks"] == (2, 0, 0)
    assert prices["build Scriptorium"] == (0, 2, 0)
    assert prices["build Clay Pit"] == (0, 0, 1)
    assert [catalogue("en").say(prices[f"build {card}"].said) for card in ("Barracks", "Clay Pit", "Altar")] == [
        "2 to left",
        "1 to the bank",
        "free",
    ]
    assert prices["sell Altar"].total == 0


@pytest.mark.parametrize(("players", "trade"), [(3, "cheapest"), (4, "choose")])
def test_cost_of_an_action_is_what_is_paid(players, trade):
    for table in positions(players, trade, seed=5):
        if table.over or table.turn != players - 1 or table.state["phase"] != 0:
            continue
        for action in table.legal:
            price = table.view().cost(action)
            after = table.copy()
            after.play(action)
            done = [
                e
                for e in after.log[len(table.log) :]
                if e.get("seat") == table.turn and e["event"] in ("built", "stage")
            ]
            if done:
                assert (done[0]["left"], done[0]["right"], done[0].get("bank", 0)) == price


def test_text_of_a_view_names_all_seats_and_the_legal_actions():
    table = played(("Gizah A", "Rhodos A", "Ephesos A"), [("build Stone Pit", None, None)], holds=["Baths"])
    text = str(table.view(0))
    assert "seat 0 (you): Gizah A, stage 0 of 3, stone; 3 coins, 0 shields, war +0; 1 point" in text
    assert "seat 1 (left): Rhodos A" in text
    assert "seat 2 (right): Ephesos A" in text
    assert "    brown  Stone Pit" in text
    assert "build Baths (free)" in text
    assert "wonder with Baths (free)" in text
    assert "you may" not in str(table.view(1))


def test_every_event_has_a_sentence():
    sentences = set()
    for seed in range(6):
        *_, table = positions(4, seed=seed)
        for seat in range(4):
            for entry in (*table.log, *table.view(seat).history):
                sentences.add(entry["event"])
                assert catalogue("en").say(table.game.kind.said(entry), "abcdefg").strip()
    assert {"age", "chose", "built", "stage", "sold", "income", "discarded", "war"} <= sentences


def test_every_action_has_a_text_that_is_read_back():
    table = bolicho.game("wonders").deal(0)
    for number in range(SPLIT):
        read = read_action(table.state, action_text(table.state, number))
        assert action_text(table.state, read) == action_text(table.state, number)
    assert table.game.num_actions == SPLIT
    assert bolicho.game("wonders", trade="choose").num_actions == NUM_ACTIONS


@pytest.mark.parametrize("players", [3, 5])
def test_features_tell_hand_and_cities(players):
    for table in positions(players, seed=2):
        for seat in range(players):
            view = table.view(seat)
            out = view.features()
            assert (np.abs(out) <= 1).all()
            names = [CARDS[i] for i in np.flatnonzero(out[:78])]
            assert sorted(names) == sorted(set(view.hand))
            own = {CARDS[i] for i in np.flatnonzero(out[3 * 78 : 4 * 78])}
            assert own == set(view.city().structures)
            left = {CARDS[i] for i in np.flatnonzero(out[4 * 78 : 5 * 78])}
            assert left == set(view.city(view.left).structures)


def test_features_price_what_can_be_built():
    table = played(("Gizah A", "Rhodos A", "Ephesos A"), [IDLE], holds=["Barracks", "Baths", "Guard Tower"])
    price = dict(zip(CARDS, table.view(0).features()[78:156].tolist(), strict=True))
    assert price["Baths"] == 1
    assert price["Barracks"] == pytest.approx(1 - 2 / 16)
    assert price["Guard Tower"] == 0  # no clay anywhere
