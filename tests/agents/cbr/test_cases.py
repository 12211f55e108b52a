"""Case of one hand as one seat saw it: the record and its contents."""

import numpy as np
import pytest

from bolicho.agents.cbr.casebase import check_cases
from bolicho.agents.cbr.compiled.decision import ask
from bolicho.agents.cbr.domain import QUERY
from bolicho.agents.cbr.observe import cases_of_table
from bolicho.agents.cbr.retrieve import gather
from bolicho.agents.cbr.truco import TRUCO
from bolicho.agents.cbr.truco.schema import CODE, DECK, DOWN, HIGH, LOW, MID
from bolicho.games.record import replay
from bolicho.games.truco import kernel as k
from bolicho.games.truco.compiled.reading import ACCEPTED, RAISED, REFUSED, VOID
from bolicho.games.truco.rules import CARDS

from .hands import hand, random_table

SEEDS = range(12)


def test_a_case_fits_in_64_bytes():
    assert TRUCO.schema.dtype.itemsize <= 64


def test_codes_are_those_of_the_document():
    codes = {"1e": 52, "1p": 50, "7e": 42, "7o": 40, "3c": 24, "2p": 16, "1c": 12, "1o": 12}
    codes |= {"12e": 8, "11o": 7, "10c": 6, "7p": 4, "7c": 4, "6e": 3, "5o": 2, "4c": 1}
    assert {card: int(CODE[CARDS.index(card)]) for card in codes} == codes
    order = np.argsort(k.STRENGTH[:40], kind="stable")
    assert np.all(np.diff(CODE[order]) >= 0), "codes must order cards as the rules do"
    for a in range(40):
        for b in range(40):
            assert (CODE[a] == CODE[b]) == (k.STRENGTH[a] == k.STRENGTH[b])


def test_case_of_a_hand_without_bets():
    case = hand("1e 7o 12p", "7e 2e 4e", "12p", "4e", "7o", "7e", "2e", "1e")
    assert (case["high"], case["mid"], case["low"], case["mao"]) == (52, 40, 8, 1)
    assert case["card"].tolist() == [8, 40, 52] and case["theirs"].tolist() == [1, 42, 16]
    assert case["play"].tolist() == [LOW, LOW, HIGH]
    assert case["winner"].tolist() == [1, 2, 1]
    assert (case["envido"], case["flor"]) == (7, 0)
    assert (case["hand_won"], case["envido_won"], case["deck_by"]) == (1, 0, 0)


def test_played_card_is_named_by_its_rank_among_the_cards_left():
    case = hand("1e 7o 12p", "4e 4p 4c", "7o", "4e", "12p", "4p")
    assert case["play"].tolist() == [MID, LOW, -1] and case["hand_won"] == 1


def test_immediate_and_later_raises_are_distinguished():
    at_once = hand("1e 7o 12p", "7e 2p 4e", "truco", "retruco", "vale4", "nao")
    assert at_once["truco_by"].tolist() == [1, 2, 1] and at_once["truco_round"].tolist() == [1, 1, 1]
    assert at_once["truco_answer"].tolist() == [RAISED, RAISED, REFUSED] and at_once["hand_won"] == 3
    later = hand("1e 7o 12p", "7e 2p 4e", "truco", "quero", "12p", "retruco", "quero", "4e", "7o", "7e", "2p", "1e")
    assert later["truco_answer"].tolist() == [ACCEPTED, ACCEPTED, 0] and later["hand_won"] == 3


def test_envido_is_recorded_with_its_answer_and_points():
    case = hand("1e 7o 12p", "7e 2e 4p", "envido", "real", "quero", "1e", "4p", "baralho")
    assert case["envido_by"].tolist() == [1, 2, 0] and case["envido_answer"] == ACCEPTED
    assert case["envido_won"] == -5 and case["envido"] == 7
    assert case["deck_by"] == 1 and case["play"].tolist() == [HIGH, DECK, -1] and case["hand_won"] == -1


def test_a_flor_voids_the_envido():
    case = hand("1e 7o 12p", "7e 2e 4e", "envido", "1e", "4e", "baralho")
    assert case["envido_answer"] == VOID and case["envido_won"] == 0
    assert case["flors"] == 2 and case["flor_won"] == -3 and case["flor"] == 0


