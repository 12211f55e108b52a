"""Sequential tests, and estimates after them.  Pure functions on arrays.

The unit is the deal, played in every rotation (for two seats a pair of mirrored games); the test is on the mean of a
unit: the share of wins, or the payoff.  H0: the mean is `low`.  H1: the mean is `high`.  After every unit the test
computes the generalised likelihood ratio of the two, as fastchess and Fishtest do: each likelihood is that of the
data under the best distribution with that mean, here a normal one of any variance.  Wald's limits bound the errors of
repeated looks: H1 is accepted with probability `alpha` at most if the mean is `low` or less, H0 with probability
`beta` at most if it is `high` or more, up to the approximation (tests/arena/test_sequential.py measures it).

The sample mean of a stopped test is biased in favour of the winner.  So the estimate is the true mean under which a
lower and a higher sample mean are equally likely, and its 95% interval ends where one of them has a probability of
2.5%.  A "lower sample mean" is that of this test, stopped after the same number of units at the latest.  For normal
units its probability falls as the true mean rises, for every stopping rule (Emerson and Fleming 1990), so estimate
and interval exist for every outcome; it is computed look by look (Armitage, McPherson and Rowe 1969) with the limits
of this test, the number of units before its first look, and the overshoot.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bolicho import stats
from bolicho.errors import BadInput
from bolicho.stats import Estimate, Floats

OVERSHOOT = 0.5826  # standard deviations: mean excess of a sum of normal steps over a limit (Siegmund 1985)


@dataclass(frozen=True)
class Bounds:
    """Two hypotheses about a mean, and the error probabilities of their test."""

    low: float
    high: float
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        if not self.low < self.high:
            raise BadInput(f"the bounds of a test go from the lower to the higher, not from {self.low} to {self.high}")
        for name, value in (("alpha", self.alpha), ("beta", self.beta)):
            if not 0 < value < 0.5:
                raise BadInput(f"{name} is a probability of more than 0 and less than 0.5, not {value}")

    @property
    def limits(self) -> tuple[float, float]:
        """Log likelihood ratios at which H0 and H1 are accepted (Wald)."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    @property
    def middle(self) -> float:
        return (self.low + self.high) / 2


def elo_share(elo: float) -> float:
    """Convert points of Elo to a share of wins."""
    return 1 / (1 + 10 ** (-elo / 400))


def share_elo(share: float) -> float:
    """Convert a share of wins to points of Elo; infinite for 0 and 1."""
    if not 0 < share < 1:
        return math.copysign(math.inf, share - 0.5)
    return -400 * math.log10(1 / share - 1)


def log_ratios(units: ArrayLike, bounds: Bounds, reach: float | None = None) -> Floats:
    """Return the log likelihood ratio of H1 to H0 after each unit (the last axis).

    The variance includes two imaginary units at the largest distance above and below the middle, so that a few equal
    units decide nothing.  This distance (`reach`) is known for shares; for payoffs it is the largest one so far.
    """
    units = np.asarray(units, np.float64)
    count = np.arange(1, units.shape[-1] + 1)
    mean = np.cumsum(units, axis=-1) / count
    off = units - bounds.middle
    far = np.maximum.accumulate(np.abs(off), axis=-1) if reach is None else np.float64(reach)
    squares = np.cumsum(off**2, axis=-1) - count * (mean - bounds.middle) ** 2
    variance = (np.maximum(squares, 0) + 2 * far**2) / count
    ratio = (variance + (mean - bounds.low) ** 2) / (variance + (mean - bounds.high) ** 2)
    return np.asarray(count / 2 * np.log(ratio))


def stops(ratios: Floats, bounds: Bounds, least: int = 1) -> tuple[int, str | None]:
    """Return the number of units (`least` or more) at which a test stops, and its verdict; all and None without one."""
    lower, upper = bounds.limits
    found = least - 1 + np.flatnonzero((ratios[least - 1 :] <= lower) | (ratios[least - 1 :] >= upper))
    if not len(found):
        return len(ratios), None
    at = int(found[0])
    return at + 1, "H1" if ratios[at] >= upper else "H0"


# --- Estimates after a test ---------------------------------------------------------------------

MOST_LOOKS = 64  # looks in the computation of a longer test: the overshoot accounts for those between
SPACING = 0.25  # step of the grid of sums, in standard deviations of the change from look to look
WIDTH = 6.0  # standard deviations at which a normal step is truncated
NEGLIGIBLE = 1e-12  # probability below which points of the grid are dropped


def estimate(units: ArrayLike, bounds: Bounds, reach: float | None = None, least: int = 1) -> Estimate:
    """Estimate the mean from the units of a test that stopped, with or without a verdict.

    The value is median-unbiased.  `reach` and `least` are those of the test (`log_ratios`, `stops`); if `reach` is
    given, units are shares from 0 to 1.
    """
    units = np.asarray(units, np.float64)
    if len(units) < 2 or _deviation(units, bounds, reach) == 0:
        return Estimate(float(units.mean()))
    below = _share_below(units, bounds, reach, least)
    half, wider = (1 - stats.CONFIDENCE) / 2, _student_factor(len(units))
    errors = [wider * _errors_where(below, share) for share in (0.5, 1 - half, half)]
    if reach is None:
        return Estimate(*(float(units.mean()) - z * _standard_error(units, bounds) for z in errors))
    return Estimate(*(stats.wilson_end(float(units.mean()), stats.effective_size(units), z) for z in errors))


