"""Texts of 7 Wonders: actions, setups and events in both directions, and the text of a price."""

import re
from collections import Counter
from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bolicho.errors import BadInput, unknown
from bolicho.games.kind import Pool
from bolicho.games.small_game import Entry
from bolicho.games.wonders import layout as st
from bolicho.games.wonders.actions import action_of, card_of, kind_of, left_in, split_of, unsplit
from bolicho.games.wonders.cards import AGE, BOARDS, CARDS, COPIES, FIRST_GUILD, GUILDS
from bolicho.games.wonders.compiled import calls
from bolicho.games.wonders.compiled.scoring import POINT_KINDS
from bolicho.games.wonders.kernel import CHOOSE
from bolicho.games.wonders.rules import HAND, NUM_AGES, Rules
from bolicho.i18n import Message, Seat, Several, plain

ROMAN = ("I", "II", "III")
ACTIONS = tuple(f"{kind} {card}" for kind in st.KINDS for card in CARDS)
_SYNTAX = re.compile(rf"({'|'.join(st.KINDS)}) (.+?)(?: (\d+)/(\d+))?")


class Price(NamedTuple):
    """The coins that an action costs, by recipient."""

    left: int
    right: int
    bank: int

    @property
    def total(self) -> int:
        return self.left + self.right + self.bank

    @property
    def said(self) -> Message:
        """Message with the amounts by recipient, or that the action is free."""
        parts = [Message(f"wonders.price.{who}", coins=coins) for who, coins in self._asdict().items() if coins]
        return Message("wonders.price", parts=Several(parts, ",")) if parts else Message("wonders.price.free")


# --- Actions ------------------------------------------------------------------------------------


def _ways_of(state: np.void, kind: int, card: int) -> list[tuple[int, int]]:
    out = np.zeros((st.MAX_LEFT + 2, 2), np.int64)
    n = calls.ways(np.asarray(state).reshape(1), int(state["turn"]), kind, card, out)
    return [(int(left), int(right)) for left, right in out[:n]]


def _plain_text(number: int) -> str:
    """Return the text of an action without its way of paying."""
    return ACTIONS[number if number < st.SPLIT else unsplit(number)]


def action_text(state: np.void, number: int) -> str:
    """Return the text of an action; with several ways to pay, it has the coins to each side: `build Palace 3/2`."""
    if state["trade"] != CHOOSE or (number < st.SPLIT and kind_of(number) > st.WONDER):
        return _plain_text(number)
    base = unsplit(number)
    ways = _ways_of(state, kind_of(base), card_of(base)) if state["turn"] >= 0 else []
    if len(ways) < 2:
        return ACTIONS[base]
    left = ways[0][0] if number < st.SPLIT else left_in(number)
    right = dict(ways).get(left)  # None: no such way
    return ACTIONS[base] if right is None else f"{ACTIONS[base]} {left}/{right}"


def read_action(state: np.void, text: str) -> int:
    """Return the number of an action; without coins in the text it pays the cheapest way."""
    match = _SYNTAX.fullmatch(text)
    if not match:
        raise BadInput(f"an action is one of {', '.join(st.KINDS)} and the name of a card")
    word, name, left, right = match.groups()
    kind = st.KINDS.index(word)
    card = find_card(name, int(state["age"]) if kind != st.REVIVE else None)
    base = action_of(kind, card)
    if left is None:
        return base
    if state["trade"] != CHOOSE:
        raise BadInput("coins are chosen only when the rules say trade=choose")
    ways = _ways_of(state, kind, card) if kind <= st.WONDER and state["turn"] >= 0 else []
    if (int(left), int(right)) not in ways:
        known = ", ".join(f"{a}/{b}" for a, b in sorted(ways))
        raise BadInput(f"{left}/{right} is no way to pay for it" + (f"; ways: {known}" if ways else ""))
    if (int(left), int(right)) == ways[0]:
        return base
    return split_of(base, int(left))


def name_card(card: str) -> Message:
    """Return the name of a card, for people."""
    return Message(f"wonders.card.{card}")


