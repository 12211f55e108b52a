"""Error rates of sequential tests and coverage of their intervals in simulated matches, by shares and by payoffs.

python benchmarks/sequential.py
"""

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from bolicho import stats
from bolicho.arena.match import LEAST, PAYOFF
from bolicho.arena.sequential import Bounds, elo_share, estimate, log_ratios, stops

SHARES = np.array([0, 0.25, 0.5, 0.75, 1])
PAIRS = {
    "even": np.array([1, 2, 4, 2, 1.0]),
    "wild": np.array([4, 0.01, 3, 0.01, 4]),
    "tame": np.array([0.3, 2, 16, 2, 0.3]),
}
"""Relative frequency of each share of wins in a pair of equal agents."""

BOUNDS = ((0, 10), (0, 40), (-60, 0))
PAYOFFS = (0.0, 0.15, 0.3, 1.0, 3.0)  # true means, for bounds of 0 and 0.3
MATCHES, LOOKED_AT = 800, 200
SEED = 1


def chances(base: NDArray[np.float64], mean: float) -> NDArray[np.float64]:
    """Return the distribution with this mean that is closest to `base` (exponential tilting)."""
    low, high = -60.0, 60.0
    for _ in range(100):
        tilt = (low + high) / 2
        found = base * np.exp(tilt * (SHARES - 0.5))
        found /= found.sum()
        low, high = (tilt, high) if found @ SHARES < mean else (low, tilt)
    return found


def matches(base: NDArray[np.float64], mean: float, bounds: Bounds) -> Iterator[tuple[NDArray[np.float64], str | None]]:
    """Yield the units of simulated matches until their tests stop, and the verdicts."""
    p = chances(base, mean)
    deviation = math.sqrt(p @ (SHARES - mean) ** 2)
    rng = np.random.default_rng(SEED)
    for _ in range(MATCHES):
        units = rng.choice(SHARES, p=p, size=60 + int(60 * (deviation / (bounds.high - bounds.low)) ** 2))
        pairs, verdict = stops(log_ratios(units, bounds, 0.5), bounds)
        yield units[:pairs], verdict


def payoffs() -> None:
    """Print the coverage of intervals of payoffs: mean plus -1, 0 or 1, or plus 12 or -12 in one pair of a hundred."""
    bounds, rng = Bounds(0.0, 0.3), np.random.default_rng(SEED)
    for mean in PAYOFFS:
        values, rare = rng.choice([-1, 0, 1], size=(LOOKED_AT, 4000)), rng.random((LOOKED_AT, 4000)) < 0.01
        units = mean + np.where(rare, 12 * rng.choice([-1, 1], size=values.shape), values)
        found = []
        for match, ratios in zip(units, log_ratios(units, bounds), strict=True):
            pairs, _ = stops(ratios, bounds, LEAST[PAYOFF])
            found.append((pairs, estimate(match[:pairs], bounds, least=LEAST[PAYOFF]), stats.mean(match[:pairs])))
        held, plain = (np.mean([each[i].low <= mean <= each[i].high for each in found]) for i in (1, 2))
        above = np.mean([each[1].value > mean for each in found])
        pairs = np.mean([each[0] for each in found])
        print(
            f"payoffs, truth {mean}: interval {held:.3f} (plain {plain:.3f}), estimate above {above:.2f}, "
            f"{pairs:.0f} pairs",
            flush=True,
        )


def main() -> None:
    payoffs()
    for name, base in PAIRS.items():
        for elo0, elo1 in BOUNDS:
            bounds = Bounds(elo_share(elo0), elo_share(elo1))
            for elo, wrong in ((elo0, "H1"), (elo1, "H0")):
                truth, played = elo_share(elo), list(matches(base, elo_share(elo), bounds))
                errors = np.mean([verdict == wrong for _, verdict in played])
                found = [(estimate(units, bounds, 0.5), stats.rate(units)) for units, _ in played[:LOOKED_AT]]
                held, plain = (
                    np.mean([each.low <= truth <= each.high for each in kind]) for kind in zip(*found, strict=True)
                )
                above = np.mean([each.value > truth for each, _ in found])
                pairs = np.mean([len(units) for units, _ in played])
                print(
                    f"{name}, Elo {elo0} and {elo1}, truth {elo}: wrong {errors:.3f}, interval {held:.3f} "
                    f"(plain {plain:.3f}), estimate above {above:.2f}, {pairs:.0f} pairs",
                    flush=True,
                )


if __name__ == "__main__":
    main()
