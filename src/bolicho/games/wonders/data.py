"""A view of 7 Wonders as JSON: the part `table` (docs/views.md)."""

from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Any

from bolicho.games.fields import Fields
from bolicho.games.game import NOBODY, Action, View
from bolicho.games.wonders import state as st
from bolicho.games.wonders.actions import card_of, kind_of, unsplit
from bolicho.games.wonders.cards import (
    BOARDS,
    CARDS,
    COLOUR,
    COLOURS,
    GIVES,
    NAME,
    NUM_GOODS,
    NUM_RAW,
    NUM_STAGES,
    RESOURCES,
    START,
    SYMBOLS,
    stage_cost,
)
from bolicho.games.wonders.compiled import calls
from bolicho.games.wonders.compiled.scoring import POINT_KINDS
from bolicho.games.wonders.moment import cost, gives, status, why_not
from bolicho.games.wonders.rules import HAND, MAX_PLAYERS, left_seat, right_seat
from bolicho.games.wonders.text import ACTIONS
from bolicho.games.wonders.view import WondersView

Json = dict[str, Any]
Legal = dict[tuple[int, int], list[Action]]
"""The legal actions by kind and card, those that pay the cheapest way first."""

POSSIBLE = ("chain", "free", "price")
PHASES = ("play", "revival", "seventh")

_read = Fields(
    st.STATE,
    ("built", "coins", "commit", "turn", "age", "round", "phase", "cards", "fate", "board", "stages", "free", "symbols",
     "shields", "victories", "defeats", "price"),
)  # fmt: skip
_WORD = (1 << 64) - 1
_NAMES = NAME.tolist()


def data(view: View) -> Json:
    """Every city, and of one's own hand what can be done with each card."""
    s: Json = _read(view.pool)
    seats, seat, phase = view.game.seats, view.seat, s["phase"]
    s["built"] = [s["built"][2 * i] & _WORD | (s["built"][2 * i + 1] & _WORD) << 64 for i in range(seats)]
    table = {
        "age": s["age"] + 1,
        "round": min(s["round"] + 1, HAND),
        "phase": PHASES[phase],
        "direction": "right" if s["age"] == 1 else "left",
        "chosen": [phase == st.PLAY and each < s["turn"] for each in range(seats)],
        "cities": [_city(view, s, each) for each in range(seats)],
    }
    if seat == NOBODY:
        return {**table, "left": None, "right": None, "choice": None, "hand": [], "revive": []}
    assert isinstance(view, WondersView)
    legal: Legal = {}
    for action in view.legal:
        legal.setdefault((kind_of(action.number), card_of(action.number)), []).append(action)
    chosen = s["commit"][seat]
    return {
        **table,
        "left": left_seat(seat, seats),
        "right": right_seat(seat, seats),
        "choice": None if chosen == st.NONE else ACTIONS[unsplit(chosen)],
        "hand": _hand(view, s, legal),
        "revive": [{**_card(card), "action": str(legal[kind, card][0])} for kind, card in legal if kind == st.REVIVE],
    }


# --- Cities -------------------------------------------------------------------------------------


def _city(view: View, s: Json, seat: int) -> Json:
    symbols, prices = s["symbols"][4 * seat : 4 * seat + 4], s["price"][3 * seat : 3 * seat + 3]
    return {
        "seat": seat,
        **_standing(s["board"][seat], s["stages"][seat], s["built"][seat]),
        "coins": s["coins"][seat],
        "shields": s["shields"][seat],
        "victories": s["victories"][seat],
        "defeats": s["defeats"][seat],
        "symbols": dict(zip(SYMBOLS, symbols, strict=False)),
        "wild": symbols[len(SYMBOLS)],
        "prices": {"left": prices[0], "right": prices[1], "goods": prices[2]},
        "points": dict(zip(POINT_KINDS, calls.points(view.pool, seat), strict=True)),
    }


