"""Update rules of counterfactual regret minimisation, as data."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bolicho.agents.cfr.compiled.vector import BOTH


class Rule(NamedTuple):
    """Update rule of regrets and of the average strategy.

    Before iteration `t`, regrets are discounted by `(t-1)^alpha / ((t-1)^alpha + 1)`; infinity: not at all. The average
    weights iteration `t` by `t^gamma`. `floored` regrets are cut at zero. Seats learn one after the other
    (`alternating`), or both from one walk. A `predictive` rule expects the last regrets to come again.
    """

    alpha: float
    gamma: float
    floored: bool = True
    alternating: bool = True
    predictive: bool = False

    def weights(self, first: int, count: int) -> NDArray[np.float64]:
        """Return the weights (of regrets, of averages) of iterations after `first`.

        A growing weight of later regrets stands for the discount of earlier ones.
        """
        numbers = np.arange(1, first + count + 1, dtype=np.float64)
        growth = np.cumprod(np.concatenate([[1.0], 1 + numbers[:-1] ** -self.alpha]))
        return np.stack([growth, numbers**self.gamma], axis=1)[first:]

    @property
    def learners(self) -> NDArray[np.int64]:
        """The seat that learns in each walk of an iteration."""
        return np.array([0, 1] if self.alternating else [BOTH])


CFR_PLUS = Rule(np.inf, 1)
DCFR_PLUS = Rule(1.5, 4)
PCFR_PLUS = Rule(np.inf, 2, predictive=True)
LINEAR = Rule(1, 2, alternating=False)
"""Regrets of an iteration weigh by its number, averages by its square."""
