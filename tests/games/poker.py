"""One-card poker for two: Kuhn's with three cards, and Leduc hold'em with six and one on the table.

Everybody antes 1 and holds a card.  Seat 0 begins every round; one may check or call, raise as often as the rules allow
in a round, and fold where there is something to call.  Where there is a second round, a card is shown before it and
raises are twice as high.  The higher rank wins, a pair with the card shown beats it; equal ranks share.
The values of both games are known, so they are the touchstone of what is computed exactly.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numba
import numpy as np

from bolicho.errors import BadInput
from bolicho.games import kernel
from bolicho.games.compiled.chance import below
from bolicho.games.game import Game, Kind, View
from bolicho.games.jit import njit
from bolicho.games.kernel import CHOSE, implements

NONE = -1
FOLD, CALL, RAISE = range(3)
TEXTS = ("fold", "call", "raise")
SHOWN = 1  # the event of the card on the table: (SHOWN, -1, card, 0)


@dataclass(frozen=True)
class Rules:
    ranks: int = 3
    suits: int = 1
    rounds: int = 1
    raises: int = 1
    bet: int = 1

    def __post_init__(self) -> None:
        if self.rounds not in (1, 2) or not self.rounds + 1 <= self.ranks * self.suits <= 100:
            raise BadInput("poker has 1 or 2 rounds, and cards enough for them")


STATE = np.dtype(
    [
        ("rule_ranks", "i1"),
        ("rule_suits", "i1"),
        ("rule_rounds", "i1"),
        ("rule_raises", "i1"),
        ("rule_bet", "i1"),
        ("turn", "i1"),
        ("round", "i1"),
        ("asked", "i1"),  # seats that have acted in this round
        ("raised", "i1"),  # in this round
        ("folded", "i1"),  # a seat, or NONE
        ("num_events", "i1"),
        ("cards", "i1", (2,)),
        ("board", "i1"),  # shown in the second round
        ("paid", "i2", (2,)),
        ("events", "i2", (2, 4)),
        ("seed", "u8"),
    ],
    align=True,
)
RECORD = numba.from_dtype(STATE)


def blank(rules: Rules) -> np.ndarray:
    pool = np.zeros(1, STATE)
    for name in ("ranks", "suits", "rounds", "raises", "bet"):
        pool[f"rule_{name}"] = getattr(rules, name)
    pool["turn"] = -1
    return pool


@njit
def num_cards(s):
    return s.rule_ranks * s.rule_suits


@implements(kernel.num_deals, RECORD)
@njit
def num_deals(s):
    n = num_cards(s)
    return n * (n - 1) * (n - 2 if s.rule_rounds == 2 else 1)


@njit
def free_card(s, number):
    """The card of that number among those that nobody has."""
    for card in range(num_cards(s)):
        if card != s.cards[0] and card != s.cards[1] and card != s.board:
            if number == 0:
                return card
            number -= 1
    return NONE


@implements(kernel.deal_number, RECORD)
@njit
def deal_number(s, number):
    n = num_cards(s)
    s.cards[0] = s.cards[1] = s.board = NONE
    s.cards[0] = free_card(s, number % n)
    s.cards[1] = free_card(s, number // n % (n - 1))
    if s.rule_rounds == 2:
        s.board = free_card(s, number // (n * (n - 1)))
    s.seed = 0
    s.turn = s.round = s.asked = s.raised = 0
    s.folded = NONE
    s.paid[0] = s.paid[1] = 1
    s.num_events = 0
    s.events[:] = 0


@implements(kernel.deal, RECORD)
@njit
def deal(s, seed):
    deal_number(s, below(seed, 0, num_deals(s)))
    s.seed = np.uint64(seed)


@implements(kernel.legal, RECORD)
@njit
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
@njit
def apply(s, action):
    seat = s.turn
    s.events[:] = 0
    s.num_events = 1
    s.events[0, 0] = CHOSE
    s.events[0, 1] = seat
    s.events[0, 2] = action
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
        s.num_events = 2
        s.events[1, 0] = SHOWN
        s.events[1, 1] = NONE
        s.events[1, 2] = s.board


@implements(kernel.over, RECORD)
@njit
def over(s):
    return s.turn < 0


@njit
def rank(s, seat):
    """The higher, the better; a pair is best."""
    own = s.cards[seat] // s.rule_suits
    return own + (s.rule_ranks if s.board != NONE and s.board // s.rule_suits == own else 0)


@njit
def winner(s):
    if s.folded != NONE:
        return 1 - s.folded
    mine, other = rank(s, 0), rank(s, 1)
    return NONE if mine == other else (0 if mine > other else 1)


@implements(kernel.payoff, RECORD)
@njit
def payoff(s, out):
    won = winner(s)
    for seat in range(2):
        out[seat] = 0 if won == NONE else (s.paid[1 - seat] if seat == won else -s.paid[seat])


@implements(kernel.scores, RECORD)
@njit
def scores(s, out):
    for seat in range(2):
        out[seat] = s.paid[1 - seat] if s.turn < 0 and winner(s) == seat else 0


@implements(kernel.hide, RECORD)
@njit
def hide(s, seat):
    s.seed = 0
    if s.turn >= 0 or s.folded != NONE:
        s.cards[1 - seat] = NONE
    if s.round == 0:
        s.board = NONE


@implements(kernel.redeal, RECORD)
@njit
def redeal(s, seat, seed):
    s.seed = np.uint64(seed)
    known = 1 + (s.board != NONE)
    if s.cards[1 - seat] == NONE:
        s.cards[1 - seat] = free_card(s, below(seed, 0, num_cards(s) - known))
        known += 1
    if s.board == NONE and s.rule_rounds == 2:
        s.board = free_card(s, below(seed, 1, num_cards(s) - 2))


@implements(kernel.features, RECORD)
@njit
def features(s, seat, out):
    out[0] = s.cards[seat] / 100
    out[1] = s.board / 100 if s.round > 0 else NONE
    out[2] = s.paid[seat] / 100
    out[3] = s.paid[1 - seat] / 100
    return 4


def read_action(state: np.void, text: str) -> int:
    if text not in TEXTS:
        raise BadInput(f"it is none of {', '.join(TEXTS)}")
    return TEXTS.index(text)


def read_setup(rules: Rules, pool: np.ndarray, setup: Mapping[str, Any]) -> None:
    raise BadInput("poker has nothing to set up")


def entry(row: np.ndarray) -> dict[str, Any]:
    if row[0] == SHOWN:
        return {"event": "shown", "card": int(row[2])}
    return {"event": "chose", "seat": int(row[1]), "action": TEXTS[int(row[2])]}


POKER = Kind(
    name="poker",
    title="One-card poker: Kuhn's, and Leduc hold'em",
    rules=Rules,
    seats=lambda rules: 2,
    num_actions=lambda rules: len(TEXTS),
    feature_names=lambda rules: ("card", "board", "paid", "paid by the other"),
    zero_sum=True,
    blank=blank,
    view=View,
    action_text=lambda state, number: TEXTS[number],
    read_action=read_action,
    read_setup=read_setup,
    entry=entry,
    result=lambda state: {},
    svg=lambda view: "<svg xmlns='http://www.w3.org/2000/svg'/>",
    texts=TEXTS,
)

KUHN = Game(POKER)
LEDUC = Game(POKER, ranks=3, suits=2, rounds=2, raises=2, bet=2)
