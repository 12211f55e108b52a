"""Why: the cells considered, v, d, p, the minimum and the draw, in a sentence and as facts."""

from typing import Any

import numpy as np

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
from bolicho.games.game import View
from bolicho.games.truco import kernel as k
from bolicho.games.truco.rules import CARDS

ROLES = ("calling", "answering")
NO_BOUND = 99


def explain(view: View, mind: MindPool, options: Options) -> Explanation:
    """What the last decision of this mind, at this view, rested on."""
    trace = mind["trace"][0]
    rows = trace[: int(trace[-1, 0])]
    questions = [
        _card(view, mind, options, row) if row[0] == layout.ASK_CARD else _question(view, mind, options, row)
        for row in rows
    ]
    if questions:
        sentence = "; ".join(question["sentence"] for question in questions)
    else:
        sentence = "the last card is played as it is"
    return Explanation(sentence, {"questions": questions, "options": options.facts()})


def considered(view: View, mind: MindPool, mode: str) -> tuple[str, list[str]]:
    """One's own state in a mode and the opponent's states still possible, by name."""
    dealt = [int(card) for card in view.state["dealt"][view.seat]]
    played = view.state["played"][1 - view.seat]
    marks = np.zeros(NUM_TRUCO, np.int8)
    if mode == "truco":
        possible.truco_columns(view.state["dealt"][view.seat], played, marks)
        return truco_name(truco_state(*dealt)), [truco_name(j) for j in np.flatnonzero(marks).tolist()]
    if mode == "envido":
        possible.envido_columns(played, possible.NOBODY, NO_BOUND, marks)
        state = envido_state(*dealt)
        return envido_name(state) if state >= 0 else "no pair", [envido_name(j) for j in np.flatnonzero(marks).tolist()]
    possible.flor_columns(played, possible.NOBODY, NO_BOUND, marks)
    return flor_name(flor_state(*dealt)), [flor_name(j) for j in np.flatnonzero(marks).tolist()]


def _question(view: View, mind: MindPool, options: Options, row: np.ndarray) -> dict[str, Any]:
    request = int(row[layout.T_REQUEST])
    name = layout.REQUESTS[request]
    mode = "truco" if request < 3 else ("envido" if request < 6 else "flor")
    carried = mode == "truco" and options.rounds and view.state["played"][view.state["mao"], 0] != k.NONE
    own, against = considered(view, mind, mode)
    chance, used, minimum = float(row[layout.T_CHANCE]), float(row[layout.T_USED]), float(row[layout.T_MINIMUM])
    yes = bool(row[layout.T_YES])
    facts: dict[str, Any] = {
        "request": name,
        "role": ROLES[int(row[layout.T_ROLE])],
        "mode": mode,
        "state": own,
        "against": against,
        "cells": int(row[layout.T_CELLS]),
        "v": float(row[layout.T_WON]),
        "d": float(row[layout.T_LOST]),
        "p": chance,
        "used": used,
        "minimum": minimum,
        "draw": float(row[layout.T_DRAW]),
        "yes": yes,
    }
    if carried:
        weighed = f"{own} after what was played"
    elif facts["cells"] == 0:
        weighed = f"{own} cannot win"
    else:
        weighed = f"{own} against {len(against)} possible: v {facts['v']:.6g}, d {facts['d']:.6g}"
    facts["sentence"] = f"{name}? {weighed}, p {used:.2g} {_verdict(used, minimum, facts['draw'], yes, options)}"
    return facts


def _verdict(used: float, minimum: float, draw: float, yes: bool, options: Options) -> str:
    if minimum < 0:
        return "but a no would lose the match: yes"
    if minimum > 1:
        return "but there is nothing left to win by it: no"
    if used <= minimum + 1e-9:
        return f"is not above the minimum {minimum:.2g}: no"
    if not options.roulette:
        return f"is above the minimum {minimum:.2g}: yes"
    return f"is above the minimum {minimum:.2g}, the roulette stops at {draw:.2f}: {'yes' if yes else 'no'}"


def _card(view: View, mind: MindPool, options: Options, row: np.ndarray) -> dict[str, Any]:
    weights = [float(row[i]) for i in (layout.T_WON, layout.T_LOST, layout.T_CHANCE)]
    level = int(row[layout.T_YES])
    levels = np.zeros(3, np.int8)
    possible.by_level(view.state["dealt"][view.seat], levels)
    cards = [CARDS[card] for card in levels]
    mine, theirs = np.zeros(6, np.int8), np.zeros(6, np.int8)
    possible.shown_order(levels, view.state["played"][view.seat], mine)
    possible.opponent_orders(mind["block"][0], view.state["played"][1 - view.seat], theirs)
    total = sum(weights) or 1.0
    shares = {name: weight / total for name, weight in zip(LEVELS, weights, strict=True)}
    told = ", ".join(f"{name} {cards[i]} {share:.2g}" for i, (name, share) in enumerate(shares.items()) if share > 0)
    return {
        "request": "card",
        "orders": [order_name(o) for o in np.flatnonzero(mine).tolist()],
        "against": [order_name(o) for o in np.flatnonzero(theirs).tolist()],
        "cells": int(row[layout.T_CELLS]),
        "cards": dict(zip(LEVELS, cards, strict=True)),
        "shares": shares,
        "draw": float(row[layout.T_DRAW]),
        "chosen": cards[level],
        "sentence": f"card: {told}; {'the roulette stops on' if options.roulette else 'best is'} {cards[level]}",
    }
