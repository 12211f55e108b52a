"""Fork servers: agents' processes share nothing through them, outlive the loss of one, and leave none behind."""

import fcntl
import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import bolicho
from bolicho import Agent, BadInput
from bolicho.arena import subprocess_agent
from bolicho.arena.experiment import Experiment
from bolicho.arena.run import run
from bolicho.arena.subprocess_agent import fork_server
from bolicho.arena.subprocess_agent.process import Process
from bolicho.games.jit import njit
from tests.arena.test_leaving import alive, wait_until
from tests.arena.test_run import ROOT, program, rows

HERE = "tests.arena.test_fork_server"
GAME = {"hands": 2}


@njit
def compiled_random():
    return np.random.random()


def own_state():
    """What each process must have for itself, and what is as in a process that was just started."""
    flags = fcntl.fcntl(0, fcntl.F_GETFL)
    fcntl.fcntl(0, fcntl.F_SETFL, flags | os.O_NONBLOCK)
    shared = {line.split()[4] for line in Path("/proc/self/maps").read_text().splitlines() if "rw-s" in line}
    own = [os.getpid(), random.random(), np.random.random(), compiled_random(), *sorted(shared)]
    fresh = {
        "stdin": flags,
        "descriptors": len(list(Path("/proc/self/fd").iterdir())),
        "blocked": sorted(signal.pthread_sigmask(signal.SIG_BLOCK, [])),
        "handlers": [str(signal.getsignal(number)) for number in range(1, 32) if number != signal.SIGALRM],
        "session": os.getsid(0) == os.getpgid(0) == os.getpid(),
        "arguments": sys.argv,
    }
    return {"own": own, "fresh": fresh}


class Notes(Agent):
    """Notes its process, its parent, and their state; plays the first legal action."""

    def __init__(self, notes: str = "", sleeps: bool = False) -> None:
        self.notes, self.sleeps = Path(notes), sleeps

    def act(self, view, rng):
        path = self.notes / f"{os.getpid()} {os.getppid()}"
        if not path.exists():
            path.write_text(json.dumps(own_state()))
        if self.sleeps:
            time.sleep(600)
        return view.legal[0]


class KillsItsParent(Agent):
    """Kills the process that started its own, in its second decision of every game in the second seat."""

    def begin(self, game, seat):
        self.left = 2 if seat == 1 else -1

    def act(self, view, rng):
        self.left -= 1
        if self.left == 0:
            os.kill(os.getppid(), signal.SIGKILL)
            time.sleep(600)
        return view.legal[0]


@pytest.fixture
def notes(tmp_path):
    folder = tmp_path / "notes"
    folder.mkdir()
    yield folder
    subprocess_agent.end_all()


def pids(notes, which):
    return [int(path.name.split()[which]) for path in notes.iterdir()]


def test_processes_of_one_server_share_no_state_and_are_as_if_just_started(tmp_path, notes):
    agents = ["random", f"{HERE}:Notes(notes={notes})", f"{HERE}:Notes(notes={notes}, sleeps=false)"]
    run(Experiment("truco", agents, GAME, duplicates=2, seed=3), tmp_path / "run")
    assert len(set(pids(notes, 1))) == 1, "one server"
    states = [json.loads(path.read_text()) for path in notes.iterdir()]
    assert len(states) == 4 + 4
    for values in zip(*(state["own"] for state in states), strict=True):
        assert len(set(values)) == len(states), values
    started = subprocess.run(
        [sys.executable, "-P", "-c", f"import json, {HERE} as here; print(json.dumps(here.own_state()['fresh']))"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=True,
        start_new_session=True,
    )
    more = 2  # its socket, and the memory that it shares with the run
    wanted = json.loads(started.stdout)
    wanted["descriptors"] += more
    assert [state["fresh"] for state in states] == [wanted] * len(states)


def test_an_agent_that_kills_the_server_loses_that_game_and_no_other_agent_any(tmp_path, notes):
    agents = ["random", f"{HERE}:Notes(notes={notes})", f"{HERE}:KillsItsParent"]
    finished = run(Experiment("truco", agents, GAME, duplicates=2, seed=3, move_limit=20), tmp_path / "run")
    for game in rows(finished):
        if game["agents"][1] == agents[2]:
            assert game["forfeit"] == 1 and "its process was killed by SIGKILL" in game["reason"], game["reason"]
        else:
            assert game["forfeit"] is None and game["reason"] is None, game["reason"]
    calm = run(Experiment("truco", agents[:2], GAME, duplicates=2, seed=3), tmp_path / "calm")
    together = [game for game in rows(finished) if agents[2] not in game["agents"]]
    assert [game["actions"] for game in together] == [game["actions"] for game in rows(calm)]


def test_a_process_whose_server_is_lost_is_started_again_by_another(notes):
    process = Process(bolicho.game("truco"), f"{HERE}:Notes(notes={notes})", 20.0)
    process.start()
    (server,) = fork_server._servers
    os.kill(server._process.pid, signal.SIGKILL)
    wait_until(lambda: not server.alive)
    process.start()
    assert (process.alive, process.has_server, len(fork_server._servers)) == (2, True, 1)
    process.end()


def test_a_server_is_that_of_the_present_folder_and_environment(notes, monkeypatch, tmp_path):
    processes = [Process(bolicho.game("truco"), f"{HERE}:Notes(notes={notes})", 20.0) for _ in range(4)]
    processes[0].start()
    monkeypatch.setenv("BOLICHO_TEST", "x")
    processes[1].start()
    monkeypatch.chdir(tmp_path)
    processes[2].start()
    processes[3].start()
    assert len(fork_server._servers) == 3 and all(process.has_server for process in processes)
    for process in processes:
        process.end()


def test_no_server_outlives_its_run(tmp_path, notes):
    run(Experiment("truco", ["random", f"{HERE}:Notes(notes={notes})"], GAME, duplicates=1), tmp_path / "run")
    assert not any(map(alive, pids(notes, 0) + pids(notes, 1))) and not fork_server._servers
    with pytest.raises(BadInput):
        run(Experiment("truco", ["random", f"{HERE}:Nobody"], GAME, duplicates=1), tmp_path / "other")
    assert not fork_server._servers


@pytest.mark.parametrize("jobs", [1, 2])
def test_servers_end_with_a_run_that_is_killed(jobs, tmp_path, notes):
    agents = ["random", f"{HERE}:Notes(notes={notes}, sleeps=true)"]
    experiment = Experiment("truco", agents, GAME, 8, move_limit=None)
    process = subprocess.Popen(
        program(experiment, tmp_path / "run", jobs=jobs),
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])},
    )
    wait_until(lambda: len(list(notes.iterdir())) >= jobs or process.poll() is not None)
    process.kill()
    process.wait()
    servers = pids(notes, 1)
    assert len(set(servers)) == jobs
    wait_until(lambda: not any(map(alive, pids(notes, 0) + servers)))


def test_the_server_does_not_load_a_game_of_another_author(tmp_path, notes, monkeypatch):
    (tmp_path / "strange_game.py").write_text(
        "import os\nfrom pathlib import Path\nfrom examples.kuhn import KUHN\n"
        f"Path({str(tmp_path)!r}, f'loaded by {{os.getpid()}}').touch()\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    agents = ["random", f"{HERE}:Notes(notes={notes})"]
    run(Experiment("strange_game:KUHN", agents, duplicates=1), tmp_path / "run")
    loaded = [int(path.name.split()[-1]) for path in tmp_path.glob("loaded by *")]
    assert set(pids(notes, 0)) < set(loaded) and not set(pids(notes, 1)) & set(loaded)
