"""Number of groups of a clustering, updated as cases are added (see `retain`)."""

import itertools

import numpy as np
from numpy.typing import NDArray

from bolicho.agents.cbr.casebase import Cases
from bolicho.agents.cbr.clusters import Clustering, Rows, clustering_of, elbow, population, sweep, wcss_curve
from bolicho.agents.cbr.compiled.groups import feature_rows, lloyd
from bolicho.agents.cbr.domain import MAX_FEATURES, Domain
from bolicho.store.artifact import Arrays

FOLLOWED_ROUNDS = 100  # maximum rounds of k-means after a match; a handful is usual


class Elbow:
    """Elbow of one clustering, updated as cases are added."""

    def __init__(self, domain: Domain, cases: Cases, clustering: int) -> None:
        self.clustering = clustering
        self._take(population(domain, cases, clustering).rows)
        self.sweep()

    def _take(self, rows: Rows) -> None:
        self._rows = rows
        self._number = {tuple(row): i for i, row in enumerate(rows.values)}

    def state(self) -> Arrays:
        """Return the state for saving."""
        rows, raw = self._rows, np.concatenate(self._centroids)
        return {"values": rows.values, "weights": rows.weights, "followed": raw, "size": np.array(self.size)}

    @classmethod
    def restored(cls, clustering: int, state: Arrays) -> "Elbow":
        """Restore an elbow from its state."""
        one = cls.__new__(cls)
        one.clustering, one.size = clustering, int(state["size"])
        one._take(Rows(state["values"], state["weights"]))
        ends = itertools.takewhile(lambda end: end < len(state["followed"]), itertools.accumulate(itertools.count(1)))
        one._centroids = np.split(state["followed"], list(ends))
        return one

    def sweep(self) -> None:
        """Determine the number of groups by a full sweep, whose centroids are updated from then on."""
        fits = sweep(self._rows)
        self._centroids = [self._raw(centroids) for centroids, _ in fits]
        self.size = elbow(wcss_curve(fits))

    def add(self, cases: Cases) -> None:
        """Add cases and update the centroids, and with them the number of groups."""
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
        """Return the clustering with the current number of groups."""
        centroids = (self._centroids[self.size - 1] - self._rows.mean) / self._rows.scale
        return clustering_of(self._rows, centroids)

    @property
    def _width(self) -> int:
        return int(self._rows.values.shape[1])

    def _raw(self, centroids: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return centroids in the units of the features, since the standardisation changes as cases are added."""
        raw: NDArray[np.float64] = centroids * self._rows.scale + self._rows.mean
        return raw
