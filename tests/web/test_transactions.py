"""Transactions and connections: requests are atomic, and messages are sent in order."""

import asyncio
import json

import pytest
import sqlalchemy as sa

from bolicho.store import database
from bolicho.store.database import Conflict, open_database
from bolicho.web import requests
from bolicho.web.connections import Connections, LiveConnection
from bolicho.web.refusal import Refusal
from bolicho.web.requests import RequestedSeat
from bolicho.web.transactions import Transaction, TransactionThread
from bolicho.web.workers import AgentPool

OPTIONS = {"why": True, "hint": True, "open_end": True, "clock": None}
PEOPLE = [RequestedSeat("me", "Ana"), RequestedSeat("me", "Beto")]


def made(transaction, places=PEOPLE, game="truco", **options):
    told = requests.make(transaction, game=game, rules={}, places=places, options={**OPTIONS, **options})
    return told["match"], [seat.get("token") or seat.get("invite") for seat in told["seats"]]


class StubConnections:
    """Connections that record their messages, with a given audience."""

    def __init__(self, audience=()):
        self.audience = audience
        self.news = []

    def is_looked_at(self, match):
        return bool(self.listening(match))

    def listening(self, match):
        return self.audience

    def send_changes(self, news):
        self.news += news


class Wire:
    """A connection that records the messages sent to it."""

    def __init__(self):
        self.texts = []

    async def send_text(self, text):
        self.texts.append(json.loads(text))
        await asyncio.sleep(0)


def run(work, tmp_path, connections=None, url=None):
    """Run a coroutine function with a transaction thread."""

    async def begin():
        engine = open_database(url or str(tmp_path / "matches.db"))
        place = connections or StubConnections()
        transactions = TransactionThread(engine, AgentPool(), place, asyncio.get_running_loop())
        if isinstance(place, Connections):
            place.transactions = transactions
        try:
            return await asyncio.wait_for(work(transactions), 60)
        finally:
            transactions.close()
            engine.dispose()

    return asyncio.run(begin())


def stored(transactions, match):
    with transactions.engine.connect() as connection:
        return len(database.read_moves(connection, match))


def first_legal(transaction, match, tokens):
    table = transaction.match(match).table
    return requests.move(transaction, match, tokens[table.turn], table.ply, str(table.view().legal[0]))


def test_failing_request_is_rolled_back_and_other_requests_are_answered(tmp_path):
    async def work(transactions):
        match, tokens = await transactions.ask(made)

        def breaks(transaction):
            first_legal(transaction, match, tokens)
            raise ZeroDivisionError

        before = transactions.ask(lambda transaction: made(transaction)[0])
        broken = transactions.ask(breaks)
        after = transactions.ask(lambda transaction: made(transaction)[0])
        with pytest.raises(ZeroDivisionError):
            await broken
        assert await before != await after
        assert (
            await transactions.ask(lambda transaction: transaction.match(match).ply) == 0 == stored(transactions, match)
        )
        assert await transactions.ask(lambda transaction: first_legal(transaction, match, tokens))
        assert stored(transactions, match) == 1

    run(work, tmp_path)


def test_failing_view_does_not_put_memory_ahead_of_the_rows(tmp_path, monkeypatch):
    async def work(transactions):
        match, tokens = await transactions.ask(made)
        with monkeypatch.context() as patch:
            patch.setattr("bolicho.web.match.Match.view", None)
            with pytest.raises(TypeError):
                await transactions.ask(lambda transaction: first_legal(transaction, match, tokens))
        assert (
            await transactions.ask(lambda transaction: transaction.match(match).ply) == stored(transactions, match) == 0
        )

    run(work, tmp_path, StubConnections((0,)))


def test_failure_in_a_message_does_not_end_the_transaction_thread(tmp_path, monkeypatch):
    async def work(transactions):
        match, tokens = await transactions.ask(made)
        with monkeypatch.context() as patch:
            patch.setattr("bolicho.web.match.Match.news", None)
            with pytest.raises(TypeError):
                await transactions.ask(lambda transaction: first_legal(transaction, match, tokens))
        ply = await transactions.ask(lambda transaction: transaction.match(match).ply)
        assert ply == stored(transactions, match)
        assert await transactions.ask(lambda transaction: first_legal(transaction, match, tokens))

    run(work, tmp_path, StubConnections((0,)))


