"""Rules of 7 Wonders: legal actions and their effects.  See layout.py for the record."""

import numpy as np

from bolicho.games import kernel
from bolicho.games.compiled.events import log, wipe_events
from bolicho.games.jit import rule
from bolicho.games.kernel import CHOSE, implements
from bolicho.games.wonders import cards
from bolicho.games.wonders import layout as st
from bolicho.games.wonders.actions import action_of, card_of, kind_of, left_in, split_of
from bolicho.games.wonders.compiled import payment
from bolicho.games.wonders.compiled.deal import hand_of, has_power, open_age, take
from bolicho.games.wonders.compiled.scoring import TOTAL, count_for, points
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
    if payment.has(s, seat, name):
        return False
    for card in range(cards.NUM_CARDS):
        if cards.NAME[card] == name and looked_at(s, card):
            return True
    return False


@rule
def list_revivals(s, out):
    n = 0
    for card in range(cards.NUM_CARDS):
        if cards.NAME[card] == card and can_revive(s, s.turn, card):
            out[n] = action_of(st.REVIVE, card)
            n += 1
    return n


@rule
def list_splits(s, seat, kind, card, cost, out, n):
    """Append the ways to pay that are not the cheapest."""
    span = payment.bounds(s, seat, cost)
    if span[1] == span[2] and span[4] == span[5]:
        return n
    default, _ = payment.cheapest(s, seat, cost)
    left = payment.next_way(s, seat, cost, span, 0)
    while left >= 0:
        if left != default:
            out[n] = split_of(action_of(kind, card), left)
            n += 1
        left = payment.next_way(s, seat, cost, span, left + 1)
    return n


@rule
def list_all_splits(s, seat, row, out, n):
    last = st.NONE
    for place in range(s.round, HAND):
        card = s.cards[s.age, row, place]
        if card != last and not payment.is_chained(s, seat, card) and payment.can_build(s, seat, card):
            n = list_splits(s, seat, st.BUILD, card, card, out, n)
        last = card
    if payment.can_raise(s, seat):
        stage = payment.next_stage(s, seat)
        last = st.NONE
        for place in range(s.round, HAND):
            card = s.cards[s.age, row, place]
            if card != last:
                n = list_splits(s, seat, st.WONDER, card, stage, out, n)
            last = card
    return n


@implements(kernel.legal, st.RECORD)
@rule
def legal(s, out):
    seat = s.turn
    if seat < 0:
        return 0
    row = hand_of(s, s.age, seat, s.round)
    payable, last = 0, st.NONE
    for place in range(s.round, HAND):
        card = s.cards[s.age, row, place]
        if card != last:
            payable |= payment.can_build(s, seat, card) << place
        last = card
    return list_legal(s, payable, payment.can_raise(s, seat), out)


@rule
def list_legal(s, payable, raises, out):
    """Write the legal actions, given the buildable places of the hand (bits) and whether a stage can be built."""
    seat = s.turn
    if s.phase == st.REVIVAL:
        return list_revivals(s, out)
    age, first = s.age, s.round
    row = hand_of(s, age, seat, first)
    n = 0
    last = st.NONE
    for place in range(first, HAND):
        card = s.cards[age, row, place]
        out[n] = action_of(st.BUILD, card)
        n += (
            (card != last) & (payable >> place) & 1
        )  # written always and counted only if legal: a branch would be unpredictable
        last = card
    if raises:
        n = list_hand(s, row, st.WONDER, out, n)
    n = list_hand(s, row, st.SELL, out, n)
    if s.free[seat]:
        last = st.NONE
        for place in range(first, HAND):
            card = s.cards[age, row, place]
            if card != last and not payment.has(s, seat, cards.NAME[card]):
                out[n] = action_of(st.FREE, card)
                n += 1
            last = card
    if s.trade == CHOOSE:
        n = list_all_splits(s, seat, row, out, n)
    return n


