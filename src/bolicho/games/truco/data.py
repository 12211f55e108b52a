"""A view of Truco as JSON: the part `table` (docs/views.md)."""

from functools import cache, lru_cache
from typing import Any

import numpy as np

from bolicho.games.fields import Fields
from bolicho.games.game import NOBODY, View
from bolicho.games.kernel import CHOSE
from bolicho.games.truco import kernel as k
from bolicho.games.truco.compiled.hand import TIE
from bolicho.games.truco.rules import CALLS, CARDS
from bolicho.games.truco.text import ACTIONS, REASONS, card_name

_read = Fields(
    k.STATE,
    ("target", "hand_number", "mao", "round", "level", "raiser", "dealt", "hands", "played", "winners", "pending",
     "called", "truco_by", "envido_by", "envido_last", "flor_by", "turn"),
)  # fmt: skip
_CARDS = {k.NONE: None, k.UNSEEN: card_name(k.UNSEEN), **dict(enumerate(ACTIONS[: k.TRUCO]))}
_WINNERS = {k.NONE: None, 0: 0, 1: 1, TIE: "tie"}
_ENVIDOS, _FLORS = CALLS[3:6], CALLS[7:9]


def data(view: View) -> dict[str, Any]:
    """The match, the hand that is played and what everybody said in it, and the hand before."""
    s: dict[str, Any] = _read(view.pool)
    seat, played = view.seat, (s["played"][:3], s["played"][3:])
    own = slice(3 * seat, 3 * seat + 3) if seat != NOBODY else slice(0)
    dealt = s["dealt"][own]
    rows = view.rows
    deals = (rows[:, 0] == k.DEALT).nonzero()[0][-2:].tolist()
    now = rows[deals[-1] :] if deals else rows
    cards = [[_CARDS[card] for card in cards if card != k.NONE] for cards in played]
    last = None
    if s["turn"] < 0:
        last = {**_hand(now.tobytes()), "hand": s["hand_number"] + 1, "mao": s["mao"], "played": cards}
    elif len(deals) > 1:
        last = _hand(rows[deals[0] : deals[1]].tobytes())
    return {
        "target": s["target"],
        "hand": s["hand_number"] + 1,
        "mao": s["mao"],
        "round": s["round"] + 1,
        "worth": s["level"] + 1,
        "raiser": s["raiser"] if s["raiser"] != k.NONE else None,
        "pending": _pending(view, s) if s["pending"] else None,
        "cards": [CARDS[card] for card in s["hands"][own] if card >= 0],
        "dealt": [CARDS[card] for card in dealt],
        "counts": [3 - len(cards[0]), 3 - len(cards[1])],
        "played": cards,
        "winners": [_WINNERS[winner] for winner in s["winners"]],
        "envido": _envido(*dealt) if dealt else None,
        "calls": _calls(now.tolist()),
        "last": last,
    }


@cache
def _envido(*cards: int) -> int:
    return int(k.envido_value(*cards))


def _pending(view: View, s: dict[str, Any]) -> dict[str, Any]:
    """The call that awaits an answer; the mão's flor cannot be refused."""
    accepted, refused = k.standing_bet(view.state)
    if s["pending"] == k.TRUCO_BET:
        call, by = CALLS[s["called"] - 1], s["truco_by"][s["called"] - 1]
    elif s["pending"] == k.ENVIDO_BET:
        call, by = _highest(_ENVIDOS, s["envido_by"]), s["envido_last"]
    elif s["flor_by"] == (k.NONE, k.NONE):
        return {"call": "flor", "by": s["mao"], "accepted": int(accepted), "refused": None}
    else:
        call = _highest(_FLORS, s["flor_by"])
        by = s["flor_by"][_FLORS.index(call)]
    return {"call": call, "by": by, "accepted": int(accepted), "refused": int(refused)}


def _highest(calls: tuple[str, ...], by: tuple[int, ...]) -> str:
    """The highest of the calls that somebody made."""
    return next(call for call, seat in zip(reversed(calls), reversed(by), strict=True) if seat != k.NONE)


def _calls(rows: list[list[int]]) -> list[dict[str, Any]]:
    """What was said in a hand, oldest first."""
    calls = []
    for kind, seat, value, _ in rows:
        if kind == CHOSE and value >= k.TRUCO:
            calls.append({"seat": seat, "call": ACTIONS[value]})
        elif kind == k.FLOR_SAID:
            calls.append({"seat": seat, "call": "flor"})
    return calls


@lru_cache(maxsize=1 << 10)
def _hand(log: bytes) -> dict[str, Any]:
    """A whole hand by what was seen of it: of a card played face down, also one's own, that it was.

    All views of the next hand show it, so it is kept.
    """
    rows = np.frombuffer(log, np.int16).reshape(-1, 4).tolist()
    hand: dict[str, Any] = {"hand": 1, "mao": 0, "played": [[], []], "winners": [None] * 3, "calls": _calls(rows)}
    points, shown = [], []
    for kind, seat, value, extra in rows:
        if kind == CHOSE and value < k.TRUCO:
            hand["played"][seat].append(_CARDS[value])
        elif kind == k.DEALT:
            hand["hand"], hand["mao"] = value + 1, seat
        elif kind == k.ROUND:
            hand["winners"][value] = seat if seat >= 0 else "tie"
        elif kind == k.POINTS:
            points.append({"seat": seat, "points": value, "for": REASONS[extra]})
        elif kind in (k.ENVIDO_SHOWN, k.FLOR_SHOWN):
            shown.append({"seat": seat, "envido" if kind == k.ENVIDO_SHOWN else "flor": value})
    return {**hand, "points": points, "shown": shown}
