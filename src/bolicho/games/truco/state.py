"""Structures of Truco for views, their JSON (docs/views.md), texts and drawings."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from struct import Struct
from typing import Annotated, Literal, NamedTuple

from bolicho.games.fields import Names, Structure
from bolicho.games.game import NOBODY, ROW, View
from bolicho.games.kernel import CHOSE
from bolicho.games.truco import kernel as k
from bolicho.games.truco.compiled import calls
from bolicho.games.truco.compiled.hand import TIE
from bolicho.games.truco.rules import CALLS, CARDS, SUITS

ACTIONS = (*CARDS, *(f"virada {card}" for card in CARDS), *CALLS)
"""The text of every action, by number."""

NUMBERS = {text: number for number, text in enumerate(ACTIONS)}
REASONS = ("envido", "flor", "cards", "refusal", "deck")
EVENTS = ("chose", "dealt", "round", "points", "flor", "envido shown", "flor shown")
ENUMERATIONS = (("suit", tuple(SUITS)), ("call", CALLS), ("reason", REASONS), ("event", EVENTS))

VIEW_CALLS = (("standing_bet", calls.standing_bet, "pool"), ("envido", k.envido_value, "int int int"))
facts = dict  # all others are enumerations

Winner = int | Literal["tie"] | None
CARD = Names("card", {k.NONE: None, k.UNSEEN: "virada", **dict(enumerate(ACTIONS[: k.TRUCO]))})
WINNER = Names("winner", {k.NONE: None, 0: 0, 1: 1, TIE: "tie"})
SEAT = Names("seat", {k.NONE: None, 0: 0, 1: 1})
BET = Names("bet", {k.NOTHING: None, k.TRUCO_BET: "truco", k.ENVIDO_BET: "envido", k.FLOR_BET: "flor"})

Cards = Annotated[tuple[tuple[str | None, ...], ...], CARD]
Seat = Annotated[int | None, SEAT]
Seats = Annotated[tuple[int | None, ...], SEAT]


class Fields(NamedTuple):
    """The visible fields of a record, see `kernel.STATE`."""

    target: int
    rule_hands: int
    scores: tuple[int, int]
    hand_number: int
    mao: int
    turn: int
    dealt: Cards
    hands: Cards
    played: Cards
    winners: Annotated[tuple[Winner, ...], WINNER]
    round: int
    pending: Annotated[str | None, BET]
    level: int
    called: int
    raiser: Seat
    truco_by: Seats
    envido_by: Seats
    envido_last: Seat
    flor_by: Seats


@dataclass(frozen=True)
class Call(Structure):
    """A call or an answer."""

    seat: int
    call: str


@dataclass(frozen=True)
class Pending(Structure):
    """The call that awaits an answer, and its points; the mão's flor cannot be refused."""

    call: str
    by: int | None  # seat that called
    accepted: int  # points if it is accepted
    refused: int | None  # points if it is refused; None for a flor, which cannot be refused


@dataclass(frozen=True)
class Points(Structure):
    """Points of a hand, and their reason."""

    seat: int
    points: int
    for_: str


@dataclass(frozen=True)
class EnvidoShown(Structure):
    """The envido points of the seat that won the envido."""

    seat: int
    envido: int


@dataclass(frozen=True)
class FlorShown(Structure):
    """The flor points of the seat that won the flor."""

    seat: int
    flor: int


@dataclass(frozen=True)
class PastHand(Structure):
    """A past hand as its players saw it: face-down cards, also one's own, are not named."""

    hand: int
    mao: int
    played: list[list[str]]  # cards face down stay so, one's own too unless the match is over
    winners: list[Winner]
    calls: list[Call]
    points: list[Points]  # with their reasons
    shown: list[EnvidoShown | FlorShown]  # points that were shown


@dataclass(frozen=True)
class TrucoTable(Structure):
    """The match, the current hand with its calls, and the previous hand."""

    target: int  # points that win the match
    hand: int  # number of the hand, from 1
    mao: int  # the mão's seat
    round: int  # 1 to 3
    worth: int  # value of the hand
    raiser: int | None  # the only seat that may raise the hand; None: either
    pending: Pending | None
    cards: list[str]  # own cards in hand
    dealt: list[str]  # own three cards
    counts: list[int]  # cards in hand, by seat
    played: list[list[str]]  # cards by seat and round; face down `virada`, one's own `virada 1e`
    winners: list[Winner]  # of the three rounds: a seat, `tie`, or None
    envido: int | None  # own envido points
    calls: list[Call]  # of this hand, oldest first
    last: PastHand | None  # the hand before; after the match, the last one


