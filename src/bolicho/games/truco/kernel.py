"""Truco Gaúcho for two: the state record and the compiled rules.

Cards are numbers 0..39 (suit * 10 + rank).  An action below 40 plays that card, 40..79 plays card
`action - 40` face down, and the others are the calls in the order of `rules.CALLS`.
"""

import numba
import numpy as np

from bolicho.games import kernel
from bolicho.games.compiled.chance import below, stream
from bolicho.games.compiled.events import log, wipe_events
from bolicho.games.jit import njit, rule
from bolicho.games.kernel import CHOSE, implements
from bolicho.games.truco.compiled.hand import TIE, ascending, hand_winner, leader_after, round_winner
from bolicho.games.truco.rules import CARDS, STRENGTH_CLASSES, Rules

NONE = -1
FACE_DOWN = 40  # played face down: FACE_DOWN + card
UNSEEN = -2  # a face-down card of another seat
TRUCO, RETRUCO, VALE4, ENVIDO, REAL, FALTA, FLOR, CONTRAFLOR, RESTO, QUERO, NAO, BARALHO = range(80, 92)
NUM_ACTIONS = 92

# Kinds of pending call.
NOTHING, TRUCO_BET, ENVIDO_BET, FLOR_BET = range(4)

# Kinds of event, as rows of (kind, seat, value, extra); kind 0 is CHOSE.
DEALT, ROUND, POINTS, FLOR_SAID, ENVIDO_SHOWN, FLOR_SHOWN = range(1, 7)
"""DEALT: (mão, hand number, 0; in a seat's view instead its cards, see `unseen.dealt_cards`).  ROUND: (winner or -1
for a tie, round, 0).  POINTS: (seat, points, reason).  FLOR_SAID: (seat, 0, 0), forced.  ENVIDO_SHOWN, FLOR_SHOWN:
(winner, points of the hand, 0).
"""

# Reasons of points.
BY_ENVIDO, BY_FLOR, BY_CARDS, BY_REFUSAL, BY_DECK = range(5)

MAX_EVENTS = 8

STATE = np.dtype(
    [
        # Rules, set before the deal.
        ("target", "i2"),
        ("rule_hands", "i2"),
        ("face_down", "i1"),
        ("envido_first", "i1"),
        ("envido_envido", "i1"),
        ("flor", "i1"),
        ("flor_points", "i1"),
        ("contra_flor_points", "i1"),
        ("contra_flor_refused", "i1"),
        ("resto_refused", "i1"),
        # The match.
        ("seed", "u8"),
        ("scores", "i2", (2,)),
        ("start", "i2", (2,)),  # scores before the first hand
        ("hand_number", "i2"),
        # The hand.
        ("mao", "i1"),
        ("turn", "i1"),
        ("dealt", "i1", (2, 3)),  # all three cards, ascending; unknown cards are NONE and come last
        ("hands", "i1", (2, 3)),  # cards still in hand, ascending, then NONE
        ("played", "i1", (2, 3)),  # by seat and round
        ("winners", "i1", (3,)),  # winner of each round: a seat, TIE, NONE
        ("round", "i1"),
        ("player", "i1"),  # seat that plays the next card once no call is pending
        ("pending", "i1"),  # kind of the pending call
        ("acted", "i1", (2,)),  # 1 after the seat's first turn of this hand
        # Truco: 0 none, 1 truco, 2 retruco, 3 vale quatro.
        ("level", "i1"),  # accepted
        ("called", "i1"),  # called, accepted or not
        ("raiser", "i1"),  # seat that may call next; NONE: either
        ("truco_by", "i1", (3,)),  # seat that called each level
        ("truco_round", "i1", (3,)),
        # Envido.
        ("envido_by", "i1", (3,)),  # seats that called envido, real, falta
        ("envido_again", "i1"),  # seat that answered envido with envido
        ("envido_stake", "i2"),  # if accepted
        ("envido_refused", "i2"),  # if refused
        ("envido_done", "i1"),
        ("envido_winner", "i1"),
        ("envido_shown", "i1"),  # the winner's points, after acceptance
        ("envido_last", "i1"),  # seat that made the last envido call
        # Flor.
        ("has_flor", "i1", (2,)),  # 1 announced, 0 known to have none, NONE not known yet
        ("flor_by", "i1", (2,)),  # seats that called contra flor, resto
        ("flor_winner", "i1"),
        ("flor_shown", "i1"),
        # Points of this hand by kind, for learners.
        ("hand_points", "i2", (2,)),
        ("bet_points", "i2", (2,)),  # points of envido or flor
        # Events of the last action.
        ("num_events", "i1"),
        ("events", "i2", (MAX_EVENTS, 4)),
    ],
    align=True,
)
RECORD = numba.from_dtype(STATE)

