"""The studies of the case-based agents: published tables that add up, and figures of small runs."""

from dataclasses import asdict
from itertools import combinations

import numpy as np
import pytest

from bolicho.agents.agent import agent, parse_spec
from bolicho.agents.cbr.bases import load_base
from bolicho.agents.cbr.cycle import OURS, Options
from bolicho.agents.cbr.reuse import POLICIES, TEN_BEST
from bolicho.agents.cbr.truco import TRUCO
from bolicho.agents.cbr.truco.baseline import make_baseline
from bolicho.arena.experiment import Experiment
from bolicho.arena.run import run
from bolicho.lab import cbr, cbr_learning, cbr_published
from bolicho.lab.cbr_clusters import characteristics, elbow_figure, elbows, groups_table, sizes_table, table_12
from bolicho.lab.cbr_duels import League, Player, league, play_all, shares, two_steps_or_one
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


def test_table_12_lacks_the_share_that_appendix_b_gives():
    sizes = sorted(cbr_published.GROUP_SIZES[1], reverse=True)
    shares = [size / cbr_published.GROUP_TOTALS[1] for size in sizes]
    assert [round(share, 4) for share in shares[:3]] == [share for _, share in cbr_published.TABLE_12[:3]]
    assert round(shares[3], 4) == 0.0652 != cbr_published.TABLE_12[3][1]


# --- Readings -----------------------------------------------------------------------------------


def test_stages_run_as_published_and_ours_beside_it(tmp_path):
    *as_published, ours = cbr.STAGE_1_READINGS
    assert [one.options.victory for one in as_published] == ["share", "count", "bar"] and ours.options == OURS
    for one in as_published:
        assert one.options == Options(0.75, "clusters", "published", one.options.victory)


def test_options_change_one_at_a_time():
    """Every variation differs from one of the ends in one option, and every option is changed at both ends."""
    ends = {one.name: one.options for one in cbr.variations() if "but" not in one.name}
    assert ends["ours"] == OURS and len(ends) == 2
    changed = {name: [] for name in ends}
    for one in cbr.variations():
        name, _, option = one.name.partition(", but ")
        if option:
            field = option.partition("=")[0]
            new = asdict(one.options).items() - asdict(ends[name]).items()
            assert new == {(field, getattr(one.options, field))}
            changed[name].append(field)
    assert all(fields == ["threshold", "retrieval", "revise", "victory", "victory"] for fields in changed.values())


def test_stages_2_and_3_learn_a_base_as_published(tmp_path, monkeypatch):
    monkeypatch.setattr(cbr_learning, "_cases", lambda effort: 3300)
    effort = Effort(False, 1, 1, tmp_path)
    readings = cbr.stage_2_readings(effort)
    assert {one.options.threshold for one in readings[:6]} == {0.75, 0.98} and readings[-1].options == OURS
    for one in readings[:6]:
        made = load_base(one.base, TRUCO).made
        assert (made["keep"], made["retrieval"], made["revise"]) == ("hand", "clusters", "published")
        assert made["victory"] == "share" and "threshold" not in made  # 0.98 is the default
    assert [one.options.victory for one in readings[:6]] == 2 * ["share", "count", "bar"]
    assert {one.base for one in readings[6:]} == {"learned"}  # what the base changes, apart from the options
    assert all(one.options.threshold == 0.98 for one in cbr.stage_3_readings(effort))


@pytest.mark.parametrize("changed", [
    {"threshold": 0.75}, {"retrieval": "clusters"}, {"revise": "none"}, {"victory": "count"}, {"victory": "share"},
])  # fmt: skip
def test_every_option_reaches_the_matches(tmp_path, changed):
    usual, other = Player("pvs", "baseline"), Player("pvs", "baseline", Options(**changed))
    (units,) = shares(Effort(False, 1, 1, tmp_path), [(other, usual)], 20, 1)
    assert units.tolist() != [0.5] * 20  # the same player would share every deal
    assert agent(other.spec()).options == other.agent().options == other.options


