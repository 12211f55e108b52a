"""Tests that stop as soon as they know, and what may be said of the numbers then.  Pure functions on arrays.

The unit is the deal, played in every rotation (for two seats a pair of mirrored games); what is tested is the mean of
a unit: the share of wins, or the payoff.  H0 says that the mean is `low`, H1 that it is `high`.  After every unit the
generalised likelihood ratio of the two is looked at, as in fastchess and Fishtest: the likelihood of what was seen
under the best distribution of that mean, here a normal one of any variance.  Wald's limits make looking harmless: H1
is taken for true with probability `alpha` at most where the mean is `low` or less, H0 with probability `beta` at most
where it is `high` or more, but for what is approximate about that (tests/arena/test_sequential.py measures it).

A test that stops when it has seen enough stops, on average, at a moment that flatters the winner.  So the estimate is
not the mean that was seen but the one that makes what happened (which limit was reached, and when) the median of what
could have, and its interval holds those that make it no rarer than 2.5% to each side: outcomes in the order of
Siegmund, and Brownian motion between two limits for the sums.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from bolicho import stats
from bolicho.errors import BadInput
from bolicho.stats import Estimate, Floats

OVERSHOOT = 0.5826  # standard deviations: by how much a sum of normal steps passes a limit on average (Siegmund 1985)


@dataclass(frozen=True)
class Bounds:
    """Two hypotheses about a mean, and how often one may be taken for the other."""

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
        """The logarithms of the likelihood ratio at which H0 and H1 are accepted (Wald)."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    @property
    def middle(self) -> float:
        return (self.low + self.high) / 2


def elo_share(elo: float) -> float:
    """The share of wins that so many points of Elo are."""
    return 1 / (1 + 10 ** (-elo / 400))


def share_elo(share: float) -> float:
    """The points of Elo that a share of wins is; infinite for all or nothing."""
    if not 0 < share < 1:
        return math.copysign(math.inf, share - 0.5)
    return -400 * math.log10(1 / share - 1)


