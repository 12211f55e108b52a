"""Monte Carlo tree search as a compiled player: the same decisions as the agent `mcts`, in one call."""

from typing import NamedTuple

import numpy as np

from bolicho.agents.kernel import decide
from bolicho.agents.search.compiled.leaf import ROOT
from bolicho.agents.search.compiled.mcts import SearchParameters, SearchTree, Ways, iterate, root_arms, unit
from bolicho.agents.search.compiled.playout import SearchWorkspace
from bolicho.agents.search.compiled.worlds import Worlds
from bolicho.games import kernel
from bolicho.games.compiled.chance import stream
from bolicho.games.jit import njit
from bolicho.games.kernel import implements

_ONE, _TOP, _ROTATED, _WORD = np.uint64(1), np.uint64(63), np.uint64(58), np.uint64(64)
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_M_HIGH, _M_LOW = np.uint64(0x2360ED051FC65DA4), np.uint64(0x4385DF649FCCF645)  # multiplier of PCG64


class Searching(NamedTuple):
    """Work arrays and options of a search."""

    tree: SearchTree
    ways: Ways
    room: SearchWorkspace
    worlds: Worlds
    mode: int
    modelled: bool
    patient: bool
    drawn: int  # worlds used in turn; 0: a new one for every iteration
    iterations: int
    trials: int  # playouts that estimate the spread of payoffs
    exploration: float


@njit
def _product(a, b):
    """Return the high and the low word of a product, bit by bit: WebAssembly has no product of 128 bits."""
    high = np.uint64(0)
    low = np.uint64(0)
    for i in range(64):
        bit = np.uint64(63 - i)
        high = (high << _ONE) | (low >> _TOP)
        low = low << _ONE
        if (b >> bit) & _ONE:
            low += a
            if low < a:
                high += _ONE
    return high, low


@njit
def _stepped(high, low, inc_high, inc_low):
    """Return the next state of PCG64."""
    over, product = _product(low, _M_LOW)
    top = high * _M_LOW + low * _M_HIGH + over
    added = product + inc_low
    return top + inc_high + (_ONE if added < product else np.uint64(0)), added


@njit
def seed_of(luck):
    """Return the number that `rng.integers(1 << 63)` draws from the generator of this luck (`agents.player.Luck`)."""
    inc_high = _GOLDEN << _ONE
    inc_low = np.uint64(3)  # (_GOLDEN, 1), twice and one more
    high, low = _stepped(np.uint64(0), np.uint64(0), inc_high, inc_low)
    added = low + (luck ^ _GOLDEN)
    high = high + luck + (_ONE if added < low else np.uint64(0))
    high, low = _stepped(high, added, inc_high, inc_low)
    high, low = _stepped(high, low, inc_high, inc_low)
    mixed, turn = high ^ low, high >> _ROTATED
    drawn = (mixed >> turn) | (mixed << ((_WORD - turn) & _TOP))
    return drawn >> _ONE


@njit
def _parameters(p, seat, bonus, seed):
    return SearchParameters(seat, p.mode, p.modelled, p.patient, p.drawn, p.iterations, bonus, seed)


@implements(decide, Searching)
@njit
def decide_by_search(player, memory, view, seat, luck):
    room, tree = player.room, player.tree
    room.pool[ROOT] = view
    count = kernel.legal(room.pool[ROOT], room.legal)
    if count == 1:
        return np.int64(room.legal[0])
    tree.status[:] = 0
    for i in range(len(tree.nodes)):
        tree.nodes[i].used = 0
    own = seed_of(np.uint64(luck))
    task = _parameters(player, seat, 0.0, own)
    scale = unit(player.ways, room, task, player.worlds, player.trials, stream(own, np.uint64(0) - _ONE))
    task = _parameters(player, seat, player.exploration * scale, own)
    iterate(tree, player.ways, room, task, player.worlds, 0, player.iterations)
    return _most_visited(player, task)


@njit
def _most_visited(player, task):
    """Return the action with the most visits, of several the one with the highest mean, of these the last."""
    actions = len(player.room.legal)
    visits, totals = np.zeros(actions, np.int64), np.zeros(actions)
    count = root_arms(player.tree, player.room, task, visits, totals)
    best = np.int64(player.room.legal[0])
    for i in range(1, count):
        action = np.int64(player.room.legal[i])
        same = visits[action] == visits[best]
        worth, most = totals[action] / visits[action], totals[best] / visits[best]
        if visits[action] > visits[best] or (same and (worth >= most or worth != worth)):
            best = action
    return best
