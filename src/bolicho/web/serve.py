"""`bolicho serve`: get ready, then answer, in one process or several."""

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
from bolicho.web.clock import SYSTEM
from bolicho.web.connection import LIMITS, Connection, Limits
from bolicho.web.house import House, Settings
from bolicho.web.requests import Place
from bolicho.web.study import course
from bolicho.web.thinking import Roster, stay_with

LONGEST_NAME = 40  # letters of a game's name, as its column in the database


@dataclass(frozen=True)
class Address:
    """Where a server listens."""

    host: str
    port: int

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}/"


def listen(host: str, port: int) -> tuple[socket.socket, Address]:
    """A socket that listens; port 0 takes a free one."""
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


Begin = Callable[[House], Awaitable[None]]


def serve(
    settings: Settings,
    sock: socket.socket,
    ready: Callable[[], None],
    processes: int = 1,
    begin: Begin | None = None,
) -> None:
    """Answer until told to end.  `ready` is called when all is compiled and the first request can be answered.

    Before that `begin` may make a match; it is for one process.
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
                    raise BadInput("a server process has ended before it was ready; its reason stands above")
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
    roster = Roster(settings.games or None, settings.also, settings.thinkers)
    with engine.connect() as connection:
        studied = course.opponents(connection, SYSTEM.now())
    roster.warm(studied)
    _settle()
    _Server(configure(make_app(settings, roster, engine)), ready, begin).run(sockets=[sock])


def configure(app: Any, limits: Limits = LIMITS) -> uvicorn.Config:
    """The settings of the HTTP server around an application."""
    return uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,  # who asks for what is nobody's business
        http=partial(Connection, limits=limits),
        timeout_keep_alive=limits.idle,
        ws="websockets-sansio",
        ws_per_message_deflate=False,  # 31 instead of 74 kB a connection
        ws_max_size=4096,
        ws_ping_interval=limits.ping,
        ws_ping_timeout=limits.ping,
        timeout_graceful_shutdown=3,
        server_header=False,
        date_header=False,
    )


def _settle() -> None:
    """What was loaded so far stays: it is not looked at again and again for what could be thrown away."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)


class _Server(uvicorn.Server):  # type: ignore[misc]
    """Says when it is ready."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None], begin: Begin | None) -> None:
        super().__init__(config)
        self._ready = ready
        self._begin = begin

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self.config.app.state.house.let_go()
        await super().shutdown(sockets)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.should_exit:
            return
        if self._begin is not None:
            await self._begin(self.config.app.state.house)
        self._ready()


def one_table(game: str, rules: Mapping[str, Any], players: Sequence[str], links: list[str]) -> Begin:
    """What makes the table of `bolicho play --web`; the paths of its pages, one a person, go to `links`."""

    async def begin(house: House) -> None:
        places = [Place("open", "?") if spec == "human" else Place("agent", agent=spec) for spec in players]
        options = {"why": True, "hint": True, "open_end": True, "clock": None}
        ask = partial(requests.make, game=game, rules=rules, places=places, options=options)
        told = await house.clerk.ask(ask)
        invites = [seat["invite"] for seat in told["seats"] if "invite" in seat]
        links.extend([f"m/{told['match']}#invite={invite}" for invite in invites] or [f"m/{told['match']}#watch"])

    return begin
