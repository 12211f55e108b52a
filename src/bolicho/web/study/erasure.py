"""Completion of deletions: case bases without deleted hands, then files without deleted rows.

A withdrawal and the deletion of a study add a row to `erasures` in the deleting transaction.  The row is removed once
no file holds the data.  Every step can be repeated, so any process on the database can complete it: a server looks
for such rows when it starts and every `PERIOD` seconds.
"""

import asyncio
import logging

from sqlalchemy.engine import Engine
from sqlalchemy.exc import SQLAlchemyError

from bolicho.errors import BadInput
from bolicho.store import database, studies
from bolicho.store.database import open_database
from bolicho.web.clock import SYSTEM, Clock
from bolicho.web.study import case_bases

log = logging.getLogger("bolicho.web")

PERIOD = 30.0  # seconds between two attempts

BASES, JOURNAL = "bases", "journal"
"""Places where deleted data may remain: case bases, and a journal that another connection is reading."""


def finish(engine: Engine, patience: float = 0.5) -> list[str]:
    """Complete all deletions as far as possible; return where data remains.

    `patience` is the number of seconds to wait for other connections; writers wait during that time.
    """
    with engine.connect() as connection:
        found = studies.unfinished_erasures(connection)
    if not found:
        return []
    failed = {study for study in set(found.values()) if not _renewed(engine, study)}
    remains = [BASES] if failed else []
    if not database.scrub(engine, patience):
        return [*remains, JOURNAL]
    with engine.begin() as connection:
        studies.finish_erasures(connection, [number for number, study in found.items() if study not in failed])
    database.scrub(engine, patience, vacuum=False)  # erases the rows of `erasures`, which name studies only
    return remains


def _renewed(engine: Engine, study: str) -> bool:
    try:
        case_bases.renew(engine, study)
    except (BadInput, OSError):
        log.exception("the case bases of the study %s could not be written without deleted hands", study)
        return False
    return True


def finish_at(url: str) -> None:
    """Complete all deletions in a worker process, since clustering bases takes long."""
    finish(open_database(url))


class Eraser:
    """Background task that completes deletions."""

    def __init__(self, engine: Engine, grower: case_bases.CaseBaseGrower, clock: Clock = SYSTEM) -> None:
        self._engine = engine
        self._grower = grower
        self._clock = clock

    async def remaining(self) -> list[str]:
        """Do the quick part, and queue the rewriting of bases; return the places where data remains."""
        if await asyncio.to_thread(self._has_stale_bases):
            self._grower.soon(finish_at)
            return [BASES, JOURNAL]
        return await asyncio.to_thread(finish, self._engine)

    def _has_stale_bases(self) -> bool:
        """Return whether case bases must be written again, which takes long."""
        with self._engine.connect() as connection:
            found = set(studies.unfinished_erasures(connection).values())
        return any(case_bases.stale(self._engine, study) for study in found)

    async def tend(self) -> None:
        """Complete deletions that other processes, or this one before a restart, have left."""
        while True:
            try:
                await self.remaining()
            except (SQLAlchemyError, OSError):
                log.exception("deleted rows may still be in the files of the database; trying again")
            await self._clock.sleep(PERIOD)
