"""Watching a hand: the case of a seat grows with every event it sees."""

from bolicho.agents.cbr import domain
from bolicho.agents.cbr.truco.compiled.hand import calls_made, item_of
from bolicho.agents.cbr.truco.schema import (
    ACCEPTED,
    CODE,
    DECK,
    DOWN,
    FACE_DOWN_CODE,
    ME,
    NOBODY,
    NOT_PLAYED,
    OTHER,
    RAISED,
    REFUSED,
    TIE,
    UNANSWERED,
    VOID,
)
from bolicho.games.jit import rule
from bolicho.games.kernel import CHOSE, implements
from bolicho.games.truco import kernel as k
from bolicho.games.truco.compiled.hand import ascending


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
    c.low, c.mid, c.high = ascending(x, y, z)
    c.envido = k.envido_of(s, seat)
    c.flor = k.flor_of(s, seat) if k.holds_flor(s, seat) else 0


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
