"""The case-based cycle, compiled: the index, retrieval, reuse, and a whole decision.

Nothing here knows a game: what a position asks and what an item means comes from the stubs of
`domain`, overloaded for each game's records.
"""

from typing import NamedTuple

import numpy as np

from bolicho.agents.cbr import domain
from bolicho.agents.cbr.domain import END, GO_ON, MAX_EQUAL, MAX_GROUPS, MAX_ITEMS, SKIP
from bolicho.games import kernel as game
from bolicho.games.chance import below
from bolicho.games.jit import njit, rule

# Columns of Index.meta, a row a decision.
NUMERIC, EQUAL, SCENARIO, PARTITION, PASSIVE, POINTS, SCALE = range(7)

THOUSAND = 1000  # similarities are compared in thousandths, as whole numbers
STEP = 20  # how far the threshold falls at a time: 0.02 (document 000, section 3.1.1)


class Index(NamedTuple):
    """Every decision of a case base, as one tree per decision.

    The instances of a decision are sorted by (attributes compared by equality, numeric attributes,
    group of the partition); equal rows are one leaf.  Level 0 are the `groups` of equal
    attributes, then one level per numeric attribute, then the partition's group: a leaf.  Node i
    has the children `first[i] .. first[i + 1]`; every level ends with a sentinel.  A leaf's children
    are cells: (cluster, item) with how many cases, their victories (in halves) and points.
    """

    meta: np.ndarray
    group_at: np.ndarray  # groups of decision d: group_at[d] .. group_at[d + 1]
    group_equal: np.ndarray
    group_first: np.ndarray
    group_end: np.ndarray
    value: np.ndarray
    first: np.ndarray
    member: np.ndarray  # of leaves: the first of its cases in `members`
    members: np.ndarray  # instance numbers
    cell_group: np.ndarray
    cell_item: np.ndarray
    cell_count: np.ndarray
    cell_halves: np.ndarray
    cell_points: np.ndarray


class Groups(NamedTuple):
    """The fitted clusterings, packed: group g of clustering c has its centroid in `centroids[c, g - 1]`."""

    size: np.ndarray  # number of groups
    columns: np.ndarray
    mean: np.ndarray
    scale: np.ndarray
    centroids: np.ndarray


class Scratch(NamedTuple):
    """Room to work in; one per thread."""

    leaves: np.ndarray
    distances: np.ndarray
    stack: np.ndarray
    table: np.ndarray  # (cluster, item, [count, halves, points])
    query: np.ndarray
    case: np.ndarray
    features: np.ndarray


# --- Building the index -------------------------------------------------------------------------


@njit
def gather(cases, start, out, owners):
    """Write the instances of `cases[start:]` into `out` and their case numbers into `owners`; how many."""
    n = 0
    for i in range(start, len(cases)):
        count = domain.instances(cases[i], out[n:])
        for j in range(count):
            owners[n + j] = i
        n += count
    return n


@njit
def tree_of(rows, partition, cluster, n_numeric, n_equal):
    """The tree of one decision from its sorted instances: nodes and cells numbered from 0, and where leaves begin."""
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
    cell = np.zeros((m, 5), np.int64)
    at = np.zeros(leaf_level + 2, np.int64)  # next free node per level, groups first
    table = np.zeros((MAX_GROUPS + 1, MAX_ITEMS, 3), np.int64)
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
    """The first level at which two rows differ: -1 for equal attributes, then numeric ones."""
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
                for j in range(3):
                    cell[n, 2 + j] = table[group, item, j]
                    table[group, item, j] = 0
                n += 1
    return n


# --- Retrieve -----------------------------------------------------------------------------------


@rule
def budget_of(meta, threshold):
    """The largest integer distance whose similarity is at least `threshold` thousandths."""
    return meta[SCALE] * (meta[NUMERIC] + meta[EQUAL]) * (THOUSAND - threshold) // THOUSAND


