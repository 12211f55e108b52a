"""Clusterings: the nearest group of a case, and incremental k-means; compiled."""

from typing import NamedTuple

import numpy as np

from bolicho.agents.cbr import domain
from bolicho.games.jit import njit, rule


class Groups(NamedTuple):
    """Fitted clusterings, packed: group g of clustering c has its centroid in `centroids[c, g - 1]`."""

    size: np.ndarray  # number of groups
    columns: np.ndarray
    mean: np.ndarray
    scale: np.ndarray
    centroids: np.ndarray


@rule
def nearest(groups, c, features):
    """Return the group of clustering `c` with the nearest centroid (1 ..); ties go to the lower number."""
    best, found = np.inf, 1
    for g in range(groups.size[c]):
        distance = 0.0
        for j in range(groups.columns[c]):
            z = (features[j] - groups.mean[c, j]) / groups.scale[c, j]
            distance += (z - groups.centroids[c, g, j]) ** 2
        if distance < best:
            best, found = distance, g + 1
    return found


@njit
def label_cases(cases, start, groups, clustering, features):
    """Label `cases[start:]` with the nearest group of one clustering, or of all (-1)."""
    first = 0 if clustering < 0 else clustering
    last = len(groups.size) if clustering < 0 else clustering + 1
    for i in range(start, len(cases)):
        for c in range(first, last):
            columns = domain.features(cases[i], c, features)
            cases[i].label[c] = nearest(groups, c, features) if columns > 0 else 0


@njit
def feature_rows(cases, clustering, features, out, who):
    """Write the feature rows of the cases that belong to a clustering, and their indices; return their number."""
    n = 0
    for i in range(len(cases)):
        columns = domain.features(cases[i], clustering, features)
        if columns > 0:
            for j in range(columns):
                out[n, j] = features[j]
            who[n] = i
            n += 1
    return n


@njit
def lloyd(rows, weights, centroids, rounds):
    """Run weighted k-means in place from the given centroids; return the within-cluster sum of squares."""
    n, width = rows.shape
    k = len(centroids)
    labels = np.full(n, -1)
    for _ in range(rounds):
        moved = False
        wcss = 0.0
        for i in range(n):
            best, found = np.inf, 0
            for g in range(k):
                distance = 0.0
                for j in range(width):
                    distance += (rows[i, j] - centroids[g, j]) ** 2
                if distance < best:
                    best, found = distance, g
            moved |= labels[i] != found
            labels[i] = found
            wcss += weights[i] * best
        if not moved:
            return wcss
        total = np.zeros(k)
        sums = np.zeros((k, width))
        for i in range(n):
            total[labels[i]] += weights[i]
            for j in range(width):
                sums[labels[i], j] += weights[i] * rows[i, j]
        for g in range(k):
            if total[g] > 0:
                for j in range(width):
                    centroids[g, j] = sums[g, j] / total[g]
    return wcss
