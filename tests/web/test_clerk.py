"""The clerk and the hall: requests are done whole or not at all, and everybody is told in order."""

import asyncio
import json

import pytest
import sqlalchemy as sa

from bolicho.store import database
from bolicho.store.database import Conflict, open_database
from bolicho.web import requests
from bolicho.web.clerk import Book, Clerk
from bolicho.web.hall import Guest, Hall
from bolicho.web.refusal import Refusal
from bolicho.web.requests import Place
from bolicho.web.thinking import Roster

OPTIONS = {"why": True, "hint": True, "open_end": True, "clock": None}
PEOPLE = [Place("me", "Ana"), Place("me", "Beto")]


def made(book, places=PEOPLE, game="truco", **options):
    told = requests.make(book, game=game, rules={}, places=places, options={**OPTIONS, **options})
    return told["match"], [seat.get("token") or seat.get("invite") for seat in told["seats"]]


class Silent:
    """A hall where nobody is."""

    def __init__(self, audience=()):
        self.audience = audience
        self.news = []

    def is_looked_at(self, match):
        return bool(self.listening(match))

    def listening(self, match):
        return self.audience

    def tell(self, news):
        self.news += news


class Wire:
    """A connection that remembers what it was sent."""

    def __init__(self):
        self.texts = []

    async def send_text(self, text):
        self.texts.append(json.loads(text))
        await asyncio.sleep(0)


def run(work, tmp_path, hall=None, url=None):
    """Run a coroutine that gets a clerk."""

    async def begin():
        engine = open_database(url or str(tmp_path / "matches.db"))
        place = hall or Silent()
        clerk = Clerk(engine, Roster(), place, asyncio.get_running_loop())
        if isinstance(place, Hall):
            place.clerk = clerk
        try:
            return await asyncio.wait_for(work(clerk), 60)
        finally:
            clerk.close()
            engine.dispose()

    return asyncio.run(begin())


def stored(clerk, match):
    with clerk.engine.connect() as connection:
        return len(database.read_moves(connection, match))


def first_legal(book, match, tokens):
    table = book.match(match).table
    return requests.move(book, match, tokens[table.turn], table.ply, str(table.view().legal[0]))


def test_a_request_that_breaks_leaves_nothing_behind_and_the_others_are_answered(tmp_path):
    async def work(clerk):
        match, tokens = await clerk.ask(made)

        def breaks(book):
            first_legal(book, match, tokens)
            raise ZeroDivisionError

        before = clerk.ask(lambda book: made(book)[0])
        broken = clerk.ask(breaks)
        after = clerk.ask(lambda book: made(book)[0])
        with pytest.raises(ZeroDivisionError):
            await broken
        assert await before != await after
        assert await clerk.ask(lambda book: book.match(match).ply) == 0 == stored(clerk, match)
        assert await clerk.ask(lambda book: first_legal(book, match, tokens))
        assert stored(clerk, match) == 1

    run(work, tmp_path)


def test_a_view_that_breaks_does_not_put_memory_ahead_of_the_rows(tmp_path, monkeypatch):
    async def work(clerk):
        match, tokens = await clerk.ask(made)
        with monkeypatch.context() as patch:
            patch.setattr("bolicho.web.match.Match.view", None)
            with pytest.raises(TypeError):
                await clerk.ask(lambda book: first_legal(book, match, tokens))
        assert await clerk.ask(lambda book: book.match(match).ply) == stored(clerk, match) == 0

    run(work, tmp_path, Silent((0,)))


def test_a_fault_in_what_is_told_does_not_end_the_clerk(tmp_path, monkeypatch):
    async def work(clerk):
        match, tokens = await clerk.ask(made)
        with monkeypatch.context() as patch:
            patch.setattr("bolicho.web.match.Match.news", None)
            with pytest.raises(TypeError):
                await clerk.ask(lambda book: first_legal(book, match, tokens))
        ply = await clerk.ask(lambda book: book.match(match).ply)
        assert ply == stored(clerk, match)
        assert await clerk.ask(lambda book: first_legal(book, match, tokens))

    run(work, tmp_path, Silent((0,)))


