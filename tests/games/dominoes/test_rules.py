"""The rules of draw dominoes and all fives, one hand-written game each."""

import pytest

import bolicho
from bolicho.errors import BadInput
from bolicho.games.dominoes.rules import HALVES, TILES, DrawRules, FivesRules, set_size
from bolicho.i18n import catalogue


def played(game, hands, boneyard, actions, first=0, **rules):
    table = bolicho.game(game, **rules).setup(first=first, hands=[h.split() for h in hands], boneyard=boneyard.split())
    for action in actions.split(", ") if actions else []:
        table.play(action)
    return table


def texts(table):
    return sorted(table.legal)


def events(table):
    return [catalogue("en").say(table.game.kind.said(entry), ("seat 0", "seat 1")) for entry in table.log]


# --- The set and the deal -----------------------------------------------------------------------


@pytest.mark.parametrize(("highest", "size", "pips"), [(6, 28, 168), (9, 55, 495), (12, 91, 1092)])
def test_a_set_has_every_pair_of_values_once(highest, size, pips):
    tiles = HALVES[: set_size(highest)]
    assert len(set(tiles)) == size
    assert sum(high + low for high, low in tiles) == pips
    assert max(tiles) == (highest, highest)


@pytest.mark.parametrize("game", ["dominoes", "fives"])
def test_seven_tiles_each_and_fourteen_in_the_boneyard(game):
    for seed in range(50):
        table = bolicho.game(game).deal(seed)
        result = table.result()
        assert [len(hand) for hand in result["hands"]] == [7, 7]
        assert len(result["boneyard"]) == 14
        assert sorted(result["hands"][0] + result["hands"][1] + result["boneyard"]) == sorted(TILES[:28])
        assert table.turn == 0
        assert texts(table) == sorted(result["hands"][0])


def test_every_tile_is_dealt_everywhere_about_equally_often():
    game = bolicho.game("dominoes")
    deals = [game.deal(seed).state for seed in range(2000)]
    for tile in range(28):
        held = sum(int(state["hands"][0, 0]) >> tile & 1 for state in deals)
        first = sum(int(state["boneyard"][0]) == tile for state in deals)
        assert abs(held - 500) < 5 * (2000 * 0.25 * 0.75) ** 0.5
        assert abs(first - 2000 / 28) < 5 * (2000 / 28) ** 0.5


def test_the_same_seed_deals_the_same_tiles_in_both_games():
    assert bolicho.game("dominoes").deal(11).result()["hands"] == bolicho.game("fives").deal(11).result()["hands"]


# --- Draw dominoes ------------------------------------------------------------------------------


def test_the_opener_plays_any_tile_with_its_high_half_to_the_left():
    table = played("dominoes", ["6-4 3-3", "4-2 1-0"], "5-5", "")
    assert texts(table) == ["3-3", "6-4"]
    table.play("6-4")
    assert table.view(0).ends == {"l": 6, "r": 4}


def test_each_side_where_a_tile_fits_is_an_action_and_the_side_is_written_only_then():
    table = played("dominoes", ["6-4 3-3", "4-2 6-1 5-0"], "5-5", "6-4")
    assert texts(table) == ["4-2", "6-1"]
    doubles = played("dominoes", ["6-4 3-3", "6-6 4-4"], "", "6-4")
    assert texts(doubles) == ["4-4", "6-6"]
    equal = played("dominoes", ["3-3 6-4", "3-1 5-3"], "", "3-3")
    assert texts(equal) == ["3-1 l", "3-1 r", "5-3 l", "5-3 r"]


def test_a_tile_that_joins_both_ends_may_be_played_at_either():
    table = played("dominoes", ["6-4 3-2 6-1", "4-1 2-2"], "", "6-4, 4-1")
    assert table.view(0).ends == {"l": 6, "r": 1}
    assert texts(table) == ["6-1 l", "6-1 r"]
    table.play("6-1 r")
    assert table.view(0).ends == {"l": 6, "r": 6}


def test_seat_without_a_fitting_tile_draws_until_one_fits():
    table = played("dominoes", ["6-4 3-3", "2-1 1-0"], "5-5 2-2 4-3 6-6", "6-4")
    assert events(table) == ["seat 0: 6-4", "seat 1 draws 5-5", "seat 1 draws 2-2", "seat 1 draws 4-3"]
    assert table.turn == 1
    assert texts(table) == ["4-3"]
    assert table.result()["boneyard"] == ["6-6"]


