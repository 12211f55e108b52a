"""Matches of a player that learns after each one: the step of `agents.loop`, at one table."""

import numpy as np

from bolicho.agents import kernel as players
from bolicho.games import kernel
from bolicho.games.compiled.chance import stream
from bolicho.games.jit import njit, rule
from bolicho.games.truco import kernel as k


@njit
def play_match(table, view, learner, memory, teacher, idle, seats, deal, luck, told):
    """Play a match: the learner has `seats`, the teacher, which has no memory, the remaining seat.

    `told` also gives the learner the points of the opponent's envido or flor, as in the author's scripts: it learns
    from them but never decides by them.
    """
    kernel.deal(table[0], deal)
    for i in range(len(seats)):
        players.forget(learner, memory[0, seats[i]], seats[i])
    observe_seats(learner, memory, table, seats, view)
    ply = 0
    while table[0].turn >= 0:
        if told:
            reveal_points(table[0], memory)
        seat = np.int64(table[0].turn)
        view[0] = table[0]
        kernel.hide(view[0], seat)
        drawn = stream(luck[seat], ply)
        if seat == seats[0] or seat == seats[-1]:
            action = players.decide(learner, memory[0, seat], view[0], seat, drawn)
        else:
            action = players.decide(teacher, idle[0], view[0], seat, drawn)
        kernel.apply(table[0], action)
        observe_seats(learner, memory, table, seats, view)
        ply += 1
    for i in range(len(seats)):
        players.finish(learner, memory[0, seats[i]], view[0], seats[i])


@njit
def observe_seats(learner, memory, table, seats, view):
    """Let the learner observe the last events, from each of its seats."""
    for i in range(len(seats)):
        players.note(learner, memory[0, seats[i] : seats[i] + 1], table, seats[i], view)


@rule
def reveal_points(s, memory):
    """Write the points of each seat's flor, or else envido, in this hand into the other seat's memory."""
    for seat in range(2):
        memory[0, 1 - seat].told = k.flor_of(s, seat) if k.holds_flor(s, seat) else k.envido_of(s, seat)
