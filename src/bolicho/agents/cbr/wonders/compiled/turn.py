"""Turns of 7 Wonders as cases: the best card of every colour, a stage or a sale, and the attributes of the position."""

import numpy as np

from bolicho.agents.cbr import domain
from bolicho.agents.cbr.compiled.turns import allowed_items, better, bind, clear, note_query, set_attribute
from bolicho.agents.cbr.domain import END
from bolicho.agents.cbr.turns import factors
from bolicho.agents.cbr.wonders.schema import ATTRIBUTES, ITEMS, SALE, STAGE
from bolicho.agents.compiled.wonders import gain_of
from bolicho.games.jit import rule
from bolicho.games.kernel import implements
from bolicho.games.wonders import cards
from bolicho.games.wonders.actions import action_of
from bolicho.games.wonders.compiled.deal import hand_of
from bolicho.games.wonders.compiled.payment import (
    can_build,
    can_raise,
    has,
    left_of,
    next_stage,
    price_to_build,
    right_of,
)
from bolicho.games.wonders.compiled.scoring import TOTAL, points
from bolicho.games.wonders.kernel import can_revive
from bolicho.games.wonders.layout import BUILD, FREE, RECORD, REVIVAL, REVIVE, SELL, WONDER
from bolicho.games.wonders.rules import HAND, PASS

NUM_ITEMS = len(ITEMS)
TABLE = factors(ATTRIBUTES)

GAIN = 0  # feature of an item's card: its immediate gain of points, in thirds
THIRDS = 3  # a coin is a third of a point

# Criteria for cards of a colour, in twelfths of a point: a produced unit, a shield, a coin of the price.
UNIT, SHIELD, COIN = 12, 12, -4
KEPT_SHIELD = 3  # value of a shield for the next holder of the hand, in thirds of a point


@rule
def thirds(s, seat, card):
    """Return the points that a card would add if the game ended after it, in thirds."""
    return np.int64(THIRDS * gain_of(s, seat, card))


@rule
def production(s, seat, card):
    """Return the production of a card; units that the city lacks count double."""
    found = 0
    for kind in range(cards.NUM_RAW):
        found += cards.MAKES_RAW[card, 1 << kind] * (2 if s.raw[seat, 1 << kind] == 0 else 1)
    for kind in range(cards.NUM_GOODS):
        found += cards.MAKES_GOODS[card, kind] * (2 if s.goods[seat, kind] == 0 else 0)
    return found


@rule
def note_card(s, seat, c, card, action, price):
    """Evaluate a card that can be built: it represents its colour if it is the best so far."""
    gain = thirds(s, seat, card)
    merit = 4 * gain + UNIT * production(s, seat, card) + SHIELD * cards.SHIELDS[card] + COIN * price
    item = np.int64(cards.COLOUR[card])
    if better(c, item, merit, action):
        c.about[item, GAIN] = gain


@rule
def next_holder(s, seat):
    """Return the seat that gets the hand next."""
    return left_of(s, seat) if PASS[s.age] == 1 else right_of(s, seat)


@rule
def evaluate_uses(s, seat, c):
    """Evaluate every legal use of every card."""
    clear(c)
    if s.phase == REVIVAL:
        for card in range(cards.NUM_CARDS):
            if cards.NAME[card] == card and can_revive(s, seat, card):
                note_card(s, seat, c, card, action_of(REVIVE, card), 0)
        return
    row, raises, other = hand_of(s, s.age, seat, s.round), can_raise(s, seat), next_holder(s, seat)
    for place in range(s.round, HAND):
        card = np.int64(s.cards[s.age, row, place])
        price = price_to_build(s, seat, card)
        if price >= 0:
            note_card(s, seat, c, card, action_of(BUILD, card), price)
        elif s.free[seat] and not has(s, seat, cards.NAME[card]):
            note_card(s, seat, c, card, action_of(FREE, card), THIRDS)
        kept_from_it = thirds(s, other, card) + KEPT_SHIELD * cards.SHIELDS[card] if can_build(s, other, card) else 0
        if raises:
            better(c, STAGE, kept_from_it, action_of(WONDER, card))
        better(c, SALE, kept_from_it, action_of(SELL, card))


@rule
def gain_at(c, item):
    return np.int64(c.about[item, GAIN]) if c.actions[item] >= 0 else np.int64(0)


@rule
def write_attributes(s, seat, q, c):
    left, right = left_of(s, seat), right_of(s, seat)
    best = -100
    for other in range(s.players):
        if other != seat:
            best = max(best, points(s, other)[TOTAL])
    made = s.raw[seat, 15] + s.any_raw[seat] + s.any_goods[seat]
    for kind in range(cards.NUM_GOODS):
        made += s.goods[seat, kind]
    symbols = 0
    for kind in range(4):
        symbols += s.symbols[seat, kind]
    set_attribute(q, 0, s.round, TABLE)
    set_attribute(q, 1, gain_at(c, cards.GREEN) / THIRDS, TABLE)
    set_attribute(q, 2, s.shields[seat] - max(s.shields[left], s.shields[right]), TABLE)
    set_attribute(q, 3, gain_at(c, cards.BLUE) / THIRDS, TABLE)
    set_attribute(q, 4, max(gain_at(c, cards.YELLOW), gain_at(c, cards.PURPLE)) / THIRDS, TABLE)
    set_attribute(q, 5, s.coins[seat], TABLE)
    set_attribute(q, 6, made, TABLE)
    set_attribute(q, 7, cards.POINTS[next_stage(s, seat)] if c.actions[STAGE] >= 0 else 0, TABLE)
    set_attribute(q, 8, symbols, TABLE)
    set_attribute(q, 9, points(s, seat)[TOTAL] - best, TABLE)
    q.equal[0] = s.age


@implements(domain.question, RECORD)
@rule
def question(s, seat, stage, q, c):
    """Write the question: the stage of the game, the city, and the gain of the best card of each colour."""
    if stage > 0:
        return END
    evaluate_uses(s, seat, c)
    q.decision = 0
    q.allowed = allowed_items(c, NUM_ITEMS)
    write_attributes(s, seat, q, c)
    note_query(q, c)
    return 0


bind(RECORD)