def test_seat_with_a_fitting_tile_does_not_draw():
    table = played("dominoes", ["6-4 3-3", "4-1 1-0"], "6-6", "6-4")
    assert table.result()["boneyard"] == ["6-6"]


def test_seat_that_draws_no_fitting_tile_takes_all_and_passes():
    table = played("dominoes", ["6-4 6-3", "2-1 1-0"], "5-5 2-2", "6-4")
    assert events(table)[1:] == ["seat 1 draws 5-5", "seat 1 draws 2-2", "seat 1 passes"]
    assert table.turn == 0
    assert table.result()["hands"][1] == ["1-0", "2-1", "2-2", "5-5"]


def test_the_first_to_be_out_scores_the_pips_of_the_other_hand():
    table = played("dominoes", ["6-4", "4-1 5-5"], "3-3", "6-4")
    assert table.over and table.scores == [15, 0] and table.payoffs == [15.0, -15.0]
    assert events(table)[-1] == "seat 0 goes out and scores 15"


def test_no_tile_is_drawn_after_the_last_one_is_played():
    table = played("dominoes", ["6-4", "1-0 5-5"], "4-4", "6-4")
    assert table.over and table.result()["boneyard"] == ["4-4"]


@pytest.mark.parametrize(
    ("hands", "winner", "points"),
    [
        (["6-6 5-5", "4-1 4-2"], 1, 10),  # 4-1 (5 pips) is the lightest: the pips of the other hand, 5-5, go to seat 1
        (["6-6 2-0", "1-1 5-4"], 0, 11),  # both lightest tiles have 2 pips: the blank side decides
        (["6-6 1-1", "2-0 5-5"], 1, 2),
        (["6-6 3-0 5-4", "2-1 5-5"], 0, 13),
        (["6-6 4-0 5-4", "3-1 2-2"], 0, 8),
        (["6-6 3-1 5-4", "4-0 2-2"], 1, 13),
    ],
)
def test_a_blocked_game_is_won_by_the_lightest_tile_then_by_its_lowest_side(hands, winner, points):
    table = played("dominoes", hands, "", "6-6")
    assert table.over
    assert events(table)[-3:-1] == ["seat 1 passes", "seat 0 passes"]
    assert events(table)[-1] == f"nobody can play; seat {winner} has the lightest tile and scores {points}"
    assert table.scores == ([points, 0] if winner == 0 else [0, points])


def test_a_block_can_follow_a_draw_of_the_whole_boneyard():
    table = played("dominoes", ["6-6 5-5", "4-1 4-2"], "3-3 1-0", "6-6")
    assert table.over and table.scores == [0, 10]
    assert events(table)[1:5] == ["seat 1 draws 3-3", "seat 1 draws 1-0", "seat 1 passes", "seat 0 passes"]


def test_a_winner_may_score_nothing():
    table = played("dominoes", ["6-4", "0-0"], "", "6-4")
    assert table.over and table.scores == [0, 0]


def test_a_pass_gives_the_turn_back():
    table = played("dominoes", ["6-4 6-5 5-5", "2-1 1-0"], "", "6-4")
    assert table.turn == 0 and texts(table) == ["6-5"]
    table.play("6-5")
    assert events(table)[-1] == "seat 1 passes"
    table.play("5-5")
    assert table.scores == [4, 0]


# --- All fives ----------------------------------------------------------------------------------


def test_a_first_tile_whose_halves_sum_to_a_multiple_of_five_scores():
    assert played("fives", ["6-4 1-1", "6-6 4-4"], "", "6-4").scores == [10, 0]
    assert played("fives", ["6-3 1-1", "6-6 4-4"], "", "6-3").scores == [0, 0]


def test_no_points_for_a_sum_of_zero():
    table = played("fives", ["0-0 1-1", "6-0 4-4"], "", "0-0")
    assert table.scores == [0, 0] and len(table.log) == 1


def test_the_spinner_is_open_on_four_sides_and_counts_both_halves_alone():
    table = played("fives", ["5-5 1-1", "5-2 6-0"], "", "5-5")
    assert table.scores == [10, 0]
    assert texts(table) == ["5-2 d", "5-2 l", "5-2 r", "5-2 u"]


def test_the_spinner_counts_both_halves_with_one_side_covered_and_nothing_with_two():
    table = played("fives", ["5-5 5-0 1-1", "5-2 5-1 6-0"], "", "5-5, 5-2 l")
    assert table.view(0).total == 12  # 10 of the spinner, 2
    table.play("5-0 r")
    assert table.view(0).total == 2  # 2 and 0
    table.play("5-1 u")
    assert table.view(0).total == 3
    assert table.scores == [10, 0]


