"""Whole matches in compiled code: self-play that learns, and duels with the scripted players."""

import numpy as np

from bolicho.agents.markov.compiled.decide import decide
from bolicho.agents.markov.compiled.hand import note, open_hand
from bolicho.agents.markov.compiled.minima import adapt_minima
from bolicho.agents.markov.compiled.seat import close_hand, sit_down
from bolicho.agents.markov.layout import LUCK
from bolicho.agents.rules.truco.kernel import decide as decide_scripted
from bolicho.games import kernel
from bolicho.games.chance import below, stream
from bolicho.games.jit import njit
from bolicho.games.truco import kernel as k

SCALE = 2.0**-32


@njit
def draw(seed, turn, luck):
    """Fill `luck` with the uniform numbers of one turn."""
    own = stream(seed, turn)
    for i in range(luck.shape[0]):
        luck[i] = below(own, i, 1 << 32) * SCALE


NO_SEAT = -1


@njit
def play_match(pool, view, hands, minds, who, style, scripted, seeds, learn, told):
    """Play the match dealt in `pool` to its end; return the seat that won.

    Seat i is `minds[who[i]]`, but seat `scripted` is the scripted player of that style.  Each seat
    decides from its own hidden copy, and learns (`learn[i]`) from what it saw; `told` also gives it
    the points of the opponent's envido or flor, as the author's scripts are told them.
    """
    s = pool[0]
    luck = np.empty(LUCK)
    cards = np.empty((2, 3), np.int8)
    points = np.empty(2, np.int8)
    facts = np.zeros(3)
    for seat in range(2):
        sit_down(minds[who[seat]], seat)
        open_hand(hands[seat], s.mao)
    hand = -1
    turn = 0
    read_events(s, hands)
    while s.turn >= 0:
        seat = np.int64(s.turn)
        if s.hand_number != hand:
            hand = s.hand_number
            for i in range(2):
                for c in range(3):
                    cards[i, c] = s.dealt[i, c]
                points[i] = k.flor_of(s, i) if k.holds_flor(s, i) else k.envido_of(s, i)
        view[0] = s
        kernel.hide(view[0], seat)
        draw(seeds[seat], turn, luck)
        turn += 1
        if seat == scripted:
            action = decide_scripted(view, seat, style, luck, facts)
        else:
            action = decide(view[0], seat, minds[who[seat]], luck)
        for c in range(3):
            hands[seat].mine[c] = cards[seat, c]
        k.apply(s, action)
        finish(s, hands, minds, who, points, learn, told)
    return 0 if s.scores[0] > s.scores[1] else 1


@njit
def read_events(s, hands):
    """Let both seats read the events of the deal."""
    for i in range(s.num_events):
        for seat in range(2):
            note(hands[seat], seat, s.events[i])


@njit
def finish(s, hands, minds, who, points, learn, told):
    """Read what the last action did; where it ended a hand, learn from it and open the next."""
    for i in range(s.num_events):
        if s.events[i, 0] == k.DEALT:
            close(hands, minds, who, points, learn, told)
            for seat in range(2):
                open_hand(hands[seat], s.events[i, 1])
        for seat in range(2):
            note(hands[seat], seat, s.events[i])
    if s.turn < 0:
        close(hands, minds, who, points, learn, told)


@njit
def close(hands, minds, who, points, learn, told):
    """Both seats make what they may of the hand that ended."""
    for seat in range(2):
        if told:
            hands[seat].told = points[1 - seat]
        close_hand(hands[seat], seat, minds[who[seat]], learn[seat])


@njit
def play_matches(pool, view, hands, minds, who, style, against_style, learn, told, seed, first, count, mirrored, out):
    """Play matches `first` to `first + count` of a seed; write who won: 0 or 1 for either player.

    Player i is `minds[who[i]]`.  `out[i, 0]` is the match with player 0 in seat 0; `out[i, 1]`, where mirrored, the
    same deal with the seats exchanged.  `against_style` puts the scripted player in the place of player 1.
    """
    swapped = (who[1], who[0])
    swapped_learn = (learn[1], learn[0])
    seeds = np.empty(2, np.uint64)
    for match in range(count):
        number = first + match
        deal = stream(seed, 3 * number)
        seeds[0], seeds[1] = stream(seed, 3 * number + 1), stream(seed, 3 * number + 2)
        kernel.deal(pool[0], deal)
        scripted = 1 if against_style else NO_SEAT
        out[match, 0] = play_match(pool, view, hands, minds, who, style, scripted, seeds, learn, told)
        if mirrored:
            seeds[0], seeds[1] = seeds[1], seeds[0]
            kernel.deal(pool[0], deal)
            scripted = 0 if against_style else NO_SEAT
            won = play_match(pool, view, hands, minds, swapped, style, scripted, seeds, swapped_learn, told)
            out[match, 1] = 1 - won
        for i in range(2):
            if learn[i]:
                adapt_minima(minds[who[i]])
