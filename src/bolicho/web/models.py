"""Response models of the HTTP interface; they document replies, and do not check them.

Tables are described by the structures of the games themselves (`games/*/state.py`).
"""

from functools import reduce
from operator import or_
from typing import Any, Literal, get_type_hints

from pydantic import BaseModel, ConfigDict, with_config

from bolicho.games import BUILT_IN, kind
from bolicho.games.fields import Structure, structures

Message = tuple[str, dict[str, Any]]
"""Key of a sentence in the catalogues, and its values."""


def _tables() -> Any:
    """Return the union of the tables of all built-in games, with their JSON keys, and any JSON for other games."""
    found: list[type[Structure]] = []
    for name in BUILT_IN:
        table = get_type_hints(kind(name).data)["return"]
        if isinstance(table, type) and issubclass(table, Structure) and table not in found:
            found.append(table)
    config = ConfigDict(extra="forbid", alias_generator=lambda name: name.removesuffix("_"))
    for part in {part for table in found for part in structures(table)}:
        with_config(config)(part)
    return reduce(or_, [*found, dict[str, Any]])


TableShown: Any = _tables()


class Shown(BaseModel):
    """Part of a response."""

    model_config = ConfigDict(extra="forbid")


class LegalShown(Shown):
    """Legal action: its text, and its name for people."""

    action: str
    says: Message


class ViewShown(Shown):
    """View of a seat, or of the public (docs/views.md)."""

    game: str
    rules: dict[str, bool | int | str]
    seat: int | None
    turn: int | None
    over: bool
    scores: list[int]
    ply: int | None
    legal: list[LegalShown]
    log_from: int
    log: list[dict[str, Any]]
    table: TableShown


class PlayerShown(Shown):
    """Player at a seat; `agent` is its spec, or only whether it is an agent if the match hides names."""

    name: str
    agent: str | bool | None
    taken: bool
    here: bool


class ClockShown(Shown):
    """Seconds left for each seat, and the seat whose clock runs."""

    left: list[float]
    running: int | None


class MatchShown(Shown):
    """Match from one audience's view: the current view, and those of the plies since the last reply."""

    is_: Literal["view"]
    ply: int
    view: ViewShown | None
    frames: list[ViewShown]
    players: list[PlayerShown]
    state: Literal["waiting", "playing", "over", "void"]
    result: dict[str, Any] | None
    clock: ClockShown | None
    claim: dict[str, Any] | None
    reveal: dict[str, Any] = {}
    challenge: dict[str, Any] = {}

    model_config = ConfigDict(extra="forbid", alias_generator=lambda name: name.removesuffix("_"))


MATCH: dict[int | str, dict[str, Any]] = {200: {"description": "The match as this seat sees it.", "model": MatchShown}}
