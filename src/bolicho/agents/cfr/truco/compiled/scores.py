"""Values of the scores of a match, and envido alone at a score; compiled.

A *chance* is the probability that the mão of a hand wins the match, by its points and the pé's before that hand. The
next mão is the present pé, so the chance after a hand is one minus that of the other seat.
"""

import numpy as np

from bolicho.agents import kernel as players
from bolicho.games import kernel
from bolicho.games.compiled.chance import stream
from bolicho.games.jit import njit, rule
from bolicho.games.truco.lexicon import envido_bets, levels
from bolicho.games.truco.rules import Rules

_LEVELS = levels(envido_bets(Rules()))
_BETS = [bet for level in _LEVELS for bet in level]
ENVIDOS = len(_BETS)  # pending calls of envido: E, R, F, ER, EF, RF, ERF
LEADS = np.array([(*(_BETS.index(bet) for bet in called.raises), -1, -1)[:2] for called in _BETS])
"""Calls that may follow, padded with -1: real and falta, or falta."""

OPENER_ANSWERS = np.array([depth % 2 for depth, level in enumerate(_LEVELS) for _ in level])
STAKES = np.array([bet.accepted or 0 for bet in _BETS])  # points if accepted; 0: the points left to the target
REFUSALS = np.array([bet.refused for bet in _BETS])

VALUES = 22  # values of envido points: 0 to 7, 20 to 33
SITUATIONS = 2 + 2 * ENVIDOS
"""The mão's first turn, the pé's, then the pending calls of envido if the mão has opened it, and if the pé has."""

CHOICES = 4
"""On a first turn: no call, envido, real, falta. Later: calls, accepting, refusing."""

MOST_BET, MOST_CARDS = 7, 4  # a bet of MOST_BET is a falta
BETS, CARDS = 2 * MOST_BET + 1, 2 * MOST_CARDS + 1
"""Numbers of results of bets on points, and of cards: the mão's points above the middle, the pé's below."""


# --- Results of hands, and joint distribution of points ------------------------------------------


@rule
def value_of(points):
    """Return the index of envido points among `VALUES`."""
    return np.int64(points) if points < 8 else np.int64(points) - 12


@njit
def count_hands(player, memory, pool, seed, first, count, counts):
    """Play `count` single hands of the player against itself from 0-0, and count their results.

    `pool` has a record to play on and one for views; `counts` is (whether there was a flor, bet, cards).
    """
    for number in range(first, first + count):
        luck = stream(seed, number)
        s = pool[0]
        kernel.deal(s, luck)
        ply = 1
        while not kernel.over(s):
            seat = np.int64(s.turn)
            pool[1] = pool[0]
            kernel.hide(pool[1], seat)
            kernel.apply(s, players.decide(player, memory[0], pool[1], seat, stream(luck, ply)))
            ply += 1
        mao = np.int64(s.mao)
        bet = min(MOST_BET, np.int64(s.bet_points[mao])) - min(MOST_BET, np.int64(s.bet_points[1 - mao]))
        cards = np.int64(s.hand_points[mao]) - np.int64(s.hand_points[1 - mao])
        flor = np.int64(s.has_flor[0] == 1 or s.has_flor[1] == 1)
        counts[flor, MOST_BET + bet, MOST_CARDS + cards] += 1


@njit
def meet_points(masks, values, out):
    """Count the pairs of hands without a common card, by the values of the mão's and of the pé's."""
    for i in range(len(masks)):
        for j in range(len(masks)):
            if masks[i] & masks[j] == 0:
                out[values[i], values[j]] += 1


# --- Chances by score ----------------------------------------------------------------------------


@rule
def chance_next(chances, a, b):
    """Return the chance of the present mão, after a hand that leaves it with `a` points and the pé with `b`."""
    target = len(chances)
    if a >= target:
        return 1.0
    if b >= target:
        return 0.0
    return 1.0 - chances[b, a]


@rule
def chance_within(chances, cards, a, b):
    """Return the chance of the mão with bets on points settled, and average results of the cards."""
    target = len(chances)
    if a >= target:
        return 1.0
    if b >= target:
        return 0.0
    chance = 0.0
    for won in range(1, MOST_CARDS + 1):
        chance += cards[MOST_CARDS + won] * chance_next(chances, a + won, b)
        chance += cards[MOST_CARDS - won] * chance_next(chances, a, b + won)
    return chance


