"""Shared state of a server process: settings, database worker, connections, rate limits and background tasks."""

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import psycopg
from sqlalchemy.engine import Engine

from bolicho.i18n import Message
from bolicho.store import database
from bolicho.web import requests
from bolicho.web.arena.runs import Runs
from bolicho.web.arena.trainings import Trainings
from bolicho.web.bots.json_lines import Streams
from bolicho.web.clock import SYSTEM, Clock
from bolicho.web.connections import Connections, LiveConnection
from bolicho.web.limits import LOOKS, MATCHES, MOVES, QUESTIONS, Rate
from bolicho.web.refusal import Refusal
from bolicho.web.study.case_bases import CaseBaseGrower
from bolicho.web.study.erasure import Eraser
from bolicho.web.study.room_limits import RoomLimits
from bolicho.web.transactions import BOT, EVERYBODY, Transaction, TransactionThread
from bolicho.web.workers import AgentPool

SEATED, WATCHING = 8, 500  # connections of a seat, and of all spectators, to a match in one process
WATCHING_CLIENT = 100  # spectator connections of one client to a match


@dataclass(frozen=True)
class Settings:
    """Settings of a server."""

    database: str
    sync: str = "full"
    games: tuple[str, ...] = ()
    also: tuple[str, ...] = ()  # specs of agents allowed beside the built-in ones
    workers: int = 1  # worker processes for slow agents
    runs: str = "runs"  # folder of tournaments
    reports: str = "reports"  # folder of reports
    trained: str = "trained"  # folder of trained artifacts
    show_runs: bool = False  # True if visitors without a token may see runs and reports


class AppState:
    """State of a server process, created when it starts."""

    def __init__(self, settings: Settings, engine: Engine, agent_pool: AgentPool, clock: Clock = SYSTEM) -> None:
        self.settings = settings
        self.engine = engine
        self.agent_pool = agent_pool
        self.clock = clock
        self.connections = Connections(agent_pool, clock)
        self.moves = Rate(*MOVES, clock=clock)
        self.questions = Rate(*QUESTIONS, clock=clock)
        self.matches = Rate(*MATCHES, clock=clock)
        self.looks = Rate(*LOOKS, clock=clock)
        self.challenges = Rate(20, 200, clock=clock)
        self.streams = Streams()
        self.runs = Runs(Path(settings.runs), clock)
        self.trainings = Trainings(Path(settings.trained), clock)
        self.grower = CaseBaseGrower(settings.database)
        self.eraser = Eraser(engine, self.grower, clock)
        self.room_limits = RoomLimits(clock)

    async def open(self) -> None:
        """Start the server, and continue the unfinished matches of agents alone."""
        self.connections.transactions = self.transactions = self._transactions()
        self.runs.jobs.begin()
        self.trainings.jobs.begin()
        self.tasks = [asyncio.ensure_future(work) for work in self._background()]
        for number in await self.transactions.ask(lambda transaction: database.left_to_agents(transaction.connection)):
            self.connections.think(number)

    def _transactions(self) -> TransactionThread:
        return TransactionThread(self.engine, self.agent_pool, self.connections, asyncio.get_running_loop(), self.clock)

    def _background(self) -> list[Coroutine[Any, Any, None]]:
        """Return the background tasks of the server."""
        works = [self.connections.beat(), self.runs.jobs.tend(), self.trainings.jobs.tend(), self.eraser.tend()]
        return [*works, self._listen()] if self.engine.dialect.name == "postgresql" else works

    async def welcome(
        self, client_connection: LiveConnection, token: str | None, log: int = 0
    ) -> requests.MatchReading:
        """Register a connection to a match, and start a call of the agent to act."""
        self.looks.take(token or client_connection.client)

        def join(transaction: Transaction) -> requests.MatchReading:
            look = requests.read_match(transaction, client_connection.match, token, log)
            if self.connections.crowd(client_connection.match, look.seat) >= (
                WATCHING if look.seat is None else SEATED
            ):
                raise Refusal(429, Message("server.crowd"), after=30)
            if (
                look.seat is None
                and self.connections.watchers(client_connection.match, client_connection.client) >= WATCHING_CLIENT
            ):
                raise Refusal(429, Message("server.crowd"), after=30)
            self.connections.join(client_connection, look.seat, look.ply)
            return look

        look = await self.transactions.ask(join)
        if look.seat is not None:
            self.connections.record_sign_of_life(client_connection.match, look.seat)
        if look.agent_to_act:
            self.connections.think(client_connection.match)
        return look

    def let_go(self) -> None:
        """End all streams, since the server is shutting down."""
        self.streams.end()
        self.connections.wake_streams([EVERYBODY])

    async def close(self) -> None:
        """Finish the queued requests, and stop all threads and processes."""
        for task in self.tasks:
            task.cancel()
        await asyncio.to_thread(self.runs.jobs.close)
        await asyncio.to_thread(self.trainings.jobs.close)
        self.grower.close()
        self.transactions.close()
        self.agent_pool.close()

    async def _listen(self) -> None:
        """Receive notifications about matches that other processes have changed."""
        address = self.engine.url.set(drivername="postgresql").render_as_string(hide_password=False)
        while True:
            try:
                async with await psycopg.AsyncConnection.connect(address, autocommit=True) as connection:
                    await connection.execute(f"LISTEN {database.CHANNEL}")
                    await self._catch_up()
                    async for notification in connection.notifies():
                        await self._notified(notification.payload)
            except (psycopg.Error, Refusal):
                await self.clock.sleep(1)

    async def _catch_up(self) -> None:
        """Read all watched matches again, since notifications may have been missed."""
        await self.transactions.ask(requests.again)
        self.connections.wake_streams([EVERYBODY])

    async def _notified(self, text: str) -> None:
        """Read matches again that another process has changed, and notify bots."""
        sender, *numbers = text.split(" ")
        if sender != self.transactions.sender:
            bots = [name for name in numbers if name.startswith(BOT)]
            matches = [number for number in numbers if not number.startswith(BOT)]
            await self.transactions.ask(partial(requests.again, numbers=matches))
            self.connections.wake_streams([name.removeprefix(BOT) for name in bots])
