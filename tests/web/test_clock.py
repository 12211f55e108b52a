"""Clock of the server: the one source of time."""

import ast
import asyncio
from pathlib import Path

import pytest

from bolicho import web
from bolicho.store.database import open_database
from bolicho.web.app_state import AppState, Settings
from bolicho.web.clock import Clock
from bolicho.web.workers import AgentPool

FOLDER = Path(web.__file__).parent
CLIENTS = {"study/chromium.py", "study/rehearse.py", "study/scripted_participants.py"}
"""Programs that visit a server from outside, in real time."""

FORBIDDEN = {
    ("time", "time"),
    ("time", "monotonic"),
    ("time", "perf_counter"),
    ("time", "sleep"),
    ("asyncio", "sleep"),
    ("database", "now"),
    ("datetime", "now"),
    ("datetime", "today"),
    ("date", "today"),
}


def server_modules():
    names = {str(path.relative_to(FOLDER)) for path in FOLDER.rglob("*.py")}
    return sorted(names - CLIENTS - {"clock.py"})


def uses_of_time(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            yield node.lineno, (node.value.id, node.attr)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            for alias in node.names:
                yield node.lineno, (node.module.split(".")[-1], alias.name)


@pytest.mark.parametrize("name", server_modules())
def test_server_reads_time_only_from_its_clock(name):
    tree = ast.parse((FOLDER / name).read_text(encoding="utf-8"))
    assert [use for use in uses_of_time(tree) if use[1] in FORBIDDEN] == []


class StoppedClock(Clock):
    """A clock that stands at 1000 and never ends a sleep."""

    def __init__(self):
        self.slept = []

    def now(self):
        return 1000.0

    async def sleep(self, seconds):
        self.slept.append(seconds)
        await asyncio.Event().wait()


def test_clock_of_the_server_dates_transactions_and_paces_background_tasks(tmp_path):
    clock = StoppedClock()

    async def ask():
        engine = open_database(str(tmp_path / "matches.db"))
        app_state = AppState(
            Settings("", runs=str(tmp_path / "runs"), trained=str(tmp_path / "trained")),
            engine,
            AgentPool(["truco"]),
            clock,
        )
        await app_state.open()
        try:
            async with asyncio.timeout(60):
                while len(clock.slept) < 4:  # a task may do some work before it sleeps for the first time
                    await asyncio.sleep(0.01)
            return await app_state.transactions.ask(lambda transaction: transaction.now)
        finally:
            await app_state.close()
            engine.dispose()

    assert asyncio.run(ask()) == 1000.0
    assert sorted(clock.slept) == [0.2, 0.2, 20.0, 30.0]  # tournaments, trainings, presence, deletions
