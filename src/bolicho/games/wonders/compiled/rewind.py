"""Rewinding a game of 7 Wonders to its deal (`rewind`), for replay; compiled."""

from bolicho.games import kernel
from bolicho.games.compiled.events import wipe_events
from bolicho.games.jit import rule
from bolicho.games.kernel import CHOSE, implements
from bolicho.games.wonders.compiled.deal import begin, hand_of, sort_hand
from bolicho.games.wonders.compiled.redeal import revealed_action
from bolicho.games.wonders.layout import BUILDS, NONE, RAISES, RECORD, SELLS
from bolicho.games.wonders.rules import HAND, NUM_AGES


@implements(kernel.rewind, RECORD)
@rule
def rewind(s, rows):
    for i in range(len(rows)):
        if rows[i, 0] == CHOSE and rows[i, 2] == NONE:
            rows[i, 2] = revealed(s, rows, i)
    for age in range(NUM_AGES):
        for row in range(s.players):
            sort_hand(s, age, row, 0)
    last = s.num_events
    s.num_events = 0
    begin(s)
    wipe_events(s, last)
    return 0


@rule
def revealed(s, rows, i):
    """Return the choice in a row that only its seat saw, from the seat's next event; NONE if there is none."""
    seat, time = rows[i, 1], rows[i, 3]
    for j in range(i + 1, len(rows)):
        kind = rows[j, 0]
        if rows[j, 1] == seat and (kind == BUILDS or kind == RAISES or kind == SELLS):
            card = rows[j, 2]
            if card == NONE:
                age, turn = time // HAND, time % HAND
                card = s.cards[age, hand_of(s, age, seat, turn), turn]
            return revealed_action(kind, card, rows[j, 3])
    return NONE
