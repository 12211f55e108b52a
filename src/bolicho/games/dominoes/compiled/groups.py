"""Redealing if the groups of the other seat's tiles allow different tiles, or it played odd ones; compiled.

See `redeal.py` for the terms.  The algorithm counts the deals for each number of played tiles per group, draws such
numbers, and then tiles to match.  It is rare in a double-six game, and the only code here that allocates.
"""

import numpy as np

from bolicho.games.compiled.bits import count
from bolicho.games.compiled.chance import below, mix, stream
from bolicho.games.dominoes.compiled.unseen import (
    avoids,
    choose,
    group_size,
    is_odd,
    just_drawn,
    not_dealt,
    shuffle_into,
    tiles_with,
    was_stuck,
)
from bolicho.games.dominoes.kernel import NONE, bit
from bolicho.games.dominoes.rules import MAX_HIGHEST, set_size
from bolicho.games.jit import njit, rule

STREAM_COUNTS, STREAM_PLAIN, STREAM_ODD, STREAM_UNSEEN, STREAM_ORDER = range(1, 6)

_S11 = np.uint64(11)


def _binomials(n: int) -> np.ndarray:
    """Return Pascal's triangle; exact up to 2**53."""
    rows = np.zeros((n + 1, n + 1))
    rows[:, 0] = 1
    for i in range(1, n + 1):
        rows[i, 1:] = rows[i - 1, 1:] + rows[i - 1, :-1]
    return rows


BINOMIAL = _binomials(set_size(MAX_HIGHEST))


@njit
def ints(n):
    """Return an array of n integers.  Compiled only once, here: NumPy inside Numba runs fast but compiles slowly."""
    return np.zeros(n, np.int64)


@njit
def floats(n):
    """Return an array of n floats."""
    return np.zeros(n, np.float64)


@njit
def place_by_groups(s, other, free_low, free_high, want, seed):
    """Place every tile that the other seat was dealt or drew; return the `want` unseen tiles that it holds.

    Only groups with a kept tile count; `plies` and `starts` are their positions in the line and in the boneyard.
    """
    n = s.num_plays
    plies, starts, sizes = ints(n + 1), ints(n + 1), ints(n + 1)
    num_groups = np.int64(1)
    at = kept = np.int64(0)
    for ply in range(1, n + 1):
        if was_stuck(s, other, ply) and group_size(s, other, ply) > 0:
            plies[num_groups], starts[num_groups] = ply, at
            sizes[num_groups] = group_size(s, other, ply)
            kept += sizes[num_groups]
            num_groups += 1
        at += s.drew[ply]
    # The tiles that each group allows.
    lows, highs, unseen = ints(num_groups), ints(num_groups), ints(num_groups)
    for g in range(num_groups):
        values = stuck_between(s, other, plies[g], n)
        lows[g], highs[g] = free_low & ~tiles_with(values, 0), free_high & ~tiles_with(values, 1)
        if g == 0:
            lows[0] &= ~not_dealt(s, 0)
            highs[0] &= ~not_dealt(s, 1)
        unseen[g] = count(lows[g]) + count(highs[g])
    # Its played tiles, except just drawn ones: the first and the last possible group of each.
    played, since, until, group = ints(n), ints(n), ints(n), ints(n)
    num_played = np.int64(0)
    for ply in range(n):
        if s.by[ply] == other and not just_drawn(s, other, ply):
            g = np.int64(0)
            while g + 1 < num_groups and plies[g + 1] <= ply:
                g += 1
            tile = np.int64(s.line[ply]) >> 2
            played[num_played] = tile
            since[num_played], until[num_played] = first_group(s, other, tile, ply, plies, g), g
            group[num_played] = NONE
            num_played += 1
    sizes[0] = want + num_played - kept
    assign_played(num_groups, sizes, unseen, num_played, since, until, group, seed)
    hand_low = hand_high = np.int64(0)
    for g in range(num_groups):
        low = high = np.int64(0)
        room = sizes[g]
        for i in range(num_played):
            if group[i] == g:
                room -= 1
                if played[i] < 64:
                    low |= bit(played[i])
                else:
                    high |= bit(played[i])
        rest_low, rest_high = lows[g] & ~hand_low, highs[g] & ~hand_high
        rest_low, rest_high = choose(rest_low, rest_high, room, stream(stream(seed, STREAM_UNSEEN), g))
        hand_low |= rest_low
        hand_high |= rest_high
        if g > 0:
            shuffle_into(s, starts[g], low | rest_low, high | rest_high, stream(stream(seed, STREAM_ORDER), g))
    return hand_low, hand_high


