"""Structures of 7 Wonders for views, their JSON (docs/views.md), texts and drawings."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Annotated, Any, Literal, NamedTuple

from bolicho.games.fields import Names, Structure
from bolicho.games.game import NOBODY, View
from bolicho.games.kind import Action
from bolicho.games.wonders import layout as st
from bolicho.games.wonders.actions import card_of, kind_of, unsplit
from bolicho.games.wonders.building import FREED_BY, cost, gives, status, why_not
from bolicho.games.wonders.cards import (
    BOARDS,
    CARDS,
    COLOUR,
    COLOURS,
    GIVES,
    GOODS_COST,
    NUM_GOODS,
    NUM_RAW,
    NUM_STAGES,
    RAW_COST,
    RAW_WANTED,
    RESOURCES,
    START,
    SYMBOLS,
    stage_cost,
)
from bolicho.games.wonders.compiled import calls
from bolicho.games.wonders.compiled.scoring import POINT_KINDS
from bolicho.games.wonders.rules import HAND, PASS, SIDES, TRADES, left_seat, right_seat, row_held
from bolicho.games.wonders.text import ACTIONS, points_by_kind

EVENTS = ("chose", "age", "built", "stage", "sold", "income", "no revival", "discarded", "war")
ENUMERATIONS = (
    ("colour", COLOURS), ("resource", RESOURCES), ("symbol", (*SYMBOLS, "wild")), ("kind", st.KINDS), ("event", EVENTS),
    ("trade", TRADES), ("sides", SIDES), ("plain action", ACTIONS),
)  # fmt: skip

VIEW_CALLS = (
    ("points", calls.points, "pool int"),
    ("price", calls.price, "pool int int"),
    ("ways", calls.ways, "pool int int int int64[2]"),
)

Phase = Literal["play", "revival", "seventh"]
PHASE = Names("phase", {st.PLAY: "play", st.REVIVAL: "revival", st.SEVENTH: "seventh"})
CARD = Names("card", dict(enumerate(CARDS)), "numbers")
BUILT = Names("card", CARD.of, "bits")
BOARD = Names("board", dict(enumerate(BOARDS)), "numbers")
FATE = Names("fate", dict(enumerate(("held", "built", "stage", "sold", "left over"))), "numbers")

Row = tuple[int, ...]
Rows = tuple[Row, ...]
Message = list[Any]
"""A key and facts (docs/views.md)."""


class Fields(NamedTuple):
    """The visible fields of a record, see `layout.STATE`."""

    built: Annotated[tuple[tuple[str, ...], ...], BUILT]
    coins: Row
    commit: Row
    turn: int
    age: int
    round: int
    phase: Annotated[Phase, PHASE]
    cards: Annotated[tuple[Rows, ...], CARD]
    fate: Annotated[tuple[Rows, ...], FATE]
    board: Annotated[Row, BOARD]
    stages: Row
    free: Row
    symbols: Rows
    shields: Row
    victories: Row
    defeats: Row
    raw: Rows
    goods: Rows
    any_raw: Row
    any_goods: Row
    price: Rows


def facts() -> dict[str, Any]:
    """Return the tables of cards and boards as JSON, by number; stages of boards follow the cards."""
    stages = [[stage_cost(board, stage) for stage in range(NUM_STAGES[board])] for board in range(len(BOARDS))]
    numbers = range(1 + max(number for row in stages for number in row))
    return {
        "colours": COLOUR.tolist(),
        "starts": START.tolist(),
        "stages": stages,
        "costs": [cost(number).as_json() for number in numbers],
        "gives": [
            gives(number).as_json() if GIVES[number] else None for number in numbers
        ],  # some boards have fewer stages
        "makes": [GIVES[number] for number in numbers],
        "raw_costs": [RAW_COST[number].tolist() for number in numbers],
        "raw_wanted": [int(RAW_WANTED[number]) for number in numbers],
        "goods_costs": [GOODS_COST[number].tolist() for number in numbers],
        "freed_by": [sorted(names) for names in FREED_BY],
        "points": list(POINT_KINDS),
        "pass": list(PASS),
        "split": st.SPLIT,
        "most_left": st.MAX_LEFT,
    }


# --- Cities -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Step(Structure):
    """Cost and effect of a stage."""

    cost: Message
    gives: Message


@dataclass(frozen=True)
class Resources(Structure):
    """Production of a city each turn: units of one kind or a choice of kinds, for sale; units of any kind, not sold."""

    units: dict[str, int]  # of one kind; neighbours may buy them
    either: list[list[str]]  # units of one of some kinds; neighbours may buy them
    any: list[list[str]]  # units of one of some kinds that neighbours may not buy


@dataclass(frozen=True)
class Prices(Structure):
    """Prices that a city pays for a raw material from the left and from the right, and for a good."""

    left: int
    right: int
    goods: int


@dataclass(frozen=True)
class City(Structure):
    """One city, as public information."""

    seat: int
    board: str
    start: str  # the resource of the board
    stages: int  # built
    of: int  # number of stages of the board
    steps: list[Step]  # all stages
    cards: dict[str, list[str]]  # by colour
    resources: Resources
    coins: int
    shields: int
    victories: int  # points of the victory tokens
    defeats: int  # tokens
    symbols: dict[str, int]  # of science
    wild: int  # science symbols of any kind
    prices: Prices
    points: dict[str, int]  # by kind, as if the game stopped now

    def count(self, colour: str) -> int:
        """Return the number of cards of a colour in the city."""
        return len(self.cards[colour])

    @property
    def structures(self) -> tuple[str, ...]:
        """All cards built."""
        return tuple(card for cards in self.cards.values() for card in cards)

    def __contains__(self, card: str) -> bool:
        return any(card in cards for cards in self.cards.values())


def city(view: View, seat: int) -> City:
    """Return the city of a seat."""
    s: Fields = view.fields
    board, stages = s.board[seat], s.stages[seat]
    *symbols, wild = s.symbols[seat]
    cards, resources = _standing(board, stages, s.built[seat])
    return City(
        seat=seat,
        board=BOARDS[board],
        start=RESOURCES[START[board]],
        stages=stages,
        of=int(NUM_STAGES[board]),
        steps=_steps(board),
        cards=cards,
        resources=resources,
        coins=s.coins[seat],
        shields=s.shields[seat],
        victories=s.victories[seat],
        defeats=s.defeats[seat],
        symbols=dict(zip(SYMBOLS, symbols, strict=True)),
        wild=wild,
        prices=_prices(*s.price[seat]),
        points=points_by_kind(view.pool, seat),
    )


_prices = cache(Prices)


@cache
def _steps(board: int) -> list[Step]:
    numbers = [stage_cost(board, stage) for stage in range(NUM_STAGES[board])]
    return [Step(cost(number).as_json(), gives(number).as_json()) for number in numbers]


@lru_cache(maxsize=1 << 12)
def _standing(board: int, stages: int, built: tuple[str, ...]) -> tuple[dict[str, list[str]], Resources]:
    """Return the cards of a city by colour, and its resources; cached, since the views of all seats read it."""
    cards = [CARDS.index(name) for name in built]
    by_colour: dict[str, list[str]] = {colour: [] for colour in COLOURS}
    for card in cards:
        by_colour[COLOURS[COLOUR[card]]].append(CARDS[card])
    return by_colour, _resources(board, [*cards, *(stage_cost(board, stage) for stage in range(stages))])


def _resources(board: int, numbers: Iterable[int]) -> Resources:
    """Return the production of a board with these cards and stages each turn."""
    units = {RESOURCES[START[board]]: 1}
    either: list[list[str]] = []
    any_: list[list[str]] = []
    for gift in (part for number in numbers for part in GIVES[number].split(" + ")):
        amount, kinds = gift[0] if gift[0].isdigit() else "1", gift.split(" ")[-1].split("/")
        if kinds[0] not in RESOURCES:
            continue
        if len(kinds) == 1:
            units[kinds[0]] = units.get(kinds[0], 0) + int(amount)
        else:
            (any_ if len(kinds) in (NUM_RAW, NUM_GOODS) else either).append(kinds)
    return Resources({kind: units[kind] for kind in RESOURCES if kind in units}, either, any_)


# --- The hand -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Coins(Structure):
    """Coins to the left, to the right, to the bank, and the total."""

    left: int
    right: int
    bank: int
    total: int


@dataclass(frozen=True)
class Way(Structure):
    """One of several ways to pay."""

    action: str
    left: int
    right: int
    bank: int
    total: int


@dataclass(frozen=True)
class Choice(Structure):
    """An action, or None if it is not legal now."""

    action: str | None


@dataclass(frozen=True)
class Offer(Structure):
    """The option to build a card, or the next stage with it: its status, its price, and why it is not possible.

    `chain` is free by an earlier card; with `built` all stages are built, `lacking` are resources that neither the city
    nor a neighbour has, with `coins` there are too few.
    """

    status: Literal["free", "chain", "price", "built", "lacking", "coins"]
    price: Coins | None
    why: Message | None  # reason that it is not possible
    action: str | None  # None if it is not legal


@dataclass(frozen=True)
class OfferWithWays(Offer):
    """An offer with several ways to pay."""

    ways: list[Way]  # where `trade="choose"` leaves a choice of payments


@dataclass(frozen=True)
class Card(Structure):
    """A card, its cost and its effect."""

    card: str
    colour: str
    cost: Message
    gives: Message


@dataclass(frozen=True)
class HandCard(Card):
    """A card in hand, and its possible uses."""

    build: Offer | OfferWithWays  # the card
    wonder: Offer | OfferWithWays  # the next stage with it
    free: Choice | None  # the card by one's wonder
    sell: Choice  # the card


@dataclass(frozen=True)
class RevivedCard(Card):
    """A card of the discard pile that can be built now."""

    action: str


Legal = dict[tuple[int, int], list[Action]]
"""The legal actions by kind and card, those with the cheapest payment first."""


def held(s: Fields, seat: int, seats: int) -> Row:
    """Return the cards in a seat's hand."""
    if s.turn < 0:
        return ()
    row = row_held(seat, seats, s.age, s.round)
    gone = s.round if s.fate[s.age][row][s.round] == st.HELD else s.round + 1
    return s.cards[s.age][row][gone:]


