"""Retrieve: the similarity of two situations, and the cases most similar to a query.

The local similarity of a numeric attribute is `1 - |q - c| / range`, that of any other 1 when equal and 0 otherwise;
the global one is their mean, plain or with learned weights (`weights`). Both retrieval methods (the exact index over
the whole base, and the published two steps by clusters) use integer distances, so that ties at the threshold are never
lost to rounding, and return the same `Retrieved`.
"""

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bolicho.agents.cbr.casebase import CaseBase, Cases
from bolicho.agents.cbr.clusters import pack
from bolicho.agents.cbr.compiled.groups import label_cases
from bolicho.agents.cbr.compiled.search import THOUSAND, retrieve_cases
from bolicho.agents.cbr.compiled.tree import SCANNED, Index, Scratch, gather_instances, tree_of
from bolicho.agents.cbr.domain import (
    INSTANCE,
    MAX_FEATURES,
    MAX_GROUPS,
    MAX_ITEMS,
    MAX_NUMERIC,
    QUERY,
    Decision,
    Domain,
)
from bolicho.agents.cbr.weights import UNIT, WEIGHTS, equal_weights, learned_weights
from bolicho.errors import BadInput, unknown

THRESHOLD = 0.98
MINIMUM = 5
"""First threshold, and the number of cases at which it stops falling (Paulus 2020, section 3.1.1)."""


def local_similarities(
    numeric: NDArray[Any], other_numeric: NDArray[Any], equal: NDArray[Any], other_equal: NDArray[Any], scale: int
) -> NDArray[np.float64]:
    """Return the similarity of every attribute, numeric ones first; rows broadcast.

    >>> local = local_similarities(np.array([24, 12, 6]), np.array([24, 8, 7]), np.array([1]), np.array([1]), 52)
    >>> float(local.mean())  # Paulus 2020, table 5
    0.9759615384615384
    """
    by_interval = 1 - np.abs(np.subtract(numeric, other_numeric, dtype=np.int64)) / scale
    by_equality = (np.asarray(equal) == np.asarray(other_equal)).astype(np.float64)
    return np.concatenate([by_interval, by_equality], axis=-1)


def thousandths(threshold: float) -> int:
    """Return a threshold as the integer number of thousandths that the index uses."""
    if not 0 <= threshold <= 1:
        raise BadInput(f"a similarity threshold must be from 0 to 1 (usually 0.98), not {threshold!r}")
    return round(threshold * THOUSAND)


@dataclass(frozen=True)
class Retrieved:
    """Cases found for a query, the most similar first."""

    decision: int
    query: NDArray[np.void]  # one QUERY record
    cases: NDArray[np.int64]  # case numbers in the base
    instances: NDArray[np.void]  # the decision of each case, as INSTANCE records
    similarity: NDArray[np.float64]
    local: NDArray[np.float64]  # (case, attribute)
    threshold: float  # threshold that found enough cases
    at_first: int  # number of cases at the first threshold
    group: int  # group of the two-step retrieval; 0: the whole base

    def __len__(self) -> int:
        return len(self.cases)


