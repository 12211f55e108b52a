"""The call that a seat answers, as the question that the caller answered with it."""

from bolicho.agents.cbr import domain
from bolicho.agents.cbr.truco.compiled.hand import leads
from bolicho.agents.cbr.truco.compiled.instances import FLOR_OPEN, TRUCO_ANSWER_AT, TRUCO_OPEN_AT, write_attributes
from bolicho.agents.cbr.truco.schema import ACCEPT, NOT_PLAYED
from bolicho.games.jit import rule
from bolicho.games.kernel import implements
from bolicho.games.truco import kernel as k
from bolicho.games.truco.compiled.behaviours import holds_nothing
from bolicho.games.truco.compiled.lexicon import ME, OTHER


@implements(domain.call_of, k.RECORD)
@rule
def call_of(s, seat, c, decision, q):
    if decision < TRUCO_ANSWER_AT or decision >= FLOR_OPEN:
        return -1, -1
    swap_players(c)
    r, before = s.round, s.called - 1
    follows = 0 if leads(c, r) else 1
    if before == 0 or s.raiser == 1 - seat:  # a call on its own turn
        write_attributes(c, q, r, False, follows == 1, before)
        asked = TRUCO_OPEN_AT + 2 * r + follows
    else:  # an immediate raise
        seen = c.theirs[r] != NOT_PLAYED if follows == 1 else c.card[r] != NOT_PLAYED
        write_attributes(c, q, r, seen and follows == 0, seen and follows == 1, before)
        asked = TRUCO_ANSWER_AT + 4 * r + 2 * follows + (1 if seen else 0)
    swap_players(c)
    return asked, -1 if holds_nothing(s, seat) else ACCEPT


@rule
def swap_players(c):
    """Convert the shared information about a hand into the other player's case; applying it twice restores the case."""
    c.mao = other_player(c.mao)
    for r in range(3):
        c.card[r], c.theirs[r] = c.theirs[r], c.card[r]
        c.winner[r] = other_player(c.winner[r])
        c.truco_by[r] = other_player(c.truco_by[r])


@rule
def other_player(code):
    return ME + OTHER - code if code == ME or code == OTHER else code