@rule
def collect(index, d, query, group, budget, w):
    """Write the leaves within `budget` and their distances; (leaves, cases).  `group` 0: every group."""
    meta = index.meta[d]
    n_numeric, scale = meta[NUMERIC], meta[SCALE]
    position, end, sum_at = w.stack[0], w.stack[1], w.stack[2]
    n, total = 0, 0
    for g in range(index.group_at[d], index.group_at[d + 1]):
        distance = 0
        for j in range(meta[EQUAL]):
            distance += scale * (query.equal[j] != index.group_equal[g, j])
        if distance > budget:
            continue
        level = 0
        position[0], end[0], sum_at[0] = index.group_first[g], index.group_end[g], distance
        while level >= 0:
            node = position[level]
            if node == end[level]:
                level -= 1
                continue
            position[level] = node + 1
            if level == n_numeric:
                if group == 0 or index.value[node] == group:
                    w.leaves[n] = node
                    w.distances[n] = sum_at[level]
                    n += 1
                    total += index.member[node + 1] - index.member[node]
                continue
            gap = np.int64(index.value[node]) - query.numeric[level]
            distance = sum_at[level] + abs(gap)
            if distance <= budget:
                level += 1
                position[level], end[level], sum_at[level] = index.first[node], index.first[node + 1], distance
            elif gap > 0:  # children ascend: the rest is further away
                position[level] = end[level]
    return n, total


@rule
def retrieve(index, d, query, group, threshold, minimum, w):
    """The leaves at the highest threshold that finds `minimum` cases, falling by `STEP` from `threshold`.

    Returns (leaves, cases, cases at the first threshold, the threshold used).
    """
    meta = index.meta[d]
    at_first, reach = -1, 0
    while True:  # reach further and further until there are enough: the last reach is at most twice too far
        level = max(0, threshold - STEP * reach)
        n, total = collect(index, d, query, group, budget_of(meta, level), w)
        if reach == 0:
            at_first = total
        if total >= minimum or level == 0:
            break
        reach = 2 * reach + 1
    for step in range(reach):  # a higher threshold may have been enough
        higher = max(0, threshold - STEP * step)
        inside = 0
        for i in range(n):
            if w.distances[i] <= budget_of(meta, higher):
                inside += index.member[w.leaves[i] + 1] - index.member[w.leaves[i]]
        if inside >= minimum:
            return keep_within(n, budget_of(meta, higher), w), inside, at_first, higher
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
    """As `retrieve`, the instance numbers and their distances written out; (how many, at the first, threshold)."""
    n, _, at_first, used = retrieve(index, d, query[0], group, threshold, minimum, w)
    m = 0
    for i in range(n):
        leaf = w.leaves[i]
        for j in range(index.member[leaf], index.member[leaf + 1]):
            cases[m] = index.members[j]
            distances[m] = w.distances[i]
            m += 1
    return m, at_first, used


@rule
def nearest(groups, c, features):
    """The group of clustering `c` whose centroid is nearest (1 ..); ties go to the lower number."""
    best, found = np.inf, 1
    for g in range(groups.size[c]):
        distance = 0.0
        for j in range(groups.columns[c]):
            z = (features[j] - groups.mean[c, j]) / groups.scale[c, j]
            distance += (z - groups.centroids[c, g, j]) ** 2
        if distance < best:
            best, found = distance, g + 1
    return found


@njit
def label_cases(cases, start, groups, clustering, features):
    """Give `cases[start:]` the nearest group of one clustering, or of all (-1)."""
    first = 0 if clustering < 0 else clustering
    last = len(groups.size) if clustering < 0 else clustering + 1
    for i in range(start, len(cases)):
        for c in range(first, last):
            columns = domain.features(cases[i], c, features)
            cases[i].label[c] = nearest(groups, c, features) if columns > 0 else 0


@njit
def feature_rows(cases, clustering, features, out, who):
    """The feature rows of the cases that are of a clustering, and their numbers; how many."""
    n = 0
    for i in range(len(cases)):
        columns = domain.features(cases[i], clustering, features)
        if columns > 0:
            for j in range(columns):
                out[n, j] = features[j]
            who[n] = i
            n += 1
    return n


# --- Reuse --------------------------------------------------------------------------------------

MJ, PL, PV, NP = range(4)
NO_CRITERION = -1


@rule
def tally(index, n, w):
    """Sum what the leaves hold into `w.table`."""
    table = w.table
    for group in range(table.shape[0]):
        for item in range(table.shape[1]):
            table[group, item, 0] = 0
            table[group, item, 1] = 0
            table[group, item, 2] = 0
    for i in range(n):
        leaf = w.leaves[i]
        for cell in range(index.first[leaf], index.first[leaf + 1]):
            group, item = index.cell_group[cell], index.cell_item[cell]
            table[group, item, 0] += index.cell_count[cell]
            table[group, item, 1] += index.cell_halves[cell]
            table[group, item, 2] += index.cell_points[cell]


