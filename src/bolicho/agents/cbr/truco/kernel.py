"""Truco's part of the cycle, compiled: watching a hand, reading a case, asking and answering.

Everything that reads a case works on a finished one and on the hand so far alike (`so_far`): the
attributes of a query and of a stored case are written by the same lines.
"""

import numba
import numpy as np

from bolicho.agents.cbr import domain
from bolicho.agents.cbr.domain import END, GO_ON, SKIP, implements
from bolicho.agents.cbr.truco.schema import (
    ACCEPT,
    ACCEPTED,
    CALL,
    CASE,
    CATEGORY,
    CODE,
    CONTRAFLOR_ITEM,
    DECK,
    DOWN,
    ENVIDO_ITEM,
    FACE_DOWN_CARD,
    FACE_DOWN_CODE,
    FALTA_ITEM,
    HIGH,
    INDEX_CARDS,
    INDEX_POINTS,
    LOST_A_BET,
    LOW,
    ME,
    MID,
    NOBODY,
    NOT_PLAYED,
    OTHER,
    OTHER_GAVE_UP,
    PASS,
    PLAYED_HIGH,
    PLAYED_LOW,
    PLAYED_MID,
    RAISE,
    RAISED,
    REAL_ITEM,
    REFUSE,
    REFUSED,
    RESTO_ITEM,
    TIE,
    UNANSWERED,
    VOID,
    WENT_TO_DECK,
)
from bolicho.games.jit import rule
from bolicho.games.kernel import CHOSE
from bolicho.games.truco import kernel as k

CASE_RECORD = numba.from_dtype(CASE)
WHO = np.array([2, 1, 3], np.int8)  # document 000, table 10

# Decisions, in the order of scenarios.DECISIONS; + round, lead or follow, and what is on the table.
CARD_AT, ENVIDO_OPEN_AT, ENVIDO_ANSWER_AT, TRUCO_OPEN_AT, TRUCO_ANSWER_AT, FLOR_OPEN, FLOR_ANSWER = (
    0, 6, 8, 14, 20, 32, 33,
)  # fmt: skip


# --- Watching a hand ----------------------------------------------------------------------------


@rule
def who(seat, actor):
    return ME if actor == seat else OTHER


@rule
def open_case(s, seat, c):
    """A new hand: the cards received, and nothing has happened."""
    set_cards(s, seat, c)
    c.mao = who(seat, s.mao)
    for i in range(3):
        c.card[i] = NOT_PLAYED
        c.play[i] = NOT_PLAYED
        c.theirs[i] = NOT_PLAYED
        c.winner[i] = NOBODY
        c.envido_by[i] = NOBODY
        c.truco_by[i] = NOBODY
        c.truco_round[i] = 0
        c.truco_answer[i] = UNANSWERED
    c.envido_again = NOBODY
    c.envido_answer = UNANSWERED
    c.flors = NOBODY
    c.flor_by[0] = NOBODY
    c.flor_by[1] = NOBODY
    c.flor_answer = UNANSWERED
    c.deck_by = NOBODY
    c.envido_won = 0
    c.flor_won = 0
    c.hand_won = 0
    for i in range(len(c.label)):
        c.label[i] = 0


@rule
def set_cards(s, seat, c):
    x, y, z = CODE[s.dealt[seat, 0]], CODE[s.dealt[seat, 1]], CODE[s.dealt[seat, 2]]
    c.high, c.mid, c.low = sorted_down(x, y, z)
    c.envido = k.envido_of(s, seat)
    c.flor = k.flor_of(s, seat) if k.holds_flor(s, seat) else 0


@rule
def sorted_down(x, y, z):
    if x < y:
        x, y = y, x
    if y < z:
        y, z = z, y
    if x < y:
        x, y = y, x
    return x, y, z


