"""Comparison of opponents that the same participants met in sequence.

Model: outcome = participant + agent + place in the order + chance. Participants and places are factors, fitted by least
squares. So agents are compared within participants, and a late place gives no advantage.

Chance may differ between participants and correlate within one. So intervals are cluster-robust, with a cluster for
each participant, the bias-reduced estimate CR2 and Satterthwaite's degrees of freedom, made for few clusters (Bell and
McCaffrey 2002; with fixed effects as in Pustejovsky and Tipton 2018).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from bolicho.stats import Estimate, Floats, t_quantile

_NOTHING = 1e-9  # smaller numbers are rounding errors


@dataclass(frozen=True)
class Difference:
    """Difference between two agents, with the p-value `p` for no difference and its Holm adjustment `holm` over all
    pairs; `size` is the difference in standard deviations of chance (Cohen's d within participants)."""

    one: str
    other: str
    estimate: Estimate
    p: float = math.nan
    holm: float = math.nan
    size: float = math.nan


def differences(
    values: Sequence[float], people: Sequence[str], agents: Sequence[str], places: Sequence[int], order: Sequence[str]
) -> list[Difference]:
    """Estimate the difference of every two agents of `order`, first minus second, adjusted for participant and place.

    It is not-a-number if the matches do not identify it: no participant met both agents, or agents and places always
    coincide.
    """
    groups = [np.flatnonzero([one == person for one in people]) for person in dict.fromkeys(people)]
    groups = [group for group in groups if len(group) > 1]  # a participant with one match gives no comparison
    pairs = list(combinations(range(len(order)), 2))
    if len(groups) < 2:
        return [Difference(order[a], order[b], Estimate(math.nan)) for a, b in pairs]
    y = np.asarray(values, np.float64)
    later = sorted(set(places))[1:]
    x = np.array(
        [[a == one for one in order] + [p == one for one in later] for a, p in zip(agents, places, strict=True)],
        np.float64,
    )  # fmt: skip
    fit = _Fit([(y[group] - y[group].mean(), x[group] - x[group].mean(axis=0)) for group in groups])
    found = []
    for a, b in pairs:
        contrast = np.zeros(x.shape[1])
        contrast[[a, b]] = 1, -1
        estimate, p = fit.estimate(contrast)
        size = estimate.value / fit.deviation if fit.deviation > _NOTHING else math.nan
        found.append(Difference(order[a], order[b], estimate, p, size=size))
    return with_holm(found)


class _Fit:
    """Least-squares fit within participants."""

    def __init__(self, parts: Sequence[tuple[Floats, Floats]]) -> None:
        self._x = [x for _, x in parts]
        whole = np.concatenate(self._x)
        self._inverse = np.linalg.pinv(whole.T @ whole, rcond=_NOTHING, hermitian=True)
        self._known = self._inverse @ (whole.T @ whole)
        self._slopes = self._inverse @ (whole.T @ np.concatenate([y for y, _ in parts]))
        self._left = [y - x @ self._slopes for y, x in parts]
        freedom = len(whole) - len(parts) - np.linalg.matrix_rank(whole, tol=1e-6)
        squares = sum(float(left @ left) for left in self._left)
        self.deviation = math.sqrt(squares / freedom) if freedom > 0 else math.nan  # of chance
        self._adjusted = [_root(np.eye(len(x)) - x @ self._inverse @ x.T) @ x @ self._inverse for x in self._x]

    def estimate(self, contrast: Floats) -> tuple[Estimate, float]:
        """Return a contrast of the slopes with its interval, and the p-value that it is zero."""
        if np.abs(self._known @ contrast - contrast).max() > 1e-6:
            return Estimate(math.nan), math.nan
        value = round(float(contrast @ self._slopes), 12) + 0.0  # a zero difference must not become a rounding error
        weights = [adjusted @ contrast for adjusted in self._adjusted]
        error = math.sqrt(sum(float(w @ left) ** 2 for w, left in zip(weights, self._left, strict=True)))
        freedom = self._freedom(weights)
        if error < _NOTHING or freedom < 1:
            return Estimate(value), math.nan
        reach = t_quantile(freedom) * error
        return Estimate(value, value - reach, value + reach), two_sided(value / error, freedom)

    def _freedom(self, weights: Sequence[Floats]) -> float:
        """Return Satterthwaite's degrees of freedom of the squared error, for independent and equal chance."""
        across = np.array([w @ x for w, x in zip(weights, self._x, strict=True)])
        spread = np.diag([float(((w - w.mean()) ** 2).sum()) for w in weights]) - across @ self._inverse @ across.T
        squares = float((spread**2).sum())
        return float(np.trace(spread)) ** 2 / squares if squares > 0 else 0.0


def _root(matrix: Floats) -> Floats:
    """Return the symmetric inverse square root; for a singular matrix, on its range only."""
    values, vectors = np.linalg.eigh(matrix)
    turned = np.where(values > 1e-6, 1 / np.sqrt(np.maximum(values, 1e-6)), 0.0)
    return np.asarray((vectors * turned) @ vectors.T)


def two_sided(t: float, freedom: float) -> float:
    """Return the p-value of a value of Student's t."""
    from scipy.special import stdtr  # type: ignore[import-untyped]  # slow to import

    return 2 * float(stdtr(freedom, -abs(t)))


def with_holm(found: list[Difference]) -> list[Difference]:
    """Add Holm's p-values, which bound the probability of any false rejection among all pairs."""
    told = sorted((d for d in found if not math.isnan(d.p)), key=lambda d: d.p)
    raised: dict[tuple[str, str], float] = {}
    highest = 0.0
    for rank, one in enumerate(told):
        highest = max(highest, min(1.0, (len(told) - rank) * one.p))
        raised[one.one, one.other] = highest
    return [replace(d, holm=raised.get((d.one, d.other), math.nan)) for d in found]
