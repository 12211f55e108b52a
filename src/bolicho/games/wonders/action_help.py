"""Help for 7 Wonders at the table: the effect and cost of each card, and why something cannot be built."""

from collections.abc import Iterator

from bolicho.games.game import View
from bolicho.games.kind import Remark
from bolicho.games.wonders import layout as st
from bolicho.games.wonders.actions import card_of
from bolicho.games.wonders.building import cost, gives, next_stage, price_of, status, why_not
from bolicho.games.wonders.cards import CARDS, COLOUR, COLOURS
from bolicho.games.wonders.rules import SALE
from bolicho.games.wonders.text import ROMAN, find_card, name_card
from bolicho.games.wonders.view import WondersView
from bolicho.i18n import Fact, Message, Several

# --- Current position ---------------------------------------------------------------------------


def action_help(view: View) -> list[Remark]:
    """Return remarks on the turn, every card of the hand, and its possible uses."""
    assert isinstance(view, WondersView)
    remarks = [("", _in_force(view))]
    if view.fields.phase == "revival":
        seen = [card_of(action.number) for action in view.legal]
        return remarks + [(f"revive {CARDS[card]}", Message("wonders.does.revive", **_facts(card))) for card in seen]
    held = [find_card(name, view.age - 1) for name in dict.fromkeys(view.hand)]
    if not held:
        return remarks
    remarks += [(CARDS[card], _card(view, card)) for card in held]
    remarks.append(("wonder", _stage(view, held[0])))
    if view.fields.free[view.seat]:
        remarks.append(("free", Message("wonders.does.free")))
    return [*remarks, ("sell", Message("wonders.does.sell", coins=SALE))]


def _in_force(view: WondersView) -> Message:
    if view.fields.phase == "revival":
        return Message("wonders.moment.revival")
    age = ROMAN[view.age - 1]
    if view.fields.phase == "seventh":
        return Message("wonders.moment.seventh", age=age)
    direction = Message(f"wonders.direction.{view.table.direction}")
    return Message("wonders.moment.play", age=age, turn=view.round, direction=direction)


def _facts(card: int) -> dict[str, Fact]:
    return {"colour": Message(f"wonders.colour.{COLOURS[COLOUR[card]]}"), "gives": gives(card), "cost": cost(card)}


def _card(view: WondersView, card: int) -> Message:
    return Message("wonders.does.card", **_facts(card), status=_status(view, st.BUILD, card))


def _stage(view: WondersView, card: int) -> Message:
    city = view.city()
    if city.stages == city.of:
        return Message("wonders.why.all stages")
    number = next_stage(view)
    return Message(
        "wonders.does.stage",
        stage=city.stages + 1,
        of=city.of,
        gives=gives(number),
        cost=cost(number),
        status=_status(view, st.WONDER, card),
    )


def _status(view: WondersView, kind: int, card: int) -> Message:
    why = why_not(view, kind, card, *status(view, kind, card))
    if why is None:
        return Message("wonders.possible", price=price_of(view, kind, card).said)
    return Message("wonders.not possible", why=why)


# --- Refusals -----------------------------------------------------------------------------------


def refusal(view: View, typed: str) -> Message | None:
    """Return why the typed text is not a legal action."""
    assert isinstance(view, WondersView)
    word, _, rest = typed.casefold().partition(" ")
    word, name = (word, rest) if word in st.KINDS else ("", typed.casefold())
    card = next(_cards_called(view, name), None)
    if card is None:
        kinds = [Message(f"wonders.kind.{kind}") for kind in st.KINDS]
        return Message("wonders.refused.syntax", kinds=Several(kinds, ","))
    named = name_card(CARDS[card])
    match _refused(view, word, card):
        case "what":
            return Message("wonders.refused.what", card=named, about=_card(view, card))
        case "why":
            kind = st.WONDER if word == "wonder" else st.BUILD
            why = why_not(view, kind, card, *status(view, kind, card))
            return Message("wonders.refused.why", card=named, why=why) if why else None
        case "not held" | "not seen" as reason:
            return Message(f"wonders.refused.{reason}", card=named)
        case reason:
            return Message(f"wonders.refused.{reason}")


def _refused(view: WondersView, word: str, card: int) -> str:
    """Return the reason, as the end of a message key."""
    if view.fields.phase == "revival":
        return "not seen" if word == "revive" else "only revive"
    if word == "revive":
        return "no revival"
    if CARDS[card] not in view.hand:
        return "not held"
    if word == "":
        return "what"
    return "no free" if word == "free" and not view.fields.free[view.seat] else "why"


def _cards_called(view: WondersView, name: str) -> Iterator[int]:
    """Yield the cards whose name begins with this text, those of the hand first."""
    if name:
        for known in (view.hand, CARDS):
            for card in known:
                if card.casefold().startswith(name):
                    yield find_card(card, view.age - 1)