@cache
def _name(action: str) -> Message:
    """Return the name of an action, for people; also of a kind of action alone, or of a card alone."""
    if action in st.KINDS:
        return Message(f"wonders.kind.{action}")
    match = _SYNTAX.fullmatch(action)
    if not match:
        return name_card(action) if action in CARDS else plain(action)
    kind, card, left, right = match.groups()
    name = Message(f"wonders.action.{kind}", card=name_card(card))
    return Message("wonders.action.paying", action=name, left=int(left), right=int(right)) if left else name


def name_action(state: np.void, action: str) -> Message:
    """Return the name of an action, for people."""
    return _name(action)


def find_card(name: str, age: int | None) -> int:
    """Return the number of a card by name: the one of this age if there are two, otherwise the first."""
    if name not in CARDS:
        raise unknown("card", name, set(CARDS))
    for card, other in enumerate(CARDS):
        if other == name and AGE[card] == age:
            return card
    return CARDS.index(name)


# --- Setups -------------------------------------------------------------------------------------


def read_setup(rules: Rules, pool: Pool, setup: Mapping[str, Any]) -> None:
    """Deal given hands: {"boards": ["Gizah A", ...], "ages": [[hand, ...], [..], [..]]}, seven card names a hand."""
    for key in setup:
        if key not in ("boards", "ages"):
            raise unknown("key of a wonders setup", key, ("boards", "ages"))
    s = pool[0]
    s["board"][: rules.players] = _read_boards(rules, setup.get("boards"))
    ages = setup.get("ages")
    if not isinstance(ages, list | tuple) or len(ages) != NUM_AGES:
        raise BadInput("setup: ages must be three lists of hands")
    for age, hands in enumerate(ages):
        s["cards"][age, : rules.players] = _read_age(rules, age, hands)
    calls.begin(pool)


def _read_boards(rules: Rules, boards: Any) -> list[int]:
    if not isinstance(boards, list | tuple) or len(boards) != rules.players:
        raise BadInput(
            f"setup: boards must be {rules.players} names like 'Gizah A', one for each player, not {boards!r}"
        )
    seen: set[str] = set()
    for board in boards:
        if board not in BOARDS:
            raise unknown("board in the setup", str(board), BOARDS)
        if board[:-2] in seen:
            raise BadInput(f"setup: the wonder {board[:-2]} is dealt twice; each appears once, whichever side")
        if rules.sides != "random" and board[-1] != rules.sides:
            raise BadInput(f"setup: {board} does not show side {rules.sides}, which the rule sides asks for")
        seen.add(board[:-2])
    return [BOARDS.index(board) for board in boards]


def _read_age(rules: Rules, age: int, hands: Any) -> list[list[int]]:
    where = f"setup: age {ROMAN[age]}"
    if not isinstance(hands, list | tuple) or len(hands) != rules.players:
        raise BadInput(f"{where} must have {rules.players} hands, one for each player")
    dealt = []
    for seat, hand in enumerate(hands):
        if not isinstance(hand, list | tuple) or len(hand) != HAND:
            raise BadInput(f"{where}: seat {seat} must hold {HAND} cards, not {hand!r}")
        dealt.append([_read_card(age, where, seat, name) for name in hand])
    _check_deck(rules, age, where, Counter(card for hand in dealt for card in hand))
    return dealt


def _read_card(age: int, where: str, seat: int, name: Any) -> int:
    if not isinstance(name, str) or name not in CARDS:
        raise unknown(f"card of seat {seat} in age {ROMAN[age]} of the setup", str(name), set(CARDS))
    card = find_card(name, age)
    if AGE[card] != age:
        raise BadInput(f"{where}: seat {seat} holds {name}, a card of age {ROMAN[AGE[card]]}")
    return card


def _check_deck(rules: Rules, age: int, where: str, dealt: Counter[int]) -> None:
    """Raise unless the cards of an age are exactly those of the deck for this number of players."""
    deck = f"the deck for {rules.players} players"
    for card, copies in sorted(dealt.items()):
        allowed = int(COPIES[rules.players, card]) if card < FIRST_GUILD else 1
        if copies > allowed:
            raise BadInput(f"{where} has {CARDS[card]} {_times(copies)}; {deck} has it {_times(allowed)}")
    guilds = sum(dealt[guild] for guild in GUILDS)
    if age == NUM_AGES - 1 and guilds != rules.players + 2:
        raise BadInput(f"{where} has {guilds} guilds; {deck} has {rules.players + 2} different ones")


