import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import duckdb
import numpy as np
import pytest

import bolicho
from bolicho import BadInput, stats
from bolicho.agents.mirrored_games import deal_seed
from bolicho.arena.experiment import Experiment
from bolicho.arena.pairing import tasks
from bolicho.arena.rows import find_record
from bolicho.arena.run import play_task, read_run, row_record, run
from tests.arena.players import HOME

ROOT = Path(__file__).parents[2]
SAME_ALWAYS = ("experiment.toml", "identity.json", "games.parquet", "result.json")

SMALL = Experiment("truco", ["random", f"{HOME}:First", f"{HOME}:HighCard"], {"target": 6}, duplicates=5, seed=11)
SLOW = Experiment("truco", ["random", f"{HOME}:Sleepy(nap=0.002)"], duplicates=15, seed=0)


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    return run(SMALL, tmp_path_factory.mktemp("runs") / "small")


@pytest.fixture(scope="module")
def slow(tmp_path_factory):
    """Undisturbed run of `SLOW`."""
    return run(SLOW, tmp_path_factory.mktemp("runs") / "slow")


def files(finished):
    return {name: (finished.folder / name).read_bytes() for name in SAME_ALWAYS}


def rows(finished, columns="*"):
    cursor = duckdb.sql(f"SELECT {columns} FROM '{finished.folder / 'games.parquet'}' ORDER BY row")
    return [dict(zip(cursor.columns, row, strict=True)) for row in cursor.fetchall()]


# --- Contents of the folder -----------------------------------------------------------------------


def test_a_finished_folder_holds_the_files_and_nothing_else(small):
    names = {path.name for path in small.folder.iterdir()}
    assert names == {*SAME_ALWAYS, "timing.parquet", "made.json", "index.html", "SHA256SUMS"}
    assert Experiment.read(small.folder / "experiment.toml") == SMALL


def test_every_pair_plays_the_same_deals_from_both_seats(small):
    games = rows(small)
    assert [game["row"] for game in games] == list(range(30)) == list(range(SMALL.num_games))
    assert {(game["deal"], game["seed"]) for game in games} == {(deal, deal_seed(11, deal)) for deal in range(5)}
    seen = {(*game["agents"], game["deal"]) for game in games}
    assert seen == {(a, b, deal) for a in SMALL.agents for b in SMALL.agents if a != b for deal in range(5)}


def test_every_row_replays_to_its_scores(small):
    for game in rows(small):
        record = row_record(small.folder, game["row"])
        assert record["players"] == game["agents"]
        table = bolicho.game(record["game"], **record["rules"]).deal(record["seed"])
        for action in record["actions"]:
            table.play(action)
        assert table.over
        assert (table.scores, table.payoffs, table.ply) == (game["scores"], game["payoffs"], game["plies"])
        assert [action.number for action in table.actions] == game["actions"]


def test_actions_that_the_rules_no_longer_allow_are_bad_input(small, tmp_path):
    games, other = small.folder / "games.parquet", tmp_path / "other.parquet"
    duckdb.sql(f"COPY (SELECT * REPLACE ([actions[1], 999::SMALLINT] AS actions) FROM '{games}') TO '{other}'")
    with pytest.raises(BadInput, match="ply 1: the action of number 999 is not legal; the run was played by other"):
        find_record(SMALL, [other], 0)


def test_missing_row_is_bad_input(small, tmp_path):
    with pytest.raises(BadInput, match="has no row 30; it has rows 0 to 29"):
        row_record(small.folder, 30)
    with pytest.raises(BadInput, match="holds no finished run"):
        row_record(tmp_path, 0)


def test_standings_match_counts_of_the_rows(small):
    games = rows(small)
    for standing in small.result["agents"]:
        name = standing["agent"]
        payoffs = [game["payoffs"][game["agents"].index(name)] for game in games if name in game["agents"]]
        assert standing["games"] == len(payoffs) == 20
        assert standing["wins"] == sum(payoff > 0 for payoff in payoffs)
        assert standing["rate"]["value"] == pytest.approx(standing["wins"] / 20)
        assert standing["payoff"]["value"] == pytest.approx(np.mean(payoffs))
        margins = [
            game["scores"][game["agents"].index(name)] - game["scores"][1 - game["agents"].index(name)]
            for game in games
            if name in game["agents"]
        ]
        assert standing["in_wins"]["value"] == pytest.approx(np.mean([m for m in margins if m > 0]), rel=1e-5)
        assert standing["in_losses"]["value"] == pytest.approx(np.mean([m for m in margins if m < 0]), rel=1e-5)
        for seat, counted in enumerate(standing["seats"]):
            here = [game["payoffs"][seat] > 0 for game in games if game["agents"][seat] == name]
            assert (counted["games"], counted["wins"]) == (len(here), sum(here))
    rates = [standing["rate"]["value"] for standing in small.result["agents"]]
    assert rates == sorted(rates, reverse=True)


