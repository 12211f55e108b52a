"""Uptime: clocks and claims count only the time in which the server was up."""

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
from bolicho.web.requests import RequestedSeat
from bolicho.web.transactions import TransactionThread
from bolicho.web.uptime import DOWN_AFTER, Recorder, Uptime
from bolicho.web.workers import AgentPool


class ManualClock(Clock):
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
        """Change the system clock without monotonic time, as for a set clock or a sleeping machine."""
        self.wall += seconds


# --- Intervals --------------------------------------------------------------------------------------


def test_uptime_is_the_union_of_the_intervals_of_all_processes():
    uptime = Uptime(100.0, [(0.0, 10.0), (5.0, 20.0), (40.0, 50.0)])
    assert uptime.seconds(0.0, 120.0) == 20 + 10 + 20
    assert uptime.seconds(15.0, 45.0) == 5 + 5
    assert uptime.seconds(25.0, 35.0) == 0 and uptime.seconds(110.0, 120.0) == 10
    assert uptime.since == 100.0
    assert Uptime(100.0, [(90.0, 130.0)]).since == 90.0  # another process was up before this one


def test_uptime_after_a_clock_was_set_back_is_not_negative():
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


def test_clocks_stop_while_the_server_is_down():
    match = match_of(Uptime(5000.0, [(900.0, 1010.0)]), clock={"seconds": 60, "plus": 0})
    late = match.table.turn
    assert match.clock(5020.0)["left"][late] == 60 - 10 - 20
    match.play(match.table.view().legal[0], 5025.0)
    assert match.clock(5025.0)["left"][late] == 60 - 10 - 25


def test_claim_after_downtime_waits_for_the_whole_pause():
    for clock in (None, {"seconds": 12, "plus": 0}):
        match = match_of(Uptime(5000.0, [(900.0, 1055.0)]), here=False, clock=clock)
        late = match.table.turn
        assert match.claim(5001.0) == {"late": late, "at": 5000.0 + PAUSE, "in": PAUSE - 1}
        with pytest.raises(Refusal) as early:
            match.check_claim(1 - late, 5000.0 + PAUSE - 1)
        assert early.value.after == pytest.approx(1)
        match.check_claim(1 - late, 5000.0 + PAUSE)


def test_claim_in_a_match_begun_after_the_start_waits_only_for_the_clock():
    match = match_of(Uptime(999.0), clock={"seconds": 12, "plus": 0})
    assert match.claim(1002.0)["at"] == 1012.0


def test_players_count_as_present_after_a_restart():
    match = match_of(Uptime(5000.0, [(900.0, 1010.0)]))
    assert match.here(5001.0) == (True, True)
    assert match.here(5000.0 + AWAY) == (False, False)  # without new contact


def test_clock_set_back_delays_a_claim_by_at_most_the_pause():
    match = match_of(Uptime(400.0, [(100.0, 1000.0)]), seen=990.0, here=False)
    assert match.claim(401.0)["at"] == 400.0 + PAUSE


def test_claim_in_a_timed_match_waits_for_the_pause_after_the_clock_was_set_back():
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
    """Advance the clock, with a note at every heartbeat."""
    for _ in range(round(seconds / HEARTBEAT)):
        clock.pass_(HEARTBEAT)
        for one in recorders:
            one.note()


def test_uptime_of_a_killed_process_ends_at_its_last_note(engine):
    clock = ManualClock()
    run(clock, 100, recorder(engine, clock))
    clock.pass_(7)  # killed before the next note
    clock.pass_(3600)
    again = recorder(engine, clock)
    assert intervals(engine) == [(1000.0, 1100.0), (4707.0, 4707.0)]
    clock.pass_(5)
    assert again.uptime.seconds(1000.0, clock.now()) == 105.0 and again.uptime.since == 4707.0


def test_uptime_continues_while_one_of_two_processes_is_up(engine):
    clock = ManualClock()
    first = recorder(engine, clock)
    run(clock, 100, first)
    second = recorder(engine, clock)
    run(clock, 100, second)  # the first was killed
    third = recorder(engine, clock)
    run(clock, 100, second, third)
    assert [one.uptime.seconds(1000.0, clock.now()) for one in (second, third)] == [300.0, 300.0]
    assert [one.uptime.since for one in (second, third)] == [1000.0, 1000.0]


def test_transactions_between_two_notes_write_nothing(engine):
    clock = ManualClock()
    one = recorder(engine, clock)
    written = []
    sa.event.listen(engine, "before_cursor_execute", lambda *event: written.append(event[2]))
    for _ in range(100):
        clock.pass_(0.05)
        one.note()
    assert written == []


@pytest.mark.parametrize("seconds", [3600.0, 10.0, -3600.0])
def test_jump_of_the_system_clock_counts_as_downtime(engine, seconds):
    clock = ManualClock(10_000.0)
    one = recorder(engine, clock)
    run(clock, 40, one)
    clock.pass_(4)
    one.note()  # as in any transaction
    clock.jump(seconds)
    clock.pass_(1)
    one.note()
    assert one.uptime.since == clock.now()
    clock.pass_(5)
    assert one.uptime.seconds(10_000.0, clock.now()) == (44 + 5 if seconds > 0 else 5)
    if seconds > 0:  # another process reads the same from the rows
        other = recorder(engine, clock)
        run(clock, 40, one, other)
        assert other.uptime.seconds(10_000.0, clock.now()) == 44 + 5 + 40


def test_suspension_of_a_process_counts_as_downtime(engine):
    clock = ManualClock()
    one = recorder(engine, clock)
    clock.pass_(DOWN_AFTER + 1)
    one.note()
    assert one.uptime.since == clock.now() and one.uptime.seconds(1000.0, clock.now()) == 0.0


# --- Server and database together -------------------------------------------------------------------


class NoConnections:
    """Connections without clients."""

    def listening(self, match):
        return ()

    def is_looked_at(self, match):
        return False

    def send_changes(self, news):
        pass


async def served(engine, clock, *asked):
    """Start a server, let it answer these requests, and end it without a last note."""
    transactions = TransactionThread(engine, AgentPool(["truco"]), NoConnections(), asyncio.get_running_loop(), clock)
    transactions._recorder.close = lambda: None
    try:
        return [await transactions.ask(request) for request in asked]
    finally:
        transactions.close()


def test_first_player_back_after_a_kill_cannot_claim_at_once(engine):
    clock = ManualClock()
    places = [RequestedSeat("me", "Ana"), RequestedSeat("me", "Rui")]  # neither has connected
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


def test_restart_within_an_old_interval_after_the_clock_was_set_back_is_a_new_start(engine):
    clock = ManualClock()
    first = recorder(engine, clock)
    run(clock, 400, first)
    clock.jump(-300)
    first.note()
    run(clock, 40, first)
    clock.pass_(100)  # killed in between
    again = recorder(engine, clock)
    assert intervals(engine)[0] == (1000.0, 1400.0)  # contains the present time, although it has ended
    assert again.uptime.since == clock.now() == 1240.0
    run(clock, 40, again)
    assert again.uptime.since == 1240.0
