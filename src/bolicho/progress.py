"""Progress bar on stderr."""

import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text

T = TypeVar("T")


class _Speed(ProgressColumn):
    """Units of work per second, for bars with a unit."""

    def render(self, task: Task) -> Text:
        speed, unit = task.finished_speed or task.speed, task.fields["unit"]
        if speed is None or not unit:
            return Text("")
        return Text(f"{speed:,.0f} {unit}/s" if speed >= 10 else f"{speed:.2g} {unit}/s")


class Bar:
    """Handle of a progress bar."""

    def __init__(self, progress: Progress, task: int) -> None:
        self._progress = progress
        self._task = task

    def advance(self, more: int = 1) -> None:
        """Add finished work."""
        self._progress.advance(self._task, more)  # type: ignore[arg-type]

    def update(self, done: int | None = None, what: str | None = None, note: str | None = None) -> None:
        """Set the given values: finished work, text before the bar, text behind it."""
        fields = {} if note is None else {"note": note}
        self._progress.update(self._task, completed=done, description=what, **fields)  # type: ignore[arg-type]

    def stop(self) -> None:
        """Remove the bar from the screen."""
        self._progress.stop()


@contextmanager
def progress(
    what: str, total: int | None, unit: str = "", *, done: int = 0, after: float = 0.0, show: bool = True
) -> Iterator[Bar]:
    """Show a bar in a terminal while the block runs, from `after` seconds on."""
    console = Console(stderr=True)
    show = show and console.is_terminal
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), _Speed())
    times = (TimeElapsedColumn(), TimeRemainingColumn(), TextColumn("{task.fields[note]}"))
    bar = Progress(*columns, *times, console=console, transient=True, disable=not show)
    task = bar.add_task(what, total=total, completed=done, unit=unit, note="")
    later = threading.Timer(after, bar.start)
    later.daemon = True
    if after and show:
        later.start()
    elif show:
        bar.start()
    try:
        yield Bar(bar, task)
    finally:
        if after and show:
            later.cancel()
            later.join()
        if bar.live.is_started:  # `stop` prints a line even if the bar was never shown
            bar.stop()


def tracked(items: Iterable[T], what: str, total: int) -> Iterator[T]:
    """Yield the items and show how many are done."""
    with progress(what, total) as bar:
        for item in items:
            yield item
            bar.advance()
