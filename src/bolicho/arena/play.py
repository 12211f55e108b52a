"""The one loop that plays everything.

>>> import bolicho
>>> from bolicho.arena.play import play
>>> played = play(bolicho.game("truco"), [bolicho.agent("random"), bolicho.agent("random")], seed=7)
>>> max(played.scores) >= 24 and played.forfeit is None
True

An agent gets a view of its seat (an oracle the open one) and a generator of its own.  An agent that
breaks loses the game and the loop goes on: see `play`.
"""

import hashlib
import math
import re
import signal
import threading
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from types import FrameType
from typing import Any

import numpy as np
from numba.core import event

from bolicho.agents.agent import Agent, Explanation
from bolicho.errors import BadInput, IllegalAction, one_line
from bolicho.games.game import Action, Game, Table, View

Forfeit = tuple[int, str]
"""The seat that lost by breaking, and why, in one sentence."""

Watch = Callable[[int, Action], None]
"""Somebody told of every seat and the action it chose, right after it was played."""

REASON_LENGTH = 300  # characters of a reason that are kept: a sentence, not a dump


@dataclass(frozen=True)
class Played:
    """A game that was played, or lost by a forfeit; lists are by seat."""

    table: Table
    scores: list[int]
    payoffs: list[float]
    forfeit: Forfeit | None
    first: int | None  # the seat that had the first decision
    decisions: list[int]
    seconds: list[float]  # in all decisions, compilation not counted
    slowest: list[float]  # the longest single decision

    @property
    def plies(self) -> int:
        """How many actions were chosen."""
        return self.table.ply

    def record(self) -> dict[str, Any]:
        """The game as JSON, replayable."""
        return self.table.record()


def agent_rng(seed: int, seat: int) -> np.random.Generator:
    """The generator a seat gets in the game of that seed.

    Seeded through a one-way hash, so that it tells nothing about the seed of the deal.
    """
    digest = hashlib.sha256(f"{seed} {seat} agent".encode()).digest()
    return np.random.Generator(np.random.PCG64(int.from_bytes(digest)))


def forfeit_payoffs(seats: int, loser: int) -> list[float]:
    """What a forfeit is worth: -1 for who forfeits, and +1 shared by the others."""
    return [-1.0 if seat == loser else 1 / (seats - 1) for seat in range(seats)]


def play(
    game: Game,
    agents: Sequence[Agent],
    seed: int = 0,
    *,
    table: Table | None = None,
    move_limit: float | None = None,
    watch: Watch | None = None,
) -> Played:
    """Play one game to its end: `agents[i]` sits at seat `i`, each its own object.

    A `table` already set up (or under way) is played on; otherwise one is dealt from `seed`, which
    in both cases also seeds the agents' generators.

    An agent that raises, returns what is no legal action, or does not come back from one call
    within `move_limit` seconds forfeits: the game stops, the scores stay as they stood, the payoffs
    are `forfeit_payoffs`, and the reason stands in the result.  Ctrl-C is nobody's fault and passes.

    The limit covers each call of `begin`, `act` and `end` without the time spent compiling.  In the
    main thread of a POSIX system a timer interrupts the call; elsewhere, and inside compiled code,
    nothing can, and a late answer is a forfeit once it comes.
    """
    if len(agents) != game.seats:
        raise BadInput(f"{game.name} has {game.seats} seats, but {len(agents)} agents were given")
    table = game.deal(seed) if table is None else table
    first = table.turn
    rngs = [agent_rng(seed, seat) for seat in range(game.seats)]
    tally = _Tally(game.seats)
    forfeit: Forfeit | None = None
    with _limited(move_limit) as clock:
        for seat, agent in enumerate(agents):
            broken = clock.call(seat, agent.begin, table.game, seat)
            forfeit = forfeit or broken
        if forfeit is None:
            try:
                forfeit = _loop(table, agents, rngs, clock, tally, watch)
            except _OutOfTime:
                clock.started = math.inf
                forfeit = clock.seat, _late(table, clock.limit)
        for seat, agent in enumerate(agents):
            if forfeit is None or seat != forfeit[0]:
                broken = clock.call(seat, agent.end, _look(table, agent)(seat))
                forfeit = forfeit or broken
    return Played(
        table=table,
        scores=table.scores,
        payoffs=table.payoffs if forfeit is None else forfeit_payoffs(game.seats, forfeit[0]),
        forfeit=forfeit,
        first=first,
        decisions=tally.decisions,
        seconds=tally.seconds,
        slowest=tally.slowest,
    )


