"""Estimates with confidence intervals.  Pure functions on arrays.

The games of one deal are not independent: they share their cards, within a duplicate set and from
pairing to pairing.  So the unit of sampling is always the deal: an estimate averages all games of
each deal, and its 95% interval comes from the differences between deals.
"""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray

CONFIDENCE = 0.95

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Estimate:
    """A number and its 95% interval; NaN if undefined."""

    value: float
    low: float = math.nan
    high: float = math.nan

    @classmethod
    def read(cls, written: Mapping[str, float | None]) -> "Estimate":
        """Return the estimate from the output of `written`."""
        return cls(**{name: math.nan if number is None else number for name, number in written.items()})

    def written(self) -> dict[str, float | None]:
        """Return the estimate for a file: None for NaN and infinities."""
        return {name: number if math.isfinite(number) else None for name, number in asdict(self).items()}

    @property
    def has_interval(self) -> bool:
        return math.isfinite(self.low) and math.isfinite(self.high)

    def _repr_html_(self) -> str:
        interval = f" <small>[{self.low:.3g}, {self.high:.3g}]</small>" if self.has_interval else ""
        return f"{self.value:.3g}{interval}"

    def rest(self) -> "Estimate":
        """Return the complement of a share."""
        return Estimate(1 - self.value, 1 - self.high, 1 - self.low)

    def within_one(self) -> "Estimate":
        """Return a share with its interval clipped to [0, 1]; without an interval, it becomes [0, 1]."""
        low, high = (self.low, self.high) if self.has_interval else (0.0, 1.0)
        return Estimate(self.value, max(0.0, low), min(1.0, high))


def t_quantile(freedom: float) -> float:
    """Return the half width of the 95% interval in standard errors (Student's t)."""
    from scipy.special import stdtrit  # type: ignore[import-untyped]  # slow to import

    return float(stdtrit(freedom, 0.5 + CONFIDENCE / 2))


# --- Values of games ----------------------------------------------------------------------------


def win_shares(payoffs: ArrayLike) -> Floats:
    """Return the share of the win by seat (the last axis): 1 for the highest payoff, divided among ties."""
    payoffs = np.asarray(payoffs)
    top = payoffs == payoffs.max(axis=-1, keepdims=True)
    return np.asarray(top / top.sum(axis=-1, keepdims=True))


def margins(scores: ArrayLike) -> NDArray[np.int64]:
    """Return the lead in points of each seat (the last axis) over the best of the others."""
    scores = np.asarray(scores)
    ordered = np.sort(scores, axis=-1)
    best, second = ordered[..., -1:], ordered[..., -2:-1]
    is_best = scores == best
    rival = np.where(is_best, second, best)  # seats that tie at the top have a margin of 0
    return np.asarray(scores - rival)


def pair_wins(payoffs: Floats, seated: NDArray[np.int64], agents: int) -> Floats:
    """Return the wins of each agent over each other, per deal: an array (deal, agent, agent).

    `payoffs` is over (pairing, deal, rotation, seat), `seated` over (pairing, rotation, seat).  A
    game of many seats counts once for every two of them; a tie is half a win for each.  A game with NaN
    as payoffs was not played and does not count.
    """
    _, deals, rotations, seats = payoffs.shape
    wins = np.zeros((agents, agents, deals))
    for rotation in range(rotations):
        for one, other in combinations(range(seats), 2):
            met = seated[:, rotation, one] != seated[:, rotation, other]
            a, b = seated[met, rotation, one], seated[met, rotation, other]
            mine, theirs = payoffs[met, :, rotation, one], payoffs[met, :, rotation, other]
            tied = 0.5 * (mine == theirs)
            np.add.at(wins, (a, b), (mine > theirs) + tied)
            np.add.at(wins, (b, a), (theirs > mine) + tied)
    return wins.transpose(2, 0, 1)


# --- Rates and means ----------------------------------------------------------------------------


