"""A view of Truco as JSON: the part `table` (docs/views.md)."""

from functools import cache, lru_cache
from typing import Any

import numpy as np

from bolicho.games.game import NOBODY, View
from bolicho.games.kernel import CHOSE
from bolicho.games.truco import kernel as k
from bolicho.games.truco.compiled.glance import glance, room
from bolicho.games.truco.compiled.hand import TIE
from bolicho.games.truco.rules import CALLS, CARDS
from bolicho.games.truco.text import ACTIONS, REASONS, card_name

_CARDS = {k.NONE: None, k.UNSEEN: card_name(k.UNSEEN), **dict(enumerate(ACTIONS[: k.TRUCO]))}
_WINNERS = {k.NONE: None, 0: 0, 1: 1, TIE: "tie"}
_CALLED = {k.TRUCO_BET: CALLS[:3], k.ENVIDO_BET: CALLS[3:6], k.FLOR_BET: CALLS[7:9]}


def data(view: View) -> dict[str, Any]:
    """The match, the hand that is played and what everybody said in it, and the hand before."""
    rows, out = view.rows, room()
    glance(view.pool, view.seat, rows, out)
    numbers = out.tolist()
    target, hand, mao, round, worth, raiser, turn, pending, call, by, accepted, refused = numbers[:12]
    hands, dealt, (now, before) = numbers[21:24], numbers[24:27], numbers[27:]
    cards = [
        [_CARDS[card] for card in numbers[12:15] if card != k.NONE],
        [_CARDS[card] for card in numbers[15:18] if card != k.NONE],
    ]
    last = None
    if turn < 0:
        last = {**_hand(rows[now:].tobytes()), "hand": hand, "mao": mao, "played": cards}
    elif before >= 0:
        last = _hand(rows[before:now].tobytes())
    return {
        "target": target,
        "hand": hand,
        "mao": mao,
        "round": round,
        "worth": worth,
        "raiser": raiser if raiser != k.NONE else None,
        "pending": _pending(pending, call, by, accepted, refused, mao) if pending else None,
        "cards": [CARDS[card] for card in hands if card >= 0],
        "dealt": [CARDS[card] for card in dealt if card >= 0],
        "counts": [3 - len(cards[0]), 3 - len(cards[1])],
        "played": cards,
        "winners": [_WINNERS[winner] for winner in numbers[18:21]],
        "envido": _envido(*dealt) if view.seat != NOBODY else None,
        "calls": _calls(rows[max(0, now) :].tolist()),
        "last": last,
    }


@cache
def _envido(*cards: int) -> int:
    return int(k.envido_value(*cards))


def _pending(bet: int, call: int, by: int, accepted: int, refused: int, mao: int) -> dict[str, Any]:
    """The call that awaits an answer; the mão's flor cannot be refused."""
    if call == k.NONE:
        return {"call": "flor", "by": mao, "accepted": accepted, "refused": None}
    return {"call": _CALLED[bet][call], "by": by, "accepted": accepted, "refused": refused}


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
