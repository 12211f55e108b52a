"""Explanations: the considered cells, v, d, p, the minimum and the draw, as a sentence and as facts."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bolicho.agents.agent import Explanation
from bolicho.agents.explanation import bar, bars, chain, listed
from bolicho.agents.markov import layout
from bolicho.agents.markov.compiled import opponent_states
from bolicho.agents.markov.layout import matrix
from bolicho.agents.markov.options import MarkovOptions, PlayerStates
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
from bolicho.games.kind import Action
from bolicho.games.truco import kernel as k
from bolicho.games.truco.rules import CARDS
from bolicho.games.truco.text import NAMES
from bolicho.i18n import Fact, Message, catalogue, plain

ROLES = ("calling", "answering")
MODE_OF = ("truco",) * 3 + ("envido",) * 3 + ("flor",) * 2
"""Mode of each of `layout.REQUESTS`."""

NO_PAIR = "no pair"

_NAMES: dict[str, Callable[[int], str]] = {"truco": truco_name, "envido": envido_name, "flor": flor_name}

Row = NDArray[np.float64]


def explain(view: View, action: Action, mind: PlayerStates, options: MarkovOptions) -> Explanation:
    """Return the explanation of the mind's last decision, which chose this action at this view."""
    trace = mind["trace"][0]
    rows = trace[: int(trace[-1, 0])]
    asked = [
        _card(view, mind, options, row) if row[layout.T_REQUEST] == layout.ASK_CARD else _bet(view, options, row)
        for row in rows
    ]
    questions = [{**facts, "sentence": catalogue("en").say(said)} for facts, said in asked]
    sentences = [said for _, said in asked]
    if int(action) < k.TRUCO and not any(question["request"] == "card" for question in questions):
        sentences.append(Message("agents.markov.last", card=NAMES[str(action)]))
    return Explanation(
        chain(sentences),
        {"action": str(action), "questions": questions, "options": options.facts()},
        picture=picture(view, action, mind, questions),
    )


def _in_hand(view: View) -> list[int]:
    return [int(card) for card in view.state["hands"][view.seat] if card != k.NONE]


def considered(view: View, mode: str) -> tuple[str, list[str]]:
    """Return one's own state in a mode and the opponent's possible states, by name."""
    state, columns = _places(view, mode)
    return _NAMES[mode](state) if state >= 0 else NO_PAIR, [_NAMES[mode](number) for number in columns.tolist()]


def _places(view: View, mode: str) -> tuple[int, NDArray[np.int64]]:
    """Return one's own state and the opponent's possible states by number: a row and columns of a matrix."""
    mine = view.state["dealt"][view.seat]
    played = view.state["played"][1 - view.seat]
    marks = np.zeros(NUM_TRUCO, np.int8)
    dealt = [int(card) for card in mine]
    if mode == "truco":
        opponent_states.truco_columns(mine, played, marks)
        state = truco_state(*dealt)
    elif mode == "envido":
        opponent_states.envido_columns(played, opponent_states.NOBODY, opponent_states.NO_BOUND, marks)
        state = envido_state(*dealt)
    else:
        opponent_states.flor_columns(played, opponent_states.NOBODY, opponent_states.NO_BOUND, marks)
        state = flor_state(*dealt)
    return state, np.flatnonzero(marks)


# --- Bets ---------------------------------------------------------------------------------------


def _bet(view: View, options: MarkovOptions, row: Row) -> tuple[dict[str, Any], Message]:
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
    if carried or counted:  # the cells are hands the opponent may hold, weighted by the number of their deals
        facts["carried over the rounds"] = bool(carried)
    else:
        facts["against"] = against
    return facts, Message(
        "agents.markov.bet",
        request=NAMES[facts["request"]],
        weighed=_weighed(facts, view, carried, counted),
        verdict=_verdict(facts, options),
    )


def _weighed(facts: dict[str, Any], view: View, carried: bool, counted: bool) -> Message:
    state = Message("agents.markov.no_pair") if facts["state"] == NO_PAIR else plain(facts["state"])
    if facts["cells"] == 0:
        return Message("agents.markov.cannot", state=state)
    p, used = facts["p"], facts["used"]
    chance = Message("agents.markov.chance", p=p)
    if abs(p - used) > 1e-9:
        chance = Message("agents.markov.taken", p=p, used=used)
    key = "agents.markov.hands" if carried or counted else "agents.markov.states"
    own = _from_here(view) if carried else state
    return Message(key, own=own, cells=facts["cells"], v=facts["v"], d=facts["d"], chance=chance)


def _from_here(view: View) -> Message:
    cards = [NAMES[CARDS[card]] for card in _in_hand(view)]
    return Message("agents.markov.from_here", cards=listed(cards)) if cards else Message("agents.markov.table")