def test_arms_count_as_sides_of_the_spinner():
    table = played("fives", ["5-5 5-0 1-1", "5-2 5-1 6-0"], "", "5-5, 5-2 u, 5-0 d")
    assert table.view(0).total == 2
    assert table.view(0).ends == {"l": 5, "r": 5, "u": 2, "d": 0}


def test_a_spinner_played_at_an_end_has_one_side_covered_and_keeps_the_letter_of_the_line():
    table = played("fives", ["6-4 1-1 6-1", "6-6 2-2"], "", "6-4, 6-6")
    view = table.view(0)
    assert view.ends == {"l": 6, "r": 4, "u": 6, "d": 6}
    assert view.total == 16
    assert texts(table) == ["6-1 d", "6-1 l", "6-1 u"]
    table.play("6-1 l")
    assert table.view(0).total == 5 and table.scores == [15, 0]  # 6-4 gave 10; then 4 and 1


def test_only_the_first_double_is_a_spinner_and_the_others_count_twice_at_an_end():
    table = played("fives", ["6-6 6-4 1-1", "6-1 4-4 2-0"], "", "6-6, 6-1 l, 6-4 r, 4-4")
    view = table.view(0)
    assert view.ends == {"l": 1, "r": 4, "u": 6, "d": 6}
    assert view.total == 9  # 1 and twice 4
    table.play("1-1")
    assert table.scores == [20, 0]  # 5 for 6-4 (1 and 4); now 2 and 8, and a bonus of 2 rounded up


def test_the_ends_of_the_last_tile_score_before_the_bonus():
    table = played("fives", ["6-4", "3-3 2-1"], "", "6-4")
    assert events(table) == ["seat 0: 6-4", "seat 0 scores 10 for the ends", "seat 0 goes out and scores 10"]
    assert table.scores == [20, 0]


def test_points_of_the_ends_are_kept_by_the_loser_and_payoffs_are_the_difference():
    lost = played("fives", ["6-4 2-1", "4-4"], "", "6-4, 4-4")
    assert lost.over and lost.scores == [10, 5] and lost.payoffs == [5.0, -5.0]


@pytest.mark.parametrize(
    ("rounding", "bonuses"),
    [
        ("up", [0, 5, 5, 5, 5, 5, 10, 10, 10, 10, 10]),
        ("nearest", [0, 0, 0, 5, 5, 5, 5, 5, 10, 10, 10]),
        ("down", [0, 0, 0, 0, 0, 5, 5, 5, 5, 5, 10]),
        ("none", list(range(11))),
    ],
)
def test_the_bonus_is_rounded_as_the_rules_say(rounding, bonuses):
    left = ["0-0", "1-0", "2-0", "2-1", "2-2", "4-1", "5-1", "5-2", "4-4", "5-4", "5-5"]
    for hand, bonus in zip(left, bonuses, strict=True):
        table = played("fives", ["6-3", hand], "", "6-3", rounding=rounding)
        assert table.over and table.scores == [bonus, 0], hand


def test_a_blocked_game_of_fives_gives_the_rounded_bonus():
    table = played("fives", ["6-6 5-5", "4-1 4-2"], "", "6-6")
    assert table.over and table.scores == [0, 10]
    assert table.log[-1] == {"event": "won", "seat": 1, "points": 10, "blocked": True}


@pytest.mark.parametrize(("after", "open_at"), [(0, 0), (1, 1), (2, 2)])
def test_arms_open_when_enough_sides_along_the_line_are_covered(after, open_at):
    table = played("fives", ["5-5 5-0 1-1", "5-2 5-1 6-0"], "", "5-5", arms_after=after)
    for covered, action in enumerate(["5-2 l", "5-0 r", None]):
        assert ("u" in table.view(0).ends) == ("d" in table.view(0).ends) == (covered >= open_at)
        if action:
            table.play(action if f"{action}" in table.legal else action.split()[0])


def test_a_spinner_at_an_end_opens_its_arms_at_once_if_one_side_is_enough():
    assert "u" in played("fives", ["6-4 1-1", "6-6 2-2"], "", "6-4, 6-6", arms_after=1).view(0).ends
    assert "u" not in played("fives", ["6-4 1-1", "6-6 2-2"], "", "6-4, 6-6", arms_after=2).view(0).ends


