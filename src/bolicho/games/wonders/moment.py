"""7 Wonders explained at the table: what each card does and costs, and why something cannot be built."""

import re
from collections.abc import Iterator

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
    GIVES,
    GOODS_COST,
    NAME,
    NUM_CARDS,
    NUM_GOODS,
    NUM_RAW,
    RAW_COST,
    RAW_WANTED,
    RESOURCES,
    stage_cost,
)
from bolicho.games.wonders.compiled import calls
from bolicho.games.wonders.compiled.payment import IMPOSSIBLE
from bolicho.games.wonders.rules import SALE
from bolicho.games.wonders.text import ROMAN, Price, find_card
from bolicho.games.wonders.view import WondersView
from bolicho.words import words

_IN_FORCE = {
    st.PLAY: "age {age}, turn {turn} of 6: all choose a card in secret, then the hands go on to the {direction}",
    st.SEVENTH: "age {age}: you play the last card of your hand too",
    st.REVIVAL: "you build one card of the discard pile for nothing",
}
_CARD = "{colour}; gives {gives}; costs {cost}. {status}"
_STAGE = "stage {stage} of {of}, built with any card of the hand; gives {gives}; costs {cost}. {status}"
_POSSIBLE = "You can build it: {price}"
_NOT_POSSIBLE = "Not possible: {why}"
_WHY_NOT = {
    "built": "it stands in your city already",
    "all stages": "all stages of your wonder are built",
    "lacking": "you and your neighbours lack {lacking}",
    "coins": "it takes {total} coins ({price}), and you have {coins}",
}
_FREE = "any card of the hand for nothing, once in this age"
_SELL = f"any card of the hand for {SALE} coins"
_REFUSED = {
    "syntax": "an action is one of {kinds} and the name of a card",
    "not held": "{card} is not in your hand",
    "not seen": "{card} is not among the cards of the discard pile that you may build",
    "only revive": "you build a card of the discard pile now: revive and its name",
    "no revival": "cards of the discard pile are built only when a stage of your wonder says so",
    "what": "say what to do with {card}: build, wonder or sell; {about}",
    "no free": "your city cannot build for nothing now",
    "why": "{card}: {why}",
}
_GIVES = {
    "raw trade left": "wood, stone, ore and clay from the left neighbour for 1 coin each",
    "raw trade right": "wood, stone, ore and clay from the right neighbour for 1 coin each",
    "raw trade both": "wood, stone, ore and clay from both neighbours for 1 coin each",
    "goods trade": "glass, papyrus and cloth from both neighbours for 1 coin each",
    "free build": "once an age, a card built for nothing",
    "revive": "a card of the discard pile built for nothing",
    "seventh card": "the last card of each age played instead of discarded",
    "copy guild": "at the end, the points of one guild of a neighbour",
    "wild symbol": "any one science symbol at the end",
}
_COUNTED_IN = {
    "own": "in your city",
    "next": "in the neighbouring cities",
    "own and next": "in your city and the neighbouring ones",
}


# --- What a card does -----------------------------------------------------------------------------


def gives_in_words(number: int) -> str:
    """What a card or stage gives, for people."""
    amounts, per, counted = GIVES[number].partition(" per ")
    parts = [_gift(part) for part in amounts.split(" + ")]
    if not per:
        return " and ".join(parts)
    match = re.fullmatch(r"(.*?) (own and next|own|next)", counted)
    assert match is not None
    what, where = match.groups()
    thing = {"stage": "wonder stage", "defeat": "defeat token"}.get(what, f"{what.replace(', ', ' or ')} card")
    return f"{' and '.join(parts)} for each {thing} {_COUNTED_IN[where]}"


def _gift(part: str) -> str:
    if part in _GIVES:
        return _GIVES[part]
    kinds = part.split(" ")[-1].split("/")
    if kinds[0] in RESOURCES:
        return f"{part if len(kinds) == 1 else ' or '.join(kinds)} each turn"
    return part


def _cost_in_words(number: int) -> str:
    cost = COSTS[number] or "nothing"
    chain = [CARDS[card] for card in CHAIN[number] if card >= 0] if number < NUM_CARDS else []
    return f"{cost} (nothing with {' or '.join(chain)})" if chain else cost


# --- Why something cannot be built ----------------------------------------------------------------


