"""Retain: learning by self-play (Paulus 2020, section 4.1.3).

In every match two policies, drawn at random from the ten best, play each other with the current base. One of the two
players, drawn at random, is observed: its hands become cases when any of its questions found fewer than 100 cases at
the first threshold. New cases get the nearest group of every clustering. After each match the elbow of every clustering
is updated, and a clustering whose elbow gives another number of groups is rebuilt (with `groups="kept"`: never).

The decision to keep a hand must not depend on its course. Hand by hand (`keep="hand"`) it does: a refused bet ends the
hand before any rare question, so those hands are left out and the base underestimates refusals. Therefore matches are
kept as a whole (`keep="match"`).

In the training screen of Paulus 2020 (figure 8) one player learns while the other keeps the baseline and learns
nothing; `rivals` is the share of matches in which the opponent keeps the initial base.

The elbow after every match is cheap because it is incremental: the distinct rows and their weights are kept, and for
every k the previous centroids are the start of a compiled k-means, which a few new cases hardly change. Only when this
incremental elbow differs from the current number of groups does a full sweep (scikit-learn, ten restarts) decide; a
full sweep also runs every 250 matches.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from bolicho.agents.cbr.agent import CaseBased
from bolicho.agents.cbr.bases import CLUSTERING, written
from bolicho.agents.cbr.casebase import CaseBase, Cases
from bolicho.agents.cbr.clusters import ALGORITHMS, Clustering, check_algorithm, clustered, label, pack
from bolicho.agents.cbr.compiled.groups import label_cases
from bolicho.agents.cbr.cycle import OURS, CaseBasedOptions
from bolicho.agents.cbr.domain import MAX_FEATURES, Domain
from bolicho.agents.cbr.elbows import Elbow
from bolicho.agents.cbr.observe import rare_cases, try_rare
from bolicho.agents.cbr.retrieve import CaseIndex
from bolicho.agents.cbr.reuse import TEN_BEST
from bolicho.agents.cbr.revise import clean, mark_unfit, suicides
from bolicho.agents.loop import Deal, play_deals
from bolicho.agents.training import whole_numbers
from bolicho.errors import BadInput, unknown
from bolicho.games import game
from bolicho.store.artifact import Arrays

CASES = 27515
"""Size of the published learned base (Paulus 2020, section 4.1.3)."""

ENOUGH = 100
KEEPS = ("match", "hand")
MEMBERSHIPS = ("begun", "every-round")
"""Scenarios of a hand: of the rounds that began, or of every round (appendix B of Paulus 2020)."""
CLEANINGS = ("hand", "decision")
"""Scope of a suicide move's removal: the whole hand, or its decisions of that kind.

Of 27,515 cases 18,263 were useful for plays and 20,273 for envido: Paulus 2020, appendix B, tables 16 and 17.
"""
GROUPS = ("adjusted", "kept")
"""Groups of a growing base: their number follows the elbow, or they stay those of the initial base.

