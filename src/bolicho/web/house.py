"""What a server process has at hand: its settings, the clerk, those who are connected, what may be asked how often."""

import asyncio
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import psycopg
from sqlalchemy.engine import Engine

from bolicho.store import database
from bolicho.web import requests
from bolicho.web.arena.runs import Runs
from bolicho.web.clerk import Clerk
from bolicho.web.guard import Rate
from bolicho.web.hall import Hall
from bolicho.web.refusal import Refusal
from bolicho.web.thinking import Roster


@dataclass(frozen=True)
class Settings:
    """How a server is run."""

    database: str
    sync: str = "full"
    games: tuple[str, ...] = ()
    also: tuple[str, ...] = ()  # agents beside those of the house
    thinkers: int = 1  # processes
    runs: str = "runs"  # the folder of tournaments
    reports: str = "reports"  # that of the lab
    show_runs: bool = False  # whether everybody may look at them


class House:
    """What the app needs to answer: made when the server starts."""

    def __init__(self, settings: Settings, engine: Engine, roster: Roster) -> None:
        self.settings = settings
        self.engine = engine
        self.roster = roster
        self.hall = Hall(roster)
        self.moves = Rate(20, 60)
        self.questions = Rate(2, 20)
        self.matches = Rate(200, 2000)
        self.looks = Rate(30, 200)
        self.runs = Runs(Path(settings.runs))

    async def open(self) -> None:
        """Begin to answer, and go on with what was under way."""
        loop = asyncio.get_running_loop()
        self.hall.clerk = self.clerk = Clerk(self.engine, self.roster, self.hall, loop)
        self.runs.jobs.begin()
        self.tasks = [asyncio.ensure_future(task) for task in (self.hall.beat(), self.runs.jobs.tend())]
        if self.engine.dialect.name == "postgresql":
            self.tasks.append(asyncio.ensure_future(self._listen()))
        for number in await self.clerk.ask(lambda book: database.left_to_agents(book.connection)):
            self.hall.think(number)

    async def close(self) -> None:
        """Answer what was asked, and let go."""
        for task in self.tasks:
            task.cancel()
        await asyncio.to_thread(self.runs.jobs.close)
        self.clerk.close()
        self.roster.close()

    async def _listen(self) -> None:
        """Hear which matches other processes have changed."""
        address = self.engine.url.set(drivername="postgresql").render_as_string(hide_password=False)
        while True:
            try:
                async with await psycopg.AsyncConnection.connect(address, autocommit=True) as connection:
                    await connection.execute(f"LISTEN {database.CHANNEL}")
                    await self.clerk.ask(requests.again)  # nobody has told what happened before
                    async for notification in connection.notifies():
                        sender, *numbers = notification.payload.split(" ")
                        if sender != self.clerk.sender:
                            await self.clerk.ask(partial(requests.again, numbers=numbers))
            except (psycopg.Error, Refusal):
                await asyncio.sleep(1)
