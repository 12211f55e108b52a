"""Suicide moves: their predicates, switches, and use to clean a base."""

import numpy as np
import pytest

import bolicho
from bolicho import BadInput
from bolicho.agents.cbr.compiled.decision import ask
from bolicho.agents.cbr.domain import QUERY
from bolicho.agents.cbr.revise import clean, suicides, switches
from bolicho.agents.cbr.truco import TRUCO
from bolicho.agents.cbr.truco.compiled import predicates as p
from bolicho.agents.cbr.truco.compiled.instances import (
    CARD_AT,
    ENVIDO_ANSWER_AT,
    ENVIDO_OPEN_AT,
    TRUCO_ANSWER_AT,
    TRUCO_OPEN_AT,
)
from bolicho.agents.cbr.truco.schema import (
    ACCEPT,
    CALL,
    DECK,
    DOWN,
    ENVIDO_ITEM,
    HIGH,
    LOW,
    MID,
    PASS,
    RAISE,
    REFUSE,
)
from bolicho.games.jit import njit

from .hands import hand

ALL = switches(TRUCO, "all")


@njit
def _revise(pool, seat, case, decision, item, bits, allowed):
    return p.revise(pool[0], seat, case[0], decision, item, bits, allowed)


def revise(table, decision, item, bits=ALL):
    """Return (the revised item, the name of the predicate) at a table, for the seat to act."""
    view = table.view()
    query, case = np.zeros(1, QUERY), np.zeros(1, TRUCO.schema.dtype)
    ask(view.pool, view.seat, decision, query, case)
    assert query["decision"][0] == decision, "the position asks no such question"
    done, which = _revise(view.pool, view.seat, case, decision, item, bits, int(query["allowed"][0]))
    return done, TRUCO.predicates[which][0] if which >= 0 else None


def table(mine, theirs, *actions, mao=0, scores=(0, 0)):
    made = bolicho.game("truco").setup(hands=[mine.split(), theirs.split()], mao=mao, scores=list(scores))
    for action in actions:
        made.play(action)
    return made


LAST_CARD = ("1e 7o 12p", "7e 2p 4e", "12p", "4e", "7o", "7e", "2p")  # seat 0 holds the ace of espadas
FOLLOWS_3, RAISED_3 = TRUCO_OPEN_AT + 5, TRUCO_ANSWER_AT + 11


def test_a_winning_last_card_raises():
    assert revise(table(*LAST_CARD), FOLLOWS_3, PASS) == (CALL, "missed_raise")
    assert revise(table(*LAST_CARD), FOLLOWS_3, CALL) == (CALL, None)
    losing = table("4p 7o 12p", "7e 2p 4e", "12p", "4e", "7o", "7e", "2p")
    assert revise(losing, FOLLOWS_3, PASS) == (PASS, None)


def test_a_tie_that_wins_raises_too():
    """One round each and the third tied: the winner of the first takes the hand."""
    tied = table("2e 7o 12p", "7e 2p 4e", "12p", "4e", "7o", "7e", "2p")
    assert revise(tied, FOLLOWS_3, PASS) == (CALL, "missed_raise")


def test_a_winning_last_card_raises_a_raise():
    answered = table(*LAST_CARD, "truco", "retruco")
    assert revise(answered, RAISED_3, ACCEPT) == (RAISE, "missed_raise")
    assert revise(answered, RAISED_3, RAISE) == (RAISE, None)


def test_vale_quatro_is_accepted_with_a_winning_card():
    facing_vale4 = table(*LAST_CARD[:-1], "truco", "quero", "2p", "retruco", "vale4")
    assert revise(facing_vale4, RAISED_3, ACCEPT) == (ACCEPT, None)
    assert revise(facing_vale4, RAISED_3, REFUSE) == (ACCEPT, "win_given_up")


def test_no_envido_is_opened_without_points():
    poor = table("1e 7o 12p", "4e 5p 6c")  # 7 points
    for item in (ENVIDO_ITEM, ENVIDO_ITEM + 1, ENVIDO_ITEM + 2):
        assert revise(poor, ENVIDO_OPEN_AT, item) == (PASS, "compulsive_bluff")
    rich = table("1e 7e 12p", "4e 5p 6c")  # 28 points
    assert revise(rich, ENVIDO_OPEN_AT, ENVIDO_ITEM) == (ENVIDO_ITEM, None)
    asked = table("1e 7o 12p", "4e 5p 6c", "envido", mao=1)
    assert revise(asked, ENVIDO_ANSWER_AT + 1, ENVIDO_ITEM + 1) == (ENVIDO_ITEM + 1, None)  # a raise is no opening


FOLLOWS_1, FOLLOWS_2 = CARD_AT + 1, CARD_AT + 3


def test_card_is_beaten_with_the_lowest_sufficient_card():
    against_a_six = table("1e 7o 12p", "4e 5p 6c", "6c", mao=1)
    assert revise(against_a_six, FOLLOWS_1, HIGH) == (LOW, "overkill")
    assert revise(against_a_six, FOLLOWS_1, MID) == (LOW, "overkill")
    assert revise(against_a_six, FOLLOWS_1, LOW) == (LOW, None)
    against_a_three = table("1e 7o 12p", "4e 5p 3c", "3c", mao=1)
    assert revise(against_a_three, FOLLOWS_1, HIGH) == (MID, "overkill")
    assert revise(against_a_three, FOLLOWS_1, LOW) == (LOW, None)  # losing cheaply is a choice


