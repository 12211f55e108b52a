"""Turns of Truco: the questions of a position, and the actions of answers."""

import numpy as np

from bolicho.agents.cbr import domain
from bolicho.agents.cbr.domain import END, GO_ON, SKIP
from bolicho.agents.cbr.truco import schema
from bolicho.agents.cbr.truco.compiled import instances
from bolicho.agents.cbr.truco.compiled.hand import leads
from bolicho.agents.cbr.truco.compiled.observe import open_case
from bolicho.games.jit import rule
from bolicho.games.kernel import implements
from bolicho.games.truco import kernel as k
from bolicho.games.truco.compiled.lexicon import (
    ME,
    NOBODY,
    is_face_up,
    last_envido,
    num_held,
    player_of,
    strongest_first,
)
from bolicho.games.truco.compiled.reading import TIED as TIE


@rule
def write_hand(s, seat, c):
    """Write the hand so far, as `seat` saw it, in the form of a case."""
    other = 1 - seat
    open_case(s, seat, c)
    for r in range(3):
        c.card[r] = seen_code(s.played[seat, r])
        c.theirs[r] = seen_code(s.played[other, r])
        c.winner[r] = TIE if s.winners[r] == 2 else player_of(seat, s.winners[r])
        c.truco_by[r] = player_of(seat, s.truco_by[r])
        c.truco_round[r] = s.truco_round[r] + 1
        c.envido_by[r] = player_of(seat, s.envido_by[r])
    c.envido_again = player_of(seat, s.envido_again)
    c.flor_by[0] = player_of(seat, s.flor_by[0])
    c.flor_by[1] = player_of(seat, s.flor_by[1])


@rule
def seen_code(card):
    if card == k.NONE:
        return np.int8(schema.NOT_PLAYED)
    return schema.CODE[card] if is_face_up(card) else np.int8(schema.FACE_DOWN_CODE)


@implements(domain.question, k.RECORD)
@rule
def question(s, seat, stage, q, c):
    if stage == 0:
        write_hand(s, seat, c)
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
        instances.write_flor(c, q, c.flor_by[0], c.flor_by[1])
        if c.flor_by[0] == NOBODY and c.flor_by[1] == NOBODY:
            q.allowed = bit(schema.PASS) | bit(schema.CONTRAFLOR_ITEM) | bit(schema.RESTO_ITEM)
            return instances.FLOR_OPEN
        q.allowed = bit(schema.REFUSE) | bit(schema.ACCEPT)
        if c.flor_by[1] == NOBODY:
            q.allowed |= bit(schema.RESTO_ITEM)
        return instances.FLOR_ANSWER
    instances.write_envido(c, q, c.envido_by[0], c.envido_by[1], c.envido_by[2])
    if s.pending == k.ENVIDO_BET:
        q.allowed = bit(schema.REFUSE) | bit(schema.ACCEPT) | envido_raises(s)
        return instances.ENVIDO_ANSWER_AT + 2 * last_envido(s) + follows
    if not k.may_open_envido(s, seat):
        return SKIP
    q.allowed = bit(schema.PASS) | envido_raises(s)
    return instances.ENVIDO_OPEN_AT + follows


@rule
def envido_raises(s):
    """Return the legal envido calls, as bits of items."""
    bits = np.uint8(0)
    for kind in range(3):
        if k.may_call_envido(s, kind):
            bits |= bit(schema.ENVIDO_ITEM + kind)
    return bits


@rule
def ask_truco(s, seat, q, c):
    r = s.round
    follows = 0 if leads(c, r) else 1
    if s.pending == k.TRUCO_BET:
        seen = c.theirs[r] != schema.NOT_PLAYED if follows == 1 else c.card[r] != schema.NOT_PLAYED
        instances.write_attributes(c, q, r, seen and follows == 0, seen and follows == 1, s.called)
        q.allowed = bit(schema.REFUSE) | bit(schema.ACCEPT)
        if s.called < 3:
            q.allowed |= bit(schema.RAISE)
        return instances.TRUCO_ANSWER_AT + 4 * r + 2 * follows + (1 if seen else 0)
    if s.pending != k.NOTHING or not k.may_raise(s, seat):
        return SKIP
    instances.write_attributes(c, q, r, False, follows == 1, s.called)
    q.allowed = bit(schema.PASS) | bit(schema.CALL)
    return instances.TRUCO_OPEN_AT + 2 * r + follows


@rule
def ask_card(s, seat, q, c):
    r = s.round
    if s.pending != k.NOTHING:
        return SKIP
    follows = 0 if leads(c, r) else 1
    instances.write_attributes(c, q, r, False, follows == 1, -1)
    q.allowed = bit(schema.HIGH) | bit(schema.DECK)
    if r == 0:
        q.allowed |= bit(schema.MID)
    elif s.face_down:
        q.allowed |= bit(schema.DOWN)
    if r < 2:
        q.allowed |= bit(schema.LOW)
    return instances.CARD_AT + 2 * r + follows


@implements(domain.answer, k.RECORD)
@rule
def answer(s, seat, c, decision, item):
    if decision >= instances.FLOR_OPEN:
        if item == schema.PASS:
            return k.FLOR if decision == instances.FLOR_OPEN else k.NAO
        return k.QUERO if item == schema.ACCEPT else k.CONTRAFLOR + item - schema.CONTRAFLOR_ITEM
    if decision >= instances.TRUCO_ANSWER_AT:
        return k.NAO if item == schema.REFUSE else (k.QUERO if item == schema.ACCEPT else k.TRUCO + s.called)
    if decision >= instances.TRUCO_OPEN_AT:
        return GO_ON if item == schema.PASS else k.TRUCO + s.called
    if decision >= instances.ENVIDO_OPEN_AT:
        if item >= schema.ENVIDO_ITEM:
            return k.ENVIDO + item - schema.ENVIDO_ITEM
        if decision < instances.ENVIDO_ANSWER_AT:
            return GO_ON
        return k.QUERO if item == schema.ACCEPT else k.NAO
    if item == schema.DECK:
        return k.BARALHO
    if item == schema.DOWN:
        return k.FACE_DOWN + card_at(s, seat, schema.LOW)
    return card_at(s, seat, item)


@rule
def card_at(s, seat, item):
    """Return the high, middle or low card of those left."""
    held, cards = num_held(s, seat), strongest_first(s.hands[seat])
    if item == schema.HIGH or held == 1:
        return cards[0]
    return cards[1] if item == schema.MID or held == 2 else cards[2]


@implements(domain.fallback, k.RECORD)
@rule
def fallback(s, seat, c, decision):
    """Return the item without risk: no bet, no acceptance; the cheapest card that wins, otherwise the lowest."""
    if decision >= instances.ENVIDO_OPEN_AT:
        return schema.PASS
    r = s.round
    theirs = s.played[1 - seat, r]
    if r == 2:
        return schema.HIGH
    if theirs == k.NONE:
        return schema.HIGH if r == 1 else schema.MID
    for item in (schema.LOW, schema.MID, schema.HIGH):
        if (item != schema.MID or r == 0) and k.strength(card_at(s, seat, item)) > k.strength(theirs):
            return item
    return schema.LOW
