"""Start and run the server processes of `bolicho serve`."""

import gc
import multiprocessing
import os
import signal
import socket
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import uvicorn

from bolicho.errors import BadInput
from bolicho.store.database import open_database
from bolicho.web import requests
from bolicho.web.app import make_app
from bolicho.web.app_state import AppState, Settings
from bolicho.web.clock import SYSTEM
from bolicho.web.http_protocol import LIMITS, Connection, Timeouts
from bolicho.web.requests import RequestedSeat
from bolicho.web.study import participation
from bolicho.web.workers import AgentPool, stay_with

LONGEST_NAME = 40  # characters of a game's name, as in the database's column


@dataclass(frozen=True)
class Address:
    """Address of a server."""

    host: str
    port: int

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}/"


def listen(host: str, port: int) -> tuple[socket.socket, Address]:
    """Return a socket bound to an address; port 0 selects a free port."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    sock = socket.socket(family, socket.SOCK_STREAM)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        sock.bind((host, port))
    except OSError as problem:
        sock.close()
        raise BadInput(f"cannot listen on {host}, port {port}: {problem.strerror}; name another with --port") from None
    sock.set_inheritable(True)
    return sock, Address(host, sock.getsockname()[1])


Begin = Callable[[AppState], Awaitable[None]]


def serve(
    settings: Settings,
    sock: socket.socket,
    ready: Callable[[], None],
    processes: int = 1,
    begin: Begin | None = None,
) -> None:
    """Serve until stopped; call `ready` when all code is compiled and requests are accepted.

    Before that `begin` may create a match; it needs a single process.
    """
    if processes == 1:
        _serve(settings, sock, ready, begin)
        return
    if not settings.database.startswith("postgres"):
        raise BadInput("several processes need PostgreSQL: --database postgresql://user@host/name")
    context = multiprocessing.get_context("spawn")
    started = context.Semaphore(0)
    children = [context.Process(target=_child, args=(settings, sock, started, os.getpid())) for _ in range(processes)]
    try:
        for child in children:
            child.start()
        for _ in children:
            while not started.acquire(timeout=0.5):
                if any(child.exitcode is not None for child in children):
                    raise BadInput("a server process ended before it was ready; its error message is above")
        ready()
        for child in children:
            child.join()
    finally:
        for child in children:
            child.terminate()
        for child in children:
            child.join()


def _child(settings: Settings, sock: socket.socket, started: Any, parent: int) -> None:
    stay_with(parent)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        _serve(settings, sock, started.release, None)
    except BadInput as problem:
        print(f"bolicho: {problem}", file=sys.stderr)
        sys.exit(2)


def _serve(settings: Settings, sock: socket.socket, ready: Callable[[], None], begin: Begin | None) -> None:
    engine = open_database(settings.database, settings.sync)
    agent_pool = AgentPool(settings.games or None, settings.also, settings.workers)
    with engine.connect() as connection:
        studied = participation.opponents(connection, SYSTEM.now())
    agent_pool.warm(studied)
    _freeze_loaded_objects()
    _Server(configure(make_app(settings, agent_pool, engine)), ready, begin).run(sockets=[sock])


def configure(app: Any, limits: Timeouts = LIMITS) -> uvicorn.Config:
    """Return the configuration of the HTTP server."""
    return uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,  # requests are not logged, for privacy
        http=partial(Connection, limits=limits),
        timeout_keep_alive=limits.idle,
        ws="websockets-sansio",
        ws_per_message_deflate=False,  # 31 instead of 74 kB per connection
        ws_max_size=4096,
        ws_ping_interval=limits.ping,
        ws_ping_timeout=limits.ping,
        timeout_graceful_shutdown=3,
        server_header=False,
        date_header=False,
    )


def _freeze_loaded_objects() -> None:
    """Exclude all objects loaded so far from garbage collection, and collect less often."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)


class _Server(uvicorn.Server):  # type: ignore[misc]
    """HTTP server that calls `begin` and then `ready` after its start."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None], begin: Begin | None) -> None:
        super().__init__(config)
        self._ready = ready
        self._begin = begin

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self.config.app.state.app_state.let_go()
        await super().shutdown(sockets)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.should_exit:
            return
        if self._begin is not None:
            await self._begin(self.config.app.state.app_state)
        self._ready()


def one_table(game: str, rules: Mapping[str, Any], players: Sequence[str], links: list[str]) -> Begin:
    """Return a function that creates the match of `bolicho play --web` and adds a path per person to `links`."""

    async def begin(app_state: AppState) -> None:
        places = [
            RequestedSeat("open", "?") if spec == "human" else RequestedSeat("agent", agent=spec) for spec in players
        ]
        options = {"why": True, "hint": True, "open_end": True, "clock": None}
        ask = partial(requests.make, game=game, rules=rules, places=places, options=options)
        told = await app_state.transactions.ask(ask)
        invites = [seat["invite"] for seat in told["seats"] if "invite" in seat]
        links.extend([f"m/{told['match']}#invite={invite}" for invite in invites] or [f"m/{told['match']}#watch"])

    return begin
