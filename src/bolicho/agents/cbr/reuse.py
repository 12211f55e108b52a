"""Reuse: four criteria, two models, twenty policies (Paulus 2020; Paulus et al.).

A criterion picks a cluster or an item among the retrieved cases:

- MJ, majority: the most frequent one;
- PL, lottery: drawn by frequency;
- PV, probability of victory: the highest share of victories, or their highest number;
- NP, number of points: the highest balance of points won minus points lost, or the highest balance beyond the certain
  loss of refusing; PV where an item has no consequence in points.

The conventional model applies a criterion to items directly. The two-step model first picks a cluster among those of
the retrieved cases, and then an item among that cluster's cases.
"""

from typing import NamedTuple

from bolicho.agents.cbr import REUSE_POLICIES
from bolicho.agents.cbr.compiled import choice
from bolicho.errors import unknown

CRITERIA = {"MJ": choice.MJ, "PL": choice.PL, "PV": choice.PV, "NP": choice.NP}

VICTORIES = {"share": choice.SHARE, "count": choice.COUNT, "bar": choice.BAR}
"""Measures of PV.

- `share`: the highest share of victories (Paulus 2020, algorithm 5 with its comparison corrected, and the criterion's
  name);
- `count`: the highest number of victories (the formula of Paulus et al., and the last sentence before algorithm 5 of
  Paulus 2020);
- `bar`: the share, where a bet is made or accepted only if it won more often than it lost, however poor the passive
  item is ("the PV criterion only suggests actions with a greater probability of victory than defeat", both).
"""


POINTS = {"balance": False, "beyond-refusing": True}
"""Measures of NP: whether the certain loss of refusing is added to the balance of points.

- `balance`: points won minus points lost (Paulus 2020, section 4.1.1 and algorithm 6);
- `beyond-refusing`: the balance plus the certain cost of refusing, so that a bet is accepted when it loses less than
  refusing. This project's own.
"""

SMALL_CLUSTERS = {"skip": choice.SKIP_SMALL, "choose": choice.CHOOSE_SMALL, "no-answer": choice.NO_ANSWER}
"""Treatments of a cluster with fewer than five of the retrieved cases, in the two-step model.

- `skip`: it is not considered; this project's own;
- `choose`: it is chosen like any other (Paulus 2020, algorithm 2; figure 7 chooses one of two cases);
- `no-answer`: it may be chosen, and then the cases suggest no action (Paulus et al., algorithm 1: NULL), so the
  fallback of the game acts.
"""


class Policy(NamedTuple):
    """Criterion of the cluster (None: no clusters) and criterion of the item."""

    cluster: str | None
    item: str


POLICIES = {name: Policy(cluster, item) for name, cluster, item in REUSE_POLICIES}
"""Twenty policies under their published names."""

TEN_BEST = ("pvcnps", "nps", "pvcs", "plcnps", "npcs", "pvs", "pvcmjs", "npcpvs", "mjcnps", "pvcpls")
"""Policies that won more than half in the first stage of Paulus 2020, in its order (section 5.2.1)."""


def policy(name: str) -> Policy:
    """Return the policy of that name."""
    if name not in POLICIES:
        raise unknown("reuse policy", name, POLICIES)
    return POLICIES[name]


def criterion_numbers(chosen: Policy) -> tuple[int, int]:
    """Return (cluster criterion, item criterion) as numbers of the compiled cycle."""
    return (CRITERIA[chosen.cluster] if chosen.cluster else choice.NO_CRITERION), CRITERIA[chosen.item]
