"""Chosen luck: numbers from which a player draws the values that a test needs."""

from functools import cache

import numpy as np

from bolicho.games.compiled.chance import uniform

QUESTIONS = 4  # with chosen draws; each draws two numbers, of which the first decides
CANDIDATES = 2**21
NEAR = 0.1  # tolerance of the draws after the first, which is exact to a thousandth


class Lot:
    """Generator whose luck draws one of these numbers for each question, and then repeats the last."""

    def __init__(self, *numbers):
        self.number = luck_that_draws(*numbers)


def draws(number):
    """Return the numbers that a decision with this luck may draw."""
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
    """Return `chance.mix` of many numbers."""
    x = x + np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def unmixed(x):
    """Return the numbers that `mixed` maps to `x`."""
    for shift, factor in ((31, 0x94D049BB133111EB), (27, 0xBF58476D1CE4E5B9), (30, None)):
        y = x
        for _ in range(64 // shift):
            y = x ^ (y >> np.uint64(shift))
        x = y if factor is None else y * np.uint64(pow(factor, -1, 2**64))
    return x - np.uint64(0x9E3779B97F4A7C15)
