"""Features of a case for clustering (Paulus 2020, tables 7 to 10)."""

import numpy as np

from bolicho.agents.cbr import domain
from bolicho.agents.cbr.truco import schema
from bolicho.agents.cbr.truco.compiled.hand import CASE_RECORD, began, leads
from bolicho.games.jit import rule
from bolicho.games.kernel import implements
from bolicho.games.truco.compiled.lexicon import ME, NOBODY, OTHER
from bolicho.games.truco.compiled.reading import BOTH, REFUSED

WHO = np.array([2, 1, 3], np.int8)  # Paulus 2020, table 10


@rule
def why_not_played(c):
    """Return the code of a card that was never played (Paulus 2020, table 9)."""
    if c.deck_by == ME:
        return schema.WENT_TO_DECK
    for level in range(3):
        if c.truco_answer[level] == REFUSED and c.truco_by[level] == OTHER:
            return schema.LOST_A_BET
    return schema.OTHER_GAVE_UP


@rule
def own_card_feature(c, r):
    """Return which of the three received cards player 1 played in round r, or the reason for none."""
    card = c.card[r]
    if card == schema.NOT_PLAYED:
        return why_not_played(c)
    if card == schema.FACE_DOWN_CODE:
        return schema.FACE_DOWN_CARD
    if card == c.high:
        return schema.PLAYED_HIGH
    return schema.PLAYED_MID if card == c.mid else schema.PLAYED_LOW


@rule
def other_card_feature(c, r):
    """Return the category of player 2's card in round r, or the reason for none."""
    card = c.theirs[r]
    if card == schema.NOT_PLAYED:
        return why_not_played(c)
    return schema.FACE_DOWN_CARD if card == schema.FACE_DOWN_CODE else np.int64(schema.CATEGORY[card])


@rule
def of_scenario(c, r, leading, truco):
    """Return whether a case belongs to a scenario of round r: of cards or of truco, leading or following.

    With `every_round`, a case also belongs to scenarios after its hand was over: the winner of the hand then counts as
    winner of the previous round, and the truco scenarios contain the hands with a truco call (Paulus 2020, appendix B:
    the totals hardly change by round, and those of truco are smaller than those of cards).
    """
    if c.hand_won == 0 or c.unfit & schema.UNFIT_PLAYS:
        return False
    if not c.every_round:
        return began(c, r) and leads(c, r) == leading
    if truco and c.truco_by[0] == NOBODY:
        return False
    led = c.hand_won > 0 if r > 0 and c.winner[r - 1] == NOBODY else leads(c, r)
    return led == leading


@rule
def write_categories(c, out, n):
    out[n], out[n + 1], out[n + 2] = schema.CATEGORY[c.high], schema.CATEGORY[c.mid], schema.CATEGORY[c.low]
    return n + 3


@implements(domain.features, CASE_RECORD)
@rule
def features(c, clustering, out):
    if clustering == schema.INDEX_CARDS:
        return 0 if c.unfit & schema.UNFIT_PLAYS else write_categories(c, out, 0)
    of_envido = schema.ENVIDO_SPOKEN <= clustering < schema.TRUCO_LED
    if (of_envido or clustering == schema.INDEX_POINTS) and c.unfit & schema.UNFIT_ENVIDO:
        return 0
    if clustering == schema.INDEX_POINTS:
        out[0] = c.envido
        return 1
    if of_envido:
        if (c.mao == ME) != (clustering == schema.ENVIDO_SPOKEN) or c.flors == ME or c.flors == BOTH:
            return 0
        for i in range(3):
            out[i] = WHO[c.envido_by[i]]
        out[3] = c.envido
        return 4
    of_truco = clustering >= schema.TRUCO_LED
    number = clustering - (schema.TRUCO_LED if of_truco else schema.CARDS_LED)
    r, leading = number // 2, number % 2 == 0
    if not of_scenario(c, r, leading, of_truco):
        return 0
    if of_truco:
        for i in range(3):
            out[i] = WHO[c.truco_by[i]] if c.truco_round[i] <= r + 1 else WHO[NOBODY]
        return write_categories(c, out, 3)
    n = write_categories(c, out, 0) if r == 0 else 0
    if not leading:
        out[n] = other_card_feature(c, r)
        n += 1
    out[n] = own_card_feature(c, r)
    return n + 1