def superiority(units: ArrayLike, bounds: Bounds, even: float, reach: float | None = None, least: int = 1) -> float:
    """Return the probability that an agent with the mean `even` scores lower: the likelihood of superiority."""
    units = np.asarray(units, np.float64)
    if len(units) < 2 or _deviation(units, bounds, reach) == 0:
        return 0.5
    error = _standard_error(units, bounds)
    if reach is not None:
        error = math.sqrt(even * (1 - even) / stats.effective_size(units))
    errors = (float(units.mean()) - even) / error / _student_factor(len(units))
    return _share_below(units, bounds, reach, least)(errors)


def _deviation(units: Floats, bounds: Bounds, reach: float | None) -> float:
    """Return the standard deviation of a unit, imaginary units included as in `log_ratios`."""
    return math.sqrt(float(units.var()) + 2 * _furthest(units, bounds, reach) ** 2 / len(units))


def _standard_error(units: Floats, bounds: Bounds) -> float:
    return _deviation(units, bounds, None) / math.sqrt(len(units))


def _furthest(units: Floats, bounds: Bounds, reach: float | None) -> float:
    return float(np.abs(units - bounds.middle).max()) if reach is None else reach


def _student_factor(count: int) -> float:
    """Return the ratio of Student's interval to the normal one, since the deviation is estimated too."""
    return stats.t_quantile(count - 1) / stats.t_quantile(math.inf)


def _share_below(units: Floats, bounds: Bounds, reach: float | None, least: int) -> Callable[[float], float]:
    """Return the probability of a lower mean as a function of the true mean's distance below this one.

    The distance is in standard errors.  A forward recursion over the looks of the test gives the density of the
    undecided sums.  It runs once, with the sample mean as the true one; the likelihood ratio converts its result to any
    other mean.
    """
    count, deviation = len(units), _deviation(units, bounds, reach)
    drift = float(units.mean() - bounds.middle) / deviation
    times = _looks(count, least)
    steps = np.diff(times, prepend=0)
    spacing = SPACING * math.sqrt(float(steps.min()))
    undecided: Floats = np.ones(1)  # probabilities of the sums (first + i) * spacing, minus their expectation
    first = 0
    ends: list[tuple[Floats, ...]] = []
    for look, (time, step) in enumerate(zip(times.tolist(), steps.tolist(), strict=True)):
        half = math.ceil(WIDTH * math.sqrt(step) / spacing)
        kernel = np.exp(-((np.arange(-half, half + 1) * spacing) ** 2) / (2 * step))
        undecided, first = np.convolve(undecided, kernel / kernel.sum()), first - half
        sums = np.asarray((first + np.arange(len(undecided))) * spacing, np.float64)
        between = OVERSHOOT * (math.sqrt(step) - 1) if look else 0.0
        variance = float(units.var()) + 2 * _furthest(units, bounds, reach) ** 2 / time
        stopped: Floats = np.zeros(len(sums))
        if time >= least:
            for limit in bounds.limits:
                near, far = (edge * time / deviation for edge in _deciding_means(limit, time, bounds, variance))
                along = math.copysign(1, limit) * (sums + drift * time)
                stopped += _part_above(along, near - between, spacing) - _part_above(along, far, spacing)
        ended: Floats = np.ones(len(sums)) if time == count else stopped
        now, higher = ended > 0, _part_above(sums, 0.0, spacing)
        ends.append((sums[now], (undecided * ended)[now], higher[now], np.full(int(now.sum()), float(time))))
        undecided = undecided * (1 - ended)
        left = np.flatnonzero(undecided > NEGLIGIBLE)
        if not len(left):
            break
        undecided, first = undecided[left[0] : left[-1] + 1], first + int(left[0])
    at, chances, higher, when = (np.concatenate(parts) for parts in zip(*ends, strict=True))

    def below(errors: float) -> float:
        shift = -errors / math.sqrt(count)
        chances_there = chances * np.exp(np.minimum(shift * at - when * shift**2 / 2, _LARGE))
        if errors < 0:  # compute the smaller of the two probabilities, without cancellation
            return min(1.0, float(chances_there @ (1 - higher)))
        return max(0.0, 1 - float(chances_there @ higher))

    return below


_LARGE = 500.0  # an exponent whose exponential is finite


def _looks(count: int, least: int) -> NDArray[np.int64]:
    """Return the numbers of units at which a test of `count` units looked, `least` or more; about `MOST_LOOKS`."""
    first = min(count, max(least, count // MOST_LOOKS))
    return np.unique(np.rint(np.linspace(first, count, min(MOST_LOOKS, count - first) + 1)).astype(np.int64))


def _deciding_means(limit: float, count: int, bounds: Bounds, variance: float) -> tuple[float, float]:
    """Return the range of distances of the mean from the middle with a log ratio after `count` units beyond `limit`.

    The log ratio is not monotone: a mean far from both bounds discriminates little between them (see `log_ratios`).
    """
    half, reach = (bounds.high - bounds.low) / 2, abs(limit) / count
    if reach > _LARGE or (half / math.sinh(reach)) ** 2 <= variance:
        return math.inf, math.inf
    centre, away = half / math.tanh(reach), math.sqrt((half / math.sinh(reach)) ** 2 - variance)
    return (variance + half**2) / (centre + away), centre + away


def _part_above(points: Floats, edge: float, spacing: float) -> Floats:
    """Return the part of the cell around each point of a grid that lies above an edge."""
    return np.asarray(np.clip((points - edge) / spacing + 0.5, 0, 1))


def _errors_where(below: Callable[[float], float], share: float) -> float:
    """Return the distance of the true mean below the sample mean, in standard errors, that gives that probability."""
    from scipy.optimize import brentq  # type: ignore[import-untyped]  # slow to import

    for reach in (4.0, 8.0, 16.0, 32.0):
        if below(reach) >= share >= below(-reach):
            return float(brentq(lambda errors: below(errors) - share, -reach, reach, xtol=1e-6))
    return math.nan