class CaseIndex:
    """Searchable case base. Building it costs a sort; a query takes microseconds."""

    weights = WEIGHTS[0]

    def __init__(self, base: CaseBase) -> None:
        self.base = base
        self.domain = base.domain
        self.instances, self.owners = gather(base.domain, base.cases)
        self.index = build(base.domain, base.cases, self.instances, self.owners)
        self.groups = pack(base.clusterings)
        self._weighted: dict[str, CaseIndex] = {}

    def weighted(self, weights: str) -> "CaseIndex":
        """Return the index with other weights of the attributes: `equal`, or learned from the base (`weights`)."""
        if weights not in WEIGHTS:
            raise unknown("weights", weights, WEIGHTS)
        if weights == self.weights:
            return self
        if weights not in self._weighted:
            base = self.base
            if weights == WEIGHTS[0]:
                rows = equal_weights(base.domain)
            else:
                rows = learned_weights(base.domain, base.cases, self.instances, self.owners, weights)
            other = self._weighted[weights] = copy(self)
            other.weights, other._weighted = weights, {}
            other.index = self.index._replace(weights=rows, weight_sum=rows.sum(axis=1))
        return self._weighted[weights]

    def attribute_weights(self, decision: int) -> NDArray[np.float64]:
        """Return the weight of every attribute of a decision, numeric ones first; their mean is 1, up to rounding."""
        template = self.domain.decisions[decision]
        row = self.index.weights[decision]
        used = np.concatenate([row[: len(template.numeric)], row[MAX_NUMERIC:][: len(template.equal)]])
        return used / (1 if self.weights == WEIGHTS[0] else UNIT)

    @cached_property
    def scratch(self) -> Scratch:
        return make_scratch(self.index, self.domain)

    @cached_property
    def calls(self) -> Index:
        """Index of the calls in the base, searched by the information of the callers' opponents; item 1 is a bluff.

        Every attribute that both players know has the same weight.
        """
        domain, instances = self.domain, self.instances
        kinds = np.full(len(instances), -1, np.int8)
        if domain.bluffs is not None:
            for number in range(len(domain.decisions)):
                rows = np.flatnonzero(instances["decision"] == number)
                kinds[rows] = domain.bluffs(number, instances[rows])
        calls = np.flatnonzero(kinds >= 0)
        found = _take(instances, calls)
        found["item"] = kinds[calls]
        weights = equal_weights(domain)
        for row, decision in zip(weights, domain.decisions, strict=True):
            row[[i for i, name in enumerate(decision.numeric) if name in domain.hidden]] = 0
            row[[MAX_NUMERIC + i for i, name in enumerate(decision.equal) if name in domain.hidden]] = 0
        index = build(domain, self.base.cases, found, self.owners[calls])
        return index._replace(weights=weights, weight_sum=weights.sum(axis=1))

    def query(self, decision: int, numeric: Sequence[int], equal: Sequence[int]) -> NDArray[np.void]:
        """Return a query record from its values, in the order of the decision's attributes."""
        template = self.domain.decisions[decision]
        if len(numeric) != len(template.numeric) or len(equal) != len(template.equal):
            raise BadInput(f"a query for {template.name!r} has the attributes {', '.join(template.attributes)}")
        query = np.zeros(1, QUERY)
        query["decision"] = decision
        query["numeric"][0, : len(numeric)] = numeric
        query["equal"][0, : len(equal)] = equal
        query["allowed"] = (1 << MAX_ITEMS) - 1
        return query

    def retrieve(
        self, query: NDArray[np.void], threshold: float = THRESHOLD, minimum: int = MINIMUM, group: int = 0
    ) -> Retrieved:
        """Return the cases at the highest threshold that finds `minimum`, from `threshold` down in steps of 0.02.

        `group` restricts the search to one group of the decision's partition: the second of the published two steps.
        `partition_group` is the first.
        """
        decision = int(query["decision"][0])
        room = int(np.count_nonzero(self.instances["decision"] == decision))
        numbers, distances = np.zeros(room, np.int64), np.zeros(room, np.int64)
        n, at_first, used = retrieve_cases(
            self.index, decision, query, group, thousandths(threshold), minimum, self.scratch, numbers, distances
        )
        order = np.argsort(distances[:n], kind="stable")
        rows = numbers[:n][order]  # instance numbers
        return self._describe(query, rows, used / THOUSAND, at_first, group)

    def partition_group(self, query: NDArray[np.void], case: Cases) -> int:
        """Return the group of the decision's partition with the centroid nearest to the hand so far."""
        partition = self.domain.decisions[int(query["decision"][0])].partition
        labelled = case.copy()
        label_cases(labelled, 0, self.groups, partition, self.scratch.features)
        return int(labelled["label"][0, partition])

    def _describe(
        self, query: NDArray[np.void], rows: NDArray[np.int64], threshold: float, at_first: int, group: int
    ) -> Retrieved:
        decision = int(query["decision"][0])
        template = self.domain.decisions[decision]
        found = self.instances[rows]
        n, m = len(template.numeric), len(template.equal)
        local = local_similarities(
            query["numeric"][0, :n], found["numeric"][:, :n], query["equal"][0, :m], found["equal"][:, :m],
            self.domain.scale,
        )  # fmt: skip
        similarity = np.average(local, axis=1, weights=self.attribute_weights(decision))
        return Retrieved(decision, query, self.owners[rows], found, similarity, local, threshold, int(at_first), group)


# --- Building -----------------------------------------------------------------------------------


def gather(domain: Domain, cases: Cases, start: int = 0) -> tuple[NDArray[np.void], NDArray[np.int64]]:
    """Return every decision in the cases, and the case of each."""
    room = (len(cases) - start) * domain.max_instances
    instances, owners = np.zeros(room, INSTANCE), np.zeros(room, np.int64)
    n = gather_instances(cases, start, instances, owners)
    return instances[:n], owners[:n]


def meta_of(domain: Domain) -> NDArray[np.int64]:
    """Return the parameters of each decision for the compiled cycle."""
    rows = [
        (len(d.numeric), len(d.equal), d.scenario, d.partition, d.passive, d.points, domain.scale)
        for d in domain.decisions
    ]
    return np.array(rows, np.int64)


