"""File format of a Truco strategy learned by vectors.

A file lists its blocks (`seconds`, `thirds`: see `compiled.blocks`), which define the order of its rows. Rows of
shares, one for each holding in each situation, repeat often, so the file stores every distinct row once, for each
number of choices (`patterns-N`), and the compressed index of each row (`rows-N`).
"""

import lzma
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bolicho.agents.cfr.compiled import table
from bolicho.agents.cfr.truco import steps
from bolicho.agents.cfr.truco.compiled.blocks import NEXT
from bolicho.agents.cfr.truco.compiled.player import Drawing, where
from bolicho.agents.cfr.truco.compiled.second import Solver
from bolicho.agents.cfr.truco.hands import hands
from bolicho.agents.cfr.truco.match import NO_SCORES, Scores
from bolicho.agents.cfr.truco.solver import groups
from bolicho.errors import BadInput
from bolicho.games.game import Game, View
from bolicho.store.artifact import Arrays

FORM = "vectors"
FULL = 15  # total of a mixture's shares: four bits per share
LEAST = 1e-9
"""Minimum share of all play in training; rows with less are left out."""

CHOICES = "small"  # abstraction whose choices are considered: all have the same
MOST_SCORE = 64
OTHER_RULES = (
    "play by the default rules, a match to 24 points or any number of hands, "
    "or take balanced, which plays and judges (`--by balanced`) by any rules of truco"
)
"""Advice for other rules than those of the file; trainings of vectors and profiles support the default rules."""

_EIGHTHS = 8  # steps of stored visits per factor of two


@dataclass(frozen=True)
class Vectors:
    """Learned strategy of single hands of Truco."""

    game: Game
    slots: NDArray[np.void]
    shares: NDArray[np.uint8]
    starts: NDArray[np.int64]
    visits: NDArray[np.uint32]

    def visited(self, at: int) -> int:
        """Return the approximate number of training visits to the situation whose shares start at an index."""
        number = int(np.searchsorted(self.starts, at, "right")) - 1
        return round(2 ** (int(self.visits[number]) / _EIGHTHS))

    def situation(self, player: NamedTuple, memory: NDArray[np.void], view: View) -> int:
        """Return the index of the shares of a view's choices, or NOT_LEARNED."""
        return int(where(player, view.pool, view.seat))

    def player(self, scores: Scores = NO_SCORES) -> Drawing:
        """Create the player of the strategy; in matches with learned scores."""
        width = self.game.num_actions
        contexts = np.zeros((MOST_SCORE, MOST_SCORE), np.int16)
        room = (np.zeros(width, np.int16), np.zeros(width, np.int16), np.zeros(width, np.int16), np.zeros(width))
        return Drawing(hands(), steps(CHOICES), self.slots, self.shares, contexts, *room, scores.envido)


def packed(made: Solver, least: float = LEAST) -> Arrays:
    """Return the average strategy, in steps of 1 / FULL.

    Rows with less than `least` of all play are left out.
    """
    laid = made.blocks
    seconds, thirds = np.flatnonzero(laid.seconds >= 0), np.flatnonzero(laid.thirds >= 0)
    average = made.average[: made.counts[NEXT]]
    total = average.sum(dtype=np.float64)
    begins = (np.zeros(1, np.int64), laid.seconds[seconds], laid.thirds[thirds])
    rows: dict[int, list[NDArray[np.uint8]]] = {}
    for kind, group in groups(made.hands, seconds, thirds):
        n = group.choices
        at = (begins[kind][group.where] + group.first)[:, None] + np.arange(group.rows)
        shares = average[at.ravel()[:, None] + group.rows * np.arange(n)].astype(np.float64)
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
        return _read(game, arrays, int(facts["iterations"]))
    except (KeyError, ValueError, IndexError, lzma.LZMAError):
        raise BadInput(f"{where} lacks shares for some of its situations; train it again") from None


def _read(game: Game, arrays: Arrays, iterations: int) -> Vectors:
    seconds, thirds = arrays["seconds"].astype(np.int64), arrays["thirds"].astype(np.int64)
    visits = (_few_bits(np.array([iterations])), arrays["second-visits"], arrays["third-visits"])
    numbers = {}
    for name in arrays:
        if name.startswith("rows-"):
            n = int(name.removeprefix("rows-"))
            halves = np.frombuffer(lzma.decompress(arrays[name].tobytes()), np.uint8)
            numbers[n] = halves.reshape(2, -1).T.copy().view("<u2")[:, 0]
    read = dict.fromkeys(numbers, 0)
    kept, shares, end = [], [], 0
    for kind, group in groups(hands(), seconds, thirds):
        n, count = group.choices, len(group.keys) * group.rows
        number = numbers[n][read[n] : read[n] + count]
        if len(number) < count or arrays[f"patterns-{n}"].shape[1] != n:
            raise ValueError
        read[n] += count
        shares.append(arrays[f"patterns-{n}"][number].ravel())
        slots = np.zeros(len(group.keys), table.SLOT)
        slots["key"], slots["shape"], slots["count"] = group.keys, n, group.rows * n
        slots["first"] = end + np.arange(len(slots)) * group.rows * n
        slots["visits"] = visits[kind][group.where]
        end += count * n
        kept.append(slots)
    if any(read[n] != len(numbers[n]) for n in numbers):
        raise ValueError
    all_kept = np.concatenate(kept)
    slots = np.zeros(1 << max(1, 2 * len(all_kept)).bit_length(), table.SLOT)
    table.place(slots, all_kept)
    return Vectors(game, slots, np.concatenate(shares), all_kept["first"], all_kept["visits"])