def test_options_that_are_not_the_defaults_are_written():
    assert Options().changed() == {} and Player("nps").spec() == "nps(base=learned)"
    own = Player("nps", "a, b.parquet", Options(threshold=0.75, victory="count"))
    assert parse_spec(own.spec()) == ("nps", {"base": "a, b.parquet", "threshold": 0.75, "victory": "count"})


@pytest.fixture(scope="module")
def three(tmp_path_factory):
    effort = Effort(False, 1, 1, tmp_path_factory.mktemp("cbr"))
    return league(effort, ("nps", "pvs", "pvcnps"), "baseline", 30)


def test_a_league_counts_every_match_once(three):
    assert sum(units.mean() for units in three.won.values()) == pytest.approx(1.5)
    assert sum(sum(three.wins(policy, 25).values()) for policy in three.policies) == 3 * 50
    assert three.wins("nps", 25)["pvs"] + three.wins("pvs", 25)["nps"] == 50
    assert three.best(two_step=True) == "pvcnps" and three.best(two_step=False) in ("nps", "pvs")
    ahead = three.difference("nps", "pvs")
    assert ahead.value == pytest.approx(three.share("nps").value - three.share("pvs").value)
    assert three.order == sorted(three.policies, key=lambda policy: -three.share(policy).value)
    assert set(three.above_half) == {policy for policy in three.policies if three.share(policy).value > 0.5}


def test_margins_are_the_mean_differences_of_matches_won_and_lost(three):
    ahead = np.concatenate([
        (three.scores["nps", "pvs"][..., 0] - three.scores["nps", "pvs"][..., 1]).ravel(),
        (three.scores["nps", "pvcnps"][..., 0] - three.scores["nps", "pvcnps"][..., 1]).ravel(),
    ])  # fmt: skip
    found = three.margins("nps", victorious=True)
    assert found.value == pytest.approx(ahead[ahead > 0].mean()) and found.low < found.value < found.high
    assert three.margins("nps", victorious=False).value == pytest.approx(ahead[ahead < 0].mean())
    theirs = [-difference for difference in ahead[:60] if difference < 0]
    mine = three.scores["pvs", "pvcnps"][..., 0] - three.scores["pvs", "pvcnps"][..., 1]
    assert three.margins("pvs", victorious=True).value == pytest.approx(np.mean([*theirs, *mine[mine > 0]]))


def test_tables_and_figures_of_the_stages(three):
    found = [(cbr.STAGE_1_READINGS[0], three), (cbr.STAGE_1_READINGS[-1], three)]
    order = ("pvcnps", "nps")
    rows = cbr.shares_table("t", found, order).rows
    assert [row[:2] for row in rows] == [["pvcnps", 1], ["nps", 2], ["pvs", "below half"]]
    assert rows[1][2] == three.share("nps") == rows[1][3]
    counts = cbr.wins_table("t", found, order, 25).rows
    assert sum(row[2] for row in counts) == 150
    headline = cbr.headline_table("t", found).rows
    assert headline[0][1] == ", ".join(three.order) and headline[0][3] == three.order.index("pvcnps") + 1
    assert headline[-1][0] == "(published)" and headline[-1][5] == "8 of 10"
    assert len(cbr.wins_figure("f", three, 25, "c").plot.axes[0].patches) == 3
    assert len(cbr.opponents_figure("nps", found, 14).plot.axes[0].patches) == 4
    assert cbr.options_figure(found).plot.axes


def test_table_16_has_the_four_best_by_reading():
    rng = np.random.default_rng(1)
    scores = {pair: rng.permuted(np.tile([24, 15], (30, 2, 1)), axis=2) for pair in combinations(TEN_BEST, 2)}
    rows = cbr.table_16([(cbr.STAGE_1_READINGS[-1], League(scores))]).rows
    assert [row[0] for row in rows] == list(cbr_published.TABLE_16)
    assert (rows[1][2].value, rows[1][2].published) == (9, 6.03) and rows[1][3].value == -9


