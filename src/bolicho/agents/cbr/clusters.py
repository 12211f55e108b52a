"""Clustering: k-means or a Gaussian mixture on the features of a scenario, and the choice of the number of groups.

The columns are discrete, so the distinct rows are clustered, each weighted by its frequency: the same optimum as on all
rows, at a fraction of the cost. (scikit-learn's mixtures take no weights and get all rows.)
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bolicho.agents.cbr.casebase import CaseBase, Cases
from bolicho.agents.cbr.compiled.groups import Groups, feature_rows, label_cases
from bolicho.agents.cbr.domain import MAX_FEATURES, MAX_GROUPS, Domain, Feature
from bolicho.errors import unknown

ALGORITHMS = ("k-means", "mixture")
"""Clustering algorithms of a base.

- `k-means`: the number of groups by the elbow, every case in the group of the nearest centroid (Paulus 2020);
- `mixture`: a Gaussian mixture, the number of components by the Bayesian information criterion, every case in its
  likeliest component.  Paulus 2020 (chapter 6) leaves other algorithms to future work.
"""

RESTARTS = 10  # with fewer, one bad optimum moves the elbow

Fit = tuple[NDArray[np.float64], float]
"""Centroids in standard units, and the within-cluster sum of squares."""


@dataclass(frozen=True)
class Clustering:
    """Fitted clustering: the standardisation of columns, and the centroids (in standard units)."""

    mean: NDArray[np.float64]
    scale: NDArray[np.float64]
    centroids: NDArray[np.float64]  # (group, column)

    @property
    def size(self) -> int:
        return len(self.centroids)


@dataclass(frozen=True)
class Rows:
    """Distinct feature rows of a clustering, and their frequencies."""

    values: NDArray[np.float64]
    weights: NDArray[np.float64]

    @cached_property
    def mean(self) -> NDArray[np.float64]:
        """Mean of every column; 0 where there are no rows."""
        return np.average(self.values, axis=0, weights=self.weights) if len(self.values) else self.values.sum(axis=0)

    @cached_property
    def scale(self) -> NDArray[np.float64]:
        """Standard deviation of every column; 1 where a column is constant."""
        if not len(self.values):
            return np.ones(self.values.shape[1])
        variance = np.average((self.values - self.mean) ** 2, axis=0, weights=self.weights)
        return np.where(variance > 0, np.sqrt(variance), 1.0)

    @cached_property
    def standard(self) -> NDArray[np.float64]:
        """Rows as z-scores (Paulus 2020, equation 5)."""
        standard: NDArray[np.float64] = (self.values - self.mean) / self.scale
        return standard


@dataclass(frozen=True)
class Population:
    """Cases of a clustering's scenario, and the distinct row of each."""

    rows: Rows
    cases: NDArray[np.int64]
    row_of: NDArray[np.int64]


def population(domain: Domain, cases: Cases, clustering: int) -> Population:
    """Return the features of the cases of a clustering's scenario."""
    out, who = np.zeros((len(cases), MAX_FEATURES)), np.zeros(len(cases), np.int64)
    n = feature_rows(cases, clustering, np.zeros(MAX_FEATURES), out, who)
    columns = out[:n, : len(domain.features[clustering])]
    values, inverse, counts = np.unique(columns, axis=0, return_inverse=True, return_counts=True)
    return Population(Rows(values, counts.astype(np.float64)), who[:n], inverse.reshape(-1))


# --- Number of groups ---------------------------------------------------------------------------


def sweep(rows: Rows, most: int = MAX_GROUPS, restarts: int = RESTARTS, seed: int = 0) -> list[Fit]:
    """Run k-means on the standardised rows for k = 1 .. most; return the fit of each.

    Without cases in the scenario there is one group, at the mean.
    """
    if not len(rows.values):
        return [(np.zeros((1, rows.values.shape[1])), 0.0)]
    return [_fit(rows, k, restarts, seed) for k in range(1, min(most, len(rows.values)) + 1)]


def wcss_curve(fits: Sequence[Fit]) -> NDArray[np.float64]:
    """Return the elbow curve: the within-cluster sum of squares by the number of groups."""
    return np.array([wcss for _, wcss in fits])


FLAT = 1e-12  # a step below this share of the maximum is rounding