@rule
def chance_by_bets(chances, bets, cards, a, b):
    """Return the chance of the mão before a hand of average results; a falta has its value at this score."""
    falta = len(chances) - max(a, b)
    chance = bets[MOST_BET] * chance_within(chances, cards, a, b)
    for won in range(1, MOST_BET + 1):
        points = falta if won == MOST_BET else won
        chance += bets[MOST_BET + won] * chance_within(chances, cards, a + points, b)
        chance += bets[MOST_BET - won] * chance_within(chances, cards, a, b + points)
    return chance


@njit
def lay_pays(chances, cards, a, b, pays):
    """Write the chances after envido, by opener and calls: won by the mão, won by the pé, refused."""
    falta = len(chances) - max(a, b)
    for opener in range(2):
        for node in range(ENVIDOS):
            stake = falta if STAKES[node] == 0 else STAKES[node]
            refused = REFUSALS[node]
            mao_called = (opener == 0) != (OPENER_ANSWERS[node] == 1)
            pays[opener, node, 0] = chance_within(chances, cards, a + stake, b)
            pays[opener, node, 1] = chance_within(chances, cards, a, b + stake)
            pays[opener, node, 2] = (
                chance_within(chances, cards, a + refused, b)
                if mao_called
                else chance_within(chances, cards, a, b + refused)
            )


@njit
def induce(meeting, flores, bets, cards, a, b, iterations, chances, room):
    """Write the chance at a score from those of all later ones; leave the solution of envido in `room[1]`.

    `flores` is the share of hands with a flor, `bets` the results of bets without and with one. Without iterations,
    envido has average results too.
    """
    without = chance_by_bets(chances, bets[0], cards, a, b)
    if iterations > 0:
        pays = np.zeros((2, ENVIDOS, 3))
        lay_pays(chances, cards, a, b, pays)
        without = solve_points(meeting, pays, chance_within(chances, cards, a, b), iterations, room)
    chances[a, b] = (1 - flores) * without + flores * chance_by_bets(chances, bets[1], cards, a, b)


# --- Envido alone -------------------------------------------------------------------------------


@rule
def choices_in(situation):
    if situation < 2:
        return CHOICES
    node = (situation - 2) % ENVIDOS
    return 2 + np.int64(LEADS[node, 0] >= 0) + np.int64(LEADS[node, 1] >= 0)


@njit
def compare(meeting, x, y, won, lost, x_value, y_value):
    """Add the values of an end for the mão and the pé; where no points are compared, `won` is `lost`."""
    for i in range(VALUES):
        for j in range(VALUES):
            worth = meeting[i, j] * (won if i >= j else lost)
            x_value[i] += worth * y[j]
            y_value[j] -= worth * x[i]


@njit
def match_points(regret, shares):
    """Write the strategy: proportional to regrets, none of which is negative, or uniform."""
    for situation in range(SITUATIONS):
        n = choices_in(situation)
        for i in range(VALUES):
            total = 0.0
            for c in range(n):
                total += regret[situation, c, i]
            for c in range(n):
                shares[situation, c, i] = regret[situation, c, i] / total if total > 0 else 1.0 / n