def table(view: View) -> TrucoTable:
    """Return the table of a view."""
    s: Fields = view.fields
    seat, hand = view.seat, s.hand_number + 1
    now, before = begins(view._log)
    played = [[card for card in cards if card is not None] for cards in s.played]
    last = None
    if s.turn < 0:
        last = replace(_past(view._log[now:]), hand=hand, mao=s.mao, played=played)
    elif before is not None:
        last = _past(view._log[before:now])
    return TrucoTable(
        target=s.target,
        hand=hand,
        mao=s.mao,
        round=s.round + 1,
        worth=s.level + 1,
        raiser=s.raiser,
        pending=_pending(view, s) if s.pending else None,
        cards=[card for card in s.hands[seat] if card is not None] if seat != NOBODY else [],
        dealt=[card for card in s.dealt[seat] if card is not None] if seat != NOBODY else [],
        counts=[3 - len(played[0]), 3 - len(played[1])],
        played=played,
        winners=list(s.winners),
        envido=_envido(s.dealt[seat]) if seat != NOBODY else None,
        calls=_calls(view._log[now:]),
        last=last,
    )


@cache
def _envido(cards: tuple[str, ...]) -> int:
    return int(k.envido_value(*(NUMBERS[card] for card in cards)))


def _pending(view: View, s: Fields) -> Pending:
    accepted, refused = map(int, calls.standing_bet(view.pool))
    if s.pending == "truco":
        return Pending(CALLS[s.called - 1], s.truco_by[s.called - 1], accepted, refused)
    first, by = (k.ENVIDO, s.envido_by) if s.pending == "envido" else (k.CONTRAFLOR, s.flor_by)
    made = [i for i, seat in enumerate(by) if seat is not None]
    if not made:
        return Pending("flor", s.mao, accepted, None)
    return Pending(
        ACTIONS[first + made[-1]], s.envido_last if s.pending == "envido" else by[made[-1]], accepted, refused
    )


# --- Events -------------------------------------------------------------------------------------

_rows = Struct("<4h").iter_unpack


def begins(log: bytes) -> tuple[int, int | None]:
    """Return the offset in a log of the current hand, and of the previous one, if any."""
    found = _deals(log)
    return next(found, 0), next(found, None)


def _deals(log: bytes) -> Iterator[int]:
    """Yield the offsets of hands in a log, the latest first."""
    for at in range(len(log) - ROW, -1, -ROW):
        if log[at] == k.DEALT:
            yield at


_CALLS = [{number: Call(seat, ACTIONS[number]) for number in range(k.TRUCO, k.NUM_ACTIONS)} for seat in range(2)]


def _calls(log: bytes) -> list[Call]:
    """Return the calls of a hand, oldest first."""
    made = []
    for kind, seat, value, _ in _rows(log):
        if kind == CHOSE and value >= k.TRUCO:
            made.append(_CALLS[seat][value])
        elif kind == k.FLOR_SAID:
            made.append(_CALLS[seat][k.FLOR])
    return made


@lru_cache(maxsize=1 << 10)
def _past(log: bytes) -> PastHand:
    """Return a whole hand; it is cached, since all views of the next hand show it."""
    past = PastHand(hand=1, mao=0, played=[[], []], winners=[None] * 3, calls=_calls(log), points=[], shown=[])
    for kind, seat, value, extra in _rows(log):
        if kind == CHOSE and value < k.TRUCO:
            past.played[seat].append(CARD.of[value])
        elif kind == k.DEALT:
            past = replace(past, hand=value + 1, mao=seat)
        elif kind == k.ROUND:
            past.winners[value] = seat if seat >= 0 else "tie"
        elif kind == k.POINTS:
            past.points.append(Points(seat, value, REASONS[extra]))
        elif kind == k.ENVIDO_SHOWN:
            past.shown.append(EnvidoShown(seat, value))
        elif kind == k.FLOR_SHOWN:
            past.shown.append(FlorShown(seat, value))
    return past
