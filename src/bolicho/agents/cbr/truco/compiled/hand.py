"""Derived facts of a case, finished or in progress: remaining cards, the leader, the winner."""

import numba

from bolicho.agents.cbr.truco.schema import CASE, HIGH, LOW, MID
from bolicho.games.jit import rule
from bolicho.games.truco.compiled.hand import hand_winner, leader_after
from bolicho.games.truco.compiled.lexicon import ME, NOBODY

CASE_RECORD = numba.from_dtype(CASE)


@rule
def left(c, r):
    """Return the codes of the cards left before round r, strongest first, then zeros.

    After a card played face down in round 2, one of two cards is unknown; the higher one counts as remaining.
    """
    a, b, z = c.high, c.mid, c.low
    if r == 0:
        return a, b, z
    if c.card[0] == a:
        a, b = b, z
    elif c.card[0] == b:
        b = z
    zero = a - a
    if r == 1:
        return a, b, zero
    if c.card[1] == a:
        return b, zero, zero
    return a, zero, zero


@rule
def item_of(c, r, code):
    """Return the item (by strength among the cards left before round r) with that code."""
    a, b, _ = left(c, r)
    if code == a or r == 2:
        return HIGH
    return MID if r == 0 and code == b else LOW


@rule
def code_of(c, r, item):
    """Return the code of the card that an item plays in round r, face up."""
    a, b, z = left(c, r)
    if item == HIGH or r == 2:
        return a
    return z if r == 0 and item == LOW else b


@rule
def leads(c, r):
    """Return whether player 1 leads round r; after a tie the mão does."""
    return (c.mao if r == 0 else 1 + leader_after(c.winner[r - 1] - 1, c.mao - 1)) == ME


@rule
def winner_of(first, second, third, mao):
    """Return the winner of the hand by cards, or NOBODY while it is open; codes are one more than the game's."""
    return 1 + hand_winner(first - 1, second - 1, third - 1, mao - 1)


@rule
def began(c, r):
    """Return whether round r began."""
    if r == 0:
        return True
    if c.winner[r - 1] == NOBODY:
        return False
    return r == 1 or winner_of(c.winner[0], c.winner[1], NOBODY, c.mao) == NOBODY
