"""Storage of challenges: seats of matches reserved for bots, and seats taken by bots."""

from collections.abc import Sequence
from dataclasses import dataclass

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from bolicho.store.database import Conflict
from bolicho.store.tables import bots, challenges, matches, seats, tokens
from bolicho.store.tokens import digest_of

SCOPE = "bot"
BOT_CHALLENGE_SECONDS = 24 * 3600.0  # seconds that a bot's challenge stays open
PERSON_CHALLENGE_SECONDS = 300.0  # seconds that a person's challenge stays open; the person waits at the table
SEEN_INTERVAL = 10.0  # seconds between two updates of a bot's last sign of life


@dataclass(frozen=True)
class StoredSeat:
    """Stored seat of a challenge."""

    match: str
    seat: int
    asker: str | None
    asked: str | None
    bot: str | None
    state: str
    made: float
    decided: float | None = None

    @property
    def expires(self) -> float:
        """Return when the challenge expires."""
        return self.made + (PERSON_CHALLENGE_SECONDS if self.asker is None else BOT_CHALLENGE_SECONDS)


def _is_open(now: float) -> sa.ColumnElement[bool]:
    """Return the condition for open seats."""
    fresh = sa.case((challenges.c.asker.is_(None), now - PERSON_CHALLENGE_SECONDS), else_=now - BOT_CHALLENGE_SECONDS)
    return (
        (challenges.c.state == "open") & (challenges.c.made > now - BOT_CHALLENGE_SECONDS) & (challenges.c.made > fresh)
    )


def add(connection: Connection, rows: Sequence[StoredSeat]) -> None:
    """Add the seats of a new challenge."""
    connection.execute(challenges.insert(), [vars(row) for row in rows])


def of_match(connection: Connection, match: str) -> list[StoredSeat]:
    """Return the seats of a challenge."""
    query = challenges.select().where(challenges.c.match == match).order_by(challenges.c.seat)
    return [StoredSeat(**row) for row in connection.execute(query).mappings()]


def state_of(rows: Sequence[StoredSeat], now: float) -> str:
    """Return the state of a challenge: open, accepted, declined, cancelled or expired."""
    states = {row.state for row in rows}
    for state in ("cancelled", "declined"):
        if state in states:
            return state
    if "open" not in states:
        return "accepted"
    return "open" if rows[0].expires > now else "expired"


def take(connection: Connection, row: StoredSeat, bot: str, at: float) -> None:
    """Store that a bot takes an open seat; `Conflict` if it is not open."""
    where = (challenges.c.match == row.match) & (challenges.c.seat == row.seat) & (challenges.c.state == "open")
    values = {"bot": bot, "state": "accepted", "decided": at}
    if connection.execute(challenges.update().where(where).values(**values)).rowcount != 1:
        raise Conflict


def close(connection: Connection, match: str, state: str, at: float) -> None:
    """Close the open seats of a challenge with a state."""
    where = (challenges.c.match == match) & (challenges.c.state == "open")
    connection.execute(challenges.update().where(where).values(state=state, decided=at))


def open_for(connection: Connection, name: str, now: float) -> dict[str, list[StoredSeat]]:
    """Return the seats of open challenges that a bot may accept or has made."""
    mine = (challenges.c.asked == name) | challenges.c.asked.is_(None) | (challenges.c.asker == name)
    where = _is_open(now) & mine
    query = challenges.select().where(challenges.c.match.in_(sa.select(challenges.c.match).where(where)))
    found: dict[str, list[StoredSeat]] = {}
    for row in connection.execute(query.order_by(challenges.c.made, challenges.c.match, challenges.c.seat)).mappings():
        found.setdefault(row["match"], []).append(StoredSeat(**row))
    return found


def asked_by(connection: Connection, name: str | None, now: float) -> int:
    """Count the seats of open challenges made by a bot, or by people (None)."""
    where = _is_open(now) & challenges.c.asker.is_not_distinct_from(name)
    return connection.execute(sa.select(sa.func.count()).select_from(challenges).where(where)).scalar_one()


def playing(connection: Connection, name: str) -> list[tuple[str, int]]:
    """Return the unfinished matches of a bot, with its seats."""
    query = (
        sa.select(challenges.c.match, challenges.c.seat)
        .join(matches, matches.c.id == challenges.c.match)
        .where((challenges.c.bot == name) & matches.c.dealt.is_not(None) & matches.c.ended.is_(None))
        .order_by(matches.c.dealt)
    )
    return [(row.match, row.seat) for row in connection.execute(query)]


def revealing(connection: Connection, name: str, now: float) -> list[tuple[str, int]]:
    """Return the matches of a bot that wait for nonces, with its seats."""
    waits = sa.select(seats.c.match).where(
        seats.c.nonce_commit.is_not(None) & seats.c.nonce.is_(None) & (seats.c.expires > now)
    )
    query = sa.select(challenges.c.match, challenges.c.seat).where(
        (challenges.c.bot == name) & (challenges.c.state == "accepted") & challenges.c.match.in_(waits)
    )
    return [(row.match, row.seat) for row in connection.execute(query)]


def sitting(connection: Connection, match: str) -> set[str]:
    """Return the bots in a match, and the bots that made the challenge."""
    found = of_match(connection, match)
    return {name for row in found for name in (row.bot, row.asker) if name is not None}


def seat_of(connection: Connection, match: str, token: str) -> int | None:
    """Return the seat of the bot with that personal token."""
    query = (
        sa.select(challenges.c.seat, tokens.c.scopes)
        .join(tokens, tokens.c.name == challenges.c.bot)
        .where((challenges.c.match == match) & (tokens.c.digest == digest_of(token)))
    )
    found = connection.execute(query).first()
    return found.seat if found is not None and SCOPE in found.scopes.split() else None


def is_bot(connection: Connection, name: str) -> bool:
    """Return whether a token of that name has the scope `bot`."""
    scopes = connection.execute(sa.select(tokens.c.scopes).where(tokens.c.name == name)).scalar()
    return scopes is not None and SCOPE in scopes.split()


def set_seen(connection: Connection, name: str, at: float) -> None:
    """Record that a bot is connected, at most once in `SEEN_INTERVAL` seconds."""
    seen = connection.execute(sa.select(bots.c.seen).where(bots.c.name == name)).scalar()
    if seen is not None:
        if seen + SEEN_INTERVAL < at:
            connection.execute(bots.update().where(bots.c.name == name).values(seen=at))
    else:
        try:
            connection.execute(bots.insert(), {"name": name, "seen": at})
        except sa.exc.IntegrityError:
            raise Conflict from None


def seen_since(connection: Connection, since: float) -> list[str]:
    """Return the bots connected since then whose token still has the scope."""
    query = sa.select(bots.c.name, tokens.c.scopes).join(tokens, tokens.c.name == bots.c.name)
    found = connection.execute(query.where(bots.c.seen > since).order_by(bots.c.name))
    return [row.name for row in found if SCOPE in row.scopes.split()]
