"""Worlds of dominoes drawn from a part of the seat's information; compiled."""

from bolicho.games.compiled.chance import stream
from bolicho.games.dominoes.compiled.unseen import (
    choose,
    just_drawn,
    shuffle_into,
    tiles_with,
    unseen,
    was_stuck,
    went_on,
)
from bolicho.games.dominoes.kernel import clear_table, place
from bolicho.games.jit import njit, rule

NOTHING, ANSWERED, STUCK = range(3)
STREAM_SEED, STREAM_BONEYARD, STREAM_HAND = range(1, 4)  # streams of a world's seed


@njit
def deal_world(pool, seat, inference, seed):
    """Fill the hidden record `pool[0]` of the seat to move with random unseen tiles, without values the opponent lacks.

    It stays unknown which tiles the opponent has drawn: no later play depends on it.
    """
    s = pool[0]
    other = 1 - seat
    lacks = lacked(pool, other, inference)
    low, high = unseen(s, seat, 0), unseen(s, seat, 1)
    hand_low, hand_high = choose(
        low & ~tiles_with(lacks, 0), high & ~tiles_with(lacks, 1), s.counts[other], stream(seed, STREAM_HAND)
    )
    s.hands[other, 0] = hand_low
    if s.hands.shape[1] > 1:
        s.hands[other, 1] = hand_high
    shuffle_into(s, s.drawn, low & ~hand_low, high & ~hand_high, stream(seed, STREAM_BONEYARD))
    s.seed = stream(seed, STREAM_SEED)


@rule
def lacked(pool, other, inference):
    """Return the values that a seat is inferred to lack, as bits.

    `STUCK`: those open when it last drew or passed; `ANSWERED`: the one at which it played the tile that it drew last.
    """
    s = pool[0]
    for ply in range(s.num_plays, 0, -1):
        if inference == STUCK and was_stuck(s, other, ply):
            return s.stuck[ply]
        if inference == ANSWERED and just_drawn(s, other, ply):
            return 1 << value_played_at(pool, ply) if went_on(s, other, ply) else 0
    return 0


@rule
def value_played_at(pool, ply):
    """Return the value of the side at which the tile of that ply was played; replays the line in `pool[1]`."""
    pool[1] = pool[0]
    s = pool[1]
    clear_table(s)
    for i in range(ply):
        place(s, pool[0].line[i] >> 2, pool[0].line[i] & 3, i == 0)
    return s.ends[pool[0].line[ply] & 3]
