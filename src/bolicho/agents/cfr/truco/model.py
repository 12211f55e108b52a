"""A strategy of Truco learned by vectors, as a file.

Rows of shares, one for each holding in each situation, are mostly alike, so a file has every different row once, for
each number of choices (`patterns-N`), and which row is where (`rows-N`), deflated.
"""

import zlib
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bolicho.agents.cfr.compiled import table
from bolicho.agents.cfr.learner import Situations
from bolicho.agents.cfr.truco import steps
from bolicho.agents.cfr.truco.compiled.player import Drawing, where
from bolicho.agents.cfr.truco.hands import hands
from bolicho.errors import BadInput
from bolicho.games.game import Game, View
from bolicho.store.artifact import Arrays

FORM = "vectors"
FULL = 15  # of a mixture: four bits a share
LEAST = 3e-9
"""Rows to which less of all play than this led in training are left out."""

CHOICES = "small"  # the abstraction whose choices are considered: all do the same
MOST_SCORE = 64
_EIGHTHS = 8  # steps of visits from one power of two to the next


@dataclass(frozen=True)
class Vectors:
    """A learned strategy of single hands of Truco."""

    game: Game
    slots: NDArray[np.void]
    shares: NDArray[np.uint8]
    starts: NDArray[np.int64]
    visits: NDArray[np.uint8]

    def visited(self, at: int) -> int:
        """About how often training was in the situation whose shares stand at a place."""
        number = int(np.searchsorted(self.starts, at, "right")) - 1
        return round(2 ** (int(self.visits[number]) / _EIGHTHS))

    def situation(self, player: NamedTuple, memory: NDArray[np.void], view: View) -> int:
        """Where the shares of a view's choices stand, or NOT_LEARNED."""
        return int(where(player, view.pool, view.seat))

    def player(self) -> Drawing:
        """What plays by it."""
        width = self.game.num_actions
        contexts = np.zeros((MOST_SCORE, MOST_SCORE), np.int16)
        room = (np.zeros(width, np.int16), np.zeros(width, np.int16), np.zeros(width, np.int16), np.zeros(width))
        return Drawing(hands(), steps(CHOICES), self.slots, self.shares, contexts, *room)


def packed(learned: Situations, least: float = LEAST) -> Arrays:
    """The average strategy, in steps of 1 / FULL."""
    met = learned.met()
    choices, counts = met["shape"].astype(np.int64), met["count"].astype(np.int64)
    average = learned.learned()["average"].astype(np.float64)
    rows = counts // choices
    starts = np.repeat(met["first"].astype(np.int64), rows) + _within(rows) * np.repeat(choices, rows)
    totals = np.add.reduceat(average, starts)
    kept = totals > least * totals.sum()
    blocks = np.add.reduceat(kept, np.cumsum(rows) - rows) > 0
    order = np.lexsort((met["key"], rows, choices))
    order = order[blocks[order]]
    arrays: Arrays = {
        "keys": met["key"][order],
        "choices": choices[order].astype(np.uint8),
        "heights": rows[order].astype(np.uint16),
        "visits": np.round(_EIGHTHS * np.log2(np.maximum(1, met["visits"][order]))).astype(np.uint8),
    }
    firsts = np.cumsum(rows) - rows  # the first row of each situation
    for n in np.unique(choices[order]).tolist():
        of_n = order[choices[order] == n]
        which = np.repeat(firsts[of_n], rows[of_n]) + _within(rows[of_n])
        shares = average[starts[which][:, None] + np.arange(n)]
        shares = np.where(kept[which][:, None], shares / np.maximum(totals[which], 1e-300)[:, None], 0)
        patterns, number = np.unique(_in_steps(shares), axis=0, return_inverse=True)
        arrays[f"patterns-{n}"] = patterns
        halves = number.astype("<u2").view(np.uint8).reshape(-1, 2).T
        arrays[f"rows-{n}"] = np.frombuffer(zlib.compress(halves.tobytes(), 9), np.uint8)
    return arrays


def _within(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """0, 1, ... for each of some lengths, one after the other."""
    return np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)


def _in_steps(shares: NDArray[np.float64]) -> NDArray[np.uint8]:
    """Shares as steps that add up to FULL, or to nothing; the largest takes what rounding left over."""
    stepped = np.floor(shares * FULL + 0.5).astype(np.int64)
    lacking = np.where(shares.sum(axis=1) > 0, FULL, 0) - stepped.sum(axis=1)
    stepped[np.arange(len(shares)), np.argmax(shares, axis=1)] += lacking
    return stepped.astype(np.uint8)


def unpacked(game: Game, arrays: Arrays, where: object) -> Vectors:
    """The strategy of a file."""
    try:
        shares, heights = _read(arrays)
    except (KeyError, ValueError, IndexError, zlib.error):
        raise BadInput(f"{where} has no shares for each of its situations; train it again") from None
    choices = arrays["choices"].astype(np.int64)
    counts = heights * choices
    starts = np.cumsum(counts) - counts
    kept = np.zeros(len(choices), table.SLOT)
    kept["key"], kept["shape"], kept["first"], kept["count"] = arrays["keys"], choices, starts, counts
    slots: NDArray[Any] = np.zeros(1 << max(1, 2 * len(kept)).bit_length(), table.SLOT)
    table.place(slots, kept)
    return Vectors(game, slots, shares, starts, arrays["visits"])


def _read(arrays: Arrays) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    choices, heights = arrays["choices"], arrays["heights"].astype(np.int64)
    if not len(choices) == len(heights) == len(arrays["keys"]) == len(arrays["visits"]) or (np.diff(choices) < 0).any():
        raise ValueError
    parts = []
    for n in np.unique(choices).tolist():
        halves = np.frombuffer(zlib.decompress(arrays[f"rows-{n}"].tobytes()), np.uint8)
        number = halves.reshape(2, -1).T.copy().view("<u2")[:, 0]
        if len(number) != heights[choices == n].sum() or arrays[f"patterns-{n}"].shape[1] != n:
            raise ValueError
        parts.append(arrays[f"patterns-{n}"][number].ravel())
    return np.concatenate(parts), heights
