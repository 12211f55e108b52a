"""Summary of a hand of Truco from a seat's events: calls, answers, rounds and points; compiled.

A record with the fields of `READ` stores it; the owner of the record handles cards.
"""

from bolicho.games.jit import rule
from bolicho.games.kernel import CHOSE
from bolicho.games.truco import kernel as k
from bolicho.games.truco.compiled.lexicon import NOBODY, player_of

READ = [
    ("winner", "i1", (3,)),  # winner of each round: a player as in `lexicon`, or TIED
    ("truco_by", "i1", (3,)),  # for each step the caller, the round from 1 on, and the answer
    ("truco_round", "i1", (3,)),
    ("truco_answer", "i1", (3,)),
    ("envido_by", "i1", (3,)),
    ("envido_again", "i1"),  # player who answered envido with envido
    ("envido_answer", "i1"),
    ("flors", "i1"),  # player who announced a flor, or BOTH
    ("flor_by", "i1", (2,)),
    ("flor_answer", "i1"),
    ("deck_by", "i1"),
    ("envido_won", "i2"),  # points won, or lost when negative
    ("flor_won", "i2"),
    ("hand_won", "i2"),
]
TIED = BOTH = 3  # in addition to NOBODY, ME and OTHER
UNANSWERED, ACCEPTED, REFUSED, RAISED, VOID = range(5)


@rule
def begin_reading(h):
    """Initialise the summary of a hand."""
    for i in range(3):
        h.winner[i] = h.envido_by[i] = h.truco_by[i] = NOBODY
        h.truco_round[i] = 0
        h.truco_answer[i] = UNANSWERED
    h.flor_by[0] = h.flor_by[1] = NOBODY
    h.envido_again = h.flors = h.deck_by = NOBODY
    h.envido_answer = h.flor_answer = UNANSWERED
    h.envido_won = h.flor_won = h.hand_won = 0


@rule
def read_event(h, seat, event):
    """Update the summary with an event of the hand; played cards are ignored."""
    kind, actor, value, extra = event[0], event[1], event[2], event[3]
    if kind == CHOSE and value >= k.TRUCO:
        read_call(h, player_of(seat, actor), value, extra)
    elif kind == k.ROUND:
        h.winner[value] = TIED if actor < 0 else player_of(seat, actor)
    elif kind == k.FLOR_SAID:
        h.flors = player_of(seat, actor)
        if awaits_envido(h):
            h.envido_answer = VOID
    elif kind == k.POINTS:
        points = value if actor == seat else -value
        if extra == k.BY_ENVIDO:
            h.envido_won += points
        elif extra == k.BY_FLOR:
            h.flor_won += points
        else:
            h.hand_won += points


@rule
def read_call(h, player, action, r):
    """Update the summary with a call or an answer in round `r`, from 0 on."""
    if action <= k.VALE4:
        level = action - k.TRUCO
        if level > 0 and h.truco_answer[level - 1] == UNANSWERED:
            h.truco_answer[level - 1] = RAISED
        h.truco_by[level] = player
        h.truco_round[level] = r + 1
    elif action <= k.FALTA:
        kind = action - k.ENVIDO
        if kind == 0 and h.envido_by[0] != NOBODY:
            h.envido_again = player
        else:
            h.envido_by[kind] = player
    elif action == k.BARALHO:
        h.deck_by = player
    elif action <= k.RESTO:  # the pé's answer to the mão's flor, or a raise
        h.flors = BOTH
        if action == k.FLOR:
            h.flor_answer = ACCEPTED
        else:
            h.flor_by[action - k.CONTRAFLOR] = player
    else:
        read_answer(h, ACCEPTED if action == k.QUERO else REFUSED)


@rule
def read_answer(h, answer):
    """Store an answer: to a dispute of two flores, or else to envido, or else to the last truco call."""
    if h.flors == BOTH and h.flor_answer == UNANSWERED:
        h.flor_answer = answer
    elif awaits_envido(h):
        h.envido_answer = answer
    else:
        h.truco_answer[calls_made(h) - 1] = answer


@rule
def was_envido_called(h):
    return h.envido_by[0] != NOBODY or h.envido_by[1] != NOBODY or h.envido_by[2] != NOBODY


@rule
def awaits_envido(h):
    """Return whether an envido call awaits its answer."""
    return was_envido_called(h) and h.envido_answer == UNANSWERED


@rule
def calls_made(h):
    """Return the number of truco calls made."""
    n = 0
    while n < 3 and h.truco_by[n] != NOBODY:
        n += 1
    return n