_STRENGTH = np.zeros(80, np.int8)  # 1..14 by card; 0 face down, and for UNSEEN, whose index -2 wraps around
for _class, _cards in enumerate(STRENGTH_CLASSES):
    for _card in _cards:
        _STRENGTH[CARDS.index(_card)] = _class + 1
STRENGTH = _STRENGTH
VALUE = np.array([1, 2, 3, 4, 5, 6, 7, 0, 0, 0] * 4, np.int8)  # in envido and flor


def blank(rules: Rules) -> np.ndarray:
    """Return a pool of one blank record with the rules set, ready for `deal`."""
    pool = np.zeros(1, STATE)
    s = pool[0]
    s["target"], s["rule_hands"] = rules.target, rules.hands
    for name in ("face_down", "envido_first", "envido_envido", "flor"):
        s[name] = getattr(rules, name)
    for name in ("flor_points", "contra_flor_points", "contra_flor_refused", "resto_refused"):
        s[name] = getattr(rules, name)
    s["turn"] = -1
    return pool


# --- Counting -----------------------------------------------------------------------------------


@rule
def strength(card):
    """Return a card's strength: 1 (fours) to 14 (ace of espadas); 0 for a card played face down."""
    return STRENGTH[card]


@rule
def is_flor(a, b, c):
    """Return whether three cards have the same suit."""
    return a // 10 == b // 10 and b // 10 == c // 10


@rule
def flor_value(a, b, c):
    """Return 20 plus the values of the three cards."""
    return 20 + VALUE[a] + VALUE[b] + VALUE[c]


@rule
def envido_value(a, b, c):
    """Return 20 plus the two highest values of one suit, otherwise the highest single value."""
    best = max(VALUE[a], VALUE[b], VALUE[c])
    if a // 10 == b // 10:
        best = max(best, 20 + VALUE[a] + VALUE[b])
    if a // 10 == c // 10:
        best = max(best, 20 + VALUE[a] + VALUE[c])
    if b // 10 == c // 10:
        best = max(best, 20 + VALUE[b] + VALUE[c])
    return best


@rule
def envido_of(s, seat):
    """Return the envido points of a seat with known cards."""
    return envido_value(s.dealt[seat, 0], s.dealt[seat, 1], s.dealt[seat, 2])


@rule
def flor_of(s, seat):
    """Return the flor points of a seat with known cards of one suit."""
    return flor_value(s.dealt[seat, 0], s.dealt[seat, 1], s.dealt[seat, 2])


@rule
def holds_flor(s, seat):
    """Return whether a seat with known cards holds a flor that counts under these rules."""
    return s.flor != 0 and is_flor(s.dealt[seat, 0], s.dealt[seat, 1], s.dealt[seat, 2])


@rule
def falta(s):
    """Return the points that the leading player lacks."""
    return s.target - max(s.scores[0], s.scores[1])


# --- Scoring and ending -------------------------------------------------------------------------


@rule
def score(s, seat, points, why):
    """Add points, and end the match when the target is reached."""
    s.scores[seat] += points
    if why <= BY_FLOR:
        s.bet_points[seat] += points
    else:
        s.hand_points[seat] += points
    log(s, POINTS, seat, points, why)
    if s.scores[seat] >= s.target:
        s.turn = -1


@rule
def end_hand(s, winner, points, why):
    score(s, winner, points, why)
    if s.turn >= 0:
        if s.rule_hands > 0 and s.hand_number + 1 >= s.rule_hands:
            s.turn = -1
        else:
            s.hand_number += 1
            s.mao = 1 - s.mao
            deal_hand(s)


# --- The deal -----------------------------------------------------------------------------------


@rule
def deal_hand(s):
    """Deal hand `hand_number` of the match from the seed and open it."""
    seed = stream(s.seed, s.hand_number)
    taken = np.int64(0)
    draw = 0
    for seat in range(2):
        for i in range(3):
            card = below(seed, draw, 40)
            draw += 1
            while (taken >> card) & 1:
                card = below(seed, draw, 40)
                draw += 1
            taken |= np.int64(1) << card
            s.dealt[seat, i] = card
    open_hand(s)


