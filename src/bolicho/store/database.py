"""Database of matches: SQLite by default, PostgreSQL for several server processes.

A match consists of its row, its seats and its moves.  A move has the primary key (match, ply), so that each ply is
played once, however many processes write.  A server derives all other state of a match from these rows.
"""

import json
import secrets
import sqlite3
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine

from bolicho.errors import BadInput
from bolicho.store.migrations import prepare
from bolicho.store.tables import FACTS, decisions, judged, matches, moves, seats, study_seats, uptime

SYNC = {"full": ("FULL", "on"), "normal": ("NORMAL", "off")}
"""Settings of SQLite and PostgreSQL: after a power cut `full` loses nothing, `normal` at most the last moves."""

CHANNEL = "bolicho_matches"
LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"


@dataclass(frozen=True)
class MatchRow:
    """Stored match."""

    id: str
    game: str
    rules: dict[str, Any]
    options: dict[str, Any]
    secret: bytes
    made: float
    dealt: float | None = None
    ended: float | None = None
    claimed: int | None = None
    result: dict[str, Any] | None = None
    fair_version: int = 1
    following: str | None = None


@dataclass(frozen=True)
class SeatRow:
    """Stored seat of a match: of an agent, of a person (with a token), or open (to an invitation)."""

    seat: int
    name: str
    agent: str | None = None
    token: bytes | None = None
    invite: bytes | None = None
    expires: float | None = None
    nonce: bytes | None = None
    nonce_commit: bytes | None = None
    seen: float | None = None
    here: bool = False
    stops: bool | None = None
    rematch: bytes | None = None

    @property
    def taken(self) -> bool:
        """Return whether the seat is taken."""
        return self.agent is not None or self.token is not None


Move = tuple[str, int, int, int, float]
"""A row of `moves`: (match, ply, seat, action, at)."""


class Conflict(Exception):
    """A row exists already, because another transaction has written in between."""


# --- Opening ------------------------------------------------------------------------------------


def _notice(sentence: str) -> None:
    print(sentence, file=sys.stderr)


def open_database(
    url: str, sync: str = "full", *, upgrade: bool = False, tell: Callable[[str], None] = _notice
) -> Engine:
    """Open the database at an address (`postgresql://...`) or in a file; create its tables, or upgrade older ones.

    Older tables in PostgreSQL are refused unless `upgrade` is given (see `migrations`).
    """
    try:
        address = _address(url)
        # hide_parameters: stored values, secrets among them, must not appear in error messages
        engine = sa.create_engine(address, pool_pre_ping=address.drivername != "sqlite", hide_parameters=True)
        sa.event.listen(engine, "connect", lambda raw, _: _prepare(raw, engine.dialect.name, sync))
        if done := prepare(engine, also_postgresql=upgrade):
            tell(f"the database {engine.url!r}: {done}")
    except (sa.exc.SQLAlchemyError, ImportError, OSError) as problem:
        why = str(problem).splitlines()[0]
        raise BadInput(
            f"cannot use the database {_without_password(url)!r}: {why}; "
            + (
                "copy it to where it can be written, and use the copy"
                if "readonly" in why
                else "name a file, or an address like postgresql://user@host/name"
            )
        ) from None
    return engine


def _address(url: str) -> sa.URL:
    """Return the URL for SQLAlchemy; an address without a scheme is a file."""
    if "://" not in url:
        Path(url).parent.mkdir(parents=True, exist_ok=True)
        return sa.URL.create("sqlite", database=url)
    address = sa.make_url(url)
    if address.drivername in ("postgres", "postgresql", "postgresql+psycopg"):
        return address.set(drivername="postgresql+psycopg")
    if address.drivername == "sqlite":
        return address
    raise sa.exc.ArgumentError(f"{address.drivername} is neither sqlite nor postgresql")


def _prepare(raw: Any, dialect: str, sync: str) -> None:
    cursor = raw.cursor()
    if dialect == "sqlite":
        cursor.execute("PRAGMA busy_timeout=10000")
        cursor.execute("PRAGMA journal_mode=WAL")
        cursor.execute(f"PRAGMA synchronous={SYNC[sync][0]}")
        cursor.execute("PRAGMA foreign_keys=ON")
        cursor.execute("PRAGMA secure_delete=ON")  # overwrites deleted rows
    else:
        cursor.execute(f"SET synchronous_commit TO {SYNC[sync][1]}")
        raw.commit()
    cursor.close()


