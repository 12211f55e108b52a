"""Truco's suicide moves: named predicates on (the hand so far, the question, the item).

The same predicates apply to a current move and to a move in a stored case; only `match_given_away` needs the score, and
therefore the current position.
"""

import numpy as np

from bolicho.agents.cbr import domain
from bolicho.agents.cbr.truco import schema
from bolicho.agents.cbr.truco.compiled.hand import CASE_RECORD, code_of, left, winner_of
from bolicho.agents.cbr.truco.compiled.instances import (
    CARD_AT,
    ENVIDO_ANSWER_AT,
    ENVIDO_OPEN_AT,
    FLOR_OPEN,
    TRUCO_ANSWER_AT,
    TRUCO_OPEN_AT,
    instances,
)
from bolicho.agents.cbr.truco.compiled.turn import bit, fallback
from bolicho.games.jit import rule
from bolicho.games.kernel import implements
from bolicho.games.truco import kernel as k
from bolicho.games.truco.compiled.hand import round_winner
from bolicho.games.truco.compiled.lexicon import ME, NOBODY, OTHER
from bolicho.games.truco.lexicon import NO_PAIR_BELOW

PREDICATES = (
    ("missed_raise", "the card in hand wins the hand now, and the bet is not raised", True),
    ("compulsive_bluff", "opening envido without two cards of a suit", True),
    ("overkill", "beating a card with a higher one than needed", True),
    ("wasted_card", "losing a round with a higher card than the lowest", False),
    ("win_given_up", "not taking a hand that a card wins now", False),
    ("hand_thrown_away", "losing the hand with a card when another card goes on", False),
    ("match_given_away", "giving up when that gives the other the match", False),
)
"""Name, description of the move, and whether Paulus 2020 (section 4.1.2) names it (otherwise this project's own)."""

MISSED_RAISE, COMPULSIVE_BLUFF, OVERKILL, WASTED_CARD, WIN_GIVEN_UP, HAND_THROWN_AWAY, MATCH_GIVEN_AWAY = range(7)
NO_PREDICATE = -1


@rule
def is_card(decision):
    return decision < ENVIDO_OPEN_AT


@rule
def is_truco_open(decision):
    return TRUCO_OPEN_AT <= decision < TRUCO_ANSWER_AT


@rule
def is_truco_answer(decision):
    return TRUCO_ANSWER_AT <= decision < FLOR_OPEN


@rule
def round_of(decision):
    """Return the round of a question about cards or truco."""
    if is_card(decision):
        return (decision - CARD_AT) // 2
    if is_truco_open(decision):
        return (decision - TRUCO_OPEN_AT) // 2
    return (decision - TRUCO_ANSWER_AT) // 4


@rule
def faces_a_card(decision):
    """Return whether the other's card of this round is on the table when the question is asked."""
    if is_truco_answer(decision):
        return (decision - TRUCO_ANSWER_AT) % 4 == 3
    return (is_card(decision) or is_truco_open(decision)) and decision % 2 == 1


@rule
def decided_by(c, r, code):
    """Return the winner of the hand when a card of that code meets the one on the table; NOBODY: it continues."""
    result = 1 + round_winner(code, c.theirs[r])
    if r == 0:
        return NOBODY
    if r == 1:
        return winner_of(c.winner[0], result, NOBODY, c.mao)
    return winner_of(c.winner[0], c.winner[1], result, c.mao)


@rule
def takes_the_hand(c, r, code):
    return decided_by(c, r, code) == ME


@rule
def can_take_the_hand(c, decision):
    if not faces_a_card(decision):
        return False
    r = round_of(decision)
    return takes_the_hand(c, r, left(c, r)[0])


@rule
def missed_raise(c, decision, item):
    passive = (is_truco_open(decision) and item == schema.PASS) or (is_truco_answer(decision) and item == schema.ACCEPT)
    return passive and can_take_the_hand(c, decision)


@rule
def compulsive_bluff(c, decision, item):
    opening = ENVIDO_OPEN_AT <= decision < ENVIDO_ANSWER_AT
    return opening and item >= schema.ENVIDO_ITEM and c.envido < NO_PAIR_BELOW


@rule
def cheapest_above(c, r, code):
    """Return the item of the lowest remaining card that beats `code`, or DECK."""
    found = schema.DECK
    for item in (schema.HIGH, schema.MID, schema.LOW):
        if (item == schema.HIGH or r < 2) and (item != schema.MID or r == 0) and code_of(c, r, item) > code:
            found = item
    return found