def _hand(view: View, legal: Legal) -> list[HandCard]:
    s: Fields = view.fields
    cards = held(s, view.seat, view.game.seats)
    if not cards:
        return []
    stage = _option(view, st.WONDER, cards[0])  # the same for every card put under it
    free, built = s.free[view.seat], s.built[view.seat]
    return [
        HandCard(
            *_card(card),
            build=_offer(view, legal, st.BUILD, card, _option(view, st.BUILD, card)),
            wonder=_offer(view, legal, st.WONDER, card, stage),
            free=_choice(legal, st.FREE, card) if free and CARDS[card] not in built else None,
            sell=_choice(legal, st.SELL, card),
        )
        for card in cards
    ]


@cache
def _card(card: int) -> tuple[str, str, Message, Message]:
    return CARDS[card], COLOURS[COLOUR[card]], cost(card).as_json(), gives(card).as_json()


def _option(view: View, kind: int, card: int) -> tuple[Any, Coins | None, Message | None]:
    """Return the status of a card or stage, its price, and why it cannot be built."""
    found, price = status(view, kind, card)
    why = why_not(view, kind, card, found, price)
    found = "built" if found == "all stages" else found
    return found, _coins(*price) if price else None, why.as_json() if why else None


@cache
def _coins(left: int, right: int, bank: int) -> Coins:
    return Coins(left, right, bank, left + right + bank)


