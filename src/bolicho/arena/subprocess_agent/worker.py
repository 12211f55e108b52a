"""Program of an agent's child process: loads the agent, answers questions, ends with its parent."""

import ctypes
import json
import mmap
import os
import signal
import socket
import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, NoReturn

import numpy as np
from numba.core import event

from bolicho.agents.clock import limited
from bolicho.agents.loop import NO_ACTION, PythonAgents
from bolicho.agents.registry import recipe, traits
from bolicho.arena.identity import of_agent
from bolicho.arena.run_lock import end_with
from bolicho.arena.subprocess_agent.protocol import (
    ACT,
    AGAIN,
    ANSWER,
    ANSWERS_AT,
    ASK,
    BEGIN,
    HEAD,
    LENGTH,
    PLAIN,
    REASON_SIZE,
    REASONS_AT,
    SHARED_SIZE,
    receive,
)
from bolicho.errors import BadInput
from bolicho.games import game
from bolicho.games.compiled import calls
from bolicho.games.game import Game
from bolicho.sources import loaded_files


def main() -> NoReturn:
    """Serve questions, given the numbers of the socket, of the shared memory and of the parent process."""
    line, shared, parent = int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    del sys.argv[1:]
    _bind(parent)
    with socket.socket(fileno=line) as socket_, mmap.mmap(shared, SHARED_SIZE) as memory:
        os.close(shared)
        os.set_inheritable(line, False)
        os.register_at_fork(after_in_child=lambda: _part(socket_, memory))
        with suppress(ConnectionError):
            _serve(socket_, memory)
    sys.stderr.flush()
    os._exit(0)


PR_SET_PDEATHSIG = 1  # constant of Linux


def _bind(parent: int) -> None:
    """End this process with its parent, even inside compiled code that never ends."""
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, int(signal.SIGKILL))
    if os.getppid() != parent:
        os._exit(0)
    end_with(parent)


def _part(line: socket.socket, shared: mmap.mmap) -> None:
    """Close socket and memory in a fork of this process; the fork ends with its parent."""
    line.close()
    shared.close()
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, int(signal.SIGKILL))


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
        if what in (BEGIN, AGAIN):
            logs[place] = b""
            why = people.begin(place, seat, again=what == AGAIN)
            yield PLAIN if people.only_acts(place) else NO_ACTION, why
            continue
        pool = records[k : k + 1]
        log = logs[place] = logs[place] + body[at : at + length]
        at += length
        n = calls.legal(pool, legal) if is_open or pool["turn"][0] == seat else 0
        view = game.make_view(game, seat, pool, legal[:n].tolist(), log)
        yield people.act(place, view, luck) if what == ACT else (NO_ACTION, people.end(place, view))


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
