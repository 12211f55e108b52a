"""Nim with one heap: each seat in turn takes one, two or three; taking the last one wins.

A game of perfect information in a few lines: nothing is hidden but the seed.  With the rule `endless` the heap never
shrinks: a game that breaks the promise to end.
"""

from dataclasses import dataclass

import numba

from bolicho.games import kernel
from bolicho.games.compiled.chance import below
from bolicho.games.compiled.events import begin, choose
from bolicho.games.jit import rule
from bolicho.games.kernel import implements
from bolicho.games.kind import Kind
from bolicho.games.small_game import blank_of, state


@dataclass(frozen=True)
class Rules:
    most: int = 12
    endless: bool = False


STATE = state(("rule_most", "i1"), ("rule_endless", "i1"), ("heap", "i1"), ("winner", "i1"))
RECORD = numba.from_dtype(STATE)


@implements(kernel.deal, RECORD)
@rule
def deal(s, seed):
    begin(s)
    s.seed = seed
    s.heap = 1 + below(seed, 0, s.rule_most)
    s.winner = -1


@implements(kernel.legal, RECORD)
@rule
def legal(s, out):
    n = min(3, s.heap)
    for i in range(n):
        out[i] = i
    return n


@implements(kernel.apply, RECORD)
@rule
def apply(s, action):
    choose(s, action)
    if s.rule_endless == 0:
        s.heap -= action + 1
    if s.heap == 0:
        s.winner = s.turn
    s.turn = 1 - s.turn if s.heap > 0 else -1


@implements(kernel.payoff, RECORD)
@rule
def payoff(s, out):
    out[s.winner] = 1
    out[1 - s.winner] = -1


@implements(kernel.hide, RECORD)
@rule
def hide(s, seat):
    s.seed = 0


@implements(kernel.redeal, RECORD)
@rule
def redeal(s, seat, seed):
    s.seed = seed


NIM = Kind("nim", blank_of(STATE), ("one", "two", "three"), rules=Rules, perfect_information=True)