def test_move_is_kept_when_a_later_request_in_its_transaction_is_refused(tmp_path):
    async def work(transactions):
        match, tokens = await transactions.ask(made)

        def both(transaction):
            first_legal(transaction, match, tokens)
            with pytest.raises(Refusal) as refused:
                requests.move(transaction, match, tokens[0], 7, "truco")
            assert refused.value.says.key == "server.late"
            return transaction.match(match).ply

        assert await transactions.ask(both) == 1 == stored(transactions, match)

    connections = StubConnections((0,))
    run(work, tmp_path, connections)
    assert json.loads(connections.news[-1].messages[0])["is"] == "view"


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_conflict_is_resolved_by_reading_the_match_again(kind, tmp_path, request):
    async def work(transactions):
        match, tokens = await transactions.ask(made)
        table = await transactions.ask(lambda transaction: transaction.match(match).table.copy())
        action = table.view().legal[0]
        with transactions.engine.begin() as other:  # another process was faster
            database.add_moves(other, [(match, 0, table.turn, int(action), database.now())])
        with pytest.raises(Refusal) as refused:
            other_action = str(table.view().legal[-1])
            await transactions.ask(
                lambda transaction: requests.move(transaction, match, tokens[table.turn], 0, other_action)
            )
        assert refused.value.says.key in ("server.late", "server.turn") and refused.value.status == 409
        assert await transactions.ask(lambda transaction: transaction.match(match).ply) == 1

    run(work, tmp_path, url=None if kind == "sqlite" else request.getfixturevalue("postgresql"))


def test_missed_views_are_sent_before_later_ones(tmp_path):
    async def work(transactions):
        match, tokens = await transactions.ask(made)
        wire = Wire()
        guest = LiveConnection(wire, match)
        await transactions.ask(lambda transaction: connections.join(guest, 0, 0))
        guest.greet('{"is": "hello"}')
        for _ in range(20):
            catching = asyncio.ensure_future(connections.catch_up(guest))
            await asyncio.sleep(0)
            await asyncio.gather(
                *(transactions.ask(lambda transaction: first_legal(transaction, match, tokens)) for _ in range(2))
            )
            await catching
            if await transactions.ask(lambda transaction: transaction.match(match).table.over):
                break
        await asyncio.sleep(0.1)
        plies = [text["ply"] for text in wire.texts[1:]]
        assert plies == sorted(plies) and len(plies) > 10

    connections = Connections(AgentPool())
    run(work, tmp_path, connections)


def test_player_connected_to_another_process_counts_as_present(tmp_path):
    async def work(transactions):
        now = database.now()
        with transactions.engine.begin() as other:  # the other process has a long uptime
            database.set_uptime(other, database.add_uptime(other, now - 1000), now)
        match, _ = await transactions.ask(made)
        await transactions.ask(
            lambda transaction: requests.seen(transaction, {(match, 0): (now, True), (match, 1): (now, True)})
        )
        assert await transactions.ask(lambda transaction: transaction.match(match).here(now)) == (True, True)
        with transactions.engine.begin() as other:  # another process has later contact with seat 1, not with seat 0
            database.set_seen(other, {(match, 0): (now - 100, True), (match, 1): (now + 100, True)})
        heard = len(connections.news)
        await transactions.ask(lambda transaction: requests.seen(transaction, {}, [match]))
        assert await transactions.ask(lambda transaction: transaction.match(match).here(now + 120)) == (False, True)
        assert len(connections.news) == heard + 1  # spectators get a message about the absence
        await transactions.ask(lambda transaction: requests.seen(transaction, {}, [match]))
        assert len(connections.news) == heard + 1

    connections = StubConnections((0,))
    run(work, tmp_path, connections)


def test_agent_is_overdue_after_a_time_if_its_match_is_viewed(tmp_path):
    async def work(transactions):
        agents = [RequestedSeat("agent", agent="random")] * 2  # no process has measured them: they run elsewhere
        match, _ = await transactions.ask(lambda transaction: made(transaction, agents))

        def overdue(transaction, after):
            transaction.now = transaction.match(match).since + after
            return requests.seen(transaction, {}, [match])

        assert await transactions.ask(lambda transaction: overdue(transaction, requests.OVERDUE - 5)) == []
        assert await transactions.ask(lambda transaction: overdue(transaction, requests.OVERDUE + 5)) == [match]
        assert await transactions.ask(lambda transaction: requests.seen(transaction, {})) == []

    run(work, tmp_path)


# --- Two processes on PostgreSQL ------------------------------------------------------------------


def two(url, work):
    """Run a coroutine function with two transaction threads on one database."""

    async def begin():
        engines = [open_database(url) for _ in range(2)]
        loop = asyncio.get_running_loop()
        connections_of = [StubConnections((0, 1)), StubConnections((0, 1))]
        clerks = [
            TransactionThread(engine, AgentPool(), connections, loop)
            for engine, connections in zip(engines, connections_of, strict=True)
        ]
        try:
            return await asyncio.wait_for(work(*clerks), 60)
        finally:
            for transactions, engine in zip(clerks, engines, strict=True):
                transactions.close()
                engine.dispose()

    return asyncio.run(begin())


def test_cards_are_dealt_when_two_processes_take_the_last_seats_concurrently(postgresql):
    async def work(one, two):
        for _ in range(10):
            match, invites = await one.ask(
                lambda transaction: made(transaction, [RequestedSeat("open"), RequestedSeat("open")])
            )
            await two.ask(lambda transaction: transaction.match(match).id)  # noqa: B023
            sits = [
                transactions.ask(lambda transaction, code=code: requests.sit(transaction, match, code, "A", ""))  # noqa: B023
                for transactions, code in zip((one, two), invites, strict=True)
            ]
            await asyncio.gather(*sits)
            assert await one.ask(lambda transaction: transaction.again(match).state) == "playing"  # noqa: B023
            assert await two.ask(lambda transaction: transaction.again(match).state) == "playing"  # noqa: B023

    two(postgresql, work)