@implements(domain.watch, k.RECORD)
@rule
def watch(s, seat, c, out):
    done = 0
    for i in range(s.num_events):
        kind, actor, value, extra = s.events[i, 0], s.events[i, 1], s.events[i, 2], s.events[i, 3]
        if kind == k.DEALT:
            if c.high != 0:
                out[done] = c
                done += 1
            open_case(s, seat, c)
        elif kind == CHOSE:
            note_choice(c, who(seat, actor), value, extra)
        elif kind == k.ROUND:
            c.winner[value] = TIE if actor < 0 else who(seat, actor)
        elif kind == k.FLOR_SAID:
            c.flors = who(seat, actor)
            if envido_pending(c):
                c.envido_answer = VOID
        elif kind == k.POINTS:
            points = value if actor == seat else -value
            if extra == k.BY_ENVIDO:
                c.envido_won += points
            elif extra == k.BY_FLOR:
                c.flor_won += points
            else:
                c.hand_won += points
    if s.turn < 0 and c.high != 0:
        out[done] = c
        done += 1
        c.high = 0
    return done


@rule
def envido_pending(c):
    called = c.envido_by[0] != NOBODY or c.envido_by[1] != NOBODY or c.envido_by[2] != NOBODY
    return called and c.envido_answer == UNANSWERED


@rule
def calls_made(c):
    """How many truco calls there have been."""
    n = 0
    while n < 3 and c.truco_by[n] != NOBODY:
        n += 1
    return n


@rule
def note_choice(c, player, action, r):
    if action < k.TRUCO:  # a card; UNSEEN where it was played face down
        note_card(c, player, action, r)
    elif action <= k.VALE4:
        level = action - k.TRUCO
        if level > 0 and c.truco_answer[level - 1] == UNANSWERED:
            c.truco_answer[level - 1] = RAISED
        c.truco_by[level] = player
        c.truco_round[level] = r + 1
    elif action <= k.FALTA:
        kind = action - k.ENVIDO
        if kind == 0 and c.envido_by[0] != NOBODY:
            c.envido_again = player
        else:
            c.envido_by[kind] = player
    elif action == k.BARALHO:
        c.deck_by = player
        if player == ME:
            c.play[r] = DECK
    elif action <= k.RESTO:  # the pé's answer to the mão's flor, or a raise
        c.flors = 3
        if action == k.FLOR:
            c.flor_answer = ACCEPTED
        else:
            c.flor_by[action - k.CONTRAFLOR] = player
    else:
        note_answer(c, ACCEPTED if action == k.QUERO else REFUSED)


@rule
def note_answer(c, what):
    if c.flors == 3 and c.flor_answer == UNANSWERED:
        c.flor_answer = what
    elif envido_pending(c):
        c.envido_answer = what
    else:
        c.truco_answer[calls_made(c) - 1] = what


@rule
def note_card(c, player, action, r):
    face_down = action < 0 or action >= k.FACE_DOWN
    code = FACE_DOWN_CODE if face_down else CODE[action]
    if player == OTHER:
        c.theirs[r] = code
        return
    if face_down:
        c.play[r] = DOWN
    else:
        c.play[r] = item_of(c, r, code)
    c.card[r] = code


# --- Reading a case -----------------------------------------------------------------------------


@rule
def left(c, r):
    """The codes of the cards left before round r, strongest first, then zeros.

    A card played face down in round 2 leaves one of two unknown; what is left then is the higher.
    """
    a, b, z = c.high, c.mid, c.low
    if r == 0:
        return a, b, z
    if c.card[0] == a:
        a, b = b, z
    elif c.card[0] == b:
        b = z
    zero = a - a
    if r == 1:
        return a, b, zero
    if c.card[1] == a:
        return b, zero, zero
    return a, zero, zero


@rule
def item_of(c, r, code):
    """Which of the cards left before round r has that code."""
    a, b, _ = left(c, r)
    if code == a or r == 2:
        return HIGH
    return MID if r == 0 and code == b else LOW


@rule
def code_of(c, r, item):
    """The code of the card that an item plays in round r, face up."""
    a, b, z = left(c, r)
    if item == HIGH or r == 2:
        return a
    return z if r == 0 and item == LOW else b


