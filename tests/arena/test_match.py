"""Matches of mirrored pairs, counted in order until the sequential test decides."""

import json
import sys
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from typer.testing import CliRunner

import bolicho.arena.match as room
import bolicho.arena.run as runs
from bolicho import BadInput
from bolicho.agents.mirrored_games import meet
from bolicho.arena.console import match_lines
from bolicho.arena.experiment import Experiment
from bolicho.arena.match import ELO, PAYOFF, elo_bounds, judge, play_match
from bolicho.arena.run import run
from bolicho.arena.sequential import Bounds
from bolicho.cli import app
from tests.arena.players import HOME
from tests.arena.test_stakes import games_with

HANDS = Experiment("truco", ["balanced", "novice"], {"hands": 1}, duplicates=3000, seed=4)
BOUNDS = elo_bounds(0, 10, 0.05, 0.05)


@pytest.fixture(scope="module")
def decided():
    return play_match(HANDS, BOUNDS)


def test_match_stops_at_its_verdict_and_counts_no_later_pair(decided):
    assert decided["verdict"] == "H1" and decided["pairs"] < 1000
    met = meet(HANDS.make_game(), list(HANDS.agents), decided["pairs"], seed=4)
    assert sum(decided["counts"].values()) == decided["pairs"] and decided["games"] == 2 * decided["pairs"]
    shares = met.won[..., 0].mean(axis=1)
    assert decided["counts"] == {f"{share:g}": int((shares == share).sum()) for share in (0, 0.25, 0.5, 0.75, 1)}
    assert decided["llr"] >= decided["bounds"]["limits"][1]
    assert decided["elo"]["low"] > 0 and decided["superiority"] > 0.95


def test_answer_does_not_depend_on_processes_steps_or_tasks(decided, monkeypatch):
    assert play_match(HANDS, BOUNDS, jobs=2) == decided
    monkeypatch.setattr(room, "FIRST_STEP", 23)
    monkeypatch.setattr("bolicho.arena.pairing.TASKS_WANTED", 3)
    assert play_match(HANDS, BOUNDS) == decided


def test_match_with_swapped_agents_has_the_opposite_verdict(decided):
    turned = play_match(replace(HANDS, agents=HANDS.agents[::-1]), elo_bounds(-10, 0, 0.05, 0.05))
    assert turned["verdict"] == "H0" and turned["pairs"] == decided["pairs"]
    assert turned["llr"] == pytest.approx(-decided["llr"])
    assert turned["elo"]["value"] == pytest.approx(-decided["elo"]["value"], rel=1e-3)


def test_stopped_match_resumes_and_decided_match_is_read(decided, tmp_path):
    played, folder = [], tmp_path / "match"

    def watch(experiment, task, found, folder, play_task=runs.play_task):
        if len(played) == 20:
            raise KeyboardInterrupt
        played.append((task.first, task.end))
        return play_task(experiment, task, found, folder)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runs, "play_task", watch)
        with pytest.raises(KeyboardInterrupt):
            play_match(HANDS, BOUNDS, out=folder)
    kept = len(list((folder / "parts").iterdir()))
    assert kept == 20
    assert play_match(HANDS, BOUNDS, out=folder) == decided == json.loads((folder / "match.json").read_text())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runs, "play_task", None)  # playing would fail
        assert play_match(HANDS, BOUNDS, out=folder) == decided
        short = play_match(replace(HANDS, duplicates=20), BOUNDS, out=folder)
    assert (
        short["pairs"] == 20 and short["verdict"] is None and short == play_match(replace(HANDS, duplicates=20), BOUNDS)
    )
    wider = play_match(HANDS, elo_bounds(0, 5, 0.05, 0.05), out=folder)
    assert wider == play_match(HANDS, elo_bounds(0, 5, 0.05, 0.05)) and wider["pairs"] > decided["pairs"]


def test_match_without_bounds_plays_all_pairs_and_gives_the_share_of_a_tournament(tmp_path):
    experiment = replace(HANDS, duplicates=100)
    answer = play_match(experiment)
    (pair,) = run(experiment, tmp_path / "run").result["pairs"]
    assert answer["pairs"] == 100 and answer["bounds"] is answer["llr"] is answer["verdict"] is None
    assert answer["share"] == pair["rate"]


