"""Cumulative logit model of marks with participant effects, for opponents that the same participants met in sequence.

Model: logit P(mark <= k) = threshold k - (agent + place + covariate + participant), with normal participant effects
(McCullagh 1980; Hedeker and Gibbons 1994). It needs no equal steps of the scale, and its predictions stay inside it.
Maximum likelihood with Gauss-Hermite quadrature; intervals are Wald's, with Student's t for the number of participants.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from bolicho.lab.paired import Difference, two_sided, with_holm
from bolicho.stats import Estimate, Floats, t_quantile

NODES = 31  # of the quadrature; 61 change no log odds of the simulated studies by more than 0.01
WEAK = 10.0  # standard deviation, in log odds, of the prior that keeps estimates finite if an agent got one mark alone
FEWEST = 4  # participants below which nothing is fitted


@dataclass(frozen=True)
class Ordinal:
    """Fitted model: differences of agents in log odds of a higher mark, and the effect of one step of the covariate."""

    differences: list[Difference]
    covariate: Estimate
    spread: float  # standard deviation of the participant effects


@dataclass(frozen=True)
class _Data:
    y: NDArray[np.int64]  # category of each answer, from 0
    x: Floats
    starts: NDArray[np.int64]  # first answer of each participant
    categories: int


def ordinal_differences(
    marks: Sequence[int],
    people: Sequence[str],
    agents: Sequence[str],
    places: Sequence[int],
    order: Sequence[str],
    covariate: Mapping[str, float] | None = None,
) -> Ordinal | None:
    """Estimate the difference of every two agents of `order`, first minus second; None if the marks tell nothing.

    `covariate` is a number for each participant; participants without one get an effect of their own.
    """
    sort = np.argsort(people, kind="stable")
    who, met = np.asarray(people)[sort], np.asarray(agents)[sort]
    known = [agent for agent in order if agent in met]
    if len(set(people)) < FEWEST or len(known) < 2 or len(set(marks)) < 2:
        return None
    columns = [met == agent for agent in known[1:]]
    columns += [np.asarray(places)[sort] == place for place in sorted(set(places))[1:]]
    covariate = covariate or {}
    values = np.array([covariate.get(one, math.nan) for one in who])
    is_used = len(set(values[~np.isnan(values)])) > 1
    if is_used:
        columns.append(np.nan_to_num(values - np.nanmean(values)))
        columns += [np.isnan(values)] if np.isnan(values).any() else []
    x = np.column_stack(columns).astype(np.float64)
    y = np.unique(np.asarray(marks)[sort], return_inverse=True)[1].astype(np.int64)
    starts = np.flatnonzero(np.r_[True, who[1:] != who[:-1]])
    data = _Data(y, x, starts, int(y.max()) + 1)
    found, covariance = _fit(data)
    freedom = len(starts) - 1

    def told(contrast: Floats) -> tuple[Estimate, float]:
        slopes = slice(data.categories - 1, -1)
        value = float(contrast @ found[slopes])
        error = math.sqrt(max(float(contrast @ covariance[slopes, slopes] @ contrast), 0.0))
        if not math.isfinite(error) or error == 0:
            return Estimate(value), math.nan
        reach = t_quantile(freedom) * error
        return Estimate(value, value - reach, value + reach), two_sided(value / error, freedom)

    pairs = []
    for one, other in combinations(order, 2):
        contrast = np.zeros(x.shape[1])
        for agent, sign in ((one, 1.0), (other, -1.0)):
            if agent in known[1:]:
                contrast[known.index(agent) - 1] += sign
        if one in known and other in known:
            pairs.append(Difference(one, other, *told(contrast)))
        else:
            pairs.append(Difference(one, other, Estimate(math.nan)))
    place = len(known) - 1 + len(set(places)) - 1
    effect = told(np.eye(x.shape[1])[place])[0] if is_used else Estimate(math.nan)
    return Ordinal(with_holm(pairs), effect, abs(float(found[-1])))


def _fit(data: _Data) -> tuple[Floats, Floats]:
    """Return the estimates (thresholds, slopes, spread) and their covariance."""
    from scipy.optimize import minimize  # type: ignore[import-untyped]  # slow to import

    shares = np.cumsum(np.bincount(data.y, minlength=data.categories))[:-1] / len(data.y)
    first = np.log(shares / (1 - shares))
    start = np.concatenate([[first[0]], np.log(np.diff(first)), np.zeros(data.x.shape[1]), [1.0]])
    done = minimize(_free, start, (data,), jac=True, method="BFGS", options={"maxiter": 500, "gtol": 1e-6})
    found = _thresholds(done.x, data)
    return found, np.asarray(np.linalg.pinv(_hessian(found, data), hermitian=True), np.float64)


def _thresholds(free: Floats, data: _Data) -> Floats:
    """Replace the logarithms of the distances of the thresholds by the thresholds."""
    steps = data.categories - 1
    cuts = np.cumsum(np.concatenate([free[:1], np.exp(np.minimum(free[1:steps], 50.0))]))
    return np.concatenate([cuts, free[steps:]])


def _free(free: Floats, data: _Data) -> tuple[float, Floats]:
    """Return the loss and its slope in parameters without an order."""
    steps = data.categories - 1
    loss, slope = loss_and_slope(_thresholds(free, data), data.y, data.x, data.starts)
    tails = np.cumsum(slope[:steps][::-1])[::-1]
    distances = np.exp(np.minimum(free[1:steps], 50.0))
    return loss, np.concatenate([tails[:1], tails[1:] * distances, slope[steps:]])


def _hessian(found: Floats, data: _Data) -> Floats:
    """Return the second derivatives of the loss, from differences of its slope."""
    step = 1e-5
    rows = []
    for place in range(len(found)):
        moved = np.eye(len(found))[place] * step
        up = loss_and_slope(found + moved, data.y, data.x, data.starts)[1]
        down = loss_and_slope(found - moved, data.y, data.x, data.starts)[1]
        rows.append((up - down) / (2 * step))
    whole = np.array(rows)
    return np.asarray((whole + whole.T) / 2)


def loss_and_slope(found: Floats, y: NDArray[np.int64], x: Floats, starts: NDArray[np.int64]) -> tuple[float, Floats]:
    """Return minus the logarithm of the penalised likelihood, and its slope, at (thresholds, slopes, spread)."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(NODES)
    steps = len(found) - x.shape[1] - 1
    cuts = np.concatenate([[-np.inf], found[:steps], [np.inf]])
    slopes, spread = found[steps:-1], found[-1]
    at = (x @ slopes)[:, None] + spread * nodes
    above, below = cuts[y + 1][:, None] - at, cuts[y][:, None] - at
    high, low = _logistic(above), _logistic(below)
    chance = np.maximum(high - low, 1e-300)
    joint = np.add.reduceat(np.log(chance), starts, axis=0) + np.log(weights / weights.sum())
    top = joint.max(axis=1, keepdims=True)
    each = np.exp(joint - top)
    loss = -float((np.log(each.sum(axis=1)) + top[:, 0]).sum()) + float((slopes**2).sum()) / (2 * WEAK**2)
    share = (each / each.sum(axis=1, keepdims=True)).repeat(np.diff(np.r_[starts, len(y)]), axis=0)
    up, down = share * high * (1 - high) / chance, share * low * (1 - low) / chance
    along = up - down
    by_cut = np.zeros(len(cuts))
    np.add.at(by_cut, y + 1, up.sum(axis=1))
    np.add.at(by_cut, y, -down.sum(axis=1))
    slope = np.concatenate([
        -by_cut[1:-1], x.T @ along.sum(axis=1) + slopes / WEAK**2, [float((along * nodes).sum())],
    ])  # fmt: skip
    return loss, slope


def _logistic(x: Floats) -> Floats:
    from scipy.special import expit  # type: ignore[import-untyped]  # slow to import

    return np.asarray(expit(x))


def superiority(log_odds: float) -> float:
    """Return the probability that one agent is liked better than another on the scale behind the marks.

    That is of two independent logistic variables whose means differ by `log_odds`.
    """
    if abs(log_odds) < 1e-4:
        return 0.5 + log_odds / 6
    if log_odds < 0:
        return 1 - superiority(-log_odds)
    shrunk = math.exp(-log_odds)
    return (1 - shrunk - shrunk * log_odds) / (1 - shrunk) ** 2


def as_superiority(estimate: Estimate) -> Estimate:
    """Return a difference in log odds, with its interval, as a probability of superiority."""
    return Estimate(*(superiority(v) if math.isfinite(v) else math.nan for v in vars(estimate).values()))
