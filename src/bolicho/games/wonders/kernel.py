"""Rules of 7 Wonders: legal actions and their effects.  See layout.py for the record."""

import numpy as np

from bolicho.games import kernel
from bolicho.games.compiled.events import log, wipe_events
from bolicho.games.jit import rule
from bolicho.games.kernel import CHOSE, implements
from bolicho.games.wonders.actions import action_of, card_of, kind_of, left_in, split_of
from bolicho.games.wonders.cards import (
    COIN_COST,
    COINS,
    COLOUR,
    FREE_BUILD,
    MAKES_GOODS,
    MAKES_RAW,
    NAME,
    NUM_CARDS,
    PER_COINS,
    POWER,
    REVIVE_POWER,
    SEVENTH_CARD,
    SHIELDS,
    SYMBOL,
    TRADE,
    WILD_GOODS,
    WILD_RAW,
    WILD_SYMBOL,
)
from bolicho.games.wonders.compiled.deal import hand_of, has_power, open_age, take
from bolicho.games.wonders.compiled.payment import (
    bounds,
    can_build,
    can_raise,
    cheapest,
    has,
    is_chained,
    left_of,
    next_stage,
    next_way,
    right_for,
    right_of,
    stage_of,
)
from bolicho.games.wonders.compiled.scoring import TOTAL, count_for, points
from bolicho.games.wonders.layout import (
    BUILD,
    BUILDS,
    BUILT,
    CHAINED,
    DISCARDS,
    FREE,
    FREED,
    HELD,
    INCOME,
    LEFT_OVER,
    NO_REVIVAL,
    NONE,
    PAID,
    PLAY,
    RAISES,
    RECORD,
    REVIVAL,
    REVIVE,
    REVIVED,
    SELL,
    SELLS,
    SEVENTH,
    SOLD,
    SPLIT,
    STAGE,
    WAR,
    WONDER,
)
from bolicho.games.wonders.rules import HAND, NUM_AGES, SALE, TRADES, TURNS, VICTORY

CHOOSE = TRADES.index("choose")


# --- Legal actions ------------------------------------------------------------------------------


@rule
def looked_at(s, card):
    """Return the number of copies of a card that Halikarnassos has seen in the pile, revived ones included."""
    seen = s.looks[card]
    return (seen & 3) + ((seen >> 2) & 3) + ((seen >> 4) & 3)


@rule
def can_revive(s, seat, name):
    """Return whether Halikarnassos sees a card of that name in the pile and has not built it."""
    if has(s, seat, name):
        return False
    for card in range(NUM_CARDS):
        if NAME[card] == name and looked_at(s, card):
            return True
    return False


@rule
def list_revivals(s, out):
    n = 0
    for card in range(NUM_CARDS):
        if NAME[card] == card and can_revive(s, s.turn, card):
            out[n] = action_of(REVIVE, card)
            n += 1
    return n


@rule
def list_splits(s, seat, kind, card, cost, out, n):
    """Append the ways to pay that are not the cheapest."""
    span = bounds(s, seat, cost)
    if span[1] == span[2] and span[4] == span[5]:
        return n
    default, _ = cheapest(s, seat, cost)
    left = next_way(s, seat, cost, span, 0)
    while left >= 0:
        if left != default:
            out[n] = split_of(action_of(kind, card), left)
            n += 1
        left = next_way(s, seat, cost, span, left + 1)
    return n


@rule
def list_all_splits(s, seat, row, out, n):
    last = NONE
    for place in range(s.round, HAND):
        card = s.cards[s.age, row, place]
        if card != last and not is_chained(s, seat, card) and can_build(s, seat, card):
            n = list_splits(s, seat, BUILD, card, card, out, n)
        last = card
    if can_raise(s, seat):
        stage = next_stage(s, seat)
        last = NONE
        for place in range(s.round, HAND):
            card = s.cards[s.age, row, place]
            if card != last:
                n = list_splits(s, seat, WONDER, card, stage, out, n)
            last = card
    return n


@implements(kernel.legal, RECORD)
@rule
def legal(s, out):
    seat = s.turn
    if seat < 0:
        return 0
    row = hand_of(s, s.age, seat, s.round)
    payable, last = 0, NONE
    for place in range(s.round, HAND):
        card = s.cards[s.age, row, place]
        if card != last:
            payable |= can_build(s, seat, card) << place
        last = card
    return list_legal(s, payable, can_raise(s, seat), out)


@rule
def list_legal(s, payable, raises, out):
    """Write the legal actions, given the buildable places of the hand (bits) and whether a stage can be built."""
    seat = s.turn
    if s.phase == REVIVAL:
        return list_revivals(s, out)
    age, first = s.age, s.round
    row = hand_of(s, age, seat, first)
    n = 0
    last = NONE
    for place in range(first, HAND):
        card = s.cards[age, row, place]
        out[n] = action_of(BUILD, card)
        n += (
            (card != last) & (payable >> place) & 1
        )  # written always and counted only if legal: a branch would be unpredictable
        last = card
    if raises:
        n = list_hand(s, row, WONDER, out, n)
    n = list_hand(s, row, SELL, out, n)
    if s.free[seat]:
        last = NONE
        for place in range(first, HAND):
            card = s.cards[age, row, place]
            if card != last and not has(s, seat, NAME[card]):
                out[n] = action_of(FREE, card)
                n += 1
            last = card
    if s.trade == CHOOSE:
        n = list_all_splits(s, seat, row, out, n)
    return n


