"""Clocks and claims count the time in which the server was up, and none other."""

import asyncio
from functools import partial

import pytest
import sqlalchemy as sa

from bolicho.store.database import MatchRow, SeatRow, open_database
from bolicho.store.tables import uptime as rows
from bolicho.web import requests
from bolicho.web.clock import Clock
from bolicho.web.connections import HEARTBEAT
from bolicho.web.match import AWAY, PAUSE, Match
from bolicho.web.refusal import Refusal
from bolicho.web.requests import Place
from bolicho.web.transactions import TransactionThread
from bolicho.web.uptime import LOST, Recorder, Uptime
from bolicho.web.workers import AgentPool


class Hands(Clock):
    """A clock that is set by hand."""

    def __init__(self, now=1000.0):
        self.wall, self.ticks = now, 5.0

    def now(self):
        return self.wall

    def monotonic(self):
        return self.ticks

    def pass_(self, seconds):
        self.wall += seconds
        self.ticks += seconds

    def jump(self, seconds):
        """The system's clock is set, or the machine sleeps: no monotonic time passes."""
        self.wall += seconds


# --- Intervals --------------------------------------------------------------------------------------


def test_time_counts_where_any_process_was_up():
    uptime = Uptime(100.0, [(0.0, 10.0), (5.0, 20.0), (40.0, 50.0)])
    assert uptime.seconds(0.0, 120.0) == 20 + 10 + 20
    assert uptime.seconds(15.0, 45.0) == 5 + 5
    assert uptime.seconds(25.0, 35.0) == 0 and uptime.seconds(110.0, 120.0) == 10
    assert uptime.since == 100.0
    assert Uptime(100.0, [(90.0, 130.0)]).since == 90.0  # another process was up before this one


def test_time_that_runs_backwards_is_never_negative_and_counts_since_it_was_set_back():
    uptime = Uptime(450.0, [(100.0, 1000.0)])
    assert uptime.seconds(990.0, 480.0) == 30.0  # set back from 1000 to 450
    assert uptime.seconds(990.0, 40.0) == 0.0
    assert Uptime().seconds(1000.0, 900.0) == 0.0


# --- A match and its clock --------------------------------------------------------------------------


def match_of(uptime, seen=1000.0, here=True, clock=None):
    row = MatchRow("abc", "truco", {}, {"open_end": True, "clock": clock}, b"s" * 32, 0.0)
    match = Match(row, [SeatRow(seat, f"P{seat}", token=b"t", seen=seen, here=here) for seat in (0, 1)], uptime)
    match.dealt(1000.0)
    return match


def test_no_clock_runs_while_the_server_is_down():
    match = match_of(Uptime(5000.0, [(900.0, 1010.0)]), clock={"seconds": 60, "plus": 0})
    late = match.table.turn
    assert match.clock(5020.0)["left"][late] == 60 - 10 - 20
    match.play(match.table.view().legal[0], 5025.0)
    assert match.clock(5025.0)["left"][late] == 60 - 10 - 25


def test_a_claim_after_the_server_was_down_waits_for_the_whole_pause():
    for clock in (None, {"seconds": 12, "plus": 0}):
        match = match_of(Uptime(5000.0, [(900.0, 1055.0)]), here=False, clock=clock)
        late = match.table.turn
        assert match.claim(5001.0) == {"late": late, "at": 5000.0 + PAUSE, "in": PAUSE - 1}
        with pytest.raises(Refusal) as early:
            match.check_claim(1 - late, 5000.0 + PAUSE - 1)
        assert early.value.after == pytest.approx(1)
        match.check_claim(1 - late, 5000.0 + PAUSE)


def test_a_match_that_began_after_the_server_came_up_waits_for_nothing_but_the_clock():
    match = match_of(Uptime(999.0), clock={"seconds": 12, "plus": 0})
    assert match.claim(1002.0)["at"] == 1012.0


def test_players_count_as_here_when_the_server_is_back():
    match = match_of(Uptime(5000.0, [(900.0, 1010.0)]))
    assert match.here(5001.0) == (True, True)
    assert match.here(5000.0 + AWAY) == (False, False)  # unless they are heard of again


def test_a_clock_that_is_set_back_delays_a_claim_by_the_pause_and_no_more():
    match = match_of(Uptime(400.0, [(100.0, 1000.0)]), seen=990.0, here=False)
    assert match.claim(401.0)["at"] == 400.0 + PAUSE


def test_a_match_with_a_clock_from_before_the_clock_was_set_back_waits_for_the_pause_too():
    match = match_of(Uptime(400.0, [(100.0, 350.0)]), clock={"seconds": 12, "plus": 0})
    assert match.claim(420.0)["at"] == 400.0 + PAUSE


# --- The rows of processes --------------------------------------------------------------------------


@pytest.fixture(params=["sqlite", "postgresql"])
def engine(request, tmp_path):
    url = str(tmp_path / "matches.db") if request.param == "sqlite" else request.getfixturevalue("postgresql")
    engine = open_database(url)
    with engine.begin() as connection:
        connection.execute(rows.delete())
    yield engine
    engine.dispose()


