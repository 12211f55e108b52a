"""Truco with a small deck and no envido: the rules of the package, and few enough deals to solve a hand exactly."""

import dataclasses

import numba
import numpy as np

from bolicho.games import kernel
from bolicho.games.compiled.bits import count
from bolicho.games.compiled.chance import below, stream
from bolicho.games.compiled.deals import subset, subsets
from bolicho.games.game import Game
from bolicho.games.jit import rule
from bolicho.games.kernel import implements
from bolicho.games.truco import TRUCO
from bolicho.games.truco import kernel as truco
from bolicho.games.truco.compiled import features, unseen
from bolicho.games.truco.compiled.deals import deal_from, deals_of
from bolicho.games.truco.rules import CARDS

FIELDS = [(name, truco.STATE.fields[name][0]) for name in truco.STATE.names]
STATE = np.dtype([*FIELDS, ("deck", "i8"), ("bets", "i8")], align=True)
RECORD = numba.from_dtype(STATE)


@implements(kernel.num_deals, RECORD)
@rule
def num_deals(s):
    return deals_of(count(s.deck))


@implements(kernel.deal_number, RECORD)
@rule
def deal_number(s, number):
    deal_from(s, s.deck, count(s.deck), number)
    s.envido_done = 1
    s.level = s.called = s.bets


@implements(kernel.deal, RECORD)
@rule
def deal(s, seed):
    deal_number(s, below(seed, 0, num_deals(s)))
    s.seed = np.uint64(seed)


@implements(kernel.redeal, RECORD)
@rule
def redeal(s, seat, seed):
    """Redeal one of the completions of the other hand, which are all enumerated."""
    other = 1 - seat
    known = unseen.card_bits(s, other)
    free = s.deck & ~known & ~unseen.card_bits(s, seat)
    need = 3 - count(known)
    chosen, found = np.int64(0), 0
    for number in range(subsets(count(free), need)):
        drawn = subset(free, need, number)
        unseen.set_dealt(s, other, known | drawn)
        if unseen.is_consistent(s, seat):
            found += 1
            if below(seed, found, found) == 0:
                chosen = drawn
    unseen.set_dealt(s, other, known | chosen)
    for r in range(3):
        if s.played[other, r] == truco.UNSEEN:
            card = unseen.random_bit(chosen, stream(seed, r))
            chosen &= ~(np.int64(1) << card)
            s.played[other, r] = truco.FACE_DOWN + card
    i = 0
    for card in range(40):
        if (chosen >> card) & 1:
            s.hands[other, i] = card
            i += 1
    for row in range(s.num_events):
        if s.events[row, 0] == truco.DEALT:  # the cards that the log tells a seat stay hidden from the other
            s.events[row, 3] = 0
    s.seed = stream(seed, 3)


for name in ("legal", "apply", "over", "scores", "payoff"):
    implements(getattr(kernel, name), RECORD)(getattr(truco, name))
implements(kernel.hide, RECORD)(unseen.hide)
implements(kernel.features, RECORD)(features.features)


def small_truco(cards: str, bets: int = 0, **rules) -> Game:
    """Return a game of a single hand dealt from these cards ("1e 1p 7e ..."), after so many accepted bets."""
    deck = sum(1 << CARDS.index(card) for card in cards.split())

    def blank(chosen):
        pool = np.zeros(1, STATE)
        for name in truco.STATE.names:
            pool[name] = truco.blank(chosen)[name]
        pool["deck"], pool["bets"] = deck, bets
        return pool

    return Game(dataclasses.replace(TRUCO, name="small-truco", blank=blank), hands=1, **rules)
