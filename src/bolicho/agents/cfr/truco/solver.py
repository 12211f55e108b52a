"""Storage for training a hand of Truco by vectors, and the layout of its results."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bolicho.agents.cfr.truco.compiled import opening as op
from bolicho.agents.cfr.truco.compiled import points as pt
from bolicho.agents.cfr.truco.compiled import public
from bolicho.agents.cfr.truco.compiled.bets import ANSWER, ANSWERS_P, NODES, bets
from bolicho.agents.cfr.truco.compiled.blocks import (
    CARDS,
    MAO_LEAVES,
    NEXT,
    PREPARED,
    RESPONDER,
    SEEN,
    STATES,
    STEPS_2,
    STEPS_3,
    TARGET,
    blocks,
    choices_of,
    steps_of,
)
from bolicho.agents.cfr.truco.compiled.first import First
from bolicho.agents.cfr.truco.compiled.points import Opening
from bolicho.agents.cfr.truco.compiled.public import keys
from bolicho.agents.cfr.truco.compiled.second import PLAYS, Second, Solver
from bolicho.agents.cfr.truco.compiled.third import OUTCOMES, Third
from bolicho.agents.cfr.truco.hands import CLASSES, PAIRS, SETS, TOLD, Hands, hands

ROOM = 100_000_000  # maximum number of learned shares


def _zeros(*shape: int) -> Any:
    return np.zeros(shape, np.float32)


def _third() -> Third:
    n, c, o = NODES, CLASSES, OUTCOMES
    return Third(
        _zeros(n, c), _zeros(n, c), _zeros(n, 4, c), _zeros(n, 4, c), _zeros(n, c), _zeros(n, c),
        _zeros(n, o), _zeros(n, c), _zeros(n, 4, o), _zeros(n, 4, o), _zeros(n, o), _zeros(n, c), _zeros(o),
    )  # fmt: skip


def _second() -> Second:
    n, p, c = NODES, PAIRS, CLASSES
    return Second(
        _zeros(n, p), _zeros(n, p), _zeros(n, 5, p), _zeros(n, 5, p), _zeros(n, p), _zeros(n, p),
        _zeros(n, p), _zeros(n, c), _zeros(n, 5, p), _zeros(n, 5, p), _zeros(n, p), _zeros(n, c),
        _zeros(p), _zeros(p), _zeros(c), _zeros(SEEN, c, p), _zeros(SEEN, p, c), _zeros(SEEN, SEEN, c, c),
        _zeros(SEEN, SEEN, c, c), _zeros(2, 4), _zeros(n, PLAYS, p), _zeros(n, PLAYS, p),
    )  # fmt: skip


def _first(h: Hands) -> First:
    n, s, p = NODES, SETS, PAIRS
    beside = h.set_of[np.arange(CLASSES)[:, None], h.pairs[:, 0], h.pairs[:, 1]]
    turned = np.ascontiguousarray(h.core[:, beside].transpose(1, 0, 2))  # (class, set, pair)
    pairs = [_zeros(p) for _ in range(6)]
    return First(  # type: ignore[call-arg]  # a list is unpacked
        _zeros(n, s), _zeros(n, s), _zeros(n, 6, s), _zeros(n, 6, s), _zeros(n, s), _zeros(n, s),
        _zeros(n, s), _zeros(n, p), _zeros(n, 5, s), _zeros(n, 5, s), _zeros(n, s), _zeros(n, p),
        *pairs, _zeros(s), turned, np.ones(2, np.float32), _zeros(9, 2, 4),
    )  # fmt: skip


class Places(NamedTuple):
    """Offsets of the shares for a hand's opening, and their end."""

    mao: NDArray[np.int64]
    pe: NDArray[np.int64]
    points: NDArray[np.int64]
    flor: NDArray[np.int64]
    end: int


def _places(types: int) -> Places:
    end = 0

    def lay(n: int) -> int:
        nonlocal end
        end += n * types
        return end - n * types

    mao = np.array([lay(op.MAO_CHOICES)])
    pe = np.array([lay(op.PE_CHOICES) for _ in range(CLASSES)])
    points = np.array([[lay(2 + len(calls)) for calls in pt.CALLS] for _ in range(CLASSES + 1)])
    flor = np.array([lay(n) for n in op.FLOR_CHOICES])
    return Places(mao, pe, points, flor, end)


def _opening(h: Hands, places: Places) -> Opening:
    types = len(h.type_set)
    k, t, s = pt.ENVIDOS, types, SETS
    sets = [_zeros(s) for _ in range(6)]
    return Opening(  # type: ignore[call-arg]  # a list is unpacked
        *places[:4], pt.LEADS,
        pt.OPENER_ANSWERS, pt.STAKES, pt.REFUSALS, (~h.type_flor).astype(np.float32),
        _zeros(t), _zeros(t), _zeros(9, t), _zeros(8, t), _zeros(t), _zeros(8, t), _zeros(7, t), _zeros(t),
        _zeros(k, t), _zeros(k, t), _zeros(k, 5, t), _zeros(k, 4, t), _zeros(k, t), _zeros(k, t),
        _zeros(t), _zeros(t), _zeros(t), _zeros(t), *sets,
        _zeros(pt.POINTS, s), _zeros(pt.POINTS, s), np.zeros((2, pt.POINTS)),
        _zeros(TOLD, pt.AS_PE + CLASSES, 8, 2, s), np.full((TOLD, pt.AS_PE + CLASSES, 8), -1, np.float32),
        _zeros(t), _zeros(2, PAIRS), _zeros(s),
    )  # fmt: skip


