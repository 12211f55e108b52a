"""What a seat of dominoes may know (`hide`), and worlds it cannot tell apart (`redeal`); compiled.

A world is another deal: the other seat's first hand and the order of the boneyard.  `redeal` draws uniformly from
the deals under which everybody would have seen what was seen.  The state keeps only what is left of the deal, so a
position comes up as often as there are deals that lead to it.

What the other seat showed: each time it could not play ("was stuck") at open values E, it held no tile with a value
of E, nor had any tile it then drew, except the last one if it could go on; that one it played at once, so it is known.
Tiles thus come in *groups*: group 0 was dealt, group j was drawn (the last tile apart) the j-th time it was stuck, and
a tile of group g avoids E_j for all j >= g, as long as it was held.

- An unseen tile is in the boneyard or in a group from some g on, so the groups, earliest first, can be filled by
  drawing from the tiles they allow: how many ways are left never depends on what was drawn.
- A tile that the other seat has played was in a group up to some g, its deadline.  If it may have been in any of those,
  then only how many such tiles each group had matters: a sum over counts.  Of the odd ones (it played a value that it
  had lacked before) one must also count how many of each deadline are placed.
- Mostly every group allows the same unseen tiles.  Then the hand is simply drawn from those.
"""

import numpy as np

from bolicho.games import kernel
from bolicho.games.chance import below, mix, stream
from bolicho.games.dominoes.bits import count, lowest
from bolicho.games.dominoes.kernel import DREW, FITTING, HIGH, LOW, NONE, bit, implements, leads
from bolicho.games.dominoes.rules import MAX_HIGHEST, set_size
from bolicho.games.jit import njit

# The streams of the seed of a redeal.
STREAM_SEED, STREAM_BONEYARD, STREAM_FIT, STREAM_EVENTS, STREAM_GROUPS = range(1, 6)
STREAM_HAND = 16  # and after it one for each group

_S11 = np.uint64(11)


def _binomials(n: int) -> np.ndarray:
    """Pascal's triangle; exact up to 2**53."""
    rows = np.zeros((n + 1, n + 1))
    rows[:, 0] = 1
    for i in range(1, n + 1):
        rows[i, 1:] = rows[i - 1, 1:] + rows[i - 1, :-1]
    return rows


BINOMIAL = _binomials(set_size(MAX_HIGHEST))


@implements(kernel.hide)
@njit
def hide(s, seat):
    """Leaves the seat its own tiles and everything on the table; hands are shown when the game is over."""
    other = 1 - seat
    s.seed = 0
    for i in range(s.drawn, s.num_boneyard):
        s.boneyard[i] = NONE
    for i in range(s.num_events):
        if s.events[i, 0] == DREW and s.events[i, 1] == other:
            s.events[i, 2] = NONE
    if s.turn >= 0:
        for w in range(s.hands.shape[1]):
            s.hands[other, w] = 0


# --- What was shown by being stuck --------------------------------------------------------------


@njit
def was_stuck(s, other, ply):
    """Whether the other seat was in turn before that ply and could not play."""
    return s.stuck[ply] != 0 and s.by[ply - 1] != other


@njit
def went_on(s, other, ply):
    """Whether a seat that was stuck before that ply drew a tile that fitted."""
    return s.by[ply] == other if ply < s.num_plays else s.turn == other


@njit
def group_size(s, other, ply):
    """The tiles that a stuck seat drew and kept."""
    return s.drew[ply] - went_on(s, other, ply)


@njit
def avoids(tile, values):
    """Whether a tile has none of some values."""
    return ((values >> HIGH[tile]) | (values >> LOW[tile])) & 1 == 0


@njit
def tiles_with(values, w):
    """Word `w` of the tiles that have one of some values."""
    found = np.int64(0)
    left = np.int64(values)
    while left:
        found |= FITTING[lowest(left), w]
        left &= left - 1
    return found


@njit
def not_dealt(s, w):
    """Word `w` of the tiles that nobody was dealt, since they would have been led."""
    found = np.int64(0)
    if s.lead != NONE:
        left = s.tiles[w]
        while left:
            i = lowest(left)
            left &= left - 1
            if leads(s.opens, 64 * w + i, s.lead):
                found |= np.int64(1) << i
    return found


@njit
def high_word(words, row):
    """The second word of a row of sets, where there is one."""
    return words[row, 1] if words.shape[1] > 1 else np.int64(0)