@rule
def better(criterion, count, halves, points, best_count, best_halves, best_points):
    """Whether an item is better than the best so far by MJ, PV or NP; ties go to the larger share, then to the more."""
    if criterion == MJ and count != best_count:
        return count > best_count
    if criterion == NP and points != best_points:
        return points > best_points
    mine, other = halves * best_count, best_halves * count
    return mine > other or (mine == other and count > best_count)


@rule
def drawn(luck, total):
    """Which of `total` tickets is drawn."""
    return min(np.int64(luck * total), total - 1)


@rule
def choose_group(w, criterion, has_points, allowed, minimum, luck):
    """The cluster a criterion picks among those with at least `minimum` of the cases, or -1."""
    if criterion == NP and not has_points:
        criterion = PV
    found, best_count, best_halves, best_points, total = -1, 0, 0, 0, 0
    for group in range(w.table.shape[0]):
        count, halves, points = group_sums(w, group, allowed)
        if count < minimum or count == 0:
            continue
        total += count
        if found < 0 or better(criterion, count, halves, points, best_count, best_halves, best_points):
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
    """What is known of an item in one cluster, or in all (-1)."""
    if group >= 0:
        return w.table[group, item, 0], w.table[group, item, 1], w.table[group, item, 2]
    count, halves, points = np.int64(0), np.int64(0), np.int64(0)
    for g in range(w.table.shape[0]):
        count += w.table[g, item, 0]
        halves += w.table[g, item, 1]
        points += w.table[g, item, 2]
    return count, halves, points


@rule
def choose_item(w, group, criterion, has_points, passive, allowed, luck):
    """The item a criterion picks among the cases of a cluster (-1: of all); -1 when there is none.

    PV and NP suggest a bet only when it won more often than it lost, or more points than it lost;
    otherwise the passive item.
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
        if item == passive and criterion >= PV:
            continue
        if found < 0 or better(criterion, count, halves, points, best_count, best_halves, best_points):
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
        worth_it = best_points > 0 if criterion == NP else best_halves > best_count
        if found < 0 or not worth_it:
            return passive
    return found


# --- A whole decision ---------------------------------------------------------------------------

# Columns of the settings of an agent.
BY_GROUP, BY_ITEM, THRESHOLD, TWO_STEP_RETRIEVAL, SWITCHES, MINIMUM = range(6)

# Columns of the trace, a row a question.
ASKED, USED, FOUND, AT_FIRST, PARTITION_GROUP, GROUP, ITEM, REVISED, PREDICATE, FELL_BACK = range(10)

# Why an answer did not come from the policy alone, as bits.
WIDENED, NO_GROUP, NO_CASES = 1, 2, 4
"""The index group held no case and the whole base was asked; no cluster had enough cases, and the
criterion for items was used on all; no case at all, and the domain's fallback was used."""

MAX_STAGES = 3


@rule
def reuse(index, d, found, settings, luck, stage, w, row):
    """The item for a question from its retrieved leaves, and how it came about in `row`."""
    meta = index.meta[d]
    allowed = w.query[0].allowed
    tally(index, found, w)
    group = -1
    if settings[BY_GROUP] != NO_CRITERION and meta[SCENARIO] >= 0:
        group = choose_group(w, settings[BY_GROUP], meta[POINTS], allowed, settings[MINIMUM], luck[2 * stage])
        if group < 0:
            row[FELL_BACK] |= NO_GROUP
    row[GROUP] = group
    return choose_item(w, group, settings[BY_ITEM], meta[POINTS], meta[PASSIVE], allowed, luck[2 * stage + 1])


@rule
def decide(s, seat, index, groups, settings, luck, w, trace):
    """The action of a case-based agent; `trace` gets a row for every question that was asked."""
    query, case = w.query[0], w.case[0]
    asked = 0
    for stage in range(MAX_STAGES):
        d = domain.question(s, seat, stage, query, case)
        if d == END:
            break
        if d == SKIP:
            continue
        row = trace[asked]
        asked += 1
        row[ASKED], row[FELL_BACK], row[GROUP], row[PARTITION_GROUP] = d, 0, -1, 0
        partition = index.meta[d, PARTITION]
        if settings[TWO_STEP_RETRIEVAL]:
            domain.features(case, partition, w.features)
            row[PARTITION_GROUP] = nearest(groups, partition, w.features)
        group = row[PARTITION_GROUP]
        while True:
            found, total, row[AT_FIRST], row[USED] = retrieve(
                index, d, query, group, settings[THRESHOLD], settings[MINIMUM], w
            )
            if total > 0 or group == 0:
                break
            group = 0
            row[FELL_BACK] |= WIDENED
        row[FOUND] = total
        item = reuse(index, d, found, settings, luck, stage, w, row)
        if item < 0:
            row[FELL_BACK] |= NO_CASES
            item = domain.fallback(s, seat, d)
        row[ITEM] = item
        item, row[PREDICATE] = domain.revise(s, seat, case, d, item, settings[SWITCHES], query.allowed)
        row[REVISED] = item
        action = domain.answer(s, seat, d, item)
        if action != GO_ON:
            break
    trace[min(asked, MAX_STAGES)][ASKED] = END
    return action


