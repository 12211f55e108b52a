"""Behaviours counted in 7 Wonders."""

from bolicho.games import kernel
from bolicho.games.jit import rule
from bolicho.games.kernel import behaved, implements
from bolicho.games.wonders.actions import card_of, kind_of
from bolicho.games.wonders.cards import COLOUR, GREEN, RED
from bolicho.games.wonders.layout import BUILD, BUILDS, FREE, RAISES, RECORD, REVIVAL, REVIVE, SELL, WAR, WONDER

NAMES = {
    "sells a card": "its turns",
    "builds a stage": "turns at which it could",
    "goes to war": "turns at which it could build a military structure",
    "builds science": "turns at which it could build a scientific structure",
    "buys from neighbours": "structures and stages it built in its turns",
    "wins a conflict": "conflicts with a neighbour at the end of an age",
}
"""Behaviours, and their denominators."""

SELLS_CARD, STAGE, TO_WAR, SCIENCE, BUYS, WINS_CONFLICT = range(len(NAMES))
COINS = 0xFF  # bits of an event's extra with the coins to the left and to the right


@implements(kernel.behave, RECORD)
@rule
def behave(before, legal, action, after, out):
    seat = before.turn
    kind = kind_of(action)
    if kind != REVIVE:  # a revival is not a turn, but the effect of a stage
        behaved(out, seat, SELLS_CARD, kind == SELL)
        if could(legal, WONDER, -1):
            behaved(out, seat, STAGE, kind == WONDER)
        for habit, colour in ((TO_WAR, RED), (SCIENCE, GREEN)):
            if could(legal, BUILD, colour) or could(legal, FREE, colour):
                behaved(out, seat, habit, (kind == BUILD or kind == FREE) and COLOUR[card_of(action)] == colour)
    for i in range(after.num_events):
        what, who, extra = after.events[i, 0], after.events[i, 1], after.events[i, 3]
        if (what == BUILDS and before.phase != REVIVAL) or what == RAISES:
            behaved(out, who, BUYS, extra & COINS != 0)
        elif what == WAR:
            behaved(out, who, WINS_CONFLICT, after.events[i, 2] > 0)
            behaved(out, who, WINS_CONFLICT, extra > 0)


@rule
def could(legal, kind, colour):
    """Return whether an action of a kind was legal, with a card of that colour (-1: any)."""
    for action in legal:
        if kind_of(action) == kind and (colour < 0 or COLOUR[card_of(action)] == colour):
            return True
    return False
