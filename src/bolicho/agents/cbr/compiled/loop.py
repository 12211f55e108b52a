"""Whole games, compiled: self-play with one seat observed, and hands watched again."""

import numpy as np

from bolicho.agents.cbr import domain
from bolicho.agents.cbr.compiled.decision import ASKED, AT_FIRST, MAX_STAGES, decide
from bolicho.agents.cbr.domain import END
from bolicho.games import kernel as game
from bolicho.games.chance import below
from bolicho.games.jit import njit, rule

TICKETS = 1 << 32


@rule
def uniform(seed, i):
    """The i-th number of the stream `seed`, uniform in [0, 1)."""
    return below(seed, i, TICKETS) / TICKETS


@njit
def wipe(records):
    """Set records to zero bytes: no case is under way."""
    records.view(np.uint8)[:] = 0


@njit
def play_match(pool, seed, luck_seed, sides, indexes, groups, w, watched, enough, luck, trace, cases, rare):
    """Play one game between two case-based agents; seat i follows `sides[i]` with `indexes[i]`.

    The finished cases of seat `watched` (-1: nobody's) go to `cases`, and into `rare` whether any
    of the hand's questions found fewer than `enough` cases at its first threshold.  Returns how many.
    """
    s = pool[0]
    game.deal(s, seed)
    n = 0
    missed = False
    draws = 0
    case = cases[-1:]  # the hand under way
    if watched >= 0:
        wipe(case)
        n += domain.watch(s, watched, case[0], cases)
    while not game.over(s):
        seat = s.turn
        for i in range(2 * MAX_STAGES):
            luck[i] = uniform(luck_seed, draws + i)
        draws += 2 * MAX_STAGES
        action = decide(s, seat, indexes[seat], groups[seat], sides[seat], luck, w, trace)
        if seat == watched:
            for row in range(MAX_STAGES):
                if trace[row, ASKED] == END:
                    break
                missed |= trace[row, AT_FIRST] < enough
        game.apply(s, action)
        if watched >= 0:
            done = domain.watch(s, watched, case[0], cases[n:])
            for i in range(done):
                rare[n + i] = missed
                missed = False
            n += done
    return n


@njit
def watch_game(pool, actions, seat, case, out):
    """Play `actions` from a position just dealt and write the finished cases of a seat; how many."""
    n = domain.watch(pool[0], seat, case[0], out)
    for action in actions:
        game.apply(pool[0], action)
        n += domain.watch(pool[0], seat, case[0], out[n:])
    return n


@njit
def find_suicides(cases, room, switches, out):
    """The predicate that names a move of each case, or -1."""
    for i in range(len(cases)):
        out[i] = domain.suicidal(cases[i], room, switches)
