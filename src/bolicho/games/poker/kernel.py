"""Compiled rules of one-card poker."""

import numba
import numpy as np

from bolicho.games import kernel
from bolicho.games.compiled.chance import below
from bolicho.games.compiled.events import begin, choose, log
from bolicho.games.jit import rule
from bolicho.games.kernel import implements
from bolicho.games.small_game import state

NONE = -1
FOLD, CALL, RAISE = range(3)
SHOWN = 1  # event of the card on the table: (SHOWN, -1, card, 0)

STATE = state(
    ("rule_ranks", "i1"),
    ("rule_suits", "i1"),
    ("rule_rounds", "i1"),
    ("rule_raises", "i1"),
    ("rule_bet", "i1"),
    ("round", "i1"),
    ("asked", "i1"),  # seats that have acted in this round
    ("raised", "i1"),  # in this round
    ("folded", "i1"),  # a seat, or NONE
    ("cards", "i1", (2,)),
    ("board", "i1"),  # shown in the second round
    ("paid", "i2", (2,)),
    events=2,
)
RECORD = numba.from_dtype(STATE)


@rule
def num_cards(s):
    return s.rule_ranks * s.rule_suits


@implements(kernel.num_deals, RECORD)
@rule
def num_deals(s):
    n = num_cards(s)
    return n * (n - 1) * (n - 2 if s.rule_rounds == 2 else 1)


@rule
def free_card(s, number):
    """Return the undealt card with this number."""
    for card in range(num_cards(s)):
        if card != s.cards[0] and card != s.cards[1] and card != s.board:
            if number == 0:
                return card
            number -= 1
    return NONE


@implements(kernel.deal_number, RECORD)
@rule
def deal_number(s, number):
    n = num_cards(s)
    s.cards[0] = s.cards[1] = s.board = NONE
    s.cards[0] = free_card(s, number % n)
    s.cards[1] = free_card(s, number // n % (n - 1))
    if s.rule_rounds == 2:
        s.board = free_card(s, number // (n * (n - 1)))
    open_hand(s)


@rule
def open_hand(s):
    """Initialise a new game except for its cards."""
    begin(s)
    s.round = s.asked = s.raised = 0
    s.folded = NONE
    s.paid[0] = s.paid[1] = 1


@implements(kernel.legal, RECORD)
@rule
def legal(s, out):
    n = 0
    if s.turn >= 0:
        if s.paid[s.turn] < s.paid[1 - s.turn]:
            out[n] = FOLD
            n += 1
        out[n] = CALL
        n += 1
        if s.raised < s.rule_raises:
            out[n] = RAISE
            n += 1
    return n


@implements(kernel.apply, RECORD)
@rule
def apply(s, action):
    seat = s.turn
    choose(s, action)
    s.asked += 1
    s.turn = 1 - seat
    if action == FOLD:
        s.folded = seat
        s.turn = -1
        return
    s.paid[seat] = s.paid[1 - seat]
    if action == RAISE:
        s.paid[seat] += s.rule_bet << s.round
        s.raised += 1
    elif s.asked > 1 and s.round + 1 == s.rule_rounds:
        s.turn = -1
    elif s.asked > 1:
        s.round += 1
        s.turn = s.asked = s.raised = 0
        log(s, SHOWN, NONE, s.board, 0)


@rule
def rank(s, seat):
    """Return the rank of a seat's hand: higher is better, and a pair is best."""
    own = s.cards[seat] // s.rule_suits
    return own + (s.rule_ranks if s.board != NONE and s.board // s.rule_suits == own else 0)


@rule
def winner(s):
    if s.folded != NONE:
        return 1 - s.folded
    mine, other = rank(s, 0), rank(s, 1)
    return NONE if mine == other else (0 if mine > other else 1)


@implements(kernel.payoff, RECORD)
@rule
def payoff(s, out):
    won = winner(s)
    for seat in range(2):
        out[seat] = 0 if won == NONE else (s.paid[1 - seat] if seat == won else -s.paid[seat])


@implements(kernel.scores, RECORD)
@rule
def scores(s, out):
    for seat in range(2):
        out[seat] = s.paid[1 - seat] if s.turn < 0 and winner(s) == seat else 0


@implements(kernel.hide, RECORD)
@rule
def hide(s, seat):
    s.seed = 0
    if s.turn >= 0 or s.folded != NONE:
        s.cards[1 - seat] = NONE
    if s.round == 0:
        s.board = NONE


@implements(kernel.redeal, RECORD)
@rule
def redeal(s, seat, seed):
    s.seed = np.uint64(seed)
    known = 1 + (s.board != NONE)
    if s.cards[1 - seat] == NONE:
        s.cards[1 - seat] = free_card(s, below(seed, 0, num_cards(s) - known))
        known += 1
    if s.board == NONE and s.rule_rounds == 2:
        s.board = free_card(s, below(seed, 1, num_cards(s) - 2))


@implements(kernel.rewind, RECORD)
@rule
def rewind(s, rows):
    seed = s.seed
    open_hand(s)
    s.seed = seed
    return 0


@implements(kernel.features, RECORD)
@rule
def features(s, seat, out):
    out[0] = s.cards[seat] / 100
    out[1] = s.board / 100 if s.round > 0 else NONE
    out[2] = s.paid[seat] / 100
    out[3] = s.paid[1 - seat] / 100
    return 4
