"""Records: games as text, replayable bit for bit.

A record is one JSON object with `game`, `rules` (only non-default values), `seed` or `setup`,
`players` (optional), `actions`, and `format` unless it is the first format (`bolicho.formats`).
A file holds one record, or many as JSON lines.  Reading is strict; writing is canonical.
"""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from bolicho.errors import BadInput, unknown
from bolicho.files import read_text
from bolicho.formats import RECORD, check_format
from bolicho.games import game
from bolicho.games.game import Game, Table
from bolicho.strict import read_json

KEYS = ("format", "game", "rules", "seed", "setup", "players", "actions")

Record = dict[str, Any]


def write_record(record: Mapping[str, Any]) -> str:
    """Return the record as one canonical line of JSON, without a line end."""
    line = json.dumps({key: record[key] for key in KEYS if key in record}, ensure_ascii=False)
    return re.sub(_LINE_ENDS, lambda end: f"\\u{ord(end[0]):04x}", line)


_LINE_ENDS = "[\x85\u2028\u2029]"  # JSON allows these in strings, but some readers split lines at them


def _parse(text: str) -> Record:
    record = read_json(text)
    if not isinstance(record, dict):
        raise BadInput(f"a record is a JSON object with the keys {', '.join(KEYS)}, not {type(record).__name__}")
    return record


def read_records(path: Path | str) -> Iterator[Record]:
    """Yield the records of a file: one JSON object, or one a line."""
    try:
        text = read_text(path)
    except (OSError, UnicodeDecodeError) as problem:
        raise BadInput(f"cannot read {path}: {problem}") from None
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    if not lines:
        raise BadInput(f"{path} is empty; a file holds one record, or one a line")
    try:
        yield _parse(text)
        return
    except BadInput as problem:
        if len(lines) == 1 or not _is_whole(lines[0][1]):
            raise BadInput(f"{path}: {problem}") from None
    for number, line in lines:
        try:
            yield _parse(line)
        except BadInput as problem:
            raise BadInput(f"{path}, line {number}: {problem}") from None


def _is_whole(line: str) -> bool:
    """Return whether a line is valid JSON by itself; if so, the file is JSON lines."""
    try:
        read_json(line)
    except BadInput:
        return False
    return True


def replay(record: Mapping[str, Any], using: Game | None = None) -> Table:
    """Return the table at the end of a record; `BadInput` names the ply of an illegal action.

    `using` gives the game itself if it is not registered.
    """
    table = start(record, using)
    for action in record.get("actions", []):
        table.play(action)
    return table


def start(record: Mapping[str, Any], using: Game | None = None) -> Table:
    """Return the table at the start of a record."""
    check_format(record, RECORD, "the record")
    for key in record:
        if key not in KEYS:
            raise unknown("key of a record", key, KEYS)
    name = record.get("game")
    if not isinstance(name, str):
        raise BadInput('a record names its game: {"game": "truco", ...}')
    if ("seed" in record) == ("setup" in record):
        raise BadInput("a record has either a seed or a setup")
    actions, players = record.get("actions", []), record.get("players")
    if not isinstance(actions, list) or not all(isinstance(action, str) for action in actions):
        raise BadInput(f"the actions of a record are a list of texts, not {actions!r}")
    rules = record.get("rules", {})
    if not isinstance(rules, dict):
        raise BadInput(f"the rules of a record are an object of options, not {rules!r}")
    chosen = using or game(name, **rules)
    if "seed" in record:
        table = chosen.deal(record["seed"])
    elif isinstance(record["setup"], dict):
        table = chosen.setup(**record["setup"])
    else:
        raise BadInput(f"a setup is a JSON object, not {record['setup']!r}")
    if players is not None:
        if not isinstance(players, list) or not all(isinstance(name, str) for name in players):
            raise BadInput(f"the players of a record are a list of names, not {players!r}")
        if len(players) != chosen.seats:
            raise BadInput(f"{name} has {chosen.seats} seats here, and the record names {len(players)} players")
        table.players = players
    return table
