"""The clock of those who are asked: how long a call took, whether it was too long, and why it broke."""

import math
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter, process_time
from types import FrameType
from typing import Any

from numba.core import event

from bolicho.agents.blame import told


class OutOfTime(BaseException):
    """Raised inside an agent that thinks too long; not an `Exception`, so that few agents catch it."""


class Compilation(event.Listener):  # type: ignore[misc]
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


compilation = Compilation()
event.register("numba:compile", compilation)


class Clock:
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
        self.spent = 0.0  # by the last call, compilation not counted
        self.started = math.inf
        self.compiled = 0.0  # seconds of compilation before the call began
        self.ticked = 0.0  # when the timer ticked last ...
        self.worked = process_time()  # ... and the processor time then
        self.watched = math.inf  # when the call began that the timer saw last,
        self.before = 0.0  # the processor time of the tick before it,
        self.alive = 0.0  # and how long the timer has kept ticking since

    def call(self, hook: Callable[..., Any], *arguments: Any) -> tuple[Any, str | None]:
        """What a call of somebody's code returns, and why it broke, if it did; `spent` is what it took."""
        self.compiled = compilation.seconds
        start = perf_counter()
        try:
            try:
                self.started = start
                answer = hook(*arguments)
            finally:
                self.started = math.inf
        except KeyboardInterrupt:
            raise
        except OutOfTime:
            return None, self._late
        except BaseException as problem:
            return None, f"raised {told(problem)}"
        finally:
            self.spent = perf_counter() - start - (compilation.seconds - self.compiled)
        if self.spent > self.limit and self.overrun(start):
            return None, self._late
        return answer, None

    @property
    def _late(self) -> str:
        return f"did not answer within {self.limit:g} s"

    def overrun(self, start: float) -> bool:
        """Whether a call that began at `start` has lasted too long."""
        now, compiled = perf_counter(), compilation.seconds - self.compiled
        if now - start - compiled <= self.limit:
            return False
        if self.tick == math.inf:
            return True
        seen = self.watched == start
        alive = self.alive + self._gap(self.ticked, now) if seen else self._gap(start, now)
        worked = process_time() - (self.before if seen else self.worked)
        return max(alive, worked) - compiled > self.limit

    def _gap(self, since: float, now: float) -> float:
        """What counts of the time between two ticks."""
        return min(now - since, PAUSE * self.tick)

    def on_tick(self, number: int, frame: FrameType | None) -> None:
        """What the timer does: interrupt a call that lasts too long, again and again until it ends."""
        now, start = perf_counter(), self.started
        if start != math.inf:
            if self.watched != start:  # its first tick
                self.watched, self.before, self.alive = start, self.worked, 0.0
                self.ticked = start
            self.alive += self._gap(self.ticked, now)
        self.ticked, self.worked = now, process_time()
        if start != math.inf and compilation.depth == 0 and self.overrun(start):
            raise OutOfTime


TICKS = 16  # looks at the clock per limit: an agent is interrupted at most a sixteenth late ...
SHORTEST_TICK = 0.01  # ... or a hundredth of a second
PAUSE = 4  # ticks: what a gap between two ticks counts at most


@contextmanager
def limited(limit: float | None) -> Iterator[Clock]:
    """A clock that interrupts whoever is asked for longer than `limit`, where a timer can.

    The timer ticks on its own and its handler only compares times, so a move costs nothing.
    What was there before, handler and timer, is there again afterwards.
    """
    if limit is None or not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield Clock(math.inf if limit is None else limit)
        return
    clock = Clock(limit, max(limit / TICKS, SHORTEST_TICK))
    handler = signal.signal(signal.SIGALRM, clock.on_tick)
    timer = signal.setitimer(signal.ITIMER_REAL, clock.tick, clock.tick)
    try:
        yield clock
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL if handler is None else handler)
        signal.setitimer(signal.ITIMER_REAL, *timer)
