"""Finish deletions: case bases without the deleted hands, then files without the deleted rows.

A withdrawal and the deletion of a study leave a row in `erasures`, written by the transaction that deletes.  The row
goes when nothing is left in any file.  Every step can be repeated, so that any process on the database finishes what
another one began: a server looks when it starts and every `PERIOD` seconds.
"""

import asyncio
import logging

from sqlalchemy.engine import Engine
from sqlalchemy.exc import SQLAlchemyError

from bolicho.errors import BadInput
from bolicho.store import database, studies
from bolicho.store.database import open_database
from bolicho.web.clock import SYSTEM, Clock
from bolicho.web.study import grow

log = logging.getLogger("bolicho.web")

PERIOD = 30.0  # seconds between two looks at what is not finished

BASES, JOURNAL = "bases", "journal"
"""Places where deleted data may remain: case bases, and a journal that another connection is reading."""


def finish(engine: Engine, patience: float = 0.5) -> list[str]:
    """Finish all deletions as far as possible; what remains.

    `patience` is how many seconds to wait for other connections; those that write wait meanwhile.
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
    database.scrub(engine, patience, vacuum=False)  # of the rows just removed, which name studies and nobody
    return remains


def _renewed(engine: Engine, study: str) -> bool:
    try:
        grow.renew(engine, study)
    except (BadInput, OSError):
        log.exception("the case bases of the study %s could not be written without deleted hands", study)
        return False
    return True


def finish_at(url: str) -> None:
    """The same in a process of its own, for what takes long: bases are clustered anew."""
    finish(open_database(url))


class Eraser:
    """Finishes deletions beside the server."""

    def __init__(self, engine: Engine, grower: grow.Grower, clock: Clock = SYSTEM) -> None:
        self._engine = engine
        self._grower = grower
        self._clock = clock

    async def remaining(self) -> list[str]:
        """Finish what can be finished at once, and have bases written; what remains until then."""
        if await asyncio.to_thread(self._has_stale_bases):
            self._grower.soon(finish_at)
            return [BASES, JOURNAL]
        return await asyncio.to_thread(finish, self._engine)

    def _has_stale_bases(self) -> bool:
        """Return whether case bases are to be written, which takes long."""
        with self._engine.connect() as connection:
            found = set(studies.unfinished_erasures(connection).values())
        return any(grow.stale(self._engine, study) for study in found)

    async def tend(self) -> None:
        """Finish what other processes, or this one before a restart, have left."""
        while True:
            try:
                await self.remaining()
            except (SQLAlchemyError, OSError):
                log.exception("deleted rows may still be in the files of the database; trying again")
            await self._clock.sleep(PERIOD)
