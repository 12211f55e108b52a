"""Notation: actions, setups, records and texts of views."""

import pytest

import bolicho
from bolicho.errors import BadInput, IllegalAction
from bolicho.games.record import replay

SETUP = {"first": 0, "hands": [["6-4", "3-3", "5-3"], ["4-1", "6-6", "3-1"]], "boneyard": ["2-2", "5-5"]}


def table_of(actions=(), game="dominoes", setup=SETUP, **rules):
    table = bolicho.game(game, **rules).setup(**setup)
    for action in actions:
        table.play(action)
    return table


def chosen(log):
    return [entry["action"] for entry in log if entry["event"] == "chose"]


def test_a_record_replays_and_is_written_the_same_again():
    record = {"game": "fives", "rules": {"rounding": "down"}, "setup": SETUP, "actions": ["6-4", "6-6", "3-3"]}
    with pytest.raises(IllegalAction):
        replay(record)
    record["actions"] = ["6-4", "6-6"]
    assert replay(record).record() == record


def test_a_redundant_side_is_read_and_not_written():
    table = table_of(["6-4", "4-1 r"])
    assert table.record()["actions"] == ["6-4", "4-1"]
    table = table_of(["6-4", "6-6 l"], "fives")
    assert table.record()["actions"] == ["6-4", "6-6"]
    assert chosen(table.log) == ["6-4", "6-6"]


def test_side_of_the_opening_tile_is_ignored():
    assert table_of(["6-4 l"]).record()["actions"] == table_of(["6-4 r"]).record()["actions"] == ["6-4"]


def test_side_is_required_and_written_where_a_tile_fits_at_several():
    setup = {"hands": [["3-3", "6-4"], ["3-1", "5-3"]], "boneyard": []}
    table = table_of(["3-3"], setup=setup)
    with pytest.raises(IllegalAction, match="3-1 fits at l and r; name one, as in '3-1 l'"):
        table.play("3-1")
    table.play("3-1 l")
    assert table.record()["actions"] == ["3-3", "3-1 l"]
    assert chosen(table.log) == chosen(table.view(0).history) == ["3-3", "3-1 l"]


@pytest.mark.parametrize(
    ("action", "why"),
    [
        ("4-1 l", "4-1 does not fit at l, which needs a 6"),
        ("4-1 u", "the side u is not open; open are l, r"),
        ("4-1 x", "'x' is not a side; the sides are l, r, u and d"),
        ("3-1", "3-1 fits no open side: l needs a 6, r needs a 4"),
        ("5-3", "seat 1 does not hold 5-3"),
        ("1-4", "'1-4' is written high half first: 4-1"),
        ("7-1", "'7-1' is not in this set, whose highest tile is 6-6"),
        ("13-1", "'13-1' is not a tile (write them like 6-4, 3-3, 5-0)"),
        ("04-1", "'04-1' is not a tile (write them like 6-4, 3-3, 5-0)"),
        ("draw", "a draw is forced and never chosen"),
        ("pass", "a pass is forced and never chosen"),
        ("4-1 r ", "an action is a tile like 6-4, or a tile and a side like '6-4 l'"),
        ("4-1  r", "an action is a tile like 6-4, or a tile and a side like '6-4 l'"),
        ("4-1 R", "an action is a tile like 6-4, or a tile and a side like '6-4 l'"),
        ("", "an action is a tile like 6-4, or a tile and a side like '6-4 l'"),
    ],
)
def test_illegal_action_is_refused_with_the_reason(action, why):
    table = table_of(["6-4"])
    before = table.pool.tobytes()
    with pytest.raises(IllegalAction) as refusal:
        table.play(action)
    assert str(refusal.value) == f"ply 1: seat 1 tried {action!r}, which is not legal here ({why}); legal: 4-1, 6-6"
    assert table.pool.tobytes() == before


def test_seat_that_had_to_draw_may_play_only_the_drawn_tile():
    setup = {"first": 0, "hands": [["6-4", "3-3"], ["2-1", "1-0"]], "boneyard": ["5-5", "6-2", "4-4"]}
    table = table_of(["6-4"], setup=setup)
    with pytest.raises(IllegalAction, match=r"2-1 fits no open side.*legal: 6-2$"):
        table.play("2-1")