@njit
def high_tiles(words):
    """The second word of a set, where there is one."""
    return words[1] if words.shape[0] > 1 else np.int64(0)


@njit
def add_tiles(words, row, low, high):
    """Add a set to a row of sets."""
    words[row, 0] |= low
    if words.shape[1] > 1:
        words[row, 1] |= high


# --- Drawing ------------------------------------------------------------------------------------


@njit
def choose(low, high, want, seed):
    """A uniform subset of `want` tiles of a set of two words."""
    rest = count(low) + count(high)
    chosen_low = chosen_high = np.int64(0)
    i = 0
    while want > 0 and rest > 0:
        tile = low & -low if low else high & -high
        if below(seed, i, rest) < want:
            want -= 1
            if low:
                chosen_low |= tile
            else:
                chosen_high |= tile
        if low:
            low ^= tile
        else:
            high ^= tile
        rest -= 1
        i += 1
    return chosen_low, chosen_high


@njit
def number(low, high):
    """The tile of a set of one."""
    return lowest(low) if low else 64 + lowest(high)


@njit
def fill_boneyard(s, low, high, seed):
    """Lay a set of tiles face down in random order."""
    n = 0
    for w in range(2):
        left = high if w else low
        while left:
            tile = 64 * w + lowest(left)
            left &= left - 1
            j = below(seed, n, n + 1)
            s.boneyard[s.drawn + n] = s.boneyard[s.drawn + j]
            s.boneyard[s.drawn + j] = tile
            n += 1


@njit
def fill_events(s, other, low, high, fit, seed):
    """Say what the other seat drew last: some tiles of a set, then the one that fitted."""
    for i in range(s.num_events):
        if s.events[i, 0] == DREW and s.events[i, 1] == other:
            is_last = i + 1 == s.num_events or s.events[i + 1, 0] != DREW
            if is_last and fit != NONE:
                s.events[i, 2] = fit
            else:
                one_low, one_high = choose(low, high, 1, stream(seed, i))
                s.events[i, 2] = number(one_low, one_high)
                low ^= one_low
                high ^= one_high


@implements(kernel.redeal)
@njit
def redeal(s, seat, seed):
    """Fills the other hand, the boneyard and the tiles drawn last."""
    other = 1 - seat
    n = s.num_plays
    want = np.int64(s.counts[other])
    low = s.tiles[0] & ~(s.hands[seat, 0] | s.played[0])
    high = high_tiles(s.tiles) & ~(high_word(s.hands, seat) | high_tiles(s.played))
    fit = NONE  # the tile the other seat surely holds: the one it has just drawn, or must lead
    if s.turn == other:
        if n == 0:
            fit = s.lead
        elif s.drew[n] > 0:
            one_low, one_high = low & tiles_with(s.stuck[n], 0), high & tiles_with(s.stuck[n], 1)
            one_low, one_high = choose(one_low, one_high, 1, stream(seed, STREAM_FIT))
            fit = number(one_low, one_high)
    if fit != NONE:
        want -= 1
        if fit < 64:
            low ^= bit(fit)
        else:
            high ^= bit(fit)
    free_low, free_high = low, high  # what may be in the other hand, as far as the table shows
    if s.turn < 0:
        free_low, free_high = s.hands[other, 0], high_word(s.hands, other)
    # What the first and the last group allow.
    dealt_low, dealt_high = free_low & ~not_dealt(s, 0), free_high
    if s.tiles.shape[0] > 1:
        dealt_high &= ~not_dealt(s, 1)
    values = 0
    later = 0  # the tiles in later groups
    last_low = last_high = np.int64(0)
    for ply in range(n, 0, -1):
        if was_stuck(s, other, ply):
            values |= s.stuck[ply]
            kept = group_size(s, other, ply)
            if kept > 0 and later == 0:
                last_low, last_high = free_low & ~tiles_with(values, 0), free_high & ~tiles_with(values, 1)
            later += kept
    if values:
        dealt_low &= ~tiles_with(values, 0)
        dealt_high &= ~tiles_with(values, 1)
    if later == 0 or (last_low == dealt_low and last_high == dealt_high):
        hand_low, hand_high = choose(dealt_low, dealt_high, want, stream(seed, STREAM_HAND))
        drawn_low, drawn_high = hand_low, hand_high
    else:
        hand_low, hand_high, drawn_low, drawn_high = choose_groups(s, other, free_low, free_high, want, later, seed)
    fill_events(s, other, drawn_low, drawn_high, fit, stream(seed, STREAM_EVENTS))
    fill_boneyard(s, low & ~hand_low, high & ~hand_high, stream(seed, STREAM_BONEYARD))
    add_tiles(s.hands, other, hand_low, hand_high)
    if fit != NONE:
        s.hands[other, fit >> 6] |= bit(fit)
    s.seed = stream(seed, STREAM_SEED)


