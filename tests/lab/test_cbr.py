"""The studies of the case-based agents: published tables that add up, and figures of small runs."""

import pytest

from bolicho.agents.cbr.reuse import POLICIES, TEN_BEST
from bolicho.agents.cbr.truco import TRUCO
from bolicho.agents.cbr.truco.baseline import make_baseline
from bolicho.lab import cbr, cbr_published
from bolicho.lab.cbr_clusters import characteristics, elbow_figure, elbows, groups_table, sizes_table
from bolicho.lab.study import Effort


def test_published_group_sizes_add_up_to_their_totals():
    for number, (sizes, total) in enumerate(zip(cbr_published.GROUP_SIZES, cbr_published.GROUP_TOTALS, strict=True)):
        assert sum(sizes) == total, TRUCO.clusterings[number]
    assert sum(cbr_published.GROUPS[:14]) == 67 and len(cbr_published.GROUPS) == len(TRUCO.clusterings)
    fewer = [i for i, sizes in enumerate(cbr_published.GROUP_SIZES) if len(sizes) != cbr_published.GROUPS[i]]
    assert fewer == [2, 3]  # two tables of appendix B list one group fewer than table 6 counts


def test_published_counts_are_those_of_the_design():
    assert (len(POLICIES) - 1) * 2 * cbr.DUPLICATES == cbr_published.STAGE_1_MATCHES
    assert (len(TEN_BEST) - 1) * 2 * cbr.DUPLICATES == cbr_published.STAGE_3_MATCHES
    assert len(TEN_BEST) * 2 * cbr.DUPLICATES == cbr_published.STAGE_2_MATCHES
    assert cbr_published.STAGE_1_ORDER == TEN_BEST and set(cbr_published.STAGE_3_ORDER) <= set(TEN_BEST)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    effort = Effort(False, 1, 1, tmp_path_factory.mktemp("cbr"))
    return cbr.round_robin(effort, ("nps", "pvs", "mjs"), "baseline", 3, "three")


def test_standings_count_wins_against_everybody(run):
    found = cbr.standings(run)
    assert {row.policy for row in found} == {"nps", "pvs", "mjs"} and sum(row.wins for row in found) == 18
    assert all(row.matches == 12 for row in found)
    between = cbr.wins_between(run)
    for row in found:
        assert sum(wins for (one, _), wins in between.items() if one == row.policy) == row.wins
        assert row.above_half == (row.wins > 6)


def test_stage_figures_and_table_16(run):
    found = cbr.standings(run)
    assert cbr.wins_figure("f", found, "c").plot.axes
    assert len(cbr.opponents_figure("nps", cbr.wins_between(run), 6, 13).plot.axes[0].patches) == 2
    rows = {row[0]: row for row in cbr.table_16(found).rows}
    assert rows["nps"][1].published == 6.03 and rows["mjs"][1].published is None
    assert rows["nps"][1].value > 0 > rows["nps"][2].value


def test_a_share_has_its_interval():
    total = cbr.share(287, 500, 0.57)
    assert total.value == 0.574 and total.low < 0.57 < total.high and total.agrees


def test_appendix_b_of_a_small_base():
    base = make_baseline(150, seed=2)
    found = elbows(base, restarts=2)
    assert len(found) == 16 and all(one.used == len(one.sizes) for one in found)
    assert found[14].cases == 150 and len(elbow_figure(found).plot.axes) == 16
    assert len(groups_table(found).rows) == len(sizes_table(found).rows) == 16
    assert [len(table.rows) for table in characteristics(base)] == [one.used for one in found]


def test_the_learned_base_is_measured_against_the_baseline(tmp_path):
    found = cbr.learned_wins(Effort(False, 1, 1, tmp_path), ("nps", "pvs"), 3)
    assert list(found) == ["nps", "pvs"] and all(one.matches == 6 and 0 <= one.wins <= 6 for one in found.values())
    assert len(cbr.learned_figure(found).plot.axes[0].patches) == 4
