"""Uptime of the server: the time that counts for clocks and claims.

Every process keeps a row (began, until) and moves `until` forward every few seconds.  Time counts where any of these
intervals covers it, and up to now for the current process.  A restart begins a new row, and so does a jump of the
system's clock, or a process that was suspended or could not reach its database: the time between two rows does not
count.
"""

from bisect import bisect_right
from collections.abc import Collection, Iterable

from sqlalchemy.engine import Engine

from bolicho.store import database
from bolicho.web.clock import Clock

UPDATE_INTERVAL = 20.0
"""Longest interval in seconds between two updates of an idle server; `Connections.beat` causes the transactions."""

DOWN_AFTER = 2 * UPDATE_INTERVAL  # seconds without an update after which the process counts as down
JUMP = 2.0  # seconds that wall-clock and monotonic time may differ between two transactions

Interval = tuple[float, float]


class Uptime:
    """Intervals in which a server was up, in wall-clock time; the last one, of this process, is still open."""

    def __init__(self, began: float = float("-inf"), others: Iterable[Interval] = ()) -> None:
        self.set(began, others)

    def set(self, began: float, others: Iterable[Interval], before: Collection[float] = ()) -> None:
        """Set the intervals: from `began` on, and those of other processes and of earlier starts.

        `before` has the beginnings of intervals from before the system's clock was set back: they may cover `began`
        again, but no server was up then.
        """
        self.began = self.since = began
        others = list(others)
        for start, end in sorted(others, reverse=True):
            if start <= self.since <= end and start not in before:
                self.since = start
        self._begins: list[float] = []
        self._ends: list[float] = []
        found = sorted([*others, (began, float("inf"))])
        for start, end in found:
            if self._ends and start <= self._ends[-1]:
                self._ends[-1] = max(self._ends[-1], end)
            else:
                self._begins.append(start)
                self._ends.append(end)
        self._starts = [start for start, _ in found if start > float("-inf")]

    def seconds(self, start: float, end: float) -> float:
        """Return the seconds between two moments in which a server was up.

        If the system's clock was set back in between, only the time since then counts; never negative.
        """
        if end < start:
            start = self._set_back(end)
        if start >= self.since:
            return end - start
        return sum(
            max(0.0, min(until, end) - max(began, start)) for began, until in zip(self._begins, self._ends, strict=True)
        )

    def latest(self, *moments: float, now: float) -> float:
        """Return the latest of some moments and of the last start of the server.

        A moment in the future stems from before the system's clock was set back.
        """
        return max([self.since, *(moment if moment <= now else self._set_back(now) for moment in moments)])

    def _set_back(self, now: float) -> float:
        """Return when the system's clock was last set back before `now`: the beginning of the last interval."""
        before = bisect_right(self._starts, now)
        return self._starts[before - 1] if before else now


ALWAYS = Uptime()
"""Uptime of a server that was never down."""


class Recorder:
    """Writer of this process's row; detects gaps in which the process was not up."""

    def __init__(self, engine: Engine, clock: Clock) -> None:
        self.uptime = Uptime()
        self._engine = engine
        self._clock = clock
        self._row: int | None = None
        self._before: set[float] = set()
        self._noted = self._now = self._monotonic = 0.0  # time of the last update; times of the last call

    def note(self) -> float:
        """Return the time, and update the row if due; called before every transaction."""
        now, monotonic = self._clock.now(), self._clock.monotonic()
        if self._row is None:
            self._begin(now)
        elif abs((now - self._now) - (monotonic - self._monotonic)) > JUMP or now - self._noted > DOWN_AFTER:
            self._write(self._now)
            self._begin(now)
        elif now - self._noted >= UPDATE_INTERVAL / 2:
            self._write(now)
        self._now, self._monotonic = now, monotonic
        return now

    def close(self) -> None:
        """Record the end of the process."""
        if self._row is not None:
            self._write(self._clock.now())

    def _begin(self, now: float) -> None:
        with self._engine.begin() as connection:
            self._row = database.add_uptime(connection, now)
            others = database.read_uptime(connection, self._row)
        self._before = {began for began, until in others if until > now + JUMP}
        self.uptime.set(now, others, self._before)
        self._noted = now

    def _write(self, until: float) -> None:
        with self._engine.begin() as connection:
            database.set_uptime(connection, self._row or 0, until)
            others = database.read_uptime(connection, self._row or 0)
        self.uptime.set(self.uptime.began, others, self._before)
        self._noted = until
