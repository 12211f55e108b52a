"""Redeals of dominoes: samples of states that are consistent with a seat's view; compiled.

A state contains its whole deal: the dealt hands and the order of the boneyard.  `redeal` samples uniformly from the
deals that are consistent with everything that the seat has seen.  In the terms of `unseen.py`:

- An unseen tile is in the boneyard or in a group from some g on.  So the groups can be filled by drawing from the
  tiles they allow, earliest first: the number of remaining ways never depends on the draw.
- A tile that the other seat has played was in a group up to some g, its deadline.  Most such tiles are *plain*: any
  group up to it is possible.  The *odd* ones have a value that the seat had lacked before.
- If every group allows the same unseen tiles and no played tile is odd, then the hand is drawn from the allowed
  tiles, and the played tiles, earliest first, choose among the places there were (`place_simply`).
- Otherwise the numbers of played tiles per group are drawn, from the counts of deals of `groups.py`.
- A seat to act that did not have to draw can play: hands that cannot play are drawn again.
"""

import numpy as np

from bolicho.games import kernel
from bolicho.games.compiled.chance import below, stream
from bolicho.games.dominoes.compiled.groups import place_by_groups
from bolicho.games.dominoes.compiled.unseen import (
    choose,
    group_size,
    has_odd_play,
    just_drawn,
    not_dealt,
    number,
    second_word,
    shuffle_into,
    tiles_with,
    unseen,
    was_stuck,
    went_on,
)
from bolicho.games.dominoes.kernel import DOWN, DREW, LEFT, NONE, RIGHT, UP, bit, fitting, implements
from bolicho.games.jit import njit, rule

STREAM_SEED, STREAM_BONEYARD, STREAM_FIT, STREAM_HAND, STREAM_PLACES, STREAM_AGAIN = range(1, 7)  # of a redeal


@implements(kernel.redeal)
@njit
def redeal(s, seat, seed):
    """Fill the other hand, the boneyard, and the last draws in the events."""
    other = 1 - seat
    n = s.num_plays
    want = np.int64(s.counts[other])
    low, high = unseen(s, seat, 0), unseen(s, seat, 1)
    fit = NONE  # a tile that the other seat certainly holds: it has just drawn it, or must lead it
    if s.turn == other:
        if n == 0:
            fit = s.lead
        elif just_drawn(s, other, n):
            one_low, one_high = low & tiles_with(s.stuck[n], 0), high & tiles_with(s.stuck[n], 1)
            one_low, one_high = choose(one_low, one_high, np.int64(1), stream(seed, STREAM_FIT))
            fit = number(one_low, one_high)
    if fit != NONE:
        want -= 1
        if fit < 64:
            low ^= bit(fit)
        else:
            high ^= bit(fit)
    free_low, free_high = low, high  # candidates for the other hand, judging by the table
    if s.turn < 0:
        free_low, free_high = s.hands[other, 0], second_word(s.hands, other)
    # The tiles that the first group and the last group allow.
    dealt_low, dealt_high = free_low & ~not_dealt(s, 0), free_high & ~not_dealt(s, 1)
    values = later = np.int64(0)  # the values it lacked; the number of tiles in later groups
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
    place_fitting(s, other, fit)
    is_simple = later == 0 or (last_low == dealt_low and last_high == dealt_high and not has_odd_play(s, other))
    can_play = s.turn == other and n > 0 and not was_stuck(s, other, n)
    attempt = np.uint64(seed)
    while True:
        if is_simple:
            hand_low, hand_high = choose(dealt_low, dealt_high, want, stream(attempt, STREAM_HAND))
        else:
            hand_low, hand_high = place_by_groups(s, other, free_low, free_high, want, stream(attempt, STREAM_PLACES))
        if not can_play or fits_somewhere(s, hand_low, hand_high):
            break
        attempt = stream(attempt, STREAM_AGAIN)
    if is_simple and later > 0:
        place_simply(s, other, want - later, hand_low, hand_high, stream(seed, STREAM_PLACES))
    shuffle_into(s, np.int64(s.drawn), low & ~hand_low, high & ~hand_high, stream(seed, STREAM_BONEYARD))
    s.hands[other, 0] |= hand_low
    if s.hands.shape[1] > 1:
        s.hands[other, 1] |= hand_high
    if fit != NONE:
        s.hands[other, fit >> 6] |= bit(fit)
    fill_events(s, other)
    s.seed = stream(seed, STREAM_SEED)


@rule
def fits_somewhere(s, low, high):
    """Return whether a tile of a set fits an open side."""
    return (
        low & (fitting(s, LEFT, 0) | fitting(s, RIGHT, 0) | fitting(s, UP, 0) | fitting(s, DOWN, 0))
        | high & (fitting(s, LEFT, 1) | fitting(s, RIGHT, 1) | fitting(s, UP, 1) | fitting(s, DOWN, 1))
    ) != 0


@rule
def place_fitting(s, other, fit):
    """Place the tiles that the other seat drew and played at once."""
    at = 0
    for ply in range(1, s.num_plays + 1):
        at += s.drew[ply]
        if just_drawn(s, other, ply) and went_on(s, other, ply):
            s.boneyard[at - 1] = s.line[ply] >> 2 if ply < s.num_plays else fit


@rule
def place_simply(s, other, dealt, low, high, seed):
    """Place every tile that the other seat was dealt or drew: the played tiles, then those in hand.

    A played tile may come from any available place: the first hand, with `dealt` places plus one for each played tile,
    or the tiles kept from the boneyard up to that ply.
    """
    for ply in range(s.num_plays):
        if s.by[ply] == other and not just_drawn(s, other, ply):
            dealt += 1
    free = 0  # places in the boneyard
    for ply in range(s.num_plays):
        if was_stuck(s, other, ply):
            free += group_size(s, other, ply)
        if s.by[ply] == other and not just_drawn(s, other, ply):
            j = below(seed, ply, dealt + free)
            if j < dealt:
                dealt -= 1
            else:
                j -= dealt
                i = 0
                while s.boneyard[i] != NONE or j > 0:
                    j -= s.boneyard[i] == NONE
                    i += 1
                s.boneyard[i] = s.line[ply] >> 2
                free -= 1
    for i in range(s.drawn):
        if s.boneyard[i] == NONE:
            one_low, one_high = choose(low, high, np.int64(1), stream(seed, i))
            low ^= one_low
            high ^= one_high
            s.boneyard[i] = number(one_low, one_high)


@rule
def fill_events(s, other):
    """Write the tiles that the other seat drew last into the events."""
    rows = 0
    for i in range(s.num_events - 1, -1, -1):
        if s.events[i, 0] == DREW and s.events[i, 1] == other:
            rows += 1
            s.events[i, 2] = s.boneyard[s.drawn - rows]
