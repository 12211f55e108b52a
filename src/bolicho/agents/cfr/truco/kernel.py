"""Abstraction of Truco: cards by strength, points in steps, and the relevant part of past events."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bolicho.agents.cfr.kernel import choices, key
from bolicho.agents.compiled.truco import COVERED, may_leave
from bolicho.games.compiled.chance import mix
from bolicho.games.jit import rule
from bolicho.games.kernel import implements
from bolicho.games.truco import kernel as k
from bolicho.games.truco.compiled.hand import ascending
from bolicho.games.truco.compiled.lexicon import player_of, weakest_first

NOT_SEEN, NO_CARD = 15, 0  # steps of a card played face down, and of no card


class Steps(NamedTuple):
    """Abstraction: the steps of cards by strength, of envido points, of flor points, and of past cards."""

    recalls: bool
    cards: NDArray[np.int8]  # from 1, by card + 2: UNSEEN and NONE are cards too
    envido: NDArray[np.int8]  # by points
    flor: NDArray[np.int8]
    gone: NDArray[np.int8]  # remembered step of a card of the other seat, once its round is over


@rule
def step(steps, card):
    return np.int64(steps.cards[card + 2])


@rule
def hand_steps(steps, s, seat):
    """Return the cards in hand as one number that ignores their order."""
    a, b, c = ascending(step(steps, s.hands[seat, 0]), step(steps, s.hands[seat, 1]), step(steps, s.hands[seat, 2]))
    return (a << 8) | (b << 4) | c


@rule
def envido_story(steps, s, seat):
    """Return the seat's envido step and the calls while it may bet; afterwards the result and the points shown."""
    if s.pending == k.ENVIDO_BET or k.may_open_envido(s, seat):
        calls = np.int64(0)
        for kind in range(3):
            calls = calls * 3 + player_of(seat, s.envido_by[kind])
        return 64 + 64 * np.int64(steps.envido[k.envido_of(s, seat)]) + calls * 2 + (s.envido_again != k.NONE)
    story = np.int64(player_of(seat, s.envido_winner))
    if s.envido_shown != k.NONE and story == 2:
        story = 3 + np.int64(steps.envido[s.envido_shown])
    return story


@rule
def flor_story(steps, s, seat):
    """Return the seats that have called flor; while it is bet on, also the seat's own points and the calls."""
    other = 1 - seat
    story = np.int64(s.has_flor[seat] == 1) + 2 * np.int64(s.has_flor[other] == 1)
    if s.pending != k.FLOR_BET:
        return story
    called = player_of(seat, s.flor_by[0]) * 3 + player_of(seat, s.flor_by[1])
    return story + 4 * (1 + called + 9 * np.int64(steps.flor[k.flor_of(s, seat)]))


@implements(key, Steps)
@rule
def key_of(steps, s, seat, past):
    other = 1 - seat
    r = np.int64(s.round)
    cards = hand_steps(steps, s, seat)
    cards = (cards << 4) | step(steps, s.played[seat, r])
    cards = (cards << 4) | step(steps, s.played[other, r])
    for i in range(r):
        cards = (cards << 2) | player_of(seat, s.winners[i] if s.winners[i] < 2 else k.NONE)
        cards = (cards << 4) | np.int64(steps.gone[step(steps, s.played[other, i])])
    state = (r << 1) | np.int64(s.mao == seat)
    state = (state << 2) | np.int64(s.pending)
    state = (state << 2) | np.int64(s.level)
    state = (state << 2) | np.int64(s.called)
    state = (state << 2) | player_of(seat, s.raiser)
    bets = envido_story(steps, s, seat) * 1024 + flor_story(steps, s, seat)
    return mix(mix(mix(cards) ^ np.uint64(state)) ^ np.uint64(bets))


@rule
def cards_by_strength(s, seat, out, labels):
    """Write the cards in hand, weakest first; return their number. Of two, the stronger is labelled MIDDLE."""
    n, cards = 3 - np.int64(s.round), weakest_first(s.hands[seat])
    for i in range(n):
        out[i], labels[i] = cards[i], i
    return n


@rule
def call(out, labels, n, action):
    out[n] = action
    labels[n] = action
    return n + 1


@implements(choices, Steps)
@rule
def choices_of(steps, s, seat, out, labels):
    """Write the choices: `legal` with cards by strength, only the weakest face down, and the deck where `may_leave`."""
    if s.pending != k.NOTHING:
        n = k.legal(s, out)
        for i in range(n):
            labels[i] = out[i]
        return n
    n = cards_by_strength(s, seat, out, labels)
    if s.round > 0 and s.face_down and n > 1:
        out[n] = k.FACE_DOWN + out[0]
        labels[n] = COVERED
        n += 1
    if k.may_raise(s, seat):
        n = call(out, labels, n, k.TRUCO + s.called)
    if k.may_open_envido(s, seat):
        for kind in range(3):
            if k.may_call_envido(s, kind):
                n = call(out, labels, n, k.ENVIDO + kind)
    if may_leave(s, seat):
        n = call(out, labels, n, k.BARALHO)
    return n
