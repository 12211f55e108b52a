"""Agents that remember deals outside their object, named in experiments as `tests.arena.peeking:Peeks(memory=...)`.

An agent finds out which deal it plays from its luck, which works since the seed is known here.  That links the games of
a deal exactly, where a real cheat would compare cards or count games.
"""

import os
import threading
import time
from functools import cache, lru_cache
from queue import SimpleQueue
from typing import ClassVar

import numpy as np

from bolicho import Agent
from bolicho.agents.mirrored_games import deal_seed, luck_of_seats
from bolicho.games.compiled.chance import stream

HOME = "tests.arena.peeking"
SEED = 5
DEALS = 150  # the most in a test
PLIES = 8  # the first decision of a seat comes before that

_seen: set[int] = set()


@cache
def deals_by_luck(seats):
    return {
        int(stream(np.uint64(key), ply)): deal
        for deal in range(DEALS)
        for key in luck_of_seats(deal_seed(SEED, deal), seats)
        for ply in range(PLIES)
    }


def in_module(deal):
    known = deal in _seen
    _seen.add(deal)
    return known


@lru_cache(maxsize=1000)
def _box(deal):
    return []


def in_cache(deal):
    _box(deal).append(deal)
    return len(_box(deal)) > 1


def in_class(deal):
    known = deal in Peeks.seen
    Peeks.seen.add(deal)
    return known


@cache
def _thread():
    questions, answers = SimpleQueue(), SimpleQueue()

    def remember():
        seen = set()
        while True:
            deal = questions.get()
            answers.put(deal in seen)
            seen.add(deal)

    threading.Thread(target=remember, daemon=True).start()
    return questions, answers


def in_thread(deal):
    questions, answers = _thread()
    questions.put(deal)
    return answers.get()


@cache
def _child():
    (theirs, ours), (back, forth) = os.pipe(), os.pipe()
    if os.fork() == 0:
        seen = set()
        while True:
            deal = os.read(theirs, 1)
            os.write(forth, b"x" if deal in seen else b"-")
            seen.add(deal)
    return ours, back


def in_child(deal):
    ours, back = _child()
    os.write(ours, bytes([deal]))
    return os.read(back, 1) == b"x"


MEMORIES = {"module": in_module, "class": in_class, "cache": in_cache, "thread": in_thread, "child": in_child}


class Peeks(Agent):
    """Agent of the first legal action, and of the last one in deals that the memory of its process contains."""

    seen: ClassVar[set[int]] = set()

    def __init__(self, memory: str = "none", nap: float = 0.0) -> None:
        self.memory, self.nap = memory, nap

    def begin(self, game, seat):
        self.knows = None

    def act(self, view, rng):
        if self.knows is None:
            remember = MEMORIES.get(self.memory, lambda deal: False)
            self.knows = remember(deals_by_luck(view.game.seats)[int(rng.number)])
        time.sleep(self.nap)
        return view.legal[-1 if self.knows else 0]


class PeeksAndLearns(Peeks):
    learns = True