@rule
def sort3(cards, seat):
    """Sort three cards ascending, with NONE last."""
    a, b, c = cards[seat, 0] & 0xFF, cards[seat, 1] & 0xFF, cards[seat, 2] & 0xFF
    cards[seat, 0], cards[seat, 1], cards[seat, 2] = ascending(a, b, c)


@rule
def open_hand(s):
    """Initialise a new hand except for its cards and its mão, and give the mão the first turn."""
    for seat in range(2):
        sort3(s.dealt, seat)
        for i in range(3):
            s.hands[seat, i] = s.dealt[seat, i]
            s.played[seat, i] = NONE
        s.acted[seat] = 0
        s.has_flor[seat] = NONE if s.flor else 0
        s.flor_by[seat] = NONE
        s.hand_points[seat] = 0
        s.bet_points[seat] = 0
    for i in range(3):
        s.winners[i] = NONE
        s.truco_by[i] = NONE
        s.truco_round[i] = NONE
        s.envido_by[i] = NONE
    s.round = 0
    s.player = s.mao
    s.turn = s.mao
    s.pending = NOTHING
    s.level = 0
    s.called = 0
    s.raiser = NONE
    s.envido_again = NONE
    s.envido_stake = 0
    s.envido_refused = 0
    s.envido_done = 0
    s.envido_winner = NONE
    s.envido_shown = NONE
    s.envido_last = NONE
    s.flor_winner = NONE
    s.flor_shown = NONE
    log(s, DEALT, s.mao, s.hand_number, 0)
    first_turn(s, s.mao)


@rule
def first_turn(s, seat):
    """Apply the forced effects of a seat's first turn of a hand: announce a flor."""
    s.acted[seat] = 1
    if s.has_flor[seat] != NONE:
        return
    other = 1 - seat
    if not holds_flor(s, seat):
        s.has_flor[seat] = 0
        return
    s.has_flor[seat] = 1
    log(s, FLOR_SAID, seat, 0, 0)
    if s.pending == ENVIDO_BET:  # voids the envido just called
        s.pending = NOTHING
        s.turn = s.player
    s.envido_done = 1
    if seat == s.mao and holds_flor(s, other):
        s.has_flor[other] = 1
        s.acted[other] = 1
        s.pending = FLOR_BET
        s.turn = other
    else:
        s.has_flor[other] = 0
        score(s, seat, s.flor_points, BY_FLOR)


@rule
def give_turn(s, seat):
    """Pass the turn, with the forced effects of a first turn."""
    s.turn = seat
    if s.acted[seat] == 0:
        first_turn(s, seat)


@implements(kernel.deal, RECORD)
@rule
def deal(s, seed):
    s.seed = np.uint64(seed)
    s.scores[0] = 0
    s.scores[1] = 0
    s.start[0] = 0
    s.start[1] = 0
    s.hand_number = 0
    s.mao = 0
    last = s.num_events
    s.num_events = 0
    deal_hand(s)
    wipe_events(s, last)


@njit
def open_setup(pool):
    """Open a hand whose cards, mão and scores are set."""
    pool[0].num_events = 0
    open_hand(pool[0])


# --- Legal actions ------------------------------------------------------------------------------


@rule
def may_raise(s, seat):
    """Return whether a seat, on its turn, may call truco or the next level after the accepted one."""
    return s.called < 3 and (s.raiser == NONE or s.raiser == seat)


@rule
def may_open_envido(s, seat):
    """Return whether the seat to act may open envido: in round 1, before its card, any truco bet or flor; once a hand.

    With `envido_first`, an unanswered truco of the mão leaves envido open (`envido_done`).
    """
    return s.round == 0 and s.envido_done == 0 and s.played[seat, 0] == NONE and s.envido_stake == 0


@rule
def may_call_envido(s, kind):
    """Return whether envido, real or falta may follow the previous envido calls."""
    if s.envido_by[2] != NONE or (kind < 2 and s.envido_by[1] != NONE):
        return False
    return kind > 0 or s.envido_by[0] == NONE or (s.envido_envido != 0 and s.envido_again == NONE)