# --- Groups that allow different tiles ----------------------------------------------------------


@njit
def choose_groups(s, other, free_low, free_high, want, later, seed):
    """The unseen tiles of the other hand, and those of its last group: (low, high, low, high).

    Rare enough to allocate.  Only groups that kept a tile count; `plies` are theirs, 0 for what was dealt.
    """
    n = s.num_plays
    plies = np.zeros(n + 1, np.int64)
    sizes = np.zeros(n + 1, np.int64)
    num_groups = 1
    for ply in range(1, n + 1):
        if was_stuck(s, other, ply) and group_size(s, other, ply) > 0:
            plies[num_groups] = ply
            sizes[num_groups] = group_size(s, other, ply)
            num_groups += 1
    allowed = np.zeros((num_groups, 2), np.int64)
    for g in range(num_groups):
        values = stuck_between(s, other, plies[g], n)
        allowed[g, 0] = free_low & ~tiles_with(values, 0)
        allowed[g, 1] = free_high & ~tiles_with(values, 1)
    allowed[0, 0] &= ~not_dealt(s, 0)
    if s.tiles.shape[0] > 1:
        allowed[0, 1] &= ~not_dealt(s, 1)
    # The tiles it played, apart from those just drawn: the first and the last group each may have been in.
    since = np.zeros(n, np.int64)
    until = np.zeros(n, np.int64)
    num_played = 0
    for ply in range(n):
        if s.by[ply] == other and not (was_stuck(s, other, ply) and went_on(s, other, ply)):
            g = 0
            while g + 1 < num_groups and plies[g + 1] <= ply:
                g += 1
            since[num_played] = first_group(s, other, np.int64(s.line[ply]) >> 2, ply, plies, g)
            until[num_played] = g
            num_played += 1
    sizes[0] = want + num_played - later
    unseen = np.zeros(num_groups, np.int64)
    for g in range(num_groups):
        unseen[g] = count(allowed[g, 0]) + count(allowed[g, 1])
    taken = place_played(sizes[:num_groups], unseen, since[:num_played], until[:num_played], seed)
    hand_low = hand_high = last_low = last_high = np.int64(0)
    for g in range(num_groups):
        rest_low, rest_high = allowed[g, 0] & ~hand_low, allowed[g, 1] & ~hand_high
        last_low, last_high = choose(rest_low, rest_high, sizes[g] - taken[g], stream(seed, STREAM_HAND + g))
        hand_low |= last_low
        hand_high |= last_high
    return hand_low, hand_high, last_low, last_high


@njit
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
    while g > 0 and avoids(tile, stuck_between(s, other, plies[g - 1], ply)):
        g -= 1
    if g == 0 and not_dealt(s, tile >> 6) & bit(tile):
        return 1
    return g


@njit
def place_played(sizes, unseen, since, until, seed):
    """How many played tiles each group had, as often as there are deals with those numbers.

    `ways[g, k, p]` counts how the groups before g can be filled with k plain tiles and, of the odd ones, p: as many of
    each deadline as the digits of p say, in a system where the digit of deadline d runs to `odd[d]`.
    """
    num_groups = len(sizes)
    taken = np.zeros(num_groups, np.int64)
    waiting = np.zeros(num_groups, np.int64)  # plain tiles with a deadline of g or later
    odd = np.zeros(num_groups, np.int64)
    ready = np.zeros((num_groups, num_groups), np.int64)  # [g, d]: odd ones of deadline d that may be in group g
    for i in range(len(since)):
        if since[i] == 0:
            waiting[: until[i] + 1] += 1
        elif since[i] == until[i]:
            taken[since[i]] += 1
        else:
            odd[until[i]] += 1
            ready[since[i] : until[i] + 1, until[i]] += 1
    room = sizes - taken
    stride = np.ones(num_groups + 1, np.int64)
    for d in range(num_groups):
        stride[d + 1] = stride[d] * (odd[d] + 1)
    ways = np.zeros((num_groups + 1, waiting[0] + 1, stride[num_groups]))
    ways[0, 0, 0] = 1
    before = 0
    for g in range(num_groups):
        fill_group(g, before, room[g], unseen[g], waiting, odd, ready[g], stride, ways)
        before += room[g]
    draw_counts(room, unseen, waiting, odd, ready, stride, ways, taken, stream(seed, STREAM_GROUPS))
    return taken