def elbow(wcss: NDArray[np.float64]) -> int:
    """Return the number of groups by the DD rule (Paulus 2020, equations 6 to 9).

    W_k is the curve over its maximum, D_k = W_{k+1} - W_k, DD_k = |D_k / D_{k-1}| where both have
    the same sign; the k with the smallest DD_k.

    >>> elbow(np.array([100.0, 50.0, 10.0, 9.0, 8.0]))
    3
    """
    if len(wcss) < 3 or wcss[0] <= 0:
        return len(wcss)
    steps = np.diff(wcss / wcss.max())
    steps[np.abs(steps) < FLAT] = 0.0
    best, found = np.inf, 2
    for k in range(2, len(wcss)):
        here, before = steps[k - 1], steps[k - 2]
        if here * before > 0 and abs(here / before) < best:
            best, found = abs(here / before), k
    return found


@cache
def _threads() -> Any:
    """Return the controller of threads in numerical libraries; its creation takes milliseconds."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def _fit(rows: Rows, k: int, restarts: int, seed: int) -> Fit:
    from sklearn.cluster import KMeans  # deferred: the import takes a second, and playing does not need it

    model = KMeans(k, n_init=restarts, random_state=seed, tol=0, algorithm="lloyd")
    with _threads().limit(limits=1):  # few rows: starting threads would cost twenty times the work
        model.fit(rows.standard, sample_weight=rows.weights)
    return model.cluster_centers_, float(model.inertia_)


def clustering_of(rows: Rows, centroids: NDArray[np.float64]) -> Clustering:
    """Return the clustering with these centroids (in standard units), the largest group first."""
    distances = ((rows.standard[:, None, :] - centroids) ** 2).sum(axis=2)
    sizes = np.bincount(distances.argmin(axis=1), rows.weights, minlength=len(centroids))
    return Clustering(rows.mean, rows.scale, centroids[np.argsort(-sizes, kind="stable")])


def cluster(rows: Rows, seed: int = 0) -> Clustering:
    """Run k-means with the number of groups by the elbow."""
    fits = sweep(rows, seed=seed)
    return clustering_of(rows, fits[elbow(wcss_curve(fits)) - 1][0])


def cluster_all(domain: Domain, cases: Cases, seed: int = 0) -> tuple[Clustering, ...]:
    """Return every clustering of a domain, fitted to the cases."""
    return tuple(cluster(population(domain, cases, number).rows, seed) for number in range(len(domain.clusterings)))


def clustered(domain: Domain, cases: Cases, made: dict[str, Any], algorithm: str = ALGORITHMS[0]) -> CaseBase:
    """Return a base of the cases, labelled with their groups in every clustering."""
    check_algorithm(algorithm)
    if algorithm == "mixture":
        cases["label"] = 0
        for number in range(len(domain.clusterings)):
            of = population(domain, cases, number)
            cases["label"][of.cases, number] = mixture(of.rows)[of.row_of]
        return CaseBase(domain, cases, from_labels(domain, cases), made)
    base = CaseBase(domain, cases, cluster_all(domain, cases), made)
    label(base)
    return base


def check_algorithm(algorithm: str) -> None:
    """Raise `BadInput` for an unknown clustering algorithm."""
    if algorithm not in ALGORITHMS:
        raise unknown("clustering algorithm", algorithm, ALGORITHMS)


def label(base: CaseBase) -> None:
    """Label every case of a base with the nearest group of every clustering."""
    label_cases(base.cases, 0, pack(base.clusterings), -1, np.zeros(MAX_FEATURES))


def pack(clusterings: Sequence[Clustering]) -> Groups:
    """Return clusterings in the form of the compiled cycle."""
    n = len(clusterings)
    groups = Groups(
        size=np.array([c.size for c in clusterings], np.int64),
        columns=np.array([len(c.mean) for c in clusterings], np.int64),
        mean=np.zeros((n, MAX_FEATURES)),
        scale=np.ones((n, MAX_FEATURES)),
        centroids=np.zeros((n, MAX_GROUPS, MAX_FEATURES)),
    )
    for i, clustering in enumerate(clusterings):
        width = len(clustering.mean)
        groups.mean[i, :width] = clustering.mean
        groups.scale[i, :width] = clustering.scale
        groups.centroids[i, : clustering.size, :width] = clustering.centroids
    return groups


# --- Gaussian mixtures --------------------------------------------------------------------------

FLOOR = 0.1
"""Added to the variances of a component, relative to those of the whole column.