@rule
def leads(c, r):
    """Whether player 1 leads round r; after a tie the mão does."""
    if r == 0:
        return c.mao == ME
    return c.winner[r - 1] == ME or (c.winner[r - 1] == TIE and c.mao == ME)


@rule
def winner_of(first, second, third, mao):
    """Who has won the hand by cards, or NOBODY while it is open."""
    if second == NOBODY:
        return NOBODY
    if first == TIE:
        if second != TIE:
            return second
        return mao if third == TIE else third
    if second == TIE or second == first:
        return first
    return first if third == TIE else third


@rule
def began(c, r):
    """Whether round r began."""
    if r == 0:
        return True
    if c.winner[r - 1] == NOBODY:
        return False
    return r == 1 or winner_of(c.winner[0], c.winner[1], NOBODY, c.mao) == NOBODY


@rule
def write_attributes(c, q, r, mine, theirs, calls):
    """What is known in round r: cards, who is mão, the rounds before, and `calls` truco calls (-1: not asked)."""
    q.numeric[0], q.numeric[1], q.numeric[2] = c.high, c.mid, c.low
    n = 3
    q.equal[0] = c.mao
    m = 1
    for i in range(r):
        q.numeric[n] = c.card[i]
        q.numeric[n + 1] = c.theirs[i]
        n += 2
        q.equal[m] = c.winner[i]
        m += 1
    if mine:
        q.numeric[n] = c.card[r]
        n += 1
    if theirs:
        q.numeric[n] = c.theirs[r]
        n += 1
    if calls >= 0:
        for i in range(3):
            q.equal[m] = c.truco_by[i] if i < calls else NOBODY
            m += 1
    clear_rest(q, n, m)


@rule
def clear_rest(q, n, m):
    for i in range(n, len(q.numeric)):
        q.numeric[i] = 0
    for i in range(m, len(q.equal)):
        q.equal[i] = 0


@rule
def write_envido(c, q, envido, real, falta):
    q.equal[0], q.equal[1], q.equal[2], q.equal[3], q.equal[4] = c.envido, c.mao, envido, real, falta
    clear_rest(q, 0, 5)


@rule
def write_flor(c, q, contra, resto):
    q.equal[0], q.equal[1], q.equal[2], q.equal[3] = c.flor, c.mao, contra, resto
    clear_rest(q, 0, 4)


@rule
def halves_of(points):
    return 2 if points > 0 else (0 if points < 0 else 1)


@rule
def set_instance(x, decision, item, halves, points):
    x.decision = decision
    x.item = item
    x.halves = halves
    x.points = points


@implements(domain.instances, CASE_RECORD)
@rule
def instances(c, out):
    n = envido_instances(c, out, 0)
    n = flor_instances(c, out, n)
    if c.hand_won == 0:  # the match ended before the hand: its cards decided nothing
        return n
    for r in range(3):
        if began(c, r):
            follows = 0 if leads(c, r) else 1
            n = truco_instances(c, out, n, r, follows)
            if c.play[r] != NOT_PLAYED:
                write_attributes(c, out[n], r, False, follows == 1, -1)
                set_instance(out[n], CARD_AT + 2 * r + follows, c.play[r], halves_of(c.hand_won), 0)
                n += 1
    return n


