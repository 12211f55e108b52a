"""Kuhn poker: three cards, one each, one chip to be in and one to bet.  `docs/new-game.md` builds it step by step."""

from typing import Annotated, NamedTuple

from bolicho.kit import Kind, Names, begin, below, blank_of, choose, implements, kernel, record_type, rule, state

PASS, BET = range(2)
UNKNOWN = -1
STATE = state(("cards", "i1", 2), ("paid", "i1", 2), ("ply", "i1"))
RECORD = record_type(STATE)


@implements(kernel.num_deals, RECORD)
@rule
def num_deals(s):
    return 6


@implements(kernel.deal_number, RECORD)
@rule
def deal_number(s, number):
    begin(s)
    s.cards[0] = number // 2
    s.cards[1] = (s.cards[0] + 1 + number % 2) % 3
    s.paid[:] = 1
    s.ply = 0


@implements(kernel.legal, RECORD)
@rule
def legal(s, out):
    out[0], out[1] = PASS, BET
    return 2 if s.turn >= 0 else 0


@implements(kernel.apply, RECORD)
@rule
def apply(s, action):
    choose(s, action)
    s.paid[s.turn] += action
    s.ply += 1
    ends = s.ply > 1 and (action == PASS or s.paid[0] == s.paid[1])
    s.turn = -1 if ends else 1 - s.turn


@implements(kernel.payoff, RECORD)
@rule
def payoff(s, out):
    ahead = s.cards[0] - s.cards[1] if s.paid[0] == s.paid[1] else s.paid[0] - s.paid[1]
    out[0] = min(s.paid[0], s.paid[1]) * (1 if ahead > 0 else -1)
    out[1] = -out[0]


@implements(kernel.hide, RECORD)
@rule
def hide(s, seat):
    s.seed = 0
    if s.turn >= 0 or s.paid[0] != s.paid[1]:
        s.cards[1 - seat] = UNKNOWN


@implements(kernel.redeal, RECORD)
@rule
def redeal(s, seat, seed):
    s.seed = seed
    if s.cards[1 - seat] == UNKNOWN:
        s.cards[1 - seat] = (s.cards[seat] + 1 + below(seed, 0, 2)) % 3


class Seen(NamedTuple):
    """Fields of a view."""

    cards: Annotated[tuple[str | None, ...], Names("card", {UNKNOWN: None, 0: "J", 1: "Q", 2: "K"})]
    paid: tuple[int, int]


KUHN = Kind("kuhn", blank=blank_of(STATE), texts=("pass", "bet"), title="Kuhn poker", fields=Seen)
