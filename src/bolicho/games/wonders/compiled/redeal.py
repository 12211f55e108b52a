"""Redeals of 7 Wonders: samples of states that are consistent with a seat's view; compiled."""

import numpy as np

from bolicho.games import kernel
from bolicho.games.compiled.chance import below, stream
from bolicho.games.jit import rule
from bolicho.games.kernel import CHOSE, implements
from bolicho.games.wonders import layout as st
from bolicho.games.wonders.actions import action_of, split_of
from bolicho.games.wonders.cards import AGE, COPIES, FIRST_GUILD, NAME, NUM_CARDS, NUM_GUILDS
from bolicho.games.wonders.compiled import payment
from bolicho.games.wonders.compiled.deal import deal_age, hand_of, sort_hand
from bolicho.games.wonders.compiled.knowledge import POOL, group_of, halikarnassos
from bolicho.games.wonders.compiled.pile import REJECTIONS, agrees_with_looks, label_discards, shuffle_by_label
from bolicho.games.wonders.kernel import CHOOSE, remember_pile
from bolicho.games.wonders.rules import HAND, NUM_AGES, TURNS


@implements(kernel.redeal, st.RECORD)
@rule
def redeal(s, seat, seed):
    """Draw all hidden places and choices until they agree with everything seen.

    The result is uniform over deals, with the copies of a card distinguished, and over the choices not yet revealed.
    """
    for other in range(s.turn if s.phase == st.PLAY else 0):
        if other != seat:
            s.commit[other] = most_ways(s, other)
    for attempt in range(REJECTIONS):
        draw = stream(seed, attempt)
        for age in range(s.age + 1):
            redeal_age(s, seat, age, stream(draw, age))
        if agrees_with_looks(s, seat) and choices_fit(s, seat, stream(draw, NUM_AGES)):
            break
    write_choices(s, seat, stream(stream(seed, attempt), NUM_AGES))
    if halikarnassos(s) != seat:
        for stage in range(3):
            if s.look_time[stage] != st.NONE:
                remember_pile(s, stage)
    for age in range(s.age + 1, NUM_AGES):
        deal_age(s, age, stream(seed, REJECTIONS + age))
    s.seed = stream(seed, REJECTIONS)
    restore_events(s)


@rule
def redeal_age(s, seat, age, seed):
    """Draw the hidden places of one age."""
    fill_pool(s, seat, age, seed)
    looked = halikarnassos(s) == seat and s.look_time[0] + s.look_time[1] + s.look_time[2] > 3 * st.NONE
    if looked:
        label_discards(s, seat, age, stream(seed, 1))
        shuffle_by_label(s, seat, age, stream(seed, 2))
    else:
        for row in range(s.players):
            shuffle_row(s, seat, age, row, stream(seed, 2))
    if age == s.age:
        for row in range(s.players):
            first = 0
            while first < HAND and s.fate[age, row, first] != st.HELD:
                first += 1
            sort_hand(s, age, row, first)


@rule
def random_bit(bits, count, seed, index):
    """Return one of the `count` set bits, uniformly."""
    for _ in range(below(seed, index, count)):
        bits &= bits - 1
    place = 0
    while not (bits >> place) & 1:
        place += 1
    return place


