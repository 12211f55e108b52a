"""Trials of turns: every item from one position, each played to the end of the game (see `cbr.turns`); compiled."""

import numpy as np

from bolicho.agents import kernel as players
from bolicho.agents.cbr import domain
from bolicho.agents.cbr.compiled.decision import fewest
from bolicho.agents.cbr.domain import MAX_EQUAL, MAX_ITEMS, MAX_NUMERIC
from bolicho.agents.cbr.turns import MOST_POINTS
from bolicho.games import kernel as game
from bolicho.games.compiled.chance import stream
from bolicho.games.jit import njit, rule


@njit
def play_on(player, memory, key, ply, pool, view):
    """Play a position to its end with one player in every seat."""
    while not game.over(pool[0]):
        seat = np.int64(pool[0].turn)
        view[0] = pool[0]
        game.hide(view[0], seat)
        game.apply(pool[0], players.decide(player, memory[0], view[0], seat, stream(key, ply)))
        ply += 1


@njit
def lead(s, seat, seats, scores):
    """Return the points ahead of the best other seat."""
    game.scores(s, scores)
    best = -np.inf
    for other in range(seats):
        if other != seat:
            best = max(best, scores[other])
    return scores[seat] - best


@rule
def set_outcome(case, worths, allowed, item):
    """Set the outcome of an item relative to the mean of the other items tried."""
    total, others = 0.0, 0
    for other in range(MAX_ITEMS):
        if other != item and allowed >> other & 1:
            total += worths[other]
            others += 1
    points = np.int64(np.rint(worths[item] - total / others))
    case.item = item
    case.points = max(-MOST_POINTS, min(MOST_POINTS, points))
    case.halves = 1 + (points > 0) - (points < 0)


@njit
def try_turn(judge, memory, key, ply, pool, seats, seat, rooms, query, case, done, out):
    """Try every item of a turn; write the cases of all, or of the action `done` (if not negative); return their number.

    `rooms` are two work records and numbers for every seat and every item.
    """
    trial, view, scores, worths = rooms
    view[0] = pool[0]
    game.hide(view[0], seat)
    if domain.question(view[0], seat, 0, query[0], case[0]) < 0:
        return 0
    allowed, now = np.int64(query[0].allowed), case[0]
    if allowed & (allowed - 1) == 0:
        return 0  # no choice
    for item in range(MAX_ITEMS):
        if allowed >> item & 1:
            trial[0] = pool[0]
            game.apply(trial[0], np.int64(now.actions[item]))
            play_on(judge, memory, key, ply + 1, trial, view)
            worths[item] = lead(trial[0], seat, seats, scores)
    n = 0
    for item in range(MAX_ITEMS):
        if allowed >> item & 1 and (done < 0 or now.actions[item] == done):
            for i in range(MAX_NUMERIC):
                out[n].numeric[i] = now.numeric[i]
            for i in range(MAX_EQUAL):
                out[n].equal[i] = now.equal[i]
            set_outcome(out[n], worths, allowed, item)
            n += 1
    return n


@njit
def try_game(judge, memory, key, pool, actions, seats, seat, rooms, query, case, out):
    """Write the cases of a seat's turns in a game, each compared with its alternatives; return their number."""
    n = 0
    for ply in range(len(actions)):
        if pool[0].turn == seat:
            n += try_turn(
                judge, memory, key, ply, pool, seats, seat, rooms, query, case, np.int64(actions[ply]), out[n:]
            )
        game.apply(pool[0], actions[ply])
    return n


@njit
def try_player(player, memory, key, enough, pool, actions, seats, seat, rooms, query, case, out):
    """Try all items at the rare turns of the case-based `player`, which also judges, as `try_game` does.

    A turn is rare if its question found fewer than `enough` cases at the first threshold.
    """
    n = 0
    view = rooms[1]
    for ply in range(len(actions)):
        if pool[0].turn == seat:
            view[0] = pool[0]
            game.hide(view[0], seat)
            players.decide(player, memory[0], view[0], seat, stream(key, ply))
            if fewest(player.trace) < enough:
                n += try_turn(player, memory, key, ply, pool, seats, seat, rooms, query, case, np.int64(-1), out[n:])
        game.apply(pool[0], actions[ply])
    return n
