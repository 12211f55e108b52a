"""Help for dominoes at the table: what is in force, the effect of each legal tile, and why another is not legal."""

from bolicho.games.dominoes import kernel as k
from bolicho.games.dominoes.rules import HALVES, SIDES
from bolicho.games.dominoes.text import DominoesView, read_action
from bolicho.games.game import View
from bolicho.games.kind import Action, Remark
from bolicho.i18n import Message, Refused


def action_help(view: View) -> list[Remark]:
    """Return remarks on the position, and the effect of each legal action."""
    assert isinstance(view, DominoesView)
    return [("", said) for said in _in_force(view)] + [(str(action), _does(view, action)) for action in view.legal]


def _in_force(view: DominoesView) -> list[Message]:
    s = view.fields
    if s.num_plays > 0:
        lines = [Message("dominoes.moment.match")]
    elif s.lead is not None:
        lines = [Message("dominoes.moment.lead", lead=s.lead)]
    else:
        lines = [Message("dominoes.moment.open")]
    lines.append(Message("dominoes.moment.draw", boneyard=view.boneyard))
    if s.fives:
        lines.append(Message("dominoes.moment.fives", multiple=s.multiple, total=view.total))
    return [*lines, Message("dominoes.moment.win")]


def _does(view: DominoesView, action: Action) -> Message:
    s = view.fields
    tile, side = divmod(int(action), k.NUM_SIDES)
    high, low = HALVES[tile]
    if s.num_plays == 0:
        does = Message("dominoes.does.open", high=high, low=low)
    else:
        left = high + low - s.ends[side]
        does = Message("dominoes.does.place", side=Message(f"dominoes.side.{SIDES[side]}"), left=left)
    points = view.points(action)
    if points:
        does = Message("dominoes.does.score", does=does, points=points)
    return Message("dominoes.does.out", does=does) if len(view.hand) == 1 else does


def refusal(view: View, typed: str) -> Message | None:
    """Return why the typed text is not a legal action, if it is not."""
    try:
        read_action(view.state, typed.casefold())
    except Refused as problem:
        return problem.said
    return None