@njit
def act(pool, seat, index, groups, settings, luck, w, trace):
    """The entry point for one decision."""
    return decide(pool[0], seat, index, groups, settings, luck, w, trace)


@njit
def feature_width(cases, clustering, features):
    """How many columns a clustering has: those of the first case that is of it."""
    for i in range(len(cases)):
        columns = domain.features(cases[i], clustering, features)
        if columns > 0:
            return columns
    return 1


@njit
def find_suicides(cases, room, switches, out):
    """The predicate that names a move of each case, or -1."""
    for i in range(len(cases)):
        out[i] = domain.suicidal(cases[i], room, switches)


@njit
def watch_game(pool, actions, seat, case, out):
    """Play `actions` from a position just dealt and write the finished cases of a seat; how many."""
    n = domain.watch(pool[0], seat, case[0], out)
    for action in actions:
        game.apply(pool[0], action)
        n += domain.watch(pool[0], seat, case[0], out[n:])
    return n


@rule
def uniform(seed, i):
    """The i-th number of the stream `seed`, uniform in [0, 1)."""
    return below(seed, i, TICKETS) / TICKETS


TICKETS = 1 << 32


@njit
def wipe(records):
    """Set records to zero bytes: no case is under way."""
    records.view(np.uint8)[:] = 0


@njit
def play_match(pool, seed, luck_seed, sides, indexes, groups, w, watched, enough, luck, trace, cases, keep):
    """Play one game between two case-based agents; seat i follows `sides[i]` with `indexes[i]`.

    The finished cases of seat `watched` (-1: nobody's) go to `cases`, and into `keep` whether any
    of the hand's questions found fewer than `enough` cases at its first threshold.  Returns how many.
    """
    s = pool[0]
    game.deal(s, seed)
    n = 0
    rare = False
    draws = 0
    case = cases[-1:]  # the hand under way
    if watched >= 0:
        wipe(case)
        n += domain.watch(s, watched, case[0], cases)
    while not game.over(s):
        seat = s.turn
        for i in range(2 * MAX_STAGES):
            luck[i] = uniform(luck_seed, draws + i)
        draws += 2 * MAX_STAGES
        action = decide(s, seat, indexes[seat], groups[seat], sides[seat], luck, w, trace)
        if seat == watched:
            for row in range(MAX_STAGES):
                if trace[row, ASKED] == END:
                    break
                rare |= trace[row, AT_FIRST] < enough
        game.apply(s, action)
        if watched >= 0:
            done = domain.watch(s, watched, case[0], cases[n:])
            for i in range(done):
                keep[n + i] = rare
                rare = False
            n += done
    return n


# --- Following the elbow ------------------------------------------------------------------------


@njit
def lloyd(rows, weights, centroids, rounds):
    """Weighted k-means from the given centroids, in place, until nothing moves; the sum of squares within."""
    n, width = rows.shape
    k = len(centroids)
    labels = np.full(n, -1)
    for _ in range(rounds):
        moved = False
        wcss = 0.0
        for i in range(n):
            best, found = np.inf, 0
            for g in range(k):
                distance = 0.0
                for j in range(width):
                    distance += (rows[i, j] - centroids[g, j]) ** 2
                if distance < best:
                    best, found = distance, g
            moved |= labels[i] != found
            labels[i] = found
            wcss += weights[i] * best
        if not moved:
            return wcss
        total = np.zeros(k)
        sums = np.zeros((k, width))
        for i in range(n):
            total[labels[i]] += weights[i]
            for j in range(width):
                sums[labels[i], j] += weights[i] * rows[i, j]
        for g in range(k):
            if total[g] > 0:
                for j in range(width):
                    centroids[g, j] = sums[g, j] / total[g]
    return wcss


@njit
def ask(pool, seat, decision, query, case):
    """Ask a position the question of that decision again."""
    for stage in range(MAX_STAGES):
        if domain.question(pool[0], seat, stage, query[0], case[0]) == decision:
            return