def _without_password(url: str) -> str:
    try:
        return sa.make_url(url).render_as_string(hide_password=True)
    except sa.exc.ArgumentError:
        return url.split("@")[-1]


# --- Writing ------------------------------------------------------------------------------------


def add_match(connection: Connection, row: MatchRow, sitting: Sequence[SeatRow]) -> None:
    """Add a match and its seats."""
    texts = {"rules": json.dumps(row.rules), "options": json.dumps(row.options)}
    columns = ("id", "game", "secret", "made", "dealt", "fair_version")
    connection.execute(matches.insert(), {**{name: getattr(row, name) for name in columns}, **texts})
    connection.execute(seats.insert(), [{"match": row.id, **vars(seat)} for seat in sitting])


def add_moves(connection: Connection, rows: Sequence[Move]) -> None:
    """Add moves; `Conflict` if any of these plies has been played already."""
    try:
        connection.exec_driver_sql(_ADD[connection.dialect.paramstyle], list(rows))
    except sa.exc.IntegrityError:
        raise Conflict from None


_ADD = {
    style: f"INSERT INTO moves (match, ply, seat, action, at) VALUES ({', '.join([mark] * 5)})"
    for style, mark in {"qmark": "?", "pyformat": "%s"}.items()
}
"""Statement in the driver's own style: SQLAlchemy's row processing takes five times as long as the insert."""


def take_seat(connection: Connection, match: str, row: SeatRow) -> None:
    """Store a taken seat; `Conflict` if it is not open."""
    where = (seats.c.match == match) & (seats.c.seat == row.seat) & seats.c.token.is_(None) & seats.c.agent.is_(None)
    values = {
        "name": row.name,
        "token": row.token,
        "nonce_commit": row.nonce_commit,
        "seen": row.seen,
        "invite": None,
        "expires": None,
    }
    values["here"] = row.here
    if connection.execute(seats.update().where(where).values(**values)).rowcount != 1:
        raise Conflict


def await_nonces(connection: Connection, match: str, until: float) -> None:
    """Set the deadline for the missing nonces."""
    missing = (seats.c.match == match) & seats.c.nonce_commit.is_not(None) & seats.c.nonce.is_(None)
    connection.execute(seats.update().where(missing).values(expires=until))


def set_nonce(connection: Connection, match: str, seat: int, nonce: bytes) -> None:
    """Store a revealed nonce; `Conflict` if there is one already."""
    where = (seats.c.match == match) & (seats.c.seat == seat) & seats.c.nonce.is_(None)
    if connection.execute(seats.update().where(where).values(nonce=nonce, expires=None)).rowcount != 1:
        raise Conflict


def set_dealt(connection: Connection, match: str, at: float) -> None:
    """Store the time of the deal."""
    connection.execute(matches.update().where((matches.c.id == match) & matches.c.dealt.is_(None)).values(dealt=at))


def set_ended(connection: Connection, match: str, at: float, claimed: int | None, result: dict[str, Any]) -> None:
    """Store the end of a match; `Conflict` if it had ended already."""
    values = {"ended": at, "claimed": claimed, "result": json.dumps(result)}
    where = (matches.c.id == match) & matches.c.ended.is_(None)
    if connection.execute(matches.update().where(where).values(**values)).rowcount != 1:
        raise Conflict


def set_seat(connection: Connection, match: str, seat: int, **values: Any) -> None:
    """Store columns of a seat."""
    connection.execute(seats.update().where((seats.c.match == match) & (seats.c.seat == seat)).values(**values))


def set_following(connection: Connection, match: str, following: str) -> None:
    """Store the rematch of a match; `Conflict` if there is one already."""
    where = (matches.c.id == match) & matches.c.following.is_(None)
    if connection.execute(matches.update().where(where).values(following=following)).rowcount != 1:
        raise Conflict


def set_seen(connection: Connection, heard: Mapping[tuple[str, int], tuple[float, bool]]) -> None:
    """Store when seats were last connected, and whether they are connected now."""
    where = (seats.c.match == sa.bindparam("m")) & (seats.c.seat == sa.bindparam("s"))
    statement = seats.update().where(where).values(seen=sa.bindparam("at"), here=sa.bindparam("is_here"))
    rows = [{"m": match, "s": seat, "at": at, "is_here": here} for (match, seat), (at, here) in heard.items()]
    if rows:
        connection.execute(statement, rows)


