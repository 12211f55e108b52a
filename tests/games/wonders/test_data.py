"""A view of 7 Wonders as JSON."""

import numpy as np
import pytest

import bolicho
from bolicho.games.wonders import layout as st
from bolicho.games.wonders.cards import RESOURCES
from bolicho.i18n import catalogue

from .script import IDLE, PLAIN, played

OPENING = ("build Lumber Yard", "build Loom", "build Clay Pit")
NOTHING = {"left": 0, "right": 0, "bank": 0, "total": 0}


def say(said):
    """Return the English sentence of a message in JSON."""
    return catalogue("en").say(read(said), ["Ana", "Rui", "Eva"])


def read(said):
    """Read a message that `Message.as_json` wrote."""
    from bolicho.i18n import Message, Seat, Several

    match said:
        case [key, dict() as facts]:
            return Message(key, **{name: read(fact) for name, fact in facts.items()})
        case {"seat": seat}:
            return Seat(seat)
        case {"several": facts, "with": joined}:
            return Several([read(fact) for fact in facts], joined)
        case _:
            return said


def positions(players=3, count=4, **rules):
    rng = np.random.default_rng(players)
    for seed in range(count):
        table = bolicho.game("wonders", players=players, **rules).deal(seed)
        while not table.over:
            yield table
            table.play(table.legal[int(rng.integers(len(table.legal)))])
        yield table


def hand_of(view):
    return {card["card"]: card for card in view.data()["table"]["hand"]}


def test_a_view_early_in_the_first_age():
    table = played(PLAIN, [OPENING], holds=("Stockade", "Apothecary", "Scriptorium", "Timber Yard", "Altar", "Baths"))
    data = table.view(0).data(4)
    assert data["game"] == "wonders" and data["rules"] == {"players": 3, "trade": "cheapest", "sides": "random"}
    assert (data["seat"], data["turn"], data["scores"], data["ply"]) == (0, 0, [1, 1, 0], 3)
    assert data["legal"][1] == {
        "action": "build Altar",
        "says": ["wonders.action.build", {"card": ["wonders.card.Altar", {}]}],
    }
    assert [say(entry["says"]) for entry in data["log"]] == [
        "Ana builds Lumber Yard",
        "Rui builds Loom",
        "Eva builds Clay Pit, paying 1 to the bank",
    ]
    seen = data["table"]
    assert {name: seen[name] for name in seen if name not in ("cities", "hand")} == {
        "age": 1,
        "round": 2,
        "phase": "play",
        "direction": "left",
        "chosen": [False, False, False],
        "left": 1,
        "right": 2,
        "choice": None,
        "revive": [],
    }
    city = seen["cities"][2]
    steps = city.pop("steps")
    assert [(say(step["cost"]), say(step["gives"])) for step in steps] == [
        ("2 stone", "3 points"),
        ("2 wood", "9 coins"),
        ("2 papyrus", "7 points"),
    ]
    assert city == {
        "seat": 2,
        "board": "Ephesos A",
        "start": "papyrus",
        "stages": 0,
        "of": 3,
        "cards": {"brown": ["Clay Pit"], "grey": [], "blue": [], "yellow": [], "red": [], "green": [], "purple": []},
        "resources": {"units": {"papyrus": 1}, "either": [["clay", "ore"]], "any": []},
        "coins": 2,
        "shields": 0,
        "victories": 0,
        "defeats": 0,
        "symbols": {"compass": 0, "gear": 0, "tablet": 0},
        "wild": 0,
        "prices": {"left": 2, "right": 2, "goods": 2},
        "points": {
            "military": 0, "coins": 0, "wonder": 0, "civil": 0, "science": 0, "commerce": 0, "guilds": 0, "total": 0,
        },
    }  # fmt: skip
    assert [card["card"] for card in seen["hand"]] == [
        "Timber Yard", "Altar", "Baths", "Stockade", "Apothecary", "Scriptorium",
    ]  # fmt: skip
    card = seen["hand"][4]
    assert (say(card.pop("gives")), say(card.pop("cost")), say(card["wonder"].pop("why"))) == (
        "compass",
        "cloth",
        "you and your neighbours lack 1 stone",
    )
    assert card == {
        "card": "Apothecary",
        "colour": "green",
        "build": {
            "status": "price",
            "price": {"left": 2, "right": 0, "bank": 0, "total": 2},
            "why": None,
            "action": "build Apothecary",
        },
        "wonder": {"status": "lacking", "price": None, "action": None},
        "free": None,
        "sell": {"action": "sell Apothecary"},
    }
    assert [(card["build"]["status"], card["build"]["price"]["total"]) for card in seen["hand"]] == [
        ("price", 1), ("free", 0), ("free", 0), ("free", 0), ("price", 2), ("price", 2),
    ]  # fmt: skip


def test_data_show_which_seats_have_chosen_and_the_choice_of_the_own_seat_alone():
    table = played(PLAIN, [OPENING], holds=("Altar",))
    table.play("build Altar")
    for seat, view in enumerate((*(table.view(seat) for seat in range(3)), table.public_view())):
        seen = view.data()["table"]
        assert seen["chosen"] == [True, False, False]
        assert seen["choice"] == ("build Altar" if seat == 0 else None)


def test_off_turn_the_hand_is_shown_without_actions():
    table = played(PLAIN, [OPENING], holds=("Altar", "Scriptorium"))
    table.play("build Altar")
    card = hand_of(table.view(0))["Scriptorium"]
    assert card["build"] == {
        "status": "price",
        "price": {"left": 0, "right": 2, "bank": 0, "total": 2},
        "why": None,
        "action": None,
    }
    assert card["sell"] == {"action": None}


