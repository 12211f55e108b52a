"""Defaults of the generic functions, for records without their own."""

import numpy as np

from bolicho.games import kernel
from bolicho.games.compiled.chance import below
from bolicho.games.jit import rule
from bolicho.games.kernel import ANY, implements


@implements(kernel.deal, ANY)
@rule
def deal_any(s, seed):
    """Deal one of the numbered deals."""
    kernel.deal_number(s, below(seed, 0, kernel.num_deals(s)))
    s.seed = np.uint64(seed)


@implements(kernel.over, ANY)
@rule
def has_no_turn(s):
    return s.turn < 0


@implements(kernel.scores, ANY)
@rule
def payoffs_at_the_end(s, out):
    """Write zeros during the game, then the payoffs as whole numbers."""
    out[:] = 0
    if kernel.over(s):
        kernel.payoff(s, out)


@implements(kernel.features, ANY)
@rule
def no_features(s, seat, out):
    return 0


@implements(kernel.rewind, ANY)
@rule
def no_way_back(s, rows):
    return -1
