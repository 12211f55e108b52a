"""Why: the cells considered, v, d, p, the minimum and the draw, in a sentence and as facts."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bolicho.agents.agent import Explanation
from bolicho.agents.markov import layout
from bolicho.agents.markov.compiled import possible
from bolicho.agents.markov.options import MindPool, Options
from bolicho.agents.markov.states import (
    LEVELS,
    NUM_TRUCO,
    envido_name,
    envido_state,
    flor_name,
    flor_state,
    order_name,
    truco_name,
    truco_state,
)
from bolicho.games.game import Action, View
from bolicho.games.truco import kernel as k
from bolicho.games.truco.rules import CARDS

ROLES = ("calling", "answering")
MODE_OF = ("truco",) * 3 + ("envido",) * 3 + ("flor",) * 2
"""The mode of each of `layout.REQUESTS`."""

Row = NDArray[np.float64]


def explain(view: View, action: Action, mind: MindPool, options: Options) -> Explanation:
    """What the last decision of this mind, which chose this action at this view, rested on."""
    trace = mind["trace"][0]
    rows = trace[: int(trace[-1, 0])]
    questions = [
        _card(view, mind, options, row) if row[layout.T_REQUEST] == layout.ASK_CARD else _bet(view, options, row)
        for row in rows
    ]
    sentences = [question["sentence"] for question in questions]
    if int(action) < k.TRUCO and not any(question["request"] == "card" for question in questions):
        sentences.append(f"card: {action}, the last one")
    return Explanation(
        "; ".join(sentences), {"action": str(action), "questions": questions, "options": options.facts()}
    )


def _in_hand(view: View) -> list[str]:
    return [CARDS[card] for card in view.state["hands"][view.seat] if card != k.NONE]


def considered(view: View, mode: str) -> tuple[str, list[str]]:
    """One's own state in a mode and the opponent's states still possible, by name."""
    mine = view.state["dealt"][view.seat]
    played = view.state["played"][1 - view.seat]
    marks = np.zeros(NUM_TRUCO, np.int8)
    dealt = [int(card) for card in mine]
    if mode == "truco":
        possible.truco_columns(mine, played, marks)
        return truco_name(truco_state(*dealt)), _names(marks, truco_name)
    if mode == "envido":
        possible.envido_columns(played, possible.NOBODY, possible.NO_BOUND, marks)
        state = envido_state(*dealt)
        return envido_name(state) if state >= 0 else "no pair", _names(marks, envido_name)
    possible.flor_columns(played, possible.NOBODY, possible.NO_BOUND, marks)
    return flor_name(flor_state(*dealt)), _names(marks, flor_name)


def _names(marks: NDArray[np.int8], name: Any) -> list[str]:
    return [name(number) for number in np.flatnonzero(marks).tolist()]


# --- Bets ---------------------------------------------------------------------------------------


def _bet(view: View, options: Options, row: Row) -> dict[str, Any]:
    request = int(row[layout.T_REQUEST])
    mode = MODE_OF[request]
    state, against = considered(view, mode)
    counted = options.counted and mode != "flor"
    carried = mode == "truco" and options.rounds and view.state["played"][view.state["mao"], 0] != k.NONE
    facts: dict[str, Any] = {
        "request": layout.REQUESTS[request],
        "role": ROLES[int(row[layout.T_ROLE])],
        "mode": mode,
        "state": state,
        "cells": int(row[layout.T_CELLS]),
        "v": float(row[layout.T_WON]),
        "d": float(row[layout.T_LOST]),
        "p": float(row[layout.T_CHANCE]),
        "used": float(row[layout.T_USED]),
        "minimum": float(row[layout.T_MINIMUM]),
        "draw": float(row[layout.T_DRAW]),
        "yes": bool(row[layout.T_ANSWER]),
    }
    if carried or counted:  # the cells are hands the opponent may hold, each as often as it can be dealt
        facts["carried over the rounds"] = bool(carried)
    else:
        facts["against"] = against
    weighed = _weighed(facts, view, carried, counted)
    facts["sentence"] = f"{facts['request']}? {weighed}: {_verdict(facts, options)}"
    return facts


def _weighed(facts: dict[str, Any], view: View, carried: bool, counted: bool) -> str:
    if facts["cells"] == 0:
        return f"{facts['state']} cannot win"
    own = " ".join(_in_hand(view)) if carried else facts["state"]
    if carried:
        own = f"{own} from here on" if own else "what lies on the table"
    what = "hands the other may hold" if carried or counted else "possible ones"
    taken = f" taken as {facts['used']:.1f}" if abs(facts["p"] - facts["used"]) > 1e-9 else ""
    return (
        f"{own} against {facts['cells']:,} {what}, v {facts['v']:,.0f}, d {facts['d']:,.0f}, p {facts['p']:.2f}{taken}"
    )


def _verdict(facts: dict[str, Any], options: Options) -> str:
    used, minimum, draw = facts["used"], facts["minimum"], facts["draw"]
    answer = "yes" if facts["yes"] else "no"
    if minimum == layout.FORCED:
        return "a no would lose the match, yes"
    if minimum == layout.FUTILE:
        return "the hand wins the match as it is, no"
    if used <= minimum + 1e-9:
        return f"not above the minimum {minimum:z.2f}, {answer}"
    if not options.roulette:
        return f"above the minimum {minimum:z.2f}, {answer}"
    return f"above the minimum {minimum:z.2f}, the roulette stops at {draw:.2f}, {answer}"


# --- Cards --------------------------------------------------------------------------------------


def _card(view: View, mind: MindPool, options: Options, row: Row) -> dict[str, Any]:
    levels = np.zeros(3, np.int8)
    possible.by_level(view.state["dealt"][view.seat], levels)
    cards = [CARDS[card] for card in levels]
    weights = [float(row[i]) for i in (layout.T_WON, layout.T_LOST, layout.T_CHANCE)]
    total = sum(weights) or 1.0
    chosen = cards[int(row[layout.T_ANSWER])]
    facts: dict[str, Any] = {
        "request": "card",
        "cells": int(row[layout.T_CELLS]),
        "cards": dict(zip(LEVELS, cards, strict=True)),
        "shares": {name: weight / total for name, weight in zip(LEVELS, weights, strict=True)},
        "draw": float(row[layout.T_DRAW]),
        "chosen": chosen,
    }
    if options.rounds:
        facts["chances"] = dict(zip(_in_hand(view), mind["chances"][0].tolist(), strict=False))
        told = ", ".join(f"{card} wins {chance:.0%}" for card, chance in facts["chances"].items())
    else:
        mine, theirs = np.zeros(6, np.int8), np.zeros(6, np.int8)
        possible.shown_order(levels, view.state["played"][view.seat], mine)
        possible.opponent_orders(mind["block"][0], view.state["played"][1 - view.seat], theirs)
        facts["orders"], facts["against"] = _names(mine, order_name), _names(theirs, order_name)
        told = ", ".join(f"{cards[i]} {share:.0%}" for i, share in enumerate(facts["shares"].values()) if share > 0)
        told += f" (orders {' '.join(facts['orders'])} against {' '.join(facts['against'])})"
    how = f"the roulette stops at {facts['draw']:.2f}" if max(weights) < total else "the best"
    facts["sentence"] = f"card: {told}: {chosen}, {how}"
    return facts