@rule
def fill_pool(s, seat, age, seed):
    """Put the remaining cards of the deck into the places of the pool, at random."""
    pool, count = np.int64(0), 0
    seen = seen_more = seen_most = np.int64(0)  # copies of each card in other places, two bits a card
    for row in range(s.players):
        for place in range(HAND):
            if group_of(s, seat, age, row, place) == POOL:
                pool |= np.int64(1) << np.int64(row * HAND + place)
                count += 1
            else:
                card = s.cards[age, row, place]
                one = np.int64(1) << np.int64(card % 26 * 2)
                if card < 26:
                    seen += one
                elif card < 52:
                    seen_more += one
                else:
                    seen_most += one
    draw = 0
    guilds, unseen = s.players + 2, NUM_GUILDS  # guilds still missing from the deck, and candidates for them
    for card in range(NUM_CARDS):
        if AGE[card] != age:
            continue
        word = seen if card < 26 else (seen_more if card < 52 else seen_most)
        here = (word >> np.int64(card % 26 * 2)) & 3
        missing = COPIES[s.players, card] - here
        if card >= FIRST_GUILD:
            missing = 0
            if here:
                guilds -= 1
                unseen -= 1
            elif s.looks[card]:
                missing = 1
                guilds -= 1
                unseen -= 1
        for _ in range(missing):
            place = random_bit(pool, count, seed, draw)
            draw += 1
            pool &= ~(np.int64(1) << np.int64(place))
            count -= 1
            s.cards[age, place // HAND, place % HAND] = card
    if age < NUM_AGES - 1:
        return
    for guild in range(FIRST_GUILD, NUM_CARDS):
        if count == 0:
            return
        if (seen_most >> np.int64(guild % 26 * 2)) & 3 or s.looks[guild]:
            continue
        if below(seed, 200 + guild, unseen) < guilds:
            place = random_bit(pool, count, seed, draw)
            draw += 1
            pool &= ~(np.int64(1) << np.int64(place))
            count -= 1
            s.cards[age, place // HAND, place % HAND] = guild
            guilds -= 1
        unseen -= 1


@rule
def shuffle_row(s, seat, age, row, seed):
    """Shuffle each group of a row."""
    for i in range(HAND):
        group = group_of(s, seat, age, row, i)
        if group <= POOL:
            continue
        others = np.int64(0)
        count = 0
        for j in range(i, HAND):
            if group_of(s, seat, age, row, j) == group:
                others |= np.int64(1) << np.int64(j)
                count += 1
        j = random_bit(others, count, seed, row * HAND + i)
        card = s.cards[age, row, i]
        s.cards[age, row, i] = s.cards[age, row, j]
        s.cards[age, row, j] = card


# --- Choices not yet revealed -------------------------------------------------------------------


@rule
def number_of_ways(s, seat, cost):
    """Return the number of ways to pay a payable cost."""
    if s.trade != CHOOSE:
        return 1
    span = payment.bounds(s, seat, cost)
    n = 0
    left = payment.next_way(s, seat, cost, span, 0)
    while left >= 0:
        n += 1
        left = payment.next_way(s, seat, cost, span, left + 1)
    return n


@rule
def way(s, seat, kind, card, cost, index):
    """Return the action with the index-th way of paying."""
    base = action_of(kind, card)
    if s.trade != CHOOSE:
        return base
    default, _ = payment.cheapest(s, seat, cost)
    span = payment.bounds(s, seat, cost)
    left = payment.next_way(s, seat, cost, span, 0)
    for _ in range(index):
        left = payment.next_way(s, seat, cost, span, left + 1)
    return base if left == default else split_of(base, left)


@rule
def action_at(s, seat, card, index):
    """Return the index-th action of a seat with a card, or NONE."""
    if index == 0:
        return action_of(st.SELL, card)
    index -= 1
    if payment.can_raise(s, seat):
        stage = payment.next_stage(s, seat)
        ways = number_of_ways(s, seat, stage)
        if index < ways:
            return way(s, seat, st.WONDER, card, stage, index)
        index -= ways
    if payment.has(s, seat, NAME[card]):
        return st.NONE
    if s.free[seat]:
        if index == 0:
            return action_of(st.FREE, card)
        index -= 1
    if payment.is_chained(s, seat, card):
        return action_of(st.BUILD, card) if index == 0 else st.NONE
    if payment.can_pay(s, seat, card) and index < number_of_ways(s, seat, card):
        return way(s, seat, st.BUILD, card, card, index)
    return st.NONE


@rule
def most_ways(s, seat):
    """Return the maximum number of actions of a seat with any one card of this age."""
    most = 1
    for card in range(NUM_CARDS):
        if AGE[card] == s.age:
            while action_at(s, seat, card, most) != st.NONE:
                most += 1
    return most


@rule
def drawn_choice(s, seat, most, seed):
    """Return an action of a seat, each with equal probability, or NONE with the remaining probability."""
    row = hand_of(s, s.age, seat, s.round)
    place = s.round + below(seed, 2 * seat, HAND - s.round)
    card = s.cards[s.age, row, place]
    if place > s.round and s.cards[s.age, row, place - 1] == card:
        return st.NONE
    return action_at(s, seat, card, below(seed, 2 * seat + 1, most))


@rule
def choices_fit(s, seat, seed):
    """Return whether the draw gives an action for every seat that has chosen; `commit` holds their maximum numbers.

    Rejecting the deal otherwise makes the pairs (deal, actions) uniform.
    """
    for other in range(s.turn if s.phase == st.PLAY else 0):
        if other != seat and drawn_choice(s, other, s.commit[other], seed) == st.NONE:
            return False
    return True


@rule
def write_choices(s, seat, seed):
    """Write the choices that `choices_fit` found."""
    for other in range(s.turn if s.phase == st.PLAY else 0):
        if other != seat:
            s.commit[other] = drawn_choice(s, other, s.commit[other], seed)


@rule
def restore_events(s):
    """Fill in the hidden parts of the last events, from the sampled state."""
    age, turn = s.events[0, 3] // HAND, s.events[0, 3] % HAND
    for i in range(1, s.num_events):
        kind, seat = s.events[i, 0], s.events[i, 1]
        if kind == st.RAISES or kind == st.SELLS:
            s.events[i, 2] = s.cards[age, hand_of(s, age, seat, turn), turn]
        elif kind == st.DISCARDS:
            s.events[i, 2] = s.cards[age, hand_of(s, age, seat, TURNS), TURNS]
    if s.events[0, 0] == CHOSE and s.events[0, 2] == st.NONE:
        s.events[0, 2] = chosen(s, s.events[0, 1])


@rule
def chosen(s, seat):
    """Return the last choice of a seat: unrevealed from `commit`, or revealed from its events."""
    if s.num_events == 1:
        return s.commit[seat]
    for i in range(1, s.num_events):
        if s.events[i, 1] == seat:
            action = revealed_action(s.events[i, 0], s.events[i, 2], s.events[i, 3])
            if action != st.NONE:
                return action
    return st.NONE


@rule
def revealed_action(kind, card, paid):
    """Return the action that an event with a card reveals; NONE for events that are not choices."""
    if kind == st.SELLS:
        return action_of(st.SELL, card)
    if kind == st.BUILDS and paid >> 10 == st.FREED:
        return action_of(st.FREE, card)
    if kind == st.BUILDS and paid >> 10 == st.REVIVED:
        return action_of(st.REVIVE, card)
    if kind == st.BUILDS or kind == st.RAISES:
        base = action_of(st.BUILD if kind == st.BUILDS else st.WONDER, card)
        return split_of(base, paid & 15) if (paid >> 8) & 1 else base
    return st.NONE