@njit
def fill_group(g, before, room, unseen, waiting, odd, ready, stride, ways):
    """Work out `ways[g + 1]`: put odd tiles into group g, one deadline after the other, then plain ones."""
    plain, states = ways.shape[1], ways.shape[2]
    here = np.zeros((room + 1, plain, states))  # by the odd tiles put into this group
    here[0] = ways[g]
    for d in range(g, len(odd)):
        if ready[d] == 0:
            continue
        # From the fullest down, so that what is read has not been written.
        for y in range(room, -1, -1):
            for k in range(plain):
                for p in range(states - 1, -1, -1):
                    digit = p // stride[d] % (odd[d] + 1)
                    total = here[y, k, p]
                    for x in range(1, min(y, digit) + 1):
                        fewer = here[y - x, k, p - x * stride[d]]
                        if fewer > 0 and ready[d] >= digit:
                            total += fewer * BINOMIAL[ready[d] - digit + x, x]
                    here[y, k, p] = total
    for y in range(room + 1):
        for k in range(plain):
            for p in range(states):
                if here[y, k, p] > 0 and p // stride[g] % (odd[g] + 1) == odd[g]:
                    for x in range(min(room - y, plain - 1 - k) + 1):
                        rest = ways_of_rest(g, before, room, unseen, waiting, k, digits(p, odd, stride) - y, x, y)
                        ways[g + 1, k + x, p] += here[y, k, p] * rest


@njit
def digits(p, odd, stride):
    """How many odd tiles a number stands for."""
    total = 0
    for d in range(len(odd)):
        total += p // stride[d] % (odd[d] + 1)
    return total


@njit
def ways_of_rest(g, before, room, unseen, waiting, k, p, x, y):
    """How group g can be filled with x plain and unseen tiles, given y odd ones.

    `before` places are filled already, k of them with plain tiles and p with odd ones.
    """
    unused = unseen - (before - k - p)
    plain = waiting[g] - (waiting[0] - k - x)  # that may be here and are in no later group
    if unused < room - x - y or plain < x:
        return 0.0
    return BINOMIAL[unused, room - x - y] * BINOMIAL[plain, x]


@njit
def draw_counts(room, unseen, waiting, odd, ready, stride, ways, taken, seed):
    """Add to `taken` how many of the played tiles are in each group, the last group first."""
    num_groups = len(room)
    k, p = waiting[0], stride[num_groups] - 1
    before = room.sum()
    put = np.zeros(num_groups, np.int64)  # the odd tiles of each deadline in this group
    best = np.zeros(num_groups, np.int64)
    for g in range(num_groups - 1, -1, -1):
        before -= room[g]
        put[:] = 0
        total = 0.0
        plain = 0
        tried = 0
        done = False
        while not done:
            y = put.sum()
            q = p
            weight = 1.0
            for d in range(g, num_groups):
                digit = p // stride[d] % (odd[d] + 1)
                q -= put[d] * stride[d]
                weight *= BINOMIAL[max(ready[g, d] - digit + put[d], 0), put[d]]
            for x in range(min(room[g] - y, k) + 1):
                part = weight * ways[g, k - x, q]
                if part > 0:
                    part *= ways_of_rest(g, before, room[g], unseen[g], waiting, k - x, digits(q, odd, stride), x, y)
                total += part
                tried += 1
                if unit(stream(seed, g), tried) * total < part:
                    plain = x
                    best[:] = put
            done = next_put(put, p, g, room[g], odd, stride)
        for d in range(g, num_groups):
            p -= best[d] * stride[d]
        taken[g] += plain + best.sum()
        k -= plain


@njit
def next_put(put, p, g, room, odd, stride):
    """Count on to the next numbers of odd tiles that fit into group g; whether there are no more."""
    for d in range(g, len(put)):
        if put[d] < p // stride[d] % (odd[d] + 1) and put.sum() < room:
            put[d] += 1
            return False
        put[d] = 0
    return True


@njit
def unit(seed, index):
    """The `index`-th number of a stream, uniform in [0, 1)."""
    return np.float64(mix(stream(seed, index)) >> _S11) * 2.0**-53
