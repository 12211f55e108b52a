"""Moves of a position in search order; compiled."""

from bolicho.agents.search.dominoes.compact import CODE_BITS, CODE_FITS, FITS, IS_DOUBLE, SUM
from bolicho.agents.search.dominoes.compiled.sides import code_at, fits_any, place_fives, points_fives, survey
from bolicho.agents.search.dominoes.compiled.table import MOVE_BITS
from bolicho.games.compiled.bits import count, lowest
from bolicho.games.jit import rule

# Weights of the move ordering, tuned by node counts.
FIRST = 1 << 14  # move from the table
DRAW_DOUBLE, DRAW_MINE, DRAW_THEIRS, DRAW_BLOCKS = 3, 1, 14, 40
FIVES_POINTS, FIVES_MINE, FIVES_THEIRS, FIVES_BLOCKS = 48, 42, 2, 20

# Packed move, from its lowest bit: resulting sides, points, name, rank.
SIDES_BITS = 4 * CODE_BITS
POINTS_AT = SIDES_BITS
POINTS_BITS = 7
NAME_AT = POINTS_AT + POINTS_BITS
RANK_AT = NAME_AT + MOVE_BITS
LOWEST_RANK = -(1 << 12)  # offset that makes stored ranks non-negative


@rule
def add_move(ctx, ply, n, name, hint, rank, points, sides):
    """Append a move to the list of a ply."""
    if name == hint:
        rank += FIRST
    ctx.moves[ply, n] = (rank - LOWEST_RANK) << RANK_AT | name << NAME_AT | points << POINTS_AT | sides


@rule
def rank_draw(mine, other, tile, fits):
    """Return the rank of a move after which the tiles `fits` can be played."""
    theirs = count(other & fits)
    rank = DRAW_DOUBLE * IS_DOUBLE[tile] - DRAW_MINE * count(mine & fits) - DRAW_THEIRS * theirs
    return rank + DRAW_BLOCKS if theirs == 0 else rank


@rule
def list_draw(ctx, ply, hint):
    """Write the moves of draw dominoes with their ranks; return their number."""
    mine, other = ctx.mine[ply], ctx.other[ply]
    a, b = ctx.sides[ply] & 7, ctx.sides[ply] >> 3
    n = 0
    left = mine & (FITS[a] | FITS[b])
    while left:
        tile = lowest(left)
        left &= left - 1
        if (FITS[a] >> tile) & 1:
            c = SUM[tile] - a
            rank = rank_draw(mine, other, tile, FITS[c] | FITS[b])
            add_move(ctx, ply, n, tile << 2 | (a > b), hint, rank, 0, c | b << 3)
            n += 1
        if a != b and (FITS[b] >> tile) & 1:
            c = SUM[tile] - b
            rank = rank_draw(mine, other, tile, FITS[c] | FITS[a])
            add_move(ctx, ply, n, tile << 2 | (b > a), hint, rank, 0, a | c << 3)
            n += 1
    return n


@rule
def rank_fives(mine, other, points, fits):
    """Return the rank of a move that scores `points` and after which the tiles `fits` can be played."""
    theirs = count(other & fits)
    rank = FIVES_POINTS * points + FIVES_MINE * count(mine & fits) - FIVES_THEIRS * theirs
    return rank + FIVES_BLOCKS if theirs == 0 else rank


@rule
def list_fives(ctx, ply, hint):
    """Write the moves of all fives with their ranks; return their number."""
    mine, other, sides = ctx.mine[ply], ctx.other[ply], ctx.sides[ply]
    n = 0
    bare, closed, spinner = survey(sides)
    for i in range(4):
        code = code_at(sides, i)
        if i > 0 and code == code_at(sides, i - 1):
            continue
        left = mine & CODE_FITS[code]
        while left:
            tile = lowest(left)
            left &= left - 1
            after = place_fives(ctx, sides, i, tile, bare, closed, spinner)
            points = points_fives(ctx, after)
            add_move(ctx, ply, n, tile << 2 | i, hint, rank_fives(mine, other, points, fits_any(after)), points, after)
            n += 1
    return n


@rule
def take_best(ctx, ply):
    """Take the best of the remaining moves of a ply."""
    i = ctx.next[ply]
    best = i
    for j in range(i + 1, ctx.num_moves[ply]):
        if ctx.moves[ply, j] > ctx.moves[ply, best]:
            best = j
    move = ctx.moves[ply, best]
    ctx.moves[ply, best] = ctx.moves[ply, i]
    ctx.next[ply] = i + 1
    return move
