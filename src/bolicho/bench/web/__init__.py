"""Load test of the web server: stored moves beside a bare echo on the same HTTP server, memory, the first page.

A thousand clients play Truco against an agent that answers at once, and move at times that do not depend on the
server (open loop); every move of clients and agents is a row that is stored before it is sent.
"""

import asyncio
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from bolicho.bench import Figure, postgres
from bolicho.bench.web.driver import Crowd, Load, echo
from bolicho.bench.web.server import ECHO, Server
from bolicho.machine import browser

PEOPLE = 1000
SECONDS = 8.0
ECHOING = 200  # connections of the echo


@dataclass(frozen=True)
class ServerMeasurements:
    """Measurements of one server."""

    echo: float  # messages per second
    echo_work: float  # processor seconds per message
    most: Load  # every client moves as soon as it can
    work: float  # processor seconds per client's move
    steady: Load  # at the fixed `rate`
    rate: float
    memory: float  # bytes per connected client


def bench() -> Iterator[Figure]:
    """Yield the figures of the web server."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for sync in ("full", "normal"):
            with Server(folder, "--database", f"{folder}/{sync}.db", "--sync", sync, "--game", "truco") as server:
                yield from figures(f"SQLite, {sync}", asyncio.run(measure(server, folder)))
                if sync == "full":
                    yield from first_page(server.base)
        yield from _postgres(folder)


def _postgres(folder: Path) -> Iterator[Figure]:
    if not postgres.is_installed():
        yield Figure("PostgreSQL, two processes", float("nan"), "", note="not installed: apt-get install postgresql")
        return
    with postgres.cluster() as url:
        for processes in ("1", "2"):
            options = ("--database", url, "--processes", processes, "--game", "truco")
            with Server(folder, *options) as server:
                measured = asyncio.run(measure(server, folder, processes))
                yield from figures(f"PostgreSQL, {processes} process{'es' * (processes != '1')}", measured)


async def measure_echo(folder: Path, processes: str, seconds: float = SECONDS) -> tuple[float, float]:
    """Return messages per second of a bare echo server, and processor seconds per message."""
    with Server(folder, processes, program=ECHO) as server:
        before, answered = server.worked(), await echo(server.base, ECHOING, seconds)
        return answered, (server.worked() - before) / (answered * (seconds + 0.5))


async def measure(
    server: Server, folder: Path, processes: str = "1", people: int = PEOPLE, seconds: float = SECONDS
) -> ServerMeasurements:
    """Measure an echo server, then clients that connect, move as fast as they can, and then at a fixed rate."""
    answered, echo_work = await measure_echo(folder, processes, seconds)
    empty = server.memory()
    crowd = Crowd(server.base)
    await crowd.come(people)
    await asyncio.sleep(1)
    memory = (server.memory() - empty) / people
    before = server.worked()
    most = await crowd.play(seconds)
    work = (server.worked() - before) / max(1, most.answered)
    rate = max(1000.0, 0.5 * most.rate)
    steady = await crowd.play(seconds, rate)
    await crowd.leave()
    return ServerMeasurements(answered, echo_work, most, work, steady, rate, memory)


def figures(where: str, found: ServerMeasurements) -> Iterator[Figure]:
    """Yield the measurements with their targets."""
    rows = found.most.rows / found.most.seconds
    yield Figure(f"{where}: bare echo", found.echo, "messages/s", note=f"{1e6 * found.echo_work:.0f} µs of work each")
    yield Figure(
        f"{where}: people's moves", found.most.rate, "moves/s", 1000, note=f"{1e6 * found.work:.0f} µs of work each"
    )
    yield Figure(
        f"{where}: stored moves, with the agents'", rows, "moves/s", note=f"{found.most.finished} matches ended"
    )
    yield Figure(f"{where}: people's moves to echo", found.most.rate / found.echo, "", 0.5)
    yield Figure(f"{where}: stored moves to echo", rows / found.echo, "")
    note = f"asked at {found.rate:.0f} moves/s, {found.steady.rate:.0f} answered, {found.steady.refused} refused"
    yield Figure(f"{where}: 99% answered within", found.steady.delay(0.99), "ms", 500, at_least=False, note=note)
    yield Figure(f"{where}: half answered within", found.steady.delay(0.5), "ms")
    yield Figure(f"{where}: memory", found.memory / 1000, "kB/player", 64, at_least=False, note=f"{PEOPLE} connected")


def first_page(base: str) -> Iterator[Figure]:
    """Open the home page in a browser with an empty cache."""
    program = browser()
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        program = None
    if program is None:
        yield Figure(
            "first page", float("nan"), "kB", note="needs chromium and playwright: make test installs the latter"
        )
        return
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        try:
            page = chromium.new_page()
            devtools = page.context.new_cdp_session(page)
            devtools.send("Network.enable")
            sizes: list[float] = []
            devtools.on("Network.loadingFinished", lambda event: sizes.append(event["encodedDataLength"]))
            page.goto("about:blank")
            start = perf_counter()
            page.goto(base)
            page.locator("button:visible").first.wait_for()
            usable = perf_counter() - start
            page.wait_for_load_state("networkidle")
        finally:
            chromium.close()
    yield Figure(
        "first page over the wire", sum(sizes) / 1000, "kB", 150, at_least=False, note=f"{len(sizes)} requests"
    )
    yield Figure("first page usable after", 1000 * usable, "ms", 1000, at_least=False, note="Chromium, loopback")
