"""Dominoes explained at the table: what is in force, what each legal tile would do, why another is not legal."""

from bolicho.errors import BadInput
from bolicho.games.dominoes import kernel as k
from bolicho.games.dominoes.rules import HALVES, SIDES, TILES
from bolicho.games.dominoes.text import DominoesView, read_action
from bolicho.games.game import Action, Remark, View

_IN_FORCE = {
    "lead": "you must open with {lead}",
    "open": "you open, with any tile",
    "match": "a tile is played where one of its halves matches an open end",
    "draw": "who has none draws, one at a time, from the {boneyard} tiles of the boneyard, and then passes: "
    "both happen by themselves",
    "fives": "ends that sum to a multiple of {multiple} score their sum; now it is {total}",
    "win": "who is out first scores the pips the other still holds; when nobody can play, who has the lightest tile",
}
_DOES = {
    "open": "opens the line with ends {high} and {low}",
    "place": "goes to the {side}, which is then a {left}",
    "score": "{does}, and scores {points}",
    "out": "{does}: your last tile, you are out",
}
_SIDE_NAMES = dict(zip(SIDES, ("left end", "right end", "upper arm", "lower arm"), strict=True))


def moment(view: View) -> list[Remark]:
    """What is in force, and what each legal action would do."""
    assert isinstance(view, DominoesView)
    return [("", line) for line in _in_force(view)] + [(str(action), _does(view, action)) for action in view.legal]


def _in_force(view: DominoesView) -> list[str]:
    s = view.state
    facts = {
        "lead": TILES[int(s["lead"])],
        "boneyard": view.boneyard,
        "multiple": int(s["multiple"]),
        "total": view.total,
    }
    opening = "lead" if s["lead"] != k.NONE else "open"
    names = [opening if s["num_plays"] == 0 else "match", "draw", *(["fives"] if s["fives"] else []), "win"]
    return [_IN_FORCE[name].format(**facts) for name in names]


def _does(view: DominoesView, action: Action) -> str:
    s = view.state
    tile, side = divmod(int(action), k.NUM_SIDES)
    high, low = HALVES[tile]
    if s["num_plays"] == 0:
        does = _DOES["open"].format(high=high, low=low)
    else:
        left = high + low - int(s["ends"][side])
        does = _DOES["place"].format(side=_SIDE_NAMES[SIDES[side]], left=left)
    points = view.points(action)
    if points:
        does = _DOES["score"].format(does=does, points=points)
    return _DOES["out"].format(does=does) if len(view.hand) == 1 else does


def refusal(view: View, typed: str) -> str:
    """Why what somebody typed is no legal action here."""
    try:
        read_action(view.state, typed.casefold())
    except BadInput as problem:
        return str(problem)
    return ""
