"""Truco explained at the table: what is in force, what each legal action would do, why another is not legal."""

from typing import Any

from bolicho.errors import BadInput
from bolicho.games.game import Remark, View
from bolicho.games.truco import kernel as k
from bolicho.games.truco.rules import CALLS, CARDS
from bolicho.games.truco.text import ACTIONS, TrucoView, card_name, read_action

STRONGEST = int(k.STRENGTH.max())

_IN_FORCE = {
    "match": "the hand is worth {worth} to who wins it; {target} points win the match",
    "hand": "the hand is worth {worth} to who wins it",
    "asked": "the other called {call}: answer it before anything else",
    "you raise": "only you may raise the hand further",
    "other raises": "only the other may raise the hand further",
}
_DOES = {
    "lead": "leads this round; its strength is {strength} of {strongest}",
    "win": "wins this round against {theirs}",
    "tie": "ties this round with {theirs}",
    "lose": "loses this round to {theirs}",
    "face down": "is played face down: it beats nothing, and nobody else learns what it was",
    "raise": "raises the hand from {worth} to {accepted}; if the other refuses, you score {refused}",
    "reraise": "accepts {worth} and raises to {accepted}; if the other refuses, you score {refused}",
    "envido bet": "{accepted} points to the higher envido (you: {envido}); if the other refuses, you score {refused}",
    "flor": "{accepted} points to the higher flor",
    "flor bet": "{accepted} points to the higher flor; if the other refuses, you score {refused}",
    "accept truco": "accepts: the hand is worth {accepted}, and only you may raise it further",
    "accept envido": "accepts: {accepted} points to the higher envido (you: {envido})",
    "accept flor": "accepts: {accepted} points to the higher flor",
    "refuse truco": "refuses: the hand is over, and the other scores {refused}",
    "refuse bet": "refuses: the other scores {refused}, and the hand goes on",
    "fold": "gives the hand up: the other scores {worth}",
}
_REFUSED = {
    "asked": "the other called {call}: answer it first",
    "nothing asked": "the other has called nothing that awaits an answer",
    "no such card": "you do not hold {card}",
    "first round": "a card may be played face down from the second round on",
    "face up": "cards are played face up here (rule face_down=false)",
    "last raise": "the hand is worth 4: vale4 was the last raise",
    "next raise": "the next raise is {next}",
    "not yours": "only who accepted the last call may raise, and that was the other",
    "no envido": "an envido is opened once a hand, in the first round, before your first card and any truco or flor",
    "no flor": "a flor announces itself, and is answered only when both have one",
}


def moment(view: View) -> list[Remark]:
    """What is in force, and what each legal action would do."""
    assert isinstance(view, TrucoView)
    s, facts = view.state, _facts(view)
    lines = [_IN_FORCE["match" if s["rule_hands"] == 0 else "hand"]]
    if s["pending"] and s["turn"] == view.seat:
        lines.append(_IN_FORCE["asked"])
    elif s["raiser"] != k.NONE and s["called"] < 3:
        lines.append(_IN_FORCE["you raise" if s["raiser"] == view.seat else "other raises"])
    remarks = [("", line.format(**facts)) for line in lines]
    for action in view.legal:
        name, more = _does(view, action.number)
        remarks.append((str(action), _DOES[name].format(**{**facts, **more})))
    return remarks


def _facts(view: TrucoView) -> dict[str, Any]:
    s = view.state
    return {
        "worth": view.worth,
        "target": int(s["target"]),
        "envido": view.envido,
        "call": ("", CALLS[max(0, int(s["called"]) - 1)], "envido", "flor")[int(s["pending"])],
    }


def _does(view: TrucoView, number: int) -> tuple[str, dict[str, Any]]:
    """The template for an action, and what it needs."""
    if number < k.FACE_DOWN:
        return _card(view, number)
    if number < k.TRUCO:
        return "face down", {}
    if number == k.QUERO:
        return ("", "accept truco", "accept envido", "accept flor")[int(view.state["pending"])], _standing_bet(view)
    if number == k.NAO:
        return "refuse truco" if view.state["pending"] == k.TRUCO_BET else "refuse bet", _standing_bet(view)
    if number == k.BARALHO:
        return "fold", {}
    return _call(view, number)


def _card(view: TrucoView, card: int) -> tuple[str, dict[str, Any]]:
    """What a card played face up does in this round."""
    s = view.state
    theirs = int(s["played"][1 - view.seat, int(s["round"])])
    mine = int(k.STRENGTH[card])
    if theirs == k.NONE:
        return "lead", {"strength": mine, "strongest": STRONGEST}
    beaten = int(k.strength(theirs))
    return "win" if mine > beaten else "tie" if mine == beaten else "lose", {"theirs": card_name(theirs)}


def _call(view: TrucoView, call: int) -> tuple[str, dict[str, Any]]:
    """What a bet, or a raise of one, makes of it."""
    s = view.state
    if call <= k.VALE4:
        called = call - k.TRUCO + 1
        return "reraise" if s["pending"] == k.TRUCO_BET else "raise", {"worth": called, **_bet(called + 1, called)}
    if call <= k.FALTA:
        return "envido bet", _bet(*k.envido_bet(s, call - k.ENVIDO))
    contra = call == k.CONTRAFLOR or s["flor_by"][0] != k.NONE
    return "flor" if call == k.FLOR else "flor bet", _bet(*k.flor_bet(s, contra, call == k.RESTO))


def _standing_bet(view: TrucoView) -> dict[str, int]:
    """What the call that awaits an answer is worth."""
    return _bet(*k.standing_bet(view.state))


def _bet(accepted: int, refused: int) -> dict[str, int]:
    """The points of a bet if it is accepted, and those of its caller if it is refused."""
    return {"accepted": int(accepted), "refused": int(refused)}


def refusal(view: View, typed: str) -> str:
    """Why what somebody typed is no legal action here."""
    assert isinstance(view, TrucoView)
    try:
        number = read_action(view.state, typed.casefold())
    except BadInput as problem:
        return str(problem)
    more = {"card": CARDS[number % k.FACE_DOWN] if number < k.TRUCO else "", "next": _next_raise(view)}
    return _REFUSED[_why_not(view, number)].format(**_facts(view), **more)


def _why_not(view: TrucoView, number: int) -> str:
    s = view.state
    if k.TRUCO <= number <= k.VALE4:
        if s["called"] >= 3:
            return "last raise"
        if s["raiser"] == 1 - view.seat and not s["pending"]:
            return "not yours"
        return "asked" if ACTIONS[number] == _next_raise(view) else "next raise"
    if number in (k.QUERO, k.NAO):
        return "nothing asked"
    if k.FLOR <= number <= k.RESTO:
        return "no flor"
    if s["pending"]:
        return "asked"
    if number < k.TRUCO:
        if CARDS[number % k.FACE_DOWN] not in view.cards:
            return "no such card"
        return "first round" if s["face_down"] else "face up"
    return "no envido"


def _next_raise(view: TrucoView) -> str:
    return CALLS[min(int(view.state["called"]), 2)]
