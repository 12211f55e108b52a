"""Retrieval: all cases within a distance, and a threshold that falls until there are enough; compiled."""

import numpy as np

from bolicho.agents.cbr.compiled.tree import EQUAL, NUMERIC, SCALE, SCANNED
from bolicho.agents.cbr.domain import MAX_NUMERIC
from bolicho.games.jit import njit, rule

THOUSAND = 1000  # similarities are integers in thousandths
STEP = 20  # step of the falling threshold: 0.02 (Paulus 2020, section 3.1.1)


@rule
def budget_of(index, d, threshold):
    """Return the largest integer distance whose similarity is at least `threshold` thousandths."""
    return index.meta[d, SCALE] * index.weight_sum[d] * (THOUSAND - threshold) // THOUSAND


@rule
def add_gaps(gaps, column, wanted, weight):
    """Add the weighted distances of a column's values from the wanted one; vectorised, eight at a time."""
    for i in range(len(gaps)):
        gaps[i] += weight * abs(column[i] - wanted)


@rule
def scan(index, d, first, end, levels, query, group, distance, budget, n, w):
    """Append the leaves `first .. end` within `budget` by the numeric attributes of `levels`; return the new total."""
    gaps = w.gaps[: end - first]
    gaps[:] = distance
    for j in range(levels[0], levels[1]):
        add_gaps(gaps, index.columns[j, first:end], np.float32(query.numeric[j]), np.float32(index.weights[d, j]))
    for i in range(len(gaps)):
        if gaps[i] <= budget and (group == 0 or index.value[first + i] == group):
            w.leaves[n] = first + i
            w.distances[n] = np.int32(gaps[i])
            n += 1
    return n


@rule
def collect(index, d, query, group, budget, w):
    """Write the leaves within `budget` and their distances; return (leaves, cases). `group` 0: every group.

    The search descends the tree while many leaves are below a node; few leaves are compared one by one.
    """
    meta = index.meta[d]
    n_numeric, scale = meta[NUMERIC], meta[SCALE]
    position, end, sum_at = w.stack[0], w.stack[1], w.stack[2]
    n = 0
    for g in range(index.group_at[d], index.group_at[d + 1]):
        distance = 0
        for j in range(meta[EQUAL]):
            distance += scale * index.weights[d, MAX_NUMERIC + j] * (query.equal[j] != index.group_equal[g, j])
        if distance > budget:
            continue
        first, last = index.leaf[index.group_first[g]], index.leaf[index.group_end[g]]
        if last - first <= SCANNED:
            n = scan(index, d, first, last, (0, n_numeric), query, group, distance, budget, n, w)
            continue
        level = 0
        position[0], end[0], sum_at[0] = index.group_first[g], index.group_end[g], distance
        while level >= 0:
            node = position[level]
            if node == end[level]:
                level -= 1
                continue
            position[level] = node + 1
            gap = np.int64(index.value[node]) - query.numeric[level]
            distance = sum_at[level] + index.weights[d, level] * abs(gap)
            if distance > budget:
                if gap > 0:  # children ascend: all later ones are further away
                    position[level] = end[level]
                continue
            first, last = index.leaf[node], index.leaf[node + 1]
            if last - first <= SCANNED:
                n = scan(index, d, first, last, (level + 1, n_numeric), query, group, distance, budget, n, w)
                continue
            level += 1
            position[level], end[level], sum_at[level] = index.first[node], index.first[node + 1], distance
    total = 0
    for i in range(n):
        total += index.member[w.leaves[i] + 1] - index.member[w.leaves[i]]
    return n, total


@rule
def retrieve(index, d, query, group, threshold, minimum, w):
    """Retrieve the leaves at the highest threshold that finds `minimum` cases, falling by `STEP` from `threshold`.

    Returns (leaves, cases, cases at the first threshold, the threshold used).
    """
    at_first, reach = -1, 0
    while True:  # double the reach until there are enough: the last reach is at most twice too far
        level = max(0, threshold - STEP * reach)
        n, total = collect(index, d, query, group, budget_of(index, d, level), w)
        if reach == 0:
            at_first = total
        if total >= minimum or level == 0:
            break
        reach = 2 * reach + 1
    for step in range(reach):  # a higher threshold may have been enough
        higher = max(0, threshold - STEP * step)
        inside = 0
        for i in range(n):
            if w.distances[i] <= budget_of(index, d, higher):
                inside += index.member[w.leaves[i] + 1] - index.member[w.leaves[i]]
        if inside >= minimum:
            return keep_within(n, budget_of(index, d, higher), w), inside, at_first, higher
    return n, total, at_first, level


@rule
def keep_within(n, budget, w):
    kept = 0
    for i in range(n):
        if w.distances[i] <= budget:
            w.leaves[kept], w.distances[kept] = w.leaves[i], w.distances[i]
            kept += 1
    return kept


@njit
def retrieve_cases(index, d, query, group, threshold, minimum, w, cases, distances):
    """Write the case numbers and distances of `retrieve`; return (their number, number at first, threshold)."""
    n, _, at_first, used = retrieve(index, d, query[0], group, threshold, minimum, w)
    m = 0
    for i in range(n):
        leaf = w.leaves[i]
        for j in range(index.member[leaf], index.member[leaf + 1]):
            cases[m] = index.members[j]
            distances[m] = w.distances[i]
            m += 1
    return m, at_first, used
