"""Belief that a call is a bluff: bluffs of a base, the belief from similar calls, and the answer."""

import numpy as np
import pytest

import bolicho
from bolicho import BadInput, agent
from bolicho.agents.cbr.agent import CaseBased
from bolicho.agents.cbr.casebase import CaseBase
from bolicho.agents.cbr.clusters import from_labels
from bolicho.agents.cbr.compiled.decision import doubts
from bolicho.agents.cbr.cycle import CaseBasedOptions
from bolicho.agents.cbr.observe import cases_of_table
from bolicho.agents.cbr.retrieve import CaseIndex
from bolicho.agents.cbr.truco import TRUCO
from bolicho.agents.cbr.truco.bluffs import WEAK_CODE, truco_bluffs
from bolicho.agents.cbr.truco.schema import CODE
from bolicho.games.truco.compiled.behaviours import WEAK, holds_nothing
from bolicho.games.truco.kernel import TRUCO_BET, strength
from bolicho.games.truco.rules import CARDS
from bolicho.i18n import catalogue

from .hands import hand, random_table

FAIR, THEIRS = "2e 12c 4o", "5p 5c 6o"
BLUFFS = [hand(weak, FAIR, "truco", "nao") for weak in ("4p 5o 10c", "6p 5e 11c", "4e 7c 6c")]
HONEST = [hand(strong, THEIRS, "truco", "nao") for strong in ("1e 12p 4c", "1p 7o 5o")]
REFUSED = [hand(FAIR, THEIRS, "truco", "nao", mao=1)] * 5
"""Cases of a fair hand that refused a truco; the five calls above were made by the mão, three of them bluffs."""


def index_of(cases):
    cases = np.array(cases, TRUCO.schema.dtype)
    return CaseIndex(CaseBase(TRUCO, cases, from_labels(TRUCO, cases)))


@pytest.fixture(scope="module")
def index():
    return index_of([*BLUFFS, *HONEST, *REFUSED])


def answering(hands=(FAIR, THEIRS)):
    """Return a table at which seat 0 answers a truco that the mão called before the first card."""
    table = bolicho.game("truco", hands=1).setup(hands=[text.split() for text in hands], mao=1)
    table.play("truco")
    return table


def act(index, table, **options):
    player = CaseBased("mjs", index, CaseBasedOptions(revise="none", **options))
    return str(player.act(table.view(0), np.random.default_rng(1))), player.explain()


def kinds(case):
    """Return the kind of every call of a case: 1 for a bluff, 0 otherwise."""
    index = index_of([case])
    found = [truco_bluffs(int(row["decision"]), np.array([row]))[0] for row in index.instances]
    return [int(kind) for kind in found if kind >= 0]


def test_weak_cards_are_those_of_the_counted_behaviour():
    assert [CODE[i] <= WEAK_CODE for i in range(len(CARDS))] == [strength(i) <= WEAK for i in range(len(CARDS))]


def test_calls_are_bluffs_by_the_cards_left_and_the_rounds_won():
    assert [kinds(case) for case in BLUFFS + HONEST] == [[1]] * 3 + [[0]] * 2
    assert kinds(REFUSED[0]) == []
    lost_first = hand("3e 5o 4c", "1e 5p 6o", "1e", "3e", "5p", "truco", "nao", mao=1)
    assert kinds(lost_first) == [1]  # the three is gone and lost
    won_first = hand("3e 5o 4c", "2e 5p 6o", "3e", "2e", "truco", "nao")
    assert kinds(won_first) == [0]  # with a round won it is no bluff
    raised = hand("4p 5o 10c", FAIR, "truco", "retruco", "nao", mao=1)
    assert kinds(raised) == [1]


def test_belief_is_the_share_of_weak_hands_among_like_calls(index):
    """Five calls of the mão before the first card, three of them with a weak hand."""
    player = CaseBased("mjs", index, CaseBasedOptions(bluff=0.5)).player(bolicho.game("truco", hands=1))
    table = answering()
    assert doubts(player, table.view(0).pool, 0) == (5, 3)
    before = bolicho.game("truco", hands=1).setup(hands=[FAIR.split(), THEIRS.split()], mao=0)
    assert doubts(player, before.view(0).pool, 0) == (0, 0)  # no call is answered


def test_refusal_becomes_acceptance_where_a_bluff_is_likely(index):
    table = answering()
    assert act(index, table)[0] == "nao"
    assert act(index, table, bluff=0.5)[0] == "quero"
    assert act(index, table, bluff=0.6)[0] == "nao"  # three of five are not more than 0.6


def test_weak_hand_does_not_answer_a_bluff():
    weak = "4p 5o 10c"
    index = index_of([*BLUFFS, *HONEST, *[hand(weak, THEIRS, "truco", "nao", mao=1)] * 5])
    action, explanation = act(index, answering((weak, THEIRS)), bluff=0.1)
    assert action == "nao" and explanation.facts["questions"][-1]["call"]["caught"] is False


def test_explanation_contains_the_belief(index):
    _, plain = act(index, answering())
    assert "call" not in plain.facts["questions"][-1]
    _, explanation = act(index, answering(), bluff=0.5)
    question = explanation.facts["questions"][-1]
    assert question["call"] == {"like_calls": 5, "belief": 0.6, "caught": True}
    assert (question["suggested"], question["done"]) == ("refuse", "accept")
    assert "60% of 5 similar calls" in catalogue("en").say(explanation.sentence)


def test_question_about_a_call_matches_the_case_of_its_caller():
    """Answers to truco in random matches, with a base that contains only the hand of the caller."""
    seen = {"calls": 0, "bluffs": 0}
    for seed in range(300):
        table = random_table(seed, hands=1, face_down=False)
        cases = [cases_of_table(TRUCO, table, seat) for seat in (0, 1)]
        options = CaseBasedOptions(threshold=1.0, minimum=1, bluff=0.5)
        players = [CaseBased("mjs", index_of(found), options).player(table.game) for found in cases]
        again = table.game.deal(seed)
        for action in table.actions:
            if again.state["pending"] == TRUCO_BET and str(action) in ("quero", "nao"):
                seat = again.turn
                calls, bluffs = doubts(players[1 - seat], again.view(seat).pool, seat)
                assert calls == 1
                assert bool(bluffs) is bool(holds_nothing(again.pool[0], 1 - seat))
                seen["calls"] += 1
                seen["bluffs"] += bluffs
            again.play(action)
    assert seen["calls"] > 100 and seen["bluffs"] > 5


def test_impossible_belief_is_refused():
    with pytest.raises(BadInput, match="bluff must be a belief from 0 to 1"):
        agent("nps(bluff=2)")
