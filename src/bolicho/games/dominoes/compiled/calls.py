"""Compiled entry points: what setups and views ask of a state, given as a pool."""

from bolicho.games.dominoes import kernel as k
from bolicho.games.jit import njit


@njit
def clear(pool):
    k.clear(pool[0])


@njit
def lay(pool, seat, tile):
    """Deal a tile to a seat, or to the boneyard."""
    s = pool[0]
    if seat < 0:
        s.boneyard[s.num_boneyard] = tile
        s.num_boneyard += 1
    else:
        k.give(s, seat, tile)


@njit
def open_game(pool, first):
    """Open the game for a seat, or for the one the rules say."""
    s = pool[0]
    k.open_game(s, first if first >= 0 else k.opener(s))


@njit
def ends_total(pool):
    """All fives: the sum of the open ends."""
    return k.ends_total(pool[0])


@njit
def points(pool, action):
    """All fives: what the open ends score once a legal action is played."""
    return k.points_of(pool[0], action)
