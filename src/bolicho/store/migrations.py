"""Migrations of the database's tables from older versions.

`about` holds the version of the tables.  A new database gets the tables of `tables.py` and the current version.
An older one goes through its missing steps and then gets its missing tables, all in one transaction: an interrupted
upgrade changes nothing.  A SQLite file is copied first, to `NAME.before-VERSION`.
"""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from shutil import copymode
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine

from bolicho import __version__
from bolicho.errors import BadInput
from bolicho.files import atomic_path
from bolicho.store.tables import FACTS, about, erasures, matches, seats, steps, studies, study_seats

FIRST = 1
"""Version of the tables of bolicho 0.3.0; tables without a version have this one."""

LOCK = 7112020  # key of PostgreSQL's advisory lock for changes of tables
BUSY_TIMEOUT = 600_000  # milliseconds to wait while another process copies and upgrades the same file


def _nothing(connection: Connection) -> None:
    """Do nothing: `create_all` adds new tables after the steps."""


@dataclass(frozen=True)
class Migration:
    """Change from the previous version to `version`; without `apply`, only new tables."""

    version: int
    about: str
    apply: Callable[[Connection], None] = _nothing


def _erase_again(connection: Connection) -> None:
    """Repeat the erasures of every study, since older versions lost track of interrupted ones."""
    erasures.create(connection, checkfirst=True)
    if sa.inspect(connection).has_table(studies.name):
        found = connection.execute(sa.select(studies.c.id)).scalars().all()
        for study in found:
            connection.execute(erasures.insert(), {"id": study, "study": study, "made": 0.0})


def _seat_participants(connection: Connection) -> None:
    """Replace the table of a study's matches by one of their seats; participants had seat 0 until then."""
    if not sa.inspect(connection).has_table("study_matches"):
        return
    study_seats.create(connection, checkfirst=True)
    names = ("match", "study", "code", "step", "agent", "label", "practice")
    old = sa.table("study_matches", *map(sa.column, names))
    rows = sa.select(*(old.c[name] for name in names), sa.literal_column("0"))
    connection.execute(study_seats.insert().from_select([*names, "seat"], rows))
    connection.execute(sa.text("DROP TABLE study_matches"))


def _open_studies(connection: Connection) -> None:
    """Add the time when a study was opened; older versions opened each one when it was made."""
    add_column(studies.c.opened)(connection)
    if sa.inspect(connection).has_table(studies.name):
        connection.execute(studies.update().where(studies.c.opened.is_(None)).values(opened=studies.c.made))


def _add_agreements(connection: Connection) -> None:
    """Add the columns of rematches and of offers to stop."""
    for column in (matches.c.following, seats.c.stops, seats.c.rematch):
        add_column(column)(connection)


def latest() -> int:
    """Return the version of the tables in `tables.py`."""
    return STEPS[-1].version if STEPS else FIRST


def add_column(column: sa.Column[Any]) -> Callable[[Connection], None]:
    """Return a step's function that adds a column, which must be nullable or have a `server_default`."""

    def apply(connection: Connection) -> None:
        found = sa.inspect(connection)
        name = column.table.name
        if not found.has_table(name) or column.name in {one["name"] for one in found.get_columns(name)}:
            return  # `create_all` creates the table with the column, or has done so
        table = connection.dialect.identifier_preparer.format_table(column.table)
        written = sa.schema.CreateColumn(column).compile(dialect=connection.dialect)
        connection.execute(sa.text(f"ALTER TABLE {table} ADD COLUMN {written}"))

    return apply


STEPS: list[Migration] = [
    Migration(2, "the version of the protocol of fair deals", add_column(matches.c.fair_version)),
    Migration(3, "commitments to nonces", add_column(seats.c.nonce_commit)),
    Migration(4, "a table of unfinished deletions", _erase_again),
    Migration(5, "a table of the times when a server process was up"),
    Migration(6, "a table of the participants' seats at the matches of studies", _seat_participants),
    Migration(7, "the time when a study was opened", _open_studies),
    Migration(8, "what browsers measure of pages and decisions", add_column(steps.c.measured)),
    Migration(9, "rematches and offers to stop", _add_agreements),
]
"""Changes of `tables.py` since version 1, numbered 2, 3, ...; released steps never change."""