def advice(table: Table, agent: Agent, seed: int = 0) -> tuple[Action, Explanation | None]:
    """What an agent would do at a table, and why; the table stays as it is."""
    if table.turn is None:
        raise BadInput("the game is over: nobody has anything to decide")
    agent.begin(table.game, table.turn)
    view = _look(table, agent)(table.turn)
    choice = agent.act(view, agent_rng(seed, table.turn))
    tried = table.copy()
    tried.play(_own_action(table, view, choice))
    return tried.actions[-1], agent.explain()


class _Tally:
    """What the seats spent."""

    def __init__(self, seats: int) -> None:
        self.decisions = [0] * seats
        self.seconds = [0.0] * seats
        self.slowest = [0.0] * seats


def _look(table: Table, agent: Agent) -> Callable[[int], View]:
    """How an agent sees the table."""
    return table.open_view if agent.oracle else table.view


def _loop(
    table: Table,
    agents: Sequence[Agent],
    rngs: Sequence[np.random.Generator],
    clock: "_Clock",
    tally: _Tally,
    watch: Watch | None,
) -> Forfeit | None:
    """Ask and play until the game is over or somebody forfeits."""
    looks = [_look(table, agent) for agent in agents]
    acts = [agent.act for agent in agents]
    decisions, seconds, slowest, limit = tally.decisions, tally.seconds, tally.slowest, clock.limit
    turn = table.pool["turn"].item  # reads the live field
    while (seat := turn()) >= 0:
        view = looks[seat](seat)
        clock.seat = seat
        clock.compiled = compiled = compilation.seconds
        try:
            clock.started = start = perf_counter()
            choice = acts[seat](view, rngs[seat])
            clock.started = math.inf
        except (KeyboardInterrupt, _OutOfTime):
            raise
        except BaseException as problem:
            clock.started = math.inf
            return seat, _raised(problem, f"ply {table.ply}")
        spent = perf_counter() - start - (compilation.seconds - compiled)
        decisions[seat] += 1
        seconds[seat] += spent
        if spent > slowest[seat]:
            slowest[seat] = spent
            if spent > limit:
                return seat, _late(table, limit)
        try:
            table.play(_own_action(table, view, choice))
        except IllegalAction as problem:
            return seat, _sentence(str(problem))
        if watch is not None:
            watch(seat, table.actions[-1])
    return None


def _own_action(table: Table, view: View, choice: object) -> Action | str:
    """The game's own action for what an agent returned, so that a record never holds an agent's words."""
    if isinstance(choice, str):
        legal = view.legal
        try:
            return legal[legal.index(choice)]
        except ValueError:
            return str(choice)  # another way to write it, or illegal: the table knows
    if isinstance(choice, int | np.integer) and not isinstance(choice, bool) and choice in view.numbers:
        return view.legal[view.numbers.index(int(choice))]
    raise IllegalAction(f"ply {table.ply}: returned {_short(choice)}, which is not one of {', '.join(view.legal)}")


# --- Why somebody forfeits ----------------------------------------------------------------------


def _short(thing: object) -> str:
    """A `repr` that cannot fail and is not long."""
    try:
        text = repr(thing)
    except Exception:
        text = f"an object of type {type(thing).__name__}"
    return text if len(text) <= 60 else text[:60] + "…"