def test_chain_makes_a_card_free_and_a_built_card_is_not_built_twice():
    turns = [("build Altar", "build Loom", "build Clay Pit"), *[IDLE] * 5]
    card = hand_of(played(PLAIN, turns, holds=("Temple",)).view(0))["Temple"]["build"]
    assert (card["status"], card["price"], card["action"]) == ("chain", NOTHING, "build Temple")
    built = played(PLAIN, [("build Loom", None, None), *[IDLE] * 5], holds=("Loom",))
    card = hand_of(built.view(0))["Loom"]["build"]
    assert (card["status"], card["price"], card["action"]) == ("built", None, None)
    assert say(card["why"]) == "it stands in your city already"


def test_card_that_is_too_expensive_is_shown_with_its_price():
    found = []
    for table in positions(players=4, count=12):
        view = table.view()
        found += [
            (view.coins[view.seat], card["build"])
            for card in view.data()["table"]["hand"]
            if card["build"]["status"] == "coins"
        ]
    assert found
    for coins, build in found:
        assert build["price"]["total"] > coins and build["action"] is None
        assert build["why"][0] == "wonders.why.coins"


@pytest.mark.parametrize(("players", "trade"), [(3, "cheapest"), (3, "choose"), (7, "cheapest"), (7, "choose")])
def test_actions_shown_for_the_cards_are_the_legal_ones(players, trade):
    for table in positions(players, trade=trade):
        view = table.view()
        data = view.data()
        seen, legal = data["table"], [action["action"] for action in data["legal"]]
        told = [revived["action"] for revived in seen["revive"]]
        assert [card["card"] for card in seen["hand"]] == view.hand
        for card in seen["hand"]:
            for what in ("build", "wonder"):
                option = card[what]
                told += [way["action"] for way in option.get("ways", [option])]
                if seen["phase"] != "revival":
                    assert (option["action"] is not None) == (option["status"] in ("chain", "free", "price"))
                assert (option["why"] is None) == (option["status"] in ("chain", "free", "price"))
                for way in option.get("ways", []):
                    action = next(action for action in view.legal if action == way["action"])
                    assert tuple(view.cost(action)) == (way["left"], way["right"], way["bank"])
            told += [card["free"]["action"]] if card["free"] else []
            told.append(card["sell"]["action"])
        assert sorted(set(told) - {None}) == sorted(legal)


@pytest.mark.parametrize("players", range(3, 8))
def test_cities_in_the_data_equal_those_of_the_view(players):
    for table in positions(players, count=2):
        view = table.view(players - 1)
        for city, told in zip(view.cities, view.data()["table"]["cities"], strict=True):
            for name in ("seat", "board", "start", "stages", "of", "coins", "shields", "victories", "defeats"):
                assert told[name] == getattr(city, name)
            assert told["symbols"] == city.symbols and told["wild"] == city.wild and told["points"] == city.points
            assert told["cards"] == city.cards
            prices = view.state["price"][city.seat].tolist()
            assert told["prices"] == dict(zip(("left", "right", "goods"), prices, strict=True))


@pytest.mark.parametrize("players", [3, 7])
def test_resources_of_a_city_equal_the_counts_that_payment_uses(players):
    """Compare with the record's number of units that can be of a kind in each set of raw materials."""
    for table in positions(players, count=3):
        state = table.state
        for city in table.public_view().data()["table"]["cities"]:
            seat, made = city["seat"], city["resources"]
            for kinds in range(16):
                among = {RESOURCES[kind] for kind in range(4) if kinds >> kind & 1}
                units = sum(n for kind, n in made["units"].items() if kind in among)
                units += sum(1 for either in made["either"] if among & set(either))
                assert units == state["raw"][seat, kinds]
            assert [made["units"].get(good, 0) for good in RESOURCES[4:]] == state["goods"][seat].tolist()
            wild = [kinds[0] in RESOURCES[:4] for kinds in made["any"]]
            assert (wild.count(True), wild.count(False)) == (state["any_raw"][seat], state["any_goods"][seat])


def test_spectator_sees_cities_and_no_hand():
    for table in positions(3, count=2):
        seen = table.public_view().data()["table"]
        assert seen["hand"] == [] and seen["revive"] == []
        assert seen["left"] is seen["right"] is seen["choice"] is None
        assert seen["cities"] == table.view(0).data()["table"]["cities"]
        cards, fate = table.public_view().state["cards"][:, :3], table.state["fate"][:, :3]
        assert (cards[fate != st.BUILT] == st.NONE).all() and (cards[fate == st.BUILT] != st.NONE).all()


def test_public_log_hides_cards_that_were_sold_or_put_under_a_stage():
    table = played(PLAIN, [("build Stone Pit", "build Loom", None), ("sell Altar", None, None)], holds=())
    public = [entry for entry in table.public_view().data()["log"] if entry["event"] in ("sold", "stage", "chose")]
    assert {entry.get("card") for entry in public} == {None} and {entry.get("action") for entry in public} == {None}


def test_offered_card_of_the_discard_pile_shows_what_it_gives():
    offered = [
        view.data()["table"]
        for table in positions(3, count=40)
        if not table.over and (view := table.view()).state["phase"] == st.REVIVAL
    ]
    assert offered
    for seen in offered:
        assert seen["phase"] == "revival" and seen["revive"]
        for card in seen["revive"]:
            assert set(card) == {"card", "colour", "cost", "gives", "action"}
            assert card["action"] == f"revive {card['card']}"
