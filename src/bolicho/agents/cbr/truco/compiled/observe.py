"""Observation of a hand: the case of a seat, updated with every event."""

from bolicho.agents.cbr import domain
from bolicho.agents.cbr.truco.compiled.hand import item_of
from bolicho.agents.cbr.truco.schema import CODE, DECK, DOWN, FACE_DOWN_CODE, NOT_PLAYED
from bolicho.games.jit import rule
from bolicho.games.kernel import CHOSE, implements
from bolicho.games.truco import kernel as k
from bolicho.games.truco.compiled.hand import ascending
from bolicho.games.truco.compiled.lexicon import OTHER, is_face_up, player_of
from bolicho.games.truco.compiled.reading import begin_reading, read_event


@rule
def open_case(s, seat, c):
    """Start the case of a new hand: the received cards, without events."""
    set_cards(s, seat, c)
    c.mao = player_of(seat, s.mao)
    for i in range(3):
        c.card[i] = c.play[i] = c.theirs[i] = NOT_PLAYED
    begin_reading(c)
    for i in range(len(c.label)):
        c.label[i] = 0


@rule
def set_cards(s, seat, c):
    x, y, z = CODE[s.dealt[seat, 0]], CODE[s.dealt[seat, 1]], CODE[s.dealt[seat, 2]]
    c.low, c.mid, c.high = ascending(x, y, z)
    c.envido = k.envido_of(s, seat)
    c.flor = k.flor_of(s, seat) if k.holds_flor(s, seat) else 0


@implements(domain.record_case, k.RECORD)
@rule
def record_case(s, seat, c, out):
    done = 0
    for i in range(s.num_events):
        kind, actor, value, r = s.events[i, 0], s.events[i, 1], s.events[i, 2], s.events[i, 3]
        if kind == k.DEALT:
            if c.high != 0:
                out[done] = c
                done += 1
            open_case(s, seat, c)
        elif kind == CHOSE and value < k.TRUCO:  # a card; UNSEEN where it was played face down
            note_card(c, player_of(seat, actor), value, r)
        else:
            read_event(c, seat, s.events[i])
            if kind == CHOSE and value == k.BARALHO and actor == seat:
                c.play[r] = DECK
    if s.turn < 0 and c.high != 0:
        out[done] = c
        done += 1
        c.high = 0
    return done


@rule
def note_card(c, player, action, r):
    code = CODE[action] if is_face_up(action) else FACE_DOWN_CODE
    if player == OTHER:
        c.theirs[r] = code
        return
    c.play[r] = item_of(c, r, code) if is_face_up(action) else DOWN
    c.card[r] = code
