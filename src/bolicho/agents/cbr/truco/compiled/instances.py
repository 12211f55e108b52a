"""Decisions in a case: the attributes, the choice and the result.

The same functions write the attributes of a query and of a stored case.
"""

from bolicho.agents.cbr import domain
from bolicho.agents.cbr.truco import schema
from bolicho.agents.cbr.truco.compiled.hand import CASE_RECORD, began, leads
from bolicho.games.jit import rule
from bolicho.games.kernel import implements
from bolicho.games.truco.compiled.lexicon import ME, NOBODY, OTHER
from bolicho.games.truco.compiled.reading import ACCEPTED, BOTH, RAISED, REFUSED, UNANSWERED, VOID, calls_made
from bolicho.games.truco.lexicon import ENVIDO_POINTS
from bolicho.games.truco.rules import Rules

# First decisions of each kind; + round, lead or follow, and the cards on the table.
CARD_AT, ENVIDO_OPEN_AT, ENVIDO_ANSWER_AT, TRUCO_OPEN_AT, TRUCO_ANSWER_AT, FLOR_OPEN, FLOR_ANSWER = schema.first_of(
    schema.DECISIONS
)
CONTRA_FLOR_REFUSED, RESTO_REFUSED = Rules.contra_flor_refused, Rules.resto_refused  # defaults: a case stores no rules


@rule
def write_attributes(c, q, r, mine, theirs, calls):
    """Write the information in round r: cards, the mão, earlier rounds, and `calls` truco calls (-1: none)."""
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
def set_instance(x, decision, item, halves, points, spared):
    """Set an instance: `points` is the balance of the bet; `spared` the avoided certain loss of refusing."""
    x.decision = decision
    x.item = item
    x.halves = halves
    x.points = points
    x.spared = spared


@implements(domain.instances, CASE_RECORD)
@rule
def instances(c, out):
    n = 0
    if not c.unfit & schema.UNFIT_ENVIDO:
        n = envido_instances(c, out, n)
        n = flor_instances(c, out, n)
    if c.hand_won == 0 or c.unfit & schema.UNFIT_PLAYS:  # a match that ended before the hand: its cards decided nothing
        return n
    for r in range(3):
        if began(c, r):
            follows = 0 if leads(c, r) else 1
            n = truco_instances(c, out, n, r, follows)
            if c.play[r] != schema.NOT_PLAYED:
                write_attributes(c, out[n], r, False, follows == 1, -1)
                set_instance(out[n], CARD_AT + 2 * r + follows, c.play[r], halves_of(c.hand_won), 0, 0)
                n += 1
    return n


@rule
def truco_instances(c, out, n, r, follows):
    """Write instances of own turns with the right to call, and of answers, in round r."""
    mine_first = False  # True if player 1 opened the current exchange of calls
    passed = calls_before(c, r)  # calls made before player 1 plays its card
    for level in range(calls_made(c)):
        if c.truco_round[level] != r + 1:
            continue
        if level == 0 or c.truco_answer[level - 1] != RAISED:
            mine_first = c.truco_by[level] == ME
            if mine_first:
                write_attributes(c, out[n], r, False, follows == 1, level)
                set_instance(out[n], TRUCO_OPEN_AT + 2 * r + follows, schema.CALL, halves_of(c.hand_won), c.hand_won, 0)
                n += 1
        if mine_first or follows == 1:
            passed = level + 1
        if c.truco_by[level] == OTHER and c.truco_answer[level] != UNANSWERED:
            seen = mine_first == (follows == 1)  # the leader's card is on the table
            write_attributes(c, out[n], r, seen and follows == 0, seen and follows == 1, level + 1)
            decision = TRUCO_ANSWER_AT + 4 * r + 2 * follows + (1 if seen else 0)
            if c.truco_answer[level] == REFUSED:
                set_instance(out[n], decision, schema.REFUSE, 0, -(level + 1), level + 1)
            else:
                item = schema.RAISE if c.truco_answer[level] == RAISED else schema.ACCEPT
                set_instance(out[n], decision, item, halves_of(c.hand_won), c.hand_won, level + 1)
            n += 1
    may_call = passed == 0 or (passed < 3 and c.truco_by[passed - 1] == OTHER)
    if may_call and c.play[r] != schema.NOT_PLAYED:
        write_attributes(c, out[n], r, False, follows == 1, passed)
        set_instance(out[n], TRUCO_OPEN_AT + 2 * r + follows, schema.PASS, halves_of(c.hand_won), 0, 0)
        n += 1
    return n


