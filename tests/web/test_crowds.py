"""Many clients at once: people have priority over watched matches, and no client can exhaust the server."""

import asyncio
import threading
from collections import OrderedDict
from concurrent.futures import Future
from functools import partial
from itertools import pairwise

import httpx
import pytest

from bolicho.i18n import Message
from bolicho.store.database import open_database
from bolicho.web import app_state as app_state_module
from bolicho.web import requests
from bolicho.web.app import make_app
from bolicho.web.app_state import Settings
from bolicho.web.clock import Clock
from bolicho.web.connections import WATCHED, WATCHED_BY_CLIENT, Connections, LiveConnection
from bolicho.web.refusal import Refusal
from bolicho.web.requests import RequestedSeat
from bolicho.web.schemas import client_of
from bolicho.web.transactions import A_MOMENT, Transaction, TransactionThread
from bolicho.web.workers import AgentPool, DecisionRequest
from tests.web.running import invited, me

# --- Decisions of agents ----------------------------------------------------------------------------


class Manual(AgentPool):
    """An agent pool whose workers answer when the test decides."""

    def __init__(self, processes):
        super().__init__(["truco"], processes=processes)
        self.given = []

    def do(self, what, work, thought, explain):
        self.given.append((thought.spec, Future()))
        return self.given[-1][1]

    def finish(self, at=0):
        self.given.pop(at)[1].set_result({"number": 1})

    @property
    def names(self):
        return [spec for spec, _ in self.given]


def thought(spec, watched):
    return DecisionRequest("truco", {}, 1, (), spec, "", watched)


def test_decisions_for_people_come_before_matches_of_agents_alone():
    agent_pool = Manual(processes=2)
    for number in range(5):
        agent_pool.think(thought(f"watched{number}", True))
    first, second = (agent_pool.think(thought(f"person{number}", False)) for number in range(2))
    assert agent_pool.names == ["watched0", "watched1"]  # running decisions are not interrupted
    agent_pool.finish()
    agent_pool.finish()
    assert agent_pool.names == ["person0", "person1"]
    agent_pool.finish()
    assert first.result() == {"number": 1} and not second.done()
    assert agent_pool.names == ["person1", "watched2"]


def test_cancelled_decision_is_not_computed():
    agent_pool = Manual(processes=1)
    agent_pool.think(thought("first", False))
    assert agent_pool.think(thought("cancelled", False)).cancel()
    agent_pool.think(thought("last", False))
    agent_pool.finish()
    assert agent_pool.names == ["last"]


def test_lost_worker_fails_its_decision_and_the_next_decision_runs():
    agent_pool = Manual(processes=1)
    lost = agent_pool.think(thought("lost", False))
    agent_pool.think(thought("next", False))
    agent_pool.given.pop()[1].set_exception(RuntimeError("lost"))
    assert isinstance(lost.exception(), RuntimeError) and agent_pool.names == ["next"]


# --- Transactions -----------------------------------------------------------------------------------


class NoConnections:
    """Connections without clients."""

    def listening(self, match):
        return ()

    def is_looked_at(self, match):
        return False

    def send_changes(self, news):
        pass


@pytest.fixture
def engine(tmp_path):
    engine = open_database(str(tmp_path / "matches.db"))
    yield engine
    engine.dispose()


def test_requests_of_people_are_answered_before_background_requests(engine):
    done, gate = [], threading.Event()

    async def ask():
        transactions = TransactionThread(engine, AgentPool(["truco"]), NoConnections(), asyncio.get_running_loop())
        first = transactions.ask(lambda transaction: gate.wait(20))
        later = [
            transactions.ask(lambda transaction, n=n: done.append(f"background {n}"), background=True)
            for n in range(20)
        ]
        people = [transactions.ask(lambda transaction, n=n: done.append(f"person {n}")) for n in range(3)]
        gate.set()
        await asyncio.gather(first, *later, *people)
        transactions.close()

    asyncio.run(ask())
    assert max(done.index(f"person {n}") for n in range(3)) < done.index("background 4")
    assert [one for one in done if one.startswith("background")] == [f"background {n}" for n in range(20)]


def test_transactions_of_agents_alone_play_few_plies_each(engine):
    agent_pool = AgentPool(["truco"])
    agent_pool._seconds["truco", "balanced"] = 0.0  # answers at once
    places = [RequestedSeat("agent", agent="balanced")] * 2
    for _ in range(3):
        with engine.begin() as connection:
            transaction = Transaction(connection, OrderedDict(), agent_pool, NoConnections(), 1000.0)
            number = requests.make(transaction, game="truco", rules={}, places=places, options={})["match"]
            plies = [0, transaction.match(number).ply]
            while requests.go_on(transaction, number).more:
                plies.append(transaction.match(number).ply)
            assert transaction.match(number).state == "over"
            assert max(after - before for before, after in pairwise(plies)) <= A_MOMENT


# --- Watched matches --------------------------------------------------------------------------------


def refused(work):
    with pytest.raises(Refusal) as found:
        work()
    assert found.value.status == 429
    return found.value


def watch(connections, client, number):
    with connections.watched(client) as made:
        connections._thinking[number] = None  # it is under way
        made.append(number)


