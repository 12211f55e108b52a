"""Table and View: the interface shared by all games."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bolicho
from bolicho import BadInput, IllegalAction, game
from bolicho.games.kind import Action

SETUP = {"mao": 0, "hands": [["1e", "7o", "12p"], ["7c", "2e", "4e"]]}


def play_randomly(table, seed, plies=10**9):
    rng = np.random.default_rng(seed)
    while not table.over and table.ply < plies:
        table.play(table.legal[rng.integers(len(table.legal))])
    return table


def test_action_may_be_given_as_object_text_or_number():
    tables = [game("truco").setup(**SETUP) for _ in range(3)]
    action = next(action for action in tables[0].legal if action == "truco")
    tables[0].play(action)
    tables[1].play("truco")
    tables[2].play(int(action))
    assert tables[0].pool.tobytes() == tables[1].pool.tobytes() == tables[2].pool.tobytes()
    assert tables[2].actions == ["truco"]


def test_action_is_a_text_with_a_number():
    action = Action("truco", 80)
    assert action == "truco" and int(action) == 80 and json.dumps([action]) == '["truco"]'


@pytest.mark.parametrize("nonsense", ["vale4", "9e", "", 5000, -1, None, 2.5, True, "TRUCO"])
def test_illegal_action_is_refused_and_changes_nothing(nonsense):
    table = game("truco").setup(**SETUP)
    before = table.pool.tobytes()
    with pytest.raises(IllegalAction, match="legal: 12p, 1e, 7o, baralho"):
        table.play(nonsense)
    assert table.pool.tobytes() == before and table.ply == 0


def test_no_action_is_legal_after_the_end():
    table = play_randomly(game("truco", hands=1).deal(3), 0)
    assert table.legal == () and table.turn is None
    with pytest.raises(IllegalAction, match="the game is over"):
        table.play("truco")


def test_a_copy_is_independent():
    table = game("truco").setup(**SETUP)
    copy = table.copy()
    copy.play("1e")
    assert table.ply == 0 and copy.ply == 1 and table.legal != copy.legal
    assert table.log != copy.log


@given(seed=st.integers(0, 2**64 - 1), luck=st.integers(0, 1000))
def test_the_same_seed_and_actions_give_the_same_bytes(seed, luck):
    table = play_randomly(game("truco").deal(seed), luck)
    again = bolicho.replay(table.record())
    assert again.pool.tobytes() == table.pool.tobytes()
    assert again.log == table.log


def test_view_holds_no_reference_to_its_table():
    table = play_randomly(game("truco").deal(5), 1, plies=4)
    view = table.view(1)
    for name in ("seat", "pool", "game", "_log", "_numbers", "_legal"):
        held = getattr(view, name)
        assert held is not table and held is not table.pool
    assert view.pool.base is not table.pool
    assert int(view.state["seed"]) == 0


def test_history_of_a_seat_hides_cards_played_face_down():
    table = game("truco", hands=1).setup(**SETUP)
    for action in ("12p", "2e", "virada 4e"):
        table.play(action)
    chosen = [entry["action"] for entry in table.view(0).history if entry["event"] == "chose"]
    assert chosen == ["12p", "2e", "virada"]
    assert [entry["action"] for entry in table.log if entry["event"] == "chose"] == ["12p", "2e", "virada 4e"]


def test_the_log_grows_with_long_matches():
    table = game("truco", target=100).deal(1)
    while not table.over:
        table.play(table.legal[0])  # a card, whenever one may be played
    assert len(table.log) > 200
    assert sum(entry["event"] == "chose" for entry in table.log) == table.ply


def test_redealt_table_has_the_same_view_for_its_seat():
    table = play_randomly(game("truco").deal(11), 4, plies=5)
    view = table.view(0)
    world = view.redeal(seed=9)
    assert world.view(0).pool.tobytes() == view.pool.tobytes()


@pytest.mark.parametrize("seed", [-1, 2**64, 1.5, "7", True, None])
def test_a_seed_is_a_whole_number(seed):
    with pytest.raises(BadInput, match="seed"):
        game("truco").deal(seed)


def test_unknown_games_and_rules_are_named():
    with pytest.raises(BadInput, match="did you mean 'truco'"):
        game("truko")
    with pytest.raises(BadInput, match="unknown rule of truco 'targets'"):
        game("truco", targets=12)
    with pytest.raises(BadInput, match="target of truco must be int"):
        game("truco", target="12")


def test_payoffs_before_the_end_are_refused():
    with pytest.raises(BadInput, match="over"):
        _ = game("truco").deal(1).payoffs


@pytest.mark.parametrize("seat", [-1, 2, 7, True, 0.0, "0", 2**70])
def test_view_of_a_missing_seat_is_refused(seat):
    table = bolicho.game("truco").deal(1)
    for look in (table.view, table.open_view):
        with pytest.raises(BadInput, match="has the seats 0 to 1"):
            look(seat)


def test_a_seat_may_be_a_number_of_numpy():
    table = bolicho.game("truco").deal(1)
    assert table.view(np.int8(1)).pool.tobytes() == table.view(1).pool.tobytes()
    assert type(table.view(np.int8(1)).seat) is int


@pytest.mark.parametrize("seed", [-1, 2**64, 1.0, True, "1"])
def test_redeal_and_deal_refuse_the_same_seeds(seed):
    table = bolicho.game("truco").deal(1)
    for make in (table.game.deal, table.view(0).redeal):
        with pytest.raises(BadInput, match="a seed is a whole number"):
            make(seed)


def test_games_of_the_same_rules_are_equal():
    assert game("truco", target=12) == game("truco", target=12) != game("truco")
    assert len({game("truco"), game("truco"), game("truco", target=12), game("dominoes"), game("fives")}) == 4