@lru_cache(maxsize=1 << 12)
def _standing(board: int, stages: int, built: int) -> Json:
    """What stands in a city; seven seats look at each, so it is kept."""
    cards = [card for card in range(len(CARDS)) if built >> card & 1]
    by_colour: dict[str, list[str]] = {colour: [] for colour in COLOURS}
    for card in cards:
        by_colour[COLOURS[COLOUR[card]]].append(CARDS[card])
    return {
        "board": BOARDS[board],
        "start": RESOURCES[START[board]],
        "stages": stages,
        "of": int(NUM_STAGES[board]),
        "steps": [_words(stage_cost(board, stage)) for stage in range(NUM_STAGES[board])],
        "cards": by_colour,
        "resources": _resources(board, [*cards, *(stage_cost(board, stage) for stage in range(stages))]),
    }


def _resources(board: int, numbers: list[int]) -> Json:
    """What a board with these cards and stages produces each turn.

    `units` of one kind, and units that are `either` of some, both for sale; units of `any` kind of some, not for sale.
    """
    units = {RESOURCES[START[board]]: 1}
    found: dict[str, list[list[str]]] = {"either": [], "any": []}
    for gift in (part for number in numbers for part in GIVES[number].split(" + ")):
        amount, kinds = gift[0] if gift[0].isdigit() else "1", gift.split(" ")[-1].split("/")
        if kinds[0] not in RESOURCES:
            continue
        if len(kinds) == 1:
            units[kinds[0]] = units.get(kinds[0], 0) + int(amount)
        else:
            found["any" if len(kinds) in (NUM_RAW, NUM_GOODS) else "either"].append(kinds)
    return {"units": {kind: units[kind] for kind in RESOURCES if kind in units}, **found}


@cache
def _words(number: int) -> Json:
    """What a card or stage costs and gives."""
    return {
        "cost": cost(number).as_json(),
        "gives": gives(number).as_json(),
    }


@cache
def _card(card: int) -> Json:
    return {"card": CARDS[card], "colour": COLOURS[COLOUR[card]], **_words(card)}


# --- The hand -----------------------------------------------------------------------------------


def _hand(view: WondersView, s: Json, legal: Legal) -> list[Json]:
    cards = _held(s, view.seat, view.game.seats)
    if not cards:
        return []
    seat = view.seat
    built = s["built"][seat]
    stage = _option(view, st.WONDER, cards[0])  # the same whatever card is put under it
    hand = []
    for card in cards:
        stands = built >> _NAMES[card] & 1
        hand.append(
            {
                **_card(card),
                "build": {**_option(view, st.BUILD, card), **_actions(view, legal, st.BUILD, card)},
                "wonder": {**stage, **_actions(view, legal, st.WONDER, card)},
                "free": _actions(view, legal, st.FREE, card) if s["free"][seat] and not stands else None,
                "sell": _actions(view, legal, st.SELL, card),
            }
        )
    return hand


def _held(s: Json, seat: int, seats: int) -> tuple[int, ...]:
    """The cards a seat holds."""
    if s["turn"] < 0:
        return ()
    age, turn = s["age"], s["round"]
    passed = min(turn, HAND - 2)
    row = (seat + (passed if age == 1 else -passed)) % seats
    first = (age * MAX_PLAYERS + row) * HAND
    gone = turn if s["fate"][first + turn] == st.HELD else turn + 1
    cards: tuple[int, ...] = s["cards"][first + gone : first + HAND]
    return cards


def _option(view: WondersView, kind: int, card: int) -> Json:
    """Whether a card, or the next stage with it, can be built, for what price, and why not."""
    found, price = status(view, kind, card)
    why = None if found in POSSIBLE else why_not(view, kind, card)
    return {
        "status": "built" if found == "all stages" else found,
        "price": price and _price(price),
        "why": why and why.as_json(),
    }


def _price(paid: Sequence[int]) -> Json:
    left, right, bank = paid
    return {"left": left, "right": right, "bank": bank, "total": left + right + bank}


def _actions(view: WondersView, legal: Legal, kind: int, card: int) -> Json:
    """The action, where it is legal now; and where there are several ways to pay, each of them."""
    actions = legal.get((kind, card), [])
    if len(actions) < 2:
        return {"action": str(actions[0]) if actions else None}
    ways = [{"action": str(way), **_price(calls.price(view.pool, view.seat, way.number))} for way in actions]
    return {"action": str(actions[0]), "ways": ways}
