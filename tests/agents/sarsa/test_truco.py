"""After-states of Truco: names of their features in positions set up by hand."""

import numpy as np
import pytest

import bolicho
from bolicho.agents.sarsa.compiled import truco
from bolicho.agents.sarsa.model import action_values, new_model, player

GAME = bolicho.game("truco")
MODEL = new_model(GAME, perfect=False)
HANDS = [["1e", "4c", "12o"], ["5p", "2p", "6o"]]


def fields(table, action):
    """Return the texts of the fields of the hand after an action."""
    view = table.view()
    cell = np.zeros(len(truco.FIELDS), np.int64)
    truco.describe(view.pool[0], view.seat, view.legal[view.legal.index(action)].number, cell)
    return [words[value] for words, value in zip(truco.FIELDS, cell.tolist(), strict=True)]


def on(table, action):
    """Return the features of the after-state of an action."""
    _, parts = action_values(MODEL, player(MODEL), table.view(), np.uint64(1))
    return list(parts[table.legal.index(action)])


def after(*actions, **setup):
    table = GAME.setup(hands=HANDS, **setup)
    for action in actions:
        table.play(action)
    return table


def test_feature_names_are_unique():
    assert len(set(MODEL.names)) == MODEL.size == truco.STARTS[-1]


def test_every_action_has_one_feature_of_each_table():
    rng = np.random.default_rng(1)
    for seed in range(6):
        table = GAME.deal(seed)
        while not table.over:
            _, parts = action_values(MODEL, player(MODEL), table.view(), np.uint64(1))
            assert [len(part) for part in parts] == [len(truco.GROUPS)] * len(table.legal)
            table.play(table.legal[rng.integers(len(table.legal))])


def test_features_of_a_leading_card():
    said = fields(after(), "12o")
    assert said[truco.KIND] == "card led" and said[truco.MAO] == "mão" and said[truco.STORY] == "first round"
    assert said[truco.MINE] == "my card of class 7" and said[truco.BEST] == "best card of class 14"
    assert said[truco.SECOND] == "second card of class 1" and said[truco.THIRD] == "no third card"
    assert "card led, my card of class 7" not in on(after(), "12o")  # only what is in a table
    assert "card led, first round, my card of class 7" in on(after(), "12o")


@pytest.mark.parametrize(
    ("before", "action", "kind", "story"),
    [
        (["12o"], "2p", "round won", "first round won"),
        (["12o"], "5p", "round lost", "first round lost"),
        (["12o", "2p", "6o"], "1e", "round won", "a round each after losing the first"),
        (["12o", "2p", "6o"], "4c", "hand lost", "first round"),
        (["12o", "2p", "6o"], "virada 1e", "hand lost", "first round"),
    ],
)
def test_features_of_a_card_that_closes_a_round(before, action, kind, story):
    said = fields(after(*before), action)
    assert (said[truco.KIND], said[truco.STORY]) == (kind, story)


def test_features_of_calls_and_answers():
    said = fields(after("12o"), "truco")
    assert said[truco.KIND] == "raise called" and said[truco.LEVEL] == "the hand is worth 1"
    assert said[truco.BEATS] == "1 cards beat the table"
    said = fields(after("12o", "truco"), "quero")
    assert said[truco.KIND] == "raise accepted" and said[truco.LEVEL] == "the hand is worth 2"
    assert said[truco.MINE] == "my card of class 7" and said[truco.BEATS] == "no card to beat"
    assert fields(after("12o", "truco"), "nao")[truco.KIND] == "hand given up"
    assert fields(after("12o", "truco"), "retruco")[truco.LEVEL] == "the hand is worth 2"


def test_bets_are_described_by_their_stake():
    stake = truco.STAKE
    assert fields(after(), "envido")[stake] == "a bet of 2 points at most"
    assert fields(after(), "real")[stake] == "a bet of 3 points at most"
    assert fields(after(), "falta")[stake] == "a bet of more than 12 points"
    assert fields(after(scores=[20, 19]), "falta")[stake] == "a bet of 5 points at most"
    accepted, refused = (fields(after("envido"), answer) for answer in ("quero", "nao"))
    assert accepted[truco.KIND] == "envido accepted" and accepted[stake] == "a bet of 2 points at most"
    assert refused[truco.KIND] == "envido refused" and refused[stake] == "a bet of 2 points at most"
    assert accepted[truco.POINTS] == "my envido is 27 or more" and accepted[truco.LACKS] == "I lack more than 12"
    assert fields(after(scores=[23, 20]), "12o")[truco.LACKS] == "I lack 1 or fewer"
