"""The four criteria, the two models, and the twenty policies."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bolicho import BadInput, agent, game
from bolicho.agents.cbr.compiled.choice import BAR, COUNT, MJ, NP, PL, PV, SHARE, choose_group, choose_item
from bolicho.agents.cbr.compiled.tree import Scratch
from bolicho.agents.cbr.domain import MAX_GROUPS, MAX_ITEMS
from bolicho.agents.cbr.reuse import POLICIES, TEN_BEST, criterion_numbers, policy
from bolicho.agents.registry import agent_names

PUBLISHED = """MJS PLS PVS NPS MJCS PLCS PVCS NPCS NPCMJS NPCPVS NPCPLS MJCNPS MJCPVS MJCPLS
PLCNPS PLCMJS PLCPVS PVCNPS PVCMJS PVCPLS""".lower().split()
HIGH, MID, LOW = 0, 1, 2
ALL = (1 << MAX_ITEMS) - 1


def scratch(rows):
    """Return a table of votes from rows of (cluster, item, cases, halves, points)."""
    table = np.zeros((MAX_GROUPS + 1, MAX_ITEMS, 3), np.int64)
    for group, item, count, halves, points in rows:
        table[group, item] += (count, halves, points)
    empty = np.zeros(1, np.int64)
    return Scratch(**{**dict.fromkeys(Scratch._fields, empty), "table": table})


def item(rows, criterion, victory=BAR, group=-1, points=True, passive=-1, allowed=ALL, luck=0.0):
    return choose_item(scratch(rows), group, criterion, victory, points, passive, allowed, luck)


def group(rows, criterion, victory=BAR, points=True, allowed=ALL, minimum=1, luck=0.0):
    return choose_group(scratch(rows), criterion, victory, points, allowed, minimum, luck)


def test_the_twenty_policies_have_their_published_names():
    assert list(POLICIES) == PUBLISHED
    assert set(PUBLISHED) <= set(agent_names("truco")) and set(TEN_BEST) <= set(PUBLISHED)
    for name, (cluster, action) in POLICIES.items():
        assert name.upper() in (f"{cluster}C{action}S", f"{cluster}CS" if cluster == action else f"{action}S")
    assert criterion_numbers(policy("pvcnps")) == (PV, NP) and criterion_numbers(policy("mjs")) == (-1, MJ)
    with pytest.raises(BadInput, match="did you mean 'pvcnps'"):
        policy("pvcnp")


def test_majority_directly_and_through_a_cluster():
    """In the manner of Paulus 2020, figures 6 and 7: three of five play the middle card, each in another cluster."""
    votes = [(1, MID, 1, 2, 0), (2, MID, 1, 0, 0), (3, HIGH, 2, 2, 0), (4, MID, 1, 0, 0)]
    assert item(votes, MJ) == MID
    assert group(votes, MJ) == 3 and item(votes, MJ, group=3) == HIGH


def test_the_lottery_follows_the_frequencies_exactly():
    votes = [(1, HIGH, 5, 0, 0), (2, LOW, 3, 0, 0), (2, MID, 2, 0, 0)]
    tickets = [i / 10 for i in range(10)]
    drawn = [item(votes, PL, luck=luck) for luck in tickets]
    assert [drawn.count(what) for what in (HIGH, MID, LOW)] == [5, 2, 3]
    groups = [group(votes, PL, luck=luck) for luck in tickets]
    assert [groups.count(number) for number in (1, 2)] == [5, 5]
    assert item(votes, PL, luck=0.9999999) == LOW


def test_victories_are_a_share_or_a_number():
    votes = [(1, HIGH, 10, 12, 0), (2, LOW, 2, 4, 0)]  # 6 of 10 against 2 of 2
    for victory in (SHARE, BAR):
        assert item(votes, PV, victory) == LOW and group(votes, PV, victory) == 2
    assert item(votes, PV, COUNT) == HIGH and group(votes, PV, COUNT) == 1
    assert item(votes, NP, COUNT, points=False) == HIGH  # without points NP is PV, as PV is read
    assert item(votes, MJ) == HIGH


def test_the_passive_action_competes_as_published():
    """Algorithm 5 lets every action compete; only the bar judges bets by themselves."""
    quiet = [(1, 0, 5, 10, 0), (1, 1, 10, 12, 9)]  # no call won 5 of 5, calling 6 of 10
    assert item(quiet, PV, SHARE, passive=0) == 0
    assert item(quiet, PV, COUNT, passive=0) == 1
    assert item(quiet, PV, BAR, passive=0) == 1
    refused = [(1, 0, 9, 0, 0), (1, 1, 10, 2, -5)]  # refusing never wins; accepting won 1 of 10
    assert item(refused, PV, SHARE, passive=0) == item(refused, PV, COUNT, passive=0) == 1
    assert item(refused, PV, BAR, passive=0) == 0


def test_criterion_victory_starts_at_zero():
    """Start at 0 as in the pseudo-code: an item that never won is not suggested."""
    never = [(1, 0, 1, 0, 0), (1, 1, 9, 0, -5)]
    assert [item(never, PV, victory, passive=0) for victory in (SHARE, COUNT, BAR)] == [0, 0, 0]
    assert [item(never, PV, victory) for victory in (SHARE, COUNT, BAR)] == [1, 1, 1]  # a card must be played


def test_points_are_a_balance():
    votes = [(1, HIGH, 10, 18, 4), (1, LOW, 3, 4, 7)]
    assert item(votes, NP) == LOW and item(votes, NP, points=False) == HIGH  # without points, victories


def test_only_profitable_bets_are_suggested():
    """Bets that won more often than they lost (PV) or that won points (NP); otherwise the passive action."""
    even = [(1, 0, 5, 0, 0), (1, 1, 4, 4, 3)]  # the call won half of the time, and three points
    assert item(even, PV, passive=0) == 0 and item(even, NP, passive=0) == 1
    assert item([(1, 1, 4, 5, -1)], PV, passive=0) == 1 and item([(1, 1, 4, 5, -1)], NP, passive=0) == 0
    assert item([(1, 1, 4, 5, 0)], NP, passive=0) == 0
    assert item(even, MJ, passive=0) == 0 and item(even, PL, passive=0, luck=0.99) == 1


def test_illegal_items_are_not_counted():
    votes = [(1, HIGH, 9, 18, 0), (2, LOW, 1, 0, 0)]
    assert item(votes, MJ, allowed=1 << LOW) == LOW and group(votes, MJ, allowed=1 << LOW) == 2
    assert item(votes, MJ, allowed=1 << MID) == -1


def test_a_cluster_needs_enough_cases():
    votes = [(1, HIGH, 4, 8, 0), (2, LOW, 6, 2, 0)]
    assert group(votes, PV) == 1 and group(votes, PV, minimum=5) == 2 and group(votes, PV, minimum=7) == -1


def plain_best(rows, criterion, victory, points):
    """The criterion in plain Python: the largest key; ties to the larger share, the more cases, the lower number."""
    totals = {}
    for key, count, halves, gain in rows:
        a, b, c = totals.get(key, (0, 0, 0))
        totals[key] = (a + count, b + halves, c + gain)
    totals = {key: row for key, row in totals.items() if row[0]}
    if criterion == NP and not points:
        criterion = PV

    def rank(key):
        count, halves, gain = totals[key]
        share = Fraction(halves, count)
        first = {MJ: count, PV: halves if victory == COUNT else share, NP: gain}[criterion]
        return (first, share, count, -key)

    return max(totals, key=rank) if totals else -1


votes = st.lists(
    st.tuples(
        st.integers(0, MAX_GROUPS),
        st.integers(0, MAX_ITEMS - 1),
        st.integers(1, 6),
        st.integers(0, 12),
        st.integers(-9, 9),
    ),
    max_size=12,
)


@given(votes, st.sampled_from([MJ, PV, NP]), st.sampled_from([SHARE, COUNT, BAR]), st.booleans())
def test_criteria_agree_with_plain_python(rows, criterion, victory, points):
    items, groups = [(i, *rest) for _, i, *rest in rows], [(g, *rest) for g, _, *rest in rows]
    assert item(rows, criterion, victory, points=points) == plain_best(items, criterion, victory, points)
    assert group(rows, criterion, victory, points=points) == plain_best(groups, criterion, victory, points)


def test_invalid_options_are_refused():
    with pytest.raises(BadInput, match="unknown retrieval 'fast'"):
        agent("pvcnps(retrieval=fast)")
    with pytest.raises(BadInput, match="unknown revision 'nothing'"):
        agent("pvcnps(revise=nothing)", game("truco"))
    with pytest.raises(BadInput, match="threshold must be from 0 to 1"):
        agent("pvcnps(threshold=98)")
    with pytest.raises(BadInput, match="unknown reading of victory 'number'"):
        agent("pvcnps(victory=number)")
