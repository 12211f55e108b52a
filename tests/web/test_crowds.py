"""Many at once: people come before matches that are only watched, and nobody can use up what a seat needs."""

import asyncio
import threading
from collections import OrderedDict
from concurrent.futures import Future
from functools import partial
from itertools import pairwise

import httpx
import pytest

from bolicho.store.database import open_database
from bolicho.web import house as house_module
from bolicho.web import requests
from bolicho.web.app import make_app
from bolicho.web.clerk import A_MOMENT, Book, Clerk
from bolicho.web.clock import Clock
from bolicho.web.hall import WATCHED, WATCHED_BY_CLIENT, Guest, Hall
from bolicho.web.house import Settings
from bolicho.web.refusal import Refusal
from bolicho.web.requests import Place
from bolicho.web.thinking import Roster, Thought
from bolicho.web.wire import client_of
from bolicho.words import Said
from tests.web.running import invited, me

# --- Agents that think ------------------------------------------------------------------------------


class Manual(Roster):
    """A roster whose processes answer when the test says so."""

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
    return Thought("truco", {}, 1, (), spec, "", watched)


def test_a_person_s_opponent_thinks_before_agents_that_play_each_other():
    roster = Manual(processes=2)
    for number in range(5):
        roster.think(thought(f"watched{number}", True))
    first, second = (roster.think(thought(f"person{number}", False)) for number in range(2))
    assert roster.names == ["watched0", "watched1"]  # what has begun is not interrupted
    roster.finish()
    roster.finish()
    assert roster.names == ["person0", "person1"]
    roster.finish()
    assert first.result() == {"number": 1} and not second.done()
    assert roster.names == ["person1", "watched2"]


def test_a_move_that_nobody_waits_for_any_more_is_not_thought_about():
    roster = Manual(processes=1)
    roster.think(thought("first", False))
    assert roster.think(thought("cancelled", False)).cancel()
    roster.think(thought("last", False))
    roster.finish()
    assert roster.names == ["last"]


def test_a_process_that_is_lost_is_told_to_who_asked_and_the_next_is_asked():
    roster = Manual(processes=1)
    lost = roster.think(thought("lost", False))
    roster.think(thought("next", False))
    roster.given.pop()[1].set_exception(RuntimeError("lost"))
    assert isinstance(lost.exception(), RuntimeError) and roster.names == ["next"]


# --- The clerk --------------------------------------------------------------------------------------


class Nobody:
    """A hall where nobody listens."""

    def listening(self, match):
        return ()

    def is_looked_at(self, match):
        return False

    def tell(self, news):
        pass


@pytest.fixture
def engine(tmp_path):
    engine = open_database(str(tmp_path / "matches.db"))
    yield engine
    engine.dispose()


def test_requests_of_people_are_answered_before_those_in_the_background(engine):
    done, gate = [], threading.Event()

    async def ask():
        clerk = Clerk(engine, Roster(["truco"]), Nobody(), asyncio.get_running_loop())
        first = clerk.ask(lambda book: gate.wait(20))
        later = [clerk.ask(lambda book, n=n: done.append(f"background {n}"), background=True) for n in range(20)]
        people = [clerk.ask(lambda book, n=n: done.append(f"person {n}")) for n in range(3)]
        gate.set()
        await asyncio.gather(first, *later, *people)
        clerk.close()

    asyncio.run(ask())
    assert max(done.index(f"person {n}") for n in range(3)) < done.index("background 4")
    assert [one for one in done if one.startswith("background")] == [f"background {n}" for n in range(20)]


def test_agents_that_play_each_other_do_not_hold_a_transaction_for_long(engine):
    roster = Roster(["truco"])
    roster._seconds["truco", "balanced"] = 0.0  # answers at once
    places = [Place("agent", agent="balanced")] * 2
    for _ in range(3):
        with engine.begin() as connection:
            book = Book(connection, OrderedDict(), roster, Nobody(), 1000.0)
            number = requests.make(book, game="truco", rules={}, places=places, options={})["match"]
            plies = [0, book.match(number).ply]
            while requests.go_on(book, number).more:
                plies.append(book.match(number).ply)
            assert book.match(number).state == "over"
            assert max(after - before for before, after in pairwise(plies)) <= A_MOMENT


# --- Watched matches --------------------------------------------------------------------------------


def refused(work):
    with pytest.raises(Refusal) as found:
        work()
    assert found.value.status == 429
    return found.value


def watch(hall, client, number):
    with hall.watched(client) as made:
        hall._thinking[number] = None  # it is under way
        made.append(number)


def test_one_client_has_so_many_watched_matches_at_a_time_and_all_have_so_many():
    hall = Hall(Roster(["truco"]))
    for number in range(WATCHED_BY_CLIENT):
        watch(hall, "a", f"a{number}")
    assert refused(lambda: watch(hall, "a", "more")).says.facts == {"most": WATCHED_BY_CLIENT}
    for number in range(WATCHED - WATCHED_BY_CLIENT):
        watch(hall, f"client {number}", f"b{number}")
    assert refused(lambda: watch(hall, "another", "more")).says.facts == {"most": WATCHED}
    hall._thought("a0")  # over
    watch(hall, "another", "more")
    refused(lambda: watch(hall, "a", "more still"))


