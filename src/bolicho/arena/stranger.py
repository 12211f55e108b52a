"""A stranger's agent in a process of its own: it gets views as bytes and returns numbers.

An agent that is not the house's could reach tables, seeds and opponents through frames and the garbage
collector, and a crash in it would end everybody's games.  Here its code is loaded in another process
only, which knows the game's rules, the agent's spec and what it is asked, and nothing else.  No process
plays a deal twice (`process_of`): memory outside the agent's object does not reach another rotation.

For many tables there is one question, over a socket, and the answers come table by table, in memory that
both processes share: so when the process dies, hangs or talks nonsense it is known at which table.
That game is lost, the process is started anew, and at the other tables the agent is asked again
what it was asked before, in order, which makes it what it was.  Nothing is unpickled.
"""

import atexit
import ctypes
import json
import mmap
import os
import select
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, NamedTuple, NoReturn

import numpy as np
from numba.core import event
from numpy.typing import NDArray

from bolicho.agents.agent import Traits, recipe, traits
from bolicho.agents.clock import limited
from bolicho.agents.loop import NO_ACTION, Answers, Desks, People, Rows
from bolicho.arena.identity import Places, of_agent
from bolicho.arena.seeds import Seed
from bolicho.arena.session import end_with
from bolicho.errors import BadInput, one_line
from bolicho.games import game
from bolicho.games.compiled import calls
from bolicho.games.game import Game, Table, View, copy_pool
from bolicho.games.tables import Numbers, Tables
from bolicho.sources import loaded_files

GRACE = 10.0  # seconds beyond a move's limit before a process that does not answer is ended
START = 300.0  # seconds a process may take to load and make an agent, and to compile
LEAVING = 5.0  # seconds it may take to end once it has hung up
LOOK_EVERY = 0.25  # seconds between two looks at a process that is silent
TRIES = 3  # how often in a row a process may fail to start
KEPT = 16  # processes that wait for the next task

BEGIN, AGAIN, ACT, END = range(4)  # what is asked; again: one that learns begins another game
PLAIN = 1  # what an agent "does" when it begins, if it has nothing to do when games begin and end

ASK = np.dtype([("what", "u1"), ("open", "u1"), ("seat", "u1"), ("place", "<u4"), ("luck", "<u8"), ("log", "<u4")])
"""A question.  After all of a message come their views: the records, then of each `log` bytes of what is new."""

Asks = NDArray[np.void]

_HEAD = struct.Struct("<III")  # number of the message, questions, bytes
_STATE = struct.Struct("<II")  # how many questions are answered, whether something is being compiled
_ANSWER = struct.Struct("<qdI")  # an action, the seconds it took, the length of the reason why it broke (0: it did not)
_LENGTH = struct.Struct("<I")
MOST = 256  # questions of a message
WHY = 2048  # bytes of a reason
_ANSWERS = _STATE.size
_WHYS = _ANSWERS + MOST * _ANSWER.size
_SHARED = _WHYS + MOST * WHY

Answer = tuple[int, float, str | None]
"""The number of an action, the seconds it took, and why it broke, if it did."""


class Question(NamedTuple):
    """Something asked of an agent in one seat of one game, with what is new in its view."""

    ask: tuple[int, bool, int, int, int, int]  # as in `ASK`
    record: bytes
    log: bytes = b""


def _message(questions: Sequence[Question]) -> tuple[Asks, bytes]:
    asks = np.array([question.ask for question in questions], ASK)
    return asks, b"".join([*(question.record for question in questions), *(question.log for question in questions)])


class Lost(Exception):
    """A process is gone, hangs, or makes no sense; says why."""


# --- On this side -------------------------------------------------------------------------------


_CODE = "import json, sys; sys.path[:] = json.loads(sys.argv[4]); from bolicho.arena.stranger import main; main()"


