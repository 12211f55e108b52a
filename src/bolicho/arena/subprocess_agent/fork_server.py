"""Fork servers, on the side of the run: start of a server, and the processes that it forks for agents.

A server has imported the modules that every agent process needs, and loaded the game.  It runs only code of this
package and its dependencies, and knows no spec, seed or table, so its forks share nothing that an agent made.
"""

import json
import math
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from bolicho.arena.subprocess_agent.protocol import NUMBER, RUNNING, receive
from bolicho.games.game import Game

START = 300.0  # seconds for the start of a server or an agent, and for compilation
TRIES = 2  # servers that are tried for a fork
SHORTEST_PAUSE, LONGEST_PAUSE = 0.0005, 0.05  # seconds between two looks for the end of a process


class ProcessLost(Exception):
    """The process ended, hangs, or broke the protocol; the message gives the reason."""


_CODE = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[4]); "
    "from bolicho.arena.subprocess_agent.worker import main; main()"
)


class _Server:
    """Process that forks on request (`worker.main`).  It ends with this process."""

    def __init__(self, game: Game, conditions: tuple[Any, ...]) -> None:
        self.conditions = conditions
        self.forks: set[Fork] = set()  # those in use
        self._lock = threading.Lock()
        self._line, theirs = socket.socketpair()
        self._line.settimeout(START)
        with theirs:
            numbers = map(str, (theirs.fileno(), os.getpid()))
            loaded = json.dumps([game.name, dict(game.options)])
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-u", "-c", _CODE, *numbers, loaded, json.dumps(sys.path)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL if sys.stderr is None else 2,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
            )

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def request(self, number: int, *descriptors: int) -> int | None:
        """Request a fork (0) or the status of a process; return the answer, or None if the server is lost."""
        with self._lock:
            try:
                if descriptors:
                    socket.send_fds(self._line, [NUMBER.pack(number)], descriptors)
                else:
                    self._line.sendall(NUMBER.pack(number))
                return int(NUMBER.unpack(receive(self._line, NUMBER.size))[0])
            except OSError:
                self.end()
                return None
            except BaseException:  # KeyboardInterrupt or SystemExit: a late answer would match no request
                self.end()
                raise

    def end(self) -> None:
        """Kill the server; its forks end with it."""
        self._line.close()
        self._process.kill()
        self._process.wait()


class Fork:
    """Process forked by a server.  It stays a zombie until its status is requested, so its number is not reused."""

    def __init__(self, server: _Server, pid: int) -> None:
        self.pid = pid
        self._server = server
        self._status: int | None = None

    @property
    def has_server(self) -> bool:
        """True if its server runs; otherwise the process has ended, or ends now."""
        return self._server.alive

    def wait(self, limit: float = math.inf) -> int | None:
        """Return the status as `subprocess.Popen` does, or None if the process still runs after `limit` seconds."""
        end, pause = time.monotonic() + limit, SHORTEST_PAUSE
        while self._status is None:
            status = self._server.request(self.pid)
            if status != RUNNING:
                self._status = -signal.SIGKILL if status is None else status
            elif time.monotonic() >= end:
                break
            else:
                time.sleep(pause)
                pause = min(2 * pause, LONGEST_PAUSE)
        return self._status

    def end(self) -> None:
        """Kill the process and all others of its session."""
        kills = (os.killpg,) if self._status is not None else (os.killpg, os.kill)  # it may not have its session yet
        for kill in kills:
            with suppress(ProcessLookupError, PermissionError):  # no process is left
                kill(self.pid, signal.SIGKILL)
        self.wait()
        self._server.forks.discard(self)


_servers: list[_Server] = []
_lock = threading.Lock()


def fork(game: Game, *descriptors: int) -> Fork:
    """Return a new process for an agent of this game, with these two descriptors: its socket and its shared memory.

    Its server has the present import path, folder and environment, as a process started now would have.  An idle
    server with others is ended.
    """
    here = Path().stat()
    conditions = game.name, dict(game.options), list(sys.path), dict(os.environ), (here.st_dev, here.st_ino)
    with _lock:
        for _ in range(TRIES):
            server = _server(game, conditions)
            pid = server.request(0, *descriptors)
            if pid is not None:
                break
        else:
            raise ProcessLost("the fork server was lost")
        if pid < 0:
            raise OSError(-pid, os.strerror(-pid))
        forked = Fork(server, pid)
        server.forks.add(forked)
        return forked


def _server(game: Game, conditions: tuple[Any, ...]) -> _Server:
    """Return a running server of these conditions; end others without forks."""
    for server in _servers[:]:
        if not server.alive or (not server.forks and server.conditions != conditions):
            _servers.remove(server)
            server.end()
        elif server.conditions == conditions:
            return server
    _servers.append(_Server(game, conditions))
    return _servers[-1]


def end_servers() -> None:
    """Kill all servers that this process started."""
    with _lock:
        while _servers:
            _servers.pop().end()
