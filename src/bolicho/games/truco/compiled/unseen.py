"""Hidden information in Truco: `hide`, and `redeal`, which samples states consistent with a view; compiled."""

import numpy as np

from bolicho.games import kernel
from bolicho.games.compiled.chance import below, stream
from bolicho.games.jit import rule
from bolicho.games.kernel import implements
from bolicho.games.truco.kernel import DEALT, FACE_DOWN, NONE, RECORD, UNSEEN, envido_value, flor_value, is_flor, sort3

ONE = np.int64(1)
DECK = (ONE << np.int64(40)) - ONE
"""All cards as a set of bits."""
REJECTIONS = 40  # draws before all completions are listed


@implements(kernel.hide, RECORD)
@rule
def hide(s, seat):
    """Keep the seat's own cards, face-up cards, and all calls.

    A deal event tells the seat its cards (`dealt_cards`), so that a reader of its log knows them afterwards.
    """
    s.seed = 0
    other = 1 - seat
    for i in range(3):
        s.dealt[other, i] = NONE
        s.hands[other, i] = NONE
        card = s.played[other, i]
        if card >= FACE_DOWN:
            s.played[other, i] = UNSEEN
        elif card >= 0:
            s.dealt[other, i] = card
    sort3(s.dealt, other)
    for i in range(s.num_events):
        if s.events[i, 0] == DEALT:
            s.events[i, 3] = hand_code(s.dealt[seat, 0], s.dealt[seat, 1], s.dealt[seat, 2])


@rule
def hand_code(a, b, c):
    """Return the number, from 1 on, of three cards in ascending order."""
    return 1 + a + b * (b - 1) // 2 + c * (c - 1) * (c - 2) // 6


@rule
def dealt_cards(code):
    """Return the cards in the last number of a seat's DEALT event; NONE if it contains no cards (0)."""
    if code == 0:
        return NONE, NONE, NONE
    a, b, c = code - 1, 1, 2
    while c * (c * c - 1) // 6 <= a:
        c += 1
    a -= c * (c - 1) * (c - 2) // 6
    while b * (b + 1) // 2 <= a:
        b += 1
    return a - b * (b - 1) // 2, b, c


@rule
def is_consistent(s, seat):
    """Return whether the other seat's full cards agree with all public information."""
    other = 1 - seat
    a, b, c = s.dealt[other, 0], s.dealt[other, 1], s.dealt[other, 2]
    if s.flor and s.has_flor[other] != NONE and is_flor(a, b, c) != (s.has_flor[other] == 1):
        return False
    return fits_shown(s, other, a, b, c)


@rule
def fits_shown(s, other, a, b, c):
    """Return whether the other seat may hold three cards, given the shown points of envido and flor."""
    if s.envido_shown != NONE and not agrees(s, other, envido_value(a, b, c), s.envido_winner, s.envido_shown):
        return False
    return s.flor_shown == NONE or agrees(s, other, flor_value(a, b, c), s.flor_winner, s.flor_shown)


@rule
def agrees(s, other, points, winner, shown):
    """Return whether the other seat's points agree with a shown bet; the mão wins ties."""
    if winner == other:
        return points == shown
    return points < shown or (points == shown and other != s.mao)


@rule
def is_unseen(s, card):
    """Return whether a card is not among the known cards of either seat; after `hide`, whether it is unseen."""
    seen = False
    for i in range(3):
        seen |= s.dealt[0, i] == card or s.dealt[1, i] == card
    return not seen


@rule
def unseen_bits(s):
    """Return the cards for which `is_unseen` holds as a set of bits."""
    return DECK & ~(card_bits(s, 0) | card_bits(s, 1))


@implements(kernel.redeal, RECORD)
@rule
def redeal(s, seat, seed):
    """Complete the other hand: by rejection, then by listing every completion if few are consistent."""
    other = 1 - seat
    mine, known = card_bits(s, seat), card_bits(s, other)
    drawn = draw_completion(s, seat, mine, known, seed) & ~known
    for r in range(3):
        if s.played[other, r] == UNSEEN:
            card = random_bit(drawn, stream(seed, r))
            drawn &= ~(ONE << card)
            s.played[other, r] = FACE_DOWN + card
    i = 0
    for card in range(40):
        if (drawn >> card) & 1:
            s.hands[other, i] = card
            i += 1
    s.seed = stream(seed, 3)


@rule
def card_bits(s, seat):
    """Return the known cards of a seat as a set of bits."""
    bits = np.int64(0)
    for i in range(3):
        if s.dealt[seat, i] != NONE:
            bits |= ONE << np.int64(s.dealt[seat, i])
    return bits


@rule
def set_dealt(s, seat, bits):
    """Write a set of three cards as those dealt to a seat."""
    i = 0
    for card in range(40):
        if (bits >> card) & 1:
            s.dealt[seat, i] = card
            i += 1


@rule
def random_bit(bits, seed):
    """Return one of the set bits, uniformly."""
    draw = 0
    card = below(seed, draw, 40)
    while not (bits >> card) & 1:
        draw += 1
        card = below(seed, draw, 40)
    return card


@rule
def draw_completion(s, seat, mine, known, seed):
    """Write the other seat's three cards, uniform among the consistent ones; return their bits."""
    other = 1 - seat
    need = 0
    for i in range(3):
        if s.dealt[other, i] == NONE:
            need += 1
    for attempt in range(REJECTIONS):
        bits = known
        for i in range(need):
            card = random_bit(~(mine | bits), stream(seed, 4 + 3 * attempt + i))
            bits |= ONE << card
        set_dealt(s, other, bits)
        if is_consistent(s, seat):
            return bits
    chosen, seen = np.int64(0), 0
    for a in range(40):
        for b in range(a + 1, 40):
            for c in range(b + 1, 40):
                bits = (ONE << a) | (ONE << b) | (ONE << c)
                if bits & mine or bits & known != known:
                    continue
                set_dealt(s, other, bits)
                if is_consistent(s, seat):
                    seen += 1
                    if below(seed, 1000 + seen, seen) == 0:
                        chosen = bits
    set_dealt(s, other, chosen)
    return chosen
