"""Hidden information in dominoes: `hide`, and what a view implies about hidden tiles; compiled.

Each time the other seat could not play ("was stuck") at open values E, it held no tile with a value of E.  Nor did
any tile that it then drew have one, except the last tile if it fitted, which it played at once and which is known.
Tiles thus form *groups*: group 0 was dealt, group j was drawn (without a fitting last tile) the j-th time the seat was
stuck, and a tile of group g had no value of E_j for any j >= g while it was held.
"""

import numpy as np

from bolicho.games import kernel
from bolicho.games.compiled.bits import count, lowest
from bolicho.games.compiled.chance import below
from bolicho.games.dominoes.kernel import DREW, FITTING, HIGH, LOW, NONE, implements, leads
from bolicho.games.jit import rule


@implements(kernel.hide)
@rule
def hide(s, seat):
    """Keep the seat's own tiles and everything on the table; hands are public when the game is over."""
    other = 1 - seat
    s.seed = 0
    at = 0
    if s.drawn > 0:
        for ply in range(1, s.num_plays + 1):
            if s.by[ply - 1] == seat:
                for i in range(at, at + s.drew[ply]):
                    s.boneyard[i] = NONE
            at += s.drew[ply]
        for i in range(s.num_events):
            if s.events[i, 0] == DREW and s.events[i, 1] == other:
                s.events[i, 2] = NONE
    for i in range(s.drawn, s.num_boneyard):
        s.boneyard[i] = NONE
    if s.turn >= 0:
        for w in range(s.hands.shape[1]):
            s.hands[other, w] = 0


# --- Information from being stuck ---------------------------------------------------------------


@rule
def was_stuck(s, other, ply):
    """Return whether the other seat was to act before that ply and could not play."""
    return s.stuck[ply] != 0 and s.by[ply - 1] != other


@rule
def went_on(s, other, ply):
    """Return whether a seat that was stuck before that ply drew a tile that fitted."""
    return s.by[ply] == other if ply < s.num_plays else s.turn == other


@rule
def group_size(s, other, ply):
    """Return the number of tiles that a stuck seat drew and kept."""
    return s.drew[ply] - went_on(s, other, ply)


@rule
def just_drawn(s, other, ply):
    """Return whether the other seat drew before that ply; if it then played, it played the last tile drawn."""
    return was_stuck(s, other, ply) and s.drew[ply] > 0


@rule
def avoids(tile, values):
    """Return whether a tile has none of the given values."""
    return ((values >> HIGH[tile]) | (values >> LOW[tile])) & 1 == 0


@rule
def tiles_with(values, w):
    """Return word `w` of the tiles that have any of the given values."""
    found = np.int64(0)
    left = np.int64(values)
    while left:
        found |= FITTING[lowest(left), w]
        left &= left - 1
    return found


@rule
def not_dealt(s, w):
    """Return word `w` of the tiles in neither dealt hand, since they would have been led."""
    found = np.int64(0)
    if s.lead != NONE and w < s.tiles.shape[0]:
        left = s.tiles[w]
        while left:
            i = lowest(left)
            left &= left - 1
            if leads(s.opens, 64 * w + i, s.lead):
                found |= np.int64(1) << i
    return found


@rule
def is_odd(s, tile, values):
    """Return whether a tile cannot have been dealt, given the values that its holder had lacked."""
    return not avoids(tile, values) or (s.lead != NONE and leads(s.opens, tile, s.lead))


@rule
def has_odd_play(s, other):
    """Return whether the other seat has played an odd tile."""
    values = np.int64(0)
    for ply in range(s.num_plays):
        if was_stuck(s, other, ply):
            values |= s.stuck[ply]
        if s.by[ply] == other and not just_drawn(s, other, ply) and is_odd(s, np.int64(s.line[ply]) >> 2, values):
            return True
    return False


# --- Sets of tiles in two words -----------------------------------------------------------------


@rule
def second_word(words, row):
    """Return the second word of a row of sets, or 0."""
    return words[row, 1] if words.shape[1] > 1 else np.int64(0)


@rule
def unseen(s, seat, w):
    """Return word `w` of the tiles that are neither played nor in the hand of a seat."""
    if w >= s.tiles.shape[0]:
        return np.int64(0)
    return s.tiles[w] & ~(s.hands[seat, w] | s.played[w])


@rule
def choose(low, high, want, seed):
    """Return a uniform subset of `want` tiles of a set."""
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


@rule
def number(low, high):
    """Return the tile of a set of one."""
    return lowest(low) if low else 64 + lowest(high)


@rule
def shuffle_into(s, start, low, high, seed):
    """Put a set of tiles into the boneyard from `start` on, in random order."""
    done = 0
    for w in range(2):
        left = high if w else low
        while left:
            j = below(seed, done, done + 1)
            s.boneyard[start + done] = s.boneyard[start + j]
            s.boneyard[start + j] = 64 * w + lowest(left)
            left &= left - 1
            done += 1
