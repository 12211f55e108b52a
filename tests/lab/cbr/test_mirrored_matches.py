"""Mirrored matches of case-based agents, and leagues of them."""

import numpy as np
import pytest

from bolicho.agents.cbr.cycle import CaseBasedOptions
from bolicho.agents.registry import agent
from bolicho.agents.spec import parse_spec
from bolicho.arena.experiment import Experiment
from bolicho.arena.run import run
from bolicho.lab.cbr.mirrored_matches import CaseBasedSpec, League, play_all, shares, two_steps_or_one
from bolicho.lab.study import Effort


@pytest.mark.parametrize("changed", [
    {"threshold": 0.75}, {"retrieval": "clusters"}, {"revise": "none"}, {"victory": "count"}, {"victory": "share"},
])  # fmt: skip
def test_every_option_reaches_the_matches(tmp_path, changed):
    usual, other = CaseBasedSpec("pvs", "baseline"), CaseBasedSpec("pvs", "baseline", CaseBasedOptions(**changed))
    (units,) = shares(Effort(False, 1, 1, tmp_path), [(other, usual)], 20, 1)
    assert units.tolist() != [0.5] * 20  # the same player would share every deal
    assert agent(other.spec()).options == other.agent().options == other.options


def test_only_options_that_differ_from_the_defaults_are_written():
    assert CaseBasedOptions().changed() == {} and CaseBasedSpec("nps").spec() == "nps(base=learned)"
    own = CaseBasedSpec("nps", "a, b.parquet", CaseBasedOptions(threshold=0.75, victory="count"))
    assert parse_spec(own.spec()) == ("nps", {"base": "a, b.parquet", "threshold": 0.75, "victory": "count"})


def test_a_league_counts_every_match_once(three):
    assert sum(units.mean() for units in three.won.values()) == pytest.approx(1.5)
    assert sum(sum(three.wins(policy, 25).values()) for policy in three.policies) == 3 * 50
    assert three.wins("nps", 25)["pvs"] + three.wins("pvs", 25)["nps"] == 50
    assert three.best(two_step=True) == "pvcnps" and three.best(two_step=False) in ("nps", "pvs")
    ahead = three.difference("nps", "pvs")
    assert ahead.value == pytest.approx(three.share("nps").estimate.value - three.share("pvs").estimate.value)
    assert three.order == sorted(three.policies, key=lambda policy: -three.share(policy).estimate.value)
    assert set(three.above_half) == {policy for policy in three.policies if three.share(policy).estimate.value > 0.5}


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


def test_mirrored_matches_of_the_same_player_are_even(tmp_path):
    me = CaseBasedSpec("nps", "baseline")
    (units,) = shares(Effort(False, 1, 1, tmp_path), [(me, me)], 10, 1)
    assert units.tolist() == [0.5] * 10  # no randomness, so both seats of a deal play the same match


def test_order_of_two_players_does_not_change_their_matches(tmp_path):
    nps, plcs = CaseBasedSpec("nps", "baseline"), CaseBasedSpec("plcs", "baseline")  # one of them decides at random
    one, other = play_all(Effort(False, 1, 1, tmp_path), [(nps, plcs), (plcs, nps)], 8, 3)
    assert one.shape == (8, 2, 2) and len(np.unique(one)) > 2
    assert np.array_equal(one[:, ::-1, ::-1], other)


def test_the_matches_of_studies_are_those_of_a_tournament(tmp_path):
    options = CaseBasedOptions(0.75, "clusters", "published", "count")
    players = CaseBasedSpec("nps", "baseline", options), CaseBasedSpec("mjs", "baseline", options)
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
