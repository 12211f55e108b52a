"""Clusters: k-means on what a scenario looks at, and how many groups there are.

The columns are discrete, so the distinct rows are clustered, each weighted by how often it occurs:
the same optimum as on all rows, for a fraction of the work.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import KMeans
from threadpoolctl import threadpool_limits

from bolicho.agents.cbr import kernel
from bolicho.agents.cbr.casebase import CaseBase, Cases
from bolicho.agents.cbr.domain import MAX_FEATURES, MAX_GROUPS, Domain, Feature

RESTARTS = 10  # one bad optimum moves the elbow


@dataclass(frozen=True)
class Clustering:
    """A fitted clustering: how columns are standardised, and the centroids (in standard units)."""

    mean: NDArray[np.float64]
    scale: NDArray[np.float64]
    centroids: NDArray[np.float64]  # (group, column)

    @property
    def size(self) -> int:
        return len(self.centroids)


@dataclass(frozen=True)
class Rows:
    """The distinct feature rows of a clustering, and how often each occurs."""

    values: NDArray[np.float64]
    weights: NDArray[np.int64]
    inverse: NDArray[np.int64]  # of each case of the scenario: its row
    cases: NDArray[np.int64]  # the numbers of those cases

    @property
    def mean(self) -> NDArray[np.float64]:
        return np.average(self.values, axis=0, weights=self.weights)

    @property
    def scale(self) -> NDArray[np.float64]:
        """The standard deviation of every column; 1 where a column is constant."""
        variance = np.average((self.values - self.mean) ** 2, axis=0, weights=self.weights)
        return np.where(variance > 0, np.sqrt(variance), 1.0)

    @property
    def standard(self) -> NDArray[np.float64]:
        """The rows as z-scores (document 000, equation 5)."""
        return (self.values - self.mean) / self.scale


def rows_of(cases: Cases, clustering: int) -> Rows:
    """What a clustering looks at, in the cases that are of its scenario."""
    out, who = np.zeros((len(cases), MAX_FEATURES)), np.zeros(len(cases), np.int64)
    n = kernel.feature_rows(cases, clustering, np.zeros(MAX_FEATURES), out, who)
    found = out[:n, : _width(cases, clustering)]
    values, inverse, weights = np.unique(found, axis=0, return_inverse=True, return_counts=True)
    return Rows(values, weights, inverse.reshape(-1), who[:n])


def _width(cases: Cases, clustering: int) -> int:
    """How many columns a clustering has."""
    return int(kernel.feature_width(cases, clustering, np.zeros(MAX_FEATURES)))


# --- How many groups ----------------------------------------------------------------------------


def wcss_curve(rows: Rows, most: int = MAX_GROUPS, restarts: int = RESTARTS, seed: int = 0) -> NDArray[np.float64]:
    """The within-cluster sum of squares for k = 1 .. most groups: the elbow plot."""
    return np.array([_fit(rows, k, restarts, seed).inertia_ for k in range(1, min(most, len(rows.values)) + 1)])


def elbow(wcss: NDArray[np.float64]) -> int:
    """The number of groups by the DD rule (document 000, equations 6 to 9).

    W_k is the curve over its maximum, D_k = W_{k+1} - W_k, DD_k = |D_k / D_{k-1}| where both have
    the same sign; the k with the smallest DD_k.

    >>> elbow(np.array([100.0, 50.0, 10.0, 9.0, 8.0]))
    3
    """
    if len(wcss) < 3 or wcss[0] <= 0:
        return len(wcss)
    steps = np.diff(wcss / wcss.max())
    steps[np.abs(steps) < FLAT] = 0.0
    best, found = np.inf, min(2, len(wcss))
    for k in range(2, len(wcss)):
        here, before = steps[k - 1], steps[k - 2]
        if here * before > 0 and abs(here / before) < best:
            best, found = abs(here / before), k
    return found


FLAT = 1e-12  # a step smaller than this share of the maximum is rounding


def fit(rows: Rows, k: int, restarts: int = RESTARTS, seed: int = 0) -> Clustering:
    """k-means on the standardised distinct rows; groups in the order of their size, largest first."""
    model = _fit(rows, min(k, len(rows.values)), restarts, seed)
    sizes = np.bincount(model.labels_, rows.weights, minlength=len(model.cluster_centers_))
    order = np.argsort(-sizes, kind="stable")
    return Clustering(rows.mean, rows.scale, model.cluster_centers_[order])


def _fit(rows: Rows, k: int, restarts: int, seed: int) -> KMeans:
    model = KMeans(k, n_init=restarts, random_state=seed, tol=0, algorithm="lloyd")
    with threadpool_limits(1):  # the rows are few: starting threads costs twenty times the work
        return model.fit(rows.standard, sample_weight=rows.weights.astype(np.float64))


def cluster_all(domain: Domain, cases: Cases, seed: int = 0, sizes: Sequence[int] | None = None) -> tuple[Clustering, ...]:
    """Every clustering of a domain, fitted to the cases; the number of groups by the elbow, or as given."""
    fitted = []
    for number in range(len(domain.clusterings)):
        rows = rows_of(cases, number)
        k = elbow(wcss_curve(rows, seed=seed)) if sizes is None else sizes[number]
        fitted.append(fit(rows, k, seed=seed))
    return tuple(fitted)


def label(base: CaseBase) -> None:
    """Give every case of a base the nearest group of every clustering."""
    kernel.label_cases(base.cases, 0, pack(base.clusterings), -1, np.zeros(MAX_FEATURES))


def pack(clusterings: Sequence[Clustering]) -> kernel.Groups:
    """Clusterings as the compiled cycle reads them."""
    n = len(clusterings)
    groups = kernel.Groups(
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


# --- What a group is like -----------------------------------------------------------------------


@dataclass(frozen=True)
class Group:
    """A group of a clustering, for people: its share of the cases and what is usual in it."""

    number: int
    cases: int
    share: float
    usual: tuple[tuple[str, str, float], ...]  # column, its most frequent value, how frequent
    sentence: str


def characterise(base: CaseBase, clustering: int) -> list[Group]:
    """Every group of a clustering in words (in the manner of document 000, table 12)."""
    labels = base.cases["label"][:, clustering]
    rows = rows_of(base.cases, clustering)
    features = base.domain.features[clustering]
    found = []
    for number in range(1, base.clusterings[clustering].size + 1):
        inside = labels[rows.cases] == number
        values = rows.values[rows.inverse[inside]]
        usual = tuple(_usual(feature, values[:, j]) for j, feature in enumerate(features)) if len(values) else ()
        share = len(values) / max(1, len(rows.cases))
        words = "; ".join(f"{name}: {value} ({often:.0%})" for name, value, often in usual)
        found.append(Group(number, len(values), share, usual, f"{share:.2%} of the cases. {words}"))
    return found


def _usual(feature: Feature, values: NDArray[np.float64]) -> tuple[str, str, float]:
    """The most frequent value of a column, in words; of a plain number, its middle half."""
    if not feature.values:
        low, middle, high = np.percentile(values, [25, 50, 75], method="nearest")
        return feature.name, f"{middle:.0f} (half from {low:.0f} to {high:.0f})", float(np.mean(values == middle))
    distinct, counts = np.unique(values, return_counts=True)
    best = int(np.argmax(counts))
    words: dict[Any, str] = dict(feature.values)
    return feature.name, words.get(int(distinct[best]), str(distinct[best])), float(counts[best] / len(values))


def from_labels(domain: Domain, cases: Cases) -> tuple[Clustering, ...]:
    """The clusterings that labels speak of: every group's centroid is the mean of its cases."""
    found = []
    for number in range(len(domain.clusterings)):
        rows = rows_of(cases, number)
        labels = cases["label"][rows.cases, number]
        standard = rows.standard[rows.inverse]
        size = int(labels.max(initial=1))
        centroids = [
            standard[labels == g].mean(axis=0) if np.any(labels == g) else np.full(standard.shape[1], np.inf)
            for g in range(1, size + 1)
        ]
        found.append(Clustering(rows.mean, rows.scale, np.array(centroids)))
    return tuple(found)