def test_watched_matches_are_limited_by_client_and_in_total():
    connections = Connections(AgentPool(["truco"]))
    for number in range(WATCHED_BY_CLIENT):
        watch(connections, "a", f"a{number}")
    assert refused(lambda: watch(connections, "a", "more")).says.facts == {"most": WATCHED_BY_CLIENT}
    for number in range(WATCHED - WATCHED_BY_CLIENT):
        watch(connections, f"client {number}", f"b{number}")
    assert refused(lambda: watch(connections, "another", "more")).says.facts == {"most": WATCHED}
    connections._thought("a0")  # over
    watch(connections, "another", "more")
    refused(lambda: watch(connections, "a", "more still"))


def test_refused_or_already_finished_watched_match_is_not_counted():
    connections = Connections(AgentPool(["truco"]))
    for _ in range(2 * WATCHED):
        with pytest.raises(Refusal), connections.watched("a"):
            raise Refusal(422, Message("server.illegal"))
        with connections.watched("a") as made:
            made.append("short")
    assert connections._watched.total() == 0


# --- Rates ------------------------------------------------------------------------------------------


class Frozen(Clock):
    """A clock that stands still, so that rates do not recover."""

    def now(self):
        return 1000.0

    def monotonic(self):
        return 1000.0

    async def sleep(self, seconds):
        await asyncio.Event().wait()


@pytest.fixture
def asked(engine, tmp_path):
    """Run a coroutine function that requests an in-process application from any address, and return its result."""

    def run(play):
        async def serve():
            app = make_app(Settings("", runs=str(tmp_path)), AgentPool(["truco"]), engine, Frozen())
            await app.state.app_state.open()
            try:
                return await play(partial(ask, app))
            finally:
                await app.state.app_state.close()

        return asyncio.run(serve())

    async def ask(app, method, path, body=None, token=None, client="127.0.0.1"):
        headers = {} if token is None else {"authorization": f"Bearer {token}"}
        wire = httpx.ASGITransport(app, client=(client, 1))
        async with httpx.AsyncClient(transport=wire, base_url="http://bolicho") as visitor:
            return await visitor.request(method, path, json=body, headers=headers)

    return run


async def flood(ask, path, **more):
    """Send requests until one is refused for its rate."""
    for _ in range(1000):
        if (await ask("GET", path, **more)).status_code == 429:
            return
    raise AssertionError("no request was refused")


async def made(ask):
    """Make a match that waits for an invited player, and return its address and the invitation."""
    told = (await ask("POST", "/api/matches", {"game": "truco", "seats": [me(), invited()]})).json()
    return f"/api/matches/{told['match']}", told["seats"][1]["invite"]


def test_flood_of_reads_does_not_block_an_invited_player(asked):
    async def play(ask):
        path, invite = await made(ask)
        for client in ("203.0.113.9", "127.0.0.1"):  # from another address, and from that of the player
            await flood(ask, path, client=client)
        for what in ("/view", "/fair"):
            assert (await ask("GET", path + what)).status_code == 429
        assert (await ask("GET", path, token=invite)).status_code == 200  # an invitation has its own rate
        sat = await ask("POST", f"{path}/sit", {"invite": invite, "name": "Rui"})
        token = sat.json()["token"]
        return [(await ask("GET", path + what, token=token)).status_code for what in ("", "/view", "/fair", "/record")]

    assert asked(play) == [200] * 4


def test_flood_of_wrong_invitations_does_not_block_an_invited_player(asked):
    async def play(ask):
        path, invite = await made(ask)
        wrong = [await ask("POST", f"{path}/sit", {"invite": "wrong", "name": "Eve"}) for _ in range(30)]
        assert {answer.status_code for answer in wrong} == {410, 429}
        return (await ask("POST", f"{path}/sit", {"invite": invite, "name": "Rui"})).status_code

    assert asked(play) == 200


def test_one_client_cannot_use_up_the_rate_of_another(asked):
    async def play(ask):
        path, _ = await made(ask)
        await flood(ask, path, client="203.0.113.10")
        for _ in range(300):  # a token in the form of a client key
            await ask("GET", path, token="client 203.0.113.11", client="203.0.113.12")
        return (await ask("GET", path, client="203.0.113.11")).status_code

    assert asked(play) == 200


def test_one_client_cannot_take_all_spectator_connections(monkeypatch, engine):
    monkeypatch.setattr(app_state_module, "WATCHING_CLIENT", 3)

    async def watch():
        app_state = app_state_module.AppState(Settings("", runs="/nonexistent"), engine, AgentPool(["truco"]))
        app_state.connections.transactions = app_state.transactions = TransactionThread(
            engine, app_state.agent_pool, app_state.connections, asyncio.get_running_loop()
        )
        try:
            places = [RequestedSeat("me", "Ana"), RequestedSeat("open")]
            ask = lambda transaction: requests.make(transaction, game="truco", rules={}, places=places, options={})  # noqa: E731
            made = await app_state.transactions.ask(ask)
            come = lambda client: app_state.welcome(LiveConnection(None, made["match"], client), None)  # noqa: E731
            for _ in range(3):
                await come("a")
            with pytest.raises(Refusal) as found:
                await come("a")
            await come("b")
            return found.value.says.key
        finally:
            app_state.transactions.close()

    assert asyncio.run(watch()) == "server.crowd"


@pytest.mark.parametrize(
    ("host", "counted"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
    ],
)
def test_clients_are_identified_by_ipv4_address_or_ipv6_network(host, counted):
    class Connection:
        client = type("Address", (), {"host": host})

    assert client_of(Connection()) == f"client\n{counted}"
