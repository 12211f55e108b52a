"""File format of a Truco strategy learned by vectors.

A file lists its blocks (`seconds`, `thirds`: see `compiled.numbers`), which define the order of its rows. Rows of
shares, one for each holding in each situation, repeat often, so the file stores every distinct row once, for each
number of choices (`patterns-N`), and the compressed index of each row (`rows-N`).
"""

import lzma
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bolicho.agents.cfr.truco import steps
from bolicho.agents.cfr.truco.compiled.numbers import STATES, Blocks
from bolicho.agents.cfr.truco.compiled.player import Drawing, where
from bolicho.agents.cfr.truco.compiled.public import NODES, NOT_LAID, Places
from bolicho.agents.cfr.truco.compiled.rounds import SEEN
from bolicho.agents.cfr.truco.hands import BOTH_FLOR, MAO_FLOR, TOLD, hands
from bolicho.agents.cfr.truco.match import NO_SCORES, Scores
from bolicho.agents.cfr.truco.solver import Layouts, Memory, Solver, blocks, layouts
from bolicho.errors import BadInput
from bolicho.games.game import Game, View
from bolicho.store.artifact import Arrays

FORM = "vectors"
FULL = 15  # total of a mixture's shares: four bits per share
LEAST = 1e-9
"""Minimum share of all play in training; rows with less are left out."""

COARSE = (7, 7)  # memory of files that do not state it
CHOICES = "small"  # abstraction whose choices are considered: all have the same
OTHER_RULES = (
    "play by the default rules, to any number of points or hands, "
    "or take balanced, which plays and judges (`--by balanced`) by any rules of truco"
)
"""Advice for other rules than those of the file; trainings of vectors and profiles support the default rules."""

_EIGHTHS = 8  # steps of stored visits per factor of two


@dataclass(frozen=True)
class Vectors:
    """Learned strategy of single hands of Truco."""

    game: Game
    places: Places
    shares: NDArray[np.uint8]
    starts: NDArray[np.int64]  # begins of blocks, ascending
    visits: NDArray[np.uint8]  # of each block

    def visited(self, at: int) -> int:
        """Return the approximate number of training visits to the block of shares at an index."""
        number = int(np.searchsorted(self.starts, at, "right")) - 1
        return round(2 ** (int(self.visits[number]) / _EIGHTHS))

    def situation(self, player: NamedTuple, memory: NDArray[np.void], view: View) -> int:
        """Return the index of the shares of a view's choices, or NOT_LEARNED."""
        return int(where(player, view.pool, view.seat))

    def player(self, scores: Scores = NO_SCORES) -> Drawing:
        """Create the player of the strategy; in matches with learned scores."""
        width = self.game.num_actions
        room = (np.zeros(width, np.int16), np.zeros(width, np.int16), np.zeros(width, np.int16), np.zeros(width))
        return Drawing(hands(), steps(CHOICES), self.places, self.shares, *room, scores.envido)


OPENING, SECOND, THIRD = range(3)
"""Kinds of blocks; the opening and first rounds share one block."""


class Group(NamedTuple):
    """Information sets of one situation in all blocks that have it."""

    kind: int
    where: NDArray[np.int64]  # indices of the blocks
    offset: int  # from the begin of the block
    choices: int
    rows: int


def groups(laid: Layouts, seconds: NDArray[np.int64], thirds: NDArray[np.int64]) -> Iterator[Group]:
    """Yield all situations of some second and third rounds, and of the opening, in the order of files."""
    one = np.zeros(1, np.int64)
    for _, place in laid.opening.situations():
        yield Group(OPENING, one, *place)
    for told in range(TOLD):
        for (look, node, deck), (offset, n, rows) in laid.first.situations():
            if deck == (look < 0 and node == 0 and told in (BOTH_FLOR, MAO_FLOR)):
                yield Group(OPENING, one, laid.opening.size + told * laid.first.size + offset, n, rows)
    for state in range(STATES):
        for kind, numbers, layout in ((SECOND, seconds, laid.second[state]), (THIRD, thirds, laid.third[state])):
            where = np.flatnonzero(numbers % STATES == state)
            for _, place in layout.situations():
                yield Group(kind, where, *place)