The columns are discrete: without a floor a component narrows to a single value, and the criterion would select one
component for each value.
"""
MIXTURE_RESTARTS = 3
MIXTURE_ROUNDS = 500  # maximum rounds of expectation and maximisation


def mixture(rows: Rows, most: int = MAX_GROUPS, restarts: int = MIXTURE_RESTARTS, seed: int = 0) -> NDArray[np.int64]:
    """Return the likeliest component of every distinct row (1 .., the one with the most cases first).

    The mixture has full covariances and, of 1 .. most, the number of components with the lowest BIC. Components that
    are the likeliest of no row are left out.
    """
    from sklearn.mixture import GaussianMixture  # deferred: the import takes a second, and playing does not need it

    if not len(rows.values):
        return np.zeros(0, np.int64)
    every = np.repeat(rows.standard, rows.weights.astype(np.int64), axis=0)
    lowest, found = np.inf, np.zeros(len(rows.values), np.int64)
    for k in range(1, min(most, len(rows.values)) + 1):
        model = GaussianMixture(k, reg_covar=FLOOR, n_init=restarts, max_iter=MIXTURE_ROUNDS, random_state=seed)
        with _threads().limit(limits=1):
            bic = model.fit(every).bic(every)
            if bic < lowest:
                lowest, found = bic, model.predict(rows.standard)
    components, found = np.unique(found, return_inverse=True)
    sizes = np.bincount(found, rows.weights, minlength=len(components))
    return np.asarray(1 + np.argsort(np.argsort(-sizes, kind="stable"))[found], np.int64)


# --- Description of a group ---------------------------------------------------------------------


@dataclass(frozen=True)
class Group:
    """Description of a group for readers: its share of the cases and its typical values."""

    number: int
    cases: int
    share: float
    usual: tuple[tuple[str, str, float], ...]  # column, its most frequent value, the frequency of this value
    sentence: str


def characterise(base: CaseBase, clustering: int) -> list[Group]:
    """Return descriptions of all groups of a clustering (as in Paulus 2020, table 12)."""
    labels = base.cases["label"][:, clustering]
    of = population(base.domain, base.cases, clustering)
    features = base.domain.features[clustering]
    found = []
    for number in range(1, base.clusterings[clustering].size + 1):
        inside = labels[of.cases] == number
        values = of.rows.values[of.row_of[inside]]
        usual = tuple(_usual(feature, values[:, j]) for j, feature in enumerate(features)) if len(values) else ()
        share = len(values) / max(1, len(of.cases))
        words = "; ".join(f"{name}: {value} ({often:.0%})" for name, value, often in usual)
        found.append(Group(number, len(values), share, usual, f"{share:.2%} of the cases. {words}"))
    return found


def _usual(feature: Feature, values: NDArray[np.float64]) -> tuple[str, str, float]:
    """Return the most frequent value of a column as text; for a plain number, its middle half."""
    if not feature.values:
        low, middle, high = np.percentile(values, [25, 50, 75], method="nearest")
        return feature.name, f"{middle:.0f} (half from {low:.0f} to {high:.0f})", float(np.mean(values == middle))
    distinct, counts = np.unique(values, return_counts=True)
    best = int(np.argmax(counts))
    words: dict[Any, str] = dict(feature.values)
    return feature.name, words.get(int(distinct[best]), str(distinct[best])), float(counts[best] / len(values))


NOWHERE = 1e6  # in standard deviations: centroid of a group without cases, far from everything


def from_labels(domain: Domain, cases: Cases) -> tuple[Clustering, ...]:
    """Return the clusterings that labels define: every group's centroid is the mean of its cases."""
    found = []
    for number in range(len(domain.clusterings)):
        of = population(domain, cases, number)
        labels = cases["label"][of.cases, number]
        standard = of.rows.standard[of.row_of]
        size = int(labels.max(initial=1))
        centroids = [
            standard[labels == g].mean(axis=0) if np.any(labels == g) else np.full(standard.shape[1], NOWHERE)
            for g in range(1, size + 1)
        ]
        found.append(Clustering(of.rows.mean, of.rows.scale, np.array(centroids)))
    return tuple(found)