def test_payoff_can_be_tested_in_games_with_stakes():
    answer = play_match(HANDS, Bounds(0, 0.1), PAYOFF)
    met = meet(HANDS.make_game(), list(HANDS.agents), answer["pairs"], seed=4)
    assert answer["stakes"] and answer["by"] == "payoff" and "elo" not in answer
    assert answer["payoff"]["low"] < met.payoffs[..., 0].mean() < answer["payoff"]["high"]


def test_two_agents_play_a_match_at_three_seats():
    experiment = Experiment("wonders", ["random", "rules"], duplicates=6, seed=1)
    answer = play_match(experiment)
    assert (answer["pairs"], answer["games"]) == (6, 36)  # two pairings, three rotations
    assert answer["share"]["value"] < 0.5


def test_forfeit_costs_as_much_as_the_largest_loss_so_far():
    games = games_with([1, -4, 2, 9], forfeits=[(2, 0)])
    assert room.mean_gains(games).tolist() == [1, -4, (-4 + 2) / 2, 9]
    answer = judge(replace(HANDS, duplicates=4), games, None, ELO)
    assert answer["forfeits"] == [1, 0] and answer["counts"]["0.5"] == 1


def test_agent_that_raises_loses_its_games_and_the_match_is_decided():
    broken = Experiment("truco", ["balanced", f"{HOME}:Raises(after=2)"], {"hands": 1}, duplicates=300, seed=1)
    answer = play_match(broken, elo_bounds(0, 100, 0.05, 0.05))
    assert answer["verdict"] == "H1" and answer["ended"] == "verdict"
    assert answer["forfeits"][0] == 0 < answer["forfeits"][1] < answer["games"]
    first = answer["first_forfeit"]
    assert first["agent"] == f"{HOME}:Raises(after=2)" and "something went wrong" in first["reason"]
    assert first["deal"] < answer["pairs"] and first["seat"] in (0, 1) and first["rotation"] in (0, 1)


@pytest.mark.parametrize("bounds", [None, elo_bounds(0, 100, 0.05, 0.05)], ids=["pairs", "test"])
def test_a_match_ends_when_an_agent_forfeits_each_of_its_first_games(bounds, tmp_path):
    broken = Experiment("truco", [f"{HOME}:Raises", "random"], {"hands": 1}, duplicates=5000, seed=1)
    answer = play_match(broken, bounds, out=tmp_path / "match")
    assert (answer["ended"], answer["games"], answer["pairs"]) == ("forfeits", room.FORFEITS_TO_END, 4)
    assert answer["forfeits"] == [room.FORFEITS_TO_END, 0] and answer["verdict"] is None
    assert play_match(broken, bounds, out=tmp_path / "match") == answer
    told = "\n".join(match_lines(answer))
    assert f"{HOME}:Raises forfeited each of the first 8 games; no more were played" in told
    assert f"{HOME}:Raises at deal 0, rotation 0, seat 0: " in told and "something went wrong" in told


def test_forfeits_of_the_first_games_end_a_match_with_more_stored_pairs():
    games = games_with([0.0] * 20, forfeits=[(deal, 1) for deal in range(20)])
    games.forfeit[:] = np.where(games.seated[:, None, :, 0] == 1, 0, 1)
    answer = judge(replace(HANDS, duplicates=20), games, None, ELO)
    assert (answer["ended"], answer["pairs"], answer["forfeits"]) == ("forfeits", 4, [0, 8])


def test_payoff_match_stopped_at_its_first_look_estimates_the_mean_payoff():
    """Mean far beyond the bounds, with an interval that contains the mean of ten times as many deals."""
    given_up = Experiment("truco", ["cautious", "random"], {"hands": 1}, duplicates=3000, seed=6)
    answer = play_match(given_up, Bounds(0, 0.3), PAYOFF)
    assert (answer["verdict"], answer["pairs"]) == ("H1", 128)
    met = meet(given_up.make_game(), list(given_up.agents), 1280, seed=6)
    assert answer["payoff"]["low"] < met.payoffs[..., 0].mean() < answer["payoff"]["high"]
    assert answer["payoff"]["value"] == pytest.approx(met.payoffs[:128, :, 0].mean(), abs=0.02)