@rule
def stuck_between(s, other, first, last):
    """Return all values at which the other seat was stuck from one ply to another."""
    values = np.int64(0)
    for ply in range(max(first, 1), last + 1):
        if was_stuck(s, other, ply):
            values |= s.stuck[ply]
    return values


@rule
def first_group(s, other, tile, ply, plies, last):
    """Return the first possible group of a tile played at a ply."""
    g = last
    while g > 1 and avoids(tile, stuck_between(s, other, plies[g - 1], ply)):
        g -= 1
    if g == 1 and not is_odd(s, tile, stuck_between(s, other, 0, ply)):
        return 0
    return g


@njit
def assign_played(num_groups, sizes, unseen, num_played, since, until, group, seed):
    """Draw the group of every played tile, uniformly over the deals, into `group`."""
    plain, odd = ints(num_groups), ints(num_groups * num_groups)
    draw_counts(num_groups, sizes, unseen, num_played, since, until, plain, odd, stream(seed, STREAM_COUNTS))
    for g in range(num_groups - 1, -1, -1):  # plain tiles: candidates for g also fit earlier groups
        pick(num_played, since, until, group, g, plain[g], np.int64(NONE), stream(stream(seed, STREAM_PLAIN), g))
    for g in range(num_groups):
        for d in range(g, num_groups):
            place = num_groups * g + d
            pick(num_played, since, until, group, g, odd[place], d, stream(stream(seed, STREAM_ODD), place))


@rule
def may_be_in(i, since, until, group, g, d):
    """Return whether an unassigned tile may be in group g: a plain one or, given a deadline d, an odd one with it."""
    if group[i] >= 0 or (since[i] == 0) != (d == NONE):
        return False
    return until[i] >= g if d == NONE else until[i] == d and since[i] <= g


@rule
def pick(num_played, since, until, group, g, want, d, seed):
    """Assign `want` tiles to a group, chosen uniformly from those that may be in it."""
    rest = np.int64(0)
    for i in range(num_played):
        rest += may_be_in(i, since, until, group, g, d)
    for i in range(num_played):
        if may_be_in(i, since, until, group, g, d):
            if below(seed, i, rest) < want:
                group[i] = g
                want -= 1
            rest -= 1


# --- Numbers of played tiles per group ----------------------------------------------------------


@njit
def draw_counts(num_groups, sizes, unseen, num_played, since, until, plain, put, seed):
    """Draw each group's numbers of plain tiles and, by deadline, of odd tiles, uniformly over the deals.

    `ways[g][k][p]` is the number of ways to fill the groups before g with k plain tiles and the odd tiles of p: the
    digit of deadline d in p is their number with that deadline, in a mixed-radix system where it is at most `odd[d]`.
    """
    waiting = ints(num_groups)  # plain tiles with a deadline of g or later
    odd = ints(num_groups)  # odd tiles by deadline
    ready = ints(num_groups * num_groups)  # [g][d]: odd tiles of deadline d that may be in group g
    for i in range(num_played):
        if since[i] > 0:
            odd[until[i]] += 1
        for g in range(since[i], until[i] + 1):
            if since[i] == 0:
                waiting[g] += 1
            else:
                ready[num_groups * g + until[i]] += 1
    stride = ints(num_groups + 1)
    stride[0] = 1
    most = sizes[0]
    for d in range(num_groups):
        stride[d + 1] = stride[d] * (odd[d] + 1)
        most = max(most, sizes[d])
    layer = (waiting[0] + 1) * stride[num_groups]
    ways = floats((num_groups + 1) * layer)
    here = floats((most + 1) * layer)
    ways[0] = 1
    before = np.int64(0)
    for g in range(num_groups):
        fill_group(num_groups, g, before, sizes[g], unseen[g], waiting, odd, ready, stride, ways, here)
        before += sizes[g]
    trace_back(num_groups, before, sizes, unseen, waiting, odd, ready, stride, ways, plain, put, seed)


@rule
def digit(p, d, odd, stride):
    """Return the number of odd tiles of deadline d that p encodes."""
    return p // stride[d] % (odd[d] + 1)


