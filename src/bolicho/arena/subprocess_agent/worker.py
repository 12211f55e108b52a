"""Program of a fork server and of its forks.

The server loads a game and forks on request.  A fork loads its agent and answers questions.  Each process ends with its
parent.
"""

import ctypes
import errno
import gc
import importlib
import json
import mmap
import os
import select
import signal
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from typing import Any, NoReturn

import numpy as np
from numba.core import event
from numba.core.registry import cpu_target

from bolicho.agents.clock import limited
from bolicho.agents.registry import recipe, traits
from bolicho.agents.seated import NO_ACTION, PythonAgents
from bolicho.arena.identity import of_agent
from bolicho.arena.run_lock import LOOK_EVERY, end_with
from bolicho.arena.subprocess_agent.protocol import (
    ACT,
    ANSWER,
    ANSWERS_AT,
    ASK,
    BEGIN,
    HEAD,
    LENGTH,
    NEXT_GAME,
    NUMBER,
    PLAIN,
    REASON_SIZE,
    REASONS_AT,
    RUNNING,
    SHARED_SIZE,
    receive,
)
from bolicho.errors import BadInput
from bolicho.games import BUILT_IN, game
from bolicho.games.compiled import calls
from bolicho.games.game import Game
from bolicho.sources import loaded_files


def main() -> NoReturn:
    """Load a game, fork a process for each agent, and serve questions there.

    The arguments are the number of a socket, the process of the run, and the game with its rules.
    """
    control, run, (name, rules) = int(sys.argv[1]), int(sys.argv[2]), json.loads(sys.argv[3])
    del sys.argv[1:]
    _die_with_parent(run)
    cpu_target.target_context.refresh()  # by far the longest part of a first call of a compiled function
    if name in BUILT_IN:  # the server runs no code of other authors, which could make memory that forks share
        with suppress(BadInput):  # reported by each fork
            _load(game(name, **rules))
    with socket.socket(fileno=control) as requests:
        line, shared = _forked(requests, run)
    with socket.socket(fileno=line) as socket_, mmap.mmap(shared, SHARED_SIZE) as memory:
        os.close(shared)
        os.set_inheritable(line, False)
        os.register_at_fork(after_in_child=lambda: _part(socket_, memory))
        with suppress(ConnectionError):
            _serve(socket_, memory)
    sys.stderr.flush()
    os._exit(0)


def _load(chosen: Game) -> None:
    """Load the compiled forms that views need."""
    table = chosen.deal(seed=0)
    table.view(table.turn)


def _forked(requests: socket.socket, run: int) -> tuple[int, int]:
    """Fork on request; return in the fork, with its socket and its shared memory.  End with the run."""
    for thread in threading.enumerate():
        if thread is not threading.current_thread():  # a timer of `games.jit` that was cancelled
            thread.join(LOOK_EVERY)
    gc.freeze()  # collections in the forks leave this memory shared
    _prctl(0)  # the thread of the run that started this process may end before the run
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # if it is ignored, the system keeps no status
    server = os.getpid()
    with suppress(OSError):  # the run ended
        while os.getppid() == run:
            if not select.select([requests], [], [], LOOK_EVERY)[0]:
                continue
            said, descriptors, *_ = socket.recv_fds(requests, NUMBER.size, 2)
            if not said:
                break
            (process,) = NUMBER.unpack(said)
            answer = _status(process) if process else _fork()
            if answer == 0 and not process:
                _begin(server)
                return descriptors[0], descriptors[1]
            for descriptor in descriptors:
                os.close(descriptor)
            requests.sendall(NUMBER.pack(answer))
    os._exit(0)


def _fork() -> int:
    """Return the number of a new process, 0 in that process, or a negative error number."""
    try:
        return os.fork()
    except OSError as problem:
        return -(problem.errno or errno.EAGAIN)


def _status(process: int) -> int:
    """Return the status of a fork, which is no zombie afterwards, or `RUNNING`."""
    found, status = os.waitpid(process, os.WNOHANG)
    return os.waitstatus_to_exitcode(status) if found else RUNNING