@rule
def list_hand(s, row, kind, out, n):
    """Append an action for every distinct card of a hand."""
    last = NONE
    for place in range(s.round, HAND):
        card = s.cards[s.age, row, place]
        if card != last:
            out[n] = action_of(kind, card)
            n += 1
        last = card
    return n


# --- Playing ------------------------------------------------------------------------------------


@rule
def time_now(s):
    return s.age * HAND + s.round


@implements(kernel.apply, RECORD)
@rule
def apply(s, action):
    seat = s.turn
    last = s.num_events
    s.num_events = 0
    log(s, CHOSE, seat, action, time_now(s))
    if s.phase == REVIVAL:
        revive(s, seat, card_of(action))
        end_turn(s)
    else:
        s.commit[seat] = action
        if s.phase == SEVENTH:
            resolve(s, seat, seat + 1)
            end_age(s)
        elif seat + 1 < s.players:
            s.turn = seat + 1
        else:
            resolve(s, 0, s.players)
            if not opens_pile(s):
                end_turn(s)
    wipe_events(s, last)


@rule
def price_of(s, seat, action):
    """Return the coins that an action pays: to the left, to the right, to the bank."""
    kind, card = kind_of(action), card_of(action)
    if kind > WONDER or (kind == BUILD and is_chained(s, seat, card)):
        return 0, 0, 0
    cost = card if kind == BUILD else next_stage(s, seat)
    if action >= SPLIT:
        left = left_in(action)
        return left, right_for(s, seat, bounds(s, seat, cost), left), COIN_COST[cost]
    left, right = cheapest(s, seat, cost)
    return left, right, COIN_COST[cost]


@rule
def resolve(s, first, end):
    """Reveal the choices of seats first .. end-1: payments, then builds, stages and sales, then coin effects."""
    for seat in range(first, end):
        pay(s, seat, s.commit[seat])
    for seat in range(first, end):
        place_card(s, seat, s.commit[seat])
    for seat in range(first, end):
        action = s.commit[seat]
        kind = kind_of(action)
        if kind == WONDER:
            earn(s, seat, last_stage(s, seat))
        elif kind != SELL:
            earn(s, seat, card_of(action))
        s.commit[seat] = NONE


@rule
def last_stage(s, seat):
    """Return the number of the last stage built."""
    return stage_of(s, seat, s.stages[seat] - 1)


@rule
def pay(s, seat, action):
    """Pay for a choice and log it.  Prices depend on the cities at the start of the turn, which are still unchanged."""
    left, right, bank = price_of(s, seat, action)
    s.coins[seat] -= left + right + bank
    s.coins[left_of(s, seat)] += left
    s.coins[right_of(s, seat)] += right
    kind, card = kind_of(action), card_of(action)
    paid = left | right << 4 | (action >= SPLIT) << 8
    if kind == SELL:
        log(s, SELLS, seat, card, 0)
    elif kind == WONDER:
        log(s, RAISES, seat, card, paid | s.stages[seat] << 9)
    else:
        how = FREED if kind == FREE else (CHAINED if is_chained(s, seat, card) else PAID)
        log(s, BUILDS, seat, card, paid | bank << 9 | how << 10)


@rule
def place_card(s, seat, action):
    """Move the card out of the hand to its destination."""
    kind, card = kind_of(action), card_of(action)
    row = hand_of(s, s.age, seat, s.round)
    if kind == SELL:
        take(s, row, card, SOLD)
        s.coins[seat] += SALE
    elif kind == WONDER:
        take(s, row, card, STAGE)
        s.stages[seat] += 1
        stage = last_stage(s, seat)
        gain(s, seat, stage)
        if POWER[stage] == FREE_BUILD:
            s.free[seat] = 1
    else:
        take(s, row, card, BUILT)
        build(s, seat, card)
        if kind == FREE:
            s.free[seat] = 0


@rule
def build(s, seat, card):
    """Add a structure to a city."""
    name = NAME[card]
    s.built[seat, name >> 6] |= np.int64(1) << np.int64(name & 63)
    s.colours[seat, COLOUR[card]] += 1
    gain(s, seat, card)


@rule
def gain(s, seat, number):
    """Apply the permanent effects of a card or stage: production, prices, shields, symbols."""
    s.shields[seat] += SHIELDS[number]
    if SYMBOL[number] >= 0:
        s.symbols[seat, SYMBOL[number]] += 1
    if POWER[number] == WILD_SYMBOL:
        s.symbols[seat, 3] += 1
    if MAKES_RAW[number, 15]:
        for kinds in range(16):
            s.raw[seat, kinds] += MAKES_RAW[number, kinds]
    s.any_raw[seat] += WILD_RAW[number]
    s.any_goods[seat] += WILD_GOODS[number]
    for i in range(3):
        s.goods[seat, i] += MAKES_GOODS[number, i]
        if TRADE[number, i]:
            s.price[seat, i] = 1