"Auto ajustar o k" of the training screen, yes or no (Paulus 2020, figure 8).
"""
RIVALS = 0.0  # never: section 4.1.3 describes self-play
SEED = 1
SWEEP_EVERY = 250  # matches
IDLE = 500  # consecutive matches without a new case that end the course


class Course:
    """Learner of a base that grows by self-play to `cases` cases without suicide moves; cases with one are dropped.

    Both players have the same `options`; suicide moves are the moves that these revise. The course also ends when 500
    consecutive matches have added nothing. Every match depends only on (seed, its number) and the base.
    """

    unit = "cases"

    def __init__(
        self,
        base: CaseBase,
        cases: int = CASES,
        seed: int = SEED,
        policies: Sequence[str] = TEN_BEST,
        enough: int = ENOUGH,
        keep: str = KEEPS[0],
        rivals: float = RIVALS,
        options: CaseBasedOptions = OURS,
        membership: str = MEMBERSHIPS[0],
        cleaning: str = CLEANINGS[0],
        clustering: str = ALGORITHMS[0],
        groups: str = GROUPS[0],
    ) -> None:
        whole_numbers(cases=cases)
        if not 0 <= rivals <= 1:
            raise BadInput(f"rivals must be a share of the matches from 0 to 1, not {rivals!r}")
        if keep not in KEEPS:
            raise unknown("unit to keep", keep, KEEPS)
        check_scope(membership, cleaning)
        check_algorithm(clustering)
        if groups not in GROUPS:
            raise unknown("treatment of groups", groups, GROUPS)
        if groups != GROUPS[0] and clustering != ALGORITHMS[0]:
            raise BadInput(f"groups={groups} keeps the groups of the initial base: leave out clustering={clustering}")
        self._clustering = clustering
        self._followed = range(len(base.domain.clusterings) if groups == GROUPS[0] else 0)  # those with an elbow
        self.facts = {"name": "learned", "game": base.domain.game, "cases": cases, "seed": seed}
        self.facts |= {"policies": list(policies), "enough": enough, "keep": keep, "rivals": float(rivals)}
        self.facts |= {"from": base.made.get("name"), **options.changed()}
        if clustering != ALGORITHMS[0]:
            self.facts["clustering"] = clustering
        if groups != GROUPS[0]:
            self.facts["groups"] = groups
        self._scope = (membership, cleaning, options.revise)
        if (membership, cleaning) != (MEMBERSHIPS[0], CLEANINGS[0]):
            self.facts |= {"membership": membership, "cleaning": cleaning}
            base = rescoped(base, *self._scope, groups)
        self.base = CaseBase(base.domain, base.cases.copy(), base.clusterings, base.made)
        self.growth: list[int] = []  # number of cases after every step
        self.reclusterings = 0
        self._first = len(base)
        self._revise = options.revise
        self._unclean = self._suicides(base.cases)
        self.total, self.done = cases, min(cases, len(base) - self._unclean)
        self._table = CaseSelfPlay(CaseIndex(base), policies, seed, enough, keep, rivals, options)
        self._elbows: list[Elbow] = []

    def step(self) -> None:
        """Play one match (or as many as the game plays per base), retain the new cases, update the groups."""
        if not self._elbows:
            self._follow()
        together = self.base.domain.together
        first = together * len(self.growth)
        new = np.concatenate(self._table.play(CaseIndex(self.base), range(first, first + together)))
        if self._scope[:2] != (MEMBERSHIPS[0], CLEANINGS[0]):
            set_scope(self.base.domain, new, *self._scope)
        self._unclean += self._suicides(new)
        self._retain(new)
        for one in self._elbows:
            one.add(new)
            if one.size != self.base.clusterings[one.clustering].size:
                one.sweep()
        self._recluster()
        self.growth.append(len(self.base))
        idle = self.growth[-IDLE:] == [len(self.base)] * IDLE
        self.done = self.total if idle else min(self.total, len(self.base) - self._unclean)
        if len(self.growth) % SWEEP_EVERY == 0 and not idle:
            self._follow()

    def state(self) -> Arrays:
        arrays = {"cases": self.base.cases.view(np.uint8), "growth": np.array(self.growth)}
        arrays["reclusterings"] = np.array(self.reclusterings)
        for one in self._elbows:
            parts = {**vars(self.base.clusterings[one.clustering]), **one.state()}
            arrays |= {f"{one.clustering}.{name}": array for name, array in parts.items()}
        return arrays

    def restore(self, state: Arrays) -> None:
        parts = [
            {name.partition(".")[2]: array for name, array in state.items() if name.startswith(f"{number}.")}
            for number in self._followed
        ]
        self.base.cases = state["cases"].view(self.base.domain.schema.dtype)
        found = tuple(Clustering(*(part.pop(name) for name in CLUSTERING)) for part in parts)
        self.base.clusterings = found or self.base.clusterings
        self._elbows = [Elbow.restored(number, part) for number, part in zip(self._followed, parts, strict=True)]
        self.growth, self.reclusterings = state["growth"].tolist(), int(state["reclusterings"])
        self._unclean = self._suicides(self.base.cases)

    def finish(self, out: Path, story: dict[str, Any]) -> dict[str, Any]:
        report = written(self.learned(story), out)
        growth = np.diff(self.growth, prepend=self._first)
        rates = [float(part.mean()) if len(part) else 0.0 for part in (growth[:100], growth[-100:])]
        return {**self._counts(), "cases a step, first and last hundred": rates, **report}

    def learned(self, story: dict[str, Any]) -> CaseBase:
        """Return the base without suicide moves, clustered anew unless its groups are kept."""
        domain, cases = self.base.domain, self.base.cases
        if self._scope[1] == "hand":
            cases = clean(domain, cases, self._revise)
        counts = {**self._counts(), "growth": self.growth}
        if not self._followed:
            return CaseBase(domain, cases, self.base.clusterings, {**story, **counts})
        return clustered(domain, cases, {**story, **counts}, self._clustering)

    def _counts(self) -> dict[str, int]:
        return {"matches": self.base.domain.together * len(self.growth), "reclusterings": self.reclusterings}

    def _suicides(self, cases: Cases) -> int:
        if self._scope[1] != "hand":
            return 0  # such cases stay, without the decisions of that kind
        return int(np.count_nonzero(suicides(self.base.domain, cases, self._revise) >= 0))

    def _follow(self) -> None:
        """Determine the elbows of every followed clustering by full sweeps; rebuild clusterings that changed."""
        base = self.base
        self._elbows = [Elbow(base.domain, base.cases, number) for number in self._followed]
        self._recluster()

    def _retain(self, new: Cases) -> None:
        """Add cases to the base, each with the nearest group of every clustering."""
        base = self.base
        label_cases(new, 0, pack(base.clusterings), -1, np.zeros(MAX_FEATURES))
        self.base = CaseBase(base.domain, np.concatenate([base.cases, new]), base.clusterings, base.made)

    def _recluster(self) -> None:
        """Rebuild the clusterings whose number of groups has changed, and relabel the cases."""
        base = self.base
        clusterings = list(base.clusterings)
        changed = [one for one in self._elbows if one.size != clusterings[one.clustering].size]
        for one in changed:
            clusterings[one.clustering] = one.clustering_now()
        base.clusterings = tuple(clusterings)
        groups = pack(base.clusterings)
        for one in changed:
            label_cases(base.cases, 0, groups, one.clustering, np.zeros(MAX_FEATURES))
        self.reclusterings += len(changed)


def check_scope(membership: str, cleaning: str) -> None:
    """Raise `BadInput` for an unknown membership or cleaning."""
    if membership not in MEMBERSHIPS:
        raise unknown("membership of scenarios", membership, MEMBERSHIPS)
    if cleaning not in CLEANINGS:
        raise unknown("unit of cleaning", cleaning, CLEANINGS)


def set_scope(domain: Domain, cases: Cases, membership: str, cleaning: str, revise: str) -> None:
    """Mark in the cases which scenarios they belong to and which decisions are left out."""
    cases["every_round"] = membership == "every-round"
    cases["unfit"] = 0
    if cleaning == "decision":
        mark_unfit(domain, cases, revise)


def rescoped(base: CaseBase, membership: str, cleaning: str, revise: str, groups: str = GROUPS[0]) -> CaseBase:
    """Return the cases with another membership and cleaning: clustered anew, or in the nearest of the kept groups."""
    check_scope(membership, cleaning)
    cases = base.cases.copy()
    set_scope(base.domain, cases, membership, cleaning, revise)
    if groups == GROUPS[0]:
        return clustered(base.domain, cases, base.made)
    kept = CaseBase(base.domain, cases, base.clusterings, base.made)
    label(kept)
    return kept


@dataclass(frozen=True)
class CaseSelfPlay:
    """Matches between policies with one observed player; `rivals` is the share where the other has the initial base."""

    start: CaseIndex
    policies: Sequence[str]
    seed: int
    enough: int = ENOUGH
    keep: str = KEEPS[0]
    rivals: float = RIVALS
    options: CaseBasedOptions = OURS

    def play(self, index: CaseIndex, numbers: Iterable[int]) -> list[Cases]:
        """Play the matches of these numbers with one base; return the observed hands of each that are worth keeping."""
        played = game(index.domain.game)
        matches = [self._draw(number) for number in numbers]
        sides = list(dict.fromkeys(side for match in matches for side in match.sides))
        makers = [partial(self._agent, index, *side) for side in sides]
        deals = [Deal(match.seed, [sides.index(side) for side in match.sides], match.luck) for match in matches]
        players = [make().player(played) for make in makers]
        found = {}
        for outcome in play_deals(played, makers, deals):
            assert outcome.forfeit is None, outcome.forfeit
            seat, deal = matches[outcome.number].watched, deals[outcome.number]
            seen = deal.luck[seat], self.enough, played.deal(deal.seed), outcome.actions, seat
            if index.domain.tried:
                found[outcome.number] = try_rare(index.domain, players[deal.seated[seat]], *seen)
                continue
            cases, rare = rare_cases(index.domain, players[deal.seated[seat]], *seen)
            found[outcome.number] = cases[rare if self.keep == "hand" else np.full(len(cases), rare.any())]
        return [found[number] for number in range(len(matches))]

    def _draw(self, number: int) -> "TrainingMatch":
        """Return the random parameters of match `number`."""
        chance = np.random.default_rng([self.seed, number])
        seats = game(self.start.domain.game).seats
        policies = [self.policies[i] for i in chance.integers(len(self.policies), size=seats)]
        seed, *luck = chance.integers(2**64, size=1 + seats, dtype=np.uint64).tolist()
        watched = int(chance.integers(seats))
        rival = bool(chance.random() < self.rivals)
        sides = [(policy, rival and seat != watched) for seat, policy in enumerate(policies)]
        return TrainingMatch(seed, luck, sides, watched)

    def _agent(self, index: CaseIndex, policy: str, old: bool) -> CaseBased:
        return CaseBased(policy, self.start if old else index, self.options)


@dataclass(frozen=True)
class TrainingMatch:
    """Match of self-play: its deal, the luck of its seats, the players, and the observed seat."""

    seed: int
    luck: list[int]
    sides: list[tuple[str, bool]]  # a policy, and whether it keeps the initial base
    watched: int
