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
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from time import perf_counter, process_time
from types import FrameType
from typing import Any

import numpy as np
from numba.core import event

from bolicho.agents.agent import Agent, Explanation, blamed, is_oracle, sentence, short, told
from bolicho.errors import BadInput, IllegalAction
from bolicho.games.game import Action, Game, Table, View

Forfeit = tuple[int, str]
"""The seat that lost by breaking, and why, in one sentence."""

Watch = Callable[[int, Action], None]
"""Somebody told of every seat and the action it chose, right after it was played."""


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


def agent_rng(seed: int | str, seat: int) -> np.random.Generator:
    """The generator a seat gets in the game of that seed.

    Seeded through a one-way hash: who does not guess the seed learns nothing of it from the generator.
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
    luck: int | str | None = None,
    oracles: Sequence[bool] | None = None,
    move_limit: float | None = None,
    watch: Watch | None = None,
) -> Played:
    """Play one game to its end: `agents[i]` sits at seat `i`, each its own object.

    A `table` already set up (or under way) is played on; otherwise one is dealt from `seed`.  The
    agents' generators are seeded by `luck`, by default the same seed.  Who is handed the full state is
    decided here, before anybody is called: `oracles` by seat, or those whose class says so.

    An agent that raises, returns what is no legal action, or does not come back from one call
    within `move_limit` seconds forfeits: the game stops, the scores stay as they stood, the payoffs
    are `forfeit_payoffs`, and the reason stands in the result.  Ctrl-C is nobody's fault and passes.

    The limit covers each call of `begin`, `act` and `end` without the time spent compiling.  In the
    main thread of a POSIX system a timer interrupts the call, and a process that was stopped, or a
    machine that slept, costs nobody the game: see `_Clock`.  Inside compiled code nothing can interrupt,
    and a late answer is a forfeit once it comes.  Elsewhere that holds for every call, and only the
    clock on the wall counts.
    """
    if len(agents) != game.seats:
        raise BadInput(f"{game.name} has {game.seats} seats, but {len(agents)} agents were given")
    table = game.deal(seed) if table is None else table
    first = table.turn
    open_to = [is_oracle(agent) for agent in agents] if oracles is None else oracles
    looks = [table.open_view if is_open else table.view for is_open in open_to]
    rngs = [agent_rng(seed if luck is None else luck, seat) for seat in range(game.seats)]
    tally = _Tally(game.seats)
    forfeit: Forfeit | None = None
    with _limited(move_limit) as clock:
        for seat, agent in enumerate(agents):
            broken = clock.call(seat, agent.begin, table.game, seat)
            forfeit = forfeit or broken
        if forfeit is None:
            try:
                forfeit = _loop(table, agents, looks, rngs, clock, tally, watch)
            except _OutOfTime:
                clock.started = math.inf
                forfeit = clock.seat, _late(table, clock.limit)
        for seat, agent in enumerate(agents):
            if forfeit is None or seat != forfeit[0]:
                broken = clock.call(seat, agent.end, looks[seat](seat))
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
    """What an agent would do at a table, and why; the table stays as it is.  What breaks in the agent is bad input."""
    if table.turn is None:
        raise BadInput("the game is over: nobody has anything to decide")
    with blamed("the agent broke when it was asked"):
        agent.begin(table.game, table.turn)
        view = (table.open_view if is_oracle(agent) else table.view)(table.turn)
        choice = agent.act(view, agent_rng(seed, table.turn))
        why = agent.explain()
    tried = table.copy()
    tried.play(_own_action(table, view, choice))
    return tried.actions[-1], why


class _Tally:
    """What the seats spent."""

    def __init__(self, seats: int) -> None:
        self.decisions = [0] * seats
        self.seconds = [0.0] * seats
        self.slowest = [0.0] * seats


def _loop(
    table: Table,
    agents: Sequence[Agent],
    looks: Sequence[Callable[[int], View]],
    rngs: Sequence[np.random.Generator],
    clock: "_Clock",
    tally: _Tally,
    watch: Watch | None,
) -> Forfeit | None:
    """Ask and play until the game is over or somebody forfeits."""
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
        if spent > limit and clock.overrun(start):
            return seat, _late(table, limit)
        try:
            table.play(_own_action(table, view, choice))
        except IllegalAction as problem:
            return seat, sentence(str(problem))
        if watch is not None:
            watch(seat, table.actions[-1])
    return None


def _own_action(table: Table, view: View, choice: object) -> Action | str:
    """The game's own action for what an agent returned, so that a record never holds an agent's words."""
    if type(choice) is Action and choice.number in view.numbers:
        own = view.game.action(view.state, choice.number)
        if own == choice:
            return own
    if isinstance(choice, str):
        legal = view.legal
        try:
            return legal[legal.index(choice)]
        except ValueError:
            return str(choice)  # another way to write it, or illegal: the table knows
    if isinstance(choice, int | np.integer) and not isinstance(choice, bool) and choice in view.numbers:
        return view.legal[view.numbers.index(int(choice))]
    raise IllegalAction(f"ply {table.ply}: returned {short(choice)}, which is not one of {', '.join(view.legal)}")


# --- Why somebody forfeits ----------------------------------------------------------------------


def _raised(problem: BaseException, where: str) -> str:
    return f"{where}: raised {told(problem)}"


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
    """Who is being asked, since when (`inf`: nobody), and for how long the process was at work since then.

    A call is late when the clock on the wall is over the limit *and* so is the time at work: the
    larger of the processor time of the process and of the time its timer kept ticking.  Whoever computes
    uses the one, whoever waits (for a lock, a socket, nothing) the other.  While a process is stopped or
    its machine sleeps there is neither; the timer is late then, and of any such gap `PAUSE` ticks
    count, a quarter of the limit.  The processor time is taken from the tick before the call, so up to
    one tick, a sixteenth, may be somebody else's.
    """

    def __init__(self, limit: float, tick: float = math.inf) -> None:
        self.limit = limit
        self.tick = tick  # seconds between ticks; infinite without a timer
        self.seat = 0
        self.started = math.inf
        self.compiled = 0.0  # seconds of compilation before the call began
        self.ticked = 0.0  # when the timer ticked last ...
        self.spent = process_time()  # ... and the processor time then
        self.watched = math.inf  # when the call began that the timer saw last,
        self.before = 0.0  # the processor time of the tick before it,
        self.alive = 0.0  # and how long the timer has kept ticking since

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
        now, compiled = perf_counter(), compilation.seconds - self.compiled
        if now - start - compiled <= self.limit:
            return False
        if self.tick == math.inf:
            return True
        seen = self.watched == start
        alive = self.alive + self._gap(self.ticked, now) if seen else self._gap(start, now)
        worked = process_time() - (self.before if seen else self.spent)
        return max(alive, worked) - compiled > self.limit

    def _gap(self, since: float, now: float) -> float:
        """What counts of the time between two ticks."""
        return min(now - since, PAUSE * self.tick)

    def on_tick(self, number: int, frame: FrameType | None) -> None:
        """What the timer does: interrupt a call that lasts too long, again and again until it ends."""
        now, start = perf_counter(), self.started
        if start != math.inf:
            if self.watched != start:  # its first tick
                self.watched, self.before, self.alive = start, self.spent, 0.0
                self.ticked = start
            self.alive += self._gap(self.ticked, now)
        self.ticked, self.spent = now, process_time()
        if start != math.inf and compilation.depth == 0 and self.overrun(start):
            raise _OutOfTime


TICKS = 16  # looks at the clock per limit: an agent is interrupted at most a sixteenth late ...
SHORTEST_TICK = 0.01  # ... or a hundredth of a second
PAUSE = 4  # ticks: what a gap between two ticks counts at most


@contextmanager
def _limited(limit: float | None) -> Iterator[_Clock]:
    """A clock that interrupts whoever is asked for longer than `limit`, where a timer can.

    The timer ticks on its own and its handler only compares times, so a move costs nothing.
    What was there before, handler and timer, is there again afterwards.
    """
    if limit is None or not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield _Clock(math.inf if limit is None else limit)
        return
    clock = _Clock(limit, max(limit / TICKS, SHORTEST_TICK))
    handler = signal.signal(signal.SIGALRM, clock.on_tick)
    timer = signal.setitimer(signal.ITIMER_REAL, clock.tick, clock.tick)
    try:
        yield clock
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL if handler is None else handler)
        signal.setitimer(signal.ITIMER_REAL, *timer)
