"""Behaviours counted in dominoes."""

from bolicho.games import kernel
from bolicho.games.dominoes.kernel import DREW, HIGH, LOW, NUM_SIDES, PASSED, SCORED, implements
from bolicho.games.jit import rule
from bolicho.games.kernel import CHOSE, behaved

NAMES = {
    "draws": "its turns: plays and passes",
    "passes": "its turns: plays and passes",
    "plays its heaviest tile": "plays at which it could choose between tiles of different weight",
    "plays a double": "plays at which it could choose between a double and another tile",
    "scores by the ends": "plays in all fives",
}
"""Behaviours, and their denominators."""

DRAWS, PASSES, HEAVIEST, DOUBLE, SCORES = range(len(NAMES))


@implements(kernel.behave)
@rule
def behave(before, legal, action, after, out):
    seat = before.turn
    drew = 0  # seats that drew, as bits: counted once a turn
    scored = False
    for i in range(after.num_events):
        kind, who = after.events[i, 0], after.events[i, 1]
        if kind == CHOSE:
            behaved(out, who, PASSES, False)
        elif kind == PASSED:
            behaved(out, who, PASSES, True)
        elif kind == DREW:
            drew |= 1 << who
        elif kind == SCORED:
            scored = True
    for who in range(2):
        out[who, DRAWS, 1] = out[who, PASSES, 1]
        out[who, DRAWS, 0] += (drew >> who) & 1
    choose(seat, legal, action, out)
    if before.fives:
        behaved(out, seat, SCORES, scored)


@rule
def choose(seat, legal, action, out):
    """Count the kind of the chosen tile, if there was a choice."""
    heaviest, lightest, doubles, others = 0, 99, 0, 0
    for other in legal:
        weight = weight_of(other)
        heaviest, lightest = max(heaviest, weight), min(lightest, weight)
        if is_double(other):
            doubles += 1
        else:
            others += 1
    if lightest < heaviest:
        behaved(out, seat, HEAVIEST, weight_of(action) == heaviest)
    if doubles > 0 and others > 0:
        behaved(out, seat, DOUBLE, is_double(action))


@rule
def weight_of(action):
    """Return the pips of the tile that an action plays."""
    tile = action // NUM_SIDES
    return HIGH[tile] + LOW[tile]


@rule
def is_double(action):
    tile = action // NUM_SIDES
    return HIGH[tile] == LOW[tile]