def lacking(view: WondersView, cost: int) -> list[str]:
    """The resources that a seat and its neighbours together cannot give for a cost, as `2 of ore, stone`."""
    s, three = view.state, [view.seat, view.left, view.right]
    subsets = [kinds for kinds in range(1, 1 << NUM_RAW) if kinds & RAW_WANTED[cost] == kinds]
    given = s["raw"][three].sum(axis=0) + s["any_raw"][view.seat]
    lack = {kinds: int(RAW_COST[cost, kinds]) - int(given[kinds]) for kinds in subsets}
    found = []
    if lack and max(lack.values()) > 0:  # by Hall's theorem the most that any kinds lack; see payment.py
        kinds = min((kinds for kinds in lack if lack[kinds] == max(lack.values())), key=int.bit_count)
        found.append(_units(lack[kinds], [r for r in range(NUM_RAW) if kinds >> r & 1]))
    goods = np.maximum(0, GOODS_COST[cost] - s["goods"][three].sum(axis=0))
    units = int(goods.sum()) - int(s["any_goods"][view.seat])
    if units > 0:
        found.append(_units(units, [NUM_RAW + good for good in range(NUM_GOODS) if goods[good]]))
    return found


def _units(number: int, resources: list[int]) -> str:
    names = ", ".join(RESOURCES[resource] for resource in resources)
    return f"{number} {names}" if len(resources) == 1 else f"{number} of {names}"


def why_not(view: WondersView, kind: int, card: int) -> str:
    """Why a card, or the next stage with it, cannot be built; nothing where it can."""
    city = view.city()
    if kind == st.BUILD and CARDS[NAME[card]] in city:
        return _WHY_NOT["built"]
    if kind == st.WONDER and city.stages == city.of:
        return _WHY_NOT["all stages"]
    price = _price(view, kind, card)
    if price.left == IMPOSSIBLE:
        cost = card if kind == st.BUILD else _next_stage(view)
        return _WHY_NOT["lacking"].format(lacking=" and ".join(lacking(view, cost)))
    if price.total > city.coins:
        return _WHY_NOT["coins"].format(total=price.total, price=words("en").say(price.said), coins=city.coins)
    return ""


def _price(view: WondersView, kind: int, card: int) -> Price:
    left, right, bank = calls.price(view.pool, view.seat, action_of(kind, card))
    return Price(int(left), int(right), int(bank))


def _next_stage(view: WondersView) -> int:
    s, seat = view.state, view.seat
    return stage_cost(int(s["board"][seat]), int(s["stages"][seat]))


# --- The moment -----------------------------------------------------------------------------------


def moment(view: View) -> list[Remark]:
    """What is in force, every card of the hand, and what may be done with it."""
    assert isinstance(view, WondersView)
    facts = {"age": ROMAN[view.age - 1], "turn": view.round, "direction": "right" if view.age == 2 else "left"}
    phase = int(view.state["phase"])
    remarks = [("", _IN_FORCE[phase].format(**facts))]
    if phase == st.REVIVAL:
        seen = [card_of(action.number) for action in view.legal]
        return remarks + [(f"revive {CARDS[card]}", _card(card, "")) for card in seen]
    held = [find_card(name, view.age - 1) for name in dict.fromkeys(view.hand)]
    if not held:
        return remarks
    remarks += [(CARDS[card], _card(card, _status(view, st.BUILD, card))) for card in held]
    remarks.append(("wonder", _stage(view, held[0])))
    if view.state["free"][view.seat]:
        remarks.append(("free", _FREE))
    return [*remarks, ("sell", _SELL)]


def _card(card: int, status: str) -> str:
    colour = COLOURS[COLOUR[card]]
    words = _CARD.format(colour=colour, gives=gives_in_words(card), cost=_cost_in_words(card), status=status)
    return words.rstrip()


def _stage(view: WondersView, card: int) -> str:
    city = view.city()
    if city.stages == city.of:
        return _WHY_NOT["all stages"]
    number = _next_stage(view)
    return _STAGE.format(
        stage=city.stages + 1,
        of=city.of,
        gives=gives_in_words(number),
        cost=_cost_in_words(number),
        status=_status(view, st.WONDER, card),
    )


def _status(view: WondersView, kind: int, card: int) -> str:
    why = why_not(view, kind, card)
    return (
        _NOT_POSSIBLE.format(why=why) if why else _POSSIBLE.format(price=words("en").say(_price(view, kind, card).said))
    )


# --- What cannot be done --------------------------------------------------------------------------


def refusal(view: View, typed: str) -> str:
    """Why what somebody typed is no legal action here."""
    assert isinstance(view, WondersView)
    word, _, rest = typed.casefold().partition(" ")
    word, name = (word, rest) if word in st.KINDS else ("", typed.casefold())
    card = next(_cards_called(view, name), None)
    if card is None:
        return _REFUSED["syntax"].format(kinds=", ".join(st.KINDS))
    facts = {"card": CARDS[card], "kinds": ", ".join(st.KINDS)}
    return _REFUSED[_refused(view, word, card)].format(
        **facts,
        about=_card(card, _status(view, st.BUILD, card)),
        why=why_not(view, st.WONDER if word == "wonder" else st.BUILD, card),
    )


def _refused(view: WondersView, word: str, card: int) -> str:
    """The reason, as a key of `_REFUSED`."""
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
