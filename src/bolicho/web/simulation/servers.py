"""Server processes on simulated time: shipped server code, with the thread, worker processes and disk replaced."""

import sqlite3
from collections.abc import Coroutine
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from functools import cache
from random import Random
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine
from sqlalchemy.pool import NullPool

from bolicho.agents.registry import is_elsewhere
from bolicho.errors import BadInput
from bolicho.games import game as make_game
from bolicho.store.tables import FACTS
from bolicho.web import requests
from bolicho.web.app_state import AppState, Settings
from bolicho.web.clock import Clock
from bolicho.web.refusal import Refusal
from bolicho.web.simulation.loop import Killed, Process, SimulatedLoop
from bolicho.web.simulation.network import SimulatedSocket
from bolicho.web.transactions import MatchUpdate, Outcome, Request, Then, TransactionThread
from bolicho.web.workers import AgentPool, DecisionRequest, think

if TYPE_CHECKING:
    from bolicho.web.simulation.world import World

AT_ONCE, ELSEWHERE, BOT = "random", "novice", "remote(url=http://bot.invalid/)"
"""Agents that decide in the transaction, in a worker process, and at an address."""

AGENTS = (AT_ONCE, ELSEWHERE, BOT)  # given by name, since listing all agents would load every technique

DISK = 0.004  # mean seconds of a transaction
SLOW = 8.0  # most seconds on a slow disk
THINKS = 0.4  # mean seconds of a decision in a worker process
THINKS_LONG = 40.0  # most seconds in a slow one


class SimulatedClock(Clock):
    """Wall clock that jumps; monotonic time is that of the loop."""

    def __init__(self, loop: SimulatedLoop) -> None:
        self._loop = loop
        self.offset = 1_700_000_000.0

    def now(self) -> float:
        return self.offset + self._loop.time()

    def monotonic(self) -> float:
        return self._loop.time()


# --- Disk -------------------------------------------------------------------------------------------


@cache
def _empty() -> sqlite3.Connection:
    """Return a database with empty tables."""
    raw = sqlite3.connect(":memory:", check_same_thread=False)
    engine = sa.create_engine("sqlite://", creator=lambda: raw, poolclass=sa.StaticPool)
    FACTS.create_all(engine)
    return raw


@cache
def _engine(slot: int) -> Engine:
    """Return the engine of a slot; all seeds share its compiled statements."""
    engine = sa.create_engine("sqlite://", creator=lambda: _disks[slot].connect(), poolclass=NullPool)
    sa.event.listen(engine, "commit", lambda connection: _disks[slot].committing(slot, connection))
    return engine


_disks: "dict[int, Disk]" = {}


class Disk:
    """SQLite database that outlives the server processes, and fails on demand."""

    NAME = "file:bolicho-simulation?mode=memory&cache=shared"

    def __init__(self, world: "World") -> None:
        self._world = world
        self.raw = sqlite3.connect(self.NAME, uri=True)  # keeps the in-memory database alive
        _empty().backup(self.raw)

    def connect(self) -> sqlite3.Connection:
        """Open a connection of a server process."""
        raw = sqlite3.connect(self.NAME, uri=True)
        raw.execute("PRAGMA foreign_keys=ON")
        return raw

    def committing(self, slot: int, connection: Connection) -> None:
        """Fail, or kill the process, before or after a transaction is written."""
        raw: Any = connection.connection.dbapi_connection
        if not raw.in_transaction:
            return
        faults, transactions = self._world.faults, self._world.transactions(slot)
        if faults.happens("kill before commit"):
            raise Killed
        if faults.happens("commit fails"):
            raise _failure()
        if faults.happens("kill after commit"):
            raw.commit()
            transactions.publish()
            raise Killed
        if faults.happens("commit fails after it was written"):
            raw.commit()
            transactions.publish()
            raise _failure()

    def fill(self) -> None:
        """Leave no space for another page."""
        (pages,) = self.raw.execute("PRAGMA page_count").fetchone()
        self.raw.execute(f"PRAGMA max_page_count={pages}").fetchone()

    def free(self) -> None:
        """Free space again."""
        self.raw.execute("PRAGMA max_page_count=1000000").fetchone()

    def close(self) -> None:
        """Close the database, which loses its data."""
        self.raw.close()


def _failure() -> sa.exc.OperationalError:
    return sa.exc.OperationalError("COMMIT", None, sqlite3.OperationalError("disk I/O error"))


# --- Parts of a server --------------------------------------------------------------------------------


