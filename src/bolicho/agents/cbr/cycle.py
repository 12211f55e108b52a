"""An agent's options as the compiled cycle reads them."""

import numpy as np
from numpy.typing import NDArray

from bolicho.agents.cbr.compiled import decision as compiled
from bolicho.agents.cbr.domain import Domain
from bolicho.agents.cbr.retrieve import MINIMUM, THRESHOLD, thousandths
from bolicho.agents.cbr.reuse import criterion_numbers, policy
from bolicho.agents.cbr.revise import switches
from bolicho.errors import unknown

RETRIEVALS = ("exact", "clusters")

Settings = NDArray[np.int64]


def make_settings(
    domain: Domain, name: str, threshold: float = THRESHOLD, retrieval: str = "exact", revise: str = "all"
) -> Settings:
    """The settings of a policy."""
    if retrieval not in RETRIEVALS:
        raise unknown("retrieval", retrieval, RETRIEVALS)
    settings = np.zeros(6, np.int64)
    settings[compiled.BY_GROUP], settings[compiled.BY_ITEM] = criterion_numbers(policy(name))
    settings[compiled.THRESHOLD] = thousandths(threshold)
    settings[compiled.TWO_STEP_RETRIEVAL] = retrieval == "clusters"
    settings[compiled.SWITCHES] = switches(domain, revise)
    settings[compiled.MINIMUM] = MINIMUM
    return settings


def make_trace() -> NDArray[np.int64]:
    """Room for the questions of one decision, and the end."""
    return np.zeros((compiled.MAX_STAGES + 1, compiled.FELL_BACK + 1), np.int64)