@rule
def truco_instances(c, out, n, r, follows):
    """Own turns with the right to call, and answers, in round r."""
    mine_first = False  # who opened the exchange of calls under way
    passed = calls_before(c, r)  # calls made when player 1 comes to play its card
    for level in range(calls_made(c)):
        if c.truco_round[level] != r + 1:
            continue
        if level == 0 or c.truco_answer[level - 1] != RAISED:
            mine_first = c.truco_by[level] == ME
            if mine_first:
                write_attributes(c, out[n], r, False, follows == 1, level)
                set_instance(out[n], TRUCO_OPEN_AT + 2 * r + follows, CALL, halves_of(c.hand_won), c.hand_won)
                n += 1
        if mine_first or follows == 1:
            passed = level + 1
        if c.truco_by[level] == OTHER and c.truco_answer[level] != UNANSWERED:
            seen = mine_first == (follows == 1)  # the leader's card is on the table
            write_attributes(c, out[n], r, seen and follows == 0, seen and follows == 1, level + 1)
            decision = TRUCO_ANSWER_AT + 4 * r + 2 * follows + (1 if seen else 0)
            if c.truco_answer[level] == REFUSED:
                set_instance(out[n], decision, REFUSE, 0, 0)
            else:
                item = RAISE if c.truco_answer[level] == RAISED else ACCEPT
                # counted from what refusing costs for certain: the level before
                set_instance(out[n], decision, item, halves_of(c.hand_won), c.hand_won + level + 1)
            n += 1
    may_call = passed == 0 or (passed < 3 and c.truco_by[passed - 1] == OTHER)
    if may_call and c.play[r] != NOT_PLAYED:
        write_attributes(c, out[n], r, False, follows == 1, passed)
        set_instance(out[n], TRUCO_OPEN_AT + 2 * r + follows, PASS, halves_of(c.hand_won), 0)
        n += 1
    return n


@rule
def calls_before(c, r):
    """How many truco calls were made before round r."""
    n = 0
    while n < 3 and c.truco_by[n] != NOBODY and c.truco_round[n] <= r:
        n += 1
    return n


@rule
def opener(c):
    """Who made the first envido call, and which: (player, item)."""
    for kind in range(3):
        if c.envido_by[kind] != NOBODY:
            return c.envido_by[kind], ENVIDO_ITEM + kind
    return c.envido_by[0], PASS


@rule
def envido_instances(c, out, n):
    if c.flors == ME or c.flors == 3 or (c.flors == OTHER and c.mao == OTHER):
        return n
    follows = 0 if c.mao == ME else 1
    player, item = opener(c)
    # The pé may open only once the mão has played a card without a call.
    called_truco = c.truco_by[0] == OTHER and c.truco_round[0] == 1
    may_open = follows == 0 or (player == NOBODY and c.theirs[0] != NOT_PLAYED and not called_truco)
    if player == ME or may_open:
        mine = player == ME
        write_envido(c, out[n], NOBODY, NOBODY, NOBODY)
        set_instance(out[n], ENVIDO_OPEN_AT + follows, item if mine else PASS, halves_of(c.envido_won),
                     c.envido_won if mine else 0)  # fmt: skip
        n += 1
    if c.envido_answer == UNANSWERED or c.envido_answer == VOID:
        return n
    e, again, real, falta = c.envido_by[0], c.envido_again, c.envido_by[1], c.envido_by[2]
    stake = 0
    if e != NOBODY:
        if e == OTHER or again == OTHER:
            write_envido(c, out[n], e, NOBODY, NOBODY)
            n = envido_answer_instance(c, out, n, 0, follows, 1 if e == OTHER else 2)
        stake = 4 if again != NOBODY else 2
    if real != NOBODY:
        if real == OTHER:
            write_envido(c, out[n], e, real, NOBODY)
            n = envido_answer_instance(c, out, n, 1, follows, max(1, stake))
        stake += 3
    if falta == OTHER:
        write_envido(c, out[n], e, real, falta)
        n = envido_answer_instance(c, out, n, 2, follows, max(1, stake))
    return n


@rule
def envido_answer_instance(c, out, n, kind, follows, refused):
    """How player 1 answered an envido call that would have cost `refused` points to refuse."""
    if kind == 0 and c.envido_by[0] == OTHER and c.envido_again == ME:
        item = ENVIDO_ITEM
    elif kind == 0 and c.envido_by[1] == ME:
        item = REAL_ITEM
    elif kind < 2 and c.envido_by[2] == ME:
        item = FALTA_ITEM
    else:
        item = ACCEPT if c.envido_answer == ACCEPTED else REFUSE
    decision = ENVIDO_ANSWER_AT + 2 * kind + follows
    if item == REFUSE:
        set_instance(out[n], decision, item, 0, 0)
    else:
        set_instance(out[n], decision, item, halves_of(c.envido_won), c.envido_won + refused)
    return n + 1


