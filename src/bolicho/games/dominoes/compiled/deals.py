"""Deals of small sets by number; compiled."""

import numpy as np

from bolicho.games import kernel
from bolicho.games.compiled.bits import lowest
from bolicho.games.compiled.deals import MOST, nth, subset, subsets
from bolicho.games.dominoes.kernel import BY_LOT, clear, give, implements, open_game, opener
from bolicho.games.jit import rule


@rule
def size_of(s):
    return (np.int64(s.highest) + 1) * (s.highest + 2) // 2


@rule
def orders(n):
    """Return the number of orders of `n` tiles; 0 if it does not fit in 64 bits."""
    found = np.int64(1)
    for i in range(2, n + 1):
        found *= i
    return found if n <= 20 else np.int64(0)


@implements(kernel.num_deals)
@rule
def num_deals(s):
    """Return the product of the numbers of hands, of orders of the boneyard and, if it is drawn, of openers."""
    size, hand = size_of(s), np.int64(s.hand)
    if size > 28:
        return np.int64(0)
    hands = subsets(size, hand) * subsets(size - hand, hand) * (2 if s.opens == BY_LOT else 1)
    lying = orders(size - 2 * hand)
    return hands * lying if hands < MOST // max(1, lying) else np.int64(0)


@implements(kernel.deal_number)
@rule
def deal_number(s, number):
    size, hand = size_of(s), np.int64(s.hand)
    left = (np.int64(1) << size) - 1
    s.seed = 0
    clear(s)
    first = opener(s)
    if s.opens == BY_LOT:
        first = number & 1
        number >>= 1
    for seat in range(2):
        ways = subsets(size - seat * hand, hand)
        tiles = subset(left, hand, number % ways)
        number //= ways
        left ^= tiles
        while tiles:
            give(s, seat, lowest(tiles))
            tiles &= tiles - 1
    s.num_boneyard = size - 2 * hand
    for i in range(s.num_boneyard):
        among = s.num_boneyard - i
        tile = nth(left, number % among)
        number //= among
        s.boneyard[i] = tile
        left &= ~(np.int64(1) << tile)
    open_game(s, first)