class Process:
    """Somebody's agent elsewhere; started when it is first asked, and anew when it was lost."""

    def __init__(self, game: Game, spec: str, limit: float | None) -> None:
        self.starts = 0
        self._hello = {"game": game.name, "rules": dict(game.options), "spec": spec, "limit": limit}
        self._limit = limit
        self._process: subprocess.Popen[bytes] | None = None
        self._failed = 0
        self._why = ""
        self._number = 0

    @property
    def alive(self) -> int:
        """Which of the processes is there, counted from 1; -1: none."""
        return -1 if self._process is None else self.starts

    def start(self) -> None:
        """See that it runs; `Lost` if it cannot."""
        if self._process is not None:
            return
        if self._failed >= TRIES:
            raise Lost(self._why)
        self.starts += 1
        try:
            said = self._launch(self._hello)
            if "bad" in said:
                raise Lost(str(said["bad"]))
        except Lost as problem:
            self._failed += 1
            self._why = f"its process could not be started: {one_line(str(problem))}"
            self.end()
            raise Lost(self._why) from None
        except BaseException:  # somebody stops us
            self.end()
            raise
        self._failed = 0
        self._line.settimeout(None if self._limit is None else self._limit + GRACE)

    def worked(self) -> float:
        """The processor time it has used, of those that are gone none."""
        if self._process is None:
            return 0.0
        return time.clock_gettime(~self._process.pid << 3 | 2)  # the process' clock, as `clock_getcpuclockid` makes it

    def describe(self) -> dict[str, Any]:
        """What the agent is, asked of a process made for that; `BadInput` if it cannot be made."""
        try:
            said = self._launch({**self._hello, "describe": True})
        except Lost as problem:
            raise BadInput(f"the agent {self._hello['spec']} cannot be made: {problem}") from None
        finally:
            self.end()
        if "bad" in said:
            raise BadInput(one_line(str(said["bad"])))
        return said

    def _launch(self, hello: Mapping[str, Any]) -> dict[str, Any]:
        """Start a process, and hear what it answers to a first message."""
        ours, theirs = socket.socketpair()
        ours.settimeout(START)
        with theirs, _memory() as file:
            file.truncate(_SHARED)
            self._shared = mmap.mmap(file.fileno(), _SHARED)
            numbers = (theirs.fileno(), file.fileno(), os.getpid())
            self._line = ours
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-u", "-c", _CODE, *map(str, numbers), json.dumps(sys.path)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL if sys.stderr is None else 2,
                pass_fds=numbers[:2],
                start_new_session=True,
            )
        try:
            line = json.dumps(hello).encode()
            ours.sendall(_LENGTH.pack(len(line)) + line)
            answer = _exactly(ours, _LENGTH.unpack(_exactly(ours, _LENGTH.size))[0])
            said = json.loads(answer)
        except TimeoutError:
            raise Lost(f"its process was not ready within {START:g} s") from None
        except OSError:
            raise Lost(self._ended()) from None
        except ValueError:
            raise Lost("its process talks nonsense") from None
        if not isinstance(said, dict):
            raise Lost("its process talks nonsense")
        return said

    def ask(self, asks: Asks, views: bytes) -> tuple[list[Answer], str | None]:
        """The answers that came, and why the next one did not; the process is gone then."""
        start = time.perf_counter()
        try:
            self._send(asks, views)
            self._wait(asks)
        except Lost as problem:
            answers = self._read(min(_STATE.unpack_from(self._shared)[0], len(asks) - 1), time.perf_counter() - start)
            self.end()
            return answers, str(problem)
        except BaseException:  # somebody stops us: what it answers now is nobody's question
            self.end()
            raise
        return self._read(len(asks), time.perf_counter() - start), None

    def _send(self, asks: Asks, views: bytes) -> None:
        _STATE.pack_into(self._shared, 0, 0, 0)
        self._number = (self._number + 1) % 2**32
        body = asks.tobytes() + views
        try:
            self._line.sendall(_HEAD.pack(self._number, len(asks), len(body)) + body)
        except TimeoutError:
            raise Lost(self._late()) from None
        except OSError:
            raise Lost(self._ended()) from None

    def _wait(self, asks: Asks) -> None:
        """Until all is answered; whoever is silent for too long at one question is lost, compilation not counted."""
        waited = compiled = 0.0
        before = 0
        while not select.select([self._line], [], [], LOOK_EVERY)[0]:
            done, compiling = _STATE.unpack_from(self._shared)
            if done != before:
                before, waited, compiled = done, 0.0, 0.0
            elif compiling and compiled < START:
                compiled += LOOK_EVERY
            else:
                waited += LOOK_EVERY
            making = START if asks["what"][min(done, len(asks) - 1)] == BEGIN else 0.0
            if self._limit is not None and waited > self._limit + GRACE + making:
                raise Lost(self._late())
            if self._process is None or self._process.poll() is not None:
                raise Lost(self._ended())  # though a fork of it may still hold the socket
        try:
            said = self._line.recv(2 * _LENGTH.size)
        except OSError:
            said = b""
        if not said:
            raise Lost(self._ended())
        if said != _LENGTH.pack(self._number) or _STATE.unpack_from(self._shared)[0] != len(asks):
            raise Lost("its process talks nonsense")

    def _read(self, count: int, most: float) -> list[Answer]:
        """The first answers, believed as far as one can."""
        answers = []
        written = self._shared[_ANSWERS : _ANSWERS + count * _ANSWER.size]
        for k, (action, spent, n) in enumerate(_ANSWER.iter_unpack(written)):
            at = _WHYS + WHY * k
            why = self._shared[at : at + min(n, WHY)].decode(errors="replace") if n else None
            answers.append((action, spent if 0 <= spent <= most else most, None if why is None else one_line(why)))
        return answers

    def _late(self) -> str:
        return f"did not answer within {self._limit:g} s"

    def _ended(self) -> str:
        """How it ended, when it says no more."""
        assert self._process is not None
        try:
            status = self._process.wait(LEAVING)
        except subprocess.TimeoutExpired:
            return "its process hung up"
        if status >= 0:
            return f"its process left with status {status}"
        return f"its process was killed by {signal.Signals(-status).name}"

    def end(self) -> None:
        """End it and whatever it has started in its session."""
        process, self._process = self._process, None
        if process is None:
            return
        self._line.close()  # who is in order leaves now
        with suppress(ProcessLookupError, PermissionError):  # nobody is left
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        self._shared.close()