@rule
def legal_envido_calls(s, out, n):
    """Append the opening calls, or the raises of the current call."""
    for kind in range(3):
        if may_call_envido(s, kind):
            out[n] = ENVIDO + kind
            n += 1
    return n


@implements(kernel.legal, RECORD)
@rule
def legal(s, out):
    seat = s.turn
    if seat < 0:
        return 0
    n = 0
    if s.pending == NOTHING:
        n = 3 - s.round  # cards in hand: the next player has not played in this round
        out[0], out[1], out[2] = s.hands[seat, 0], s.hands[seat, 1], s.hands[seat, 2]
        if s.round > 0 and s.face_down:
            for i in range(n):
                out[n + i] = FACE_DOWN + s.hands[seat, i]
            n += n
        if may_raise(s, seat):
            out[n] = TRUCO + s.called
            n += 1
        if may_open_envido(s, seat):
            n = legal_envido_calls(s, out, n)
        out[n] = BARALHO
        return n + 1
    if s.pending == TRUCO_BET:
        if s.called < 3:
            out[n] = TRUCO + s.called
            n += 1
        if may_open_envido(s, seat):
            n = legal_envido_calls(s, out, n)
    elif s.pending == ENVIDO_BET:
        n = legal_envido_calls(s, out, n)
    else:  # FLOR_BET
        if s.flor_by[0] == NONE and s.flor_by[1] == NONE:  # no flor call yet: the answer to the mão's flor
            out[n] = FLOR
            out[n + 1] = CONTRAFLOR
            out[n + 2] = RESTO
            return n + 3
        if s.flor_by[1] == NONE:
            out[n] = RESTO
            n += 1
    out[n] = QUERO
    out[n + 1] = NAO
    return n + 2


# --- Playing ------------------------------------------------------------------------------------


@implements(kernel.apply, RECORD)
@rule
def apply(s, action):
    seat = s.turn
    last = s.num_events
    s.num_events = 0
    log(s, CHOSE, seat, UNSEEN if FACE_DOWN <= action < TRUCO else action, s.round)
    if action < TRUCO:
        play_card(s, seat, action)
    elif action <= VALE4:
        call_truco(s, seat, action - TRUCO)
    elif action <= FALTA:
        call_envido(s, seat, action - ENVIDO)
    elif action == BARALHO:
        end_hand(s, 1 - seat, standing_bet(s)[1], BY_DECK)
    elif s.pending == TRUCO_BET:
        answer_truco(s, seat, action)
    elif s.pending == ENVIDO_BET:
        answer_envido(s, seat, action)
    else:
        answer_flor(s, seat, action)
    wipe_events(s, last)


@rule
def play_card(s, seat, action):
    card = action % FACE_DOWN
    s.played[seat, s.round] = action
    i = 0
    while s.hands[seat, i] != card:
        i += 1
    while i < 2:
        s.hands[seat, i] = s.hands[seat, i + 1]
        i += 1
    s.hands[seat, 2] = NONE
    other = 1 - seat
    if s.played[other, s.round] == NONE:
        s.player = other
        give_turn(s, other)
    else:
        end_round(s)


@rule
def end_round(s):
    r = s.round
    won = round_winner(strength(s.played[0, r]), strength(s.played[1, r]))
    s.winners[r] = won
    log(s, ROUND, -1 if won == TIE else won, r, 0)
    winner = hand_winner(s.winners[0], s.winners[1], s.winners[2], s.mao)
    if winner >= 0:
        end_hand(s, winner, 1 + s.level, BY_CARDS)
    else:
        s.round = r + 1
        s.player = leader_after(won, s.mao)
        s.turn = s.player


@rule
def call_truco(s, seat, level):
    if s.pending == TRUCO_BET:  # a raise accepts the call that it answers
        s.level = level
    s.called = level + 1
    s.truco_by[level] = seat
    s.truco_round[level] = s.round
    s.pending = TRUCO_BET
    if s.envido_first == 0 or seat != s.mao or level > 0:
        s.envido_done = 1
    give_turn(s, 1 - seat)


@rule
def answer_truco(s, seat, action):
    if action == QUERO:
        s.level = s.called
        s.raiser = seat
        s.pending = NOTHING
        s.envido_done = 1
        s.turn = s.player
    else:
        end_hand(s, 1 - seat, standing_bet(s)[1], BY_REFUSAL)


