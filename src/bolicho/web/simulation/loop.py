"""Event loop with virtual time: processes run in a seeded order, each with its callbacks in order.

A real event loop runs callbacks in their order of arrival, and code may rely on that.  Random in reality are the
order of processes, the time of threads and the latency of messages; only these are drawn.
"""

import asyncio
import heapq
from asyncio import Handle, TimerHandle
from collections import deque
from collections.abc import Callable, Coroutine
from contextlib import suppress
from contextvars import Context, ContextVar, copy_context
from random import Random
from typing import Any

THREAD = 0.002  # mean seconds until the loop receives a result of another thread


class Process:
    """A server process, a client, or the network; killing it drops its callbacks."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.is_dead = False
        self.ready: deque[Handle] = deque()
        self.threads = 0.0  # when the last result of a thread arrives, since results keep their order
        self.context = copy_context()
        self.context.run(_PROCESS.set, self)

    def kill(self) -> None:
        """Drop all callbacks, now and later."""
        self.is_dead = True
        self.ready.clear()


_PROCESS: ContextVar[Process | None] = ContextVar("process", default=None)


class Killed(BaseException):
    """A process is killed during a callback."""


class SimulatedLoop(asyncio.AbstractEventLoop):
    """Event loop that runs callbacks of simulated processes one by one; time advances when no callback is ready."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._time = 0.0
        self._timers: list[tuple[float, int, TimerHandle, Process]] = []
        self._count = 0
        self._ready: list[Process] = []  # processes with callbacks
        self.tasks: list[asyncio.Task[Any]] = []  # kept: collection would close lost tasks at random
        self.is_over = False

    # --- Steps --------------------------------------------------------------------------------------

    def step(self) -> Process | None:
        """Run one callback and return its process; None if no callback is left."""
        while True:
            while self._timers and self._timers[0][0] <= self._time:
                _, _, timer, owner = heapq.heappop(self._timers)
                if not timer.cancelled():
                    self._put(owner, timer)
            if self._ready:
                break
            if not self._timers:
                return None
            self._time = self._timers[0][0]
        at = self._random.randrange(len(self._ready)) if len(self._ready) > 1 else 0
        process = self._ready[at]
        handle = process.ready.popleft() if process.ready else None
        if not process.ready:
            self._ready[at] = self._ready[-1]
            self._ready.pop()
        if handle is not None and not handle.cancelled():
            asyncio._set_running_loop(self)
            try:
                handle._context.run(handle._callback, *handle._args)  # type: ignore[attr-defined]
            finally:
                asyncio._set_running_loop(None)
        return process

    def close(self) -> None:
        """Drop all callbacks, and close suspended coroutines in the order they were started."""
        self.is_over = True
        self._timers.clear()
        asyncio._set_running_loop(self)  # closing a coroutine may start tasks, which are closed in turn
        try:
            for task in self.tasks:
                task._log_destroy_pending = False  # type: ignore[attr-defined]
                if not task.done():
                    with suppress(RuntimeError, asyncio.CancelledError):
                        task.get_coro().close()
        finally:
            asyncio._set_running_loop(None)

    def _put(self, process: Process, handle: Handle) -> None:
        if process.is_dead:
            return
        if not process.ready:
            self._ready.append(process)
        process.ready.append(handle)

    # --- Interface of asyncio -------------------------------------------------------------------------

    def time(self) -> float:
        return self._time

    def call_soon(  # type: ignore[override]
        self, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> Handle:
        handle = Handle(callback, args, self, context)
        if not self.is_over:
            self._put(_owner(handle), handle)
        return handle

    def call_soon_threadsafe(  # type: ignore[override]
        self, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> Handle:
        owner = (copy_context() if context is None else context).get(_PROCESS)
        assert owner is not None
        owner.threads = max(owner.threads, self._time + self._random.expovariate(1 / THREAD))
        return self.call_at(owner.threads, callback, *args, context=context)

    def call_later(  # type: ignore[override]
        self, delay: float, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> TimerHandle:
        return self.call_at(self._time + delay, callback, *args, context=context)

    def call_at(  # type: ignore[override]
        self, when: float, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> TimerHandle:
        timer = TimerHandle(when, callback, args, self, context)
        self._count += 1
        if not self.is_over and not (owner := _owner(timer)).is_dead:
            heapq.heappush(self._timers, (when, self._count, timer, owner))
        return timer

    def create_future(self) -> "asyncio.Future[Any]":
        return asyncio.Future(loop=self)

    def create_task(  # type: ignore[override]
        self, coro: Coroutine[Any, Any, Any], *, name: str | None = None, context: Context | None = None
    ) -> "asyncio.Task[Any]":
        task: asyncio.Task[Any] = asyncio.Task(coro, loop=self, name=name or "", context=context)
        self.tasks.append(task)
        return task

    def start(self, process: Process, work: Coroutine[Any, Any, Any]) -> "asyncio.Task[Any]":
        """Run a coroutine in a process."""
        return self.create_task(work, context=process.context)

    def _timer_handle_cancelled(self, handle: TimerHandle) -> None:
        """Do nothing: cancelled timers are skipped when they are due."""

    def is_running(self) -> bool:
        return not self.is_over

    def is_closed(self) -> bool:
        return False

    def get_debug(self) -> bool:
        return False

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        """Ignore reports about lost tasks; exceptions of tasks are checked when a run ends."""


def _owner(handle: Handle) -> Process:
    found: Process | None = handle._context.get(_PROCESS)  # type: ignore[attr-defined]
    assert found is not None, "a callback outside of every process"
    return found
