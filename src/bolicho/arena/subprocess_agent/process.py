"""Child process of an agent, on the side of the run: start, requests, end."""

import atexit
import json
import mmap
import os
import select
import signal
import socket
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import IO, Any

from bolicho.arena.seeds import Seed
from bolicho.arena.subprocess_agent import protocol
from bolicho.arena.subprocess_agent.fork_server import START, Fork, ProcessLost, end_servers, fork
from bolicho.errors import BadInput, one_line
from bolicho.games.game import Game

GRACE = 10.0  # seconds after a move's limit before a process without an answer is killed
LEAVING = 5.0  # seconds for the end of a process that closed its socket
LOOK_EVERY = 0.25  # seconds between two checks of a silent process
TRIES = 3  # consecutive failures to start a process
KEPT = 16  # idle processes kept for the next task


class Process:
    """An agent in a child process, which is restarted after it was lost."""

    def __init__(self, game: Game, spec: str, limit: float | None) -> None:
        self.starts = 0
        self._game = game
        self._hello = {"game": game.name, "rules": dict(game.options), "spec": spec, "limit": limit}
        self._limit = limit
        self._process: Fork | None = None
        self._failed = 0
        self._why = ""
        self._number = 0

    @property
    def alive(self) -> int:
        """Number of the running process, counted from 1; -1: none."""
        return -1 if self._process is None else self.starts

    @property
    def has_server(self) -> bool:
        """True if its fork server runs, without which the process ends."""
        return self._process is not None and self._process.has_server

    def start(self) -> None:
        """Start the process unless it runs; raise `ProcessLost` if it fails."""
        if self.has_server:
            return
        self.end()
        if self._failed >= TRIES:
            raise ProcessLost(self._why)
        self.starts += 1
        try:
            said = self._launch(self._hello)
            if "bad" in said:
                raise ProcessLost(str(said["bad"]))
        except ProcessLost as problem:
            self._failed += 1
            self._why = f"its process could not be started: {one_line(str(problem))}"
            self.end()
            raise ProcessLost(self._why) from None
        except BaseException:  # KeyboardInterrupt or SystemExit
            self.end()
            raise
        self._failed = 0
        self._line.settimeout(None if self._limit is None else self._limit + GRACE)

    def worked(self) -> float:
        """Return the processor time of the running process, without earlier ones."""
        if self._process is None:
            return 0.0
        return time.clock_gettime(
            ~self._process.pid << 3 | 2
        )  # the clock id of a process, as `clock_getcpuclockid` computes it

    def describe(self) -> dict[str, Any]:
        """Return the agent's description from a process started for it; raise `BadInput` if it cannot be made."""
        try:
            said = self._launch({**self._hello, "describe": True})
        except ProcessLost as problem:
            raise BadInput(f"the agent {self._hello['spec']} cannot be made: {problem}") from None
        finally:
            self.end()
        if "bad" in said:
            raise BadInput(one_line(str(said["bad"])))
        return said

    def _launch(self, hello: Mapping[str, Any]) -> dict[str, Any]:
        """Start a process, send a first message, and return the answer."""
        ours, theirs = socket.socketpair()
        ours.settimeout(START)
        with theirs, _memory() as file:
            file.truncate(protocol.SHARED_SIZE)
            self._shared = mmap.mmap(file.fileno(), protocol.SHARED_SIZE)
            self._line = ours
            self._process = fork(self._game, theirs.fileno(), file.fileno())
        try:
            line = json.dumps(hello).encode()
            ours.sendall(protocol.LENGTH.pack(len(line)) + line)
            answer = protocol.receive(ours, protocol.LENGTH.unpack(protocol.receive(ours, protocol.LENGTH.size))[0])
            said = json.loads(answer)
        except TimeoutError:
            raise ProcessLost(f"its process was not ready within {START:g} s") from None
        except OSError:
            raise ProcessLost(self._ended()) from None
        except ValueError:
            raise ProcessLost("its process sent an invalid message") from None
        if not isinstance(said, dict):
            raise ProcessLost("its process sent an invalid message")
        return said

    def ask(self, asks: protocol.Asks, views: bytes) -> tuple[list[protocol.Answer], str | None]:
        """Return the received answers, and the reason if the next one is missing; the process is then killed."""
        start = time.perf_counter()
        try:
            self._send(asks, views)
            self._wait(asks)
        except ProcessLost as problem:
            answers = self._read(
                min(protocol.STATE.unpack_from(self._shared)[0], len(asks) - 1), time.perf_counter() - start
            )
            self.end()
            return answers, str(problem)
        except BaseException:  # KeyboardInterrupt or SystemExit: a late answer would match no request
            self.end()
            raise
        return self._read(len(asks), time.perf_counter() - start), None

    def _send(self, asks: protocol.Asks, views: bytes) -> None:
        protocol.STATE.pack_into(self._shared, 0, 0, 0)
        self._number = (self._number + 1) % 2**32
        body = asks.tobytes() + views
        try:
            self._line.sendall(protocol.HEAD.pack(self._number, len(asks), len(body)) + body)
        except TimeoutError:
            raise ProcessLost(self._late()) from None
        except OSError:
            raise ProcessLost(self._ended()) from None

    def _wait(self, asks: protocol.Asks) -> None:
        """Wait for all answers; raise `ProcessLost` if one takes too long, compilation not counted."""
        waited = compiled = 0.0
        before = 0
        while not select.select([self._line], [], [], LOOK_EVERY)[0]:
            done, compiling = protocol.STATE.unpack_from(self._shared)
            if done != before:
                before, waited, compiled = done, 0.0, 0.0
            elif compiling and compiled < START:
                compiled += LOOK_EVERY
            else:
                waited += LOOK_EVERY
            making = START if asks["what"][min(done, len(asks) - 1)] == protocol.BEGIN else 0.0
            if self._limit is not None and waited > self._limit + GRACE + making:
                raise ProcessLost(self._late())
            if self._process is None or self._process.wait(0) is not None:
                raise ProcessLost(self._ended())  # select does not see it while a fork holds the socket
        try:
            said = self._line.recv(2 * protocol.LENGTH.size)
        except OSError:
            said = b""
        if not said:
            raise ProcessLost(self._ended())
        if said != protocol.LENGTH.pack(self._number) or protocol.STATE.unpack_from(self._shared)[0] != len(asks):
            raise ProcessLost("its process sent an invalid message")

    def _read(self, count: int, most: float) -> list[protocol.Answer]:
        """Return the first answers; their times and lengths are clamped, since the process is not trusted."""
        answers = []
        written = self._shared[protocol.ANSWERS_AT : protocol.ANSWERS_AT + count * protocol.ANSWER.size]
        for k, (action, spent, n) in enumerate(protocol.ANSWER.iter_unpack(written)):
            at = protocol.REASONS_AT + protocol.REASON_SIZE * k
            why = self._shared[at : at + min(n, protocol.REASON_SIZE)].decode(errors="replace") if n else None
            answers.append((action, spent if 0 <= spent <= most else most, None if why is None else one_line(why)))
        return answers

    def _late(self) -> str:
        return f"did not answer within {self._limit:g} s"

    def _ended(self) -> str:
        """Return a sentence on how the process ended."""
        assert self._process is not None
        status = self._process.wait(LEAVING)
        if status is None:
            return "its process hung up"
        if status >= 0:
            return f"its process left with status {status}"
        return f"its process was killed by {signal.Signals(-status).name}"

    def end(self) -> None:
        """Kill the process and all others of its session."""
        process, self._process = self._process, None
        if process is None:
            return
        self._line.close()  # a process that reads its socket ends now
        process.end()
        self._shared.close()