@rule
def earn(s, seat, number):
    """Add the immediate coins of a card or stage, counted in the cities as they are now."""
    coins = COINS[number]
    if PER_COINS[number]:
        coins += PER_COINS[number] * count_for(s, seat, number)
    if coins:
        s.coins[seat] += coins
        log(s, INCOME, seat, coins, 0)


# --- The discard pile ---------------------------------------------------------------------------


@rule
def opens_pile(s):
    """Update Halikarnassos' look into the pile if its stage of this turn allows it; return whether it must revive."""
    for seat in range(s.players):
        row = hand_of(s, s.age, seat, s.round)
        if s.fate[s.age, row, s.round] == STAGE and POWER[last_stage(s, seat)] == REVIVE_POWER:
            stage = s.stages[seat] - 1
            s.look_time[stage] = time_now(s)
            look(s, stage)
            for card in range(NUM_CARDS):
                if NAME[card] == card and can_revive(s, seat, card):
                    s.phase = REVIVAL
                    s.turn = seat
                    return True
            log(s, NO_REVIVAL, seat, stage, 0)
    return False


@rule
def look_of(s, age, place):
    """Return the look at which a card discarded at that time was first seen, or NONE."""
    for stage in range(3):
        if s.look_time[stage] != NONE and age * HAND + place <= s.look_time[stage]:
            return stage
    return NONE


@rule
def is_discarded(s, age, row, place):
    return s.fate[age, row, place] >= SOLD


@rule
def look(s, stage):
    """Store the cards that entered the pile since the last look."""
    for age in range(s.age + 1):
        for row in range(s.players):
            for place in range(HAND):
                if is_discarded(s, age, row, place) and look_of(s, age, place) == stage:
                    s.looks[s.cards[age, row, place]] += 1 << (2 * stage)


@rule
def revive(s, seat, card):
    s.revived[s.stages[seat] - 1] = card
    log(s, BUILDS, seat, card, REVIVED << 10)
    build(s, seat, card)
    earn(s, seat, card)


# --- The end of turns and ages ------------------------------------------------------------------


@rule
def end_turn(s):
    """Pass the hands; after the sixth turn Babylon may play its last card, and then the age ends."""
    s.round += 1
    s.phase = PLAY
    s.turn = 0
    if s.round < TURNS:
        return
    for seat in range(s.players):
        if has_power(s, seat, SEVENTH_CARD):
            s.phase = SEVENTH
            s.turn = seat
            return
    end_age(s)


@rule
def end_age(s):
    """Discard the remaining cards, resolve the conflicts, and open the next age or end the game."""
    for seat in range(s.players):
        row = hand_of(s, s.age, seat, TURNS)
        if s.fate[s.age, row, TURNS] == HELD:
            s.fate[s.age, row, TURNS] = LEFT_OVER
            log(s, DISCARDS, seat, s.cards[s.age, row, TURNS], 0)
    for seat in range(s.players):
        left = conflict(s, seat, left_of(s, seat))
        right = conflict(s, seat, right_of(s, seat))
        log(s, WAR, seat, left, right)
    if s.age + 1 < NUM_AGES:
        open_age(s, s.age + 1)
    else:
        s.round = HAND
        s.phase = PLAY
        s.turn = NONE


@rule
def conflict(s, seat, neighbour):
    """Take the token of one conflict and return its points."""
    if s.shields[seat] > s.shields[neighbour]:
        s.victories[seat] += VICTORY[s.age]
        return VICTORY[s.age]
    if s.shields[seat] < s.shields[neighbour]:
        s.defeats[seat] += 1
        return -1
    return 0


# --- Results ------------------------------------------------------------------------------------


@implements(kernel.over, RECORD)
@rule
def over(s):
    return s.turn < 0


@implements(kernel.scores, RECORD)
@rule
def scores(s, out):
    for seat in range(s.players):
        out[seat] = points(s, seat)[TOTAL]


@rule
def standing(s, seat):
    """Return a number that ranks the seats: by points, then by coins."""
    return points(s, seat)[TOTAL] << 16 | s.coins[seat]


@rule
def is_winner(s, seat):
    """Return whether no seat is ahead of this one."""
    mine = standing(s, seat)
    for other in range(s.players):
        if standing(s, other) > mine:
            return False
    return True


@implements(kernel.payoff, RECORD)
@rule
def payoff(s, out):
    """Write each seat's share of the victory, minus the average share."""
    for seat in range(s.players):
        out[seat] = standing(s, seat)
    best, winners = out[0], 0
    for seat in range(s.players):
        if out[seat] > best:
            best, winners = out[seat], 0
        winners += out[seat] == best
    for seat in range(s.players):
        out[seat] = (out[seat] == best) / winners - 1 / s.players
