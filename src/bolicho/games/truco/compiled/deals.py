"""Deals of a single hand by number; compiled."""

import numpy as np

from bolicho.games import kernel
from bolicho.games.compiled.deals import subset, subsets
from bolicho.games.compiled.events import wipe_events
from bolicho.games.jit import rule
from bolicho.games.kernel import implements
from bolicho.games.truco.compiled.unseen import DECK, set_dealt
from bolicho.games.truco.kernel import RECORD, open_hand


@implements(kernel.num_deals, RECORD)
@rule
def num_deals(s):
    """Return the number of deals of a single hand; deals of a match are not numbered."""
    return deals_of(40) if s.rule_hands == 1 else np.int64(0)


@implements(kernel.deal_number, RECORD)
@rule
def deal_number(s, number):
    deal_from(s, DECK, 40, number)


@rule
def deals_of(size):
    """Return the number of deals of a deck of `size` cards."""
    return subsets(size, 3) * subsets(size - 3, 3)


@rule
def deal_from(s, deck, size, number):
    """Set up a single hand at 0-0 with seat 0 as mão, with the cards of deal `number` from a deck."""
    first = subset(deck, 3, number % subsets(size, 3))
    set_dealt(s, 0, first)
    set_dealt(s, 1, subset(deck & ~first, 3, number // subsets(size, 3)))
    s.seed = 0
    for seat in range(2):
        s.scores[seat] = 0
        s.start[seat] = 0
    s.hand_number = 0
    s.mao = 0
    last = s.num_events
    s.num_events = 0
    open_hand(s)
    wipe_events(s, last)
