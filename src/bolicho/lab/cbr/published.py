"""Published results for the case-based agents of Paulus 2020 and Paulus et al., with page and table.

Figures 10 to 16 are plots without numbers; this module has only the values that the text gives.
"""

from dataclasses import asdict, dataclass, replace

from bolicho.agents.cbr.cycle import CaseBasedOptions
from bolicho.agents.cbr.retain import CLEANINGS, MEMBERSHIPS

LOW, HIGH = 0.75, 0.98
"""First threshold of retrieval: low in stage 1 (section 5.3, pages 92 and 93), high in stages 3 and 4 (the same, page
93, and section 3.1.1, page 44). The document gives none for stage 2."""


FEW, MANY = 5, 100
"""Number of retrieved cases at which the threshold stops falling (sections 3.1.1 and 4.1.3)."""

SCOPES = {"begun": (MEMBERSHIPS[0], CLEANINGS[0]), "every-round": (MEMBERSHIPS[1], CLEANINGS[1])}
"""Membership of scenarios and unit of cleaning, by scope: the first is ours, the second fits the printed totals."""


@dataclass(frozen=True)
class Definitions:
    """One reading of the definitions that the documents leave open."""

    points: str  # measure of NP
    victory: str  # measure of PV
    scope: str  # key of `SCOPES`: scenarios of a hand and unit of cleaning
    small_clusters: str  # treatment of clusters with few of the retrieved cases
    minimum: int = FEW

    @property
    def name(self) -> str:
        return ", ".join(map(str, asdict(self).values()))

    def options(self, threshold: float) -> CaseBasedOptions:
        """Return the agents' options: two-step retrieval (section 3.1.1), three revisions (section 4.1.2), and this
        reading."""
        return CaseBasedOptions(
            threshold, "clusters", "published", self.victory, self.points, self.small_clusters, self.minimum
        )


AS_PUBLISHED = Definitions("balance", "bar", "every-round", "no-answer")
"""The reading that explains most printed facts (`bolicho lab run cbr-readings --full`).

NP is algorithm 6 of Paulus 2020; PV behaves as its text describes; membership fits the totals of appendix B. Small
clusters suggest no action, as in algorithm 1 of Paulus et al.; algorithm 2 of Paulus 2020 chooses them.
"""


def as_published(threshold: float, victory: str = AS_PUBLISHED.victory) -> CaseBasedOptions:
    """Return the options of the published agents, by default with PV as in `AS_PUBLISHED`."""
    return replace(AS_PUBLISHED, victory=victory).options(threshold)


PV_WORDS = {"share": "PV by share", "count": "PV by count", "bar": "PV with the bar"}
"""Names of the three readings of PV in reports."""


def by_victory() -> list[Definitions]:
    """Return the published definitions with each of the three readings of PV."""
    return [replace(AS_PUBLISHED, victory=victory) for victory in PV_WORDS]


STAGE_1_ORDER = ("pvcnps", "nps", "pvcs", "plcnps", "npcs", "pvs", "pvcmjs", "npcpvs", "mjcnps", "pvcpls")
"""Policies above half, in order (section 5.2.1, pages 76 to 78, and figure 10; Paulus et al., figure 2)."""

STAGE_1_MATCHES = 950  # matches of each agent: 19 opponents, 25 duplicate matches
STAGE_1_LEAD = 44  # wins by which the first leads the second (section 5.3, page 93)

STAGE_2_WON, STAGE_2_MATCHES = 287, 500
STAGE_2_NOT_IMPROVED = ("mjcnps", "plcnps", "npcs")
"""Learned base against baseline, the same policy on both sides (section 5.2.2, pages 78 to 81, figure 11)."""

STAGE_3_ORDER = ("pvcnps", "nps", "pvcs", "pvs")
"""Policies above half with the learned base (section 5.2.3, pages 82 and 83, figure 12)."""

STAGE_3_MATCHES = 450

TABLE_16 = {"pvcnps": (7.01, -5.08), "nps": (6.03, -5.80), "pvcs": (5.80, -6.90), "pvs": (5.70, -6.28)}
"""Mean difference of points in wins and in losses (table 16, page 83)."""

CONSERVATIVE = ("pvcs", "pvs", "pvcmjs", "pvcpls")
AGGRESSIVE = ("nps", "npcs")
"""Characters of policies in stage 1, as the text describes them (section 5.2.1, pages 76 to 78)."""