@rule
def calls_before(c, r):
    """Return the number of truco calls before round r."""
    n = 0
    while n < 3 and c.truco_by[n] != NOBODY and c.truco_round[n] <= r:
        n += 1
    return n


@rule
def opener(c):
    """Return the first envido call: (player, item)."""
    for kind in range(3):
        if c.envido_by[kind] != NOBODY:
            return c.envido_by[kind], schema.ENVIDO_ITEM + kind
    return c.envido_by[0], schema.PASS


@rule
def envido_instances(c, out, n):
    if c.flors == ME or c.flors == BOTH or (c.flors == OTHER and c.mao == OTHER):
        return n
    follows = 0 if c.mao == ME else 1
    player, item = opener(c)
    # The pé may open only after the mão has played a card without a call.
    called_truco = c.truco_by[0] == OTHER and c.truco_round[0] == 1
    may_open = follows == 0 or (player == NOBODY and c.theirs[0] != schema.NOT_PLAYED and not called_truco)
    if player == ME or may_open:
        mine = player == ME
        write_envido(c, out[n], NOBODY, NOBODY, NOBODY)
        set_instance(out[n], ENVIDO_OPEN_AT + follows, item if mine else schema.PASS, halves_of(c.envido_won),
                     c.envido_won if mine else 0, 0)  # fmt: skip
        n += 1
    if c.envido_answer == UNANSWERED or c.envido_answer == VOID:
        return n
    e, again, real, falta = c.envido_by[0], c.envido_again, c.envido_by[1], c.envido_by[2]
    stake = 0
    if e != NOBODY:
        if e == OTHER or again == OTHER:
            write_envido(c, out[n], e, NOBODY, NOBODY)
            n = envido_answer_instance(c, out, n, 0, follows, 1 if e == OTHER else ENVIDO_POINTS[0])
        stake = ENVIDO_POINTS[0] * (2 if again != NOBODY else 1)
    if real != NOBODY:
        if real == OTHER:
            write_envido(c, out[n], e, real, NOBODY)
            n = envido_answer_instance(c, out, n, 1, follows, max(1, stake))
        stake += ENVIDO_POINTS[1]
    if falta == OTHER:
        write_envido(c, out[n], e, real, falta)
        n = envido_answer_instance(c, out, n, 2, follows, max(1, stake))
    return n


@rule
def envido_answer_instance(c, out, n, kind, follows, refused):
    """Write player 1's answer to an envido call that would have cost `refused` points to refuse."""
    if kind == 0 and c.envido_by[0] == OTHER and c.envido_again == ME:
        item = schema.ENVIDO_ITEM
    elif kind == 0 and c.envido_by[1] == ME:
        item = schema.REAL_ITEM
    elif kind < 2 and c.envido_by[2] == ME:
        item = schema.FALTA_ITEM
    else:
        item = schema.ACCEPT if c.envido_answer == ACCEPTED else schema.REFUSE
    decision = ENVIDO_ANSWER_AT + 2 * kind + follows
    if item == schema.REFUSE:
        set_instance(out[n], decision, item, 0, -refused, refused)
    else:
        set_instance(out[n], decision, item, halves_of(c.envido_won), c.envido_won, refused)
    return n + 1


@rule
def flor_instances(c, out, n):
    if c.flors != BOTH or c.flor_answer == UNANSWERED:
        return n
    contra, resto = c.flor_by[0], c.flor_by[1]
    if c.mao == OTHER:
        item = (
            schema.CONTRAFLOR_ITEM
            if contra == ME
            else (schema.RESTO_ITEM if contra == NOBODY and resto == ME else schema.PASS)
        )
        write_flor(c, out[n], NOBODY, NOBODY)
        set_instance(out[n], FLOR_OPEN, item, halves_of(c.flor_won), 0 if item == schema.PASS else c.flor_won, 0)
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
        set_instance(out[n], FLOR_ANSWER, schema.REFUSE, 0, -refused, refused)
    else:
        item = schema.RESTO_ITEM if raised else schema.ACCEPT
        set_instance(out[n], FLOR_ANSWER, item, halves_of(c.flor_won), c.flor_won, refused)
    return n + 1
