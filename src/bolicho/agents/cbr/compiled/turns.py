"""Cases that are turns: functions of the cycle that are the same in every game (see `cbr.turns`); compiled."""

import numpy as np

from bolicho.agents.cbr import domain
from bolicho.agents.cbr.domain import MAX_EQUAL, MAX_ITEMS, MAX_NUMERIC
from bolicho.agents.cbr.turns import LOOKED_AT, SCALE, SCENARIO, TURN_RECORD
from bolicho.games.jit import rule
from bolicho.games.kernel import implements

NOTHING_MEANT = -1
WORST = -(2**31)
NO_PREDICATE = -1
ROUNDING = 1e-9


@rule
def clear(case):
    """Reset all items of a case."""
    for item in range(MAX_ITEMS):
        case.actions[item] = NOTHING_MEANT
        case.merits[item] = WORST


@rule
def better(case, item, merit, action):
    """Assign an action to an item if it is the best so far; return whether it is."""
    if merit <= case.merits[item]:
        return False
    case.merits[item] = merit
    case.actions[item] = action
    return True


@rule
def allowed_items(case, num_items):
    """Return the items with an action here, as bits; of several with the same action only the first."""
    bits = 0
    for item in range(num_items):
        first = case.actions[item] != NOTHING_MEANT
        for before in range(item):
            first &= case.actions[before] != case.actions[item]
        if first:
            bits |= 1 << item
    return bits


@rule
def set_attribute(query, i, value, factors):
    """Write a numeric attribute, scaled by the game's table (`turns.factors`)."""
    scaled = np.floor(value * factors[i, 0] + factors[i, 1] + ROUNDING)
    query.numeric[i] = max(0, min(SCALE, np.int64(scaled)))


@rule
def note_query(query, case):
    """Copy the attributes of the query into the case."""
    for i in range(MAX_NUMERIC):
        case.numeric[i] = query.numeric[i]
    for i in range(MAX_EQUAL):
        case.equal[i] = query.equal[i]


@rule
def answer(s, seat, case, decision, item):
    return case.actions[item]


@rule
def fallback(s, seat, case, decision):
    """Return the first available item."""
    for item in range(MAX_ITEMS):
        if case.actions[item] != NOTHING_MEANT:
            return item
    return 0


@rule
def revise(s, seat, case, decision, item, switches, allowed):
    """Return the item unchanged: no play counts as a suicide move before it is tried."""
    return item, NO_PREDICATE


def bind(record):
    """Register these functions for a game's record."""
    implements(domain.answer, record)(answer)
    implements(domain.fallback, record)(fallback)
    implements(domain.revise, record)(revise)


@implements(domain.instances, TURN_RECORD)
@rule
def instances(case, out):
    one = out[0]
    one.decision = 0
    one.item, one.halves, one.points, one.spared = case.item, case.halves, case.points, 0
    for i in range(MAX_NUMERIC):
        one.numeric[i] = case.numeric[i]
    for i in range(MAX_EQUAL):
        one.equal[i] = case.equal[i]
    return 1


@implements(domain.suicidal, TURN_RECORD)
@rule
def suicidal(case, out, switches):
    return NO_PREDICATE, 0


@implements(domain.features, TURN_RECORD)
@rule
def features(case, clustering, out):
    for i in range(LOOKED_AT):
        out[i] = case.numeric[i]
    if clustering == SCENARIO:
        out[LOOKED_AT] = case.item
        return LOOKED_AT + 1
    return LOOKED_AT