@rule
def overkill(c, decision, item):
    if not (is_card(decision) and faces_a_card(decision)) or item > schema.LOW:
        return False
    r = round_of(decision)
    code = code_of(c, r, item)
    return code > c.theirs[r] and code_of(c, r, cheapest_above(c, r, c.theirs[r])) < code


@rule
def wasted_card(c, decision, item):
    if not (is_card(decision) and faces_a_card(decision)) or item > schema.LOW:
        return False
    r = round_of(decision)
    code = code_of(c, r, item)
    return r < 2 and code < c.theirs[r] and code_of(c, r, schema.LOW) < code


@rule
def win_given_up(c, decision, item):
    if not can_take_the_hand(c, decision):
        return False
    if is_truco_answer(decision):
        return item == schema.REFUSE
    r = round_of(decision)
    return is_card(decision) and (item > schema.LOW or not takes_the_hand(c, r, code_of(c, r, item)))


@rule
def hand_thrown_away(c, decision, item):
    if not (is_card(decision) and faces_a_card(decision)) or item == schema.DECK or round_of(decision) != 1:
        return False
    code = schema.FACE_DOWN_CODE if item == schema.DOWN else code_of(c, 1, item)
    return decided_by(c, 1, code) == OTHER and decided_by(c, 1, left(c, 1)[0]) != OTHER


@rule
def breaks(c, decision, item, switches):
    """Return the first active predicate that names this move, or NO_PREDICATE."""
    if switches & 1 << MISSED_RAISE and missed_raise(c, decision, item):
        return MISSED_RAISE
    if switches & 1 << COMPULSIVE_BLUFF and compulsive_bluff(c, decision, item):
        return COMPULSIVE_BLUFF
    if switches & 1 << OVERKILL and overkill(c, decision, item):
        return OVERKILL
    if switches & 1 << WASTED_CARD and wasted_card(c, decision, item):
        return WASTED_CARD
    if switches & 1 << WIN_GIVEN_UP and win_given_up(c, decision, item):
        return WIN_GIVEN_UP
    if switches & 1 << HAND_THROWN_AWAY and hand_thrown_away(c, decision, item):
        return HAND_THROWN_AWAY
    return NO_PREDICATE


@rule
def instead(c, decision, item, predicate, allowed):
    """Return the replacement for a move that a predicate names."""
    r = round_of(decision)
    if predicate == MISSED_RAISE:
        if is_truco_open(decision):
            return schema.CALL
        return schema.RAISE if allowed & bit(schema.RAISE) else schema.ACCEPT
    if predicate == COMPULSIVE_BLUFF:
        return schema.PASS
    if predicate == WASTED_CARD:
        return schema.LOW
    if is_truco_answer(decision):
        return schema.ACCEPT
    cheapest = cheapest_above(c, r, c.theirs[r])
    return schema.HIGH if cheapest == schema.DECK else cheapest  # a tie wins the hand, or continues it


@rule
def gives_up(decision, item):
    if is_card(decision):
        return item == schema.DECK
    answers = decision >= TRUCO_ANSWER_AT and decision != FLOR_OPEN
    return item == schema.REFUSE and (answers or ENVIDO_ANSWER_AT <= decision < TRUCO_OPEN_AT)


@rule
def match_given_away(s, seat, decision, item):
    """Return whether giving up here gives the opponent the points it lacks."""
    return gives_up(decision, item) and k.must_fight(s, seat)


@implements(domain.revise, k.RECORD)
@rule
def revise(s, seat, c, decision, item, switches, allowed):
    if switches & 1 << MATCH_GIVEN_AWAY and match_given_away(s, seat, decision, item):
        return (fallback(s, seat, c, decision) if is_card(decision) else schema.ACCEPT), MATCH_GIVEN_AWAY
    found = breaks(c, decision, item, switches)
    if found == NO_PREDICATE:
        return item, found
    better = instead(c, decision, item, found, allowed)
    if found == MISSED_RAISE and better == item:  # nothing left to raise
        return item, NO_PREDICATE
    return better, found


@implements(domain.suicidal, CASE_RECORD)
@rule
def suicidal(c, out, switches):
    first, kinds = NO_PREDICATE, 0
    for i in range(instances(c, out)):
        decision = np.int64(out[i].decision)
        found = breaks(c, decision, np.int64(out[i].item), switches)
        if found != NO_PREDICATE:
            kinds |= schema.UNFIT_ENVIDO if ENVIDO_OPEN_AT <= decision < TRUCO_OPEN_AT else schema.UNFIT_PLAYS
            if first == NO_PREDICATE:
                first = found
    return first, kinds
