"""The studies of the case-based agents: published tables that add up, and figures of small runs."""

import numpy as np
import pytest

from bolicho.agents.cbr.agent import load_index
from bolicho.agents.cbr.bases import load_base
from bolicho.agents.cbr.duel import duel
from bolicho.agents.cbr.reuse import POLICIES, TEN_BEST
from bolicho.agents.cbr.truco import TRUCO
from bolicho.agents.cbr.truco.baseline import make_baseline
from bolicho.lab import cbr, cbr_published
from bolicho.lab.cbr_clusters import characteristics, elbow_figure, elbows, groups_table, sizes_table
from bolicho.lab.cbr_duels import League, league, shares, two_steps_or_one
from bolicho.lab.cbr_learning import WAYS, growth_figure, kept_table
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


# --- Many deals ---------------------------------------------------------------------------------


def test_mirrored_matches_of_the_same_player_are_even(tmp_path):
    me = ("nps", "baseline")
    (units,) = shares(Effort(False, 1, 1, tmp_path), [(me, me)], 10, 1)
    assert units.tolist() == [0.5] * 10  # nothing is drawn by lot: both seats of a deal are the same match


def test_a_duel_is_the_same_whoever_is_named_first():
    index = load_index("baseline")
    one = duel(TRUCO, "nps", index, "pvs", index, 8, seed=3)
    other = duel(TRUCO, "pvs", index, "nps", index, 8, seed=3)
    assert one.matches == 16 and one.won + other.won == 16
    assert np.array_equal(one.scores[:, ::-1, ::-1], other.scores)
    assert np.array_equal(one.differences, (one.scores[..., 0] - one.scores[..., 1]).ravel())


def test_a_duel_agrees_with_the_arena(tmp_path):
    """The same agents on other deals: rates that mirrored matches cannot tell apart."""
    effort = Effort(False, 1, 1, tmp_path)
    run = cbr.round_robin(effort, ("nps", "mjs"), "baseline", 40, "two")
    (pair,) = run.result["pairs"]
    (units,) = shares(effort, [(("nps", "baseline"), ("mjs", "baseline"))], 400, 5)
    assert pair["rate"]["low"] < units.mean() < pair["rate"]["high"]


def test_a_league_counts_every_match_once(tmp_path):
    found = league(Effort(False, 1, 1, tmp_path), ("nps", "pvs", "pvcnps"), "baseline", 6)
    assert sum(units.mean() for units in found.won.values()) == pytest.approx(1.5)
    assert found.best(two_step=True) == "pvcnps" and found.best(two_step=False) in ("nps", "pvs")
    ahead = found.difference("nps", "pvs")
    assert ahead.value == pytest.approx(found.share("nps").value - found.share("pvs").value)


@pytest.mark.parametrize(("gap", "verdict"), [(0.2, "is above"), (-0.2, "is below"), (0.0, "cannot be told from")])
def test_the_verdict_follows_the_interval(tmp_path, gap, verdict):
    noise = np.resize([0.05, -0.05], 40)
    found = League({"pvcnps": 0.5 + gap + noise, "nps": 0.5 - noise})
    assert verdict in two_steps_or_one(Effort(False, 1, 1, tmp_path), found, "baseline", 4)


# --- Learning -----------------------------------------------------------------------------------


def test_judging_hands_one_by_one_leaves_out_refused_bets():
    everything, by_matches, by_hands = kept_table(1, 30).rows
    assert everything[1] >= by_matches[1] > by_hands[1]
    assert by_hands[3].high < everything[3].low


def test_ways_of_learning_start_with_the_package_s_own():
    usual = load_base("learned", TRUCO).made
    assert (usual["keep"], usual["rivals"]) == (WAYS[0].keep, WAYS[0].rivals)
    figure = growth_figure([("a", [1, 2]), ("a", [1, 3]), ("b", [2, 4])])
    labels = figure.plot.axes[0].get_legend_handles_labels()[1]
    assert labels == ["a", "b", "published"]