CONTRA_FLOR_REFUSED, RESTO_REFUSED = 4, 6  # what refusing costs under the default rules


@rule
def flor_instances(c, out, n):
    if c.flors != 3 or c.flor_answer == UNANSWERED:
        return n
    contra, resto = c.flor_by[0], c.flor_by[1]
    if c.mao == OTHER:
        item = CONTRAFLOR_ITEM if contra == ME else (RESTO_ITEM if contra == NOBODY and resto == ME else PASS)
        write_flor(c, out[n], NOBODY, NOBODY)
        set_instance(out[n], FLOR_OPEN, item, halves_of(c.flor_won), 0 if item == PASS else c.flor_won)
        n += 1
    if contra == OTHER:
        write_flor(c, out[n], contra, NOBODY)
        n = flor_answer_instance(c, out, n, resto == ME, CONTRA_FLOR_REFUSED)
    if resto == OTHER:
        write_flor(c, out[n], contra, resto)
        n = flor_answer_instance(c, out, n, False, CONTRA_FLOR_REFUSED if contra == NOBODY else RESTO_REFUSED)
    return n


@rule
def flor_answer_instance(c, out, n, raised, refused):
    if not raised and c.flor_answer == REFUSED:
        set_instance(out[n], FLOR_ANSWER, REFUSE, 0, 0)
    else:
        item = RESTO_ITEM if raised else ACCEPT
        set_instance(out[n], FLOR_ANSWER, item, halves_of(c.flor_won), c.flor_won + refused)
    return n + 1


# --- What clustering sees -----------------------------------------------------------------------


@rule
def why_not_played(c):
    """The code of a card that was never played (document 000, table 9)."""
    if c.deck_by == ME:
        return WENT_TO_DECK
    for level in range(3):
        if c.truco_answer[level] == REFUSED and c.truco_by[level] == OTHER:
            return LOST_A_BET
    return OTHER_GAVE_UP


@rule
def own_card_feature(c, r):
    """Which of the three cards received player 1 played in round r, or why none."""
    card = c.card[r]
    if card == NOT_PLAYED:
        return why_not_played(c)
    if card == FACE_DOWN_CODE:
        return FACE_DOWN_CARD
    if card == c.high:
        return PLAYED_HIGH
    return PLAYED_MID if card == c.mid else PLAYED_LOW


@rule
def other_card_feature(c, r):
    """The category of player 2's card in round r, or why there is none."""
    card = c.theirs[r]
    if card == NOT_PLAYED:
        return why_not_played(c)
    return FACE_DOWN_CARD if card == FACE_DOWN_CODE else np.int64(CATEGORY[card])


@rule
def write_categories(c, out, n):
    out[n], out[n + 1], out[n + 2] = CATEGORY[c.high], CATEGORY[c.mid], CATEGORY[c.low]
    return n + 3


@implements(domain.features, CASE_RECORD)
@rule
def features(c, clustering, out):
    if clustering == INDEX_CARDS:
        return write_categories(c, out, 0)
    if clustering == INDEX_POINTS:
        out[0] = c.envido
        return 1
    if clustering == 6 or clustering == 7:
        if (c.mao == ME) != (clustering == 6) or c.flors == ME or c.flors == 3:
            return 0
        for i in range(3):
            out[i] = WHO[c.envido_by[i]]
        out[3] = c.envido
        return 4
    r = (clustering % 8) // 2
    if c.hand_won == 0 or not began(c, r) or leads(c, r) != (clustering % 2 == 0):
        return 0
    if clustering >= 8:
        for i in range(3):
            out[i] = WHO[c.truco_by[i]] if c.truco_round[i] <= r + 1 else WHO[NOBODY]
        return write_categories(c, out, 3)
    n = write_categories(c, out, 0) if r == 0 else 0
    if clustering % 2 == 1:
        out[n] = other_card_feature(c, r)
        n += 1
    out[n] = own_card_feature(c, r)
    return n + 1


