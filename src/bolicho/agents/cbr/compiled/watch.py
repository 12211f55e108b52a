"""Games watched again, compiled: the cases that a seat made of them."""

from bolicho.agents import kernel as players
from bolicho.agents.cbr import domain
from bolicho.agents.cbr.compiled.decision import fewest
from bolicho.games import kernel as game
from bolicho.games.compiled.chance import stream
from bolicho.games.jit import njit


@njit
def watch_game(pool, actions, seat, case, out):
    """Play `actions` from a position just dealt and write the finished cases of a seat; how many."""
    n = domain.watch(pool[0], seat, case[0], out)
    for action in actions:
        game.apply(pool[0], action)
        n += domain.watch(pool[0], seat, case[0], out[n:])
    return n


@njit
def watch_player(player, memory, key, enough, pool, actions, seat, view, case, out, rare):
    """As `watch_game`, where a case-based player had that seat: it is asked everything again, with the luck it had.

    Into `rare` goes, case by case, whether any of its questions found fewer than `enough` cases at the first threshold.
    """
    n = domain.watch(pool[0], seat, case[0], out)
    missed = False
    for ply in range(len(actions)):
        if pool[0].turn == seat:
            view[0] = pool[0]
            game.hide(view[0], seat)
            players.decide(player, memory[0], view[0], seat, stream(key, ply))
            missed |= fewest(player.trace) < enough
        game.apply(pool[0], actions[ply])
        done = domain.watch(pool[0], seat, case[0], out[n:])
        for i in range(n, n + done):
            rare[i] = missed
            missed = False
        n += done
    return n


@njit
def find_suicides(cases, room, switches, out):
    """Write the predicate that names a move of each case, or -1, and the kinds of decision with such a move."""
    for i in range(len(cases)):
        out[i, 0], out[i, 1] = domain.suicidal(cases[i], room, switches)
