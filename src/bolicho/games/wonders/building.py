"""Costs and effects of cards and stages of 7 Wonders, and reasons why something cannot be built."""

import re
from functools import cache

from bolicho.games.game import View
from bolicho.games.wonders import layout as st
from bolicho.games.wonders.actions import action_of
from bolicho.games.wonders.cards import (
    CARDS,
    CHAIN,
    COSTS,
    GIVES,
    GOODS_COST,
    NUM_CARDS,
    NUM_GOODS,
    NUM_RAW,
    NUM_STAGES,
    RAW_COST,
    RAW_WANTED,
    RESOURCES,
    SYMBOLS,
    stage_cost,
)
from bolicho.games.wonders.compiled import calls
from bolicho.games.wonders.compiled.payment import IMPOSSIBLE
from bolicho.games.wonders.rules import left_seat, right_seat
from bolicho.games.wonders.text import Price, name_card
from bolicho.i18n import Message, Several

FREED_BY = [{CARDS[card] for card in cards if card >= 0} for cards in CHAIN.tolist()]
"""Names of the cards that make each card free."""

_RAW_COST, _GOODS_COST = RAW_COST.tolist(), GOODS_COST.tolist()
_RAW_KINDS = [[kinds for kinds in range(1, 1 << NUM_RAW) if kinds & wanted == kinds] for wanted in RAW_WANTED.tolist()]
"""The sets of raw materials that each cost requires."""

# --- Effects of cards ---------------------------------------------------------------------------


@cache
def gives(number: int) -> Message:
    """Return the effect of a card or stage."""
    amounts, per, counted = GIVES[number].partition(" per ")
    gifts = Several([_gift(part) for part in amounts.split(" + ")])
    if not per:
        return Message("wonders.gives", gifts=gifts)
    match = re.fullmatch(r"(.*?) (own and next|own|next)", counted)
    assert match is not None
    what, where = match.groups()
    return Message("wonders.gives.per", gifts=gifts, thing=_counted(what), where=Message(f"wonders.where.{where}"))


def _counted(what: str) -> Message:
    if what in ("stage", "defeat"):
        return Message(f"wonders.counted.{what}")
    colours = [Message(f"wonders.colour.{colour}") for colour in what.split(", ")]
    return Message("wonders.counted.card", colour=Several(colours, "or"))


def _gift(part: str) -> Message:
    """Return one part of an effect, as in the tables: `2 wood`, `wood/clay`, `3 points`, `gear`, `revive`."""
    if part in SYMBOLS:
        return Message(f"wonders.symbol.{part}")
    kinds = part.split(" ")[-1].split("/")
    if kinds[0] in RESOURCES:
        what = (
            _amount(part) if len(kinds) == 1 else Several([Message(f"wonders.resource.{kind}") for kind in kinds], "or")
        )
        return Message("wonders.gives.makes", what=what)
    return _amount(part) if part[0].isdigit() else Message(f"wonders.gives.{part}")


def _amount(part: str) -> Message:
    """Return an amount such as `2 wood`, `wood`, `3 points`."""
    number, _, what = part.rpartition(" ")
    unit = what if what in RESOURCES else what.removesuffix("s")
    return Message(f"wonders.units.{unit}", n=int(number)) if number else Message(f"wonders.resource.{unit}")


@cache
def cost(number: int) -> Message:
    """Return the cost of a card or stage, and the cards that make it free."""
    paid = Message("wonders.cost.nothing")
    if COSTS[number]:
        paid = Message("wonders.cost", what=Several([_amount(part) for part in COSTS[number].split(", ")], ","))
    chain = [name_card(CARDS[card]) for card in CHAIN[number] if card >= 0] if number < NUM_CARDS else []
    return Message("wonders.cost.chain", cost=paid, cards=Several(chain, "or")) if chain else paid


# --- Reasons against building ---------------------------------------------------------------------


def lacking(view: View, cost: int) -> list[tuple[int, list[str]]]:
    """Return the units of a cost that a seat and its neighbours together cannot provide, with their resources."""
    s, seat, seats = view.fields, view.seat, view.game.seats
    three = (seat, left_seat(seat, seats), right_seat(seat, seats))
    lack = {
        kinds: _RAW_COST[cost][kinds] - s.any_raw[seat] - sum([s.raw[each][kinds] for each in three])
        for kinds in _RAW_KINDS[cost]
    }
    found = []
    if lack and max(lack.values()) > 0:  # by Hall's theorem the largest deficit of any set of kinds; see payment.py
        kinds = min((kinds for kinds in lack if lack[kinds] == max(lack.values())), key=int.bit_count)
        found.append((lack[kinds], [RESOURCES[r] for r in range(NUM_RAW) if kinds >> r & 1]))
    goods = [
        max(0, _GOODS_COST[cost][good] - sum([s.goods[each][good] for each in three])) for good in range(NUM_GOODS)
    ]
    units = sum(goods) - s.any_goods[seat]
    if units > 0:
        found.append((units, [RESOURCES[NUM_RAW + good] for good in range(NUM_GOODS) if goods[good]]))
    return found


@cache
def _units(number: int, *resources: str) -> Message:
    if len(resources) == 1:
        return Message(f"wonders.units.{resources[0]}", n=number)
    names = [Message(f"wonders.resource.{resource}") for resource in resources]
    return Message("wonders.lacking", n=number, resources=Several(names, ","))


def status(view: View, kind: int, card: int) -> tuple[str, Price | None]:
    """Return whether a card, or the next stage with it, can be built, and its price, if any.

    The status is `chain`, `free` or `price` if it can be built; otherwise `built`, `all stages` (all are built),
    `lacking` (resources) or `coins` (too few).
    """
    s, seat = view.fields, view.seat
    if kind == st.BUILD:
        if CARDS[card] in s.built[seat]:
            return "built", None
        if not FREED_BY[card].isdisjoint(s.built[seat]):
            return "chain", Price(0, 0, 0)
    elif s.stages[seat] == NUM_STAGES[s.board[seat]]:
        return "all stages", None
    price = price_of(view, kind, card)
    if price.left == IMPOSSIBLE:
        return "lacking", None
    return "coins" if price.total > s.coins[seat] else "price" if price.total else "free", price


def why_not(view: View, kind: int, card: int, found: str, price: Price | None) -> Message | None:
    """Return the reason for a status that prevents building, or None."""
    if found in ("built", "all stages"):
        return Message(f"wonders.why.{found}")
    if found == "lacking":
        number = card if kind == st.BUILD else next_stage(view)
        return Message(
            "wonders.why.lacking", lacking=Several([_units(units, *of) for units, of in lacking(view, number)])
        )
    if found == "coins" and price is not None:
        coins = view.fields.coins[view.seat]
        return Message("wonders.why.coins", total=price.total, price=price.said, coins=coins)
    return None


def price_of(view: View, kind: int, card: int) -> Price:
    """Return the cheapest price of a card, or of the next stage, whether or not the seat has the coins."""
    return Price(*calls.price(view.pool, view.seat, action_of(kind, card)))


def next_stage(view: View) -> int:
    """Return the number of the next stage in the tables."""
    return stage_cost(view.fields.board[view.seat], view.fields.stages[view.seat])
