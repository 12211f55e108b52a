"""Pairings of agents, and tasks: the deals of a pairing.

A *duplicate set* is one deal played once in every rotation of the seats, so that all agents of a pairing get the same
cards; with two seats it is a game and its mirror.  Every pairing plays the same deals.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import combinations, combinations_with_replacement

Pairing = tuple[int, ...]
"""Indices of the agents of a game, one per seat."""

TASKS_WANTED = 64  # enough to keep many worker processes busy and to lose few games in a crash
LONGEST_TASK = 128  # deals: enough tables for batches of fast agents, few enough that slow ones do not lose hours


def pairings(agents: int, seats: int) -> list[Pairing]:
    """Return all pairings of agents, in the order of the list.

    With at least as many agents as seats: every combination of different agents (for two seats: every pair).
    With fewer: every combination that contains each agent, so two agents at a table of three meet as (0, 0, 1) and
    (0, 1, 1).
    """
    everybody = range(agents)
    if agents >= seats:
        return list(combinations(everybody, seats))
    filled = combinations_with_replacement(everybody, seats)
    return [pairing for pairing in filled if len(set(pairing)) == agents]


@dataclass(frozen=True, order=True)
class Task:
    """Some deals of one pairing, in every rotation: the unit of work of a worker process."""

    pairing: int  # index in `pairings`
    first: int
    deals: int

    @property
    def name(self) -> str:
        """Unique name that sorts in the order of tasks."""
        return f"{self.pairing:06d}-{self.first:09d}-{self.deals:09d}"

    @classmethod
    def named(cls, name: str) -> "Task | None":
        """Return the task of a name, or None for any other text."""
        found = re.fullmatch(r"(\d{6,})-(\d{9})-(\d{9})", name, re.ASCII)
        return None if found is None else cls(*map(int, found.groups()))

    @property
    def end(self) -> int:
        """Number after the last deal."""
        return self.first + self.deals


def tasks(
    pairings: int,
    duplicates: int,
    whole: Collection[int] = (),
    done: Iterable[Task] = (),
    wanted: int | None = None,
) -> list[Task]:
    """Return the deals of a run that are not in `done` (see `apart`), in about `wanted` tasks.

    Each pairing in `whole` is one task, since an agent learns there from the first deal to the last.
    """
    played: dict[int, list[Task]] = {}
    for task in sorted(done):
        played.setdefault(task.pairing, []).append(task)
    sets = pairings * duplicates - sum(task.deals for each in played.values() for task in each)
    size = min(LONGEST_TASK, max(1, sets // (wanted or TASKS_WANTED)))
    return [
        Task(pairing, at, min(step, end - at))
        for pairing in range(pairings)
        for step in [duplicates if pairing in whole else size]
        for first, end in _gaps(played.get(pairing, ()), duplicates)
        for at in range(first, end, step)
    ]


def joined(tasks: Iterable[Task], most: Callable[[], int]) -> Iterator[Task]:
    """Yield tasks, each joined with the next ones of its pairing while it has at most `most()` deals.

    It is asked when a task is needed, so it may follow the pace of the tasks before.
    """
    held: Task | None = None
    for task in tasks:
        if held is None:
            held = task
        elif (held.pairing, held.end) == (task.pairing, task.first) and held.deals + task.deals <= most():
            held = replace(held, deals=held.deals + task.deals)
        else:
            yield held
            held = task
    if held is not None:
        yield held


def _gaps(played: Iterable[Task], duplicates: int) -> list[tuple[int, int]]:
    """Return the ranges (first, end) of deals between ordered tasks."""
    gaps, at = [], 0
    for task in played:
        gaps.append((at, task.first))
        at = task.end
    return [(first, end) for first, end in [*gaps, (at, duplicates)] if first < end]


def apart(found: Iterable[Task], pairings: int, duplicates: int, whole: Collection[int] = ()) -> list[Task]:
    """Return the tasks found that count for a run, without overlaps; of tasks with the same first deal the longest."""
    chosen: list[Task] = []
    for task in sorted(found, key=lambda task: (task.pairing, task.first, -task.deals)):
        before = chosen[-1].end if chosen and chosen[-1].pairing == task.pairing else 0
        fits = task.pairing < pairings and before <= task.first and task.deals > 0 and task.end <= duplicates
        if fits and (task.pairing not in whole or task.deals == duplicates):
            chosen.append(task)
    return chosen
