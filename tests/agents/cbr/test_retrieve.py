"""Similarity as published, and the index against a plain reference."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bolicho import BadInput
from bolicho.agents.cbr.bases import load_base
from bolicho.agents.cbr.clusters import population
from bolicho.agents.cbr.compiled.search import retrieve_cases
from bolicho.agents.cbr.domain import INSTANCE, QUERY
from bolicho.agents.cbr.retrieve import CaseIndex, build, local_similarities, make_scratch, thousandths
from bolicho.agents.cbr.truco import TRUCO
from bolicho.games.truco.lexicon import CLASS_CODES

CARDS = np.array([0, *CLASS_CODES])
SCENARIO_4 = 3  # second card, follows: eight attributes


@pytest.fixture(scope="module")
def baseline():
    return CaseIndex(load_base("baseline", TRUCO))


def test_the_worked_example_of_the_document():
    """Paulus 2020, table 5: query (24, 12, 6, mão 1), case (24, 8, 7, mão 1)."""
    local = local_similarities(np.array([24, 12, 6]), np.array([24, 8, 7]), np.array([1]), np.array([1]), 52)
    assert local.tolist() == [1, 1 - 4 / 52, 1 - 1 / 52, 1]
    assert local.mean() == pytest.approx(0.975975, abs=2e-5)  # the document rounds on the way
    assert local.mean() == pytest.approx(float(Fraction(203, 208)))


def plain(template, instances, partition, query, threshold, minimum, group):
    """Return the threshold and the set of instances of a retrieval computed with fractions."""
    n, m = len(template.numeric), len(template.equal)
    similarities = {}
    for i, row in enumerate(instances):
        if row["decision"] != query["decision"] or (group and partition[i] != group):
            continue
        total = sum(
            1 - Fraction(abs(int(a) - int(b)), 52)
            for a, b in zip(row["numeric"][:n], query["numeric"][:n], strict=True)
        )
        total += sum(int(a == b) for a, b in zip(row["equal"][:m], query["equal"][:m], strict=True))
        similarities[i] = Fraction(total) / (n + m)
    level = threshold
    while True:
        found = {i for i, similarity in similarities.items() if similarity >= Fraction(max(0, level), 1000)}
        if len(found) >= minimum or level <= 0:
            return max(0, level), found
        level -= 20


@st.composite
def bases(draw):
    """Draw a random base of one decision with few values and many ties, a query, and options."""
    seed, size = draw(st.integers(0, 2**32 - 1)), draw(st.integers(0, 60))
    decision = draw(st.sampled_from([0, 1, SCENARIO_4, 5, 6, 13, 19, 31, 33]))
    spread = draw(st.integers(1, len(CARDS)))
    rng = np.random.default_rng(seed)
    template = TRUCO.decisions[decision]
    rows = np.zeros(size + 1, INSTANCE)
    rows["decision"] = decision
    values = rng.choice(CARDS, spread, replace=False)
    rows["numeric"][:, : len(template.numeric)] = rng.choice(values, (size + 1, len(template.numeric)))
    rows["equal"][:, : len(template.equal)] = rng.integers(0, draw(st.integers(1, 4)), (size + 1, len(template.equal)))
    rows["item"], rows["halves"] = rng.integers(0, 3, size + 1), rng.integers(0, 3, size + 1)
    threshold = draw(st.sampled_from([1000, 980, 975, 960, 900, 750, 500, 13, 0]))
    return (
        template,
        rows[:-1],
        rows[-1:],
        rng.integers(1, 4, size),
        threshold,
        draw(st.integers(1, 12)),
        draw(st.integers(0, 3)),
    )


@given(bases())
def test_index_matches_a_plain_search(drawn):
    template, rows, query_row, partition, threshold, minimum, group = drawn
    cases = np.zeros(len(rows), TRUCO.schema.dtype)
    cases["label"][:, template.partition] = partition
    index = build(TRUCO, cases, rows, np.arange(len(rows)))
    query = np.zeros(1, QUERY)
    for name in ("decision", "numeric", "equal"):
        query[name] = query_row[name]
    found, distances = np.zeros(len(rows), np.int64), np.zeros(len(rows), np.int64)
    n, at_first, used = retrieve_cases(
        index, int(query["decision"][0]), query, group, threshold, minimum, make_scratch(index, TRUCO), found, distances
    )
    level, wanted = plain(template, rows, partition, query[0], threshold, minimum, group)
    assert (used, set(found[:n].tolist())) == (level, wanted) and n == len(wanted)
    first, at_threshold = plain(template, rows, partition, query[0], threshold, 0, group)
    assert first == threshold and at_first == len(at_threshold)
    width, rest = len(template.numeric), len(template.equal)
    similarity = 1 - distances[:n] / (52 * len(template.attributes))
    for i, value in zip(found[:n], similarity, strict=True):
        local = local_similarities(
            rows["numeric"][i, :width],
            query["numeric"][0, :width],
            rows["equal"][i, :rest],
            query["equal"][0, :rest],
            52,
        )
        assert value == pytest.approx(local.mean())


def test_a_tie_at_the_threshold_is_found():
    """Similarity exactly 0.98: eight attributes, distance 8.32 is the limit, so 8 is in and 9 is out."""
    rows = np.zeros(3, INSTANCE)
    rows["decision"] = SCENARIO_4
    rows["numeric"][:, 0] = [8, 9, 50]
    index = build(TRUCO, np.zeros(3, TRUCO.schema.dtype), rows, np.arange(3))
    query = np.zeros(1, QUERY)
    query["decision"] = SCENARIO_4
    found, distances = np.zeros(3, np.int64), np.zeros(3, np.int64)
    n, _, used = retrieve_cases(index, SCENARIO_4, query, 0, 980, 1, make_scratch(index, TRUCO), found, distances)
    assert (n, found[0], used) == (1, 0, 980)
    query["numeric"][0, 0] = 24
    rows["numeric"][:, 0] = [50, 50, 50]  # 26 of 52: with four of eight such attributes exactly 0.75
    rows["numeric"][:, 1:4] = [26, 26, 26]
    index = build(TRUCO, np.zeros(3, TRUCO.schema.dtype), rows, np.arange(3))
    n, _, used = retrieve_cases(index, SCENARIO_4, query, 0, 750, 1, make_scratch(index, TRUCO), found, distances)
    assert (n, used) == (3, 750)


def test_retrieval_in_a_group_returns_the_similar_cases_of_the_group(baseline):
    query = baseline.query(0, [24, 12, 6], [1])
    everywhere = baseline.retrieve(query)
    case = baseline.base.cases[everywhere.cases[:1]]
    group = baseline.partition_group(query, case)
    inside = baseline.retrieve(query, group=group)
    labels = baseline.base.cases["label"][:, TRUCO.decisions[0].partition]
    assert set(inside.cases) == {number for number in everywhere.cases if labels[number] == group}
    assert type(inside) is type(everywhere) and inside.local.shape == (len(inside), 4)
    assert np.all(np.diff(everywhere.similarity) <= 0) and everywhere.similarity[-1] >= 0.98
    assert np.allclose(everywhere.local.mean(axis=1), everywhere.similarity)


def test_the_nearest_centroid_is_the_group_of_the_two_step_retrieval(baseline):
    base = baseline.base
    clustering, of = base.clusterings[14], population(TRUCO, base.cases, 14)
    for number in (0, 7, 100):
        case = base.cases[number : number + 1]
        row = of.rows.values[of.row_of[number]]
        distances = (((row - clustering.mean) / clustering.scale - clustering.centroids) ** 2).sum(axis=1)
        query = baseline.query(0, [case["high"][0], case["mid"][0], case["low"][0]], [1])
        assert baseline.partition_group(query, case) == distances.argmin() + 1 == case["label"][0, 14]


def test_small_base_returns_all_its_cases(baseline):
    query = baseline.query(5, [52, 50, 42, 42, 40, 50, 24, 16], [1, 1, 1])
    found = baseline.retrieve(query, minimum=10**6)
    assert found.threshold == 0 and len(found) == np.count_nonzero(baseline.instances["decision"] == 5)


def test_bad_thresholds_and_queries_are_refused(baseline):
    with pytest.raises(BadInput, match="0 to 1"):
        thousandths(98)
    with pytest.raises(BadInput, match="has the attributes high, mid, low, mão"):
        baseline.query(0, [24, 12], [1])
