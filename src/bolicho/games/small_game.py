"""What a small game need not write: a record from its fields, actions from their texts, a drawing of what is seen."""

import html
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bolicho.errors import BadInput
from bolicho.i18n import Message, Seat, plain

if TYPE_CHECKING:
    from bolicho.games.game import View

Entry = dict[str, Any]
"""One event of a game in words and numbers: {"event": "points", "seat": 0, ...}."""

MACHINERY = ("seed", "turn", "events", "num_events")
"""The fields every record has (`games.kernel`), which are no part of what lies on a table."""


# --- Records ------------------------------------------------------------------------------------


def state(*fields: tuple[Any, ...], events: int = 1) -> np.dtype[np.void]:
    """The type of a record: a game's own fields as for `np.dtype`, and those that every record has.

    `events` is the most that one action may note, forced moves included.
    """
    shared = [("seed", "u8"), ("turn", "i1"), ("num_events", "i1"), ("events", "i2", (events, 4))]
    return np.dtype([*fields, *shared], align=True)


def blank_of(state: np.dtype[np.void]) -> Callable[[Any], NDArray[np.void]]:
    """How a pool of one blank record is made: each rule in the field `rule_` and its name, where there is one."""

    def blank(rules: Any) -> NDArray[np.void]:
        pool = np.zeros(1, state)
        for name in state.names or ():
            if name.startswith("rule_"):
                pool[name] = getattr(rules, name.removeprefix("rule_"))
        pool["turn"] = -1
        return pool

    return blank


@dataclass(frozen=True)
class NoRules:
    """Nothing may vary."""


# --- Texts --------------------------------------------------------------------------------------


def from_texts(name: str, texts: tuple[str, ...]) -> dict[str, Any]:
    """What follows where actions have fixed texts: how many there are, how they are written, read and logged."""

    def read_action(state: np.void, text: str) -> int:
        if text not in texts:
            raise BadInput(f"it is none of {', '.join(texts)}")
        return texts.index(text)

    def entry(row: NDArray[np.int16]) -> Entry:
        kind, seat, value, extra = map(int, row)
        if kind == 0:
            return {"event": "chose", "seat": seat, "action": texts[value]}
        return {"event": f"{name} {kind}", "seat": seat, "value": value, "extra": extra}

    return {
        "num_actions": lambda rules: len(texts),
        "action_text": lambda state, number: texts[number],
        "read_action": read_action,
        "entry": entry,
    }


def nothing_to_set_up(rules: Any, pool: NDArray[np.void], setup: Mapping[str, Any]) -> None:
    """No position can be given by hand."""
    raise BadInput("this game has nothing to set up; deal it from a seed")


def plain_entry(entry: Entry) -> Message:
    """An entry of a game that has no words of its own: who, and what is written there."""
    what = str(entry.get("action") or entry["event"])
    return Message("terminal.does", who=Seat(entry["seat"]), what=what) if "seat" in entry else plain(what)


def plain_action(state: np.void, action: str) -> Message:
    """An action by its text, where a game has no other name for it."""
    return plain(str(action))


# --- What is seen -------------------------------------------------------------------------------


def no_fields(pool: NDArray[np.void]) -> Any:
    """Refuse to read a record of which no fields are declared."""
    raise BadInput("this game declares no fields; read the record itself, view.state")


def seen(view: "View") -> dict[str, Any]:
    """What a view shows, field by field; what is hidden is wiped there as in the record."""
    names = view.pool.dtype.names or ()
    return {name: view.state[name].tolist() for name in names if name not in MACHINERY and not name.startswith("rule_")}


def in_lines(view: "View") -> list[str]:
    """What a view shows, a line a field; of a record without fields of its own, the scores."""
    lines = [f"{name} {json.dumps(value)}" for name, value in seen(view).items()]
    return lines or [", ".join(map(str, view.scores))]


LINE, LETTER = 18, 8  # of a drawing, in pixels


def drawn(view: "View") -> str:
    """The lines of a view's text as a drawing."""
    lines = str(view).splitlines()
    width, height = LETTER * max(map(len, lines), default=0) + 2 * LINE, LINE * (len(lines) + 1)
    texts = "".join(
        f'<text x="{LINE}" y="{LINE * i}" xml:space="preserve">{html.escape(line)}</text>'
        for i, line in enumerate(lines, 1)
    )
    title = html.escape(view.game.kind.title)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'font-family="monospace" font-size="13" role="img"><title>{title}</title>{texts}</svg>'
    )
