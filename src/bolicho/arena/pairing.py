"""Who meets whom, on which deals.

A *duplicate set* is one deal played once in every rotation of the seats, so that each agent of a
pairing gets the same cards as the others; for two players it is a match and its mirror.  Every
pairing plays the same deals.
"""

from collections.abc import Collection
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


@dataclass(frozen=True)
class Task:
    """Some deals of one pairing, in every rotation: what a worker is given and does alone."""

    pairing: int  # its number in `pairings`
    first: int
    deals: int

    @property
    def name(self) -> str:
        """Says which task it is, and sorts in the order of the tasks."""
        return f"{self.pairing:06d}-{self.first:09d}"


def tasks(pairings: int, duplicates: int, whole: Collection[int] = ()) -> list[Task]:
    """All the work of a run.  Depends on the experiment alone, never on who does the work.

    The pairings in `whole` are one task each: somebody learns there, from the first deal to the last.
    """
    sets = pairings * duplicates
    size = min(LONGEST_TASK, max(1, sets // TASKS_WANTED))
    return [
        Task(pairing, first, min(step, duplicates - first))
        for pairing in range(pairings)
        for step in [duplicates if pairing in whole else size]
        for first in range(0, duplicates, step)
    ]
