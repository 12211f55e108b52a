"""Inputs of learners of Truco, from visible information only, and outputs by strength of cards."""

from dataclasses import replace

import numpy as np
import pytest

import bolicho
from bolicho.agents.compiled.truco import chance
from bolicho.agents.neural import kernel
from bolicho.agents.neural.agents import input_names
from bolicho.agents.neural.compiled import truco
from bolicho.agents.neural.dqn import QLearner
from bolicho.agents.neural.net import coding
from bolicho.agents.neural.recipes import declared_plan
from bolicho.games.truco.rules import CALLS, STRENGTH_CLASSES

GAME = bolicho.game("truco")
HOW = coding(GAME, "hand")
NAMES = input_names(GAME, "hand", 0)


def read(pool, seat):
    out = np.full(HOW.widths[0][0], np.nan, np.float32)
    before = pool.tobytes()
    kernel.read(pool, seat, HOW.number, out)
    assert pool.tobytes() == before
    return out


def inputs_by_name(table, seat=None):
    view = table.view(table.turn if seat is None else seat)
    return dict(zip(NAMES, read(view.pool, view.seat).tolist(), strict=True))


def place(table, action):
    return kernel.output_of(table.pool, HOW.number, table.legal[table.legal.index(action)].number)


def positions(game=GAME, games=12, seed=1):
    rng = np.random.default_rng(seed)
    for number in range(games):
        table = game.deal(number)
        while not table.over:
            yield table
            table.play(table.legal[rng.integers(len(table.legal))])


def test_inputs_use_visible_information_only_and_have_names():
    assert len(set(NAMES)) == len(NAMES) == HOW.widths[0][0]
    seen = np.zeros(len(NAMES), bool)
    for table in positions():
        view = table.view()
        inputs = read(view.pool, view.seat)
        assert np.isfinite(inputs).all()
        seen |= inputs != 0
        np.testing.assert_array_equal(inputs, read(table.pool, view.seat))
        np.testing.assert_array_equal(inputs, read(view.redeal(7).pool, view.seat))
    never = {name for name, on in zip(NAMES, seen, strict=True) if not on}
    rare = ("again", "flor", "resto", "class", "round 1: other face down", "round 2: tied", "round 3: ")
    assert not [name for name in never if not any(word in name for word in rare)]


def test_choices_have_distinct_outputs():
    for table in positions():
        places = {str(action): kernel.output_of(table.pool, HOW.number, action.number) for action in table.legal}
        with_one = [where for where in places.values() if where >= 0]
        assert len(with_one) == len(set(with_one)) and max(with_one) < HOW.widths[0][1]
        without = [action for action, where in places.items() if where < 0]
        assert all(action == "baralho" or action.startswith("virada") for action in without)
        for action in set(CALLS) & set(places):
            assert places[action] in (-1, truco.FIRST_CALL + CALLS.index(action))


def test_card_outputs_are_ordered_by_strength_and_only_the_weakest_is_covered():
    table = GAME.setup(hands=[["1e", "4c", "12o"], ["5p", "2p", "6o"]])
    assert [place(table, card) for card in ("4c", "12o", "1e")] == [0, 1, 2]
    assert place(table, "baralho") == truco.FIRST_CALL + CALLS.index("baralho")
    for action in ("12o", "5p"):
        table.play(action)
    assert [place(table, card) for card in ("4c", "1e")] == [0, 1]
    assert place(table, "virada 4c") == truco.COVERED and place(table, "virada 1e") == -1
    assert place(table, "baralho") == -1  # giving up after the first round is a card and a refusal


def test_inputs_of_positions_set_up_by_hand():
    table = GAME.setup(hands=[["1e", "4c", "12o"], ["5p", "2p", "6o"]], scores=[20, 23])
    seen = inputs_by_name(table)
    assert seen["my card 1: class 1"] == seen["my card 2: class 7"] == seen["my card 3: class 14"] == 1
    assert seen["my card 3: unseen cards it beats"] == 1 and seen["my card 1: unseen cards it beats"] == 0
    assert seen["my card 1: unseen cards it ties"] == pytest.approx(3 / 37)
    weaker = sum(map(len, STRENGTH_CLASSES[:6])) - 1  # my four is no unseen card
    assert seen["my card 2: unseen cards it beats"] == pytest.approx(weaker / 37)
    assert seen["mão"] == seen["round 1 now"] == seen["envido is open"] == 1 and seen["my envido"] == pytest.approx(
        4 / 33
    )
    assert seen["falta"] == pytest.approx(1 / 24) and seen["other lacks 1 or fewer"] == 1
    assert seen["I lack 4 or fewer"] == 1 and seen["I lack 3 or fewer"] == 0
    table.play("12o")
    seen = inputs_by_name(table)
    assert seen["round 1: other of class 7"] == 1 and seen["my card 3: beats the table"] == 1
    assert seen["my card 2: beats the table"] == 0 == seen["mão"]
    table.play("truco")
    seen = inputs_by_name(table)
    assert seen["a truco to answer"] == seen["other called truco"] == seen["truco called"] == 1
    assert seen["stake if accepted"] == 2 / 8 and seen["refusing loses the match"] == 1
    assert seen["my card 1: class 1"] == seen["my card 2: class 14"] == 1 and seen["my card 3: class 14"] == 0


def test_chance_of_a_match_depends_on_the_score():
    assert chance(24, 20, 24) == 1 and chance(3, 25, 24) == 0 and chance(7, 7, 24) == 0.5
    assert chance(20, 15, 24) + chance(15, 20, 24) == pytest.approx(1)
    assert 0.5 < chance(5, 0, 24) < chance(20, 15, 24) < 1


def test_turn_is_rewarded_when_its_hand_is_over():
    plan = declared_plan("dqn-plus truco")
    plan = replace(plan, games=4, round=4, tables=(), explore=(1.0, 0.0, 1.0), memory=2_000, hidden=(8,))
    learner = QLearner(GAME, plan)
    learner.play(learner._seat(4, np.random.default_rng(1)), 3)
    noted = learner.explorer
    count = learner.count
    assert (noted.chosen[:count] >= 0).all()
    ended = noted.following[:count] == kernel.ENDED
    assert ended.sum() > 4 * 2 * 5  # hands, not matches
    np.testing.assert_array_equal(noted.returns[:count][ended], noted.rewards[:count][ended])
    goes_on = np.flatnonzero(~ended)
    later = noted.returns[noted.following[goes_on]]
    np.testing.assert_allclose(noted.returns[goes_on], noted.rewards[goes_on] + later, atol=1e-5)
    assert noted.rewards[:count].sum() == pytest.approx(
        0, abs=0.5 * 4
    )  # one's gain is the other's loss, but for first turns


def test_a_net_of_matches_plays_single_hands_and_other_lengths():
    for rules in ({"hands": 1}, {"target": 12}):
        assert bolicho.agent("dqn-plus", bolicho.game("truco", **rules))
    with pytest.raises(bolicho.BadInput, match="was made for the default rules, and this game has flor=False"):
        bolicho.agent("dqn-plus", bolicho.game("truco", flor=False))