# --- Upgrading ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Upgrade:
    """Completed upgrade: the versions before and after, and the copy of a SQLite file."""

    before: int
    after: int
    copy: Path | None

    def __str__(self) -> str:
        kept = f"; the old database is kept in {str(self.copy)!r}" if self.copy else ""
        return f"its tables were upgraded from version {self.before} to {self.after}{kept}"


def prepare(engine: Engine, *, also_postgresql: bool = False) -> Upgrade | None:
    """Create the tables of a new database, or upgrade those of an older one; refuse a newer one.

    PostgreSQL is upgraded only if `also_postgresql` is set, since no copy of it is made here.
    """
    with engine.connect() as connection:
        if _is_current(connection):
            return None
        found = _version(connection)
    if found is not None and found != latest():
        _check_upgradable(engine, found, also_postgresql)
    with _exclusive_transaction(engine) as connection:
        return _bring_up(connection)


def _is_current(connection: Connection) -> bool:
    """Return whether the tables are up to date; builds before 0.3.0 had its version but not all of its tables."""
    return _version(connection) == latest() and set(FACTS.tables) <= set(sa.inspect(connection).get_table_names())


def _version(connection: Connection) -> int | None:
    """Return the version of a database's tables; None without tables."""
    found = sa.inspect(connection)
    if not found.has_table(about.name):
        return FIRST if found.has_table(matches.name) else None
    version: int | None = connection.execute(sa.select(about.c.schema)).scalar()
    return FIRST if version is None else version


def _check_upgradable(engine: Engine, found: int, also_postgresql: bool) -> None:
    """Refuse a database that is newer than this program, or must be upgraded explicitly."""
    if found > latest():
        raise BadInput(
            f"the database {engine.url!r} has tables of version {found}, and bolicho {__version__} reads them up to "
            f"version {latest()}; install a newer bolicho, or use another database"
        )
    if engine.dialect.name == "postgresql" and not also_postgresql:
        raise BadInput(
            f"the database {engine.url!r} has tables of version {found} and has to be upgraded to version {latest()}; "
            "stop every server that uses it, make a copy with pg_dump, and run: bolicho upgrade ADDRESS"
        )


@contextmanager
def _exclusive_transaction(engine: Engine) -> Iterator[Connection]:
    """Begin a transaction during which no other process changes the database's tables."""
    if engine.dialect.name == "postgresql":
        with engine.begin() as connection:
            connection.execute(sa.text(f"SELECT pg_advisory_xact_lock({LOCK})"))
            yield connection
        return
    # Python's sqlite3 begins no transaction for CREATE and ALTER, so this function does.
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        usual = connection.exec_driver_sql("PRAGMA busy_timeout").scalar()
        connection.exec_driver_sql(f"PRAGMA busy_timeout={BUSY_TIMEOUT}")
        connection.exec_driver_sql("BEGIN IMMEDIATE")
        try:
            yield connection
            connection.exec_driver_sql("COMMIT")
        except BaseException:
            connection.exec_driver_sql("ROLLBACK")
            raise
        finally:
            connection.exec_driver_sql(f"PRAGMA busy_timeout={usual}")


def _bring_up(connection: Connection) -> Upgrade | None:
    """Create or upgrade the tables, unless another process has done so."""
    if _is_current(connection):
        return None
    before, after = _version(connection), latest()
    is_older = before is not None and before < after
    copy = _copy(connection, after) if is_older and connection.dialect.name == "sqlite" else None
    try:
        for step in STEPS:
            if before is not None and step.version > before:
                step.apply(connection)
        FACTS.create_all(connection)
        connection.execute(about.delete())
        connection.execute(about.insert().values(schema=after))
    except BaseException:
        if copy is not None:
            copy.unlink(missing_ok=True)
        raise
    return Upgrade(before, after, copy) if before is not None and is_older else None


def _copy(connection: Connection, after: int) -> Path | None:
    """Copy a SQLite database, journal included, to a file beside it; None for one in memory."""
    name = connection.exec_driver_sql("SELECT file FROM pragma_database_list WHERE name = 'main'").scalar()
    if not name:
        return None
    first = f"{name}.before-{after}"
    names = (Path(first if number == 0 else f"{first}.{number}") for number in count())
    place = next(path for path in names if not path.exists())  # older copies are never overwritten
    with atomic_path(place) as beside:
        with closing(sqlite3.connect(name)) as source, closing(sqlite3.connect(beside)) as target:
            source.backup(target)
            target.execute("PRAGMA journal_mode=DELETE")  # a single file without a journal
        copymode(name, beside)
    return place
