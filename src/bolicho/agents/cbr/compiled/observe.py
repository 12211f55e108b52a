"""Replay of games: the cases of one seat; compiled."""

from bolicho.agents import kernel as players
from bolicho.agents.cbr import domain
from bolicho.agents.cbr.compiled.decision import fewest
from bolicho.games import kernel as game
from bolicho.games.compiled.chance import stream
from bolicho.games.jit import njit


@njit
def record_game(pool, actions, seat, case, out):
    """Play `actions` from a new deal and write the finished cases of a seat; return their number."""
    n = domain.record_case(pool[0], seat, case[0], out)
    for action in actions:
        game.apply(pool[0], action)
        n += domain.record_case(pool[0], seat, case[0], out[n:])
    return n


@njit
def record_player(player, memory, key, enough, pool, actions, seat, view, case, out, rare):
    """Write cases as `record_game` does, for a case-based player's seat: its decisions are repeated with the same luck.

    `rare` receives for each case whether any of its questions found fewer than `enough` cases at the first threshold.
    """
    n = domain.record_case(pool[0], seat, case[0], out)
    missed = False
    for ply in range(len(actions)):
        if pool[0].turn == seat:
            view[0] = pool[0]
            game.hide(view[0], seat)
            players.decide(player, memory[0], view[0], seat, stream(key, ply))
            missed |= fewest(player.trace) < enough
        game.apply(pool[0], actions[ply])
        done = domain.record_case(pool[0], seat, case[0], out[n:])
        for i in range(n, n + done):
            rare[i] = missed
            missed = False
        n += done
    return n


@njit
def find_suicides(cases, room, switches, out):
    """Write for each case the predicate of its suicide move, or -1, and the kinds of decision with such a move."""
    for i in range(len(cases)):
        out[i, 0], out[i, 1] = domain.suicidal(cases[i], room, switches)
