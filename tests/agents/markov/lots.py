"""Luck that is chosen: numbers from which a player draws what a test wants."""

from functools import cache

import numpy as np

from bolicho.games.compiled.chance import uniform

QUESTIONS = 4  # that a test may wish for; each draws two numbers, the first of which decides
CANDIDATES = 2**21
NEAR = 0.1  # how near the draws after the first come; the first is exact to a thousandth


class Lot:
    """A generator whose luck draws, question after question, these numbers (the last again and again)."""

    def __init__(self, *numbers):
        self.number = luck_that_draws(*numbers)


def draws(number):
    """The numbers a decision of this luck may draw."""
    return [uniform(np.uint64(number), i) for i in range(12)]


@cache
def luck_that_draws(*numbers):
    wanted = [numbers[min(i, len(numbers) - 1)] for i in range(QUESTIONS)]
    golden = 0x9E3779B97F4A7C15
    first = (min(wanted[0], 0.9989) + np.random.default_rng(1).random(CANDIDATES) / 1000) * 2**53
    lucks = unmixed(first.astype(np.uint64) << np.uint64(11))
    fits = np.ones(CANDIDATES, bool)
    for i, number in enumerate(wanted[1:], 1):
        bits = mixed(lucks + np.uint64(2 * i * golden % 2**64))
        fits &= np.abs((bits >> np.uint64(11)) * 2.0**-53 - number) < NEAR
    return int(lucks[np.argmax(fits)]) if fits.any() else None


def mixed(x):
    """`chance.mix` of many numbers."""
    x = x + np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def unmixed(x):
    """What `mixed` makes these numbers of."""
    for shift, factor in ((31, 0x94D049BB133111EB), (27, 0xBF58476D1CE4E5B9), (30, None)):
        y = x
        for _ in range(64 // shift):
            y = x ^ (y >> np.uint64(shift))
        x = y if factor is None else y * np.uint64(pow(factor, -1, 2**64))
    return x - np.uint64(0x9E3779B97F4A7C15)