def _memory() -> IO[bytes]:
    """Memory that two processes can share, as a file that has no name."""
    create = getattr(os, "memfd_create", None)
    return tempfile.TemporaryFile() if create is None else open(create("stranger"), "w+b")  # noqa: PTH123


def _exactly(line: socket.socket, count: int) -> bytes:
    """So many bytes; an `OSError` where there are no more."""
    parts = []
    while count > 0:
        part = line.recv(min(count, 1 << 20))
        if not part:
            raise ConnectionError
        parts.append(part)
        count -= len(part)
    return b"".join(parts)


@dataclass(eq=False)
class _Kept:
    """A process that waits for the next task, and the deals it has seen."""

    agent: tuple[Any, ...]  # game, rules, spec, limit
    process: Process
    seen: list[tuple[Seed, range]] = field(default_factory=list)  # of which run, and which of its deals

    def has_seen(self, seed: Seed, deals: range) -> bool:
        return any(
            seed == before and max(deals.start, known.start) < min(deals.stop, known.stop)
            for before, known in self.seen
        )


_processes: list[_Kept] = []
"""In the order of use, the last used last."""


def process_of(game: Game, spec: str, limit: float | None, seed: Seed, deals: range) -> Process:
    """Return a process of an agent that has seen none of these deals of a run; it is kept for other deals.

    A deal is played again in every rotation and in every pairing.  A process that had seen it before, from whichever
    seat, could remember the hands of other seats in a module, a class, a cache, a thread or a child process.
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
    """End every process of a stranger here."""
    while _processes:
        _processes.pop().process.end()


NOBODY = 0  # knows yet of a game
NOWHERE, NO_LUCK = np.zeros(0, np.int64), np.zeros(0, np.uint64)


@dataclass
class _Seat:
    """A seat at a table, and what is needed to ask again all that was asked there."""

    table: int
    seat: int
    place: int
    start: bytes
    luck: list[int] = field(default_factory=list)  # of each decision so far
    known: int = NOBODY  # to which of the processes
    told: int = 0  # rows of its log that are known there


@dataclass(frozen=True)
class Guest:
    """A stranger who can sit down at tables (see `loop.Guest`)."""

    process: Process
    learns: bool

    def sit(self, tables: Tables, is_open: bool, limit: float) -> "Stranger":
        return Stranger(self.process, tables, is_open, self.learns)


class Stranger(Answers):
    """Answers for an agent that plays elsewhere.  It plays whole games, from their deal on."""

    remembers = False  # what it saw is in its views

    def __init__(self, process: Process, tables: Tables, is_open: bool, learns: bool) -> None:
        self._process = process
        self._tables = tables
        self._open = is_open
        self._learns = learns
        self._plain = (
            False  # whether it only acts: then it is made when it first has to, which saves two journeys a game
        )
        self._seats: dict[tuple[int, int], _Seat] = {}
        self.seconds = np.zeros(0)

    def begin(self, table: int, seat: int, past: Rows | None) -> str | None:
        assert past is None, "a stranger plays whole games"
        before = self._seats.get((table, seat))
        place = len(self._seats) if before is None else before.place
        here = self._seats[table, seat] = _Seat(table, seat, place, self._tables.pool[table].tobytes())
        if self._plain and not self._learns:
            return None
        if self._learns and before is not None and before.known == self._process.alive:  # all it has learned is there
            here.known = before.known
            return self._ask([here], AGAIN)[0][2]
        return self._settle([here]).get(0)

    def answer(self, which: Numbers, luck: NDArray[np.uint64], actions: NDArray[np.int64]) -> dict[int, str]:
        turns = self._tables.turn[which].tolist()
        seats = [self._seats[place] for place in zip(which.tolist(), turns, strict=True)]
        answers = self._ask(seats, ACT, which, luck)
        for here, number in zip(seats, luck.tolist(), strict=True):
            here.luck.append(number)
        actions[:] = [action for action, _, _ in answers]
        self.seconds = np.array([spent for _, spent, _ in answers])
        return {k: why for k, (_, _, why) in enumerate(answers) if why is not None}

    def saw(self, me: int, desk: Desks, which: Numbers, played: NDArray[np.bool_]) -> None:
        pass

    def end(self, table: int, seat: int) -> str | None:
        return None if self._plain else self._ask([self._seats[table, seat]], END)[0][2]

    def _ask(
        self, seats: list[_Seat], what: int, which: Numbers = NOWHERE, luck: NDArray[np.uint64] = NO_LUCK
    ) -> list[Answer]:
        """An answer from each seat, whatever happens to the process meanwhile."""
        answers: list[Answer | None] = [None] * len(seats)
        while left := [k for k, answer in enumerate(answers) if answer is None]:
            broken = self._settle([seats[k] for k in left])
            for i, why in broken.items():
                answers[left[i]] = NO_ACTION, 0.0, why
            left = [k for k in left if answers[k] is None]
            if left and self._process.alive > 0:
                asked = [seats[k] for k in left]
                message = self._questions(asked, which[left], luck[left]) if what == ACT else self._last(asked[0], what)
                got, lost = self._process.ask(*message)
                for k, answer in zip(left, got, strict=False):
                    answers[k] = answer if answer[2] is None else (*answer[:2], self._in(what, seats[k], answer[2]))
                if lost is not None:
                    k = left[len(got)]
                    answers[k] = NO_ACTION, 0.0, self._in(what, seats[k], lost)
        return [answer for answer in answers if answer is not None]

    def _in(self, what: int, here: _Seat, why: str) -> str:
        """A reason, and where it happened."""
        where = {ACT: f"ply {self._tables.plies[here.table]}", END: "end"}.get(what, "begin")
        return f"{where}: {why}"

    def _questions(self, seats: list[_Seat], which: Numbers, luck: NDArray[np.uint64]) -> tuple[Asks, bytes]:
        """What is to be decided at some tables."""
        asks = np.zeros(len(seats), ASK)
        logs = []
        for here in seats:
            log = self._tables.log(here.table, here.seat, here.told, open=self._open)
            here.told += len(log)
            logs.append(log.tobytes())
        asks["what"], asks["open"], asks["seat"] = ACT, self._open, self._tables.turn[which]
        asks["place"], asks["luck"], asks["log"] = [here.place for here in seats], luck, list(map(len, logs))
        return asks, b"".join([self._tables.look(which, open=self._open)[0].tobytes(), *logs])

    def _last(self, here: _Seat, what: int) -> tuple[Asks, bytes]:
        """The end of a game, or the beginning of another."""
        if what == AGAIN:
            return _message([self._opening(here, AGAIN)])
        return _message([self._question(here, END, 0, self._tables.view(here.table, here.seat, open=self._open))])

    def _settle(self, seats: list[_Seat]) -> dict[int, str]:
        """See that a process runs that knows what was asked of these seats before; where it breaks, and why."""
        broken: dict[int, str] = {}
        try:
            self._process.start()
        except Lost as problem:
            return dict.fromkeys(range(len(seats)), f"begin: {problem}")
        alive = self._process.alive
        for k, here in enumerate(seats):
            if here.known != alive and self._process.alive > 0:
                answers, lost = self._ask_again(here)
                if lost is None and answers[0][2] is None:
                    here.known = alive
                    self._plain = answers[0][0] == PLAIN
                else:
                    broken[k] = self._in(BEGIN if len(answers) < 2 else ACT, here, lost or str(answers[0][2]))
        return broken

    def _ask_again(self, here: _Seat) -> tuple[list[Answer], str | None]:
        """All that was asked of a seat, from the beginning of its game."""
        questions = [self._opening(here, BEGIN), *self._decisions(here)]
        answers: list[Answer] = []
        lost = None
        while lost is None and len(answers) < len(questions):
            more, lost = self._process.ask(*_message(questions[len(answers) :][:MOST]))
            answers += more
        return answers, lost

    def _opening(self, here: _Seat, what: int) -> Question:
        here.told = 0
        return Question((what, self._open, here.seat, here.place, 0, 0), self._tables.game.blank_bytes)

    def _question(self, here: _Seat, what: int, luck: int, view: View) -> Question:
        log = view.rows[here.told :].tobytes()
        here.told = len(view.rows)
        return Question((what, self._open, here.seat, here.place, luck, len(log)), view.pool.tobytes(), log)

    def _decisions(self, here: _Seat) -> Iterator[Question]:
        """The decisions of a seat so far."""
        game = self._tables.game
        again = Table(game, copy_pool(np.frombuffer(here.start, game.dtype)), {})
        moves = iter(self._tables.actions(here.table))
        for luck in here.luck:
            while again.turn != here.seat:
                again.play(next(moves))
            view = again.open_view(here.seat) if self._open else again.view(here.seat)
            yield self._question(here, ACT, luck, view)
            again.play(next(moves))


# --- Traits and files ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Description:
    """What a stranger is, and the sources and files it consists of."""

    traits: Traits
    modules: Places
    files: Places


def describe(spec: str, game: Game) -> Description:
    """What a stranger is; its code is loaded elsewhere."""
    said = Process(game, spec, None).describe()
    try:
        read: list[Places] = [
            {name: None if path is None else Path(path) for name, path in said[key].items()}
            for key in ("modules", "files")
        ]
        return Description(Traits(bool(said["oracle"]), bool(said["learns"]), house=False), *read)
    except (AttributeError, KeyError, TypeError):
        raise BadInput(f"the agent {spec} cannot be made: its process talks nonsense") from None


# --- On the other side --------------------------------------------------------------------------


def main() -> NoReturn:
    """What a process of a stranger does, given the numbers of its socket, of the shared memory and of its parent."""
    line, shared, parent = int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    del sys.argv[1:]
    _bind(parent)
    with socket.socket(fileno=line) as socket_, mmap.mmap(shared, _SHARED) as memory:
        os.close(shared)
        os.set_inheritable(line, False)
        os.register_at_fork(after_in_child=lambda: _part(socket_, memory))
        with suppress(ConnectionError):
            _serve(socket_, memory)
    sys.stderr.flush()
    os._exit(0)


PR_SET_PDEATHSIG = 1  # of Linux


def _bind(parent: int) -> None:
    """End with the process that started this one, even inside compiled code that never ends."""
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, int(signal.SIGKILL))
    if os.getppid() != parent:
        os._exit(0)
    end_with(parent)


def _part(line: socket.socket, shared: mmap.mmap) -> None:
    """In a fork of a stranger's process, which may do what it likes but answers nothing, and ends with it."""
    line.close()
    shared.close()
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, int(signal.SIGKILL))


