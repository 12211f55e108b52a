"""Cells of the matrix: for every technique and game an agent, or one sentence why there is none."""

from collections.abc import Mapping
from dataclasses import dataclass

from bolicho.agents.registry import default_game, recipe
from bolicho.agents.technique import Absent, techniques
from bolicho.errors import BadInput
from bolicho.games import BUILT_IN, kind

GAMES = {name: kind(name).label for name in BUILT_IN}
"""Games and their names in tables."""


Row = Mapping[str, str | Absent]

_ROWS: dict[str, Row] = {name: row for technique in techniques() for name, row in technique.matrix.items()}

TECHNIQUES: dict[str, Row] = {name: row for name, row in _ROWS.items() if row.keys() == GAMES.keys()}
"""Rows of agents by game, or of reasons for their absence, in the order of the techniques."""

BESIDE = {
    game: tuple(str(row[game]) for row in _ROWS.values() if game in row and row.keys() != GAMES.keys())
    for game in GAMES
}
"""Agents of techniques that exist for some of the games only."""

ANCHOR = "random"


@dataclass(frozen=True)
class MatrixCell:
    """A technique on a game: its agent, or the reason why there is none."""

    technique: str
    game: str
    agent: str
    why: str


def absence(spec: str, game: str) -> str:
    """Return why an agent cannot play a game with its default rules; empty if it can."""
    try:
        recipe(spec, game).make(default_game(game))
    except BadInput as problem:
        return str(problem)
    return ""


def cells() -> list[MatrixCell]:
    """Return all cells, with the reason if an agent cannot play at present."""
    found = []
    for technique, row in TECHNIQUES.items():
        for game in GAMES:
            there = row[game]
            if isinstance(there, Absent):
                found.append(MatrixCell(technique, game, "", there.why))
            else:
                found.append(MatrixCell(technique, game, there, absence(there, game)))
    return found
