"""Personal tokens: who may do more than sit at a table, and what.

A token is shown once, when it is made; what is kept is its SHA-256.
"""

import hmac
import re
import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from bolicho.errors import BadInput, unknown
from bolicho.store.tables import tokens

SCOPES = {
    "bot": "challenge others, accept challenges and play, by program",
    "research": "see and export studies, start and stop tournaments",
}
_NAME = re.compile(r"[A-Za-z0-9_.-]{1,40}")


@dataclass(frozen=True)
class Holder:
    """Who has a token, and what it is good for."""

    name: str
    scopes: frozenset[str]


def new_token(connection: Connection, name: str, scopes: Sequence[str]) -> str:
    """A token for a name that has none yet."""
    if not _NAME.fullmatch(name):
        raise BadInput(f"a name has 1 to 40 letters, digits and _ . -, unlike {name!r}")
    for scope in scopes:
        if scope not in SCOPES:
            raise unknown("scope", scope, SCOPES)
    if not scopes:
        raise BadInput(f"a token is good for something: name a scope, one of {', '.join(SCOPES)}")
    if connection.execute(sa.select(tokens.c.name).where(tokens.c.name == name)).first():
        raise BadInput(f"{name!r} has a token already; revoke that first, or take another name")
    token = secrets.token_urlsafe(24)
    row = {"name": name, "digest": digest_of(token), "scopes": " ".join(sorted(set(scopes))), "made": time.time()}
    connection.execute(tokens.insert(), row)
    return token


def holder(connection: Connection, token: str) -> Holder | None:
    """Whose token that is."""
    found = connection.execute(tokens.select().where(tokens.c.digest == digest_of(token))).mappings().first()
    return None if found is None else Holder(found["name"], frozenset(found["scopes"].split()))


def holders(connection: Connection) -> list[Holder]:
    """Everybody who has a token."""
    found = connection.execute(tokens.select().order_by(tokens.c.name)).mappings()
    return [Holder(row["name"], frozenset(row["scopes"].split())) for row in found]


def revoke(connection: Connection, name: str) -> None:
    """Whoever has it may do no more with it."""
    if not name.isascii() or connection.execute(tokens.delete().where(tokens.c.name == name)).rowcount == 0:
        raise BadInput(f"nobody called {name!r} has a token")


def digest_of(token: str) -> bytes:
    """What is kept of a token."""
    return sha256(token.encode()).digest()


def seal(connection: Connection, name: str, scope: str, text: str) -> str | None:
    """What only who has that person's token could have made of a text; None where it is not good for the scope."""
    found = connection.execute(tokens.select().where(tokens.c.name == name)).mappings().first()
    if found is None or scope not in found["scopes"].split():
        return None
    return hmac.new(bytes(found["digest"]), text.encode(), sha256).hexdigest()
