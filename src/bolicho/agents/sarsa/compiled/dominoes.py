"""After-states of dominoes (Pinto 2018, section 3.3): binary features in this order.

==========================  ==========================================================================
own tiles                   one for each tile of the set
doubles in hand             0, 1, 2, ...
forces a draw               the other seat has (or with hidden hands: may have) no tile that fits
values at the ends          for each end; ends in ascending order, so that a mirrored line is the same
points of the play          fives only: 1 to 5 times the multiple, the last for more
spinner on the table        fives only
the other seat's tiles      perfect information: one for each tile; otherwise how many
the boneyard's tiles        perfect information: one for each tile; otherwise how many
==========================  ==========================================================================
"""

from bolicho.agents.inputs import Shape, numbers, say_input
from bolicho.agents.sarsa.compiled.after import BY_POINTS, after_features
from bolicho.games.compiled.bits import lowest
from bolicho.games.dominoes.compiled.features import may_hold
from bolicho.games.dominoes.kernel import FITTING, HIGH, LOW, NONE, RECORDS, bit, ends_total, place
from bolicho.games.dominoes.rules import TILES, set_size
from bolicho.games.jit import njit
from bolicho.games.kernel import implements
from bolicho.i18n import Message

SCHEME = BY_POINTS
APART = ()
"""Reward scheme, and the rules that may differ from those of the training."""

DRAW_ENDS, FIVES_ENDS = 2, 4
POINT_CLASSES = 5  # 5, 10, 15, 20, 25 and more


def names(game, perfect):
    """Return the name of each feature, by index."""
    highest, fives = game.rules.highest, game.name == "fives"
    tiles = TILES[: set_size(highest)]
    out = [f"own {tile}" for tile in tiles]
    out += [f"{n} doubles" for n in range(highest + 2)]
    out += ["forces a draw"]
    out += [f"end {end + 1} is {v}" for end in range(FIVES_ENDS if fives else DRAW_ENDS) for v in range(highest + 1)]
    if fives:
        unit = game.rules.multiple
        out += [f"scores {unit * n}" for n in range(1, POINT_CLASSES)] + [f"scores {unit * POINT_CLASSES} or more"]
        out += ["spinner"]
    if perfect:
        return out + [f"other {tile}" for tile in tiles] + [f"boneyard {tile}" for tile in tiles]
    counts = range(len(tiles) + 1)
    return out + [f"other has {n}" for n in counts] + [f"boneyard has {n}" for n in counts]


SHAPES: tuple[Shape, ...] = (
    (r"(?P<whose>own|other|boneyard) (?P<tile>\d+-\d+)", "{whose}_tile", lambda whose, tile: {"tile": tile}),
    (r"(?P<n>\d+) doubles", "doubles", numbers),
    (r"end (?P<end>\d+) is (?P<value>\d+)", "end", numbers),
    (r"scores (?P<points>\d+)", "scores", numbers),
    (r"scores (?P<points>\d+) or more", "scores_or_more", numbers),
    (r"(?P<whose>other|boneyard) has (?P<n>\d+)", "{whose}_has", lambda whose, n: numbers(n=n)),
)


def say_feature(name: str) -> Message:
    """Return the name of a feature for people."""
    return say_input(name, SHAPES)


@njit
def add_tiles(index, n, at, tiles, w):
    """Append one feature for every tile in word `w` of a set; return the number of features."""
    left = tiles
    while left:
        index[n] = at + 64 * w + lowest(left)
        n += 1
        left &= left - 1
    return n


@njit
def forces_draw(pool, seat, perfect):
    """Return whether no tile that the other seat holds (may hold) fits the ends of `pool[1]`."""
    t = pool[1]
    for w in range(t.hands.shape[1]):
        fit = 0
        for side in range(4):
            if t.ends[side] != NONE:
                fit |= FITTING[t.ends[side], w]
        held = t.hands[1 - seat, w] if perfect else may_hold(pool[0], seat, w)
        if held & fit:
            return False
    return True


@njit
def after_play(s, pool, seat, action, perfect, index, value):
    """Write the features after a play, in the order of the table above."""
    tile = action >> 2
    pool[1] = s
    t = pool[1]
    place(t, tile, action & 3, t.num_plays == 0)
    t.hands[seat, tile >> 6] &= ~bit(tile)
    num_values = t.highest + 1
    size = num_values * (num_values + 1) // 2
    n = doubles = 0
    for w in range(t.hands.shape[1]):
        n = add_tiles(index, n, 0, t.hands[seat, w], w)
    for i in range(n):
        doubles += HIGH[index[i]] == LOW[index[i]]
    at = size
    index[n] = at + doubles
    n += 1
    at += num_values + 1
    if forces_draw(pool, seat, perfect):
        index[n] = at
        n += 1
    at += 1
    n = add_ends(t, index, n, at, num_values)
    at += (FIVES_ENDS if t.fives else DRAW_ENDS) * num_values
    if t.fives:
        points = ends_total(t)
        if points > 0 and points % t.multiple == 0:
            index[n] = at + min(points // t.multiple, POINT_CLASSES) - 1
            n += 1
        at += POINT_CLASSES
        if t.spinner != NONE:
            index[n] = at
            n += 1
        at += 1
    if perfect:
        for w in range(t.hands.shape[1]):
            n = add_tiles(index, n, at, t.hands[1 - seat, w], w)
        for i in range(t.drawn, t.num_boneyard):
            index[n] = at + size + t.boneyard[i]
            n += 1
    else:
        index[n] = at + t.counts[1 - seat]
        index[n + 1] = at + size + 1 + t.num_boneyard - t.drawn
        n += 2
    for i in range(n):
        value[i] = 1
    return n


@njit
def add_ends(t, index, n, at, num_values):
    """Write the open values in ascending order, one group of features per end."""
    end = 0
    for v in range(num_values):
        for side in range(4):
            if t.ends[side] == v:
                index[n] = at + end * num_values + v
                n += 1
                end += 1
    return n


for _record in RECORDS:
    implements(after_features, _record)(after_play)