@njit
def evaluate(meeting, pays, base, shares, reach, worth, value):
    """Write the values of all choices if both seats play `shares`.

    `reach` and `value` are (situation, seat, value of points), `worth` (situation, choice, value of points).
    """
    reach[0] = 1.0
    reach[1, 1] = 1.0
    reach[1, 0] = shares[0, 0]
    worth[:] = 0
    value[:] = 0
    for opener in range(2):
        first = 2 + ENVIDOS * opener
        for node in range(3):
            reach[first + node, opener] = shares[opener, 1 + node]
            reach[first + node, 1 - opener] = reach[opener, 1 - opener]
        for node in range(ENVIDOS):
            at = first + node
            seat = opener if OPENER_ANSWERS[node] == 1 else 1 - opener
            for c in range(choices_in(at) - 2):
                to = first + LEADS[node, c]
                for i in range(VALUES):
                    reach[to, seat, i] = reach[at, seat, i] * shares[at, c, i]
                    reach[to, 1 - seat, i] = reach[at, 1 - seat, i]
        for back in range(ENVIDOS):
            node = ENVIDOS - 1 - back
            at = first + node
            seat = opener if OPENER_ANSWERS[node] == 1 else 1 - opener
            n = choices_in(at)
            for c in range(n):
                if c < n - 2:
                    to = first + LEADS[node, c]
                    for i in range(VALUES):
                        worth[at, c, i] = value[to, seat, i]
                        value[at, 1 - seat, i] += value[to, 1 - seat, i]
                    continue
                end = reach[SITUATIONS]
                for i in range(VALUES):
                    end[seat, i] = reach[at, seat, i] * shares[at, c, i]
                    end[1 - seat, i] = reach[at, 1 - seat, i]
                won, lost = pays[opener, node, 0], pays[opener, node, 1]
                if c == n - 1:
                    won = lost = pays[opener, node, 2]
                if seat == 0:
                    compare(meeting, end[0], end[1], won, lost, worth[at, c], value[at, 1])
                else:
                    compare(meeting, end[0], end[1], won, lost, value[at, 0], worth[at, c])
            add_up(shares, worth, value, at, seat)
    end = reach[SITUATIONS]
    end[0] = shares[0, 0]
    end[1] = shares[1, 0]
    compare(meeting, end[0], end[1], base, base, value[1, 0], worth[1, 0])
    for opener in range(1, -1, -1):
        for node in range(3):
            at = 2 + ENVIDOS * opener + node
            for i in range(VALUES):
                worth[opener, 1 + node, i] = value[at, opener, i]
                value[opener, 1 - opener, i] += value[at, 1 - opener, i]
        if opener == 0:
            for i in range(VALUES):
                worth[0, 0, i] = value[1, 0, i]
                value[0, 1, i] += value[1, 1, i]
        add_up(shares, worth, value, opener, opener)


@njit
def add_up(shares, worth, value, at, seat):
    for c in range(choices_in(at)):
        for i in range(VALUES):
            value[at, seat, i] += shares[at, c, i] * worth[at, c, i]


@rule
def seat_of(situation):
    """Return the seat to act in a situation: 0 for the mão, 1 for the pé."""
    if situation < 2:
        return situation
    opener = (situation - 2) // ENVIDOS
    return opener if OPENER_ANSWERS[(situation - 2) % ENVIDOS] == 1 else 1 - opener


@njit
def solve_points(meeting, pays, base, iterations, room):
    """Solve envido alone by CFR+ into `room[1]`; return its value for the mão.

    `room` has four arrays (situation, choice, value of points): regrets, averages, strategy, values of choices.
    """
    regret, average, shares, worth = room[0], room[1], room[2], room[3]
    reach, value = np.zeros((SITUATIONS + 1, 2, VALUES)), np.zeros((SITUATIONS, 2, VALUES))
    regret[:] = 0
    average[:] = 0
    for iteration in range(iterations):
        for learner in range(2):
            match_points(regret, shares)
            evaluate(meeting, pays, base, shares, reach, worth, value)
            for at in range(SITUATIONS):
                if seat_of(at) != learner:
                    continue
                for c in range(choices_in(at)):
                    for i in range(VALUES):
                        gained = worth[at, c, i] - value[at, learner, i]
                        regret[at, c, i] = max(0.0, regret[at, c, i] + gained)
                        average[at, c, i] += (iteration + 1) * reach[at, learner, i] * shares[at, c, i]
    for at in range(SITUATIONS):
        n = choices_in(at)
        for i in range(VALUES):
            total = 0.0
            for c in range(n):
                total += average[at, c, i]
            for c in range(n):  # without reach of its own: the last strategy
                average[at, c, i] = average[at, c, i] / total if total > 1e-12 else shares[at, c, i]
    evaluate(meeting, pays, base, average, reach, worth, value)
    return value[0, 0].sum()


@njit
def best_response(meeting, pays, base, shares, seat):
    """Return the value of a seat's best response to a strategy."""
    reach, value = np.zeros((SITUATIONS + 1, 2, VALUES)), np.zeros((SITUATIONS, 2, VALUES))
    worth, mixed = np.zeros((SITUATIONS, CHOICES, VALUES)), shares.copy()
    for back in range(SITUATIONS):  # last situations first
        at = SITUATIONS - 1 - back
        if seat_of(at) != seat:
            continue
        evaluate(meeting, pays, base, mixed, reach, worth, value)
        n = choices_in(at)
        for i in range(VALUES):
            best = 0
            for c in range(n):
                if worth[at, c, i] > worth[at, best, i]:
                    best = c
            for c in range(n):
                mixed[at, c, i] = 1.0 if c == best else 0.0
    evaluate(meeting, pays, base, mixed, reach, worth, value)
    return value[0, seat].sum()
