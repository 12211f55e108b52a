"""Markov player by the contract of `agents.kernel`: decisions, observation, and optional learning."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bolicho.agents import kernel as players
from bolicho.agents.markov.compiled.bets import answer_envido, answer_flor, answer_truco, open_envido, open_truco
from bolicho.agents.markov.compiled.cards import choose_card
from bolicho.agents.markov.compiled.hand import no_hand, note, open_hand, was_raised
from bolicho.agents.markov.compiled.learn import learn_hand, note_bluff
from bolicho.agents.markov.compiled.minima import adapt_minima
from bolicho.agents.markov.compiled.opponent_states import NOBODY
from bolicho.agents.markov.layout import LEARNS
from bolicho.agents.markov.states import NUM_TRUCO
from bolicho.games.jit import njit, rule
from bolicho.games.kernel import implements
from bolicho.games.truco import kernel as k


class MarkovPlayer(NamedTuple):
    """Markov player: its complete state, one record of type `layout.PLAYER_STATE`."""

    minds: NDArray[np.void]


@implements(players.decide, MarkovPlayer)
@njit
def decide(player, h, s, seat, luck):
    """Decide by a series of questions until an answer is an action; each uses two numbers of luck."""
    m = player.minds[0]
    m.trace[-1, 0] = 0
    m.weighed = 0
    if s.pending == k.TRUCO_BET:
        return answer_truco(s, seat, m, h, luck)
    if s.pending == k.ENVIDO_BET:
        return answer_envido(s, seat, m, h, luck)
    if s.pending == k.FLOR_BET:
        return answer_flor(s, seat, m, h, luck)
    if k.may_open_envido(s, seat):
        call = open_envido(s, seat, m, h, luck)
        if call != NOBODY:
            return call
    call = open_truco(s, seat, m, h, luck)
    return choose_card(s, seat, m, luck) if call == NOBODY else call


@implements(players.observe, MarkovPlayer)
@njit
def observe(player, h, event, seat):
    if event[0] == k.DEALT:
        close_hand(h, seat, player.minds[0])
        open_hand(h, event)
    else:
        note(h, seat, event)


@implements(players.forget, MarkovPlayer)
@njit
def forget(player, h, seat):
    no_hand(h)
    h.bluffed = 0
    for j in range(NUM_TRUCO):
        h.bluffs[j] = 0


@implements(players.finish, MarkovPlayer)
@njit
def finish(player, h, s, seat):
    close_hand(h, seat, player.minds[0])
    no_hand(h)
    if player.minds[0].options[LEARNS]:
        adapt_minima(player.minds[0])


@rule
def close_hand(h, seat, m):
    """Finish a hand: record a bluff, and learn if enabled."""
    if h.mine[0] != k.NONE:
        if was_raised(h):
            note_bluff(h, seat)
        if m.options[LEARNS]:
            learn_hand(h, seat, m)
