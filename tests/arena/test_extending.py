"""Extension of a run by more deals: only these are played, with the bytes of one run of all deals."""

import json
import shutil
import sys
from dataclasses import replace

import pytest

import bolicho.arena.run as runs
from bolicho import BadInput, cli
from bolicho.arena.experiment import Experiment
from bolicho.arena.progress import RunProgress
from bolicho.arena.run import run
from bolicho.store.file_checksums import SUMS
from tests.arena.players import HOME

MANY = Experiment("truco", ["random", "novice", "balanced"], {"hands": 1}, duplicates=200)
FEW = replace(MANY, duplicates=150)
SAME_ALWAYS = ("experiment.toml", "identity.json", "games.parquet", "result.json")


def files(folder):
    return {name: (folder / name).read_bytes() for name in SAME_ALWAYS}


@pytest.fixture(scope="module", autouse=True)
def _larger_tasks():
    """Split runs into a dozen parts instead of sixty, because only the deals played matter here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("bolicho.arena.pairing.TASKS_WANTED", 12)
        yield


@pytest.fixture(scope="module")
def at_once(tmp_path_factory):
    return files(run(MANY, tmp_path_factory.mktemp("runs") / "at once").folder)


@pytest.fixture(scope="module")
def few(tmp_path_factory):
    return run(FEW, tmp_path_factory.mktemp("runs") / "few").folder


@pytest.fixture
def played(monkeypatch):
    """Deals that are played, as (pairing, deal)."""
    deals = []

    def watch(experiment, task, found, folder, play_task=runs.play_task):
        deals.extend((task.pairing, deal) for deal in range(task.first, task.end))
        return play_task(experiment, task, found, folder)

    monkeypatch.setattr(runs, "play_task", watch)
    return deals


def test_a_finished_run_of_150_deals_plays_50_more_for_200(few, at_once, played, tmp_path):
    folder = tmp_path / "more"
    shutil.copytree(few, folder)
    extended = run(MANY, folder)
    assert sorted(played) == [(pairing, deal) for pairing in range(3) for deal in range(150, 200)]
    assert files(folder) == at_once
    assert extended.made["played"] == 3 * 50 * 2
    assert {path.name for path in folder.iterdir()} == {*SAME_ALWAYS, "timing.parquet", "made.json", "index.html", SUMS}


def test_run_can_be_extended_repeatedly(at_once, tmp_path):
    for deals in (1, 40, 41, 200):
        run(replace(MANY, duplicates=deals), tmp_path / "run")
    assert files(tmp_path / "run") == at_once


def stop_at(monkeypatch, name):
    """Make a function of `arena.run` raise KeyboardInterrupt."""

    def stop(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(runs, name, stop)


def test_unfinished_run_can_be_extended(at_once, played, tmp_path):
    with pytest.MonkeyPatch.context() as patch:
        stop_at(patch, "merge_parts")
        with pytest.raises(KeyboardInterrupt):
            run(FEW, tmp_path / "run")
    assert len(played) == 450
    assert files(run(MANY, tmp_path / "run").folder) == at_once
    assert len(played) == len(set(played)) == 600


@pytest.mark.parametrize("at", ["split_games", "write_text_atomic", "play_missing", "merge_parts", "write_sums"])
def test_extension_stopped_at_any_step_loses_no_game(at, few, at_once, played, tmp_path):
    folder = tmp_path / "run"
    shutil.copytree(few, folder)
    with pytest.MonkeyPatch.context() as patch:
        stop_at(patch, at)
        with pytest.raises(KeyboardInterrupt):
            run(MANY, folder)
    assert files(run(MANY, folder).folder) == at_once
    assert len(played) == 150, "three pairings, fifty deals each"


def test_original_run_is_complete_until_the_new_experiment_is_written(few, played, tmp_path):
    """Extension stopped between the tables and the new experiment: the folder is still a run of 150 played deals."""
    folder, before = tmp_path / "run", files(few)
    shutil.copytree(few, folder)
    with pytest.MonkeyPatch.context() as patch:
        stop_at(patch, "write_text_atomic")
        with pytest.raises(KeyboardInterrupt):
            run(MANY, folder)
    assert files(run(FEW, folder).folder) == before and not played


def test_progress_of_an_extension_contains_the_games_of_the_original_run(few, tmp_path):
    folder = tmp_path / "run"
    shutil.copytree(few, folder)
    with pytest.MonkeyPatch.context() as patch:
        stop_at(patch, "play_missing")
        with pytest.raises(KeyboardInterrupt):
            run(MANY, folder)
    growing = RunProgress(folder)
    assert growing.read_new_parts() == FEW.num_games and growing.experiment == MANY
    assert all(pair["games"] == 300 for pair in growing.table()["pairs"])


def test_extension_with_a_learner_plays_all_deals_again(tmp_path):
    few = Experiment("truco", ["random", f"{HOME}:Tires"], {"hands": 1}, duplicates=3, seed=5)
    many = replace(few, duplicates=5)
    run(few, tmp_path / "run")
    extended = run(many, tmp_path / "run")
    assert extended.made["played"] == 10
    assert files(extended.folder) == files(run(many, tmp_path / "at once").folder)


def test_fewer_deals_than_the_run_has_are_refused(few, tmp_path):
    with pytest.raises(BadInput, match="is of 150 deals a pairing; ask for as many or more, or choose another folder"):
        run(replace(FEW, duplicates=149), few)


def test_extending_a_run_with_a_custom_agent_plays_the_missing_deals(tmp_path):
    """Extension of a run with a drawn seed, which it keeps, compared with one run of all deals."""
    asked = Experiment("truco", ["random", f"{HOME}:First"], {"hands": 1}, duplicates=2)
    first = run(asked, tmp_path / "run")
    extended = run(replace(asked, duplicates=4), tmp_path / "run")
    assert extended.experiment == replace(first.experiment, duplicates=4), "the drawn seed is kept"
    assert extended.made["played"] == 2 * 2
    at_once = run(replace(first.experiment, duplicates=4), tmp_path / "at once")
    assert files(extended.folder) == files(at_once.folder)
    assert run(replace(asked, duplicates=4), tmp_path / "run") == extended, "the same command reads the run"
    with pytest.raises(BadInput, match="is of 4 deals a pairing"):
        run(asked, tmp_path / "run")


# --- Command line ---------------------------------------------------------------------------------


@pytest.fixture
def bolicho(monkeypatch, capfd):
    """Run a command line in this process; return its exit code, stdout and stderr."""

    def call(*arguments):
        monkeypatch.setattr(cli, "keep_stdout", lambda: None)
        monkeypatch.setattr(sys, "argv", ["bolicho", *map(str, arguments)])
        with pytest.raises(SystemExit) as stop:
            cli.main()
        told = capfd.readouterr()
        return stop.value.code, told.out, told.err

    return call


def test_a_folder_and_more_deals_extend_the_run_of_the_folder(bolicho, tmp_path):
    folder = tmp_path / "run"
    asked = Experiment("truco", ["random", f"{HOME}:First"], {"hands": 1}, duplicates=2)
    first = run(asked, folder)
    code, out, err = bolicho("tournament", "--out", folder, "--duplicates", 3, "--jobs", 1, "--json")
    assert (code, json.loads(out)["duplicates"]) == (0, 3), err
    extended = runs.read_run(folder)
    assert extended.experiment == replace(first.experiment, duplicates=3) and extended.made["played"] == 2
    code, _, err = bolicho("tournament", "--out", folder, "--duplicates", 2)
    assert code == 2 and "is of 3 deals a pairing; ask for as many or more" in err


def test_folder_alone_resumes_its_run(bolicho, tmp_path):
    folder = tmp_path / "run"
    with pytest.MonkeyPatch.context() as patch:
        stop_at(patch, "merge_parts")
        with pytest.raises(KeyboardInterrupt):
            run(replace(FEW, duplicates=2), folder)
    code, _, err = bolicho("tournament", "--out", folder, "--jobs", 1)
    assert code == 0, err
    assert runs.read_run(folder).experiment == replace(FEW, duplicates=2)


def test_options_other_than_duplicates_are_refused_with_the_folder_of_a_run(bolicho, few, tmp_path):
    code, _, err = bolicho("tournament", "--out", few, "--seed", 7, "--rule", "hands=2")
    assert code == 2 and "defines the tournament: leave out seed, rules" in err
    code, _, err = bolicho("tournament", "--out", tmp_path / "nothing", "--duplicates", 7)
    assert code == 2 and "nothing' holds no run to extend" in err
    code, _, err = bolicho("tournament", "--duplicates", 7)
    assert code == 2 and "name a game and its agents" in err