def test_case_of_two_flores():
    case = hand("1e 5e 12e", "7p 2p 4p", "contraflor", "resto", "nao", "baralho", mao=0)
    assert case["flors"] == 3 and case["flor"] == 26 and case["flor_by"].tolist() == [2, 1]
    assert case["flor_answer"] == REFUSED and case["flor_won"] == 6


def test_a_card_face_down_is_not_seen():
    case = hand("1e 7o 12p", "4e 5p 6c", "12p", "6c", "virada 7o", "virada 5p", mao=0)
    assert case["card"].tolist() == [8, 0, -1] and case["play"].tolist() == [LOW, DOWN, -1]
    assert case["theirs"].tolist() == [3, 0, -1] and case["winner"].tolist() == [1, 3, 0]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("bold", [1.0, 0.25])
def test_random_matches_make_possible_cases_that_add_up(seed, bold):
    table = random_table(seed, bold)
    mine, theirs = cases_of_table(TRUCO, table, 0), cases_of_table(TRUCO, table, 1)
    for cases, points in ((mine, table.scores[0] - table.scores[1]), (theirs, table.scores[1] - table.scores[0])):
        check_cases(TRUCO.schema, cases)
        assert sum(int(cases[name].sum()) for name in ("envido_won", "flor_won", "hand_won")) == points
    assert len(mine) == len(theirs) == int(table.state["hand_number"]) + 1
    assert np.all(mine["hand_won"] == -theirs["hand_won"]) and np.all(mine["mao"] == 3 - theirs["mao"])
    assert np.all(mine["theirs"] == theirs["card"]) and np.all(mine["truco_answer"] == theirs["truco_answer"])


def item_of(action, decision, view):
    """Return the item of an action for a question, and whether the question ended the turn."""
    if decision >= 32:
        return {k.FLOR: 0, k.NAO: 0, k.QUERO: 1, k.CONTRAFLOR: 2, k.RESTO: 3}[action], True
    if decision >= 20:
        return {k.NAO: 0, k.QUERO: 1}.get(action, 2), True
    if decision >= 14:
        return (1, True) if k.TRUCO <= action <= k.VALE4 else (0, False)
    if decision >= 6:
        if k.ENVIDO <= action <= k.FALTA:
            return 2 + action - k.ENVIDO, True
        return ({k.NAO: 0, k.QUERO: 1}[action], True) if decision >= 8 else (0, False)
    if action == k.BARALHO:
        return DECK, True
    if action >= k.FACE_DOWN:
        return DOWN, True
    codes = sorted((int(CODE[CARDS.index(card)]) for card in view.cards), reverse=True)
    place = codes.index(int(CODE[action]))
    return (HIGH, LOW)[place] if len(codes) == 2 else place, True


def questions_of(table, seat):
    """Return the questions and answers of a seat during a match, hand by hand."""
    again = replay({**table.record(), "actions": []})
    hands = [[] for _ in range(int(table.state["hand_number"]) + 1)]
    for action in table.actions:
        if again.turn == seat:
            hands[int(again.state["hand_number"])] += asked_in_order(again.view(seat), seat, int(action))
        again.play(action)
    return hands


def asked_in_order(view, seat, action):
    found, query, case = [], np.zeros(1, QUERY), np.zeros(1, TRUCO.schema.dtype)
    for block in (range(32, 34), range(6, 14), range(14, 32), range(6)):
        for decision in block:
            query["decision"] = -9
            ask(view.pool, seat, decision, query, case)
            if query["decision"][0] == decision:
                item, ended = item_of(action, decision, view)
                found.append((decision, item, tuple(query["numeric"][0].tolist()), tuple(query["equal"][0].tolist())))
                if ended:
                    return found
    raise AssertionError("no question led to the action")


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("bold", [1.0, 0.25])
def test_finished_case_contains_exactly_the_questions_asked(seed, bold):
    """Comparison of questions asked during play with questions read from the case afterwards."""
    table = random_table(seed, bold)
    for seat in (0, 1):
        cases = cases_of_table(TRUCO, table, seat)
        for case, asked in zip(cases, questions_of(table, seat), strict=True):
            instances, _ = gather(TRUCO, np.array([case]))
            held = sorted(
                (int(x["decision"]), int(x["item"]), tuple(x["numeric"].tolist()), tuple(x["equal"].tolist()))
                for x in instances
            )
            if case["hand_won"] == 0:  # the match ended first: cards and truco of that hand decided nothing
                asked = [row for row in asked if 6 <= row[0] < 14 or row[0] >= 32]
            assert held == sorted(asked)