def rate(units: ArrayLike, sets: int | None = None) -> Estimate:
    """Return a rate of wins from its value on each deal, with Wilson's interval.

    The sample size in Wilson's formula is the effective one: the number of independent games with
    the variance of the deals.  Mirrored games whose luck cancels count for more than two, games that
    always end alike for one.  `sets` is the number of duplicate sets over all pairings (default: one
    per deal).

    The variance (not the rate) includes two imaginary sets, one all won and one all lost, so that it
    is never 0: with nothing but wins the effective size is about the number of sets.
    """
    units = np.asarray(units, np.float64)
    p = float(units.mean())
    if len(units) < 2:
        return Estimate(p, 0.0, 1.0)
    return Estimate(p, *wilson(p, effective_size(units, sets), t_quantile(len(units) - 1)))


def effective_size(units: Floats, sets: int | None = None) -> float:
    """Return the number of independent games with the variance of these deals, two or more (see `rate`)."""
    sets = len(units) if sets is None else sets
    p = float(units.mean())
    between = float(units.var(ddof=1)) / len(units)
    imagined = (p**2 + (1 - p) ** 2) / (sets * (sets + 1))
    shrunk = (p * sets + 1) / (sets + 2)  # never 0 or 1
    return shrunk * (1 - shrunk) / (between + imagined)


def wilson(p: float, size: float, z: float) -> tuple[float, float]:
    """Return Wilson's score interval for a rate `p` of `size` games, `z` standard errors to each side."""
    return min(p, wilson_end(p, size, z)), max(p, wilson_end(p, size, -z))  # p stays inside despite rounding


def wilson_end(p: float, size: float, z: float) -> float:
    """Return the rate that is `z` of its own standard errors below `p`, of `size` games; above for a negative `z`."""
    centre = (p + z**2 / (2 * size)) / (1 + z**2 / size)
    half = z / (1 + z**2 / size) * math.sqrt(p * (1 - p) / size + (z / (2 * size)) ** 2)
    return max(0.0, min(1.0, centre - half))


def mean(units: ArrayLike) -> Estimate:
    """Return a mean from its value on each deal, with the t-interval."""
    units = np.asarray(units, np.float64)
    return ratio(units, np.ones(len(units)))


def controlled(units: ArrayLike, control: ArrayLike) -> tuple[Estimate, float]:
    """Return a mean from its value on each deal, less the luck that a control variate measures, and the gain.

    `control` is known to have the mean 0.  The mean is the intercept of a least-squares line, with its t-interval; the
    gain is the factor by which the variance of the mean falls.
    """
    units, control = np.asarray(units, np.float64), np.asarray(control, np.float64)
    plain = mean(units)
    count, centre = len(units), float(control.mean())
    spread = float(((control - centre) ** 2).sum())
    if count < 4 or spread == 0:
        return plain, 1.0
    slope = float(((control - centre) * units).sum()) / spread
    residuals = units - units.mean() - slope * (control - centre)
    variance = float((residuals**2).sum()) / (count - 2) * (1 / count + centre**2 / spread)
    value, reach = float(units.mean()) - slope * centre, t_quantile(count - 2) * math.sqrt(variance)
    before = float(units.var(ddof=1)) / count
    return Estimate(value, value - reach, value + reach), before / variance if variance > 0 else math.inf


def ratio(sums: ArrayLike, counts: ArrayLike) -> Estimate:
    """Return a mean, `sums` over `counts` of each deal, with a t-interval.

    For values that not every deal has, such as the point differences of won games.
    """
    sums, counts = np.asarray(sums, np.float64), np.asarray(counts, np.float64)
    filled = int(np.count_nonzero(counts))
    if filled == 0:
        return Estimate(math.nan)
    value = float(sums.sum() / counts.sum())
    if filled < 2:
        return Estimate(value)
    residuals = sums - value * counts
    error = math.sqrt(filled / (filled - 1) * float((residuals**2).sum())) / float(counts.sum())
    reach = t_quantile(filled - 1) * error
    return Estimate(value, value - reach, value + reach)


