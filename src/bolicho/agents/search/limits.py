"""Limits of a search: seconds, or a number of nodes, iterations or worlds."""

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter

from bolicho.errors import BadInput

_FIRST_SLICE = 16  # units before the first check of the clock
_SLICES = 20  # checks of the clock in the given time
_LONGEST_SLICE = 0.05  # seconds
_UNTIMED_SLICE = 1 << 17  # units between checks for Ctrl-C


@dataclass(frozen=True)
class Limits:
    """Limits of a search; the first one reached ends it. Without `seconds` a search can be repeated exactly."""

    units: int | None = None
    seconds: float | None = None
    clock: Callable[[], float] = perf_counter  # wall clock, or `thread_time`, which excludes other processes


def limits(units: int | None, seconds: float | None, default: int, name: str) -> Limits:
    """Return the limits of an agent's options; `default` units (of that name) when neither is given."""
    if units is not None and (type(units) is not int or units < 1):
        raise BadInput(f"{name} must be a whole number from 1 on, not {units!r}")
    if seconds is not None and (type(seconds) not in (int, float) or not 0 < seconds < float("inf")):
        raise BadInput(f"seconds must be a positive number, not {seconds!r}")
    if units is None and seconds is None:
        units = default
    return Limits(units, seconds)


def spend(step: Callable[[int], int], limits: Limits) -> int:
    """Call `step(n)`, which does at most `n` units and returns their number, until a limit or the end.

    A step that does fewer units than allowed ends the search. Returns the total of units done.
    """
    start = limits.clock()
    done, size = 0, _UNTIMED_SLICE if limits.seconds is None else _FIRST_SLICE
    while True:
        allowed = size if limits.units is None else min(size, limits.units - done)
        if allowed <= 0:
            return done
        did = step(allowed)
        done += did
        if did < allowed:
            return done
        if limits.seconds is not None:
            spent = limits.clock() - start
            if spent >= limits.seconds:
                return done
            pause = min(limits.seconds / _SLICES, _LONGEST_SLICE, limits.seconds - spent)
            size = max(1, min(2 * size, int(done / spent * pause)))
