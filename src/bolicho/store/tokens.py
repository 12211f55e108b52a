"""Personal access tokens and their scopes.

A token is shown once, when it is created; the database stores its SHA-256.
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
    """Holder of a token, with its scopes."""

    name: str
    scopes: frozenset[str]


def new_token(connection: Connection, name: str, scopes: Sequence[str]) -> str:
    """Create a token for a name that has none."""
    if not _NAME.fullmatch(name):
        raise BadInput(f"a name must be 1 to 40 letters without accents, digits, _ . or -, not {name!r}")
    for scope in scopes:
        if scope not in SCOPES:
            raise unknown("scope", scope, SCOPES)
    if not scopes:
        raise BadInput(f"a token needs a scope, one of {', '.join(SCOPES)}")
    if connection.execute(sa.select(tokens.c.name).where(tokens.c.name == name)).first():
        raise BadInput(f"{name!r} has a token already; revoke it first, or choose another name")
    token = secrets.token_urlsafe(24)
    row = {"name": name, "digest": digest_of(token), "scopes": " ".join(sorted(set(scopes))), "made": time.time()}
    connection.execute(tokens.insert(), row)
    return token


def holder(connection: Connection, token: str) -> Holder | None:
    """Return the holder of a token, or None."""
    found = connection.execute(tokens.select().where(tokens.c.digest == digest_of(token))).mappings().first()
    return None if found is None else Holder(found["name"], frozenset(found["scopes"].split()))


def holders(connection: Connection) -> list[Holder]:
    """Return the holders of all tokens."""
    found = connection.execute(tokens.select().order_by(tokens.c.name)).mappings()
    return [Holder(row["name"], frozenset(row["scopes"].split())) for row in found]


def revoke(connection: Connection, name: str) -> None:
    """Delete the token of a name."""
    if not name.isascii() or connection.execute(tokens.delete().where(tokens.c.name == name)).rowcount == 0:
        raise BadInput(f"there is no token for {name!r}")


def digest_of(token: str) -> bytes:
    """Return the stored hash of a token."""
    return sha256(token.encode()).digest()


def seal(connection: Connection, name: str, scope: str, text: str) -> str | None:
    """Sign a text with the stored hash of a holder's token; None if the token does not have the scope."""
    found = connection.execute(tokens.select().where(tokens.c.name == name)).mappings().first()
    if found is None or scope not in found["scopes"].split():
        return None
    return hmac.new(bytes(found["digest"]), text.encode(), sha256).hexdigest()
