"""Finished matches of a database that may be published, as records and as hands for case bases.

A match may be published if all players agreed, when they sat down, that all cards are shown after the end (the option
`open_end`).  Unfinished matches and their seeds never are.  Matches of studies are published only on request: the
participants consented to that, and the matches of withdrawn participants are deleted.
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
from bolicho.store.export_schema import HUMAN
from bolicho.store.tables import matches, participants, study_seats

KINDS = ("open", "closed", "study", "unfinished")
"""`open` may be published, `closed` ended but may not be, `study` is of a study, `unfinished` has not ended."""


@dataclass(frozen=True)
class Finished:
    """Finished match."""

    row: MatchRow
    sitting: list[SeatRow]
    people: list[int]  # seats with neither an agent nor a bot
    actions: list[int]

    def deal(self) -> Table:
        """Return the table after the deal; people are named `human`, to hide the names they gave."""
        try:
            game = make_game(self.row.game, **self.row.rules)
        except BadInput as problem:
            raise BadInput(f"match {self.row.id}: {problem}") from None
        table = game.deal(deals.seed_of(self.row, self.sitting, game.options))
        table.players = [HUMAN if seat.seat in self.people else seat.agent or seat.name for seat in self.sitting]
        return table

    def table(self) -> Table:
        """Return the table at the end of the match; after a claim or a forfeit the game is not over there."""
        table = self.deal()
        for action in self.actions:
            table.play(action)
        return table


def count(connection: Connection, game: str | None = None) -> dict[str, int]:
    """Count the matches of a game, or of all games, for each of `KINDS`."""
    counts = Counter(_kind(row) for row in _listed(connection, game))
    return {kind: counts[kind] for kind in KINDS}


def finished(
    connection: Connection, game: str | None = None, studies: bool = False, scripted: bool = False
) -> Iterator[Finished]:
    """Yield the matches that may be published, in the order in which they ended.

    `studies` adds those of studies, without practice; `scripted` adds those of scripted participants.
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
    """Return all matches once, each with the facts of its participant (of two, either), if it is of a study."""
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
    """Write a record for each match that may be published, without studies; return the counts of `count`.

    Readers need no database: `bolicho replay` and `bolicho train cbr-baseline source=FILE` read the file.
    """
    with atomic_path(out) as path, path.open("w", encoding="utf-8") as file:
        file.writelines(write_record(match.table().record()) + "\n" for match in finished(connection, game))
    return count(connection, game)