def add_uptime(connection: Connection, now: float) -> int:
    """Record that a server process comes up; return the number of its row."""
    key = connection.execute(uptime.insert().values(began=now, until=now)).inserted_primary_key
    assert key is not None
    return int(key[0])


def set_uptime(connection: Connection, row: int, until: float) -> None:
    """Record that a server process was up until then."""
    connection.execute(uptime.update().where(uptime.c.id == row).values(until=until))


def add_judged(connection: Connection, match: str, agent: str, decisions: Iterable[Mapping[str, Any]]) -> None:
    """Store the values of decisions by the strategy of an agent; stored rows stay."""
    kept = set(connection.execute(sa.select(judged.c.ply).where(judged.c.match == match)).scalars())
    rows = [
        {"match": match, "ply": one["ply"], "seat": one["seat"], "agent": agent, "facts": json.dumps(one)}
        for one in decisions
        if one["ply"] not in kept
    ]
    try:
        if rows:
            connection.execute(judged.insert(), rows)
    except sa.exc.IntegrityError:
        raise Conflict from None


def add_decision(connection: Connection, match: str, ply: int, seconds: float) -> None:
    """Store the time of a decision that a browser has measured."""
    connection.execute(decisions.insert().values(match=match, ply=ply, seconds=seconds))


def lock_match(connection: Connection, match: str) -> None:
    """Lock the seats and the end of a match until this transaction ends."""
    if connection.dialect.name == "postgresql":  # SQLite has only one writer
        connection.execute(sa.select(matches.c.id).where(matches.c.id == match).with_for_update())


def delete_match(connection: Connection, match: str) -> None:
    """Delete a match and all its rows; later writes to it raise `Conflict`."""
    lock_match(connection, match)  # otherwise a move could be added in between
    for table, column in (
        (judged, judged.c.match),
        (decisions, decisions.c.match),
        (moves, moves.c.match),
        (seats, seats.c.match),
        (matches, matches.c.id),
    ):
        connection.execute(table.delete().where(column == match))


def scrub(engine: Engine, patience: float = 0.5, vacuum: bool = True) -> bool:
    """Erase deleted rows from the database's files; return False while another connection of SQLite prevents it.

    In SQLite `secure_delete` overwrites deleted rows, but not the copies that stay behind when rows move between
    pages, so the file is vacuumed; then the journal, which holds old pages, is truncated.  A reader keeps the journal
    in use: while there is one, nothing is vacuumed, since the journal would only grow.  In PostgreSQL VACUUM frees
    the space of dead rows, which is overwritten when the server uses it again.
    """
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        if engine.dialect.name == "postgresql":
            if vacuum:
                connection.execute(sa.text(f"VACUUM {', '.join(FACTS.tables)}"))
            return True
        usual = connection.exec_driver_sql("PRAGMA busy_timeout").scalar()
        connection.exec_driver_sql(f"PRAGMA busy_timeout={int(1000 * patience)}")  # writers wait this long too
        try:
            is_empty = _empty_journal(connection)
            if vacuum and is_empty:
                connection.exec_driver_sql("VACUUM")
                is_empty = _empty_journal(connection)
            return is_empty
        except sa.exc.OperationalError as problem:
            if getattr(problem.orig, "sqlite_errorcode", 0) & 0xFF not in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
                raise
            return False
        finally:
            connection.exec_driver_sql(f"PRAGMA busy_timeout={usual}")


def _empty_journal(connection: Connection) -> bool:
    """Move all pages of SQLite's journal to the database and truncate it; return False while a reader needs it."""
    busy, _, _ = connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)").one()
    return not busy


# --- Reading ------------------------------------------------------------------------------------


@contextmanager
def snapshot(engine: Engine) -> Iterator[Connection]:
    """Yield a connection that sees a snapshot of the database."""
    with engine.connect() as connection:
        if engine.dialect.name == "postgresql":
            connection = connection.execution_options(isolation_level="REPEATABLE READ")
        with connection.begin():
            if engine.dialect.name == "sqlite":
                connection.execute(sa.text("BEGIN"))
            yield connection


