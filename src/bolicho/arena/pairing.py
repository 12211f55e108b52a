"""Who meets whom, on which deals.

A *duplicate set* is one deal played once in every rotation of the seats, so that each agent of a
pairing gets the same cards as the others; for two players it is a match and its mirror.  Every
pairing plays the same deals.
"""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from itertools import combinations, combinations_with_replacement

Pairing = tuple[int, ...]
"""The agents that meet, as numbers into the list of agents, one per seat."""

TASKS_WANTED = 64  # enough to keep many workers busy and to lose little when one dies
LONGEST_TASK = 128  # deals: enough tables at once for quick agents, and slow ones must not lose hours


def pairings(agents: int, seats: int) -> list[Pairing]:
    """Everybody against everybody, in the order of the list.

    With at least as many agents as seats: every combination, nobody twice at a table (for two
    seats: every pair).  With fewer: every way to fill the seats in which each agent sits at least
    once, so two agents at a table of three meet as (0, 0, 1) and (0, 1, 1).
    """
    everybody = range(agents)
    if agents >= seats:
        return list(combinations(everybody, seats))
    filled = combinations_with_replacement(everybody, seats)
    return [pairing for pairing in filled if len(set(pairing)) == agents]


@dataclass(frozen=True, order=True)
class Task:
    """Some deals of one pairing, in every rotation: what a worker is given and does alone."""

    pairing: int  # its number in `pairings`
    first: int
    deals: int

    @property
    def name(self) -> str:
        """Says which task it is, and sorts in the order of the tasks."""
        return f"{self.pairing:06d}-{self.first:09d}-{self.deals:09d}"

    @classmethod
    def named(cls, name: str) -> "Task | None":
        """The task of a name, if it is one."""
        found = re.fullmatch(r"(\d{6,})-(\d{9})-(\d{9})", name, re.ASCII)
        return None if found is None else cls(*map(int, found.groups()))

    @property
    def end(self) -> int:
        """The deal after its last."""
        return self.first + self.deals


def tasks(
    pairings: int,
    duplicates: int,
    whole: Collection[int] = (),
    done: Iterable[Task] = (),
    wanted: int | None = None,
) -> list[Task]:
    """All the work of a run that is not `done` (see `apart`), in about as many tasks as `wanted`.

    The pairings in `whole` are one task each: somebody learns there, from the first deal to the last.
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


def _gaps(played: Iterable[Task], duplicates: int) -> list[tuple[int, int]]:
    """The deals between tasks that are in order: the first of them, and the one after the last."""
    gaps, at = [], 0
    for task in played:
        gaps.append((at, task.first))
        at = task.end
    return [(first, end) for first, end in [*gaps, (at, duplicates)] if first < end]


def apart(found: Iterable[Task], pairings: int, duplicates: int, whole: Collection[int] = ()) -> list[Task]:
    """Those of the tasks found that count for a run, no deal twice; the longest first where they overlap."""
    chosen: list[Task] = []
    for task in sorted(found, key=lambda task: (task.pairing, task.first, -task.deals)):
        before = chosen[-1].end if chosen and chosen[-1].pairing == task.pairing else 0
        fits = task.pairing < pairings and before <= task.first and task.deals > 0 and task.end <= duplicates
        if fits and (task.pairing not in whole or task.deals == duplicates):
            chosen.append(task)
    return chosen
