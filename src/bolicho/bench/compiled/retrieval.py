"""Many queries in one compiled call: what retrieval costs without Python around it."""

from bolicho.agents.cbr.compiled.search import retrieve_cases
from bolicho.games.jit import njit


@njit
def retrieve_all(index, decision, queries, threshold, minimum, scratch, cases, distances):
    """Answer every query, writing all its cases out; how many cases in all."""
    found = 0
    for i in range(len(queries)):
        n, _, _ = retrieve_cases(index, decision, queries[i : i + 1], 0, threshold, minimum, scratch, cases, distances)
        found += n
    return found
