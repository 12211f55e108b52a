"""A view of dominoes as JSON."""

import bolicho

HANDS = [["5-5", "5-0", "6-4"], ["5-3", "6-1", "3-2"]]


def table(name, *actions, rules=None, **setup):
    dealt = bolicho.game(name, **(rules or {})).setup(**{"hands": HANDS, "first": 0, **setup})
    for action in actions:
        dealt.play(action)
    return dealt


def test_a_view_of_all_fives():
    position = table("fives", "5-5", "5-3 l", "5-0 u", boneyard=["4-4", "2-2"])
    assert position.view(1).data(4) == {
        "game": "fives",
        "rules": {
            "highest": 6, "hand": 7, "reserve": 0, "opens": "first", "arms_after": 0, "spinner": "double",
            "rounding": "up", "multiple": 5,
        },
        "seat": 1,
        "turn": 1,
        "over": False,
        "scores": [10, 0],
        "ply": 3,
        "legal": [{"action": "3-2", "says": ["dominoes.action.tile", {"tile": "3-2"}]}],
        "log_from": 4,
        "log": [],
        "table": {
            "fives": True,
            "highest": 6,
            "line": {"row": [[3, 5], [5, 5]], "first": 1, "spinner": 1, "up": [[5, 0]], "down": []},
            "ends": {"l": 3, "r": 5, "u": 0, "d": 5},
            "total": 3,
            "hand": ["3-2", "6-1"],
            "counts": [1, 2],
            "boneyard": 2,
            "last": "5-0",
            "lead": None,
            "lacked": [[], []],
            "points": {"3-2": 0},
            "hands": None,
            "pips": 12,
        },
    }  # fmt: skip


def test_points_are_those_of_each_legal_tile():
    points = table("fives").view(0).data()["table"]["points"]
    assert points == {"5-0": 5, "5-5": 10, "6-4": 10}


def test_data_of_draw_dominoes_have_no_total_and_no_points():
    told = table("dominoes", "6-4").view(1).data()["table"]
    assert told["fives"] is False and told["total"] is None and told["points"] == {}
    assert told["line"] == {"row": [[6, 4]], "first": 0, "spinner": None, "up": [], "down": []}


def test_draws_and_passes_reveal_lacked_values():
    told = table("dominoes", "5-5", "5-3 r", "5-0 l", boneyard=["4-4", "2-0"]).view(0).data()["table"]
    assert told["lacked"] == [[], []]  # 3-2 fits
    told = table("dominoes", "6-4", "6-1", boneyard=["4-4"]).view(1).data()["table"]
    assert told["lacked"] == [[1, 4], []] and told["counts"] == [3, 2] and told["boneyard"] == 0
    assert told["ends"] == {"l": 1, "r": 4}


def test_required_lead_is_named_until_it_is_played():
    dealt = bolicho.game("dominoes", opens="double").setup(hands=HANDS)
    assert dealt.view(1).data()["table"]["lead"] == "5-5" and dealt.public_view().data()["table"]["lead"] == "5-5"
    dealt.play("5-5")
    assert dealt.view(1).data()["table"]["lead"] is None


def test_hands_are_shown_when_the_game_is_over():
    hands = [["6-6"], ["5-3", "1-0"]]
    over = table("dominoes", "6-6", hands=hands)
    for view in (over.view(0), over.view(1), over.public_view()):
        assert view.data()["table"]["hands"] == [[], ["1-0", "5-3"]]
    playing = table("dominoes", hands=hands)
    assert playing.view(0).data()["table"]["hands"] is None


def test_spectator_sees_no_hand_and_no_drawn_tile():
    watched = table("dominoes", "6-4", "6-1", boneyard=["4-4"]).public_view().data()
    assert watched["table"]["hand"] == [] and watched["table"]["pips"] is None and watched["table"]["counts"] == [3, 2]
    drawn = [entry for entry in watched["log"] if entry["event"] == "drew"]
    assert drawn == [{"event": "drew", "seat": 0, "tile": None, "says": ["dominoes.drew.hidden", {"who": {"seat": 0}}]}]


def test_the_largest_set_is_read_as_well():
    hands = [["12-12", "12-0"], ["12-11", "11-11"]]
    told = table("dominoes", "12-12", hands=hands, rules={"highest": 12}).view(1).data()["table"]
    assert told["hand"] == ["11-11", "12-11"] and told["pips"] == 45 and told["ends"] == {"l": 12, "r": 12}