def test_invitation_used_concurrently_at_two_processes_seats_one_person(postgresql):
    async def work(one, two):
        match, (_, invite) = await one.ask(
            lambda transaction: made(transaction, [RequestedSeat("me", "A"), RequestedSeat("open")])
        )
        await two.ask(lambda transaction: transaction.match(match).id)
        sits = [
            transactions.ask(lambda transaction: requests.sit(transaction, match, invite, "B", ""))
            for transactions in (one, two)
        ]
        done = await asyncio.gather(*sits, return_exceptions=True)
        refused = [problem for problem in done if isinstance(problem, Refusal)]
        assert len(refused) == 1 and refused[0].status == 410

    two(postgresql, work)


def test_new_token_is_valid_at_the_other_process_at_once(postgresql):
    async def work(one, two):
        match, (_, invite) = await one.ask(
            lambda transaction: made(transaction, [RequestedSeat("me", "A"), RequestedSeat("open")])
        )
        await two.ask(lambda transaction: transaction.match(match).id)
        told = await one.ask(lambda transaction: requests.sit(transaction, match, invite, "B", ""))
        look = await two.ask(lambda transaction: requests.read_match(transaction, match, told["token"]))
        assert look.seat == 1 and look.ply == 0

    two(postgresql, work)


def test_no_claim_against_a_player_connected_to_another_process(postgresql):
    async def work(one, two):
        match, tokens = await one.ask(made)
        turn = await two.ask(lambda transaction: transaction.match(match).table.turn)
        with two.engine.begin() as connection:  # a player left a minute ago and has reconnected to the other process
            long_ago = sa.update(database.matches).where(database.matches.c.id == match)
            connection.execute(long_ago.values(dealt=database.now() - 100))
        await one.ask(lambda transaction: requests.seen(transaction, {(match, turn): (database.now(), True)}))
        with pytest.raises(Refusal) as refused:
            await two.ask(lambda transaction: requests.claim(transaction, match, tokens[1 - turn]))
        assert refused.value.says.key == "server.no-claim"

    two(postgresql, work)


def test_match_that_is_read_again_is_not_announced_to_other_processes(postgresql):
    async def work(one, two):
        match, tokens = await one.ask(made)
        await two.ask(lambda transaction: transaction.match(match).id)
        await one.ask(lambda transaction: first_legal(transaction, match, tokens))
        assert await two.ask(lambda transaction: (requests.again(transaction, [match]), transaction.changed())[1]) == []
        assert await two.ask(lambda transaction: transaction.match(match).ply) == 1

    two(postgresql, work)


def test_deadlocked_transactions_are_retried(postgresql):
    async def work(one, two):
        match, tokens = await one.ask(made)
        other, _ = await one.ask(made)
        meet = asyncio.Barrier(2)
        loop = asyncio.get_running_loop()
        met = []

        def both(first, second):
            def request(transaction: Transaction):
                database.lock_match(transaction.connection, first)
                if len(met) < 2:
                    met.append(first)
                    asyncio.run_coroutine_threadsafe(meet.wait(), loop).result(30)
                database.lock_match(transaction.connection, second)
                return True

            return request

        assert await asyncio.gather(one.ask(both(match, other)), two.ask(both(other, match))) == [True, True]
        assert len(met) == 2 and tokens

    two(postgresql, work)


def test_endless_conflict_is_refused_with_a_retry_time(tmp_path):
    async def work(transactions):
        def never(transaction):
            raise Conflict

        with pytest.raises(Refusal) as refused:
            await transactions.ask(never)
        assert refused.value.status == 503 and refused.value.after

    run(work, tmp_path)


def test_cached_agents_are_distinct_for_distinct_rules(tmp_path):
    """Check that an agent made for one game is never reused for another at the same memory address."""
    import bolicho

    agent_pool = AgentPool(["truco"])
    agent_pool._seconds["truco", "random"] = 0.0
    games = [bolicho.game("truco", target=target) for target in (12, 24)]
    seated = [agent_pool.at_once(game, "random") for game in games]
    assert seated[0] is not seated[1] and agent_pool.at_once(games[0], "random") is seated[0]
    assert {game for game, _ in agent_pool._seated} == set(games)  # kept alive with their agents


def test_match_decided_by_its_deal_is_over(tmp_path):
    async def work(transactions):
        def short(transaction):
            asked = {"game": "truco", "rules": {"target": 1}, "places": PEOPLE, "options": OPTIONS}
            return transaction.match(requests.make(transaction, **asked)["match"]).state

        return {await transactions.ask(short) for _ in range(300)}

    assert run(work, tmp_path) == {"playing", "over"}
