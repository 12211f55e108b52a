"""7 Wonders explained at the table: what each card does and costs, and why something cannot be built."""

import re
from collections.abc import Iterator
from functools import cache

import numpy as np

from bolicho.games.game import Remark, View
from bolicho.games.wonders import state as st
from bolicho.games.wonders.actions import action_of, card_of
from bolicho.games.wonders.cards import (
    CARDS,
    CHAIN,
    COLOUR,
    COLOURS,
    COSTS,
    FREED_BY,
    GIVES,
    GOODS_COST,
    NAME,
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
from bolicho.games.wonders.rules import SALE
from bolicho.games.wonders.text import ROMAN, Price, find_card, name_card
from bolicho.games.wonders.view import WondersView
from bolicho.words import Fact, Said, Several

# --- What a card does -----------------------------------------------------------------------------


@cache
def gives(number: int) -> Said:
    """What a card or stage gives."""
    amounts, per, counted = GIVES[number].partition(" per ")
    gifts = Several([_gift(part) for part in amounts.split(" + ")])
    if not per:
        return Said("wonders.gives", gifts=gifts)
    match = re.fullmatch(r"(.*?) (own and next|own|next)", counted)
    assert match is not None
    what, where = match.groups()
    return Said("wonders.gives.per", gifts=gifts, thing=_counted(what), where=Said(f"wonders.where.{where}"))


def _counted(what: str) -> Said:
    if what in ("stage", "defeat"):
        return Said(f"wonders.counted.{what}")
    colours = [Said(f"wonders.colour.{colour}") for colour in what.split(", ")]
    return Said("wonders.counted.card", colour=Several(colours, "or"))


def _gift(part: str) -> Said:
    """One part of what is given, as it stands in the tables: `2 wood`, `wood/clay`, `3 points`, `gear`, `revive`."""
    if part in SYMBOLS:
        return Said(f"wonders.symbol.{part}")
    kinds = part.split(" ")[-1].split("/")
    if kinds[0] in RESOURCES:
        what = _amount(part) if len(kinds) == 1 else Several([Said(f"wonders.resource.{kind}") for kind in kinds], "or")
        return Said("wonders.gives.makes", what=what)
    return _amount(part) if part[0].isdigit() else Said(f"wonders.gives.{part}")


def _amount(part: str) -> Said:
    """`2 wood`, `wood`, `3 points`."""
    number, _, what = part.rpartition(" ")
    unit = what if what in RESOURCES else what.removesuffix("s")
    return Said(f"wonders.units.{unit}", n=int(number)) if number else Said(f"wonders.resource.{unit}")


@cache
def cost(number: int) -> Said:
    """What a card or stage costs, and what makes it free."""
    paid = Said("wonders.cost.nothing")
    if COSTS[number]:
        paid = Said("wonders.cost", what=Several([_amount(part) for part in COSTS[number].split(", ")], ","))
    chain = [name_card(CARDS[card]) for card in CHAIN[number] if card >= 0] if number < NUM_CARDS else []
    return Said("wonders.cost.chain", cost=paid, cards=Several(chain, "or")) if chain else paid


# --- Why something cannot be built ----------------------------------------------------------------


def lacking(view: WondersView, cost: int) -> list[tuple[int, list[str]]]:
    """How many units of which resources a seat and its neighbours together cannot give for a cost."""
    s, three = view.state, [view.seat, view.left, view.right]
    subsets = [kinds for kinds in range(1, 1 << NUM_RAW) if kinds & RAW_WANTED[cost] == kinds]
    given = s["raw"][three].sum(axis=0) + s["any_raw"][view.seat]
    lack = {kinds: int(RAW_COST[cost, kinds]) - int(given[kinds]) for kinds in subsets}
    found = []
    if lack and max(lack.values()) > 0:  # by Hall's theorem the most that any kinds lack; see payment.py
        kinds = min((kinds for kinds in lack if lack[kinds] == max(lack.values())), key=int.bit_count)
        found.append((lack[kinds], [RESOURCES[r] for r in range(NUM_RAW) if kinds >> r & 1]))
    goods = np.maximum(0, GOODS_COST[cost] - s["goods"][three].sum(axis=0))
    units = int(goods.sum()) - int(s["any_goods"][view.seat])
    if units > 0:
        found.append((units, [RESOURCES[NUM_RAW + good] for good in range(NUM_GOODS) if goods[good]]))
    return found


def _units(number: int, resources: list[str]) -> Said:
    if len(resources) == 1:
        return Said(f"wonders.units.{resources[0]}", n=number)
    names = [Said(f"wonders.resource.{resource}") for resource in resources]
    return Said("wonders.lacking", n=number, resources=Several(names, ","))


def status(view: WondersView, kind: int, card: int) -> tuple[str, Price | None]:
    """How it is with building a card, or the next stage with it; and the price, where there is one.

    It can be built by a `chain`, for `free` or for a `price`; or not, since it is `built`, since `all stages` are, for
    what is `lacking`, or for want of `coins`.
    """
    s, seat = view.state, view.seat
    if kind == st.BUILD:
        built = s["built"][seat]
        if int(built[NAME[card] >> 6]) >> (int(NAME[card]) & 63) & 1:
            return "built", None
        if (built & FREED_BY[card]).any():
            return "chain", Price(0, 0, 0)
    elif s["stages"][seat] == NUM_STAGES[s["board"][seat]]:
        return "all stages", None
    price = price_of(view, kind, card)
    if price.left == IMPOSSIBLE:
        return "lacking", None
    return "coins" if price.total > s["coins"][seat] else "price" if price.total else "free", price


def why_not(view: WondersView, kind: int, card: int) -> Said | None:
    """Why a card, or the next stage with it, cannot be built; nothing where it can."""
    found, price = status(view, kind, card)
    if found in ("built", "all stages"):
        return Said(f"wonders.why.{found}")
    if found == "lacking":
        number = card if kind == st.BUILD else next_stage(view)
        return Said("wonders.why.lacking", lacking=Several([_units(*units) for units in lacking(view, number)]))
    if found == "coins" and price is not None:
        coins = int(view.state["coins"][view.seat])
        return Said("wonders.why.coins", total=price.total, price=price.said, coins=coins)
    return None


def price_of(view: WondersView, kind: int, card: int) -> Price:
    """The cheapest way to pay for a card, or for the next stage, whether or not there are coins for it."""
    left, right, bank = calls.price(view.pool, view.seat, action_of(kind, card))
    return Price(int(left), int(right), int(bank))


def next_stage(view: WondersView) -> int:
    """The number under which the tables keep the stage that comes next."""
    s, seat = view.state, view.seat
    return stage_cost(int(s["board"][seat]), int(s["stages"][seat]))


# --- The moment -----------------------------------------------------------------------------------


def moment(view: View) -> list[Remark]:
    """What is in force, every card of the hand, and what may be done with it."""
    assert isinstance(view, WondersView)
    phase = int(view.state["phase"])
    remarks = [("", _in_force(view, phase))]
    if phase == st.REVIVAL:
        seen = [card_of(action.number) for action in view.legal]
        return remarks + [(f"revive {CARDS[card]}", Said("wonders.does.revive", **_facts(card))) for card in seen]
    held = [find_card(name, view.age - 1) for name in dict.fromkeys(view.hand)]
    if not held:
        return remarks
    remarks += [(CARDS[card], _card(view, card)) for card in held]
    remarks.append(("wonder", _stage(view, held[0])))
    if view.state["free"][view.seat]:
        remarks.append(("free", Said("wonders.does.free")))
    return [*remarks, ("sell", Said("wonders.does.sell", coins=SALE))]


def _in_force(view: WondersView, phase: int) -> Said:
    if phase == st.REVIVAL:
        return Said("wonders.moment.revival")
    age = ROMAN[view.age - 1]
    if phase == st.SEVENTH:
        return Said("wonders.moment.seventh", age=age)
    direction = Said(f"wonders.direction.{'right' if view.age == 2 else 'left'}")
    return Said("wonders.moment.play", age=age, turn=view.round, direction=direction)


def _facts(card: int) -> dict[str, Fact]:
    return {"colour": Said(f"wonders.colour.{COLOURS[COLOUR[card]]}"), "gives": gives(card), "cost": cost(card)}


def _card(view: WondersView, card: int) -> Said:
    return Said("wonders.does.card", **_facts(card), status=_status(view, st.BUILD, card))


def _stage(view: WondersView, card: int) -> Said:
    city = view.city()
    if city.stages == city.of:
        return Said("wonders.why.all stages")
    number = next_stage(view)
    return Said(
        "wonders.does.stage",
        stage=city.stages + 1,
        of=city.of,
        gives=gives(number),
        cost=cost(number),
        status=_status(view, st.WONDER, card),
    )


def _status(view: WondersView, kind: int, card: int) -> Said:
    why = why_not(view, kind, card)
    if why is None:
        return Said("wonders.possible", price=price_of(view, kind, card).said)
    return Said("wonders.not possible", why=why)


# --- What cannot be done --------------------------------------------------------------------------


def refusal(view: View, typed: str) -> Said | None:
    """Why what somebody typed is no legal action here."""
    assert isinstance(view, WondersView)
    word, _, rest = typed.casefold().partition(" ")
    word, name = (word, rest) if word in st.KINDS else ("", typed.casefold())
    card = next(_cards_called(view, name), None)
    if card is None:
        kinds = [Said(f"wonders.kind.{kind}") for kind in st.KINDS]
        return Said("wonders.refused.syntax", kinds=Several(kinds, ","))
    named = name_card(CARDS[card])
    match _refused(view, word, card):
        case "what":
            return Said("wonders.refused.what", card=named, about=_card(view, card))
        case "why":
            why = why_not(view, st.WONDER if word == "wonder" else st.BUILD, card)
            return Said("wonders.refused.why", card=named, why=why) if why else None
        case "not held" | "not seen" as reason:
            return Said(f"wonders.refused.{reason}", card=named)
        case reason:
            return Said(f"wonders.refused.{reason}")


def _refused(view: WondersView, word: str, card: int) -> str:
    """The reason, as the end of a key."""
    if view.state["phase"] == st.REVIVAL:
        return "not seen" if word == "revive" else "only revive"
    if word == "revive":
        return "no revival"
    if CARDS[card] not in view.hand:
        return "not held"
    if word == "":
        return "what"
    return "no free" if word == "free" and not view.state["free"][view.seat] else "why"


def _cards_called(view: WondersView, name: str) -> Iterator[int]:
    """The cards whose name begins so, those of the hand first."""
    if name:
        for known in (view.hand, CARDS):
            for card in known:
                if card.casefold().startswith(name):
                    yield find_card(card, view.age - 1)
