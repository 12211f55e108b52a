"""Clock for agent calls: duration, time limit, and reason of a failure."""

import math
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter, process_time
from types import FrameType
from typing import Any

from numba.core import event

from bolicho.agents.agent_errors import describe_error


class OutOfTime(BaseException):
    """Raised inside an agent that exceeds its time limit; not an `Exception`, so that few agents catch it."""


class Compilation(event.Listener):  # type: ignore[misc]
    """Time that this process has spent on compilation; it counts against no agent."""

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
    """Start of the current call (`inf`: none), and the time for which the process has worked since then.

    A call is late when both the wall-clock time and the working time exceed the limit. Working time is the larger of
    the processor time of the process and of the time for which its timer kept ticking: computation uses the former,
    waiting (for a lock, a socket) the latter. Both stand still while the process is stopped or the machine sleeps. The
    timer is late after such a gap, which counts as at most `PAUSE` ticks, a quarter of the limit. The processor time is
    taken from the tick before the call, so up to one tick, a sixteenth of the limit, may belong to earlier work.
    """

    def __init__(self, limit: float, tick: float = math.inf) -> None:
        self.limit = limit
        self.tick = tick  # seconds between ticks; infinite without a timer
        self.spent = 0.0  # seconds of the last call, without compilation
        self.started = math.inf
        self.compiled = 0.0  # seconds of compilation before the call began
        self.ticked = 0.0  # time of the last tick ...
        self.worked = process_time()  # ... and the processor time at that tick
        self.watched = math.inf  # start of the last call that the timer observed,
        self.before = 0.0  # processor time at the tick before it,
        self.alive = 0.0  # and seconds for which the timer has kept ticking since

    def call(self, hook: Callable[..., Any], *arguments: Any) -> tuple[Any, str | None]:
        """Call external code; return its result and the reason of a failure, if any. Sets `spent`."""
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
            return None, f"raised {describe_error(problem)}"
        finally:
            self.spent = perf_counter() - start - (compilation.seconds - self.compiled)
        if self.spent > self.limit and self.overrun(start):
            return None, self._late
        return answer, None

    @property
    def _late(self) -> str:
        return f"did not answer within {self.limit:g} s"

    def overrun(self, start: float) -> bool:
        """Return whether a call that began at `start` has exceeded the limit."""
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
        """Return the counted part of the time between two ticks."""
        return min(now - since, PAUSE * self.tick)

    def on_tick(self, number: int, frame: FrameType | None) -> None:
        """Interrupt a call that exceeds the limit; repeated at every tick until the call ends."""
        now, start = perf_counter(), self.started
        if start != math.inf:
            if self.watched != start:  # first tick of this call
                self.watched, self.before, self.alive = start, self.worked, 0.0
                self.ticked = start
            self.alive += self._gap(self.ticked, now)
        self.ticked, self.worked = now, process_time()
        if start != math.inf and compilation.depth == 0 and self.overrun(start):
            raise OutOfTime


TICKS = 16  # ticks per limit: an agent is interrupted at most a sixteenth late ...
SHORTEST_TICK = 0.01  # ... or a hundredth of a second
PAUSE = 4  # in ticks: the most that a gap between two ticks counts


@contextmanager
def limited(limit: float | None) -> Iterator[Clock]:
    """Provide a clock that interrupts calls longer than `limit`, where a timer is available.

    The timer runs by itself and its handler only compares times, so a move costs nothing. The previous handler and
    timer are restored afterwards.
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
