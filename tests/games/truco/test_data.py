"""A view of Truco as JSON."""

import bolicho

HANDS = [["1e", "7o", "12p"], ["7c", "2e", "4e"]]
SUIT = {letter: [f"truco.suit.{letter}", {}] for letter in "epco"}


def table(*actions, rules=None, **setup):
    dealt = bolicho.game("truco", **(rules or {})).setup(**{"hands": HANDS, **setup})
    for action in actions:
        dealt.play(action)
    return dealt


def played_card(seat, number, suit):
    return [
        "truco.chose.card",
        {"who": {"seat": seat}, "action": ["truco.card", {"number": number, "suit": SUIT[suit]}]},
    ]


def test_a_view_in_the_middle_of_a_hand():
    position = table("envido", "quero", "1e", "7c", "virada 12p", scores=[3, 0])
    assert position.view(0).data(5) == {
        "game": "truco",
        "rules": {
            "target": 24, "hands": 0, "face_down": True, "envido_first": False, "envido_envido": False, "flor": True,
            "flor_points": 3, "contra_flor_points": 6, "contra_flor_refused": 4, "resto_refused": 6,
        },
        "seat": 0,
        "turn": 1,
        "over": False,
        "scores": [3, 2],
        "ply": 5,
        "legal": [],
        "log_from": 5,
        "log": [
            {"event": "chose", "seat": 0, "action": "1e", "round": 1, "says": played_card(0, 1, "e")},
            {"event": "chose", "seat": 1, "action": "7c", "round": 1, "says": played_card(1, 7, "c")},
            {"event": "round", "winner": 0, "round": 1, "says": ["truco.round.won", {"round": 1, "who": {"seat": 0}}]},
            {
                "event": "chose", "seat": 0, "action": "virada", "round": 2,
                "says": ["truco.chose.card", {"who": {"seat": 0}, "action": ["truco.virada.unseen", {}]}],
            },
        ],
        "table": {
            "target": 24,
            "hand": 1,
            "mao": 0,
            "round": 2,
            "worth": 1,
            "raiser": None,
            "pending": None,
            "cards": ["7o"],
            "dealt": ["1e", "12p", "7o"],
            "counts": [1, 2],
            "played": [["1e", "virada 12p"], ["7c"]],
            "winners": [0, None, None],
            "envido": 7,
            "calls": [{"seat": 0, "call": "envido"}, {"seat": 1, "call": "quero"}],
            "last": None,
        },
    }  # fmt: skip


def test_spectator_sees_only_the_cards_on_the_table():
    seen = table("envido", "quero", "1e", "7c", "virada 12p").public_view().data()["table"]
    assert seen["cards"] == seen["dealt"] == [] and seen["envido"] is None
    assert seen["played"] == [["1e", "virada"], ["7c"]] and seen["counts"] == [1, 2]


def test_legal_actions_have_messages_for_people():
    legal = table("1e", "7c").view(0).data()["legal"]
    assert legal[0] == {
        "action": "12p",
        "says": ["truco.card", {"number": ["truco.figure.rei", {}], "suit": SUIT["p"]}],
    }
    assert {"action": "truco", "says": ["truco.action.truco", {}]} in legal


def test_data_hold_the_whole_previous_hand():
    told = table("envido", "quero", "1e", "7c", "virada 12p", "truco", "quero", "virada 2e").view(1).data()["table"]
    assert told["hand"] == 2 and told["mao"] == 1 and told["calls"] == [] and told["played"] == [[], []]
    assert told["last"] == {
        "hand": 1,
        "mao": 0,
        "played": [["1e", "virada"], ["7c", "virada"]],
        "winners": [0, "tie", None],
        "calls": [
            {"seat": 0, "call": "envido"},
            {"seat": 1, "call": "quero"},
            {"seat": 1, "call": "truco"},
            {"seat": 0, "call": "quero"},
        ],
        "points": [{"seat": 1, "points": 2, "for": "envido"}, {"seat": 0, "points": 2, "for": "cards"}],
        "shown": [{"seat": 1, "envido": 26}],
    }


def test_last_hand_of_a_finished_match_is_the_previous_hand():
    over = table("1e", "7c", "7o", "virada 2e", rules={"hands": 1})
    told = over.view(1).data()
    assert told["over"] and told["turn"] is None and told["scores"] == [1, 0]
    assert told["table"]["last"] == {
        "hand": 1,
        "mao": 0,
        "played": [["1e", "7o"], ["7c", "virada 2e"]],
        "winners": [0, 0, None],
        "calls": [],
        "points": [{"seat": 0, "points": 1, "for": "cards"}],
        "shown": [],
    }
    assert over.view(0).data()["table"]["last"]["played"] == [["1e", "7o"], ["7c", "virada"]]


def pending(*actions, **options):
    return table(*actions, **options).view().data()["table"]["pending"]


def test_pending_call_has_its_points_if_accepted_and_if_refused():
    assert pending("truco") == {"call": "truco", "by": 0, "accepted": 2, "refused": 1}
    assert pending("truco", "retruco") == {"call": "retruco", "by": 1, "accepted": 3, "refused": 2}
    assert pending("truco", "retruco", "vale4") == {"call": "vale4", "by": 0, "accepted": 4, "refused": 3}
    assert pending("envido") == {"call": "envido", "by": 0, "accepted": 2, "refused": 1}
    assert pending("envido", "real") == {"call": "real", "by": 1, "accepted": 5, "refused": 2}
    assert pending("envido", "real", "falta") == {"call": "falta", "by": 0, "accepted": 24, "refused": 5}
    again = {"envido_envido": True}
    assert pending("envido", "envido", rules=again) == {"call": "envido", "by": 1, "accepted": 4, "refused": 2}
    assert pending("1e") is None


def test_accepted_call_names_the_seat_that_may_raise():
    told = table("truco", "quero").view().data()["table"]
    assert told["worth"] == 2 and told["raiser"] == 1 and told["pending"] is None


def test_two_flores_await_answers_and_the_first_cannot_be_refused():
    hands = [["1e", "2e", "3e"], ["1c", "2c", "3c"]]
    assert pending(hands=hands) == {"call": "flor", "by": 0, "accepted": 3, "refused": None}
    assert pending("contraflor", hands=hands) == {"call": "contraflor", "by": 1, "accepted": 6, "refused": 4}
    assert pending("contraflor", "resto", hands=hands) == {"call": "resto", "by": 0, "accepted": 24, "refused": 6}
    told = table("contraflor", "resto", hands=hands).view().data()["table"]
    assert told["calls"] == [
        {"seat": 0, "call": "flor"}, {"seat": 1, "call": "contraflor"}, {"seat": 0, "call": "resto"},
    ]  # fmt: skip
