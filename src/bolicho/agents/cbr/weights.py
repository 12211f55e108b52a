"""Weights of the attributes in the global similarity, learned from a base (future work of Paulus 2020, chapter 6).

An attribute's weight is the degree to which it separates groups of cases: the clusters of the decision's scenario, or
the outcomes (won, neither, lost). The measure is the share of the attribute's variance that lies between the groups,

    e = 1 - sum over groups g of (n_g / n) Var_g / Var,

where the variance of an attribute compared by equality is that of its indicators, 1 - sum of p_v^2 (Gini). So e is the
correlation ratio of a numeric attribute and Goodman and Kruskal's tau of any other; 0 for a constant one. The weight is
e over the mean e of the decision's attributes, rounded to hundredths: integer distances keep the search exact.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bolicho.agents.cbr.casebase import Cases
from bolicho.agents.cbr.domain import MAX_EQUAL, MAX_NUMERIC, Domain

WEIGHTS = ("equal", "clusters", "outcomes")
UNIT = 100  # stored value of a learned weight of 1


def equal_weights(domain: Domain) -> NDArray[np.int64]:
    """Return (decision, attribute): 1 for every attribute (Paulus 2020, section 3.1.1), 0 where there is none."""
    weights = np.zeros((len(domain.decisions), MAX_NUMERIC + MAX_EQUAL), np.int64)
    for row, decision in zip(weights, domain.decisions, strict=True):
        row[: len(decision.numeric)] = 1
        row[MAX_NUMERIC : MAX_NUMERIC + len(decision.equal)] = 1
    return weights


def learned_weights(
    domain: Domain, cases: Cases, instances: NDArray[np.void], owners: NDArray[np.int64], groups_by: str
) -> NDArray[np.int64]:
    """Return (decision, attribute) weights learned from the decisions of a base, by `clusters` or `outcomes`.

    A decision has equal weights where no attribute separates the groups, or where it has no clusters.
    """
    weights = UNIT * equal_weights(domain)
    for number, decision in enumerate(domain.decisions):
        rows = np.flatnonzero(instances["decision"] == number)
        if not len(rows) or (groups_by == "clusters" and decision.scenario < 0):
            continue
        found = instances[rows]
        groups = found["halves"] if groups_by == "outcomes" else cases["label"][owners[rows], decision.scenario]
        numeric = [explained(found["numeric"][:, j], groups) for j in range(len(decision.numeric))]
        equal = [explained(indicators(found["equal"][:, j]), groups) for j in range(len(decision.equal))]
        whole = whole_weights([*numeric, *equal])
        weights[number, : len(numeric)] = whole[: len(numeric)]
        weights[number, MAX_NUMERIC : MAX_NUMERIC + len(equal)] = whole[len(numeric) :]
    return weights


def explained(values: NDArray[np.generic], groups: NDArray[np.generic]) -> float:
    """Return the share of the variance of `values` (of all its columns together) that lies between the groups.

    >>> explained(np.array([0, 2, 4, 6]), np.array([1, 1, 2, 2]))  # variance 5, within each group 1
    0.8
    """
    columns = np.asarray(values, np.float64).reshape(len(values), -1)
    total = columns.var(axis=0).sum()
    if total == 0:
        return 0.0
    within = sum(np.count_nonzero(groups == g) * columns[groups == g].var(axis=0).sum() for g in np.unique(groups))
    return max(0.0, float(1 - within / (len(columns) * total)))


def indicators(values: NDArray[np.generic]) -> NDArray[np.bool_]:
    """Return a column for every distinct value: whether a row has it."""
    found: NDArray[np.bool_] = np.asarray(values)[:, None] == np.unique(values)
    return found


def whole_weights(shares: Sequence[float]) -> NDArray[np.int64]:
    """Return weights with mean 1 proportional to the shares, in integer hundredths; equal where all shares are 0.

    >>> whole_weights([0.5, 0.25, 0.0]).tolist(), whole_weights([0.0, 0.0]).tolist()
    ([200, 100, 0], [100, 100])
    """
    mean = np.mean(shares)
    if mean == 0:
        return np.full(len(shares), UNIT)
    return np.asarray(np.rint(UNIT * np.array(shares) / mean), np.int64)
