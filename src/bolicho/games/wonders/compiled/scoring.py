"""Points of a city by kind, as if the game stopped now."""

from bolicho.games.compiled.bits import lowest
from bolicho.games.jit import rule
from bolicho.games.wonders import cards
from bolicho.games.wonders.compiled.payment import has, left_of, right_of, stage_of
from bolicho.games.wonders.rules import COINS_A_POINT, SCIENCE_SET

POINT_KINDS = ("military", "coins", "wonder", "civil", "science", "commerce", "guilds", "total")
TOTAL = 7

STAGES, DEFEATS = 7, 8  # columns of PER after the colours


@rule
def counted(s, seat, number):
    """Return the number of objects that a card counts in one city."""
    total = cards.PER[number, STAGES] * s.stages[seat] + cards.PER[number, DEFEATS] * s.defeats[seat]
    for colour in range(7):
        total += cards.PER[number, colour] * s.colours[seat, colour]
    return total


@rule
def count_for(s, seat, number):
    """Return the number of objects that a card counts, in the cities where it counts them, for `seat`."""
    total = 0
    if cards.PER_OWN[number]:
        total += counted(s, seat, number)
    if cards.PER_NEXT[number]:
        total += counted(s, left_of(s, seat), number) + counted(s, right_of(s, seat), number)
    return total


@rule
def science(a, b, c, wild):
    """Return the maximum score of three counts of symbols and some wild ones."""
    best = 0
    for x in range(wild + 1):
        for y in range(wild + 1 - x):
            p, q, r = a + x, b + y, c + wild - x - y
            best = max(best, p * p + q * q + r * r + SCIENCE_SET * min(p, q, r))
    return best


@rule
def science_with(s, seat, more):
    """Return the science points of a city with `more` wild symbols."""
    return science(s.symbols[seat, 0], s.symbols[seat, 1], s.symbols[seat, 2], s.symbols[seat, 3] + more)


@rule
def copies_guild(s, seat):
    """Return whether the city's wonder copies a neighbour's guild."""
    for stage in range(s.stages[seat]):
        if cards.POWER[stage_of(s, seat, stage)] == cards.COPY_GUILD:
            return True
    return False


@rule
def copied(s, seat):
    """Return the best guild to copy, as (points, points of science); Scientists only if strictly better."""
    left, right = left_of(s, seat), right_of(s, seat)
    best = 0
    for guild in range(cards.FIRST_GUILD, cards.NUM_CARDS):
        if has(s, left, guild) or has(s, right, guild):
            best = max(best, cards.PER_POINTS[guild] * count_for(s, seat, guild))
    if has(s, left, cards.SCIENTISTS) or has(s, right, cards.SCIENTISTS):
        gain = science_with(s, seat, 1) - science_with(s, seat, 0)
        if gain > best:
            return 0, gain
    return best, 0


@rule
def cards_worth(s, seat, colour):
    """Return the points of a city's cards of one colour."""
    worth = 0
    for word in range(2):
        left = s.built[seat, word] & cards.WORTH_POINTS[colour, word]
        while left:
            card = 64 * word + lowest(left)
            left &= left - 1
            worth += cards.POINTS[card]
            if cards.PER_POINTS[card]:
                worth += cards.PER_POINTS[card] * count_for(s, seat, card)
    return worth


@rule
def stages_worth(s, seat):
    """Return the points of the stages built."""
    worth = 0
    for stage in range(s.stages[seat]):
        worth += cards.POINTS[stage_of(s, seat, stage)]
    return worth


@rule
def points(s, seat):
    """Return the points of a seat by kind, in the order of POINT_KINDS."""
    military = s.victories[seat] - s.defeats[seat]
    treasure = s.coins[seat] // COINS_A_POINT
    wonder = stages_worth(s, seat)
    civil = cards_worth(s, seat, cards.BLUE)
    science = science_with(s, seat, 0)
    commerce = cards_worth(s, seat, cards.YELLOW)
    guilds = cards_worth(s, seat, cards.PURPLE)
    if copies_guild(s, seat):
        copied_points, copied_science = copied(s, seat)
        guilds += copied_points
        science += copied_science
    total = military + treasure + wonder + civil + science + commerce + guilds
    return military, treasure, wonder, civil, science, commerce, guilds, total