def test_no_action_is_legal_after_the_end():
    table = table_of(["6-4"], setup={"hands": [["6-4"], ["1-1"]], "boneyard": []})
    with pytest.raises(IllegalAction, match="the game is over"):
        table.play("1-1")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"first": 2}, "setup: first must be seat 0 or 1, not 2"),
        ({"first": True}, "setup: first must be seat 0 or 1, not True"),
        ({"hands": None}, "setup: hands must be two lists of tiles, as in [['6-4', '3-3'], ['5-0']]"),
        ({"hands": [["6-4"]]}, "setup: hands must be two lists of tiles, as in [['6-4', '3-3'], ['5-0']]"),
        ({"hands": [["6-4"], "3-3"]}, "setup: hands must be two lists of tiles, as in [['6-4', '3-3'], ['5-0']]"),
        ({"hands": [["6-4"], []]}, "setup: seat 1 has an empty hand; it needs a tile"),
        ({"hands": [["6-4"], ["4-6"]]}, "setup: seat 1: '4-6' is written high half first: 6-4"),
        ({"hands": [["6-4"], [64]]}, "setup: seat 1: 64 is not a tile (write them like 6-4, 3-3, 5-0)"),
        ({"hands": [["6-4"], ["6-4"]]}, "setup: the tile 6-4 is there twice"),
        ({"boneyard": ["6-4"]}, "setup: the tile 6-4 is there twice"),
        ({"boneyard": ["9-4"]}, "setup: the boneyard: '9-4' is not in this set, whose highest tile is 6-6"),
        ({"boneyard": "2-2"}, "setup: boneyard must be a list of tiles, the first to be drawn first"),
        ({"stock": []}, "unknown key of a dominoes setup 'stock'; known: boneyard, first, hands"),
    ],
)
def test_an_impossible_setup_is_refused(change, message):
    with pytest.raises(BadInput) as refusal:
        bolicho.game("dominoes").setup(**{**SETUP, **change})
    assert str(refusal.value) == message


def test_a_setup_may_have_fewer_tiles_and_unequal_hands():
    table = table_of(setup={"first": 1, "hands": [["6-4"], ["3-3", "5-5", "1-0"]], "boneyard": ["0-0"]})
    assert table.turn == 1 and table.view(0).other == 3 and table.view(0).boneyard == 1
    assert table.view(0).unseen == ["0-0", "1-0", "3-3", "5-5"]


def test_view_shows_what_its_seat_sees():
    setup = {"first": 0, "hands": [["6-4", "3-3", "4-4"], ["2-1", "1-0"]], "boneyard": ["5-5", "6-2", "5-4"]}
    table = table_of(["6-4"], "fives", setup)
    mine, theirs = table.view(0), table.view(1)
    assert mine.hand == ["3-3", "4-4"] and mine.pips == 14 and mine.other == 4 and mine.boneyard == 1
    assert mine.history[2:] == [{"event": "drew", "seat": 1, "tile": None}] * 2
    assert [entry["tile"] for entry in theirs.history[2:]] == ["5-5", "6-2"]
    assert mine.lacked == [4, 6] and theirs.lacked == []
    assert mine.last == "6-4" and mine.total == 10
    assert theirs.legal == ("6-2",) and mine.legal == ()
    assert str(mine).splitlines() == [
        "10 to 0; boneyard 1, other hand 4",
        "  line    6-4",
        "  ends    l 6, r 4   (sum 10)",
        "  hand    3-3 4-4   (14 pips)",
        "  lacked  4, 6",
    ]


def test_text_of_a_view_shows_line_arms_and_ends():
    hands = [["6-4", "6-2", "6-6", "2-2"], ["4-1", "6-0", "6-5", "3-3"]]
    table = table_of(["6-4", "4-1", "6-6", "6-0 u", "6-2 l", "6-5"], "fives", {"hands": hands, "boneyard": []})
    assert str(table.view(0)).splitlines()[1:5] == [
        "  line    2-6 [6-6] 6-4 4-1",
        "  up      6-0",
        "  down    6-5",
        "  ends    l 2, r 1, u 0, d 5   (sum 8)",
    ]
    line = table.view(0).line
    assert (line.first, line.spinner) == (2, 1)


def test_view_returns_the_points_of_each_play_and_does_not_change():
    hands = [["6-4", "6-2", "6-6"], ["4-1", "6-0", "6-5"]]
    table = table_of(["6-4"], "fives", {"hands": hands, "boneyard": []})
    view = table.view()
    before = view.pool.tobytes()
    points = {str(action): view.points(action) for action in view.legal}
    assert points == {"4-1": 0, "6-0": 0, "6-5": 0}
    assert view.pool.tobytes() == before
    opening = table_of([], "fives", {"hands": hands, "boneyard": []}).view()
    assert {str(action): opening.points(action) for action in opening.legal} == {"6-2": 0, "6-4": 10, "6-6": 0}


def test_hands_are_shown_when_the_game_is_over():
    table = table_of(["6-4"], setup={"hands": [["6-4"], ["1-1", "3-2"]], "boneyard": ["5-5"]})
    assert table.view(0).other_hand == ["1-1", "3-2"]
    assert table_of().view(0).other_hand == []
