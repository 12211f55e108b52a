"""Sides of all fives as codes: placing a tile, and the score of the ends; compiled."""

import numpy as np

from bolicho.agents.search.dominoes.compact import (
    BARE,
    CLOSED,
    CODE_BITS,
    CODE_FITS,
    DOUBLE,
    END,
    IS_DOUBLE,
    SUM,
    WORTH,
)
from bolicho.games.dominoes.kernel import spinner_worth
from bolicho.games.jit import rule

CODE = np.int64(31)


@rule
def code_at(sides, i):
    return (sides >> (CODE_BITS * i)) & CODE


@rule
def sorted_sides(sides):
    """Return the four sides, highest code first: their positions do not matter."""
    a, b, c, d = code_at(sides, 0), code_at(sides, 1), code_at(sides, 2), code_at(sides, 3)
    a, b = max(a, b), min(a, b)
    c, d = max(c, d), min(c, d)
    a, c = max(a, c), min(a, c)
    b, d = max(b, d), min(b, d)
    b, c = max(b, c), min(b, c)
    return a | b << CODE_BITS | c << 2 * CODE_BITS | d << 3 * CODE_BITS


@rule
def fits_any(sides):
    """Return the tiles that fit one of the sides."""
    return (
        CODE_FITS[code_at(sides, 0)]
        | CODE_FITS[code_at(sides, 1)]
        | CODE_FITS[code_at(sides, 2)]
        | CODE_FITS[code_at(sides, 3)]
    )


@rule
def survey(sides):
    """Return the numbers of bare and of closed sides, and the spinner's value if a side is bare."""
    bare, closed, spinner = np.int64(0), np.int64(0), np.int64(0)
    for i in range(4):
        code = code_at(sides, i)
        if code == CLOSED:
            closed += 1
        elif code >= BARE:
            bare += 1
            spinner = code - BARE
    return bare, closed, spinner


@rule
def open_closed(sides, code):
    """Put a code at every closed side."""
    for i in range(4):
        if code_at(sides, i) == CLOSED:
            sides ^= (CLOSED ^ code) << (CODE_BITS * i)
    return sides


@rule
def place_fives(ctx, sides, i, tile, bare, closed, spinner):
    """Return the sides after a tile is played at side `i`; the last three arguments are the `survey` of the sides."""
    old = code_at(sides, i)
    value = END[old]
    if not IS_DOUBLE[tile]:
        new = SUM[tile] - value
    elif bare == 0 and closed > 0:  # first double: the spinner
        sides ^= (old ^ (BARE + value)) << (CODE_BITS * i)
        if ctx.arms_after <= 1:
            sides = open_closed(sides, BARE + value)
        return sides
    else:
        new = DOUBLE + value if value > 0 else np.int64(0)
    sides ^= (old ^ new) << (CODE_BITS * i)
    if closed > 0 and old >= BARE and 2 - (bare - 1) >= ctx.arms_after:
        sides = open_closed(sides, BARE + spinner)
    return sides


@rule
def points_fives(ctx, sides):
    """Return the score of the open ends."""
    total = WORTH[code_at(sides, 0)] + WORTH[code_at(sides, 1)] + WORTH[code_at(sides, 2)] + WORTH[code_at(sides, 3)]
    bare, closed, spinner = survey(sides)
    total += spinner_worth(spinner, bare, 4 - bare - closed, ctx.spinner_counts)  # 0 where no side is bare
    return total if total % ctx.multiple == 0 else np.int64(0)
