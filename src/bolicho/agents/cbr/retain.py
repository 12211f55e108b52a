"""Retain: learning by self-play (Paulus 2020, section 4.1.3).

In every match two policies, drawn at random from the ten best, play each other with the base as it
stands.  One of the two players, drawn at random, is observed: its hands become cases when any of its
questions found fewer than 100 cases at the first threshold.  New cases get the nearest group
of every clustering.  After each match the elbow of every clustering is looked at again, and where it
asks for another number of groups that clustering is made anew.  So matches come one after the other, each
through the loop that plays everything; the observed player is asked its questions again afterwards, with
the luck it had.

Whether a hand is kept must not depend on how it went on.  Judged hand by hand (`keep="hand"`) it does:
a bet that is refused ends the hand before anything rare is asked, so those hands are left out and the
base believes that bets are rarely refused.  So a match is kept as a whole (`keep="match"`).

The training screen of Paulus 2020 (figure 8) has one player learn and the other keep the baseline, who
learns nothing; `rivals` says how often the opponent keeps the base that learning began with.

The elbow after every match is cheap because nothing is computed twice: the distinct rows and their
weights are kept, and for every k the centroids of the last time are the start of a compiled k-means,
which a few new cases hardly move.  Only when this followed elbow differs from the number of groups
in use does a full sweep (scikit-learn, ten restarts) decide; at every checkpoint one is made anyway.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bolicho.agents.cbr.agent import CaseBased
from bolicho.agents.cbr.bases import load_base, save_base
from bolicho.agents.cbr.casebase import CaseBase, Cases
from bolicho.agents.cbr.clusters import (
    Clustering,
    Rows,
    cluster_all,
    clustering_of,
    elbow,
    label,
    pack,
    population,
    sweep,
    wcss_curve,
)
from bolicho.agents.cbr.compiled.groups import feature_rows, label_cases, lloyd
from bolicho.agents.cbr.cycle import OURS, Options
from bolicho.agents.cbr.domain import MAX_FEATURES, Domain
from bolicho.agents.cbr.observe import watch_rare
from bolicho.agents.cbr.retrieve import CaseIndex
from bolicho.agents.cbr.reuse import TEN_BEST
from bolicho.agents.cbr.revise import clean, suicides
from bolicho.agents.loop import Deal, play_deals
from bolicho.errors import BadInput, unknown
from bolicho.games import game

CASES = 27515
"""The size of the published learned base (Paulus 2020, section 4.1.3)."""

ENOUGH = 100
KEEPS = ("match", "hand")
RIVALS = 0.0  # never: section 4.1.3 tells of self-play
SEED = 1
CHECKPOINT_EVERY = 250  # matches
IDLE = 500  # matches in a row that add no case end the course: nothing is rare any more
FOLLOWED_ROUNDS = 100  # of k-means after a match; a handful is usual

Report = Callable[[int, int], None]
"""Called after every match with the matches played and the cases there are."""


class Elbow:
    """The elbow of one clustering, followed as cases come in."""

    def __init__(self, domain: Domain, cases: Cases, clustering: int) -> None:
        self.clustering = clustering
        self._rows = population(domain, cases, clustering).rows
        self._number = {tuple(row): i for i, row in enumerate(self._rows.values)}
        self.sweep()

    def sweep(self) -> None:
        """Find the number of groups by a full sweep, whose centroids are followed from now on."""
        fits = sweep(self._rows)
        self._centroids = [self._raw(centroids) for centroids, _ in fits]
        self.size = elbow(wcss_curve(fits))

    def add(self, cases: Cases) -> None:
        """Take in new cases and follow the centroids, and with them the number of groups."""
        out, who = np.zeros((len(cases), MAX_FEATURES)), np.zeros(len(cases), np.int64)
        n = feature_rows(cases, self.clustering, np.zeros(MAX_FEATURES), out, who)
        if n == 0:
            return
        numbers = [self._number.setdefault(tuple(row), len(self._number)) for row in out[:n, : self._width]]
        known = len(self._rows.values)
        values = np.zeros((len(self._number), self._width))
        values[:known] = self._rows.values
        weights = np.zeros(len(self._number))
        weights[:known] = self._rows.weights
        for number, row in zip(numbers, out, strict=False):
            values[number] = row[: self._width]
            weights[number] += 1
        self._rows = Rows(values, weights)
        wcss = []
        for k, raw in enumerate(self._centroids):
            centroids = (raw - self._rows.mean) / self._rows.scale
            wcss.append(lloyd(self._rows.standard, self._rows.weights, centroids, FOLLOWED_ROUNDS))
            self._centroids[k] = self._raw(centroids)
        self.size = elbow(np.array(wcss))

    def clustering_now(self) -> Clustering:
        """The clustering with the number of groups that the elbow asks for."""
        centroids = (self._centroids[self.size - 1] - self._rows.mean) / self._rows.scale
        return clustering_of(self._rows, centroids)

    @property
    def _width(self) -> int:
        return int(self._rows.values.shape[1])

    def _raw(self, centroids: NDArray[np.float64]) -> NDArray[np.float64]:
        """Centroids in the units of the features: what standardises them moves as cases come in."""
        raw: NDArray[np.float64] = centroids * self._rows.scale + self._rows.mean
        return raw


@dataclass
class Course:
    """How far learning has come."""

    base: CaseBase
    matches: int = 0
    growth: list[int] = field(default_factory=list)  # cases after every match
    reclusterings: int = 0


def learn(
    base: CaseBase,
    cases: int = CASES,
    seed: int = SEED,
    policies: Sequence[str] = TEN_BEST,
    enough: int = ENOUGH,
    keep: str = KEEPS[0],
    rivals: float = RIVALS,
    options: Options = OURS,
    checkpoint: Path | None = None,
    report: Report | None = None,
) -> CaseBase:
    """Grow a base by self-play until it holds `cases` cases without a suicide move; those with one are dropped.

    Both players have the same `options`; a suicide move is what they revise.  The course also ends
    when 500 matches in a row have added nothing.

    Every match depends on (seed, its number) and the base alone.  With a `checkpoint` the course is
    written there every 250 matches, and an unfinished one is taken up again: the result is the same.
    """
    domain = base.domain
    if not 0 <= rivals <= 1:
        raise BadInput(f"rivals is a share of the matches, 0 to 1, not {rivals!r}")
    if keep not in KEEPS:
        raise unknown("unit to keep", keep, KEEPS)
    facts = {"cases": cases, "seed": seed, "policies": list(policies), "enough": enough}
    facts |= {"keep": keep, "rivals": float(rivals), "from": base.made.get("name"), **options.changed()}
    course = _resume(base, checkpoint, facts)
    table = SelfPlay(CaseIndex(base), policies, seed, enough, keep, rivals, options)
    elbows = _follow(course)
    unclean = int(np.count_nonzero(suicides(domain, course.base.cases, options.revise) >= 0))
    while len(course.base) - unclean < cases:
        [new] = table.play(CaseIndex(course.base), [course.matches])
        unclean += int(np.count_nonzero(suicides(domain, new, options.revise) >= 0))
        _retain(course, new)
        for one in elbows:
            one.add(new)
            if one.size != course.base.clusterings[one.clustering].size:
                one.sweep()
        _recluster(course, elbows)
        course.matches += 1
        course.growth.append(len(course.base))
        if course.growth[-IDLE:] == [len(course.base)] * IDLE:
            break
        if course.matches % CHECKPOINT_EVERY == 0:
            if checkpoint is not None:
                _write(course, checkpoint, facts)
            elbows = _follow(course)
        if report is not None:
            report(course.matches, len(course.base) - unclean)
    return _finish(course, facts, options.revise)


@dataclass(frozen=True)
class SelfPlay:
    """Matches between policies, one player observed; `rivals` is how often the other keeps the base of the start."""

    start: CaseIndex
    policies: Sequence[str]
    seed: int
    enough: int = ENOUGH
    keep: str = KEEPS[0]
    rivals: float = RIVALS
    options: Options = OURS

    def play(self, index: CaseIndex, numbers: Iterable[int]) -> list[Cases]:
        """The matches of these numbers, all with one base: the observed hands of each that are worth keeping."""
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
            cases, rare = watch_rare(
                index.domain, players[deal.seated[seat]], deal.luck[seat], self.enough, played.deal(deal.seed),
                outcome.actions, seat,
            )  # fmt: skip
            found[outcome.number] = cases[rare if self.keep == "hand" else np.full(len(cases), rare.any())]
        return [found[number] for number in range(len(matches))]

    def _draw(self, number: int) -> "Match":
        """What chance says of match `number`."""
        chance = np.random.default_rng([self.seed, number])
        policies = [self.policies[i] for i in chance.integers(len(self.policies), size=2)]
        seed, *luck = chance.integers(2**64, size=3, dtype=np.uint64).tolist()
        watched = int(chance.integers(2))
        rival = bool(chance.random() < self.rivals)
        sides = [(policy, rival and seat != watched) for seat, policy in enumerate(policies)]
        return Match(seed, luck, sides, watched)

    def _agent(self, index: CaseIndex, policy: str, old: bool) -> CaseBased:
        return CaseBased(policy, self.start if old else index, **asdict(self.options))


@dataclass(frozen=True)
class Match:
    """A match of self-play: its deal, the luck of its seats, who sits there, and who is observed."""

    seed: int
    luck: list[int]
    sides: list[tuple[str, bool]]  # a policy, and whether it keeps the base of the start
    watched: int


# --- The steps of a course ----------------------------------------------------------------------


def _follow(course: Course) -> list[Elbow]:
    """The elbows of every clustering, by full sweeps; clusterings that changed are made anew."""
    base = course.base
    elbows = [Elbow(base.domain, base.cases, number) for number in range(len(base.domain.clusterings))]
    _recluster(course, elbows)
    return elbows


def _retain(course: Course, new: Cases) -> None:
    """Add cases to the base, each with the nearest group of every clustering."""
    base = course.base
    label_cases(new, 0, pack(base.clusterings), -1, np.zeros(MAX_FEATURES))
    course.base = CaseBase(base.domain, np.concatenate([base.cases, new]), base.clusterings, base.made)


def _recluster(course: Course, elbows: Sequence[Elbow]) -> None:
    """Make the clusterings anew whose number of groups has changed, and give the cases their new groups."""
    base = course.base
    clusterings = list(base.clusterings)
    changed = [one.clustering for one in elbows if one.size != clusterings[one.clustering].size]
    for number in changed:
        clusterings[number] = elbows[number].clustering_now()
    base.clusterings = tuple(clusterings)
    groups = pack(base.clusterings)
    for number in changed:
        label_cases(base.cases, 0, groups, number, np.zeros(MAX_FEATURES))
    course.reclusterings += len(changed)


def _finish(course: Course, facts: dict[str, Any], revise: str) -> CaseBase:
    """Clean the base by the revision predicates and cluster what is left."""
    domain = course.base.domain
    cases = clean(domain, course.base.cases, revise)
    made = {"name": "learned", **facts, "matches": course.matches, "reclusterings": course.reclusterings}
    base = CaseBase(domain, cases, cluster_all(domain, cases), made | {"growth": course.growth})
    label(base)
    return base


# --- Checkpoints --------------------------------------------------------------------------------


def _write(course: Course, path: Path, facts: dict[str, Any]) -> None:
    state = {"facts": facts, "matches": course.matches, "growth": course.growth, "reclusterings": course.reclusterings}
    base = course.base
    save_base(CaseBase(base.domain, base.cases, base.clusterings, {**base.made, "course": state}), path)


def _resume(base: CaseBase, path: Path | None, facts: dict[str, Any]) -> Course:
    """The course that a checkpoint holds, or a new one."""
    if path is None or not path.exists():
        return Course(CaseBase(base.domain, base.cases.copy(), base.clusterings, base.made))
    found = load_base(str(path), base.domain)
    state = found.made.pop("course", None)
    if state is None or state["facts"] != facts:
        raise BadInput(f"{path} is no checkpoint of this course; give another file, or remove it")
    return Course(found, state["matches"], state["growth"], state["reclusterings"])
