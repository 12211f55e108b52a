"""All numbers that a view of Truco shows, read from its record in one call."""

import numpy as np

from bolicho.games.jit import njit
from bolicho.games.truco.kernel import DEALT, ENVIDO_BET, NONE, TRUCO_BET, standing_bet

LAYOUT = (
    ("target", 1), ("hand", 1), ("mao", 1), ("round", 1), ("worth", 1), ("raiser", 1), ("turn", 1), ("pending", 1),
    ("call", 1), ("by", 1), ("accepted", 1), ("refused", 1), ("played", 6), ("winners", 3), ("hands", 3), ("dealt", 3),
    ("now", 1), ("before", 1),
)  # fmt: skip
"""What is written, and how many numbers each takes."""

ROOM = sum(size for _, size in LAYOUT)


@njit
def glance(pool, seat, rows, out):
    """Write the numbers of `LAYOUT` for a seat, or for nobody (-1).

    `call` is the number of the call that awaits an answer among those of its kind, `by` whose it is; `now` and
    `before` are the rows where this hand and the one before begin, or -1.
    """
    s = pool[0]
    out[0], out[1], out[2], out[3] = s.target, s.hand_number + 1, s.mao, s.round + 1
    out[4], out[5], out[6], out[7] = s.level + 1, s.raiser, s.turn, s.pending
    out[8], out[9] = pending_call(s)
    out[10], out[11] = standing_bet(s)
    for i in range(3):
        out[12 + i], out[15 + i] = s.played[0, i], s.played[1, i]
        out[18 + i] = s.winners[i]
        out[21 + i] = s.hands[seat, i] if seat >= 0 else NONE
        out[24 + i] = s.dealt[seat, i] if seat >= 0 else NONE
    out[27] = out[28] = NONE
    row = len(rows) - 1
    while row >= 0 and out[28] == NONE:
        if rows[row, 0] == DEALT:
            if out[27] == NONE:
                out[27] = row
            else:
                out[28] = row
        row -= 1


@njit
def pending_call(s):
    """The last call that was made of the kind that awaits an answer, and by whom; NONE for the mão's flor."""
    if s.pending == TRUCO_BET:
        return s.called - 1, s.truco_by[s.called - 1]
    if s.pending == ENVIDO_BET:
        for i in range(2, -1, -1):
            if s.envido_by[i] != NONE:
                return i, s.envido_last
    for i in range(1, -1, -1):
        if s.flor_by[i] != NONE:
            return i, s.flor_by[i]
    return NONE, NONE


def room():
    """Where the numbers go."""
    return np.zeros(ROOM, np.int64)