# --- Asking -------------------------------------------------------------------------------------


@rule
def so_far(s, seat, c):
    """The hand up to now as `seat` saw it, in the form of a case."""
    other = 1 - seat
    set_cards(s, seat, c)
    c.mao = who(seat, s.mao)
    for r in range(3):
        c.card[r] = seen_code(s.played[seat, r])
        c.theirs[r] = seen_code(s.played[other, r])
        c.play[r] = NOT_PLAYED
        c.winner[r] = TIE if s.winners[r] == 2 else player_of(seat, s.winners[r])
        c.truco_by[r] = player_of(seat, s.truco_by[r])
        c.truco_round[r] = s.truco_round[r] + 1
        c.truco_answer[r] = UNANSWERED
        c.envido_by[r] = player_of(seat, s.envido_by[r])
    c.envido_again = player_of(seat, s.envido_again)
    c.flor_by[0] = player_of(seat, s.flor_by[0])
    c.flor_by[1] = player_of(seat, s.flor_by[1])
    c.flors = NOBODY
    c.envido_answer = UNANSWERED
    c.flor_answer = UNANSWERED
    c.deck_by = NOBODY
    c.envido_won = 0
    c.flor_won = 0
    c.hand_won = 0


@rule
def player_of(seat, actor):
    return NOBODY if actor == k.NONE else who(seat, actor)


@rule
def seen_code(card):
    if card == k.NONE:
        return np.int8(NOT_PLAYED)
    return CODE[card] if 0 <= card < k.FACE_DOWN else np.int8(FACE_DOWN_CODE)


@implements(domain.question, k.RECORD)
@rule
def question(s, seat, stage, q, c):
    if stage == 0:
        so_far(s, seat, c)
        decision = ask_side_bet(s, seat, q, c)
    elif stage == 1:
        decision = ask_truco(s, seat, q, c)
    elif stage == 2:
        decision = ask_card(s, seat, q, c)
    else:
        decision = END
    q.decision = decision
    return decision


@rule
def bit(item):
    return np.uint8(1 << item)


@rule
def ask_side_bet(s, seat, q, c):
    follows = 0 if c.mao == ME else 1
    if s.pending == k.FLOR_BET:
        write_flor(c, q, c.flor_by[0], c.flor_by[1])
        if c.flor_by[0] == NOBODY and c.flor_by[1] == NOBODY:
            q.allowed = bit(PASS) | bit(CONTRAFLOR_ITEM) | bit(RESTO_ITEM)
            return FLOR_OPEN
        q.allowed = bit(REFUSE) | bit(ACCEPT)
        if c.flor_by[1] == NOBODY:
            q.allowed |= bit(RESTO_ITEM)
        return FLOR_ANSWER
    write_envido(c, q, c.envido_by[0], c.envido_by[1], c.envido_by[2])
    if s.pending == k.ENVIDO_BET:
        q.allowed = bit(REFUSE) | bit(ACCEPT) | envido_raises(s)
        kind = 2 if c.envido_by[2] != NOBODY else (1 if c.envido_by[1] != NOBODY else 0)
        return ENVIDO_ANSWER_AT + 2 * kind + follows
    if not k.may_open_envido(s, seat):
        return SKIP
    if s.pending == k.TRUCO_BET:  # a truco may be answered with envido where the rules say so
        if not (s.envido_first and s.called == 1 and seat != s.mao):
            return SKIP
    elif s.called != 0:
        return SKIP
    q.allowed = bit(PASS) | envido_raises(s)
    return ENVIDO_OPEN_AT + follows


@rule
def envido_raises(s):
    """The envido calls that are open, as bits of items."""
    if s.envido_by[2] != k.NONE:
        return np.uint8(0)
    bits = bit(FALTA_ITEM)
    if s.envido_by[1] == k.NONE:
        bits |= bit(REAL_ITEM)
        if s.envido_by[0] == k.NONE or (s.envido_envido and s.envido_again == k.NONE):
            bits |= bit(ENVIDO_ITEM)
    return bits