class SimulatedTransactionThread(TransactionThread):
    """Database worker without a thread: a transaction is one step of the loop."""

    def __init__(self, server: "Server", app_state: AppState) -> None:
        self._server = server
        self._world = server.world
        self._is_due = False
        self._outbox: list[str] = []
        self._changes: int | None = None  # rows that its connection has changed so far
        super().__init__(
            app_state.engine, app_state.agent_pool, app_state.connections, server.world.loop, app_state.clock
        )

    def _start(self) -> None:
        """Start no thread; `_wake` schedules the steps."""

    def _wake(self) -> None:
        if not self._is_due:
            self._is_due = True
            world = self._world
            delay = world.random.expovariate(1 / DISK)
            if world.faults.happens("slow disk"):
                delay = world.random.uniform(0, SLOW)
            world.loop.call_later(delay, self._turn, context=self._server.process.context)

    def _turn(self) -> None:
        self._is_due = False
        self._step()
        if self._waiting or self._background:
            self._wake()

    def post(self, request: Request[Any], then: Then, background: bool = False) -> None:
        if getattr(request, "func", None) is requests.agent_move and self._world.faults.happens("agent answers twice"):
            again = self._world.random.uniform(0, 5)
            self._world.loop.call_later(again, super().post, request, _ignore, background)
        super().post(request, then, background)

    def _transaction(self, together: list[tuple[Request[Any], Then]]) -> tuple[list[Outcome], list[MatchUpdate]]:
        try:
            outcomes, news = super()._transaction(together)
            self.publish()
        except Exception:
            self._changes = None  # the next connection starts a new count
            self._world.check(self._server, has_changed=True)
            raise
        finally:
            self._outbox.clear()
        self._world.check(self._server, self._has_changed())
        return outcomes, news

    def _has_changed(self) -> bool:
        """Return whether rows may have changed since the last call."""
        raw = None if self._connection is None else self._connection.connection.dbapi_connection
        before, self._changes = self._changes, None if raw is None else raw.total_changes
        return self._changes is None or self._changes != before

    def _notify(self, texts: list[str]) -> None:
        self._outbox += texts

    def publish(self) -> None:
        """Send the notifications of a committed transaction."""
        for text in self._outbox:
            self._world.notifications.send(text)
        self._outbox.clear()

    def close(self) -> None:
        """Close the connection; uncommitted changes are lost."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def _ignore(value: Any, problem: BaseException | None) -> None:
    pass


@cache
def _shared_agent_pool() -> AgentPool:
    return AgentPool(["truco"], AGENTS)


class SimulatedAgentPool(AgentPool):
    """Worker pools that reply late or are killed; the decisions are those of the real agents."""

    def __init__(self, world: "World") -> None:
        super().__init__(["truco"], AGENTS)
        shared = _shared_agent_pool()  # which agents play which rules is the same for all seeds
        self._entries, self._seated, self._fitting = shared._entries, shared._seated, shared._fitting
        self._seconds["truco", AT_ONCE] = 0.0
        self._world = world

    def think(self, thought: DecisionRequest, explain: bool = False) -> "Future[dict[str, Any]]":
        world, faults = self._world, self._world.faults
        delay = world.random.expovariate(1 / THINKS)
        if faults.happens("worker slow"):
            delay = world.random.uniform(0, THINKS_LONG)
        future: Future[dict[str, Any]] = Future()
        if is_elsewhere(thought.spec):
            fails, problem = faults.happens("bot fails"), BadInput("the bot does not answer")
            thought = DecisionRequest(**{**vars(thought), "spec": AT_ONCE})
        else:
            fails, problem = faults.happens("worker killed"), BrokenProcessPool()  # type: ignore[assignment]
        world.loop.call_later(delay, self._decide, future, thought, problem if fails else None)
        return future

    def _decide(self, future: "Future[dict[str, Any]]", thought: DecisionRequest, problem: Exception | None) -> None:
        if problem is not None:
            future.set_exception(problem)
        else:
            future.set_result(think(thought, explain=False))


class SimulatedAppState(AppState):
    """Server with a stepped database worker and without tournaments."""

    def __init__(self, server: "Server") -> None:
        world = server.world
        super().__init__(Settings(""), _engine(server.slot), SimulatedAgentPool(world), world.clock)
        self._server = server

    def _transactions(self) -> TransactionThread:
        return SimulatedTransactionThread(self._server, self)

    def _background(self) -> list[Coroutine[Any, Any, None]]:
        works = [self.connections.beat()]
        return [*works, self._listen()] if self._server.world.slots > 1 else works

    async def _listen(self) -> None:
        """Receive notifications of other processes; see `AppState._listen`."""
        notifications = self._server.world.notifications
        while True:
            try:
                inbox = notifications.listen(self._server)
                await self._catch_up()
                while (text := (await inbox.take())[1]) is not None:
                    await self._notified(text)
            except Refusal:
                notifications.cut(self._server)
            await self.clock.sleep(1)


class Server:
    """Server process, until it is killed."""

    def __init__(self, world: "World", slot: int, number: int) -> None:
        self.world = world
        self.slot = slot
        self.process = Process(f"server {slot}.{number}")
        self.wires: dict[SimulatedSocket, None] = {}  # in the order they came
        self.app_state = SimulatedAppState(self)
        self.is_open = False

    def start(self, disk: Disk) -> None:
        """Start the server, which continues from the rows."""
        _disks[self.slot] = disk
        self.world.loop.start(self.process, self._open())

    async def _open(self) -> None:
        try:
            await self.app_state.open()
        except Refusal:  # the database fails: the process ends, and restarts
            self.world.kill(self)
        else:
            self.world.opened(self)

    def kill(self) -> None:
        """Lose all that is in memory."""
        self.process.kill()
        self.is_open = False
        self.world.notifications.cut(self)
        transactions = getattr(self.app_state, "transactions", None)
        if transactions is not None:
            transactions.close()
        for wire in list(self.wires):
            wire.cut()


def warm() -> None:
    """Compile and load the code of the agents."""
    table = make_game("truco", target=1).deal(1)
    for spec in (AT_ONCE, ELSEWHERE):
        think(DecisionRequest("truco", dict(table.game.options), 1, (), spec, "luck"), explain=False)


def seeded_secrets(random: Random) -> dict[str, Any]:
    """Return seeded replacements of the functions of `secrets`."""
    return {
        "token_bytes": lambda n=32: random.randbytes(n),
        "token_urlsafe": lambda n=32: random.randbytes(n).hex(),
        "token_hex": lambda n=32: random.randbytes(n).hex(),
        "choice": random.choice,
        "randbelow": random.randrange,
    }