def intervals(engine):
    with engine.connect() as connection:
        return [tuple(row) for row in connection.execute(sa.select(rows.c.began, rows.c.until).order_by(rows.c.id))]


def recorder(engine, clock):
    found = Recorder(engine, clock)
    found.note()
    return found


def run(clock, seconds, *recorders):
    """Time passes, and the beat notes it."""
    for _ in range(round(seconds / HEARTBEAT)):
        clock.pass_(HEARTBEAT)
        for one in recorders:
            one.note()


def test_a_process_that_is_killed_counts_up_to_its_last_note(engine):
    clock = Hands()
    run(clock, 100, recorder(engine, clock))
    clock.pass_(7)  # killed before the next note
    clock.pass_(3600)
    again = recorder(engine, clock)
    assert intervals(engine) == [(1000.0, 1100.0), (4707.0, 4707.0)]
    clock.pass_(5)
    assert again.uptime.seconds(1000.0, clock.now()) == 105.0 and again.uptime.since == 4707.0


def test_time_counts_while_one_of_two_processes_is_up(engine):
    clock = Hands()
    first = recorder(engine, clock)
    run(clock, 100, first)
    second = recorder(engine, clock)
    run(clock, 100, second)  # the first was killed
    third = recorder(engine, clock)
    run(clock, 100, second, third)
    assert [one.uptime.seconds(1000.0, clock.now()) for one in (second, third)] == [300.0, 300.0]
    assert [one.uptime.since for one in (second, third)] == [1000.0, 1000.0]


def test_transactions_between_two_notes_write_nothing(engine):
    clock = Hands()
    one = recorder(engine, clock)
    written = []
    sa.event.listen(engine, "before_cursor_execute", lambda *event: written.append(event[2]))
    for _ in range(100):
        clock.pass_(0.05)
        one.note()
    assert written == []


@pytest.mark.parametrize("seconds", [3600.0, 10.0, -3600.0])
def test_a_jump_of_the_systems_clock_counts_as_downtime(engine, seconds):
    clock = Hands(10_000.0)
    one = recorder(engine, clock)
    run(clock, 40, one)
    clock.pass_(4)
    one.note()  # any transaction
    clock.jump(seconds)
    clock.pass_(1)
    one.note()
    assert one.uptime.since == clock.now()
    clock.pass_(5)
    assert one.uptime.seconds(10_000.0, clock.now()) == (44 + 5 if seconds > 0 else 5)
    if seconds > 0:  # another process finds the same in the rows
        other = recorder(engine, clock)
        run(clock, 40, one, other)
        assert other.uptime.seconds(10_000.0, clock.now()) == 44 + 5 + 40


def test_a_process_that_was_suspended_was_not_up(engine):
    clock = Hands()
    one = recorder(engine, clock)
    clock.pass_(LOST + 1)
    one.note()
    assert one.uptime.since == clock.now() and one.uptime.seconds(1000.0, clock.now()) == 0.0


# --- Everything together ----------------------------------------------------------------------------


class Nobody:
    """A hall where nobody listens."""

    def listening(self, match):
        return ()

    def is_looked_at(self, match):
        return False

    def tell(self, news):
        pass


async def served(engine, clock, *asked):
    """A server that starts, answers these requests, and is killed: nothing is noted at its end."""
    transactions = TransactionThread(engine, AgentPool(["truco"]), Nobody(), asyncio.get_running_loop(), clock)
    transactions._recorder.close = lambda: None
    try:
        return [await transactions.ask(request) for request in asked]
    finally:
        transactions.close()


def test_who_comes_back_first_after_the_server_was_killed_claims_nothing(engine):
    clock = Hands()
    places = [Place("me", "Ana"), Place("me", "Rui")]  # neither has connected
    options = {"why": True, "hint": False, "open_end": True, "clock": {"seconds": 300, "plus": 0}}
    make = partial(requests.make, game="truco", rules={}, places=places, options=options)
    told = asyncio.run(served(engine, clock, make))[0]
    number, tokens = told["match"], [seat["token"] for seat in told["seats"]]
    clock.pass_(3600)

    facts = asyncio.run(served(engine, clock, partial(requests.facts, number=number)))[0]
    late = facts["clock"]["running"]
    assert facts["clock"]["left"] == [300, 300]
    assert facts["claim"] == {"late": late, "at": clock.now() + PAUSE, "in": PAUSE}
    claim = partial(requests.claim, number=number, token=tokens[1 - late])
    with pytest.raises(Refusal) as refused:
        asyncio.run(served(engine, clock, claim))
    assert refused.value.says.key == "server.early-claim"


def test_a_start_in_time_that_was_counted_before_the_clock_was_set_back_is_a_start(engine):
    clock = Hands()
    first = recorder(engine, clock)
    run(clock, 400, first)
    clock.jump(-300)
    first.note()
    run(clock, 40, first)
    clock.pass_(100)  # killed in between
    again = recorder(engine, clock)
    assert intervals(engine)[0] == (1000.0, 1400.0)  # covers the time now, and is over
    assert again.uptime.since == clock.now() == 1240.0
    run(clock, 40, again)
    assert again.uptime.since == 1240.0