def test_the_interval_of_a_standing_takes_the_deal_as_unit(small):
    games = rows(small)
    for standing in small.result["agents"]:
        won = [[] for _ in range(5)]
        for game in games:
            if standing["agent"] in game["agents"]:
                won[game["deal"]].append(game["payoffs"][game["agents"].index(standing["agent"])] > 0)
        expected = stats.rate([np.mean(deal) for deal in won], sets=10)
        assert standing["rate"] == pytest.approx(vars(expected), rel=1e-5)


def test_pairs_match_counts_of_the_rows(small):
    games = rows(small)
    assert len(small.result["pairs"]) == 3
    for pair in small.result["pairs"]:
        met = [game for game in games if {pair["agent"], pair["against"]} == set(game["agents"])]
        won = sum(game["payoffs"][game["agents"].index(pair["agent"])] > 0 for game in met)
        assert (pair["games"], pair["wins"]) == (len(met), won)


def test_a_finished_run_is_read_and_not_played_again(small):
    before = {path: path.stat().st_mtime_ns for path in small.folder.iterdir()}
    again = run(SMALL, small.folder)
    assert again == small == read_run(small.folder)
    assert {path: path.stat().st_mtime_ns for path in small.folder.iterdir()} == before


def test_single_hands_and_one_agent_alone(tmp_path):
    alone = run(Experiment("truco", ["random"], {"hands": 1}, duplicates=3), tmp_path / "alone")
    (standing,) = alone.result["agents"]
    assert standing["games"] == 12  # both seats of three mirrored games
    assert standing["rate"]["value"] == 0.5
    assert alone.result["pairs"] == []


# --- Independence of the result from processes ----------------------------------------------------


def test_one_process_and_two_write_the_same_bytes(small, tmp_path):
    assert files(run(SMALL, tmp_path / "two", jobs=2)) == files(small)


def test_the_size_of_the_tasks_does_not_matter(small, tmp_path, monkeypatch):
    monkeypatch.setattr("bolicho.arena.pairing.TASKS_WANTED", 2)
    again = run(SMALL, tmp_path / "long tasks")
    assert len(tasks(3, 5)) == 3
    assert files(again) == files(small)


def program(experiment, folder, jobs):
    return [
        sys.executable,
        "-c",
        "from bolicho.arena.experiment import Experiment\n"
        "from bolicho.arena.run import run\n"
        f"run(Experiment.from_toml({experiment.to_toml()!r}), {str(folder)!r}, jobs={jobs})",
    ]