def packed(made: Solver, least: float = LEAST) -> Arrays:
    """Return the average strategy, in steps of 1 / FULL.

    Rows with less than `least` of all play are left out.
    """
    laid = made.blocks
    seconds, thirds = np.flatnonzero(laid.seconds >= 0), np.flatnonzero(laid.thirds >= 0)
    average = made.opening.learned.average[: made.used]
    total = average.sum(dtype=np.float64)
    begins = (np.zeros(1, np.int64), laid.seconds[seconds], laid.thirds[thirds])
    rows: dict[int, list[NDArray[np.uint8]]] = {}
    for kind, blocks_, offset, n, count in groups(made.layouts, seconds, thirds):
        at = (begins[kind][blocks_] + offset)[:, None] + np.arange(count)
        shares = average[at.ravel()[:, None] + count * np.arange(n)].astype(np.float64)
        sums = shares.sum(axis=1, keepdims=True)
        rows.setdefault(n, []).append(_in_steps(np.where(sums > least * total, shares / np.maximum(sums, 1e-300), 0)))
    arrays: Arrays = {
        "seconds": seconds.astype(np.uint32),
        "thirds": thirds.astype(np.uint32),
        "second-visits": _few_bits(laid.second_visits[seconds]),
        "third-visits": _few_bits(laid.third_visits[thirds]),
    }
    for n in sorted(rows):
        patterns, number = np.unique(np.concatenate(rows[n]), axis=0, return_inverse=True)
        arrays[f"patterns-{n}"] = patterns
        halves = number.astype("<u2").view(np.uint8).reshape(-1, 2).T
        arrays[f"rows-{n}"] = np.frombuffer(lzma.compress(halves.tobytes(), preset=9), np.uint8)
    return arrays


def _few_bits(visits: NDArray[np.int64]) -> NDArray[np.uint8]:
    return np.round(_EIGHTHS * np.log2(np.maximum(1, visits))).astype(np.uint8)


def _in_steps(shares: NDArray[np.float64]) -> NDArray[np.uint8]:
    """Return shares as steps that add up to FULL, or to nothing; the largest share absorbs the rounding error."""
    stepped = np.floor(shares * FULL + 0.5).astype(np.int64)
    lacking = np.where(shares.sum(axis=1) > 0, FULL, 0) - stepped.sum(axis=1)
    stepped[np.arange(len(shares)), np.argmax(shares, axis=1)] += lacking
    return stepped.astype(np.uint8)


def unpacked(game: Game, arrays: Arrays, facts: Mapping[str, Any], where: object) -> Vectors:
    """Return the strategy of a file."""
    try:
        return _read(game, arrays, facts)
    except (KeyError, ValueError, IndexError, lzma.LZMAError):
        raise BadInput(f"{where} lacks shares for some of its situations; train it again") from None


def _read(game: Game, arrays: Arrays, facts: Mapping[str, Any]) -> Vectors:
    seconds, thirds = arrays["seconds"].astype(np.int64), arrays["thirds"].astype(np.int64)
    laid, memory = layouts(), Memory(*facts.get("memory", COARSE))
    table, end = blocks(memory, 0), laid.opening.size + TOLD * laid.first.size
    for begins, numbers, sizes in ((table.seconds, seconds, laid.second), (table.thirds, thirds, laid.third)):
        long = np.array([layout.size for layout in sizes])[numbers % STATES]
        begins[numbers] = end + np.cumsum(long) - long
        end += int(long.sum())
    shares = np.zeros(end, np.uint8)
    numbers_of = {int(name.removeprefix("rows-")): _numbers(arrays[name]) for name in arrays if "rows-" in name}
    read = dict.fromkeys(numbers_of, 0)
    starts = (np.zeros(1, np.int64), table.seconds[seconds], table.thirds[thirds])
    for kind, blocks_, offset, n, count in groups(laid, seconds, thirds):
        number = numbers_of[n][read[n] : read[n] + len(blocks_) * count]
        if len(number) < len(blocks_) * count or arrays[f"patterns-{n}"].shape[1] != n:
            raise ValueError
        read[n] += len(number)
        at = (starts[kind][blocks_] + offset)[:, None] + np.arange(count * n)
        shares[at] = arrays[f"patterns-{n}"][number].reshape(at.shape)
    if any(read[n] != len(numbers_of[n]) for n in numbers_of):
        raise ValueError
    visits = (_few_bits(np.array([int(facts["iterations"])])), arrays["second-visits"], arrays["third-visits"])
    return Vectors(game, _places(laid, table), shares, np.concatenate(starts), np.concatenate(visits))


def _numbers(compressed: NDArray[np.uint8]) -> NDArray[np.uint16]:
    """Return the numbers of the patterns of rows, which are stored as low bytes and high bytes."""
    halves = np.frombuffer(lzma.decompress(compressed.tobytes()), np.uint8)
    found: NDArray[np.uint16] = halves.reshape(2, -1).T.copy().view("<u2")[:, 0]
    return found


def _places(laid: Layouts, table: Blocks) -> Places:
    """Return the offsets of situations for compiled code."""
    opening, first = (np.full(shape, NOT_LAID) for shape in ((4, SEEN, 7), (SEEN + 1, NODES, 2)))
    second, third = (np.full((STATES, looks, NODES), NOT_LAID) for looks in (SEEN + 1, 2))
    for key, place in laid.opening.situations():
        opening[key] = place[0]
    for (look, node, deck), place in laid.first.situations():
        first[look + 1, node, deck] = place[0]
    for found, layouts_ in ((second, laid.second), (third, laid.third)):
        for state, layout in enumerate(layouts_):
            for (look, node, _), place in layout.situations():
                found[state, look + 1, node] = place[0]
    return Places(
        opening, first, second, third, np.array([laid.opening.size, laid.first.size]), table, np.zeros(4, np.int64)
    )
