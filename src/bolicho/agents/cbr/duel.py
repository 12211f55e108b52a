"""Duplicate matches between two policies, compiled: for studies that need many of them.

The same deals, seats exchanged.  The arena plays the same agents with records and reports; this
plays some thousand matches a second and returns the scores.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bolicho.agents.cbr.compiled import decision as compiled
from bolicho.agents.cbr.compiled.loop import play_match
from bolicho.agents.cbr.cycle import Settings, make_trace
from bolicho.agents.cbr.domain import Domain
from bolicho.agents.cbr.retrieve import CaseIndex, make_scratch
from bolicho.games import game


@dataclass(frozen=True)
class Duel:
    """The scores of the first player and of the second: (deal, seat of the first, [first, second])."""

    scores: NDArray[np.int64]

    @property
    def won(self) -> int:
        """Matches that the first player won."""
        return int(np.count_nonzero(self.scores[..., 0] > self.scores[..., 1]))

    @property
    def matches(self) -> int:
        return 2 * len(self.scores)

    @property
    def differences(self) -> NDArray[np.int64]:
        """Points of the first minus points of the second, a match."""
        return (self.scores[..., 0] - self.scores[..., 1]).reshape(-1)


Side = tuple[Settings, CaseIndex]
"""A policy with its options, and the base it plays from."""


def duel(domain: Domain, one: Side, other: Side, duplicates: int, seed: int) -> Duel:
    """Two players on `duplicates` deals from both seats."""
    table = game(domain.game).deal(0)
    sides, bases = (one[0], other[0]), (one[1], other[1])
    indexes, groups = tuple(base.index for base in bases), tuple(base.groups for base in bases)
    scratch = make_scratch(max(indexes, key=lambda found: len(found.value)), domain)
    luck, trace = np.zeros(2 * compiled.MAX_STAGES), make_trace()
    cases, rare = np.zeros(1, domain.schema.dtype), np.zeros(1, np.bool_)
    scores = np.zeros((duplicates, 2, 2), np.int64)
    for deal in range(duplicates):
        chance = np.random.default_rng([seed, deal])
        cards, *lucks = chance.integers(2**64, size=3, dtype=np.uint64)
        for seat in (0, 1):
            order = slice(None, None, 1 if seat == 0 else -1)
            play_match(
                table.pool, cards, lucks[seat], sides[order], indexes[order], groups[order], scratch, -1, 0, luck,
                trace, cases, rare,
            )  # fmt: skip
            scores[deal, seat] = table.scores[order]
    return Duel(scores)
