"""Texts of Truco: actions, setups and events in both directions, and the view for a terminal."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bolicho.errors import BadInput, unknown
from bolicho.games.game import View
from bolicho.games.kind import Pool
from bolicho.games.small_game import Entry
from bolicho.games.truco import kernel as k
from bolicho.games.truco.rules import CALLS, CARDS, Rules
from bolicho.games.truco.state import ACTIONS, CARD, NUMBERS, REASONS, Fields, TrucoTable
from bolicho.i18n import Catalogue, Fact, Message, Refused, Seat, Several, columns


def action_text(state: np.void, number: int) -> str:
    """Return the text of an action, the same in every position."""
    return ACTIONS[number]


def read_action(state: np.void, text: str) -> int:
    """Return the number of an action written as in `ACTIONS`."""
    if text not in NUMBERS:
        raise Refused(Message("truco.refused.unknown", calls=Several(CALLS, ",")))
    return NUMBERS[text]


FIGURES = {10: "sota", 11: "cavalo", 12: "rei"}
"""Names of the cards without a number, by the number of their text."""


def _card(card: str) -> Message:
    number = int(card[:-1])
    rank = Message(f"truco.figure.{FIGURES[number]}") if number in FIGURES else number
    return Message("truco.card", number=rank, suit=Message(f"truco.suit.{card[-1]}"))


NAMES = {
    **{card: _card(card) for card in CARDS},
    **{f"virada {card}": Message("truco.virada", card=_card(card)) for card in CARDS},
    **{call: Message(f"truco.action.{call}") for call in CALLS},
}
"""Names of actions, for people."""

_UNSEEN = Message("truco.virada.unseen")


def name_played(card: str) -> Message:
    """Return the name of a card on the table, or of a call; `virada` alone is an unseen card."""
    return NAMES.get(card, _UNSEEN)


def name_action(state: np.void, action: str) -> Message:
    """Return the name of an action, for people, the same in every position."""
    return NAMES[action]


# --- Setups -------------------------------------------------------------------------------------


def read_setup(rules: Rules, pool: Pool, setup: Mapping[str, Any]) -> None:
    """Deal a given hand: {"mao": 0, "hands": [[three cards], [three cards]], "scores": [0, 0]}."""
    for key in setup:
        if key not in ("mao", "hands", "scores"):
            raise unknown("key of a truco setup", key, ("mao", "hands", "scores"))
    mao, scores = setup.get("mao", 0), setup.get("scores", [0, 0])
    if type(mao) is not int or mao not in (0, 1):
        raise BadInput(f"setup: mao must be seat 0 or 1, not {mao!r}")
    if not (isinstance(scores, list | tuple) and len(scores) == 2 and all(type(x) is int for x in scores)):
        raise BadInput(f"setup: scores must be two whole numbers, not {scores!r}")
    for seat, points in enumerate(scores):
        if not 0 <= points < rules.target:
            raise BadInput(f"setup: seat {seat} has {points} points; possible are 0 to {rules.target - 1}")
    s = pool[0]
    s["mao"] = mao
    s["scores"] = s["start"] = scores
    s["dealt"] = _read_hands(setup.get("hands"))
    k.open_setup(pool)


def _read_hands(hands: Any) -> list[list[int]]:
    if not (isinstance(hands, list | tuple) and len(hands) == 2):
        raise BadInput("setup: hands must be two lists of three cards")
    seen: set[str] = set()
    for seat, hand in enumerate(hands):
        if not isinstance(hand, list | tuple) or len(hand) != 3:
            raise BadInput(f"setup: seat {seat} must hold three cards, not {hand!r}")
        for card in hand:
            if card not in CARDS:
                raise BadInput(f"setup: seat {seat} holds {card!r}, which is not a card (write them like 1e, 7o, 12p)")
            if card in seen:
                raise BadInput(f"setup: the card {card} is dealt twice")
            seen.add(card)
    return [[NUMBERS[card] for card in hand] for hand in hands]


# --- Events -------------------------------------------------------------------------------------


def entry(row: NDArray[np.int16]) -> Entry:
    """Return an event of the state record as a dictionary."""
    kind, seat, value, extra = (int(x) for x in row)
    match kind:
        case k.DEALT:
            return {"event": "dealt", "mao": seat, "hand": value}
        case k.ROUND:
            return {"event": "round", "winner": seat if seat >= 0 else None, "round": value + 1}
        case k.POINTS:
            return {"event": "points", "seat": seat, "points": value, "for": REASONS[extra]}
        case k.FLOR_SAID:
            return {"event": "flor", "seat": seat}
        case k.ENVIDO_SHOWN:
            return {"event": "shown", "seat": seat, "envido": value}
        case k.FLOR_SHOWN:
            return {"event": "shown", "seat": seat, "flor": value}
        case _:
            return {"event": "chose", "seat": seat, "action": CARD.of.get(value) or ACTIONS[value], "round": extra + 1}


def said(entry: Entry) -> Message:
    """Return the message of an event."""
    match entry["event"]:
        case "dealt":
            return Message("truco.dealt", hand=entry["hand"] + 1, who=Seat(entry["mao"]))
        case "round" if entry["winner"] is None:
            return Message("truco.round.tied", round=entry["round"])
        case "round":
            return Message("truco.round.won", round=entry["round"], who=Seat(entry["winner"]))
        case "points":
            return Message(f"truco.points.{entry['for']}", who=Seat(entry["seat"]), points=entry["points"])
        case "flor":
            return Message("truco.flor", who=Seat(entry["seat"]))
        case "shown":
            what = "envido" if "envido" in entry else "flor"
            return Message(f"truco.shown.{what}", who=Seat(entry["seat"]), points=entry[what])
        case _:
            action = entry["action"]
            what = "call" if action in CALLS else "card"
            return Message(f"truco.chose.{what}", who=Seat(entry["seat"]), action=name_played(action))


def result(state: np.void) -> Entry:
    """Return the game-specific part of a result: the target, and the current hand and round."""
    return {"target": int(state["target"]), "hand": int(state["hand_number"]) + 1, "mao": int(state["mao"])}


# --- The view -----------------------------------------------------------------------------------


class TrucoView(View):
    """A seat's view of Truco: its cards, the cards on the table, the calls."""

    __slots__ = ()
    fields: Fields
    table: TrucoTable

    @property
    def cards(self) -> list[str]:
        """Cards still in hand."""
        return self.table.cards

    @property
    def dealt(self) -> list[str]:
        """The three cards dealt to this seat."""
        return self.table.dealt

    def played(self, seat: int) -> list[str]:
        """Return the cards that a seat has played in this hand, by round."""
        return self.table.played[seat]

    @property
    def mao(self) -> int:
        """Seat that leads the first round."""
        return self.fields.mao

    @property
    def round(self) -> int:
        """Number of the round: 1, 2 or 3."""
        return self.fields.round + 1

    @property
    def worth(self) -> int:
        """Current worth of the hand: 1 to 4."""
        return self.fields.level + 1

    @property
    def calls(self) -> list[str]:
        """Calls and answers of this hand, oldest first, as "seat call"."""
        return [f"{made.seat} {made.call}" for made in self.table.calls]

    @property
    def envido(self) -> int:
        """Envido points of this seat's cards: 0 to 7 or 20 to 33."""
        assert self.table.envido is not None  # only spectators have none
        return self.table.envido

    def strength(self, action: str) -> int:
        """Return the rank of an action by strength: cards from 1 (fours) to 14 (1e), then all others.

        Actions other than face-up cards rank above the cards, the most cautious first, so that the
        minimum is the weakest card or the most cautious answer.
        """
        number = NUMBERS[action]
        if number < k.FACE_DOWN:
            return int(k.STRENGTH[number])
        return 15 + (_TIMID.index(action) if action in _TIMID else len(_TIMID))

    def text(self, words: Catalogue) -> str:
        """Return the hand as text, as this seat sees it."""
        shown, me = self.table, self.seat

        def say(key: str, **facts: Fact) -> str:
            return words.say(Message(key, **facts))

        names = [say("truco.view.you" if seat == me else "truco.view.other") for seat in range(2)]
        rows = [
            (names[1 - me], " ".join(shown.played[1 - me]) or "-"),
            (names[me], " ".join(shown.played[me]) or "-"),
            (say("truco.view.hand"), say("truco.view.cards", cards=" ".join(shown.cards) or "-", envido=self.envido)),
        ]
        if shown.calls:
            calls = [say("truco.view.call", who=names[made.seat], call=NAMES[made.call]) for made in shown.calls]
            rows.append((say("truco.view.said"), ", ".join(calls)))
        head = Message(
            "truco.view",
            hand=shown.hand,
            round=shown.round,
            worth=shown.worth,
            place=Message("truco.view.mao" if shown.mao == me else "truco.view.pe"),
            mine=self.fields.scores[me],
            theirs=self.fields.scores[1 - me],
            target=shown.target,
        )
        return "\n".join([words.say(head), *columns(rows)])


_TIMID = ("nao", "flor", "baralho", "quero", *CALLS[:6], *CALLS[7:9])
