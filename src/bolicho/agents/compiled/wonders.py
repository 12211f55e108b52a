"""7 Wonders code that several techniques share: weights and gains of cards, rewards; compiled."""

from bolicho.agents.compiled import rewards
from bolicho.agents.compiled.rewards import PAYOFF
from bolicho.agents.compiled.weights import ALWAYS, MAX_CONDITIONS, MEASURES, RULES
from bolicho.games import kernel
from bolicho.games.jit import njit, rule
from bolicho.games.kernel import implements
from bolicho.games.wonders import cards
from bolicho.games.wonders.actions import card_of, kind_of
from bolicho.games.wonders.compiled.deal import hand_of
from bolicho.games.wonders.compiled.payment import left_of, right_of
from bolicho.games.wonders.compiled.scoring import TOTAL, count_for, points, science, science_with
from bolicho.games.wonders.kernel import is_winner
from bolicho.games.wonders.layout import RECORD, SELL, SOLD

PUBLISHED, MARGIN = range(PAYOFF + 1, PAYOFF + 3)
"""Schemes in addition to that of every game."""

# --- Card weights of the rule-based agent of Pereira 2021 ----------------------------------------

STRUCTURES, STAGES, COINS, LEAD, WORTH, THE_WONDER = range(MEASURES.index("structures"), len(MEASURES))


@rule
def card_points(s, seat, card):
    """Return the points a card would score now."""
    if card == cards.SCIENTISTS:
        return science_with(s, seat, 1) - science_with(s, seat, 0)
    return cards.POINTS[card] + cards.PER_POINTS[card] * count_for(s, seat, card)


@rule
def structures(s, seat):
    """Return the number of structures in a city."""
    count = 0
    for colour in range(STRUCTURES):
        count += s.colours[seat, colour]
    return count


@rule
def measure(s, seat, card, what):
    """Return the quantity that a condition compares; see the docstring of weights.py."""
    if what < STRUCTURES:
        return s.colours[seat, what]
    if what == STRUCTURES:
        return structures(s, seat)
    if what == STAGES:
        return s.stages[seat]
    if what == COINS:
        return s.coins[seat]
    if what == LEAD:
        return s.shields[seat] - max(s.shields[left_of(s, seat)], s.shields[right_of(s, seat)])
    if what == WORTH:
        return card_points(s, seat, card)
    return s.board[seat] % cards.NUM_WONDERS


@rule
def holds(value, comparison, bound):
    if comparison == 0:
        return value < bound
    if comparison == 1:
        return value <= bound
    if comparison == 2:
        return value == bound
    if comparison == 3:
        return value >= bound
    return value > bound


@rule
def weight(s, seat, card):
    """Return the weight of a card for a seat: that of the first condition of its row that holds."""
    for i in range(MAX_CONDITIONS):
        what = RULES[card, i, 0]
        if what == ALWAYS or holds(measure(s, seat, card, what), RULES[card, i, 1], RULES[card, i, 2]):
            return RULES[card, i, 3]
    return 0


# --- Gains of cards -----------------------------------------------------------------------------


@njit
def gain_of(s, seat, card):
    """Return the points a card would add if the game ended after it, including those of earned coins."""
    gain = 1.0 * cards.POINTS[card]
    if cards.PER_POINTS[card] or cards.PER_COINS[card]:
        seen = count_for(s, seat, card)
        gain += cards.PER_POINTS[card] * seen + cards.PER_COINS[card] * seen / 3.0
    if cards.SYMBOL[card] >= 0 or cards.POWER[card] == cards.WILD_SYMBOL:
        a, b, c, wild = s.symbols[seat, 0], s.symbols[seat, 1], s.symbols[seat, 2], s.symbols[seat, 3]
        now = science(a, b, c, wild)
        if cards.POWER[card] == cards.WILD_SYMBOL:
            gain += science(a, b, c, wild + 1) - now
        else:
            kind = cards.SYMBOL[card]
            gain += science(a + (kind == 0), b + (kind == 1), c + (kind == 2), wild) - now
    return gain


@njit
def sales(s, seat):
    """Return the number of cards the seat sold in this age."""
    sold = 0
    for turn in range(s.round):
        sold += s.fate[s.age, hand_of(s, s.age, seat, turn), turn] == SOLD
    return sold


# --- Rewards ------------------------------------------------------------------------------------

ALLOWED_SALES = 2  # in an age, without a penalty (Pereira 2021, section 3.5.2)
PENALTY = -5.0  # for each sale beyond; the source gives no number
MARGIN_POINTS = 10.0  # this lead over the best other seat is worth as much as ...
VICTORY = 1.0  # ... so many times the payoff


@implements(rewards.bonus, RECORD)
@njit
def bonus(s, seat, scheme, action):
    """Return the scripted player's weight of the play, or a penalty for too many sales (scheme `PUBLISHED`)."""
    if scheme != PUBLISHED:
        return 0.0
    if kind_of(action) == SELL:
        return PENALTY if sales(s, seat) >= ALLOWED_SALES else 0.0
    return 1.0 * weight(s, seat, card_of(action))


@njit
def margin(s, seat):
    """Return the points ahead of the best other seat."""
    best = -100
    for other in range(s.players):
        if other != seat:
            best = max(best, points(s, other)[TOTAL])
    return points(s, seat)[TOTAL] - best


@njit
def payoff_of(s, seat):
    winners = 0
    for other in range(s.players):
        winners += is_winner(s, other)
    return is_winner(s, seat) / winners - 1 / s.players


@implements(rewards.scheme_value, RECORD)
@njit
def standing(s, seat, scheme):
    """Return the points so far (`PUBLISHED`), the final margin and victory (`MARGIN`), or the payoff."""
    if scheme == PUBLISHED:
        return 1.0 * points(s, seat)[TOTAL]
    if not kernel.over(s):
        return 0.0
    if scheme == MARGIN:
        return margin(s, seat) / MARGIN_POINTS + VICTORY * payoff_of(s, seat)
    return payoff_of(s, seat)
