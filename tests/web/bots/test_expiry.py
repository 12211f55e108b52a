"""Expiry of challenges without an answer: sooner for a person who waits at the table."""

from collections import OrderedDict

import pytest

from bolicho.store import challenges, database, tokens
from bolicho.store.database import open_database
from bolicho.web.bots import challenges as asked
from bolicho.web.refusal import Refusal
from bolicho.web.requests import RequestedSeat
from bolicho.web.transactions import Transaction
from bolicho.web.workers import AgentPool
from tests.web.test_transactions import OPTIONS, StubConnections

GAME = {"game": "truco", "rules": {}, "options": OPTIONS}


@pytest.fixture
def connection(tmp_path):
    engine = open_database(str(tmp_path / "matches.db"))
    with engine.begin() as connection:
        yield connection
    engine.dispose()


def transaction(connection, after=0.0):
    return Transaction(connection, OrderedDict(), AgentPool(["truco"]), StubConnections(), database.now() + after)


def test_challenge_expires_after_its_time(connection):
    ana, rui = (tokens.new_token(connection, name, ["bot"]) for name in ("ana", "rui"))
    to_rui = [RequestedSeat("self"), RequestedSeat("bot", "rui")]
    by_bot = asked.challenge(transaction(connection), ana, places=to_rui, **GAME)["match"]
    by_person = asked.make(transaction(connection), None, places=[RequestedSeat("me", "Zé"), to_rui[1]], **GAME)[
        "match"
    ]
    for after, still in (
        (0, [by_bot, by_person]),
        (challenges.PERSON_CHALLENGE_SECONDS + 1, [by_bot]),
        (challenges.BOT_CHALLENGE_SECONDS + 1, []),
    ):
        later = transaction(connection, after)
        assert sorted(asked.current(later, rui).challenges) == sorted(still)
        for match in {by_bot, by_person} - set(still):
            with pytest.raises(Refusal) as refused:
                asked.accept(transaction(connection, after), rui, match, "")
            assert refused.value.says.key == "server.bots.closed"
    told = asked.news(
        transaction(connection, challenges.BOT_CHALLENGE_SECONDS + 1), rui, asked.current(transaction(connection), rui)
    )[1]
    assert [event["state"] for event in told] == ["expired", "expired"]


def test_open_challenges_of_a_bot_are_limited(connection):
    ana = tokens.new_token(connection, "ana", ["bot"])
    for _ in range(asked.MOST):
        asked.challenge(transaction(connection), ana, places=[RequestedSeat("self"), RequestedSeat("bot")], **GAME)
    with pytest.raises(Refusal) as refused:
        asked.challenge(transaction(connection), ana, places=[RequestedSeat("self"), RequestedSeat("bot")], **GAME)
    assert refused.value.status == 429