@rule
def list_hand(s, row, kind, out, n):
    """Append an action for every distinct card of a hand."""
    last = st.NONE
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


@implements(kernel.apply, st.RECORD)
@rule
def apply(s, action):
    seat = s.turn
    last = s.num_events
    s.num_events = 0
    log(s, CHOSE, seat, action, time_now(s))
    if s.phase == st.REVIVAL:
        revive(s, seat, card_of(action))
        end_turn(s)
    else:
        s.commit[seat] = action
        if s.phase == st.SEVENTH:
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
    if kind > st.WONDER or (kind == st.BUILD and payment.is_chained(s, seat, card)):
        return 0, 0, 0
    cost = card if kind == st.BUILD else payment.next_stage(s, seat)
    if action >= st.SPLIT:
        left = left_in(action)
        return left, payment.right_for(s, seat, payment.bounds(s, seat, cost), left), cards.COIN_COST[cost]
    left, right = payment.cheapest(s, seat, cost)
    return left, right, cards.COIN_COST[cost]


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
        if kind == st.WONDER:
            earn(s, seat, last_stage(s, seat))
        elif kind != st.SELL:
            earn(s, seat, card_of(action))
        s.commit[seat] = st.NONE


@rule
def last_stage(s, seat):
    """Return the number of the last stage built."""
    return payment.stage_of(s, seat, s.stages[seat] - 1)


@rule
def pay(s, seat, action):
    """Pay for a choice and log it.  Prices depend on the cities at the start of the turn, which are still unchanged."""
    left, right, bank = price_of(s, seat, action)
    s.coins[seat] -= left + right + bank
    s.coins[payment.left_of(s, seat)] += left
    s.coins[payment.right_of(s, seat)] += right
    kind, card = kind_of(action), card_of(action)
    paid = left | right << 4 | (action >= st.SPLIT) << 8
    if kind == st.SELL:
        log(s, st.SELLS, seat, card, 0)
    elif kind == st.WONDER:
        log(s, st.RAISES, seat, card, paid | s.stages[seat] << 9)
    else:
        how = st.FREED if kind == st.FREE else (st.CHAINED if payment.is_chained(s, seat, card) else st.PAID)
        log(s, st.BUILDS, seat, card, paid | bank << 9 | how << 10)


@rule
def place_card(s, seat, action):
    """Move the card out of the hand to its destination."""
    kind, card = kind_of(action), card_of(action)
    row = hand_of(s, s.age, seat, s.round)
    if kind == st.SELL:
        take(s, row, card, st.SOLD)
        s.coins[seat] += SALE
    elif kind == st.WONDER:
        take(s, row, card, st.STAGE)
        s.stages[seat] += 1
        stage = last_stage(s, seat)
        gain(s, seat, stage)
        if cards.POWER[stage] == cards.FREE_BUILD:
            s.free[seat] = 1
    else:
        take(s, row, card, st.BUILT)
        build(s, seat, card)
        if kind == st.FREE:
            s.free[seat] = 0


@rule
def build(s, seat, card):
    """Add a structure to a city."""
    name = cards.NAME[card]
    s.built[seat, name >> 6] |= np.int64(1) << np.int64(name & 63)
    s.colours[seat, cards.COLOUR[card]] += 1
    gain(s, seat, card)


@rule
def gain(s, seat, number):
    """Apply the permanent effects of a card or stage: production, prices, shields, symbols."""
    s.shields[seat] += cards.SHIELDS[number]
    if cards.SYMBOL[number] >= 0:
        s.symbols[seat, cards.SYMBOL[number]] += 1
    if cards.POWER[number] == cards.WILD_SYMBOL:
        s.symbols[seat, 3] += 1
    if cards.MAKES_RAW[number, 15]:
        for kinds in range(16):
            s.raw[seat, kinds] += cards.MAKES_RAW[number, kinds]
    s.any_raw[seat] += cards.WILD_RAW[number]
    s.any_goods[seat] += cards.WILD_GOODS[number]
    for i in range(3):
        s.goods[seat, i] += cards.MAKES_GOODS[number, i]
        if cards.TRADE[number, i]:
            s.price[seat, i] = 1