def _offer(view: View, legal: Legal, kind: int, card: int, option: tuple[Any, Coins | None, Message | None]) -> Offer:
    actions = legal.get((kind, card), [])
    if len(actions) < 2:
        return Offer(*option, str(actions[0]) if actions else None)
    paid = [_coins(*calls.price(view.pool, view.seat, way.number)) for way in actions]
    ways = [
        Way(str(way), each.left, each.right, each.bank, each.total) for way, each in zip(actions, paid, strict=True)
    ]
    return OfferWithWays(*option, str(actions[0]), ways)


def _choice(legal: Legal, kind: int, card: int) -> Choice:
    actions = legal.get((kind, card))
    return _choice_of(str(actions[0]) if actions else None)


_choice_of = cache(Choice)


# --- The table ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class WondersTable(Structure):
    """Every city, and the possible uses of each card of one's own hand."""

    age: int  # 1 to 3
    round: int  # turn of the age, from 1
    phase: Phase  # `play`, `revival` (a card of the discard pile is built) or `seventh` (Babylon plays its last card)
    direction: Literal["left", "right"]  # where hands go
    chosen: list[bool]  # seats that have chosen in this turn
    cities: list[City]  # by seat
    left: int | None  # the neighbour
    right: int | None  # the neighbour
    choice: str | None  # one's own choice until it is shown
    hand: list[HandCard]  # own cards, also off turn
    revive: list[RevivedCard]  # cards of the discard pile that may be built now


def table(view: View) -> WondersTable:
    """Return the table of a view."""
    s: Fields = view.fields
    seats, seat, is_seat = view.game.seats, view.seat, view.seat != NOBODY
    legal: Legal = {}
    for action in view.legal:
        legal.setdefault((kind_of(action.number), card_of(action.number)), []).append(action)
    chosen = s.commit[seat] if is_seat else st.NONE
    return WondersTable(
        age=s.age + 1,
        round=min(s.round + 1, HAND),
        phase=s.phase,
        direction="left" if PASS[s.age] == 1 else "right",
        chosen=[s.phase == "play" and each < s.turn for each in range(seats)],
        cities=[city(view, each) for each in range(seats)],
        left=left_seat(seat, seats) if is_seat else None,
        right=right_seat(seat, seats) if is_seat else None,
        choice=None if chosen == st.NONE else ACTIONS[unsplit(chosen)],
        hand=_hand(view, legal) if is_seat else [],
        revive=[RevivedCard(*_card(card), str(legal[kind, card][0])) for kind, card in legal if kind == st.REVIVE],
    )