def test_a_watched_match_that_was_not_made_or_is_over_at_once_is_not_counted():
    hall = Hall(Roster(["truco"]))
    for _ in range(2 * WATCHED):
        with pytest.raises(Refusal), hall.watched("a"):
            raise Refusal(422, Said("server.illegal"))
        with hall.watched("a") as made:
            made.append("short")
    assert hall._watched.total() == 0


# --- Rates ------------------------------------------------------------------------------------------


class Frozen(Clock):
    """A clock that stands still: what was used up does not come back."""

    def now(self):
        return 1000.0

    def monotonic(self):
        return 1000.0

    async def sleep(self, seconds):
        await asyncio.Event().wait()


@pytest.fixture
def asked(engine, tmp_path):
    """Ask an application in this process, from any address; the answers of a coroutine function that asks."""

    def run(play):
        async def serve():
            app = make_app(Settings("", runs=str(tmp_path)), Roster(["truco"]), engine, Frozen())
            await app.state.house.open()
            try:
                return await play(partial(ask, app))
            finally:
                await app.state.house.close()

        return asyncio.run(serve())

    async def ask(app, method, path, body=None, token=None, client="127.0.0.1"):
        headers = {} if token is None else {"authorization": f"Bearer {token}"}
        wire = httpx.ASGITransport(app, client=(client, 1))
        async with httpx.AsyncClient(transport=wire, base_url="http://bolicho") as visitor:
            return await visitor.request(method, path, json=body, headers=headers)

    return run


async def flood(ask, path, **more):
    """Ask until that is too often."""
    for _ in range(1000):
        if (await ask("GET", path, **more)).status_code == 429:
            return
    raise AssertionError("nobody was refused")


async def made(ask):
    """A match that waits for an invited player: its address, and the invitation."""
    told = (await ask("POST", "/api/matches", {"game": "truco", "seats": [me(), invited()]})).json()
    return f"/api/matches/{told['match']}", told["seats"][1]["invite"]


def test_a_flood_of_looks_keeps_no_invited_player_out(asked):
    async def play(ask):
        path, invite = await made(ask)
        for client in ("203.0.113.9", "127.0.0.1"):  # from elsewhere, and from the address of the player
            await flood(ask, path, client=client)
        for what in ("/view", "/fair"):
            assert (await ask("GET", path + what)).status_code == 429
        assert (await ask("GET", path, token=invite)).status_code == 200  # an invitation is counted by itself
        sat = await ask("POST", f"{path}/sit", {"invite": invite, "name": "Rui"})
        token = sat.json()["token"]
        return [(await ask("GET", path + what, token=token)).status_code for what in ("", "/view", "/fair", "/record")]

    assert asked(play) == [200] * 4


def test_a_flood_of_wrong_invitations_keeps_no_invited_player_out(asked):
    async def play(ask):
        path, invite = await made(ask)
        wrong = [await ask("POST", f"{path}/sit", {"invite": "wrong", "name": "Eve"}) for _ in range(30)]
        assert {answer.status_code for answer in wrong} == {410, 429}
        return (await ask("POST", f"{path}/sit", {"invite": invite, "name": "Rui"})).status_code

    assert asked(play) == 200


def test_one_client_cannot_use_up_the_looks_or_the_matches_of_another(asked):
    async def play(ask):
        path, _ = await made(ask)
        await flood(ask, path, client="203.0.113.10")
        for _ in range(300):  # a token that looks like a client is none
            await ask("GET", path, token="client 203.0.113.11", client="203.0.113.12")
        return (await ask("GET", path, client="203.0.113.11")).status_code

    assert asked(play) == 200


def test_one_client_cannot_take_all_places_of_those_who_watch(monkeypatch, engine):
    monkeypatch.setattr(house_module, "WATCHING_CLIENT", 3)

    async def watch():
        house = house_module.House(Settings("", runs="/nonexistent"), engine, Roster(["truco"]))
        house.hall.clerk = house.clerk = Clerk(engine, house.roster, house.hall, asyncio.get_running_loop())
        try:
            places = [Place("me", "Ana"), Place("open")]
            ask = lambda book: requests.make(book, game="truco", rules={}, places=places, options={})  # noqa: E731
            made = await house.clerk.ask(ask)
            come = lambda client: house.welcome(Guest(None, made["match"], client), None)  # noqa: E731
            for _ in range(3):
                await come("a")
            with pytest.raises(Refusal) as found:
                await come("a")
            await come("b")
            return found.value.says.key
        finally:
            house.clerk.close()

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
def test_a_client_is_an_address_or_a_network_of_ipv6(host, counted):
    class Connection:
        client = type("Address", (), {"host": host})

    assert client_of(Connection()) == f"client\n{counted}"