@rule
def digits(num_groups, p, odd, stride):
    """Return the number of all odd tiles that p encodes."""
    total = 0
    for d in range(num_groups):
        total += digit(p, d, odd, stride)
    return total


@rule
def fill_group(num_groups, g, before, size, unseen, waiting, odd, ready, stride, ways, here):
    """Compute `ways[g + 1]`: put odd tiles into group g, one deadline after the other, then plain ones.

    `here[y][k][p]` is like `ways`, with y odd tiles in this group.
    """
    num_odd = stride[num_groups]
    layer = (waiting[0] + 1) * num_odd
    for i in range((size + 1) * layer):
        here[i] = ways[g * layer + i] if i < layer else 0
    for d in range(g, num_groups):
        may = ready[num_groups * g + d]
        if may == 0:
            continue
        for y in range(size, -1, -1):  # in descending order: values that are still read are not yet overwritten
            for i in range(layer):
                placed = digit(i % num_odd, d, odd, stride)
                if placed <= may:
                    for x in range(1, min(y, placed) + 1):
                        fewer = here[(y - x) * layer + i - x * stride[d]]
                        here[y * layer + i] += fewer * BINOMIAL[may - placed + x, x]
    for y in range(size + 1):
        for k in range(waiting[0] + 1):
            for p in range(num_odd):
                found = here[y * layer + k * num_odd + p]
                if found > 0 and digit(p, g, odd, stride) == odd[g]:  # no odd tile is past its deadline
                    unused = unseen - (before - k - (digits(num_groups, p, odd, stride) - y))
                    for x in range(min(size - y, waiting[0] - k) + 1):
                        rest = ways_of_rest(waiting[g] - waiting[0] + k + x, x, unused, size - x - y)
                        ways[(g + 1) * layer + (k + x) * num_odd + p] += found * rest


@rule
def ways_of_rest(waiting, x, unused, y):
    """Return the number of choices of x plain tiles, available here and not in later groups, and of y unseen tiles."""
    if waiting < x or unused < y:
        return 0.0
    return BINOMIAL[waiting, x] * BINOMIAL[unused, y]


@njit
def trace_back(num_groups, before, sizes, unseen, waiting, odd, ready, stride, ways, plain, put, seed):
    """Draw how the groups were filled, the last one first, into `plain` and `put[g][d]`."""
    trial = ints(num_groups)  # odd tiles of each deadline
    num_odd = stride[num_groups]
    layer = (waiting[0] + 1) * num_odd
    k, p = waiting[0], num_odd - 1
    for g in range(num_groups - 1, -1, -1):
        before -= sizes[g]
        for d in range(num_groups):
            trial[d] = 0
        total = 0.0
        tried = np.int64(0)
        going = True
        while going:
            y = np.int64(0)
            q = p
            weight = 1.0
            for d in range(g, num_groups):
                y += trial[d]
                q -= trial[d] * stride[d]
                free = ready[num_groups * g + d] - digit(p, d, odd, stride) + trial[d]
                weight *= BINOMIAL[max(free, 0), trial[d]]
            used = before - k - digits(num_groups, q, odd, stride)
            for x in range(min(sizes[g] - y, k) + 1):
                rest = ways_of_rest(waiting[g] - waiting[0] + k, x, unseen[g] - used - x, sizes[g] - x - y)
                part = weight * rest * ways[g * layer + (k - x) * num_odd + q]
                total += part
                tried += 1
                if unit(stream(seed, g), tried) * total < part:
                    plain[g] = x
                    for d in range(num_groups):
                        put[num_groups * g + d] = trial[d]
            going = next_trial(num_groups, trial, p, g, y, sizes[g], odd, stride)
        for d in range(g, num_groups):
            p -= put[num_groups * g + d] * stride[d]
        k -= plain[g]


@rule
def next_trial(num_groups, trial, p, g, y, size, odd, stride):
    """Advance `trial` from y odd tiles to the next numbers for which group g has room; return False at the end."""
    for d in range(g, num_groups):
        if y < size and trial[d] < digit(p, d, odd, stride):
            trial[d] += 1
            return True
        y -= trial[d]
        trial[d] = 0
    return False


@rule
def unit(seed, index):
    """Return the `index`-th number of a stream, uniform in [0, 1)."""
    return np.float64(mix(stream(seed, index)) >> _S11) * 2.0**-53