def test_unsuitable_agents_and_folders_are_refused(tmp_path):
    learner = replace(HANDS, agents=["random", f"{HOME}:Tires"])
    with pytest.raises(BadInput, match="Tires learns from game to game, so its pairs are not alike"):
        play_match(learner, BOUNDS)
    with pytest.raises(BadInput, match="a match is played by two agents, not by 3"):
        play_match(replace(HANDS, agents=["random", "novice", "balanced"]))
    run(replace(HANDS, duplicates=2), tmp_path / "tournament")
    with pytest.raises(BadInput, match="holds a finished tournament; choose another folder"):
        play_match(HANDS, BOUNDS, out=tmp_path / "tournament")
    play_match(replace(HANDS, duplicates=2), out=tmp_path / "match")
    with pytest.raises(BadInput, match="was made by another experiment"):
        play_match(replace(HANDS, seed=5), out=tmp_path / "match")


def test_steps_of_a_match_grow_with_its_pairs(tmp_path):
    steps = room._steps(HANDS, tmp_path)
    found = [next(steps) for _ in range(40)]
    assert found.pop(0) == room.FORFEITS_TO_END // 2
    assert found[:9] == [64, 128, 192, 256, 320, 384, 448, 512, 576] and found[-1] == 3000
    assert all(new - old <= max(64, old // 8) for old, new in pairwise(found))


@pytest.fixture
def ask(monkeypatch):
    """Function that runs `bolicho match` in this process, without redirection of stdout."""
    monkeypatch.setattr(sys.modules["bolicho.cli.match"], "keep_stdout", lambda: None)
    return lambda *given: CliRunner().invoke(app, ["match", "truco", *given, "-r", "hands=1", "--jobs", "1"])


def test_command_reports_the_verdict(decided, ask):
    told = ask("balanced", "novice", "--sprt", "--seed", "4", "--pairs", "3000")
    assert told.exit_code == 0, told.output
    assert "verdict        H1 accepted: +10 Elo rather than +0" in told.output
    assert f"pairs          {decided['pairs']} of 3,000 at most" in told.output
    assert json.loads(ask("balanced", "novice", "--sprt", "--seed", "4", "--pairs", "3000", "--json").stdout) == decided


def test_a_gauntlet_is_a_match_with_each(decided, ask):
    found = ask("balanced", "novice", "random", "--gauntlet", "--sprt", "--seed", "4", "--pairs", "3000", "--json")
    first, second = json.loads(found.stdout)["matches"]
    assert first == decided and (second["agent"], second["against"]) == ("balanced", "random")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["balanced"], "a match needs two agents, not 1"),
        (["balanced", "novice", "random"], "--gauntlet plays the first against each of the others"),
        (["balanced", "novice", "--elo1", "5"], "add --sprt"),
        (["balanced", "novice", "--sprt", "--elo0", "9", "--elo1", "3"], "from a lower Elo to a higher"),
        (["balanced", "novice", "--sprt", "--elo1", "nan"], "from a lower Elo to a higher"),
        (["balanced", "novice", "--sprt", "--elo1", "3", "--payoff1", "1"], "a test is of Elo or of payoff"),
        (["balanced", "novice", "--sprt", "--payoff0", "0"], "needs --payoff1"),
        (["balanced", "novice", "--sprt", "--payoff1", "-1"], "from the lower to the higher"),
        (["balanced", "novice", "--sprt", "--alpha", "0.7"], "alpha is a probability"),
        (["balanced", "novice", "--pairs", "0"], "duplicates must be 1 to"),
        (["balanced", "balanced"], "listed twice"),
    ],
)
def test_invalid_arguments_are_refused_with_a_message(arguments, sentence, ask):
    refused = ask(*arguments)
    assert isinstance(refused.exception, BadInput) and sentence in str(refused.exception)


def test_units_of_equal_results_are_even():
    games = games_with(np.zeros(5))
    assert room.win_shares(games).tolist() == [0.5] * 5 and room.mean_gains(games).tolist() == [0.0] * 5
