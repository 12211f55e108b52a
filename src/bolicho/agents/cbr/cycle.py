"""Options of case-based agents, and their compiled form."""

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from bolicho.agents.cbr.compiled import decision as compiled
from bolicho.agents.cbr.compiled.search import THOUSAND
from bolicho.agents.cbr.domain import Domain
from bolicho.agents.cbr.retrieve import MINIMUM, THRESHOLD, thousandths
from bolicho.agents.cbr.reuse import POINTS, SMALL_CLUSTERS, VICTORIES, criterion_numbers, policy
from bolicho.agents.cbr.revise import switches
from bolicho.agents.cbr.weights import WEIGHTS
from bolicho.errors import BadInput, unknown

RETRIEVALS = ("exact", "clusters")

Settings = NDArray[np.int64]


@dataclass(frozen=True)
class CaseBasedOptions:
    """Options of an agent besides its policy; the defaults are this project's own."""

    threshold: float = THRESHOLD  # first threshold of retrieval
    retrieval: str = "exact"
    revise: str = "all"  # suicide moves that are never played
    victory: str = "bar"  # measure of PV
    points: str = "beyond-refusing"  # measure of NP
    small_clusters: str = "skip"  # treatment of clusters with few of the retrieved cases
    minimum: int = 0  # number of cases below which the threshold falls; 0: the game's default
    weights: str = WEIGHTS[0]  # weights of the attributes in the similarity: equal, or learned from the base
    bluff: float = 1.0  # belief above which a call counts as a bluff; 1: never

    def changed(self) -> dict[str, float | str]:
        """Return the options that differ from the defaults, by name."""
        return {one.name: getattr(self, one.name) for one in fields(self) if getattr(self, one.name) != one.default}

    def check(self) -> None:
        """Raise `BadInput` for invalid values; suicide moves are checked by game."""
        thousandths(self.threshold)
        if self.retrieval not in RETRIEVALS:
            raise unknown("retrieval", self.retrieval, RETRIEVALS)
        if self.victory not in VICTORIES:
            raise unknown("reading of victory", self.victory, VICTORIES)
        if self.points not in POINTS:
            raise unknown("reading of points", self.points, POINTS)
        if self.small_clusters not in SMALL_CLUSTERS:
            raise unknown("treatment of small clusters", self.small_clusters, SMALL_CLUSTERS)
        if self.minimum < 0:
            raise BadInput(f"minimum must be a number of cases (0: the game's default), not {self.minimum}")
        if self.weights not in WEIGHTS:
            raise unknown("weights", self.weights, WEIGHTS)
        if not 0 <= self.bluff <= 1:
            raise BadInput(f"bluff must be a belief from 0 to 1 (1: no call counts as a bluff), not {self.bluff!r}")


OURS = CaseBasedOptions()


def make_settings(domain: Domain, name: str, options: CaseBasedOptions = OURS) -> Settings:
    """Return the settings of a policy."""
    options.check()
    settings = np.zeros(compiled.BLUFF + 1, np.int64)
    settings[compiled.BY_GROUP], settings[compiled.BY_ITEM] = criterion_numbers(policy(name))
    settings[compiled.THRESHOLD] = thousandths(options.threshold)
    settings[compiled.TWO_STEP_RETRIEVAL] = options.retrieval == "clusters"
    settings[compiled.SWITCHES] = switches(domain, options.revise)
    settings[compiled.MINIMUM] = options.minimum or domain.minimum
    settings[compiled.IN_GROUP] = MINIMUM
    settings[compiled.VICTORY] = VICTORIES[options.victory]
    settings[compiled.BEYOND_REFUSING] = POINTS[options.points]
    settings[compiled.SMALL] = SMALL_CLUSTERS[options.small_clusters]
    settings[compiled.BLUFF] = round(options.bluff * THOUSAND)
    return settings


def make_trace() -> NDArray[np.int64]:
    """Allocate a trace: the questions of one decision, and the end."""
    return np.zeros((compiled.MAX_STAGES + 1, compiled.CAUGHT + 1), np.int64)