def test_a_move_is_not_forgotten_when_the_next_request_is_from_the_future(tmp_path):
    async def work(clerk):
        match, tokens = await clerk.ask(made)

        def both(book):
            first_legal(book, match, tokens)
            with pytest.raises(Refusal) as refused:
                requests.move(book, match, tokens[0], 7, "truco")
            assert refused.value.says.key == "server.late"
            return book.match(match).ply

        assert await clerk.ask(both) == 1 == stored(clerk, match)

    hall = Silent((0,))
    run(work, tmp_path, hall)
    assert json.loads(hall.news[-1].messages[0])["is"] == "view"


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_a_conflict_is_solved_by_reading_again(kind, tmp_path, request):
    async def work(clerk):
        match, tokens = await clerk.ask(made)
        table = await clerk.ask(lambda book: book.match(match).table.copy())
        action = table.view().legal[0]
        with clerk.engine.begin() as other:  # another process was quicker
            database.add_moves(other, [(match, 0, table.turn, int(action), database.now())])
        with pytest.raises(Refusal) as refused:
            other_action = str(table.view().legal[-1])
            await clerk.ask(lambda book: requests.move(book, match, tokens[table.turn], 0, other_action))
        assert refused.value.says.key in ("server.late", "server.turn") and refused.value.status == 409
        assert await clerk.ask(lambda book: book.match(match).ply) == 1

    run(work, tmp_path, url=None if kind == "sqlite" else request.getfixturevalue("postgresql"))


def test_somebody_who_missed_something_gets_it_before_what_comes_next(tmp_path):
    async def work(clerk):
        match, tokens = await clerk.ask(made)
        wire = Wire()
        guest = Guest(wire, match)
        await clerk.ask(lambda book: hall.join(guest, 0, 0))
        guest.greet('{"is": "hello"}')
        for _ in range(20):
            catching = asyncio.ensure_future(hall.catch_up(guest))
            await asyncio.sleep(0)
            await asyncio.gather(*(clerk.ask(lambda book: first_legal(book, match, tokens)) for _ in range(2)))
            await catching
            if await clerk.ask(lambda book: book.match(match).table.over):
                break
        await asyncio.sleep(0.1)
        plies = [text["ply"] for text in wire.texts[1:]]
        assert plies == sorted(plies) and len(plies) > 10

    hall = Hall(Roster())
    run(work, tmp_path, hall)


def test_who_was_heard_of_elsewhere_is_here(tmp_path):
    async def work(clerk):
        now = database.now()
        with clerk.engine.begin() as other:  # the other process has been up for long
            database.set_uptime(other, database.add_uptime(other, now - 1000), now)
        match, _ = await clerk.ask(made)
        await clerk.ask(lambda book: requests.seen(book, {(match, 0): (now, True), (match, 1): (now, True)}))
        assert await clerk.ask(lambda book: book.match(match).here(now)) == (True, True)
        with clerk.engine.begin() as other:  # another process has heard of seat 1 since, and not of seat 0
            database.set_seen(other, {(match, 0): (now - 100, True), (match, 1): (now + 100, True)})
        heard = len(hall.news)
        await clerk.ask(lambda book: requests.seen(book, {}, [match]))
        assert await clerk.ask(lambda book: book.match(match).here(now + 120)) == (False, True)
        assert len(hall.news) == heard + 1  # those who look at it are told that somebody is gone
        await clerk.ask(lambda book: requests.seen(book, {}, [match]))
        assert len(hall.news) == heard + 1

    hall = Silent((0,))
    run(work, tmp_path, hall)


def test_an_agent_that_has_not_played_for_long_is_overdue_where_its_match_is_looked_at(tmp_path):
    async def work(clerk):
        agents = [Place("agent", agent="random")] * 2  # no roster has measured them: they think elsewhere
        match, _ = await clerk.ask(lambda book: made(book, agents))

        def overdue(book, after):
            book.now = book.match(match).since + after
            return requests.seen(book, {}, [match])

        assert await clerk.ask(lambda book: overdue(book, requests.OVERDUE - 5)) == []
        assert await clerk.ask(lambda book: overdue(book, requests.OVERDUE + 5)) == [match]
        assert await clerk.ask(lambda book: requests.seen(book, {})) == []

    run(work, tmp_path)


# --- Two processes on PostgreSQL ------------------------------------------------------------------


def two(url, work):
    """Two clerks on one database, each with a hall of its own."""

    async def begin():
        engines = [open_database(url) for _ in range(2)]
        loop = asyncio.get_running_loop()
        halls = [Silent((0, 1)), Silent((0, 1))]
        clerks = [Clerk(engine, Roster(), hall, loop) for engine, hall in zip(engines, halls, strict=True)]
        try:
            return await asyncio.wait_for(work(*clerks), 60)
        finally:
            for clerk, engine in zip(clerks, engines, strict=True):
                clerk.close()
                engine.dispose()

    return asyncio.run(begin())


def test_the_last_two_seats_taken_at_once_at_two_processes_have_the_cards_dealt(postgresql):
    async def work(one, two):
        for _ in range(10):
            match, invites = await one.ask(lambda book: made(book, [Place("open"), Place("open")]))
            await two.ask(lambda book: book.match(match).id)  # noqa: B023
            sits = [
                clerk.ask(lambda book, code=code: requests.sit(book, match, code, "A", ""))  # noqa: B023
                for clerk, code in zip((one, two), invites, strict=True)
            ]
            await asyncio.gather(*sits)
            assert await one.ask(lambda book: book.again(match).state) == "playing"  # noqa: B023
            assert await two.ask(lambda book: book.again(match).state) == "playing"  # noqa: B023

    two(postgresql, work)