def test_a_round_is_lost_with_the_lowest_card():
    against_the_best = table("7o 3o 12p", "4e 5p 1e", "1e", mao=1)
    assert revise(against_the_best, FOLLOWS_1, HIGH) == (LOW, "wasted_card")
    assert revise(against_the_best, FOLLOWS_1, LOW) == (LOW, None)
    a_tie = table("3o 12p 4c", "4e 5p 3e", "3e", mao=1)
    assert revise(a_tie, FOLLOWS_1, HIGH) == (HIGH, None)  # a tie is not a loss


def test_hand_that_a_card_wins_is_not_given_up():
    for item in (DOWN, DECK):
        assert revise(table(*LAST_CARD), CARD_AT + 5, item) == (HIGH, "win_given_up")
    answered = table(*LAST_CARD, "truco", "retruco")
    assert revise(answered, RAISED_3, REFUSE) == (ACCEPT, "win_given_up")
    second = table("1e 7o 12p", "12e 5p 6c", "12e", "12p", "6c", mao=1)  # the first tied, the second decides
    assert revise(second, FOLLOWS_2, DECK) == (LOW, "win_given_up")


def test_a_hand_that_a_card_keeps_open_is_not_thrown_away():
    lost_the_first = table("3e 7o 4p", "7e 2c 5c", "3e", "7e", "2c")
    for item in (LOW, DOWN):
        assert revise(lost_the_first, FOLLOWS_2, item) == (HIGH, "hand_thrown_away")
    assert revise(lost_the_first, FOLLOWS_2, DECK) == (DECK, None)  # giving up is a choice
    nothing_beats_it = table("3e 7o 4p", "7e 1e 5c", "3e", "7e", "1e")
    assert revise(nothing_beats_it, FOLLOWS_2, LOW) == (LOW, None)
    tied_the_first = table("3e 2o 4p", "3c 2c 5c", "3c", "3e", "2c", mao=1)
    assert revise(tied_the_first, FOLLOWS_2, LOW) == (HIGH, "hand_thrown_away")  # another tie goes on


@pytest.mark.parametrize(
    ("decision", "item", "actions", "mao"),
    [
        (CARD_AT, DECK, (), 0),
        (TRUCO_ANSWER_AT + 2, REFUSE, ("truco",), 1),
        (ENVIDO_ANSWER_AT + 1, REFUSE, ("envido",), 1),
    ],
)
def test_the_match_is_not_given_away(decision, item, actions, mao):
    cards = ("4p 5o 6c", "1e 7o 12p")
    last_point = table(*cards, *actions, mao=mao, scores=(0, 23))
    done, which = revise(last_point, decision, item)
    assert which == "match_given_away" and done != item
    assert revise(table(*cards, *actions, mao=mao), decision, item) == (item, None)


@pytest.mark.parametrize("name", [name for name, _, _ in TRUCO.predicates])
def test_every_predicate_has_its_own_switch(name):
    bits = switches(TRUCO, name)
    assert bin(bits).count("1") == 1
    caught = {
        "missed_raise": (table(*LAST_CARD), FOLLOWS_3, PASS),
        "compulsive_bluff": (table("1e 7o 12p", "4e 5p 6c"), ENVIDO_OPEN_AT, ENVIDO_ITEM),
        "overkill": (table("1e 7o 12p", "4e 5p 6c", "6c", mao=1), FOLLOWS_1, HIGH),
        "wasted_card": (table("7o 3o 12p", "4e 5p 1e", "1e", mao=1), FOLLOWS_1, HIGH),
        "win_given_up": (table(*LAST_CARD), CARD_AT + 5, DECK),
        "hand_thrown_away": (table("3e 7o 4p", "7e 2c 5c", "3e", "7e", "2c"), FOLLOWS_2, LOW),
        "match_given_away": (table("4p 5o 6c", "1e 7o 12p", scores=(0, 23)), CARD_AT, DECK),
    }[name]
    assert revise(*caught, bits=bits)[1] == name
    assert revise(*caught, bits=ALL & ~bits)[1] is None


def test_switches_are_chosen_by_name():
    assert switches(TRUCO, "none") == 0 and switches(TRUCO, "published") == 0b111
    assert switches(TRUCO, "overkill+wasted_card") == 0b1100
    with pytest.raises(BadInput, match="did you mean 'overkill'"):
        switches(TRUCO, "overkil")


SUICIDES = {
    "missed_raise": hand("1e 7o 12p", "7e 2p 4e", "12p", "4e", "7o", "7e", "2p", "1e"),
    "compulsive_bluff": hand("1e 7o 12p", "4e 5p 6c", "envido", "nao", "baralho"),
    "overkill": hand("1e 7o 12p", "4e 5p 6c", "6c", "1e", "baralho", mao=1),
    "wasted_card": hand("7o 3o 12p", "4e 5p 1e", "1e", "7o", "5p", "baralho", mao=1),
    "win_given_up": hand("1e 7o 12p", "7e 2p 4e", "12p", "4e", "7o", "7e", "2p", "baralho"),
    "hand_thrown_away": hand("3e 7o 4p", "7e 2c 5c", "3e", "7e", "2c", "4p"),
}


@pytest.mark.parametrize("name", SUICIDES)
def test_the_same_predicates_clean_a_base(name):
    innocent = hand("1e 7o 12p", "7e 2p 4e", "12p", "4e", "7o", "7e", "2p", "truco", "quero", "1e")
    cases = np.array([innocent, SUICIDES[name]])
    assert [TRUCO.predicates[i][0] if i >= 0 else None for i in suicides(TRUCO, cases, name)] == [None, name]
    assert clean(TRUCO, cases, name).tobytes() == cases[:1].tobytes()
    assert len(clean(TRUCO, cases, "none")) == 2
