"""A decision of the cycle: query, retrieve, reuse, revise, answer; compiled.

Independent of games: the queries of a position and the meaning of items come from the stubs of `domain`, overloaded for
each game's records.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bolicho.agents import kernel as players
from bolicho.agents.cbr import domain
from bolicho.agents.cbr.compiled.choice import (
    NO_ANSWER,
    NO_CRITERION,
    SKIP_SMALL,
    choose_group,
    choose_item,
    group_sums,
    tally,
)
from bolicho.agents.cbr.compiled.groups import Groups, nearest
from bolicho.agents.cbr.compiled.search import THOUSAND, retrieve
from bolicho.agents.cbr.compiled.tree import PARTITION, PASSIVE, POINTS, SCENARIO, Index, Scratch
from bolicho.agents.cbr.domain import END, GO_ON, SKIP
from bolicho.games.compiled.chance import uniform
from bolicho.games.jit import njit, rule
from bolicho.games.kernel import ANY, implements

# Columns of an agent's settings.
(BY_GROUP, BY_ITEM, THRESHOLD, TWO_STEP_RETRIEVAL, SWITCHES, MINIMUM, VICTORY, IN_GROUP, BEYOND_REFUSING, SMALL,
 BLUFF) = range(11)  # fmt: skip
# Columns of the trace, one row per question.
(ASKED, USED, FOUND, AT_FIRST, PARTITION_GROUP, GROUP, ITEM, REVISED, PREDICATE, FELL_BACK, CALLS, BLUFFS,
 CAUGHT) = range(13)  # fmt: skip
# Reasons why an answer did not come from the policy alone, as bits.
WIDENED, NO_GROUP, NO_CASES, TOO_SMALL = 1, 2, 4, 8
"""Bits of `FELL_BACK`.

The index group contained no case and the whole base was queried; no cluster had enough cases, and the criterion for
items was used on all; there was no case at all, and the domain's fallback was used; the chosen cluster had too few
cases, and the domain's fallback was used.
"""
MAX_STAGES = 3


class CaseBasedPlayer(NamedTuple):
    """Case-based player: its index, groups and settings, work arrays, and the trace of its last decision."""

    index: Index
    groups: Groups
    settings: NDArray[np.int64]
    w: Scratch
    trace: NDArray[np.int64]  # one row per question of the last decision, then one with `END`
    calls: Index  # calls of the base, for the belief that a call is a bluff; used where `BLUFF` is below 1


@rule
def reuse(index, d, found, settings, luck, stage, w, row):
    """Return the item for a question from its retrieved leaves; record its derivation in `row`."""
    meta = index.meta[d]
    allowed = w.query[0].allowed
    tally(index, found, settings[BEYOND_REFUSING], w)
    group, victory = -1, settings[VICTORY]
    if settings[BY_GROUP] != NO_CRITERION and meta[SCENARIO] >= 0:
        least = settings[IN_GROUP] if settings[SMALL] == SKIP_SMALL else 1
        group = choose_group(w, settings[BY_GROUP], victory, meta[POINTS], allowed, least, uniform(luck, 2 * stage))
        if group < 0:
            row[FELL_BACK] |= NO_GROUP
        elif settings[SMALL] == NO_ANSWER and group_sums(w, group, allowed)[0] < settings[IN_GROUP]:
            row[FELL_BACK] |= TOO_SMALL
            row[GROUP] = group
            return -1
    row[GROUP] = group
    chance = uniform(luck, 2 * stage + 1)
    return choose_item(w, group, settings[BY_ITEM], victory, meta[POINTS], meta[PASSIVE], allowed, chance)


@implements(domain.call_of, ANY)
@rule
def no_call(s, seat, case, decision, query):
    return -1, -1


@rule
def doubt(s, seat, case, d, player):
    """Return (calls, bluffs, answer): similar calls of the base, those with weak hands, and the item of `call_of`.

    Retrieval works as for cases: from the first threshold, which falls until there are enough.
    """
    settings, w, calls = player.settings, player.w, player.calls
    asked, answer = domain.call_of(s, seat, case, d, w.query[1])
    if asked < 0:
        return 0, 0, -1
    found, total, _, _ = retrieve(calls, asked, w.query[1], 0, settings[THRESHOLD], settings[MINIMUM], w)
    tally(calls, found, False, w)
    bluffs = 0
    for group in range(w.table.shape[0]):
        bluffs += w.table[group, 1, 0]
    return total, bluffs, answer


@implements(players.decide, CaseBasedPlayer)
@rule
def decide(player, memory, s, seat, luck):
    index, groups, settings, w, trace, _ = player
    query, case = w.query[0], w.case[0]
    asked = 0
    for stage in range(MAX_STAGES):
        d = domain.question(s, seat, stage, query, case)
        if d == END:
            break
        if d == SKIP:
            continue
        row = trace[asked]
        asked += 1
        row[ASKED], row[FELL_BACK], row[GROUP], row[PARTITION_GROUP] = d, 0, -1, 0
        partition = index.meta[d, PARTITION]
        if settings[TWO_STEP_RETRIEVAL]:
            domain.features(case, partition, w.features)
            row[PARTITION_GROUP] = nearest(groups, partition, w.features)
        group = row[PARTITION_GROUP]
        while True:
            found, total, row[AT_FIRST], row[USED] = retrieve(
                index, d, query, group, settings[THRESHOLD], settings[MINIMUM], w
            )
            if total > 0 or group == 0:
                break
            group = 0
            row[FELL_BACK] |= WIDENED
        row[FOUND] = total
        item = reuse(index, d, found, settings, luck, stage, w, row)
        if item < 0:
            if not row[FELL_BACK] & TOO_SMALL:
                row[FELL_BACK] |= NO_CASES
            item = domain.fallback(s, seat, case, d)
        row[ITEM] = item
        row[CALLS], row[BLUFFS], row[CAUGHT] = 0, 0, 0
        if settings[BLUFF] < THOUSAND:
            row[CALLS], row[BLUFFS], answer = doubt(s, seat, case, d, player)
            likely = THOUSAND * row[BLUFFS] > settings[BLUFF] * row[CALLS]
            if likely and answer >= 0 and item == index.meta[d, PASSIVE]:
                item = answer
                row[CAUGHT] = 1
        item, row[PREDICATE] = domain.revise(s, seat, case, d, item, settings[SWITCHES], query.allowed)
        row[REVISED] = item
        action = domain.answer(s, seat, case, d, item)
        if action != GO_ON:
            break
    trace[min(asked, MAX_STAGES)][ASKED] = END
    return action


@rule
def fewest(trace):
    """Return the smallest number of cases that a question of the last decision found at its first threshold."""
    found = trace[0, AT_FIRST]
    for row in range(1, MAX_STAGES):
        if trace[row, ASKED] == END:
            break
        found = min(found, trace[row, AT_FIRST])
    return found


@njit
def doubts(player, pool, seat):
    """Return (calls, bluffs) similar to the call that a seat has to answer; zeros where it answers no call."""
    query, case = player.w.query[0], player.w.case[0]
    for stage in range(MAX_STAGES):
        d = domain.question(pool[0], seat, stage, query, case)
        if d == END:
            break
        if d != SKIP:
            total, bluffs, _ = doubt(pool[0], seat, case, d, player)
            if total > 0:
                return total, bluffs
    return 0, 0


@njit
def ask(pool, seat, decision, query, case):
    """Query a position again for that decision."""
    for stage in range(MAX_STAGES):
        if domain.question(pool[0], seat, stage, query[0], case[0]) == decision:
            return
