"""Many mirrored matches between case-based agents, compiled: what a published number of them cannot tell.

The published experiments are played by the arena.  Beside them stand these: the same agents, some
thousand matches a second, with intervals over deals as in the arena.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import joblib
import numpy as np
from numpy.typing import ArrayLike

from bolicho.agents.cbr.agent import load_index
from bolicho.agents.cbr.duel import duel
from bolicho.agents.cbr.reuse import POLICIES
from bolicho.agents.cbr.truco import TRUCO
from bolicho.arena.stats import Estimate, Floats, mean, rate
from bolicho.lab.study import Effort, Measured

Player = tuple[str, str]
"""A policy and its base."""


def shares(effort: Effort, meetings: Sequence[tuple[Player, Player]], deals: int, seed: int) -> list[Floats]:
    """For every meeting, the share of matches that the first player won on each deal (both seats)."""
    parallel = joblib.Parallel(n_jobs=-1 if effort.jobs is None else effort.jobs)
    found: list[Floats] = parallel(joblib.delayed(_meet)(one, other, deals, seed) for one, other in meetings)
    return found


def _meet(one: Player, other: Player, deals: int, seed: int) -> Floats:
    played = duel(TRUCO, one[0], load_index(one[1]), other[0], load_index(other[1]), deals, seed)
    return np.asarray(np.mean(played.scores[..., 0] > played.scores[..., 1], axis=1))


def measured(units: ArrayLike, sets: int | None = None, was: float | None = None) -> Measured:
    """A share from its value on each deal (or other unit), with its 95% interval."""
    found = rate(units, sets)
    return Measured(found.value, found.low, found.high, was, percent=True)


@dataclass(frozen=True)
class League:
    """All policies against all with one base: the share that each won of all its matches on each deal."""

    won: Mapping[str, Floats]

    def share(self, policy: str) -> Measured:
        units = self.won[policy]
        return measured(units, len(units) * (len(self.won) - 1))

    def difference(self, one: str, other: str) -> Estimate:
        """By how much the first won a larger share than the second, of the same deals."""
        return mean(self.won[one] - self.won[other])

    def best(self, two_step: bool) -> str:
        """The best policy of the two-step model, or of the conventional one."""
        of_the_kind = [policy for policy in self.won if (POLICIES[policy].cluster is not None) == two_step]
        return max(of_the_kind, key=lambda policy: float(self.won[policy].mean()))


def league(effort: Effort, policies: Sequence[str], base: str, deals: int) -> League:
    """Let all policies meet all others, each pair on the same `deals` deals from both seats."""
    pairs = list(combinations(policies, 2))
    found = shares(effort, [((one, base), (other, base)) for one, other in pairs], deals, effort.seed)
    won: dict[str, Floats] = {policy: np.zeros(deals) for policy in policies}
    for (one, other), units in zip(pairs, found, strict=True):
        won[one] += units / (len(policies) - 1)
        won[other] += (1 - units) / (len(policies) - 1)
    return League(won)


def two_steps_or_one(effort: Effort, found: League, base: str, deals: int) -> str:
    """Whether the best two-step policy is above the best conventional one, in a sentence with intervals.

    They are picked by the league, and then meet on other deals.
    """
    one, other = found.best(two_step=True), found.best(two_step=False)
    ahead = found.difference(one, other)
    (units,) = shares(effort, [((one, base), (other, base))], deals, effort.seed + 1)
    verdict = "is above" if ahead.low > 0 else ("is below" if ahead.high < 0 else "cannot be told from")
    return (
        f"The best two-step policy (**{one}**, {found.share(one)} of its matches) {verdict} the best conventional one"
        f" (**{other}**, {found.share(other)}): by {100 * ahead.value:+.1f} points of percentage"
        f" [{100 * ahead.low:+.1f}, {100 * ahead.high:+.1f}]. Against each other, on {deals:,} other deals from both"
        f" seats, {one} wins {measured(units)}."
    )
