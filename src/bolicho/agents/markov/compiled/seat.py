"""A seat at a table: it acts on its view, and learns from the log it was shown."""

from bolicho.agents.markov.compiled.decide import decide
from bolicho.agents.markov.compiled.hand import note, open_hand
from bolicho.agents.markov.compiled.learn import learn_hand, note_bluff
from bolicho.agents.markov.compiled.minima import adapt_minima
from bolicho.agents.markov.states import NUM_TRUCO
from bolicho.games.jit import njit, rule
from bolicho.games.truco import kernel as k

NO_HAND = -1


@njit
def begin(minds, seat):
    """A match begins for the player `minds[0]`."""
    sit_down(minds[0], seat)


@rule
def sit_down(m, seat):
    """A match begins: nothing is remembered of the last one."""
    for j in range(NUM_TRUCO):
        m.bluffs[seat, j] = 0
    m.memory[seat, -1, 0] = 0
    m.hand_number[seat] = NO_HAND


@njit
def act(pool, seat, minds, hands, luck, rows, learns):
    """The action of the player `minds[0]`, which sees `pool[0]` and, in `rows`, what happened so far."""
    s, m = pool[0], minds[0]
    if m.hand_number[seat] != s.hand_number:
        look_back(m, seat, hands[0], rows, learns)
        m.hand_number[seat] = s.hand_number
        for i in range(3):
            m.cards[seat, i] = s.dealt[seat, i]
    return decide(s, seat, m, luck)


@njit
def end(minds, seat, hands, rows, learns):
    """The match is over: look back at its last hand."""
    look_back(minds[0], seat, hands[0], rows, learns)
    if learns:
        adapt_minima(minds[0])


@rule
def look_back(m, seat, h, rows, learns):
    """Read the hand this seat last had a turn in, and make something of it."""
    last = m.hand_number[seat]
    if last == NO_HAND:
        return
    start = len(rows) - 1
    while start >= 0 and not (rows[start, 0] == k.DEALT and rows[start, 2] == last):
        start -= 1
    if start < 0:
        return
    open_hand(h, rows[start, 1])
    for i in range(3):
        h.mine[i] = m.cards[seat, i]
    row = start + 1
    while row < len(rows) and rows[row, 0] != k.DEALT:
        note(h, seat, rows[row])
        row += 1
    close_hand(h, seat, m, learns)


@rule
def close_hand(h, seat, m, learns):
    """A hand is over: remember a bluff, and learn all there is or nothing."""
    if h.mine[0] != k.NONE:  # otherwise it never had a turn: its cards are unknown even to this player
        if h.called > 0 and h.winner != k.NONE:
            note_bluff(h, seat, m.bluffs[seat])
        if learns:
            learn_hand(h, seat, m)
    m.memory[seat, -1, 0] = 0
