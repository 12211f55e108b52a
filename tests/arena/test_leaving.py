"""End of a run: finished games are kept, all processes end, and a folder has one run at a time."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import joblib
import pytest

from bolicho import Agent, BadInput
from bolicho.arena.experiment import Experiment
from bolicho.arena.run import run
from bolicho.arena.run_lock import lock_exclusively
from tests.arena.test_run import ROOT, program

HERE = "tests.arena.test_leaving"
SOON = 600  # seconds, generous for a loaded machine
LONG = 6 * SOON  # for sleeps that must not end by themselves


class Naps(Agent):
    """Agent that records its games and their process, and sleeps in all games after the eighth."""

    def __init__(self, notes: str = "") -> None:
        self.notes = Path(notes)
        self.begun = False

    def act(self, view, rng):
        if not self.begun:
            self.begun = True
            (self.notes / str(os.getpid())).touch()
            games = self.notes.parent / "games"
            games.mkdir(exist_ok=True)
            (games / f"{os.getpid()} {time.monotonic_ns()}").touch()
            if len(list(games.iterdir())) > 8:
                time.sleep(LONG)
        return view.legal[0]


def alive(process):
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def wait_until(condition):
    end = time.monotonic() + SOON
    while not condition():
        assert time.monotonic() < end, "it takes too long"
        time.sleep(0.02)


@pytest.fixture
def asleep(tmp_path):
    """Run of two sleeping processes with some finished games, as (run, workers, folder)."""
    notes, folder = tmp_path / "notes", tmp_path / "run"
    notes.mkdir()
    experiment = Experiment("truco", ["random", f"{HERE}:Naps(notes={notes})"], {"hands": 1}, 8, move_limit=None)
    process = subprocess.Popen(
        program(experiment, folder, jobs=2),
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])},
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL),  # also where the tests are run by nohup
    )
    wait_until(lambda: len(list(folder.glob("parts/*.parquet"))) >= 2 or process.poll() is not None)
    workers = [int(path.name) for path in notes.iterdir()]
    assert workers and process.pid not in workers
    yield process, workers, folder
    for number in (process.pid, *workers):
        if alive(number):
            os.kill(number, signal.SIGKILL)
    process.communicate()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_signal_ends_a_run_with_its_workers_and_reports_the_kept_games(number, asleep):
    process, workers, folder = asleep
    process.send_signal(number)
    _, said = process.communicate(timeout=SOON)
    assert process.returncode == 128 + number
    assert f"of 16 games are kept in {str(folder)!r}; the same command again plays the rest." in said
    wait_until(lambda: not any(map(alive, workers)))


def test_workers_end_with_their_parent_process(asleep):
    process, workers, _ = asleep
    process.kill()
    wait_until(lambda: not any(map(alive, workers)))


def test_two_runs_do_not_work_in_one_folder(asleep):
    process, _, folder = asleep
    experiment = Experiment.read(folder / "experiment.toml")
    with pytest.raises(BadInput, match=rf"another run is at work in .* \(process {process.pid}\); wait until"):
        run(experiment, folder)
    process.kill()
    process.wait()
    with lock_exclusively(folder):
        pass  # the lock went with its process


def test_local_processes_play_under_any_joblib_configuration(tmp_path):
    notes = tmp_path / "notes"
    notes.mkdir()
    experiment = Experiment("truco", ["random", f"{HERE}:Naps(notes={notes})"], {"hands": 1}, duplicates=1)
    with joblib.parallel_config(backend="threading", n_jobs=2):
        finished = run(experiment, tmp_path / "run", jobs=2)
    assert finished.made["jobs"] == 2
    assert str(os.getpid()) not in {path.name for path in notes.iterdir()}


NURSERY = """
import os, random, signal, sys, time, traceback
from pathlib import Path
import bolicho.arena.report
from bolicho.arena.replay import check_rows
from bolicho.arena.experiment import Experiment
from bolicho.arena.pairing import tasks
from bolicho.arena.run import inspect_agent, play_task, run

kills, home = int(sys.argv[1]), Path(sys.argv[2])
experiment = Experiment("truco", ["random"], {"hands": 1}, duplicates=24, move_limit=None)
first = Experiment("truco", ["random"], {"hands": 1}, duplicates=1, move_limit=None)
traits = [inspect_agent(first, "random").traits]
check_rows(first.make_game(), first, *play_task(first, tasks(1, 1)[0], traits))  # compiled before any run is killed
chance = random.Random(20)

def born(folder):
    child = os.fork()
    os.setpgid(child, child or os.getpid())  # by both, so that it is done in either order
    if child == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        try:
            run(experiment, folder)
        except BaseException:
            (home / "why").write_text(traceback.format_exc())
            os._exit(1)
        os._exit(0)
    return child

def finish(folder):
    assert os.waitpid(born(folder), 0)[1] == 0, folder

start = time.perf_counter()
finish(home / "calm")
whole = time.perf_counter() - start
number, killed = 0, 0
while killed < kills:
    child = born(home / f"run {number}")
    time.sleep(chance.uniform(0, whole))
    os.killpg(child, signal.SIGKILL)
    end = os.waitpid(child, 0)[1]
    if end == signal.SIGKILL:
        killed += 1
    else:  # it was done before
        assert end == 0, "a killed run could not be resumed: " + (home / "why").read_text()
        number += 1
for last in range(number + 1):
    finish(home / f"run {last}")
"""


@pytest.mark.timeout(LONG)  # fifty times half a run, which takes half a second, or ten on a loaded machine
@pytest.mark.parametrize("kills", [5, pytest.param(50, marks=pytest.mark.nightly)])
def test_a_run_killed_at_random_moments_writes_the_same_bytes(tmp_path, kills):
    nursery = subprocess.run(
        [sys.executable, "-c", NURSERY, str(kills), str(tmp_path)],
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
    )
    assert nursery.returncode == 0, nursery.stderr
    names = ("experiment.toml", "identity.json", "games.parquet", "result.json")
    calm = [(tmp_path / "calm" / name).read_bytes() for name in names]
    runs = sorted(tmp_path.glob("run *"))
    assert len(runs) >= 2, "some runs came to their end between two kills"
    for folder in runs:
        assert [(folder / name).read_bytes() for name in names] == calm, folder