@rule
def ask_truco(s, seat, q, c):
    r = s.round
    follows = 0 if leads(c, r) else 1
    if s.pending == k.TRUCO_BET:
        seen = c.theirs[r] != NOT_PLAYED if follows == 1 else c.card[r] != NOT_PLAYED
        write_attributes(c, q, r, seen and follows == 0, seen and follows == 1, s.called)
        q.allowed = bit(REFUSE) | bit(ACCEPT)
        if s.called < 3:
            q.allowed |= bit(RAISE)
        return TRUCO_ANSWER_AT + 4 * r + 2 * follows + (1 if seen else 0)
    if s.pending != k.NOTHING or s.called == 3 or (s.raiser != k.NONE and s.raiser != seat):
        return SKIP
    write_attributes(c, q, r, False, follows == 1, s.called)
    q.allowed = bit(PASS) | bit(CALL)
    return TRUCO_OPEN_AT + 2 * r + follows


@rule
def ask_card(s, seat, q, c):
    r = s.round
    if s.pending != k.NOTHING:
        return SKIP
    follows = 0 if leads(c, r) else 1
    write_attributes(c, q, r, False, follows == 1, -1)
    q.allowed = bit(HIGH) | bit(DECK)
    if r == 0:
        q.allowed |= bit(MID)
    elif s.face_down:
        q.allowed |= bit(DOWN)
    if r < 2:
        q.allowed |= bit(LOW)
    return CARD_AT + 2 * r + follows


# --- Answering ----------------------------------------------------------------------------------


@implements(domain.answer, k.RECORD)
@rule
def answer(s, seat, decision, item):
    if decision >= FLOR_OPEN:
        if item == PASS:
            return k.FLOR if decision == FLOR_OPEN else k.NAO
        return k.QUERO if item == ACCEPT else k.CONTRAFLOR + item - CONTRAFLOR_ITEM
    if decision >= TRUCO_ANSWER_AT:
        return k.NAO if item == REFUSE else (k.QUERO if item == ACCEPT else k.TRUCO + s.called)
    if decision >= TRUCO_OPEN_AT:
        return GO_ON if item == PASS else k.TRUCO + s.called
    if decision >= ENVIDO_OPEN_AT:
        if item >= ENVIDO_ITEM:
            return k.ENVIDO + item - ENVIDO_ITEM
        if decision < ENVIDO_ANSWER_AT:
            return GO_ON
        return k.QUERO if item == ACCEPT else k.NAO
    if item == DECK:
        return k.BARALHO
    if item == DOWN:
        return k.FACE_DOWN + card_at(s, seat, LOW)
    return card_at(s, seat, item)


@rule
def card_at(s, seat, item):
    """The high, mid or low of the cards left."""
    a, b, z = s.hands[seat, 0], s.hands[seat, 1], s.hands[seat, 2]
    if b == k.NONE:
        return a
    if CODE[a] < CODE[b]:
        a, b = b, a
    if z == k.NONE:
        return a if item == HIGH else b
    if CODE[b] < CODE[z]:
        b, z = z, b
    if CODE[a] < CODE[b]:
        a, b = b, a
    return a if item == HIGH else (b if item == MID else z)


@implements(domain.fallback, k.RECORD)
@rule
def fallback(s, seat, decision):
    """Nothing ventured: no bet, no acceptance; the cheapest card that wins, otherwise the lowest."""
    if decision >= ENVIDO_OPEN_AT:
        return PASS
    r = s.round
    theirs = s.played[1 - seat, r]
    if r == 2:
        return HIGH
    if theirs == k.NONE:
        return HIGH if r == 1 else MID
    for item in (LOW, MID, HIGH):
        if (item != MID or r == 0) and k.strength(card_at(s, seat, item)) > k.strength(theirs):
            return item
    return LOW
