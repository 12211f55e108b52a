"""Revise: replace suicide moves.

A game names its suicide moves in predicates (`Domain.predicates`), which are activated by name. The same predicates
remove from a case base the hands in which such a move was made.
"""

import numpy as np
from numpy.typing import NDArray

from bolicho.agents.cbr.casebase import Cases
from bolicho.agents.cbr.compiled.observe import find_suicides
from bolicho.agents.cbr.domain import INSTANCE, Domain
from bolicho.errors import unknown

REVISIONS = ("all", "published", "none")
"""Sets of suicide moves that exist in every game."""


def switches(domain: Domain, chosen: str) -> int:
    """Return the active predicates as bits: `all`, `published`, `none`, or names joined by `+`."""
    names = [name for name, _, _ in domain.predicates]
    if chosen == "all":
        return (1 << len(names)) - 1
    if chosen == "none":
        return 0
    if chosen == "published":
        return sum(1 << i for i, (_, _, published) in enumerate(domain.predicates) if published)
    bits = 0
    for name in chosen.split("+"):
        if name.strip() not in names:
            raise unknown("revision", name.strip(), [*REVISIONS, *names])
        bits |= 1 << names.index(name.strip())
    return bits


def suicides(domain: Domain, cases: Cases, chosen: str = "all") -> NDArray[np.int64]:
    """Return the predicate of a suicide move by each case's own player, or -1."""
    return _find(domain, cases, chosen)[:, 0]


def clean(domain: Domain, cases: Cases, chosen: str = "all") -> Cases:
    """Return the cases whose own player made no suicide move."""
    return cases[suicides(domain, cases, chosen) < 0]


def mark_unfit(domain: Domain, cases: Cases, chosen: str = "all") -> None:
    """Mark each case's kinds of decision with a suicide move: only these are left out, not the whole case."""
    cases["unfit"] = 0  # clear it, since marked decisions are skipped
    cases["unfit"] = _find(domain, cases, chosen)[:, 1]


def _find(domain: Domain, cases: Cases, chosen: str) -> NDArray[np.int64]:
    found = np.zeros((len(cases), 2), np.int64)
    find_suicides(cases, np.zeros(domain.max_instances, INSTANCE), switches(domain, chosen), found)
    return found