def _memory() -> IO[bytes]:
    """Return an anonymous file for shared memory."""
    create = getattr(os, "memfd_create", None)
    return tempfile.TemporaryFile() if create is None else open(create("bolicho-agent"), "w+b")  # noqa: PTH123


@dataclass(eq=False)
class _Kept:
    """A process kept for the next task, and the deals it has seen."""

    agent: tuple[Any, ...]  # game, rules, spec, limit
    process: Process
    seen: list[tuple[Seed, range]] = field(default_factory=list)  # seed of a run, and its deals

    def has_seen(self, seed: Seed, deals: range) -> bool:
        return any(
            seed == before and max(deals.start, known.start) < min(deals.stop, known.stop)
            for before, known in self.seen
        )


_processes: list[_Kept] = []
"""In the order of use, the most recent last."""


def process_of(game: Game, spec: str, limit: float | None, seed: Seed, deals: range) -> Process:
    """Return a process of an agent that has seen none of these deals of a run, and keep it for other deals.

    A deal is played in every rotation and in every pairing.  A process that had seen it from any seat could remember
    the hands of other seats in a module, a class, a cache, a thread or a child process.
    """
    agent = game.name, tuple(game.options.items()), spec, limit
    fits = (each for each in _processes if each.agent == agent and not each.has_seen(seed, deals))
    found = next(fits, None)
    if found is None:
        found = _Kept(agent, Process(game, spec, limit))
    else:
        _processes.remove(found)
    found.seen.append((seed, deals))
    _processes.append(found)
    while len(_processes) > KEPT:
        _processes.pop(0).process.end()
    return found.process


@atexit.register
def end_all() -> None:
    """Kill all agent processes and fork servers that this process started."""
    while _processes:
        _processes.pop().process.end()
    end_servers()