def _sentence(text: str) -> str:
    """One line, not too long, and the same in every process (no addresses of objects)."""
    text = one_line(re.sub(r"0x[0-9a-fA-F]+", "0x…", " ".join(text.split())))
    return text if len(text) <= REASON_LENGTH else text[:REASON_LENGTH] + "…"


def _raised(problem: BaseException, where: str) -> str:
    """What was raised, and the line of the agent it came from."""
    try:
        said = f": {problem}" if str(problem) else ""
    except Exception:
        said = ""
    _, *theirs = traceback.extract_tb(problem.__traceback__)
    line = f" ({Path(theirs[-1].filename).name}, line {theirs[-1].lineno})" if theirs else ""
    return _sentence(f"{where}: raised {type(problem).__name__}{said}{line}")


def _late(where: Table | str, limit: float) -> str:
    where = where if isinstance(where, str) else f"ply {where.ply}"
    return f"{where}: did not answer within {limit:g} s"


# --- The clock ----------------------------------------------------------------------------------


class _OutOfTime(BaseException):
    """Raised inside an agent that thinks too long; not an `Exception`, so that few agents catch it."""


class _Compilation(event.Listener):  # type: ignore[misc]
    """How long this process has spent compiling: nobody's thinking time."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.depth = 0
        self.since = 0.0

    def on_start(self, event: Any) -> None:
        if self.depth == 0:
            self.since = perf_counter()
        self.depth += 1

    def on_end(self, event: Any) -> None:
        self.depth -= 1
        if self.depth == 0:
            self.seconds += perf_counter() - self.since


compilation = _Compilation()
event.register("numba:compile", compilation)


class _Clock:
    """Who is being asked, and since when (`inf`: nobody)."""

    def __init__(self, limit: float) -> None:
        self.limit = limit
        self.seat = 0
        self.started = math.inf
        self.compiled = 0.0  # seconds of compilation before the call began

    def call(self, seat: int, hook: Callable[..., None], *arguments: Any) -> Forfeit | None:
        """Call `begin` or `end` of an agent; the forfeit, if it breaks there."""
        self.seat, self.compiled = seat, compilation.seconds
        start = perf_counter()
        try:
            try:
                self.started = start
                hook(*arguments)
            finally:
                self.started = math.inf
        except KeyboardInterrupt:
            raise
        except _OutOfTime:
            return seat, _late(hook.__name__, self.limit)
        except BaseException as problem:
            return seat, _raised(problem, hook.__name__)
        if self.overrun(start):
            return seat, _late(hook.__name__, self.limit)
        return None

    def overrun(self, start: float) -> bool:
        """Whether a call that began at `start` has lasted too long."""
        return perf_counter() - start - (compilation.seconds - self.compiled) > self.limit

    def tick(self, number: int, frame: FrameType | None) -> None:
        """What the timer does: interrupt a call that lasts too long, again and again until it ends."""
        if compilation.depth == 0 and self.overrun(self.started):
            raise _OutOfTime


TICKS = 4  # looks at the clock per limit: an agent is interrupted at most a quarter late ...
SHORTEST_TICK = 0.01  # ... or a hundredth of a second


@contextmanager
def _limited(limit: float | None) -> Iterator[_Clock]:
    """A clock that interrupts whoever is asked for longer than `limit`, where a timer can.

    The timer ticks on its own and its handler only compares times, so a move costs nothing.
    What was there before, handler and timer, is there again afterwards.
    """
    clock = _Clock(math.inf if limit is None else limit)
    if limit is None or not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield clock
        return
    tick = max(limit / TICKS, SHORTEST_TICK)
    handler = signal.signal(signal.SIGALRM, clock.tick)
    timer = signal.setitimer(signal.ITIMER_REAL, tick, tick)
    try:
        yield clock
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL if handler is None else handler)
        signal.setitimer(signal.ITIMER_REAL, *timer)
