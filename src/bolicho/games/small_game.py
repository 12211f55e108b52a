"""Defaults for small games: a record from its fields, actions from their texts, a drawing of a view."""

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
"""One event of a game as JSON: {"event": "points", "seat": 0, ...}."""

MACHINERY = ("seed", "turn", "events", "num_events")
"""Fields of every record (`games.kernel`) that are not part of the table."""


# --- Records ------------------------------------------------------------------------------------


def state(*fields: tuple[Any, ...], events: int = 1) -> np.dtype[np.void]:
    """Return a record type: a game's own fields as for `np.dtype`, and those of every record.

    `events` is the maximum number of events of one action, forced moves included.
    """
    shared = [("seed", "u8"), ("turn", "i1"), ("num_events", "i1"), ("events", "i2", (events, 4))]
    return np.dtype([*fields, *shared], align=True)


def blank_of(state: np.dtype[np.void]) -> Callable[[Any], NDArray[np.void]]:
    """Return a function that makes a blank record; it copies each rule into the field `rule_NAME`, if any."""

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
    """Rules of a game without options."""


# --- Texts --------------------------------------------------------------------------------------


def from_texts(name: str, texts: tuple[str, ...]) -> dict[str, Any]:
    """Return the fields of a `Kind` that follow from fixed texts: number, text, parser and events of actions."""

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
    """Raise: this game has no setups."""
    raise BadInput("this game has nothing to set up; deal it from a seed")


def plain_entry(entry: Entry) -> Message:
    """Return the message of an entry in a game without its own messages: the seat and the text of the entry."""
    what = str(entry.get("action") or entry["event"])
    return Message("terminal.does", who=Seat(entry["seat"]), what=what) if "seat" in entry else plain(what)


def plain_action(state: np.void, action: str) -> Message:
    """Return the text of an action as its name, for games without other names."""
    return plain(str(action))


# --- Views --------------------------------------------------------------------------------------


def no_fields(pool: NDArray[np.void]) -> Any:
    """Raise: this game declares no fields to read."""
    raise BadInput("this game declares no fields; read the record itself, view.state")


def seen(view: "View") -> dict[str, Any]:
    """Return the declared fields of a view, or all of them as numbers; hidden ones are wiped as in the record."""
    if view.game.kind.fields is not None:
        return {name: _lists(value) for name, value in view.fields._asdict().items()}
    names = view.pool.dtype.names or ()
    return {name: view.state[name].tolist() for name in names if name not in MACHINERY and not name.startswith("rule_")}


def _lists(value: Any) -> Any:
    """Return nested tuples as lists, as JSON has them."""
    return [_lists(each) for each in value] if isinstance(value, tuple) else value


def in_lines(view: "View") -> list[str]:
    """Return a view as text, one line for each field; for a record without its own fields, the scores."""
    lines = [f"{name} {json.dumps(value)}" for name, value in seen(view).items()]
    return lines or [", ".join(map(str, view.scores))]


LINE, LETTER = 18, 8  # line height and letter width of a drawing, in pixels


def drawn(view: "View") -> str:
    """Return the text of a view as a drawing."""
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
