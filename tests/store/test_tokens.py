"""Personal tokens: shown once, stored as a digest, limited to their scopes."""

import pytest

from bolicho.errors import BadInput
from bolicho.store import tokens
from bolicho.store.database import open_database


@pytest.fixture
def connection(tmp_path):
    with open_database(str(tmp_path / "matches.db")).begin() as connection:
        yield connection


def test_token_has_an_owner_and_scopes(connection):
    token = tokens.new_token(connection, "lab-1", ["research", "bot", "bot"])
    assert tokens.holder(connection, token) == tokens.Holder("lab-1", frozenset({"bot", "research"}))
    assert tokens.holder(connection, token + "x") is None


def test_stored_row_does_not_hold_the_token(connection):
    token = tokens.new_token(connection, "b", ["bot"])
    kept = connection.execute(tokens.tokens.select()).mappings().one()
    assert token.encode() not in b" ".join(str(value).encode() for value in kept.values())


def test_revoked_token_is_invalid(connection):
    token = tokens.new_token(connection, "b", ["bot"])
    tokens.revoke(connection, "b")
    assert tokens.holder(connection, token) is None and tokens.holders(connection) == []
    with pytest.raises(BadInput, match="there is no token for 'b'"):
        tokens.revoke(connection, "b")


@pytest.mark.parametrize(
    ("name", "scopes", "why"),
    [
        ("", ["bot"], "1 to 40 letters"),
        ("a b", ["bot"], "1 to 40"),
        ("a", [], "a token needs a scope"),
        ("a", ["all"], "scope"),
    ],
)
def test_invalid_names_and_scopes_are_refused(connection, name, scopes, why):
    with pytest.raises(BadInput, match=why):
        tokens.new_token(connection, name, scopes)


def test_a_name_has_one_token(connection):
    tokens.new_token(connection, "b", ["bot"])
    with pytest.raises(BadInput, match="revoke"):
        tokens.new_token(connection, "b", ["bot"])
