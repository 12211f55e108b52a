"""Mirrored matches between case-based agents, and leagues of them.

Every deal is played from both seats, and intervals are over deals. The matches are those of a tournament with the same
seed; a published number of matches is taken from the first deals.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import Any, TypeVar

import joblib
import numpy as np
from numpy.typing import NDArray

from bolicho.agents.cbr.agent import CaseBased
from bolicho.agents.cbr.cycle import OURS, CaseBasedOptions
from bolicho.agents.cbr.reuse import POLICIES
from bolicho.agents.mirrored_games import meet
from bolicho.agents.spec import write_spec
from bolicho.games import game
from bolicho.games.truco.compiled.behaviours import NAMES
from bolicho.lab.study import Effort, Measured, share
from bolicho.progress import tracked
from bolicho.stats import Estimate, Floats, mean, ratio, win_shares

T = TypeVar("T")

BEHAVIOURS = tuple(NAMES)

Scores = NDArray[np.int64]
"""Indexed by deal, seat of the first player, and player (points of the first, points of the second)."""

Did = NDArray[np.int64]
"""Indexed by deal, player, behaviour, and count (occurrences, chances)."""


@dataclass(frozen=True)
class CaseBasedSpec:
    """A case-based agent: policy, base and options."""

    policy: str
    base: str = "learned"
    options: CaseBasedOptions = OURS

    def agent(self) -> CaseBased:
        return CaseBased(self.policy, self.base, self.options)

    def spec(self) -> str:
        """Return the agent's spec, as written on the command line."""
        return write_spec(self.policy, {"base": self.base, **self.options.changed()})


def play_all(
    effort: Effort, meetings: Sequence[tuple[CaseBasedSpec, CaseBasedSpec]], deals: int, seed: int
) -> list[Scores]:
    """Return the scores of every meeting; all meetings play the same deals."""
    return [scores for scores, _ in play_and_watch(effort, meetings, deals, seed)]


def play_and_watch(
    effort: Effort, meetings: Sequence[tuple[CaseBasedSpec, CaseBasedSpec]], deals: int, seed: int
) -> list[tuple[Scores, Did]]:
    """Return the scores of every meeting and the behaviours counted in it."""
    return in_parallel(effort, "playing", _meet, [(one, other, deals, seed) for one, other in meetings])


def in_parallel(effort: Effort, words: str, task: Callable[..., T], calls: Sequence[tuple[Any, ...]]) -> list[T]:
    """Return the results of `task` for every call, in order, and show progress on stderr."""
    parallel = joblib.Parallel(n_jobs=-1 if effort.jobs is None else effort.jobs, return_as="generator")
    coming = parallel(joblib.delayed(task)(*call) for call in calls)
    return list(tracked(coming, words, len(calls)))


def _meet(one: CaseBasedSpec, other: CaseBasedSpec, deals: int, seed: int) -> tuple[Scores, Did]:
    met = meet(game("truco"), [one.agent, other.agent], deals, seed, behaviours=True)
    assert met.did is not None
    return met.scores, met.did


def won(scores: Scores) -> Floats:
    """Return the share of matches that the first player won on each deal."""
    return np.asarray(win_shares(scores)[..., 0].mean(axis=1))


def shares(
    effort: Effort, meetings: Sequence[tuple[CaseBasedSpec, CaseBasedSpec]], deals: int, seed: int
) -> list[Floats]:
    """Return, for every meeting, the share of matches that the first player won on each deal (both seats)."""
    return [won(scores) for scores in play_all(effort, meetings, deals, seed)]