def build(domain: Domain, cases: Cases, instances: NDArray[np.void], owners: NDArray[np.int64]) -> Index:
    """Build the index of a base's instances. Its `members` are instance numbers."""
    labels = cases["label"]
    meta = meta_of(domain)
    group_at, offsets = [0], [0, 0, 0]  # groups; nodes, cells, members
    parts: list[tuple[NDArray[Any], ...]] = []
    by_decision = np.argsort(instances["decision"], kind="stable")
    bounds = np.searchsorted(instances["decision"][by_decision], np.arange(len(domain.decisions) + 1))
    for number, decision in enumerate(domain.decisions):
        rows = by_decision[bounds[number] : bounds[number + 1]]
        partition = labels[owners[rows], decision.partition]
        cluster = labels[owners[rows], decision.scenario] if decision.scenario >= 0 else np.zeros(len(rows), np.int8)
        found = _take(instances, rows)
        order = np.argsort(_sort_keys(decision, found, partition), kind="stable")
        rows, found = rows[order], _take(found, order)
        equal, children, value, first, member, cell, leaves_from = tree_of(
            found, partition[order], cluster[order], len(decision.numeric), len(decision.equal)
        )
        nodes, cells, members = offsets
        leaf = _first_leaves(first, leaves_from, len(decision.numeric)) + nodes
        columns = np.zeros((len(value), MAX_NUMERIC), np.float32)
        columns[leaves_from:-1] = found["numeric"][member[leaves_from:-1]]
        first[:leaves_from] += nodes
        first[leaves_from:] += cells
        parts.append((equal, children + nodes, value, first, member + members, rows, cell, leaf, columns))
        group_at.append(group_at[-1] + len(equal))
        offsets = [nodes + len(value), cells + len(cell), members + len(rows)]
    joined = [np.concatenate([part[i] for part in parts]) for i in (0, 2, 3, 4, 5, 6, 7, 8)]
    weights = equal_weights(domain)
    return Index(
        meta=meta,
        weights=weights,
        weight_sum=weights.sum(axis=1),
        group_at=np.array(group_at, np.int64),
        group_equal=joined[0],
        group_first=np.concatenate([part[1][:-1] for part in parts]).astype(np.int32),
        group_end=np.concatenate([part[1][1:] for part in parts]).astype(np.int32),
        value=joined[1],
        first=joined[2].astype(np.int32),
        leaf=joined[6].astype(np.int32),
        columns=np.ascontiguousarray(joined[7].T),
        member=joined[3].astype(np.int32),
        members=joined[4].astype(np.int32),
        cells=joined[5].astype(np.int32),
    )


def _first_leaves(first: NDArray[np.int64], leaves_from: int, levels: int) -> NDArray[np.int64]:
    """Return the first leaf below every node of a tree; for a leaf, itself."""
    leaf = np.arange(len(first))
    for _ in range(levels):
        above = leaf < leaves_from
        leaf[above] = first[leaf[above]]
    return leaf


def _take(records: NDArray[np.void], rows: NDArray[np.int64]) -> NDArray[np.void]:
    """Return `records[rows]`, copying whole records: NumPy copies field by field."""
    whole = np.ascontiguousarray(records).view(f"V{records.dtype.itemsize}")
    return whole[rows].view(records.dtype)


def _sort_keys(decision: Decision, rows: NDArray[np.void], partition: NDArray[np.int8]) -> NDArray[np.uint64]:
    """Return one number per row that sorts as (equal attributes, numeric attributes, group of the partition)."""
    columns = [rows["equal"][:, j] for j in range(len(decision.equal))]
    columns += [rows["numeric"][:, j] for j in range(len(decision.numeric))]
    columns.append(partition)
    keys = np.zeros(len(rows), np.uint64)
    bits = 0
    for column in columns:
        width = int(column.max(initial=0)).bit_length()
        bits += width
        keys = (keys << np.uint64(width)) | column.astype(np.uint64)
    if bits > 64 or any(column.min(initial=0) < 0 for column in columns):
        raise BadInput(f"the attributes of {decision.name!r} do not fit the index: {bits} bits, or a negative value")
    return keys


def make_scratch(index: Index, domain: Domain) -> Scratch:
    """Allocate the work arrays of one thread for searches of an index."""
    leaves = max(1, len(index.value))
    return Scratch(
        leaves=np.zeros(leaves, np.int32),
        distances=np.zeros(leaves, np.int32),
        stack=np.zeros((3, MAX_NUMERIC + 2), np.int64),
        gaps=np.zeros(SCANNED, np.float32),
        table=np.zeros((MAX_GROUPS + 1, MAX_ITEMS, 3), np.int64),
        query=np.zeros(2, QUERY),
        case=np.zeros(1, domain.schema.dtype),
        features=np.zeros(MAX_FEATURES, np.float64),
    )
