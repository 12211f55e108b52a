"""Abstraction of dominoes: the immediate effects of plays in steps, instead of tiles.

The class of a play consists of its score (fives), whether it is a double, heavy or light, how many of one's own tiles
fit the resulting ends, and how many of those that the other may hold. One play represents all plays of its class. A
situation is the classes to choose from, and the numbers of tiles of each side and of the boneyard.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bolicho.agents.cfr.kernel import choices, key
from bolicho.agents.compiled.dominoes import SCALE_PIPS, SCALE_POINTS, encode_play
from bolicho.games import kernel
from bolicho.games.compiled.chance import mix
from bolicho.games.jit import rule
from bolicho.games.kernel import implements

HEAVY = 7  # in pips: heavier tiles count as heavy
FEW_FIT = 0.35  # share of the tiles that the other may hold
POINT_STEPS = 4  # steps of scores: 1 to 4 times the multiple, the last for more


class Plays(NamedTuple):
    """Abstraction and its work arrays."""

    recalls: bool
    most: int  # number of classes to choose from, best first
    left: NDArray[np.int64]  # step of each number of tiles
    about: NDArray[np.float32]  # features of a play
    legal: NDArray[np.int16]
    chosen: NDArray[np.int16]  # and their labels, for keys
    labels: NDArray[np.int16]


@rule
def class_of(plays, s, seat, action):
    """Return the class of a play as a number; a larger one has a greater immediate effect."""
    encode_play(s, seat, action, plays.about)
    points = np.int64(np.round(plays.about[0] * SCALE_POINTS))
    scores = 0 if points == 0 else min(points // s.multiple, POINT_STEPS)
    weight = 2 if plays.about[4] > 0 else np.int64(plays.about[3] * SCALE_PIPS > HEAVY - 0.5)
    left = np.int64(s.counts[seat]) - 1
    mine = min(2, np.int64(np.round(plays.about[2] * left)))
    theirs = 2 if plays.about[1] == 0 else np.int64(plays.about[1] < FEW_FIT)
    if s.fives:  # scores matter most in fives
        weight, mine = weight // 2, min(1, mine)
    return ((scores * 3 + weight) * 3 + theirs) * 3 + mine


@implements(choices, Plays)
@rule
def choices_of(plays, s, seat, out, labels):
    """Write one play of each class, best classes first; return their number."""
    legal = kernel.legal(s, plays.legal)
    n = 0
    for i in range(legal):
        label = class_of(plays, s, seat, np.int64(plays.legal[i]))
        at = 0
        while at < n and labels[at] > label:
            at += 1
        if at < n and labels[at] == label:
            continue
        if n < plays.most:
            n += 1
        for j in range(n - 1, at, -1):
            out[j] = out[j - 1]
            labels[j] = labels[j - 1]
        if at < n:
            out[at] = plays.legal[i]
            labels[at] = label
    return n


@implements(key, Plays)
@rule
def key_of(plays, s, seat, past):
    """Return a key of the classes to choose from and the numbers of tiles left."""
    n = choices_of(plays, s, seat, plays.chosen, plays.labels)
    own = np.uint64(n)
    for i in range(n):
        own = mix(own ^ np.uint64(plays.labels[i]))
    state = plays.left[s.counts[seat]] * 64 + plays.left[s.counts[1 - seat]] * 8
    return mix(own ^ np.uint64(state + plays.left[s.num_boneyard - s.drawn]))
