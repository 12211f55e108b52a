"""Reading of mixtures: the probabilities that an agent states for the legal actions of a view."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from bolicho.agents.agent import Agent
from bolicho.agents.agent_errors import blamed, short
from bolicho.agents.seated import number_of
from bolicho.errors import BadInput
from bolicho.games.game import View

ROUNDING = 1e-6
"""Largest difference between the sum of a mixture and 1."""


def mixture_of(agent: Agent, view: View) -> NDArray[np.float64] | None:
    """Return the probabilities an agent states for `view.legal`, in that order; None where it states none.

    Raise `BadInput` for what is no mixture of the legal actions.
    """
    with blamed("does not state its mixture"):
        stated = agent.mixture(view)
        if stated is None:
            return None
        chances = _by_name(stated, view) if isinstance(stated, Mapping) else np.array(stated, np.float64)
    if chances.shape != (len(view.legal),):
        raise BadInput(f"has a mixture of {short(stated)}, where {len(view.legal)} actions are legal")
    if not ((chances >= 0).all() and abs(chances.sum() - 1) < ROUNDING):
        raise BadInput(f"has a mixture that does not sum to 1 or has negative parts: {short(stated)}")
    return chances


def _by_name(stated: Mapping[object, float], view: View) -> NDArray[np.float64]:
    """Return the probabilities in the order of `view.legal`; an action without one has probability 0."""
    chances = np.zeros(len(view.numbers))
    for choice, chance in stated.items():
        number, why = number_of(choice, view)
        if why is not None:
            raise BadInput(f"has a mixture with an illegal action: {why}")
        chances[view.numbers.index(number)] += chance
    return chances


def states_mixture(agent: Agent) -> bool:
    """Return whether an agent's class has a mixture of its own; it may still be unknown in a view."""
    return type(agent).mixture is not Agent.mixture
