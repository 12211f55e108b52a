"""Finished matches of a database that may be handed out: as records, and as hands that case bases are made of.

A match of the table is handed out where everybody agreed, when sitting down, that all cards are shown after the end
(the option `open_end`).  A match that is not finished never is, nor is its seed.  Matches of studies are handed out
only where they are asked for: participants consented to that, and of those who withdrew nothing is left.
"""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from bolicho.errors import BadInput
from bolicho.files import atomic_path
from bolicho.games import game as make_game
from bolicho.games.game import Table
from bolicho.games.record import write_record
from bolicho.store import challenges, database, deals
from bolicho.store.database import MatchRow, SeatRow
from bolicho.store.exported import HUMAN
from bolicho.store.tables import matches, participants, study_seats

KINDS = ("open", "closed", "study", "unfinished")
"""Matches that may be shown to everybody; finished ones that may not; those of studies; those under way or waiting."""


@dataclass(frozen=True)
class Finished:
    """A finished match."""

    row: MatchRow
    sitting: list[SeatRow]
    people: list[int]  # the seats where neither an agent nor a bot sat
    actions: list[int]

    def deal(self) -> Table:
        """The table as it was dealt; people are called `human` there, whatever names they gave."""
        try:
            game = make_game(self.row.game, **self.row.rules)
        except BadInput as problem:
            raise BadInput(f"match {self.row.id}: {problem}") from None
        table = game.deal(deals.seed_of(self.row, self.sitting, game.options))
        table.players = [HUMAN if seat.seat in self.people else seat.agent or seat.name for seat in self.sitting]
        return table

    def table(self) -> Table:
        """The table where the match ended; where it was claimed or forfeited, the game is not over there."""
        table = self.deal()
        for action in self.actions:
            table.play(action)
        return table


def count(connection: Connection, game: str | None = None) -> dict[str, int]:
    """Count the matches of a game, or of all, of each of `KINDS`."""
    counts = Counter(_kind(row) for row in _listed(connection, game))
    return {kind: counts[kind] for kind in KINDS}


def finished(
    connection: Connection, game: str | None = None, studies: bool = False, scripted: bool = False
) -> Iterator[Finished]:
    """The matches that may be handed out, in the order in which they ended.

    With `studies` also those of studies, but for what was played for practice; those of scripted participants only
    with `scripted`.
    """
    for row in _listed(connection, game):
        kind = _kind(row)
        asked = studies and kind == "study" and not row.practice and (scripted or not row.scripted)
        if kind == "open" or (asked and row.state != "withdrawn"):
            found = database.read_match(connection, row.id)
            assert found is not None
            bots = {kept.seat for kept in challenges.of_match(connection, row.id) if kept.bot is not None}
            people = [seat.seat for seat in found[1] if seat.agent is None and seat.seat not in bots]
            actions = [action for _, action, _ in database.read_moves(connection, row.id)]
            yield Finished(*found, people, actions)


def _listed(connection: Connection, game: str | None) -> list[Any]:
    """All matches, each once, with a participant where they are of a study (two who play each other are alike)."""
    whose = (participants.c.study == study_seats.c.study) & (participants.c.code == study_seats.c.code)
    query = (
        sa.select(
            *(matches.c.id, matches.c.ended, matches.c.options, study_seats.c.practice),
            *(participants.c.scripted, participants.c.state),
        )
        .outerjoin(study_seats, study_seats.c.match == matches.c.id)
        .outerjoin(participants, whose)
        .order_by(matches.c.ended, matches.c.id)
    )
    found = connection.execute(query if game is None else query.where(matches.c.game == game))
    return list({row.id: row for row in found}.values())


def _kind(row: Any) -> str:
    options = json.loads(row.options)
    if row.ended is None:
        return "unfinished"
    if row.state is not None or options.get("study") is not None:
        return "study"
    return "open" if options.get("open_end") else "closed"


def write_records(connection: Connection, out: Path, game: str | None = None) -> dict[str, int]:
    """Write the matches of the table that may be handed out as records, a line each; how many there are of each kind.

    Whoever reads the file needs no database: `bolicho replay` and `bolicho train cbr-baseline source=FILE` read it.
    """
    with atomic_path(out) as path, path.open("w", encoding="utf-8") as file:
        file.writelines(write_record(match.table().record()) + "\n" for match in finished(connection, game))
    return count(connection, game)