def test_rule_spinner_sides_counts_one_half_for_every_open_side():
    table = played("fives", ["5-5 5-0 1-1", "5-2 5-1 6-0"], "", "5-5", spinner="sides")
    assert table.scores == [20, 0]
    totals = []
    for action in ["5-2 u", "5-0 r", "5-1 l"]:
        table.play(action)
        totals.append(table.view(0).total)
    assert totals == [17, 12, 8]
    closed = played("fives", ["5-5 5-0 1-1", "5-2 6-0"], "", "5-5", spinner="sides", arms_after=2)
    assert closed.scores == [10, 0]


def test_other_multiples_may_be_played():
    assert played("fives", ["6-3 1-1", "6-6 4-4"], "", "6-3", multiple=3).scores == [9, 0]
    table = played("fives", ["6-3", "4-4"], "", "6-3", multiple=3)
    assert table.scores == [18, 0]  # 9, and 8 rounded up to 9


# --- Variations of the rules --------------------------------------------------------------------


def test_a_reserve_stays_in_the_boneyard():
    table = played("dominoes", ["6-4 6-3", "2-1 1-0"], "5-5 2-2 4-4", "6-4", reserve=2)
    assert events(table)[1:] == ["seat 1 draws 5-5", "seat 1 passes"]
    blocked = played("dominoes", ["6-4 5-3", "2-1 1-0"], "4-4", "6-4", reserve=28)
    assert blocked.over and blocked.scores == [0, 8] and blocked.result()["boneyard"] == ["4-4"]


def deal_with(opens, hands):
    return bolicho.game("dominoes", opens=opens).setup(hands=[h.split() for h in hands], boneyard=[])


@pytest.mark.parametrize(
    ("opens", "hands", "seat", "lead"),
    [
        ("double", ["6-5 1-1", "6-4 0-0"], 0, "1-1"),
        ("double", ["6-5 1-1", "6-4 2-2"], 1, "2-2"),
        ("double", ["6-2 1-0", "5-3 2-1"], 0, "6-2"),  # no double: the heaviest, then the highest side
        ("double", ["5-3 1-0", "6-2 2-1"], 1, "6-2"),
        ("heaviest", ["6-5 1-1", "5-5 2-2"], 0, "6-5"),
        ("heaviest", ["6-4 1-1", "5-5 2-2"], 0, "6-4"),
    ],
)
def test_leading_tile_determines_the_opener_and_must_be_played(opens, hands, seat, lead):
    table = deal_with(opens, hands)
    assert table.turn == seat and texts(table) == [lead]
    assert table.log == [{"event": "opens", "seat": seat, "tile": lead}]
    with pytest.raises(BadInput, match=f"the opener must lead {lead}"):
        table.play(next(tile for tile in hands[seat].split() if tile != lead))


def test_opener_by_lot_depends_on_the_deal():
    openers = [bolicho.game("fives", opens="lot").deal(seed).turn for seed in range(200)]
    assert 60 < sum(openers) < 140


@pytest.mark.parametrize(
    ("rules", "options", "message"),
    [
        (DrawRules, {"highest": 13}, "highest must be 1 to 12 (6, 9 and 12 are sold), not 13"),
        (DrawRules, {"hand": 15}, "hand must be 1 to 14 tiles in a set of 28, not 15"),
        (DrawRules, {"hand": 0}, "hand must be 1 to 14 tiles in a set of 28, not 0"),
        (DrawRules, {"reserve": -1}, "reserve must be 0 to 91 tiles, not -1"),
        (DrawRules, {"opens": "me"}, "opens must be one of first, lot, double, heaviest, not 'me'"),
        (FivesRules, {"spinner": "x"}, "spinner must be one of double, sides, not 'x'"),
        (FivesRules, {"rounding": "x"}, "rounding must be one of up, nearest, down, none, not 'x'"),
        (FivesRules, {"arms_after": 3}, "arms_after must be 0, 1 or 2 sides of the spinner, not 3"),
        (FivesRules, {"multiple": 0}, "multiple must be 1 to 100 (3, 5 and 7 are played), not 0"),
    ],
)
def test_impossible_rules_are_refused(rules, options, message):
    with pytest.raises(BadInput) as refusal:
        rules(**options)
    assert str(refusal.value) == message


def test_draw_dominoes_has_no_rule_about_spinners():
    with pytest.raises(BadInput, match="unknown rule of dominoes 'rounding'"):
        bolicho.game("dominoes", rounding="up")