@rule
def envido_bet(s, kind):
    """Return the stake of a call of envido, real or falta if accepted, and the caller's points if refused."""
    stake = falta(s) if kind == 2 else s.envido_stake + 2 + kind
    return stake, s.envido_stake if s.pending == ENVIDO_BET else 1


@rule
def call_envido(s, seat, kind):
    s.envido_stake, s.envido_refused = envido_bet(s, kind)
    if kind == 0 and s.envido_by[0] != NONE:
        s.envido_again = seat
    else:
        s.envido_by[kind] = seat
    s.envido_last = seat
    s.pending = ENVIDO_BET
    give_turn(s, 1 - seat)


@rule
def after_side_bet(s):
    """Return to a waiting truco call or to card play after envido or flor."""
    if s.turn < 0:
        return
    if s.called > s.level:
        s.pending = TRUCO_BET
        s.turn = 1 - s.truco_by[s.called - 1]
    else:
        s.pending = NOTHING
        s.turn = s.player


@rule
def show_envido(s, winner, points):
    """Score an accepted envido for its winner, and show the winner's points."""
    s.envido_done = 1
    stake, _ = standing_bet(s)
    s.envido_winner = winner
    s.envido_shown = points
    log(s, ENVIDO_SHOWN, winner, points, 0)
    score(s, winner, stake, BY_ENVIDO)
    after_side_bet(s)


@rule
def answer_envido(s, seat, action):
    if action == QUERO:
        mao = s.mao
        winner = mao if envido_of(s, mao) >= envido_of(s, 1 - mao) else 1 - mao
        show_envido(s, winner, envido_of(s, winner))
    else:
        s.envido_done = 1
        s.envido_winner = 1 - seat
        score(s, 1 - seat, standing_bet(s)[1], BY_ENVIDO)
        after_side_bet(s)


@rule
def flor_bet(s, contra, resto):
    """Return a flor's points if accepted and if refused, depending on the calls of contra flor and resto."""
    stake = falta(s) if resto else (s.contra_flor_points if contra else s.flor_points)
    return stake, s.resto_refused if contra and resto else s.contra_flor_refused


@rule
def standing_bet(s):
    """Return the pending bet's points if accepted and if refused; without a bet, those of the hand and of folding."""
    if s.pending == ENVIDO_BET:
        return s.envido_stake, s.envido_refused
    if s.pending == FLOR_BET:
        return flor_bet(s, s.flor_by[0] != NONE, s.flor_by[1] != NONE)
    return 1 + s.called, 1 + s.level


@rule
def must_fight(s, seat):
    """Return whether the opponent wins the match if this seat, which is to act, refuses the bet or folds."""
    return s.scores[1 - seat] + standing_bet(s)[1] >= s.target


@rule
def show_flor(s, winner, points):
    """Score the better of two flores, and show its points."""
    stake, _ = standing_bet(s)
    s.flor_winner = winner
    s.flor_shown = points
    log(s, FLOR_SHOWN, winner, points, 0)
    score(s, winner, stake, BY_FLOR)
    after_side_bet(s)


@rule
def answer_flor(s, seat, action):
    if action == CONTRAFLOR or action == RESTO:
        s.flor_by[action - CONTRAFLOR] = seat
        s.turn = 1 - seat
    elif action == NAO:
        s.flor_winner = 1 - seat
        score(s, 1 - seat, standing_bet(s)[1], BY_FLOR)
        after_side_bet(s)
    else:
        mao = s.mao
        winner = mao if flor_of(s, mao) >= flor_of(s, 1 - mao) else 1 - mao
        show_flor(s, winner, flor_of(s, winner))


# --- Results ------------------------------------------------------------------------------------


@implements(kernel.over, RECORD)
@rule
def over(s):
    return s.turn < 0


@implements(kernel.scores, RECORD)
@rule
def scores(s, out):
    out[0] = s.scores[0]
    out[1] = s.scores[1]


@implements(kernel.payoff, RECORD)
@rule
def payoff(s, out):
    """Write +1 and -1 for a match; for single hands, the difference of points won."""
    gain = (s.scores[0] - s.start[0]) - (s.scores[1] - s.start[1])
    if s.rule_hands == 0:
        gain = 1 if s.scores[0] > s.scores[1] else -1
    out[0] = gain
    out[1] = -gain
