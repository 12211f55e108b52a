"""Appendix B and table 12, for small bases."""

import numpy as np

from bolicho.lab.cbr.clusters import (
    characteristics,
    elbow_figure,
    elbows,
    groups_table,
    mixtures_table,
    sizes_table,
    table_12,
)
from tests.agents.cbr.hands import make_baseline


def test_appendix_b_of_a_small_base():
    base = make_baseline(150, seed=2)
    found = elbows(base, restarts=2)
    assert len(found) == 16 and all(one.used == len(one.sizes) for one in found)
    assert found[14].cases == 150 and len(elbow_figure("e", found, "small").plot.axes) == 16
    assert len(groups_table("t", found, found).rows) == len(sizes_table(found, found).rows) == 16
    assert groups_table("t", found, found).rows[7][6] == 4  # one clustering for the initial base
    assert [len(table.rows) for table in characteristics(base)] == [one.used for one in found]


def test_table_12_shows_published_shares_beside_ours():
    small, other = make_baseline(150, seed=2), make_baseline(100, seed=3)
    rows = table_12(small, other).rows
    assert [row[2] for row in rows[:4]] == ["41.96%", "27.78%", "23.75%", "0.05%"]
    for column, base in ((3, small), (5, other)):
        sizes = np.sort(np.bincount(base.cases["label"][:, 1])[1:])[::-1]
        assert [row[column] for row in rows[: len(sizes)]] == [f"{size / sizes.sum():.2%}" for size in sizes]


def test_mixtures_are_shown_beside_k_means():
    base, other = make_baseline(150, seed=2), make_baseline(150, seed=2, clustering="mixture")
    for row, clustering, same in zip(
        mixtures_table("t", base, other).rows, base.clusterings, other.clusterings, strict=True
    ):
        assert row[1] == clustering.size and row[2] == row[4] == row[5] == same.size
        assert row[3] <= 1 and row[6] == 1  # the second base is clustered by mixtures