def start(experiment, folder, jobs):
    """Start a run in its own process, and return it once it has written two parts."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])}
    process = subprocess.Popen(
        program(experiment, folder, jobs),
        env=environment,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # ignored in the background otherwise
    )
    while len(list(folder.glob("parts/*.parquet"))) < 2:
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.005)
    return process


def test_killed_run_resumes_without_replaying_finished_tasks(slow, tmp_path, monkeypatch):
    folder = tmp_path / "killed"
    process = start(SLOW, folder, jobs=1)
    process.kill()
    process.communicate()
    assert not (folder / "games.parquet").exists()
    parts = [path.name.partition(".")[0].split("-") for path in folder.glob("parts/*.parquet")]
    kept = {int(first) + deal for _, first, count in parts for deal in range(int(count))}
    assert 2 <= len(kept) < SLOW.duplicates
    played = []

    def watch(experiment, task, found, folder):
        played.extend(range(task.first, task.end))
        return play_task(experiment, task, found, folder)

    monkeypatch.setattr("bolicho.arena.run.play_task", watch)
    assert files(run(SLOW, folder)) == files(slow)
    assert sorted([*kept, *played]) == list(range(SLOW.duplicates)), "what was kept is not played again"


def test_ctrl_c_keeps_finished_games_and_names_the_way_to_resume(slow, tmp_path):
    folder = tmp_path / "stopped"
    process = start(SLOW, folder, jobs=2)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode != 0
    assert f"games are kept in {str(folder)!r}; the same command again plays the rest." in said
    assert not (folder / "games.parquet").exists()
    assert files(run(SLOW, folder)) == files(slow)


def test_the_games_of_a_worker_that_was_killed_are_played_again(tmp_path):
    lives = tmp_path / "lives"
    lives.write_text("x")
    experiment = Experiment(
        "truco", ["random", f"{HOME}:KillsItsProcess(lives={tmp_path})"], duplicates=6, seed=0, trust=True
    )
    disturbed = run(experiment, tmp_path / "disturbed", jobs=2)
    assert lives.read_text() == ""
    assert files(disturbed) == files(run(experiment, tmp_path / "calm"))
    assert disturbed.result["num_forfeits"] == 0


def test_workers_that_always_die_end_the_run_with_a_message(tmp_path):
    lives = tmp_path / "lives"
    lives.write_text("x" * 1000)
    killer = f"{HOME}:KillsItsProcess(lives={tmp_path})"
    with pytest.raises(BadInput, match=r"the processes that play random against .* died 3 times in a row"):
        run(Experiment("truco", ["random", killer], duplicates=2, trust=True), tmp_path / "run", jobs=2)


# --- Broken agents --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "broken",
    [["Raises", "Exits", "Hangs"], ["Returns(thing=pass)", "Returns(thing=99)"], ["BreaksInBegin", "BreaksInEnd"]],
    ids=" ".join,
)
def test_broken_agents_forfeit_while_the_others_play_on(tmp_path, broken):
    agents = ["random", f"{HOME}:First", *(f"{HOME}:{name}" for name in broken)]
    finished = run(Experiment("truco", agents, duplicates=1, move_limit=0.4), tmp_path / "run")
    standings = {row["agent"]: row for row in finished.result["agents"]}
    assert standings["random"]["forfeits"] == standings[f"{HOME}:First"]["forfeits"] == 0
    assert {row["agent"] for row in finished.result["agents"][:2]} == {"random", f"{HOME}:First"}
    for name in agents[2:]:
        assert standings[name]["forfeits"] > 0, name
    for game in rows(finished):
        if set(game["agents"]) & set(agents[2:]):
            assert game["reason"] and game["agents"][game["forfeit"]] in agents[2:]
            assert game["payoffs"][game["forfeit"]] == -1
        else:
            assert game["forfeit"] is None and game["reason"] is None
    assert len(finished.result["forfeits"]) == min(50, finished.result["num_forfeits"])
    for forfeit in finished.result["forfeits"]:
        game = rows(finished)[forfeit["row"]]
        assert (forfeit["agent"], forfeit["reason"]) == (game["agents"][game["forfeit"]], game["reason"])


def test_an_agent_that_cannot_be_made_is_bad_input_before_anything_is_played(tmp_path):
    bad = {
        "random(p=3)": "unknown option of random 'p'",
        f"{HOME}:Nobody": "cannot load the agent",
        f"{HOME}:OnlyDominoes": "does not play truco: it plays dominoes",
    }
    for number, (spec, sentence) in enumerate(bad.items()):
        with pytest.raises(BadInput, match=sentence):
            run(Experiment("truco", ["random", spec]), tmp_path / str(number))


# --- Folders --------------------------------------------------------------------------------------


def test_the_folder_of_another_experiment_is_refused(small):
    for other in ({"seed": 12}, {"seed": 12, "duplicates": 9}, {"agents": SMALL.agents[:2], "duplicates": 9}):
        with pytest.raises(BadInput, match=r"was made by another experiment \(see its experiment.toml\)"):
            run(replace(SMALL, **other), small.folder)


def test_a_folder_with_something_else_in_it_is_refused(tmp_path):
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(BadInput, match="is not empty and holds no run"):
        run(SMALL, tmp_path)
    with pytest.raises(BadInput, match="is not empty and holds no run"):
        run(SMALL, tmp_path / "thesis.tex")


def test_an_unfinished_run_of_another_version_is_refused(tmp_path):
    (tmp_path / "experiment.toml").write_text("# bolicho 0.0.0\n" + SMALL.to_toml())
    with pytest.raises(BadInput, match="begun by another version"):
        run(SMALL, tmp_path)


def test_a_folder_may_have_any_name(tmp_path):
    odd = run(SMALL, tmp_path / "it's [1] *?", command="the odd one")
    assert row_record(odd.folder, 0)["players"] == list(SMALL.agents[:2])
    assert json.loads((odd.folder / "made.json").read_text())["command"] == "the odd one"


def test_zero_jobs_are_refused(tmp_path):
    with pytest.raises(BadInput, match="jobs must be 1 or more processes, not 0"):
        run(SMALL, tmp_path / "run", jobs=0)


def test_folder_without_a_run_cannot_be_read(tmp_path):
    with pytest.raises(BadInput, match="holds no finished run"):
        read_run(tmp_path)