def test_an_invitation_used_at_two_processes_at_once_seats_one(postgresql):
    async def work(one, two):
        match, (_, invite) = await one.ask(lambda book: made(book, [Place("me", "A"), Place("open")]))
        await two.ask(lambda book: book.match(match).id)
        sits = [clerk.ask(lambda book: requests.sit(book, match, invite, "B", "")) for clerk in (one, two)]
        done = await asyncio.gather(*sits, return_exceptions=True)
        refused = [problem for problem in done if isinstance(problem, Refusal)]
        assert len(refused) == 1 and refused[0].status == 410

    two(postgresql, work)


def test_a_token_of_a_moment_ago_opens_its_seat_at_the_other_process(postgresql):
    async def work(one, two):
        match, (_, invite) = await one.ask(lambda book: made(book, [Place("me", "A"), Place("open")]))
        await two.ask(lambda book: book.match(match).id)
        told = await one.ask(lambda book: requests.sit(book, match, invite, "B", ""))
        look = await two.ask(lambda book: requests.look(book, match, told["token"]))
        assert look.seat == 1 and look.ply == 0

    two(postgresql, work)


def test_who_thinks_at_another_process_is_not_claimed_from(postgresql):
    async def work(one, two):
        match, tokens = await one.ask(made)
        turn = await two.ask(lambda book: book.match(match).table.turn)
        with two.engine.begin() as connection:  # a minute ago somebody left, came back elsewhere, and thinks
            long_ago = sa.update(database.matches).where(database.matches.c.id == match)
            connection.execute(long_ago.values(dealt=database.now() - 100))
        await one.ask(lambda book: requests.seen(book, {(match, turn): (database.now(), True)}))
        with pytest.raises(Refusal) as refused:
            await two.ask(lambda book: requests.claim(book, match, tokens[1 - turn]))
        assert refused.value.says.key == "server.no-claim"

    two(postgresql, work)


def test_what_is_read_again_is_not_told_to_the_others_again(postgresql):
    async def work(one, two):
        match, tokens = await one.ask(made)
        await two.ask(lambda book: book.match(match).id)
        await one.ask(lambda book: first_legal(book, match, tokens))
        assert await two.ask(lambda book: (requests.again(book, [match]), book.changed())[1]) == []
        assert await two.ask(lambda book: book.match(match).ply) == 1

    two(postgresql, work)


def test_transactions_that_lock_each_other_are_tried_again(postgresql):
    async def work(one, two):
        match, tokens = await one.ask(made)
        other, _ = await one.ask(made)
        meet = asyncio.Barrier(2)
        loop = asyncio.get_running_loop()
        met = []

        def both(first, second):
            def request(book: Book):
                database.lock_match(book.connection, first)
                if len(met) < 2:
                    met.append(first)
                    asyncio.run_coroutine_threadsafe(meet.wait(), loop).result(30)
                database.lock_match(book.connection, second)
                return True

            return request

        assert await asyncio.gather(one.ask(both(match, other)), two.ask(both(other, match))) == [True, True]
        assert len(met) == 2 and tokens

    two(postgresql, work)


def test_a_conflict_that_never_ends_is_a_refusal_with_a_time(tmp_path):
    async def work(clerk):
        def never(book):
            raise Conflict

        with pytest.raises(Refusal) as refused:
            await clerk.ask(never)
        assert refused.value.status == 503 and refused.value.after

    run(work, tmp_path)


def test_agents_bound_to_rules_are_not_mixed_up_when_many_rules_were_played(tmp_path):
    """Games come and go in memory; an agent made for one never answers for another at the same place."""
    import bolicho

    roster = Roster(["truco"])
    roster._seconds["truco", "random"] = 0.0
    games = [bolicho.game("truco", target=target) for target in (12, 24)]
    seated = [roster.at_once(game, "random") for game in games]
    assert seated[0] is not seated[1] and roster.at_once(games[0], "random") is seated[0]
    assert {game for game, _ in roster._seated} == set(games)  # kept alive with their agents


def test_a_match_that_its_deal_decides_is_over(tmp_path):
    async def work(clerk):
        def short(book):
            asked = {"game": "truco", "rules": {"target": 1}, "places": PEOPLE, "options": OPTIONS}
            return book.match(requests.make(book, **asked)["match"]).state

        return {await clerk.ask(short) for _ in range(300)}

    assert run(work, tmp_path) == {"playing", "over"}