def solver(target: int) -> Solver:
    """Allocate the solver of a hand, untrained."""
    h = hands()
    places = _places(len(h.type_set))
    laid, end = blocks(h, places.end)
    counts = np.zeros(10, np.int64)
    counts[NEXT] = end
    counts[STEPS_2], counts[STEPS_3] = steps_of(h)
    counts[PREPARED] = -1
    counts[TARGET] = target
    counts[RESPONDER] = -1
    return Solver(
        h, bets(), laid, _opening(h, places), _first(h), _second(), _third(), _zeros(ROOM), _zeros(ROOM), counts
    )


class Group(NamedTuple):
    """Situations of one kind and shape, in different blocks."""

    keys: NDArray[np.uint64]
    where: NDArray[np.int64]  # indices of the blocks
    first: int  # offset from the start of its block
    choices: int
    rows: int


OPENING, SECOND, THIRD = range(3)
"""Kinds of blocks; a hand's opening and the first round share one block."""


def groups(h: Hands, seconds: NDArray[np.int64], thirds: NDArray[np.int64]) -> Iterator[tuple[int, Group]]:
    """Yield all situations of some blocks in a fixed order; each group with the kind of its blocks."""
    types = len(h.type_set)
    places = _places(types)
    laid, _ = blocks(h, places.end)

    def group(kind: int, numbers: Any, card: int, node: int, first: int, n: int, rows: int) -> Group:
        numbers = np.atleast_1d(numbers)
        return Group(keys(kind, numbers, card, node), np.arange(len(numbers)), first, n, rows)

    yield OPENING, group(public.MAO_OPENS, 0, 0, 0, places.mao[0], op.MAO_CHOICES, types)
    for c in range(CLASSES):
        yield OPENING, group(public.PE_OPENS, 0, c, 0, places.pe[c], op.PE_CHOICES, types)
    for who in range(CLASSES + 1):
        for node, calls in enumerate(pt.CALLS):
            yield OPENING, group(public.ENVIDO, who, 0, node, places.points[who, node], 2 + len(calls), types)
    for node, n in enumerate(op.FLOR_CHOICES):
        yield OPENING, group(public.FLOR, 0, 0, node, places.flor[node], n, types)
    for told in range(TOLD):
        for node, first, n, rows in _nodes(laid.first_lead[told], CARDS, SETS, SETS, int(told in MAO_LEAVES)):
            yield OPENING, group(public.FIRST_LEAD, told, 0, node, first, n, rows)
        for c in range(CLASSES):
            for node, first, n, rows in _nodes(laid.first_follow[told, c], CARDS, SETS, PAIRS):
                yield OPENING, group(public.FIRST_FOLLOW, told, c, node, first, n, rows)
    for state in range(STATES):
        at = np.flatnonzero(seconds % STATES == state)
        for node, first, n, rows in _nodes(laid.second_lead[state], CARDS, PAIRS, PAIRS):
            yield SECOND, group(public.SECOND_LEAD, seconds[at], 0, node, first, n, rows)._replace(where=at)
        for d in range(SEEN):
            for node, first, n, rows in _nodes(laid.second_follow[state, d], CARDS, PAIRS, CLASSES):
                yield SECOND, group(public.SECOND_FOLLOW, seconds[at], d, node, first, n, rows)._replace(where=at)
        at = np.flatnonzero(thirds % STATES == state)
        for node, first, n, rows in _nodes(laid.third_lead[state], 1, CLASSES, CLASSES):
            yield THIRD, group(public.THIRD_LEAD, thirds[at], 0, node, first, n, rows)._replace(where=at)
        for node, first, n, rows in _nodes(laid.third_follow[state], 1, OUTCOMES, CLASSES):
            yield THIRD, group(public.THIRD_FOLLOW, thirds[at], 0, node, first, n, rows)._replace(where=at)


def _nodes(at: NDArray[np.int64], plays: int, rows_p: int, rows_o: int, extra: int = 0) -> Iterator[tuple[int, ...]]:
    """Yield the decision nodes of a block: node, offset, choices, rows."""
    for node in range(NODES):
        n = choices_of(node, plays, extra)
        if at[node] >= 0 and n > 1:
            yield node, int(at[node]), n, rows_p if node < ANSWER or ANSWERS_P[node] else rows_o


def points(target: int) -> Any:
    """Return the values of scores where points are the payoff: those of the mão minus those of the other seat."""
    scores = np.arange(3 * target + 8, dtype=np.float64)
    return scores[:, None] - scores[None, :]