def log_ratios(units: ArrayLike, bounds: Bounds, reach: float | None = None) -> Floats:
    """The logarithm of the likelihood ratio of H1 to H0 after each unit (the last axis).

    Two imaginary units, as far above and below the middle as units go, enter the variance, so that a few that are
    alike prove nothing.  How far that is (`reach`) is known of shares; of payoffs it is the furthest seen so far.
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
    """After how many units, `least` or more, a test stops, and with which verdict; all and None where it does not."""
    lower, upper = bounds.limits
    found = least - 1 + np.flatnonzero((ratios[least - 1 :] <= lower) | (ratios[least - 1 :] >= upper))
    if not len(found):
        return len(ratios), None
    at = int(found[0])
    return at + 1, "H1" if ratios[at] >= upper else "H0"


# --- What may be said afterwards ----------------------------------------------------------------


def estimate(units: ArrayLike, bounds: Bounds, verdict: str | None, reach: float | None = None) -> Estimate:
    """The mean of a unit, of which a test has seen these and then stopped with this verdict."""
    below = _outcome(units, bounds, verdict, reach)
    half = (1 - stats.CONFIDENCE) / 2
    return Estimate(*(_mean_where(below, share, bounds) for share in (0.5, 1 - half, half)))


def superiority(
    units: ArrayLike, bounds: Bounds, verdict: str | None, even: float, reach: float | None = None
) -> float:
    """How likely it is that somebody no better than `even` does worse than this: the likelihood of superiority."""
    return min(1.0, max(0.0, _outcome(units, bounds, verdict, reach)(even)))


def _outcome(units: ArrayLike, bounds: Bounds, verdict: str | None, reach: float | None) -> Callable[[float], float]:
    """The probability, by the mean, of an outcome no better than this one.

    From worst to best: H0 accepted, the sooner the worse; no verdict, by where the sum stands; H1, the later the worse.
    """
    units = np.asarray(units, np.float64)
    off = units - bounds.middle
    far = float(np.abs(off).max()) if reach is None else reach
    deviation = math.sqrt((float(((units - units.mean()) ** 2).sum()) + 2 * far**2) / len(units))
    if deviation == 0:  # all in the middle: nothing is known
        return lambda mean: 0.5
    scale = _sum_per_ratio(units, bounds, reach) / deviation
    lower, upper, time = bounds.limits[0] * scale - OVERSHOOT, bounds.limits[1] * scale + OVERSHOOT, len(units)

    def below(mean: float) -> float:
        drift = (mean - bounds.middle) / deviation
        if verdict == "H1":
            return 1 - _leaves_above(lower, upper, drift, time)
        lost = _leaves_above(-upper, -lower, -drift, time)
        return lost if verdict else lost + _stays_below(lower, upper, drift, time, float(off.sum()) / deviation)

    return below


def _sum_per_ratio(units: Floats, bounds: Bounds, reach: float | None) -> float:
    """How far from the middle the sum of units is where the logarithm of the ratio is 1, at the mean that was seen.

    Near the middle the two are proportional; far away the ratio lags behind, so a limit of it is further away for sums.
    """
    total, ratio = float((units - bounds.middle).sum()), float(log_ratios(units, bounds, reach)[-1])
    if abs(ratio) > _NEARLY_ZERO:
        return total / ratio
    return (float(units.var()) + (bounds.high - bounds.low) ** 2 / 4) / (bounds.high - bounds.low)


_NEARLY_ZERO = 1e-6


def _mean_where(below: Callable[[float], float], share: float, bounds: Bounds) -> float:
    """The mean for which an outcome no better has that probability; it falls as the mean rises."""
    from scipy.optimize import brentq  # type: ignore[import-untyped]  # slow to import

    reach = bounds.high - bounds.low
    for _ in range(_MOST_DOUBLINGS):
        if below(bounds.middle - reach) >= share >= below(bounds.middle + reach):
            return float(brentq(lambda mean: below(mean) - share, bounds.middle - reach, bounds.middle + reach))
        reach *= 2
    return math.nan


_MOST_DOUBLINGS = 60


def _images(lower: float, upper: float, time: float) -> range:
    """How many mirrored worlds matter: beyond, nobody comes from there in that time."""
    return range(-(count := 3 + math.ceil(5 * math.sqrt(time) / (upper - lower))), count + 1)


def _leaves_above(lower: float, upper: float, drift: float, time: float) -> float:
    """How likely Brownian motion from 0 leaves (lower, upper) above within that time."""
    from scipy.special import log_ndtr  # type: ignore[import-untyped]  # slow to import

    root, fast = math.sqrt(time), abs(drift)
    total = 0.0
    for k in _images(lower, upper, time):
        place = upper + 2 * k * (upper - lower)
        far = abs(place)
        here = math.exp(min(0.0, drift * upper - fast * far + log_ndtr((fast * time - far) / root)))
        back = math.exp(min(0.0, drift * upper + fast * far + log_ndtr((-fast * time - far) / root)))
        total += math.copysign(here + back, place)
    return min(1.0, max(0.0, total))


def _stays_below(lower: float, upper: float, drift: float, time: float, end: float) -> float:
    """How likely it stays in (lower, upper) all that time and is at `end` or below then."""
    total = 0.0
    for k in _images(lower, upper, time):
        place = 2 * k * (upper - lower)
        total += _between(place, lower, end, drift, time) - _between(2 * upper + place, lower, end, drift, time)
    return min(1.0, max(0.0, total))


def _between(place: float, lower: float, end: float, drift: float, time: float) -> float:
    """exp(drift * place) times the chance that motion from `place` is between two points."""
    from scipy.special import log_ndtr

    root = math.sqrt(time)
    one, other = ((point - place - drift * time) / root for point in (lower, end))
    if one > 0:  # the other tail, where small numbers are exact
        one, other = -other, -one
    return math.exp(drift * place + log_ndtr(other)) - math.exp(drift * place + log_ndtr(one))
