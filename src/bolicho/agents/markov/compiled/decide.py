"""The decision of a turn: a list of questions, asked until one is answered by an action."""

from bolicho.agents.markov.compiled.bets import answer_envido, answer_flor, answer_truco, open_envido, open_truco
from bolicho.agents.markov.compiled.cards import choose_card
from bolicho.agents.markov.compiled.possible import NOBODY
from bolicho.games.jit import rule
from bolicho.games.truco import kernel as k


@rule
def decide(s, seat, m, luck):
    """The action of a player in a position hidden for it; `luck` holds two numbers a question."""
    m.trace[-1, 0] = 0
    if s.pending == k.TRUCO_BET:
        return answer_truco(s, seat, m, luck)
    if s.pending == k.ENVIDO_BET:
        return answer_envido(s, seat, m, luck)
    if s.pending == k.FLOR_BET:
        return answer_flor(s, seat, m, luck)
    if k.may_open_envido(s, seat):
        call = open_envido(s, seat, m, luck)
        if call != NOBODY:
            return call
    call = open_truco(s, seat, m, luck)
    return choose_card(s, seat, m, luck) if call == NOBODY else call
