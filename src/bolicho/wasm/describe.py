"""Descriptions as JSON: all that JavaScript needs to make the views of a game, and to seat a player."""

import base64
from typing import Any, get_type_hints

from bolicho.agents.player import Compiled
from bolicho.errors import BadInput
from bolicho.games import small_game
from bolicho.games.game import Game
from bolicho.games.kind import Kind
from bolicho.wasm.pack import Packed

GENERIC = "generic"


def describe_game(game: Game) -> dict[str, Any]:
    """Return the description of a game: its record, enumerations and tables (docs/wasm.md)."""
    reading = reading_of(game.kind)
    told = game.describe()
    fields = game.kind.fields
    return {
        **told,
        "reading": reading,
        "num_actions": game.num_actions,
        "event_rows": game.event_rows,
        "record": {
            **told["record"],
            "blank": base64.b64encode(game.blank_bytes).decode(),
            "shown": list(get_type_hints(fields)) if fields else None,
        },
        "facts": game.kind.facts(),
    }


def reading_of(kind: Kind) -> str:
    """Return the module of `javascript/views` that reads a game; raise if its views exist in Python alone."""
    if kind.page:
        return kind.page
    written = [
        name
        for name, usual in (
            ("data", small_game.seen), ("said", small_game.plain_entry), ("name_action", small_game.plain_action)
        )
        if getattr(kind, name) is not usual
    ]  # fmt: skip
    if kind.texts is None or kind.entry.__module__ != small_game.__name__:
        written.append("action_text or entry")
    if written:
        raise BadInput(
            f"a page cannot show {kind.name} without a server: its {', '.join(written)} is written in Python; "
            "declare `fields` and `texts` instead (docs/wasm.md)"
        )
    return GENERIC


def describe_player(agent: Compiled, game: Game, packed: Packed) -> dict[str, Any]:
    """Return the description of a player: its slots, those that hold addresses of arrays, and sizes."""
    return {
        "slots": base64.b64encode(packed.slots).decode(),
        "addresses": packed.addresses,
        "memory": agent.memory.itemsize,
        "record": game.record_size,
        "actions": game.num_actions,
    }
