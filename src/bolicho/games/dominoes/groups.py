"""Redealing when the groups of the other seat's tiles allow different tiles, or it has played odd ones; compiled.

See `redeal.py` for the words.  It is counted in how many deals each group had so many played tiles, numbers are drawn
accordingly, then tiles to match.  Rare in a double-six game, and the one place here that allocates.
"""

import numpy as np

from bolicho.games.chance import below, mix, stream
from bolicho.games.dominoes.bits import count
from bolicho.games.dominoes.rules import MAX_HIGHEST, set_size
from bolicho.games.dominoes.unseen import (
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
from bolicho.games.jit import njit, rule

STREAM_COUNTS, STREAM_PLAIN, STREAM_ODD, STREAM_UNSEEN, STREAM_ORDER = range(1, 6)

_S11 = np.uint64(11)


def _binomials(n: int) -> np.ndarray:
    """Pascal's triangle; exact up to 2**53."""
    rows = np.zeros((n + 1, n + 1))
    rows[:, 0] = 1
    for i in range(1, n + 1):
        rows[i, 1:] = rows[i - 1, 1:] + rows[i - 1, :-1]
    return rows


BINOMIAL = _binomials(set_size(MAX_HIGHEST))


@njit
def place_by_groups(s, other, free_low, free_high, want, seed):
    """Give every tile that the other seat was dealt or drew a place; returns the `want` unseen ones it holds.

    Only groups that kept a tile count; `plies` and `starts` are theirs in the line and in the boneyard.
    """
    n = s.num_plays
    plies = np.zeros(n + 1, np.int64)
    starts = np.zeros(n + 1, np.int64)
    sizes = np.zeros(n + 1, np.int64)
    num_groups = 1
    at = 0
    for ply in range(1, n + 1):
        if was_stuck(s, other, ply) and group_size(s, other, ply) > 0:
            plies[num_groups], starts[num_groups] = ply, at
            sizes[num_groups] = group_size(s, other, ply)
            num_groups += 1
        at += s.drew[ply]
    allowed = np.zeros((num_groups, 2), np.int64)
    for g in range(num_groups):
        values = stuck_between(s, other, plies[g], n)
        allowed[g, 0], allowed[g, 1] = free_low & ~tiles_with(values, 0), free_high & ~tiles_with(values, 1)
    allowed[0, 0] &= ~not_dealt(s, 0)
    allowed[0, 1] &= ~not_dealt(s, 1)
    # The tiles it played, apart from those just drawn: the first and the last group each may have been in.
    played = np.zeros(n, np.int64)
    since = np.zeros(n, np.int64)
    until = np.zeros(n, np.int64)
    num_played = 0
    for ply in range(n):
        if s.by[ply] == other and not just_drawn(s, other, ply):
            g = 0
            while g + 1 < num_groups and plies[g + 1] <= ply:
                g += 1
            tile = np.int64(s.line[ply]) >> 2
            played[num_played] = tile
            since[num_played], until[num_played] = first_group(s, other, tile, ply, plies, g), g
            num_played += 1
    sizes[0] = want + num_played - sizes[1:num_groups].sum()
    group = assign_played(sizes[:num_groups], allowed, since[:num_played], until[:num_played], seed)
    hand_low = hand_high = np.int64(0)
    for g in range(num_groups):
        low = high = np.int64(0)
        taken = 0
        for i in range(num_played):
            if group[i] == g:
                taken += 1
                if played[i] < 64:
                    low |= np.int64(1) << played[i]
                else:
                    high |= np.int64(1) << (played[i] - 64)
        rest_low, rest_high = allowed[g, 0] & ~hand_low, allowed[g, 1] & ~hand_high
        rest_low, rest_high = choose(rest_low, rest_high, sizes[g] - taken, stream(stream(seed, STREAM_UNSEEN), g))
        hand_low |= rest_low
        hand_high |= rest_high
        if g > 0:
            shuffle_into(s, starts[g], 0, low | rest_low, high | rest_high, stream(stream(seed, STREAM_ORDER), g))
    return hand_low, hand_high


@rule
def stuck_between(s, other, first, last):
    """All values at which the other seat was stuck from one ply to another."""
    values = 0
    for ply in range(max(first, 1), last + 1):
        if was_stuck(s, other, ply):
            values |= s.stuck[ply]
    return values


@njit
def first_group(s, other, tile, ply, plies, last):
    """The first group that a tile played at a ply may have been in."""
    g = last
    while g > 1 and avoids(tile, stuck_between(s, other, plies[g - 1], ply)):
        g -= 1
    if g == 1 and not is_odd(s, tile, stuck_between(s, other, 0, ply)):
        return 0
    return g


@njit
def assign_played(sizes, allowed, since, until, seed):
    """The group of every played tile, uniform over the deals."""
    num_groups, n = len(sizes), len(since)
    unseen = np.zeros(num_groups, np.int64)
    for g in range(num_groups):
        unseen[g] = count(allowed[g, 0]) + count(allowed[g, 1])
    plain, odd = draw_counts(sizes, unseen, since, until, stream(seed, STREAM_COUNTS))
    group = np.full(n, -1)
    for g in range(num_groups - 1, -1, -1):  # plain tiles, the last group first: all in it may also be earlier
        pick(group, g, plain[g], (since == 0) & (until >= g), stream(stream(seed, STREAM_PLAIN), g))
    for g in range(num_groups):
        for d in range(g, num_groups):
            ready = (since > 0) & (since <= g) & (until == d)
            pick(group, g, odd[g, d], ready, stream(stream(seed, STREAM_ODD), g * num_groups + d))
    return group


@njit
def pick(group, g, want, may, seed):
    """Put `want` tiles into a group, a uniform choice from those that may and are in none yet."""
    rest = 0
    for i in range(len(group)):
        rest += may[i] and group[i] < 0
    for i in range(len(group)):
        if may[i] and group[i] < 0:
            if below(seed, i, rest) < want:
                group[i] = g
                want -= 1
            rest -= 1


# --- How many played tiles each group had -------------------------------------------------------


@njit
def draw_counts(sizes, unseen, since, until, seed):
    """For each group how many plain tiles and, by deadline, how many odd ones it had; uniform over the deals.

    `ways[g, k, p]` counts how the groups before g can be filled with k plain tiles and, of the odd ones, p: as many of
    each deadline as the digits of p say, in a system where the digit of deadline d runs to `odd[d]`.
    """
    num_groups = len(sizes)
    waiting = np.zeros(num_groups, np.int64)  # plain tiles with a deadline of g or later
    odd = np.zeros(num_groups, np.int64)
    ready = np.zeros((num_groups, num_groups), np.int64)  # [g, d]: odd ones of deadline d that may be in group g
    for i in range(len(since)):
        if since[i] == 0:
            waiting[: until[i] + 1] += 1
        else:
            odd[until[i]] += 1
            ready[since[i] : until[i] + 1, until[i]] += 1
    stride = np.ones(num_groups + 1, np.int64)
    for d in range(num_groups):
        stride[d + 1] = stride[d] * (odd[d] + 1)
    ways = np.zeros((num_groups + 1, waiting[0] + 1, stride[num_groups]))
    ways[0, 0, 0] = 1
    before = 0
    for g in range(num_groups):
        fill_group(g, before, sizes[g], unseen[g], waiting, odd, ready[g], stride, ways)
        before += sizes[g]
    return trace_back(sizes, unseen, waiting, odd, ready, stride, ways, seed)


@njit
def fill_group(g, before, size, unseen, waiting, odd, ready, stride, ways):
    """Work out `ways[g + 1]`: put odd tiles into group g, one deadline after the other, then plain ones."""
    num_plain, num_odd = ways.shape[1], ways.shape[2]
    here = np.zeros((size + 1, num_plain, num_odd))  # by the odd tiles put into this group
    here[0] = ways[g]
    for d in range(g, len(odd)):
        if ready[d] == 0:
            continue
        for y in range(size, -1, -1):  # from the fullest down, so that what is read has not been written
            for k in range(num_plain):
                for p in range(num_odd):
                    placed = p // stride[d] % (odd[d] + 1)
                    if placed <= ready[d]:
                        for x in range(1, min(y, placed) + 1):
                            fewer = here[y - x, k, p - x * stride[d]]
                            here[y, k, p] += fewer * BINOMIAL[ready[d] - placed + x, x]
    for y in range(size + 1):
        for k in range(num_plain):
            for p in range(num_odd):
                if here[y, k, p] > 0 and p // stride[g] % (odd[g] + 1) == odd[g]:  # none is past its deadline
                    used = before - k - (digits(p, odd, stride) - y)
                    for x in range(min(size - y, num_plain - 1 - k) + 1):
                        rest = ways_of_rest(waiting[g] - waiting[0] + k + x, x, unseen - used, size - x - y)
                        ways[g + 1, k + x, p] += here[y, k, p] * rest


@njit
def digits(p, odd, stride):
    """How many odd tiles a number stands for."""
    total = 0
    for d in range(len(odd)):
        total += p // stride[d] % (odd[d] + 1)
    return total


@njit
def ways_of_rest(waiting, x, unused, y):
    """The choices of x plain tiles, of those that may be here and are in no later group, and of y unseen ones."""
    if waiting < x or unused < y:
        return 0.0
    return BINOMIAL[waiting, x] * BINOMIAL[unused, y]


@njit
def trace_back(sizes, unseen, waiting, odd, ready, stride, ways, seed):
    """Draw how the groups were filled, the last one first."""
    num_groups = len(sizes)
    plain = np.zeros(num_groups, np.int64)
    put = np.zeros((num_groups, num_groups), np.int64)
    trial = np.zeros(num_groups, np.int64)  # odd tiles of each deadline
    k, p = waiting[0], stride[num_groups] - 1
    before = sizes.sum()
    for g in range(num_groups - 1, -1, -1):
        before -= sizes[g]
        trial[:] = 0
        total = 0.0
        tried = 0
        while True:
            y = trial.sum()
            q = p
            weight = 1.0
            for d in range(g, num_groups):
                q -= trial[d] * stride[d]
                placed = p // stride[d] % (odd[d] + 1)
                weight *= BINOMIAL[max(ready[g, d] - placed + trial[d], 0), trial[d]]
            for x in range(min(sizes[g] - y, k) + 1):
                used = before - (k - x) - digits(q, odd, stride)
                rest = ways_of_rest(waiting[g] - waiting[0] + k, x, unseen[g] - used, sizes[g] - x - y)
                part = weight * rest * ways[g, k - x, q]
                total += part
                tried += 1
                if unit(stream(seed, g), tried) * total < part:
                    plain[g] = x
                    put[g] = trial
            if not next_trial(trial, p, g, sizes[g], odd, stride):
                break
        for d in range(g, num_groups):
            p -= put[g, d] * stride[d]
        k -= plain[g]
    return plain, put


@njit
def next_trial(trial, p, g, size, odd, stride):
    """Count on to the next numbers of odd tiles that group g has room for; False when there are none."""
    for d in range(g, len(trial)):
        if trial[d] < p // stride[d] % (odd[d] + 1) and trial.sum() < size:
            trial[d] += 1
            return True
        trial[d] = 0
    return False


@rule
def unit(seed, index):
    """The `index`-th number of a stream, uniform in [0, 1)."""
    return np.float64(mix(stream(seed, index)) >> _S11) * 2.0**-53
