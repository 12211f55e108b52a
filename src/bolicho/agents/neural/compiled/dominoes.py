"""Dominoes for learners: the game's own features, and of every legal play what comes of it at once.

Which ends a tile leaves, and whether their sum is a multiple of five, is arithmetic that a net learns badly; here it is
told, a block of inputs each: the points of the play, and which part of the tiles the other may hold, and of one's own
that are left, fits then.
"""

import numpy as np

from bolicho.agents.neural.compiled import codings
from bolicho.agents.neural.compiled.codings import FEATURES, Binding, Coding
from bolicho.games import kernel
from bolicho.games.compiled.bits import count
from bolicho.games.dominoes.compiled.features import may_hold
from bolicho.games.dominoes.kernel import NONE, NUM_SIDES, bit, ends_total, fitting, implements, place
from bolicho.games.dominoes.rules import SIDES, TILES
from bolicho.games.jit import njit, rule
from bolicho.words import plain

PLAYS = FEATURES + 1
BLOCKS = ("points", "fits the other", "fits me")
SCALE_POINTS = 20.0


@rule
def fits_then(s, tiles, w):
    """How many tiles of word `w` of a set fit an open side."""
    fit = np.int64(0)
    for side in range(NUM_SIDES):
        if s.ends[side] != NONE:
            fit |= fitting(s, side, w)
    return count(tiles & fit)


@rule
def encode_play(s, seat, action, num_actions, out):
    """What comes of a legal play at once; the state is left as it was."""
    ends = (s.ends[0], s.ends[1], s.ends[2], s.ends[3])
    worth = (s.worth[0], s.worth[1], s.worth[2], s.worth[3])
    spinner, covered = s.spinner, s.covered
    tile = action >> 2
    place(s, tile, action & 3, s.num_plays == 0)
    if s.fives:
        points = ends_total(s)
        if points > 0 and points % s.multiple == 0:
            out[action] = points / SCALE_POINTS
    theirs = mine = fit_theirs = fit_mine = 0
    for w in range(s.hands.shape[1]):
        perhaps, left = may_hold(s, seat, w), s.hands[seat, w]
        if w == tile >> 6:
            left &= ~bit(tile)
        theirs += count(perhaps)
        mine += count(left)
        fit_theirs += fits_then(s, perhaps, w)
        fit_mine += fits_then(s, left, w)
    out[num_actions + action] = fit_theirs / max(1, theirs)
    out[2 * num_actions + action] = fit_mine / max(1, mine)
    for side in range(4):
        s.ends[side] = ends[side]
        s.worth[side] = worth[side]
    s.spinner = spinner
    s.covered = covered


@implements(codings.encode)
@njit
def encode(s, seat, coding, out):
    n = kernel.features(s, seat, out)
    if coding != PLAYS:
        return n
    num_actions = NUM_SIDES * ((s.highest + 1) * (s.highest + 2) // 2)
    plays = out[n : n + len(BLOCKS) * num_actions]
    plays[:] = 0
    if s.turn == seat:
        legal = np.empty(num_actions, np.int16)
        for i in range(kernel.legal(s, legal)):
            encode_play(s, seat, np.int64(legal[i]), num_actions, plays)
    return n + len(BLOCKS) * num_actions


def widths(game):
    """The inputs and outputs of the net."""
    return ((game.num_features + len(BLOCKS) * game.num_actions, game.num_actions),)


def input_names(game, coding, which):
    """A name for each input of a net."""
    tiles = TILES[: game.num_actions // NUM_SIDES]
    return [
        *game.feature_names,
        *(f"{tile} at {side}: {block}" for block in BLOCKS for tile in tiles for side in SIDES),
    ]


BINDING = Binding(
    seats=2,
    codings={"plays": Coding(PLAYS, (), widths)},
    schemes={},
    input_names=input_names,
    say_input=plain,
    coding="plays",
)