@dataclass(frozen=True)
class League:
    """Scores of every pair of policies, with one base and the same options."""

    scores: Mapping[tuple[str, str], Scores]
    did: Mapping[tuple[str, str], Did] = field(default_factory=dict)

    @cached_property
    def policies(self) -> list[str]:
        return list(dict.fromkeys(policy for pair in self.scores for policy in pair))

    @cached_property
    def won(self) -> dict[str, Floats]:
        """Share that each policy won of all its matches, by deal."""
        return {policy: np.mean([won(s) for _, s in self._of(policy)], axis=0) for policy in self.policies}

    @cached_property
    def order(self) -> list[str]:
        """Policies, best first."""
        return sorted(self.policies, key=lambda policy: -float(self.won[policy].mean()))

    @property
    def above_half(self) -> list[str]:
        return [policy for policy in self.order if self.won[policy].mean() > 0.5]

    def share(self, policy: str) -> Measured:
        units = self.won[policy]
        return share(units, sets=len(units) * (len(self.policies) - 1))

    def difference(self, one: str, other: str) -> Estimate:
        """Estimate the difference of the shares that two policies won, paired by deal."""
        return mean(self.won[one] - self.won[other])

    def best(self, two_step: bool) -> str:
        """Return the best policy of the two-step model, or of the conventional one."""
        return next(policy for policy in self.order if is_two_step(policy) == two_step)

    def wins(self, policy: str, deals: int) -> dict[str, int]:
        """Return the matches that a policy won against each other policy, on the first `deals` deals."""
        return {other: int(np.count_nonzero(s[:deals, :, 0] > s[:deals, :, 1])) for other, s in self._of(policy)}

    def margins(self, policy: str, victorious: bool) -> Estimate:
        """Estimate the mean difference of points in the matches that a policy won, or lost."""
        ahead = np.concatenate([s[..., 0] - s[..., 1] for _, s in self._of(policy)], axis=1)
        counted = ahead > 0 if victorious else ahead < 0
        return ratio((ahead * counted).sum(axis=1), counted.sum(axis=1))

    def behaviour(self, policy: str, name: str) -> Estimate:
        """Estimate how often a policy showed a behaviour, of its chances in all its matches."""
        number = BEHAVIOURS.index(name)
        mine = [did[:, pair.index(policy), number] for pair, did in self.did.items() if policy in pair]
        times, chances = np.sum(mine, axis=0).T
        return ratio(times, chances)

    def _of(self, policy: str) -> list[tuple[str, Scores]]:
        """Return the opponents of a policy, each with the scores of their matches, the policy's own score first."""
        mine = [(other, s) for (one, other), s in self.scores.items() if one == policy]
        return mine + [(one, s[:, ::-1, ::-1]) for (one, other), s in self.scores.items() if other == policy]


def is_two_step(policy: str) -> bool:
    """Return whether a policy selects a cluster first."""
    return POLICIES[policy].cluster is not None


def league(effort: Effort, policies: Sequence[str], base: str, deals: int, options: CaseBasedOptions = OURS) -> League:
    """Play every pair of policies on the same `deals` deals from both seats."""
    pairs = list(combinations(policies, 2))
    meetings = [(CaseBasedSpec(one, base, options), CaseBasedSpec(other, base, options)) for one, other in pairs]
    played = dict(zip(pairs, play_and_watch(effort, meetings, deals, effort.seed), strict=True))
    return League(
        {pair: scores for pair, (scores, _) in played.items()}, {pair: did for pair, (_, did) in played.items()}
    )


def two_steps_or_one(
    effort: Effort, name: str, found: League, base: str, deals: int, options: CaseBasedOptions = OURS
) -> str:
    """Compare the best two-step policy with the best conventional one, as a sentence with intervals.

    The league selects the two policies; they then meet on other deals, where selection does not bias the result.
    """
    one, other = found.best(two_step=True), found.best(two_step=False)
    ahead = found.difference(one, other)
    (units,) = shares(
        effort, [(CaseBasedSpec(one, base, options), CaseBasedSpec(other, base, options))], deals, effort.seed + 1
    )
    verdict = "is above" if ahead.low > 0 else ("is below" if ahead.high < 0 else "cannot be told from")
    return (
        f"{name}: the best two-step policy (**{one}**, {found.share(one)} of its matches) {verdict} the best"
        f" conventional one (**{other}**, {found.share(other)}): by {100 * ahead.value:+.1f} points of percentage"
        f" [{100 * ahead.low:+.1f}, {100 * ahead.high:+.1f}]. Against each other, on {deals:,} other deals from both"
        f" seats, {one} wins {share(units)}."
    )