# --- Ratings ------------------------------------------------------------------------------------

AVERAGE = 1500.0
POINTS = 400 / math.log(10)  # Elo's scale: 400 points are odds of ten to one
PRIOR = 0.5  # wins and losses of every agent against an imaginary average one
REPLICATES = 1000
MOST_BLOCKS = 1000  # more deals are resampled in blocks
_LONGEST_STEP = 1.0
_MOST_STEPS = 200
_CLOSE_ENOUGH = 1e-9


def ratings(wins: Floats, seed: int = 0) -> list[Estimate]:
    """Return Bradley-Terry ratings from `pair_wins`, on Elo's scale with 1500 as the average of the agents.

    Every agent also won and lost half a game against an imaginary average agent: a weak prior that
    keeps the rating finite for an agent that won everything.  Intervals are those of the
    Bayesian bootstrap over deals: each replicate weighs every deal by an exponential variate and the
    prior's half games by gamma variates of that mean (for two agents and one game a deal this is
    Jeffreys' posterior), so an agent that won everything has a valid interval too.
    """
    deals, agents = wins.shape[:2]
    prior = np.full((agents, 2), PRIOR)
    point = _elo(bradley_terry(wins.sum(axis=0), prior))
    if deals < 2:
        return [Estimate(float(value)) for value in point]
    blocks = _blocks(wins.reshape(deals, -1))
    rng = np.random.default_rng(seed)
    weights = rng.standard_exponential((REPLICATES, len(blocks)))
    priors = rng.standard_gamma(PRIOR, (REPLICATES, agents, 2))
    replicates = _elo(bradley_terry((weights @ blocks).reshape(-1, agents, agents), priors))
    low, high = np.quantile(replicates, [0.5 - CONFIDENCE / 2, 0.5 + CONFIDENCE / 2], axis=0)
    return [Estimate(*map(float, numbers)) for numbers in zip(point, low, high, strict=True)]


def _blocks(deals: Floats) -> Floats:
    """Return many deals as sums over blocks of neighbours, which keep the variance."""
    if len(deals) <= MOST_BLOCKS:
        return deals
    starts = np.arange(MOST_BLOCKS) * len(deals) // MOST_BLOCKS
    return np.asarray(np.add.reduceat(deals, starts, axis=0))


def _elo(strengths: Floats) -> Floats:
    return np.asarray(AVERAGE + POINTS * (strengths - strengths.mean(axis=-1, keepdims=True)))


def bradley_terry(wins: Floats, prior: Floats) -> Floats:
    """Return the logarithms of the maximum-likelihood strengths, for a stack of cases at once.

    `wins[..., i, j]` is the number of wins of i against j, `prior[..., i]` the wins and losses of i
    against an imaginary agent whose strength is 1.  The probability that i beats j is s_i / (s_i + s_j).
    The likelihood is concave in the logarithms: Newton's method, with steps kept short.
    """
    games = wins + np.swapaxes(wins, -1, -2)
    won = wins.sum(axis=-1) + prior[..., 0]
    extra = prior.sum(axis=-1)
    strengths = np.zeros(won.shape)
    diagonal = np.arange(won.shape[-1])
    for _ in range(_MOST_STEPS):
        chance = _logistic(strengths[..., :, None] - strengths[..., None, :])
        alone = _logistic(strengths)
        slope = won - (games * chance).sum(axis=-1) - extra * alone
        bend = games * chance * (1 - chance)
        curvature = -bend
        curvature[..., diagonal, diagonal] += bend.sum(axis=-1) + extra * alone * (1 - alone)
        step = np.linalg.solve(curvature, slope[..., None])[..., 0]
        strengths += np.clip(step, -_LONGEST_STEP, _LONGEST_STEP)
        if np.abs(step).max() < _CLOSE_ENOUGH:
            break
    return strengths


def _logistic(x: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-x)))