@rule
def earn(s, seat, number):
    """Add the immediate coins of a card or stage, counted in the cities as they are now."""
    coins = cards.COINS[number]
    if cards.PER_COINS[number]:
        coins += cards.PER_COINS[number] * count_for(s, seat, number)
    if coins:
        s.coins[seat] += coins
        log(s, st.INCOME, seat, coins, 0)


# --- The discard pile ---------------------------------------------------------------------------


@rule
def opens_pile(s):
    """Update Halikarnassos' look into the pile if its stage of this turn allows it; return whether it must revive."""
    for seat in range(s.players):
        row = hand_of(s, s.age, seat, s.round)
        if s.fate[s.age, row, s.round] == st.STAGE and cards.POWER[last_stage(s, seat)] == cards.REVIVE_POWER:
            stage = s.stages[seat] - 1
            s.look_time[stage] = time_now(s)
            remember_pile(s, stage)
            for card in range(cards.NUM_CARDS):
                if cards.NAME[card] == card and can_revive(s, seat, card):
                    s.phase = st.REVIVAL
                    s.turn = seat
                    return True
            log(s, st.NO_REVIVAL, seat, stage, 0)
    return False


@rule
def look_of(s, age, place):
    """Return the look at which a card discarded at that time was first seen, or NONE."""
    for stage in range(3):
        if s.look_time[stage] != st.NONE and age * HAND + place <= s.look_time[stage]:
            return stage
    return st.NONE


@rule
def is_discarded(s, age, row, place):
    return s.fate[age, row, place] >= st.SOLD


@rule
def remember_pile(s, stage):
    """Store the cards that entered the pile since the last look."""
    for age in range(s.age + 1):
        for row in range(s.players):
            for place in range(HAND):
                if is_discarded(s, age, row, place) and look_of(s, age, place) == stage:
                    s.looks[s.cards[age, row, place]] += 1 << (2 * stage)


@rule
def revive(s, seat, card):
    s.revived[s.stages[seat] - 1] = card
    log(s, st.BUILDS, seat, card, st.REVIVED << 10)
    build(s, seat, card)
    earn(s, seat, card)


# --- The end of turns and ages ------------------------------------------------------------------


@rule
def end_turn(s):
    """Pass the hands; after the sixth turn Babylon may play its last card, and then the age ends."""
    s.round += 1
    s.phase = st.PLAY
    s.turn = 0
    if s.round < TURNS:
        return
    for seat in range(s.players):
        if has_power(s, seat, cards.SEVENTH_CARD):
            s.phase = st.SEVENTH
            s.turn = seat
            return
    end_age(s)


@rule
def end_age(s):
    """Discard the remaining cards, resolve the conflicts, and open the next age or end the game."""
    for seat in range(s.players):
        row = hand_of(s, s.age, seat, TURNS)
        if s.fate[s.age, row, TURNS] == st.HELD:
            s.fate[s.age, row, TURNS] = st.LEFT_OVER
            log(s, st.DISCARDS, seat, s.cards[s.age, row, TURNS], 0)
    for seat in range(s.players):
        left = conflict(s, seat, payment.left_of(s, seat))
        right = conflict(s, seat, payment.right_of(s, seat))
        log(s, st.WAR, seat, left, right)
    if s.age + 1 < NUM_AGES:
        open_age(s, s.age + 1)
    else:
        s.round = HAND
        s.phase = st.PLAY
        s.turn = st.NONE


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


@implements(kernel.over, st.RECORD)
@rule
def over(s):
    return s.turn < 0


@implements(kernel.scores, st.RECORD)
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


@implements(kernel.payoff, st.RECORD)
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