def _verdict(facts: dict[str, Any], options: MarkovOptions) -> Message:
    used, minimum = facts["used"], facts["minimum"]
    answer = Message("agents.yes" if facts["yes"] else "agents.no")
    if minimum == layout.FORCED:
        return Message("agents.markov.forced")
    if minimum == layout.FUTILE:
        return Message("agents.markov.futile")
    shown = round(minimum, 2) + 0.0  # avoids -0.00
    if used <= minimum + 1e-9:
        return Message("agents.markov.below", minimum=shown, answer=answer)
    if not options.roulette:
        return Message("agents.markov.above", minimum=shown, answer=answer)
    return Message("agents.markov.spun", minimum=shown, draw=facts["draw"], answer=answer)


# --- Cards --------------------------------------------------------------------------------------


def _card(view: View, mind: PlayerStates, options: MarkovOptions, row: Row) -> tuple[dict[str, Any], Message]:
    levels = np.zeros(3, np.int8)
    opponent_states.by_level(view.state["dealt"][view.seat], levels)
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
    told: Fact
    if options.rounds:
        in_hand = [CARDS[card] for card in _in_hand(view)]
        facts["chances"] = dict(zip(in_hand, mind["chances"][0].tolist(), strict=False))
        wins = facts["chances"].items()
        told = listed(Message("agents.markov.wins", card=NAMES[card], chance=chance) for card, chance in wins)
    else:
        mine, theirs = np.zeros(6, np.int8), np.zeros(6, np.int8)
        opponent_states.shown_order(levels, view.state["played"][view.seat], mine)
        opponent_states.opponent_orders(mind["block"][0], view.state["played"][1 - view.seat], theirs)
        facts["orders"], facts["against"] = (
            [order_name(n) for n in np.flatnonzero(each).tolist()] for each in (mine, theirs)
        )
        shares = [(cards[i], share) for i, share in enumerate(facts["shares"].values()) if share > 0]
        told = Message(
            "agents.markov.orders",
            told=listed(Message("agents.markov.share", card=NAMES[card], share=share) for card, share in shares),
            mine=" ".join(facts["orders"]),
            theirs=" ".join(facts["against"]),
        )
    how = Message("agents.markov.stops", draw=facts["draw"]) if max(weights) < total else Message("agents.markov.best")
    return facts, Message("agents.markov.card", told=told, chosen=NAMES[chosen], how=how)


# --- Picture ------------------------------------------------------------------------------------

DRAWN = 24  # maximum number of drawn cells per row: neighbouring states are merged


def picture(
    view: View, action: Action, mind: PlayerStates, questions: Sequence[dict[str, Any]]
) -> dict[str, Any] | None:
    """Return the cards and their shares, where a card was chosen; otherwise the cells behind the bets."""
    if not questions:
        return None
    last = questions[-1]
    if last["request"] == "card":
        weights = last.get("chances") or dict(zip(last["cards"].values(), last["shares"].values(), strict=True))
        shown = [
            bar(NAMES[card], weight, Message("agents.percent", value=weight), card == last["chosen"])
            for card, weight in weights.items()
            if card == last["chosen"] or weight > 0
        ]
        return bars("markov.title.cards", "share", str(action), shown)
    return {
        "kind": "cells",
        "title": Message("agents.markov.title.cells").as_json(),
        "action": str(action),
        "rows": [_row(view, mind, question) for question in questions],
    }


def _row(view: View, mind: PlayerStates, question: dict[str, Any]) -> dict[str, Any]:
    """Return the row of a bet: its cells, from weak to strong, its chance, the minimum, the draw and the answer."""
    return {
        "says": NAMES[question["request"]].as_json(),
        "own": question["state"],
        "cells": _cells(view, mind, question),
        "chance": question["used"],
        "minimum": min(1.0, max(0.0, question["minimum"])),
        "draw": question["draw"],
        "yes": question["yes"],
    }


def _cells(view: View, mind: PlayerStates, question: dict[str, Any]) -> list[dict[str, Any]]:
    """Return victories and defeats of one's own state against the possible others; empty where no row was used."""
    if "against" not in question or question["cells"] == 0:
        return []
    number, columns = _places(view, question["mode"])
    won, lost = (matrix(mind["block"][0], question["mode"], lost=lost)[number] / layout.UNIT for lost in (False, True))
    return [
        _cell(group, won, lost, _NAMES[question["mode"]]) for group in np.array_split(columns, min(DRAWN, len(columns)))
    ]


def _cell(group: NDArray[np.int64], won: Row, lost: Row, name: Callable[[int], str]) -> dict[str, Any]:
    """Return neighbouring states merged into one cell."""
    v, d = float(won[group].sum()), float(lost[group].sum())
    share = v / (v + d) if v + d > 0 else 0.5
    first, last = name(int(group[0])), name(int(group[-1]))
    states = plain(first) if first == last else Message("agents.markov.range", first=first, last=last)
    return {
        "won": v,
        "lost": d,
        "share": share,
        "says": Message("agents.markov.cell", share=share, states=states).as_json(),
    }
