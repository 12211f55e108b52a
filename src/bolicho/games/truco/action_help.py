"""Help for Truco at the table: what is in force, the effect of each legal action, and why another is not legal."""

import numpy as np

from bolicho.games.game import View
from bolicho.games.kind import Remark
from bolicho.games.truco import kernel as k
from bolicho.games.truco.compiled import calls
from bolicho.games.truco.rules import CALLS, CARDS
from bolicho.games.truco.state import ACTIONS, NUMBERS
from bolicho.games.truco.text import NAMES, TrucoView, name_played, read_action
from bolicho.i18n import Message, Refused

STRONGEST = int(k.STRENGTH.max())


def action_help(view: View) -> list[Remark]:
    """Return remarks on the position, and the effect of each legal action."""
    assert isinstance(view, TrucoView)
    return [("", said) for said in _in_force(view)] + [(str(a), _does(view, a.number)) for a in view.legal]


def _in_force(view: TrucoView) -> list[Message]:
    s = view.fields
    worth = Message("truco.moment.hand", worth=view.worth)
    if s.rule_hands == 0:
        worth = Message("truco.moment.match", worth=view.worth, target=s.target)
    if s.pending and s.turn == view.seat:
        return [worth, Message("truco.moment.asked", call=_asked(view))]
    if s.raiser is not None and s.called < 3:
        return [worth, Message(f"truco.moment.{'you raise' if s.raiser == view.seat else 'other raises'}")]
    return [worth]


def asked(s: np.void) -> str:
    """Return the call that awaits an answer, or an empty text."""
    return ("", CALLS[max(0, int(s["called"]) - 1)], "envido", "flor")[int(s["pending"])]


def _asked(view: TrucoView) -> Message:
    """Return the name of the call that awaits an answer."""
    return NAMES[asked(view.state)]


def _does(view: TrucoView, number: int) -> Message:
    """Return the effect of an action."""
    if number < k.FACE_DOWN:
        return _card(view, number)
    if number < k.TRUCO:
        return Message("truco.does.face down")
    if number == k.BARALHO:
        return Message("truco.does.fold", worth=view.worth)
    if number in (k.QUERO, k.NAO):
        return _answer(view, number == k.QUERO)
    return _call(view, number)


def _card(view: TrucoView, card: int) -> Message:
    """Return the effect of a face-up card in this round."""
    theirs = view.fields.played[1 - view.seat][view.fields.round]
    mine = int(k.STRENGTH[card])
    if theirs is None:
        return Message("truco.does.lead", strength=mine, strongest=STRONGEST)
    beaten = int(k.STRENGTH[NUMBERS.get(theirs, k.UNSEEN)])
    does = "win" if mine > beaten else "tie" if mine == beaten else "lose"
    return Message(f"truco.does.{does}", theirs=name_played(theirs))


def _answer(view: TrucoView, accepts: bool) -> Message:
    """Return the effect of accepting or refusing the pending call."""
    bet = view.fields.pending
    accepted, refused = (int(points) for points in calls.standing_bet(view.pool))
    if not accepts:
        return Message(f"truco.does.{'refuse truco' if bet == 'truco' else 'refuse bet'}", refused=refused)
    if bet == "truco":
        return Message("truco.does.accept truco", accepted=accepted)
    if bet == "envido":
        return Message("truco.does.accept envido", accepted=accepted, envido=view.envido)
    return Message("truco.does.accept flor", accepted=accepted)


def _call(view: TrucoView, call: int) -> Message:
    """Return the effect of a bet or a raise."""
    s = view.state
    if call <= k.VALE4:
        called = call - k.TRUCO + 1
        raises = "reraise" if view.fields.pending == "truco" else "raise"
        return Message(f"truco.does.{raises}", worth=called, accepted=called + 1, refused=called)
    if call <= k.FALTA:
        accepted, refused = (int(points) for points in k.envido_bet(s, call - k.ENVIDO))
        return Message("truco.does.envido bet", accepted=accepted, refused=refused, envido=view.envido)
    contra = call == k.CONTRAFLOR or view.fields.flor_by[0] is not None
    accepted, refused = (int(points) for points in k.flor_bet(s, contra, call == k.RESTO))
    if call == k.FLOR:
        return Message("truco.does.flor", accepted=accepted)
    return Message("truco.does.flor bet", accepted=accepted, refused=refused)


def refusal(view: View, typed: str) -> Message:
    """Return why the typed text is not a legal action."""
    assert isinstance(view, TrucoView)
    try:
        number = read_action(view.state, typed.casefold())
    except Refused as problem:
        return problem.said
    why = _why_not(view, number)
    match why:
        case "asked":
            return Message("truco.refused.asked", call=_asked(view))
        case "no such card":
            return Message("truco.refused.no such card", card=NAMES[CARDS[number % k.FACE_DOWN]])
        case "next raise":
            return Message("truco.refused.next raise", next=NAMES[_next_raise(view)])
        case _:
            return Message(f"truco.refused.{why}")


def _why_not(view: TrucoView, number: int) -> str:
    s = view.fields
    if k.TRUCO <= number <= k.VALE4:
        if s.called >= 3:
            return "last raise"
        if s.raiser == 1 - view.seat and not s.pending:
            return "not yours"
        return "asked" if ACTIONS[number] == _next_raise(view) else "next raise"
    if number in (k.QUERO, k.NAO):
        return "nothing asked"
    if k.FLOR <= number <= k.RESTO:
        return "no flor"
    if s.pending:
        return "asked"
    if number < k.TRUCO:
        if CARDS[number % k.FACE_DOWN] not in view.cards:
            return "no such card"
        return "first round" if view.game.rules.face_down else "face up"
    return "no envido"


def _next_raise(view: TrucoView) -> str:
    return CALLS[min(view.fields.called, 2)]