def read_match(connection: Connection, match: str) -> tuple[MatchRow, list[SeatRow]] | None:
    """Return a match and its seats."""
    row = connection.execute(matches.select().where(matches.c.id == match)).mappings().first()
    if row is None:
        return None
    facts = dict(row) | {
        name: json.loads(row[name]) for name in ("rules", "options", "result") if row[name] is not None
    }
    found = connection.execute(seats.select().where(seats.c.match == match).order_by(seats.c.seat)).mappings()
    return MatchRow(**facts), [
        SeatRow(**{key: value for key, value in seat.items() if key != "match"}) for seat in found
    ]


def read_moves(connection: Connection, match: str, since: int = 0) -> list[tuple[int, int, float]]:
    """Return the moves of a match from a ply on: (seat, action, at)."""
    columns = (moves.c.seat, moves.c.action, moves.c.at)
    query = sa.select(*columns).where((moves.c.match == match) & (moves.c.ply >= since)).order_by(moves.c.ply)
    return [tuple(row) for row in connection.execute(query)]


def read_decisions(connection: Connection, match: str) -> dict[int, float]:
    """Return the measured times of decisions, in seconds, by ply."""
    query = sa.select(decisions.c.ply, decisions.c.seconds).where(decisions.c.match == match)
    return {row.ply: row.seconds for row in connection.execute(query)}


def read_judged(connection: Connection, match: str, seat: int) -> list[tuple[str, dict[str, Any]]]:
    """Return the judged decisions of a seat, in order: the agent whose strategy judged them, and the facts."""
    query = judged.select().where((judged.c.match == match) & (judged.c.seat == seat)).order_by(judged.c.ply)
    return [(row.agent, json.loads(row.facts)) for row in connection.execute(query)]


def read_uptime(connection: Connection, but: int) -> list[tuple[float, float]]:
    """Return the intervals in which server processes were up, without the row `but`."""
    query = sa.select(uptime.c.began, uptime.c.until).where(uptime.c.id != but)
    return [tuple(row) for row in connection.execute(query)]


def read_seen(connection: Connection, numbers: Iterable[str]) -> list[tuple[str, int, float, bool]]:
    """Return the presence of people at some matches: (match, seat, last sign of life, whether connected)."""
    columns = (seats.c.match, seats.c.seat, seats.c.seen, seats.c.here)
    wanted, found = list(numbers), []
    for at in range(0, len(wanted), 500):
        some = seats.c.match.in_(wanted[at : at + 500]) & seats.c.seen.is_not(None)
        found += [tuple(row) for row in connection.execute(sa.select(*columns).where(some))]
    return found


def against_people(connection: Connection, since: float = 0.0) -> dict[tuple[str, str], tuple[int, int]]:
    """Count per (game, agent) the matches won against people, and those lost or drawn; without those of studies."""
    query = (
        sa.select(matches.c.game, seats.c.agent, seats.c.seat, matches.c.result)
        .join(seats, seats.c.match == matches.c.id)
        .where(matches.c.ended.is_not(None) & (matches.c.ended > since) & seats.c.agent.is_not(None))
        .where(matches.c.id.not_in(sa.select(study_seats.c.match)))
    )
    counts: dict[tuple[str, str], tuple[int, int]] = {}
    for game, agent, seat, result in connection.execute(query):
        facts = json.loads(result)
        if facts["people"]:
            won, lost = counts.get((game, agent), (0, 0))
            mine = facts["winners"] == [seat]
            counts[game, agent] = (won + mine, lost + (not mine))
    return counts


def left_to_agents(connection: Connection) -> list[str]:
    """Return the unfinished matches of agents alone."""
    people = sa.select(seats.c.match).where(seats.c.agent.is_(None))
    query = sa.select(matches.c.id).where(matches.c.ended.is_(None) & matches.c.id.not_in(people))
    return list(connection.execute(query).scalars())


def is_there(connection: Connection, match: str) -> bool:
    """Return whether a match exists."""
    return connection.execute(sa.select(matches.c.id).where(matches.c.id == match)).first() is not None


def new_name(letters: int = 10) -> str:
    """Return a random name for a match or a study; it is not secret, but cannot be guessed."""
    return "".join(secrets.choice(LETTERS) for _ in range(letters))


def now() -> float:
    """Return the current time, as it is stored."""
    return time.time()