def _begin(server: int) -> None:
    """Give a fork what a process that was started has for itself."""
    os.setsid()
    _die_with_parent(server)
    end_with(server)
    null = os.open(os.devnull, os.O_RDWR)  # flags of an open file are shared
    os.dup2(null, 0)
    os.close(null)
    np.random.seed()  # as at the import of NumPy; `random` does it itself
    importlib.invalidate_caches()


PR_SET_PDEATHSIG = 1  # constant of Linux


def _prctl(number: int) -> None:
    """Let the system send this signal when the parent ends, or none (0), where it can."""
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, number)


def _die_with_parent(parent: int) -> None:
    """End this process with its parent, even inside compiled code that never ends."""
    _prctl(signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(0)


def _part(line: socket.socket, shared: mmap.mmap) -> None:
    """Close socket and memory in a fork of this process; the fork ends with its parent."""
    line.close()
    shared.close()
    _prctl(signal.SIGKILL)


def _serve(line: socket.socket, shared: mmap.mmap) -> None:
    hello = json.loads(receive(line, LENGTH.unpack(receive(line, LENGTH.size))[0]))
    try:
        chosen = game(hello["game"], **hello["rules"])
        answer = _described(hello["spec"], chosen) if "describe" in hello else {}
        make = recipe(hello["spec"], chosen.name).maker(chosen)
    except BadInput as problem:
        answer = {"bad": str(problem)}
    said = json.dumps(answer, default=str).encode()
    line.sendall(LENGTH.pack(len(said)) + said)
    if "bad" in answer or "describe" in hello:
        return
    event.register("numba:compile", _Compiling(shared))
    with limited(hello["limit"]) as clock:
        people, logs = PythonAgents(make, chosen, clock), dict[int, bytes]()
        while True:
            number, count, size = HEAD.unpack(receive(line, HEAD.size))
            for k, (action, why) in enumerate(_answers(people, chosen, count, receive(line, size), logs)):
                told = b"" if why is None else why.encode(errors="replace")[:REASON_SIZE]
                if told:
                    shared[REASONS_AT + REASON_SIZE * k : REASONS_AT + REASON_SIZE * k + len(told)] = told
                ANSWER.pack_into(shared, ANSWERS_AT + ANSWER.size * k, action, clock.spent, len(told))
                LENGTH.pack_into(shared, 0, k + 1)
            line.sendall(LENGTH.pack(number))


def _answers(
    people: PythonAgents, game: Game, count: int, body: bytes, logs: dict[int, bytes]
) -> Iterator[tuple[int, str | None]]:
    """Yield the agent's answers to the questions of a message, in order."""
    start, size = count * ASK.itemsize, count * game.record_size
    records = np.frombuffer(bytearray(body[start : start + size]), game.dtype)
    at, legal = start + size, np.empty(game.num_actions, np.int16)
    asks = np.frombuffer(body, ASK, count).tolist()
    for k, (what, is_open, seat, place, luck, length) in enumerate(asks):
        if what in (BEGIN, NEXT_GAME):
            logs[place] = b""
            why = people.begin(place, seat, again=what == NEXT_GAME)
            yield PLAIN if people.only_acts(place) else NO_ACTION, why
            continue
        pool = records[k : k + 1]
        log = logs[place] = logs[place] + body[at : at + length]
        at += length
        n = calls.legal(pool, legal) if is_open or pool["turn"][0] == seat else 0
        look = partial(game.make_view, game, seat, pool, legal[:n].tolist(), log)
        yield people.act(place, look(), luck) if what == ACT else (NO_ACTION, people.end(place, look))


def _described(spec: str, game: Game) -> dict[str, Any]:
    found = traits(spec, game)
    modules, files = of_agent(spec, game)
    modules |= loaded_files()  # includes modules whose names were computed
    return {"oracle": found.oracle, "learns": found.learns, "modules": modules, "files": files}


class _Compiling(event.Listener):  # type: ignore[misc]
    """Mark in the shared memory that Numba is compiling; the time does not count for the move."""

    def __init__(self, shared: mmap.mmap) -> None:
        self.shared = shared
        self.depth = 0

    def on_start(self, event: Any) -> None:
        self.depth += 1
        LENGTH.pack_into(self.shared, LENGTH.size, 1)

    def on_end(self, event: Any) -> None:
        self.depth -= 1
        LENGTH.pack_into(self.shared, LENGTH.size, self.depth > 0)
