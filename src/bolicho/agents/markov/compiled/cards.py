"""Choice of a card: by orders that win, or by the chain of rounds."""

import numpy as np

from bolicho.agents.markov.compiled.chain import weight_cards
from bolicho.agents.markov.compiled.opponent_states import by_level, opponent_orders, shown_order
from bolicho.agents.markov.compiled.yes_no import note_down
from bolicho.agents.markov.layout import ASK_CARD, CARDS, LOST, ROUNDS, SURE, TEXT, UNIT, WON
from bolicho.agents.markov.states import NUM_ORDERS, ORDER_TABLE
from bolicho.games.compiled.chance import uniform
from bolicho.games.jit import rule


@rule
def choose_card(s, seat, m, luck):
    """Return the card to play: by orders that win, or by the chain of rounds."""
    if s.round == 2:
        return s.hands[seat, 0]
    weights, levels = m.weights, m.levels
    weights[0], weights[1], weights[2] = 0.0, 0.0, 0.0
    by_level(s.dealt[seat], levels)
    if m.options[ROUNDS]:
        cells = chain_weights(s, seat, levels, m, weights)
    else:
        cells = order_weights(s, seat, levels, m, weights)
    draw = uniform(luck, 2 * int(m.trace[-1, 0]))
    level = spin(weights, draw)
    note_down(m, ASK_CARD, 0, cells, weights[0], weights[1], weights[2], 0.0, 0.0, draw, level)
    return levels[level]


@rule
def order_weights(s, seat, levels, m, weights):
    """Weight low, middle and high by the victories of the orders that win more than they lose (with TEXT: of all)."""
    mine, theirs = m.mine, m.theirs
    shown_order(levels, s.played[seat], mine)
    opponent_orders(m.block, s.played[1 - seat], theirs)
    cells = 0
    for o in range(NUM_ORDERS):
        if mine[o]:
            v, d = 0, 0
            for j in range(NUM_ORDERS):
                if theirs[j]:
                    v += np.int64(m.block[WON[CARDS] + o * NUM_ORDERS + j])
                    d += np.int64(m.block[LOST[CARDS] + o * NUM_ORDERS + j])
                    cells += 1
            if m.options[TEXT] or np.rint(10 * v / (v + d)) > np.rint(10 * d / (v + d)):
                weights[ORDER_TABLE[o, s.round]] += v / UNIT
    total = weights[0] + weights[1] + weights[2]
    for level in range(3):
        if total > 0:
            weights[level] = np.rint(10 * weights[level] / total)
        elif in_hand(s, seat, levels[level]):  # no order wins: any card
            weights[level] = 1
    return cells


@rule
def in_hand(s, seat, card):
    """Return whether a card is still in hand."""
    return s.hands[seat, 0] == card or s.hands[seat, 1] == card or s.hands[seat, 2] == card


@rule
def chain_weights(s, seat, levels, m, weights):
    """Weight low, middle and high by the chance to win the hand with them."""
    weight_cards(s, seat, m)
    held = 3 - s.round
    best = 0.0
    for level in range(3):
        for i in range(held):
            if s.hands[seat, i] == levels[level]:
                weights[level] = m.chances[i]
                best = max(best, m.chances[i])
    if m.options[SURE] or best == 0:
        chosen = False
        for level in range(3):  # the weakest of the best
            take = not chosen and in_hand(s, seat, levels[level]) and weights[level] >= best - 1e-12
            weights[level] = 1.0 if take else 0.0
            chosen = chosen or take
    return held


@rule
def spin(weights, draw):
    """Return the level drawn with the weights."""
    at = draw * (weights[0] + weights[1] + weights[2])
    if at < weights[0]:
        return 0
    if at < weights[0] + weights[1]:
        return 1
    return 2 if weights[2] > 0 else (1 if weights[1] > 0 else 0)
