"""Clusterings: encodings of cases, numbers of groups, and descriptions of groups."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bolicho
from bolicho import BadInput
from bolicho.agents.cbr.bases import load_base, save_base
from bolicho.agents.cbr.clusters import (
    FLOOR,
    Rows,
    characterise,
    cluster,
    clustering_of,
    elbow,
    mixture,
    population,
    sweep,
    wcss_curve,
)
from bolicho.agents.cbr.truco import TRUCO

from .hands import hand, learn, make_baseline


@pytest.fixture(scope="module")
def base():
    return load_base("baseline", TRUCO)


def features(case, clustering):
    found = population(TRUCO, np.array([case]), clustering)
    return found.rows.values[0].tolist() if len(found.cases) else None


def test_encodings_are_those_of_the_document():
    """Paulus 2020, tables 7 to 10."""
    case = hand("1e 7o 12p", "4e 5p 6c", "12p", "truco", "quero", "6c", "1e", "virada 5p")
    assert features(case, 0) == [51, 41, 7, 4]  # received, and the low card played
    assert features(case, 1) is None  # player 1 led
    assert features(case, 2) == [46]  # the high card of the three
    assert features(case, 8) == [3, 2, 2, 51, 41, 7]  # player 2 called truco, without a raise
    assert features(case, 10) == [3, 2, 2, 51, 41, 7]  # still so in the second round
    assert features(case, 4) is None and features(case, 12) is None  # two rounds decided it
    assert features(case, 6) == [2, 2, 2, 7] and features(case, 7) is None
    assert features(case, 14) == [51, 41, 7] and features(case, 15) == [7]


def test_encoding_of_the_follower_contains_the_opponents_card():
    case = hand("1e 3o 1c", "7e 2p 11c", "11c", "1c", "3o", "7e", "virada 2p", "1e", mao=1)
    assert features(case, 1) == [51, 20, 12, 7, 4]
    assert features(case, 2) == [16] and features(case, 5) == [-1, 46]


@pytest.mark.parametrize(
    ("actions", "code"),
    [
        (["truco", "nao"], -46),  # the opponent gave up
        (["baralho"], -10),  # player 1 went to the deck
        (["12p", "truco", "nao"], 4),  # the first card was played ...
    ],
)
def test_code_of_an_unplayed_card_gives_the_reason(actions, code):
    assert features(hand("1e 7o 12p", "4e 5p 6c", *actions), 0)[-1] == code


def test_code_of_a_card_not_played_because_of_a_refused_bet():
    case = hand("1e 7o 12p", "4e 5p 6c", "12p", "6c", "7o", "truco", "nao")
    assert features(case, 2) == [16] and case["hand_won"] == -1
    case = hand("4e 5p 6c", "1e 7o 12p", "truco", "nao", mao=1)
    assert features(case, 1) == [3, 3, 3, -15, -15] and features(case, 9) == [3, 2, 2, 3, 3, 3]


def test_call_belongs_only_to_its_own_round():
    case = hand("1e 7o 12p", "4e 5p 6c", "12p", "6c", "truco", "nao")
    assert features(case, 8) == [2, 2, 2, 51, 41, 7] and features(case, 10) == [1, 2, 2, 51, 41, 7]


def test_weighted_distinct_rows_are_clustered_like_all_rows(base):
    of = population(TRUCO, base.cases, 8)
    every = of.rows.standard[of.row_of]
    for centroids, wcss in sweep(of.rows, most=5):
        distances = ((every[:, None, :] - centroids) ** 2).sum(axis=2)
        assert wcss == pytest.approx(distances.min(axis=1).sum())
        for g, centroid in enumerate(centroids):  # a fixed point: every centroid is the mean of its cases
            assert np.allclose(every[distances.argmin(axis=1) == g].mean(axis=0), centroid)
    assert np.allclose(every.mean(axis=0), 0) and np.allclose(every.std(axis=0), 1)


@given(st.integers(3, 6), st.integers(0, 10**6))
def test_the_dd_rule_finds_planted_groups(k, seed):
    rng = np.random.default_rng(seed)
    centres = np.array([[100.0 * i, 100.0 * ((i * i) % 7)] for i in range(k)])
    values = np.concatenate([centre + rng.normal(0, 1, (30, 2)) for centre in centres])
    rows = Rows(values, np.ones(len(values)))
    found = cluster(rows)
    assert found.size == k


def test_the_dd_rule_by_hand():
    # W 1, .6, .2, .15, .13: steps -.4, -.4, -.05, -.02; DD_2 1, DD_3 .125, DD_4 .4
    assert elbow(np.array([10.0, 6.0, 2.0, 1.5, 1.3])) == 3
    assert elbow(np.array([10.0, 6.0, 6.5, 1.0, 0.5])) == 4  # a step up has another sign and does not count
    assert elbow(np.array([5.0, 1.0])) == 2 and elbow(np.array([5.0])) == 1
    assert elbow(np.array([4.0, 1.0, 0.0, 0.0])) == 2  # a flat end is no elbow


def test_every_case_has_the_nearest_group_of_its_scenario(base):
    for number, clustering in enumerate(base.clusterings):
        of = population(TRUCO, base.cases, number)
        z = (of.rows.values[of.row_of] - clustering.mean) / clustering.scale
        distances = ((z[:, None, :] - clustering.centroids) ** 2).sum(axis=2)
        labels = base.cases["label"][:, number]
        assert np.all(labels[of.cases] == distances.argmin(axis=1) + 1)
        assert np.count_nonzero(labels) == len(of.cases)


def test_groups_are_numbered_by_size():
    rows = Rows(np.array([[0.0], [10.0], [11.0], [30.0]]), np.array([1.0, 5.0, 5.0, 3.0]))
    found = clustering_of(rows, sweep(rows, most=3)[-1][0])
    means = found.centroids * found.scale + found.mean
    assert np.allclose(means[:, 0], [10.5, 30.0, 0.0])


def test_the_elbow_curve_falls(base):
    for number in (0, 6, 8, 14):
        wcss = wcss_curve(sweep(population(TRUCO, base.cases, number).rows))
        assert len(wcss) == 12 and np.all(np.diff(wcss) <= 1e-9)


def test_groups_are_described_in_words(base):
    groups = characterise(base, 1)
    assert sum(group.cases for group in groups) == np.count_nonzero(base.cases["label"][:, 1])
    assert sum(group.share for group in groups) == pytest.approx(1)
    assert all("high card: " in group.sentence and "plays: " in group.sentence for group in groups)
    names = {name for group in groups for name, _, _ in group.usual}
    assert names == {"high card", "mid card", "low card", "the other's card", "plays"}


# --- Gaussian mixtures --------------------------------------------------------------------------


def blobs():
    """Return three groups of 300, 200 and 100 whole-number rows, far apart and of different shapes."""
    rng = np.random.default_rng(4)
    centres, sizes, widths = ((0, 0), (40, 10), (10, 50)), (300, 200, 100), ((2, 6), (5, 1), (1, 1))
    parts = [np.rint(rng.normal(c, w, (n, 2))) for c, n, w in zip(centres, sizes, widths, strict=True)]
    whose = np.repeat([1, 2, 3], sizes)
    values, inverse, counts = np.unique(np.concatenate(parts), axis=0, return_inverse=True, return_counts=True)
    return Rows(values, counts.astype(float)), inverse.reshape(-1), whose


def test_mixture_finds_planted_groups_and_their_number_by_bic():
    rows, row_of, whose = blobs()
    assert mixture(rows)[row_of].tolist() == whose.tolist()  # numbered by size


def test_mixture_takes_the_number_with_the_lowest_bic():
    from sklearn.mixture import GaussianMixture

    rows, row_of, _ = blobs()
    every = rows.standard[row_of]
    bic = [GaussianMixture(k, reg_covar=FLOOR, n_init=3, random_state=0).fit(every).bic(every) for k in (1, 2, 3, 4)]
    assert np.argmin(bic) + 1 == mixture(rows).max() == 3
    assert mixture(rows, most=2).max() == 2


def test_mixture_of_no_rows_and_of_one():
    assert len(mixture(Rows(np.zeros((0, 2)), np.zeros(0)))) == 0
    assert mixture(Rows(np.ones((1, 2)), np.array([7.0]))).tolist() == [1]


def test_base_grouped_by_mixtures_is_written_and_read_like_any_other(tmp_path):
    base = make_baseline(300, seed=2, clustering="mixture")
    save_base(base, tmp_path / "mixture.parquet")
    read = load_base(str(tmp_path / "mixture.parquet"), TRUCO)
    assert read.made["clustering"] == "mixture" and np.array_equal(read.cases, base.cases)
    for number, (mine, other) in enumerate(zip(base.clusterings, read.clusterings, strict=True)):
        of = population(TRUCO, base.cases, number)
        assert np.array_equal(mixture(of.rows)[of.row_of], base.cases["label"][of.cases, number])
        assert np.array_equal(mine.centroids, other.centroids)
    table = bolicho.game("truco").deal(3)
    player = bolicho.agent(f"pvcnps(base={tmp_path / 'mixture.parquet'}, retrieval=clusters)")
    assert str(player.act(table.view(table.turn), np.random.default_rng(1))) in map(str, table.legal)


def test_learned_base_is_written_with_the_groups_of_mixtures():
    base = learn(make_baseline(200, seed=2), cases=260, seed=1, clustering="mixture")
    of = population(TRUCO, base.cases, 8)
    assert np.array_equal(mixture(of.rows)[of.row_of], base.cases["label"][of.cases, 8])


def test_unknown_clustering_algorithm_is_refused():
    with pytest.raises(BadInput, match="clustering algorithm"):
        make_baseline(10, clustering="density")
