"""Compiled entry points for setups and views, with the state given as a pool."""

from bolicho.games.dominoes import kernel as k
from bolicho.games.jit import njit


@njit
def clear(pool):
    k.clear(pool[0])


@njit
def deal_tile(pool, seat, tile):
    """Deal a tile to a seat, or to the boneyard."""
    s = pool[0]
    if seat < 0:
        s.boneyard[s.num_boneyard] = tile
        s.num_boneyard += 1
    else:
        k.give(s, seat, tile)


@njit
def open_game(pool, first):
    """Open the game for a seat, or for the seat that the rules choose."""
    s = pool[0]
    k.open_game(s, first if first >= 0 else k.opener(s))


@njit
def ends_total(pool):
    """Return the sum of the open ends (all fives)."""
    return k.ends_total(pool[0])


@njit
def points(pool, action):
    """Return the points of the open ends after a legal action (all fives)."""
    return k.points_of(pool[0], action)
