"""Independence of the cycle from Truco: a game of two cards with its own records and functions.

A seat holds a card (0 to 9) and sees another; it bets or passes.  Bets win when its card is higher.
"""

import numba
import numpy as np
import pytest

from bolicho.agents import kernel as players
from bolicho.agents.cbr import domain
from bolicho.agents.cbr.casebase import CaseBase, Column, Schema
from bolicho.agents.cbr.clusters import cluster_all, label
from bolicho.agents.cbr.compiled import decision as compiled
from bolicho.agents.cbr.cycle import CaseBasedOptions, make_settings, make_trace
from bolicho.agents.cbr.domain import END, Decision, Domain, Feature
from bolicho.agents.cbr.retrieve import CaseIndex, make_scratch
from bolicho.agents.player import NOTHING
from bolicho.games.compiled.chance import uniform
from bolicho.games.jit import rule
from bolicho.games.kernel import implements

PASS, BET = 0, 1
STATE = np.dtype([("mine", "i1"), ("theirs", "i1")], align=True)
CASE = np.dtype([("mine", "i1"), ("theirs", "i1"), ("bet", "i1"), ("won", "i1"), ("label", "i1", (2,))], align=True)
STATE_RECORD, CASE_RECORD = numba.from_dtype(STATE), numba.from_dtype(CASE)


@implements(domain.question, STATE_RECORD)
@rule
def question(s, seat, stage, q, c):
    if stage > 0:
        return END
    c.mine, c.theirs = s.mine, s.theirs
    q.numeric[0], q.numeric[1] = s.mine, s.theirs
    q.allowed = 3
    return 0


@implements(domain.answer, STATE_RECORD)
@rule
def answer(s, seat, c, decision, item):
    return 100 + item


@implements(domain.fallback, STATE_RECORD)
@rule
def fallback(s, seat, c, decision):
    return PASS


@implements(domain.revise, STATE_RECORD)
@rule
def revise(s, seat, c, decision, item, switches, allowed):
    if switches & 1 and item == BET and s.mine == 0:
        return PASS, 0
    return item, -1


@implements(domain.instances, CASE_RECORD)
@rule
def instances(c, out):
    out[0].decision = 0
    out[0].item = c.bet
    out[0].halves = 2 * c.won
    out[0].points = (1 if c.won else -1) * c.bet
    out[0].numeric[0], out[0].numeric[1] = c.mine, c.theirs
    return 1


@implements(domain.features, CASE_RECORD)
@rule
def features(c, clustering, out):
    out[0] = c.mine if clustering == 1 else c.mine - c.theirs
    return 1


columns = tuple(Column(n, n, 0, tuple(range(10)), n) for n in ("mine", "theirs", "bet", "won"))
TWO_CARDS = Domain(
    game="two cards",
    schema=Schema("two cards", CASE, columns),
    scale=10,
    decisions=(Decision("bet?", ("mine", "theirs"), (), ("pass", "bet"), 0, 1, PASS, True),),
    clusterings=("by difference", "index"),
    features=((Feature("difference"),), (Feature("mine"),)),
    predicates=(("hopeless", "betting on nothing", True),),
    max_instances=1,
    say_value=lambda name, value: str(value),
)


@pytest.fixture(scope="module")
def index():
    pairs = [(a, b) for a in range(10) for b in range(10)]
    cases = np.array([(a, b, bet, a > b, (0, 0)) for a, b in pairs for bet in (0, 1)], CASE)
    base = CaseBase(TWO_CARDS, cases, cluster_all(TWO_CARDS, cases))
    label(base)
    return CaseIndex(base)


NO_MEMORY = np.zeros(1, NOTHING)


def player_of(index, settings):
    scratch = make_scratch(index.index, index.domain)
    return compiled.CaseBasedPlayer(index.index, index.groups, settings, scratch, make_trace(), index.calls)


@pytest.mark.parametrize("policy", ["nps", "pvs", "pvcnps", "npcs"])
@pytest.mark.parametrize("retrieval", ["exact", "clusters"])
def test_another_game_is_played_well_from_its_cases(index, policy, retrieval):
    settings = make_settings(TWO_CARDS, policy, CaseBasedOptions(threshold=0.96, retrieval=retrieval))
    player = player_of(index, settings)
    for mine, theirs in ((9, 1), (7, 3), (1, 8), (0, 5), (3, 7)):
        pool = np.array([(mine, theirs)], STATE)
        action = players.act(player, NO_MEMORY, pool, 0, np.uint64(0))
        assert action == 100 + (mine > theirs)


def test_suicide_moves_of_another_game_are_revised(index):
    settings = make_settings(TWO_CARDS, "mjs")
    settings[compiled.BY_ITEM] = 1  # a lottery, drawn to bet
    player = player_of(index, settings)
    luck = next(number for number in map(np.uint64, range(10**4)) if uniform(number, 1) > 0.99)
    action = players.act(player, NO_MEMORY, np.array([(0, 5)], STATE), 0, luck)
    trace = player.trace
    assert action == 100 + PASS and trace[0, compiled.PREDICATE] == 0 and trace[0, compiled.ITEM] == BET