def test_a_policy_without_luck_gains_nothing_from_its_own_base(tmp_path):
    effort = Effort(False, 1, 1, tmp_path)
    me = Player("nps", "baseline")
    (scores,) = play_all(effort, [(me, me)], 25, 1)
    (row, published_row) = cbr.improvements_table([(cbr.STAGE_1_READINGS[-1], {"nps": scores})]).rows
    assert row[1] == "25 of 50" and row[2].value == 0.5 and row[3:] == ["0 of 1", "nps"]
    assert published_row[1] == "287 of 500" and published_row[3] == "7 of 10"
    assert len(cbr.learned_figure(cbr.STAGE_1_READINGS[-1], {"nps": scores}).plot.axes[0].patches) == 2


def test_appendix_b_of_a_small_base():
    base = make_baseline(150, seed=2)
    found = elbows(base, restarts=2)
    assert len(found) == 16 and all(one.used == len(one.sizes) for one in found)
    assert found[14].cases == 150 and len(elbow_figure("e", found, "small").plot.axes) == 16
    assert len(groups_table(found, found).rows) == len(sizes_table(found, found).rows) == 16
    assert groups_table(found, found).rows[7][6] == 4  # of the initial base one clustering is told
    assert [len(table.rows) for table in characteristics(base)] == [one.used for one in found]


def test_table_12_puts_published_shares_beside_ours():
    small, other = make_baseline(150, seed=2), make_baseline(100, seed=3)
    rows = table_12(small, other).rows
    assert [row[2] for row in rows[:4]] == ["41.96%", "27.78%", "23.75%", "0.05%"]
    for column, base in ((3, small), (5, other)):
        sizes = np.sort(np.bincount(base.cases["label"][:, 1])[1:])[::-1]
        assert [row[column] for row in rows[: len(sizes)]] == [f"{size / sizes.sum():.2%}" for size in sizes]


# --- Many deals ---------------------------------------------------------------------------------


def test_mirrored_matches_of_the_same_player_are_even(tmp_path):
    me = Player("nps", "baseline")
    (units,) = shares(Effort(False, 1, 1, tmp_path), [(me, me)], 10, 1)
    assert units.tolist() == [0.5] * 10  # nothing is drawn by lot: both seats of a deal are the same match


def test_a_meeting_is_the_same_whoever_is_named_first(tmp_path):
    nps, plcs = Player("nps", "baseline"), Player("plcs", "baseline")  # one of them draws lots
    one, other = play_all(Effort(False, 1, 1, tmp_path), [(nps, plcs), (plcs, nps)], 8, 3)
    assert one.shape == (8, 2, 2) and len(np.unique(one)) > 2
    assert np.array_equal(one[:, ::-1, ::-1], other)


def test_the_matches_of_studies_are_those_of_a_tournament(tmp_path):
    options = Options(0.75, "clusters", "published", "count")
    players = Player("nps", "baseline", options), Player("mjs", "baseline", options)
    experiment = Experiment("truco", [player.spec() for player in players], duplicates=20, seed=1, move_limit=None)
    (pair,) = run(experiment, tmp_path / "two", 1).result["pairs"]
    (units,) = shares(Effort(False, 1, 1, tmp_path), [players], 20, 1)
    assert pair["rate"]["value"] == pytest.approx(units.mean()) and 0 < units.mean() < 1


@pytest.mark.parametrize(("gap", "verdict"), [(0.2, "is above"), (-0.2, "is below"), (0.0, "cannot be told from")])
def test_the_verdict_follows_the_interval(tmp_path, gap, verdict):
    luck = np.random.default_rng(1).random((400, 2))
    wins = np.where(luck < 0.5 + gap, 1, 0)
    found = League({("pvcnps", "nps"): np.stack([wins, 1 - wins], axis=2)})
    assert verdict in two_steps_or_one(Effort(False, 1, 1, tmp_path), "ours", found, "baseline", 4)


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