MORE_CONSERVATIVE_1 = (*((one, other) for one in CONSERVATIVE for other in AGGRESSIVE), ("pvcs", "pvcnps"))
"""Pairs of stage 1 in which the first plays more conservatively; the text itself says so of pvcs and pvcnps."""

MORE_CONSERVATIVE_3 = (("pvcnps", "nps"), ("pvcs", "nps"), ("pvs", "nps"), ("pvcs", "pvcnps"), ("pvs", "pvcnps"))
"""Such pairs of stages 3 and 4 (sections 5.2.3 and 5.2.4, pages 84 to 92)."""

TABLE_17 = {"pvcnps": (7, 6.75, -4.10), "nps": (6, 6.71, -8.11), "pvcs": (1, 11.0, -8.26), "pvs": (5, 5.28, -12.0)}
"""Results against people, 13 matches each: wins, mean difference in wins and in losses (table 17, page 87)."""

TABLE_17_FITS = {"pvcnps": (8, 10), "nps": (7, 9), "pvcs": (1, 19), "pvs": (18, 1)}
"""Fewest wins (at least those counted) and fewest losses that can have the printed means, rounded to two places.

Any number of losses can have a mean of -12, so pvs has at least one; with the 8 counted it would need 26 matches.
"""

STAGE_4_MATCHES = 13  # matches of each agent
STAGE_4_PEOPLE = 22  # page 86; not every participant played every agent

STAGE_4_ANSWERS = {
    "pvcnps": {"competence": (12, 1, 0), "coherence": (12, 1, 0), "fun": (11, 2, 0)},
    "nps": {"competence": (9, 2, 1), "coherence": (12, 1, 0), "unpredictability": (9, 4, 0), "fun": (9, 1, 0)},
    "pvcs": {"competence": (5, 4, 3), "coherence": (10, 2, 1), "unpredictability": (6, 5, 2), "fun": (9, 3, 1)},
    "pvs": {"competence": (7, 1, 5), "coherence": (9, 4, 0), "unpredictability": (4, 4, 5), "fun": (9, 3, 0)},
}
"""Good, middling and bad answers, as the text describes figures 18 to 21 (pages 88 to 92); some counts are missing."""

TABLE_12 = (("weak hands", 0.4196), ("coward", 0.2778), ("balanced hands", 0.2375), ("bluffs", 0.0005))
"""The four groups of "first card, follows" (table 12, pages 51 and 52), largest first. The shares add up to 93.5%;
appendix B (table 3) gives the same four 3,116, 2,063, 1,764 and 484 of 7,427 cases, so the last should be 6.52%."""

INITIAL_GROUPS = {7: 4}
"""Groups by clustering in the initial base; section 3.2 gives only "envido, second to speak" (pages 52 and 53)."""

LEARNED_CASES, LEARNED_MATCHES, BASELINE_CASES = 27_515, 1_833, 3_195
"""Numbers of cases and matches (section 4.1.3, page 68)."""

GROUPS = (4, 4, 4, 6, 2, 4, 5, 5, 8, 4, 6, 4, 7, 4, 8, 2)
"""Groups of the 14 scenarios (table 6, page 45) and the 2 indexes (appendix B, table 1, page 104) in the final base."""

GROUP_SIZES = (
    (4573, 1246, 1394, 2360),
    (1764, 2063, 484, 3116),
    (2661, 1961, 5917),
    (56, 2342, 310, 27, 3667),
    (3747, 7256),
    (593, 4581, 657, 131),
    (2017, 740, 943, 1332, 2622),
    (1646, 3062, 2897, 1456, 2425),
    (10, 130, 3, 73, 72, 1484, 55, 3202),
    (784, 2639, 245, 2087),
    (200, 1434, 1467, 2210, 1493, 427),
    (662, 1497, 1040, 314),
    (2177, 100, 308, 1100, 961, 1120, 754),
    (2690, 425, 904, 216),
    (377, 10511, 3415, 271, 222, 218, 3144, 105),
    (7244, 13029),
)
"""Cases of every group (appendix B, tables 2 to 17, pages 105 to 121).

The third and the fourth list one group fewer than table 1 counts.
"""

GROUP_TOTALS = (
    9573, 7427, 10539, 6402, 11003, 5962, 7654, 11486, 5029, 5755, 7231, 3513, 6520, 4235, 18263, 20273,
)  # fmt: skip
"""Cases of every scenario and index (same tables)."""
