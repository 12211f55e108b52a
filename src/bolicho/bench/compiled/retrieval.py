"""Many queries in one compiled call: retrieval without the overhead of Python."""

from bolicho.agents.cbr.compiled.search import retrieve_cases
from bolicho.games.jit import njit


@njit
def retrieve_all(index, decision, queries, threshold, minimum, scratch, cases, distances):
    """Retrieve the cases of every query; return their total number."""
    found = 0
    for i in range(len(queries)):
        n, _, _ = retrieve_cases(index, decision, queries[i : i + 1], 0, threshold, minimum, scratch, cases, distances)
        found += n
    return found
