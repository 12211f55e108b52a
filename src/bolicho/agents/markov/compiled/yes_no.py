"""Yes-or-no questions: compare a chance with the minimum, draw the answer, record it."""

import numpy as np

from bolicho.agents.markov.layout import (
    ANSWERING,
    ASK_CONTRAFLOR,
    ASK_TRUCO,
    BINS,
    EXPLORE,
    FORCED,
    FUTILE,
    LEARNS,
    MINIMUMS,
    SURE,
    T_ANSWER,
    T_CELLS,
    T_CHANCE,
    T_DRAW,
    T_LOST,
    T_MINIMUM,
    T_REQUEST,
    T_ROLE,
    T_USED,
    T_WON,
)
from bolicho.games.compiled.chance import uniform
from bolicho.games.jit import rule
from bolicho.games.truco.kernel import must_fight


@rule
def ask(s, request, role, cells, v, d, penalty, m, h, luck):
    """Answer one question: no below the minimum, otherwise drawn with the chance."""
    if v + d <= 0:  # no data: even chance
        v, d = 1.0, 1.0
    chance = v / (v + d)
    used = chance
    if not m.options[SURE]:  # Rossato 2020 rounds to tenths (appendix A)
        used = np.rint(10 * chance) / 10
    if used > penalty:
        used -= penalty
    minimum = m.minima[request, role, s.round]
    if m.options[MINIMUMS]:
        minimum = at_stake(s, s.turn, request, role, minimum)
    n = int(m.trace[-1, 0])
    draw = uniform(luck, 2 * n)
    yes = used > minimum + 1e-9
    if minimum == FORCED:
        yes = True
    elif yes and not m.options[SURE]:
        yes = draw < used
    if uniform(luck, 2 * n + 1) < m.options[EXPLORE]:
        yes = draw < 0.5
    if m.options[LEARNS]:
        remember(s, request, role, used, yes, h.asked)
    note_down(m, request, role, cells, v, d, chance, used, minimum, draw, yes)
    return yes


@rule
def note_down(m, request, role, cells, won, lost, chance, used, minimum, draw, answer):
    """Append a row to the trace, for explanations."""
    n = int(m.trace[-1, 0])
    row = m.trace[n]
    row[T_REQUEST], row[T_ROLE], row[T_CELLS], row[T_WON], row[T_LOST] = request, role, cells, won, lost
    row[T_CHANCE], row[T_USED], row[T_MINIMUM], row[T_DRAW], row[T_ANSWER] = chance, used, minimum, draw, answer
    m.trace[-1, 0] = n + 1


@rule
def at_stake(s, seat, request, role, minimum):
    """Return the minimum near the match point: FORCED when a no loses the match, FUTILE when a yes can only lose."""
    if role == ANSWERING:
        return FORCED if request < ASK_CONTRAFLOR and must_fight(s, seat) else minimum
    if request <= ASK_TRUCO + 2:
        if s.scores[seat] + 1 + s.level >= s.target:
            return FUTILE
        if must_fight(s, seat):
            return min(minimum, 0.0)
    return minimum


@rule
def remember(s, request, role, used, yes, asked):
    """Record a question and its answer for the end of the hand."""
    n = asked[-1, 0]
    if n < asked.shape[0] - 1:
        asked[n, 0], asked[n, 1], asked[n, 2] = request, role, s.round
        asked[n, 3], asked[n, 4] = bin_of(used), yes
        asked[-1, 0] = n + 1


@rule
def bin_of(chance):
    """Return the index of a chance's bin of 5%."""
    return min(BINS - 1, int(chance * BINS + 1e-9))
