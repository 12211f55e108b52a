"""Index of a case base: every decision as one tree, built from its sorted instances."""

from typing import NamedTuple

import numpy as np

from bolicho.agents.cbr import domain
from bolicho.agents.cbr.domain import MAX_EQUAL, MAX_GROUPS, MAX_ITEMS
from bolicho.games.jit import njit, rule

# Columns of Index.meta, one row per decision.
NUMERIC, EQUAL, SCENARIO, PARTITION, PASSIVE, POINTS, SCALE = range(7)

SUMS = 4  # fields of a cell: cases, halves, points, spared
SCANNED = 256  # up to so many leaves are compared one by one instead of by descending further


class Index(NamedTuple):
    """Index of a case base, with one tree per decision.

    The instances of a decision are sorted by (attributes compared by equality, numeric attributes, group of the
    partition); equal rows are one leaf. Level 0 contains the `groups` of equal attributes, then follows one level per
    numeric attribute, then the partition's group: a leaf. Node i has the children `first[i] .. first[i + 1]`; every
    level ends with a sentinel. A leaf's children are cells: (cluster, item) with the number of cases, their victories
    (in halves), points, and the cost of refusing instead.
    """

    meta: np.ndarray
    weights: np.ndarray  # (decision, attribute), numeric ones first; from `MAX_NUMERIC` those compared by equality
    weight_sum: np.ndarray  # by decision
    group_at: np.ndarray  # groups of decision d: group_at[d] .. group_at[d + 1]
    group_equal: np.ndarray
    group_first: np.ndarray
    group_end: np.ndarray
    value: np.ndarray
    first: np.ndarray
    leaf: np.ndarray  # first leaf below a node
    columns: np.ndarray  # values in leaves: (numeric attribute, node)
    member: np.ndarray  # index of a leaf's first case in `members`
    members: np.ndarray  # instance numbers
    cells: np.ndarray  # (cell, [cluster, item, cases, halves, points, spared])


class Scratch(NamedTuple):
    """Work arrays; one set per thread."""

    leaves: np.ndarray
    distances: np.ndarray
    stack: np.ndarray
    gaps: np.ndarray
    table: np.ndarray  # (cluster, item, [count, halves, points])
    query: np.ndarray  # the query, and the other player's query before its call
    case: np.ndarray
    features: np.ndarray


@njit
def gather_instances(cases, start, out, owners):
    """Write the instances of `cases[start:]` into `out` and their case numbers into `owners`; return their number."""
    n = 0
    for i in range(start, len(cases)):
        count = domain.instances(cases[i], out[n:])
        for j in range(count):
            owners[n + j] = i
        n += count
    return n


@njit
def tree_of(rows, partition, cluster, n_numeric, n_equal):
    """Build the tree of one decision from its sorted instances.

    Returns nodes and cells numbered from 0, and the offset of the leaves.
    """
    m = len(rows)
    leaf_level = n_numeric
    depth = np.zeros(m, np.int64)
    counts = np.zeros(leaf_level + 2, np.int64)  # groups, then levels 0 .. leaf_level
    for i in range(m):
        depth[i] = -1 if i == 0 else change(rows[i - 1], rows[i], n_numeric, n_equal)
        if depth[i] == leaf_level and partition[i] == partition[i - 1]:
            depth[i] = leaf_level + 1
        for level in range(max(-1, depth[i]), leaf_level + 1):
            counts[level + 1] += 1
    offset = np.zeros(leaf_level + 2, np.int64)
    for level in range(leaf_level + 1):
        offset[level + 1] = offset[level] + counts[level + 1] + 1
    nodes = offset[leaf_level + 1]
    group_equal = np.zeros((counts[0], MAX_EQUAL), np.int8)
    group_first = np.zeros(counts[0] + 1, np.int64)
    value = np.zeros(nodes, np.int8)
    first = np.zeros(nodes, np.int64)
    member = np.zeros(nodes, np.int64)
    cell = np.zeros((m, 2 + SUMS), np.int64)
    at = np.zeros(leaf_level + 2, np.int64)  # next free node per level, groups first
    table = np.zeros((MAX_GROUPS + 1, MAX_ITEMS, SUMS), np.int64)
    cells = 0
    for i in range(m):
        if depth[i] == -1:
            for j in range(n_equal):
                group_equal[at[0], j] = rows[i].equal[j]
            group_first[at[0]] = at[1]
            at[0] += 1
        for level in range(max(0, depth[i]), leaf_level + 1):
            node = offset[level] + at[level + 1]
            at[level + 1] += 1
            if level < leaf_level:
                value[node] = rows[i].numeric[level]
                first[node] = offset[level + 1] + at[level + 2]
            else:
                value[node] = partition[i]
                first[node] = cells
                member[node] = i
        table[cluster[i], rows[i].item, 0] += 1
        table[cluster[i], rows[i].item, 1] += rows[i].halves
        table[cluster[i], rows[i].item, 2] += rows[i].points
        table[cluster[i], rows[i].item, 3] += rows[i].spared
        if (
            i == m - 1
            or change(rows[i], rows[i + 1], n_numeric, n_equal) < leaf_level
            or partition[i] != partition[i + 1]
        ):
            cells = flush(table, cell, cells)
    for level in range(leaf_level):
        first[offset[level] + counts[level + 1]] = offset[level + 1] + counts[level + 2]
    if m:
        first[nodes - 1] = cells
        member[nodes - 1] = m
    group_first[counts[0]] = counts[1]
    return group_equal, group_first, value, first, member, cell[:cells], offset[leaf_level]


@rule
def change(a, b, n_numeric, n_equal):
    """Return the first level at which two rows differ: -1 for equal attributes, then numeric ones."""
    for j in range(n_equal):
        if a.equal[j] != b.equal[j]:
            return -1
    for j in range(n_numeric):
        if a.numeric[j] != b.numeric[j]:
            return j
    return n_numeric


@rule
def flush(table, cell, n):
    """Move the non-empty entries of `table` to the list of cells."""
    for group in range(table.shape[0]):
        for item in range(table.shape[1]):
            if table[group, item, 0] > 0:
                cell[n, 0], cell[n, 1] = group, item
                for j in range(SUMS):
                    cell[n, 2 + j] = table[group, item, j]
                    table[group, item, j] = 0
                n += 1
    return n
