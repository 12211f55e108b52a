"""Reuse: the four criteria on clusters and on items; compiled."""

import numpy as np

from bolicho.games.jit import rule

MJ, PL, PV, NP = range(4)
NO_CRITERION = -1
SHARE, COUNT, BAR = range(3)
"""Measure of PV: the share of victories, their number, or the share with a minimum that a bet must exceed."""
SKIP_SMALL, CHOOSE_SMALL, NO_ANSWER = range(3)
"""Treatment of a cluster with few cases: skipped, chosen like any other, or no answer if chosen."""


@rule
def tally(index, n, beyond_refusing, w):
    """Sum the leaves into `w.table`; points are the balance, or its excess over the certain loss of refusing."""
    table = w.table
    for group in range(table.shape[0]):
        for item in range(table.shape[1]):
            table[group, item, 0] = 0
            table[group, item, 1] = 0
            table[group, item, 2] = 0
    for i in range(n):
        leaf = w.leaves[i]
        for cell in range(index.first[leaf], index.first[leaf + 1]):
            group, item = index.cells[cell, 0], index.cells[cell, 1]
            for j in range(3):
                table[group, item, j] += index.cells[cell, 2 + j]
            if beyond_refusing:
                table[group, item, 2] += index.cells[cell, 5]


@rule
def better(criterion, victory, count, halves, points, best_count, best_halves, best_points):
    """Return whether an item is better than the best so far by MJ, PV or NP; ties go to the share, then the count."""
    if criterion == MJ and count != best_count:
        return count > best_count
    if criterion == NP and points != best_points:
        return points > best_points
    if criterion == PV and victory == COUNT and halves != best_halves:
        return halves > best_halves
    mine, other = halves * best_count, best_halves * count
    return mine > other or (mine == other and count > best_count)


@rule
def worth_it(criterion, victory, count, halves, points):
    """Return whether the best item by PV or NP should be done at all, where a passive item exists."""
    if criterion == NP:
        return points > 0
    return halves > count if victory == BAR else halves > 0


@rule
def drawn(luck, total):
    """Return the index of the drawn ticket, of `total`."""
    return min(np.int64(luck * total), total - 1)


@rule
def choose_group(w, criterion, victory, has_points, allowed, minimum, luck):
    """Return the cluster that a criterion picks among those with at least `minimum` of the cases, or -1."""
    if criterion == NP and not has_points:
        criterion = PV
    found, best_count, best_halves, best_points, total = -1, 0, 0, 0, 0
    for group in range(w.table.shape[0]):
        count, halves, points = group_sums(w, group, allowed)
        if count < minimum or count == 0:
            continue
        total += count
        if found < 0 or better(criterion, victory, count, halves, points, best_count, best_halves, best_points):
            found, best_count, best_halves, best_points = group, count, halves, points
    if criterion == PL and found >= 0:
        ticket = drawn(luck, total)
        for group in range(w.table.shape[0]):
            count = group_sums(w, group, allowed)[0]
            if count >= minimum and count > 0:
                if ticket < count:
                    return group
                ticket -= count
    return found


@rule
def group_sums(w, group, allowed):
    count, halves, points = np.int64(0), np.int64(0), np.int64(0)
    for item in range(w.table.shape[1]):
        if allowed >> item & 1:
            count += w.table[group, item, 0]
            halves += w.table[group, item, 1]
            points += w.table[group, item, 2]
    return count, halves, points


@rule
def item_sums(w, group, item):
    """Return the sums of an item in one cluster, or in all (-1)."""
    if group >= 0:
        return w.table[group, item, 0], w.table[group, item, 1], w.table[group, item, 2]
    count, halves, points = np.int64(0), np.int64(0), np.int64(0)
    for g in range(w.table.shape[0]):
        count += w.table[g, item, 0]
        halves += w.table[g, item, 1]
        points += w.table[g, item, 2]
    return count, halves, points


@rule
def choose_item(w, group, criterion, victory, has_points, passive, allowed, luck):
    """Return the item that a criterion picks among the cases of a cluster (-1: of all); -1 when there is none.

    The passive item (no call, refusing) competes by MJ, by PL, and by PV as published. NP starts from 0, its balance: a
    bet must have won more points than it lost. With the minimum (`BAR`) PV suggests a bet only if it won more often
    than it lost. Otherwise the passive item remains.
    """
    if criterion == NP and not has_points:
        criterion = PV
    found, best_count, best_halves, best_points, total = -1, 0, 0, 0, 0
    for item in range(w.table.shape[1]):
        if not allowed >> item & 1:
            continue
        count, halves, points = item_sums(w, group, item)
        if count == 0:
            continue
        total += count
        if item == passive and (criterion == NP or (criterion == PV and victory == BAR)):
            continue
        if found < 0 or better(criterion, victory, count, halves, points, best_count, best_halves, best_points):
            found, best_count, best_halves, best_points = item, count, halves, points
    if total == 0:
        return -1
    if criterion == PL:
        ticket = drawn(luck, total)
        for item in range(w.table.shape[1]):
            if allowed >> item & 1:
                count = item_sums(w, group, item)[0]
                if ticket < count:
                    return item
                ticket -= count
    if passive >= 0 and criterion >= PV:
        if found < 0 or not worth_it(criterion, victory, best_count, best_halves, best_points):
            return passive
    return found