def _times(copies: int) -> str:
    return {0: "not at all", 1: "once", 2: "twice"}.get(copies, f"{copies} times")


# --- Events -------------------------------------------------------------------------------------

_HOW = ("paid", "chain", "free", "revived")


def _card(value: int) -> str | None:
    return CARDS[value] if value >= 0 else None


def entry(row: NDArray[np.int16]) -> Entry:
    """Return an event of the state record as a dictionary; a hidden card or action is None."""
    kind, seat, value, extra = (int(x) for x in row)
    left, right = extra & 15, extra >> 4 & 15
    match kind:
        case st.AGE_BEGINS:
            return {"event": "age", "age": value + 1}
        case st.BUILDS:
            paid = {"left": left, "right": right, "bank": extra >> 9 & 1}
            return {"event": "built", "seat": seat, "card": CARDS[value], "how": _HOW[extra >> 10], **paid}
        case st.RAISES:
            stage = (extra >> 9) + 1
            return {"event": "stage", "seat": seat, "stage": stage, "card": _card(value), "left": left, "right": right}
        case st.SELLS:
            return {"event": "sold", "seat": seat, "card": _card(value)}
        case st.INCOME:
            return {"event": "income", "seat": seat, "coins": value}
        case st.NO_REVIVAL:
            return {"event": "no revival", "seat": seat, "stage": value + 1}
        case st.DISCARDS:
            return {"event": "discarded", "seat": seat, "card": _card(value)}
        case st.WAR:
            return {"event": "war", "seat": seat, "left": value, "right": extra}
        case _:
            action = _plain_text(value) if value >= 0 else None
            return {
                "event": "chose",
                "seat": seat,
                "action": action,
                "age": extra // HAND + 1,
                "turn": extra % HAND + 1,
            }


def said(entry: Entry) -> Message:
    """Return the message of an event."""
    if entry["event"] == "age":
        return Message("wonders.age", age=ROMAN[entry["age"] - 1])
    who = Seat(entry["seat"])
    card = name_card(entry["card"]) if entry.get("card") else Message("wonders.hidden")
    match entry["event"]:
        case "built":
            return _paying(Message(f"wonders.built.{entry['how']}", who=who, card=card), entry)
        case "stage":
            return _paying(Message("wonders.stage", who=who, stage=entry["stage"], card=card), entry)
        case "sold":
            return Message("wonders.sold", who=who, card=card)
        case "income":
            return Message("wonders.income", who=who, coins=entry["coins"])
        case "no revival":
            return Message("wonders.no revival", who=who)
        case "discarded":
            return Message("wonders.discarded", who=who, card=card)
        case "war":
            return Message("wonders.war", who=who, left=f"{entry['left']:+d}", right=f"{entry['right']:+d}")
        case _ if entry["action"] is None:
            return Message("wonders.chosen", who=who)
        case _:
            return Message("wonders.chose", who=who, action=_name(entry["action"]))


def _paying(what: Message, entry: Entry) -> Message:
    price = Price(entry["left"], entry["right"], entry.get("bank", 0))
    return Message("wonders.paying", what=what, price=price.said) if price.total else what


# --- Results ------------------------------------------------------------------------------------


def points_by_kind(pool: Pool, seat: int) -> dict[str, int]:
    """Return the points of a seat as if the game stopped now: military, coins, wonder and so on, and their total."""
    return dict(zip(POINT_KINDS, calls.points(pool, seat), strict=True))


def result(state: np.void) -> Entry:
    """Return the game-specific part of a result: coins, points by kind, and the winners of a finished game."""
    pool, seats = np.asarray(state).reshape(1), range(int(state["players"]))
    over = state["turn"] < 0
    return {
        "coins": state["coins"][: len(seats)].tolist(),
        "points": [points_by_kind(pool, seat) for seat in seats],
        "winners": [seat for seat in seats if over and calls.is_winner(pool, seat)],
    }