def _serve(line: socket.socket, shared: mmap.mmap) -> None:
    hello = json.loads(_exactly(line, _LENGTH.unpack(_exactly(line, _LENGTH.size))[0]))
    try:
        chosen = game(hello["game"], **hello["rules"])
        answer = _described(hello["spec"], chosen) if "describe" in hello else {}
        make = recipe(hello["spec"], chosen.name).maker(chosen)
    except BadInput as problem:
        answer = {"bad": str(problem)}
    said = json.dumps(answer, default=str).encode()
    line.sendall(_LENGTH.pack(len(said)) + said)
    if "bad" in answer or "describe" in hello:
        return
    event.register("numba:compile", _Compiling(shared))
    with limited(hello["limit"]) as clock:
        people, logs = People(make, chosen, clock), dict[int, bytes]()
        while True:
            number, count, size = _HEAD.unpack(_exactly(line, _HEAD.size))
            for k, (action, why) in enumerate(_answers(people, chosen, count, _exactly(line, size), logs)):
                told = b"" if why is None else why.encode(errors="replace")[:WHY]
                if told:
                    shared[_WHYS + WHY * k : _WHYS + WHY * k + len(told)] = told
                _ANSWER.pack_into(shared, _ANSWERS + _ANSWER.size * k, action, clock.spent, len(told))
                _LENGTH.pack_into(shared, 0, k + 1)
            line.sendall(_LENGTH.pack(number))


def _answers(
    people: People, game: Game, count: int, body: bytes, logs: dict[int, bytes]
) -> Iterator[tuple[int, str | None]]:
    """Ask the agent what a message asks, one after the other."""
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
        view = game.kind.view(game, seat, pool, legal[:n].tolist(), log)
        yield people.act(place, view, luck) if what == ACT else (NO_ACTION, people.end(place, view))


def _described(spec: str, game: Game) -> dict[str, Any]:
    found = traits(spec, game)
    modules, files = of_agent(spec, game)
    modules |= loaded_files()  # also where the name of a module was computed
    return {"oracle": found.oracle, "learns": found.learns, "modules": modules, "files": files}


class _Compiling(event.Listener):  # type: ignore[misc]
    """Says in the shared memory that something is being compiled, which is nobody's thinking time."""

    def __init__(self, shared: mmap.mmap) -> None:
        self.shared = shared
        self.depth = 0

    def on_start(self, event: Any) -> None:
        self.depth += 1
        _LENGTH.pack_into(self.shared, _LENGTH.size, 1)

    def on_end(self, event: Any) -> None:
        self.depth -= 1
        _LENGTH.pack_into(self.shared, _LENGTH.size, self.depth > 0)
