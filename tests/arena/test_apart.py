"""Processes of external agents: a failure costs an agent its own game only."""

import ctypes
import os
import signal
import stat
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from bolicho import Agent, BadInput
from bolicho.arena.experiment import Experiment
from bolicho.arena.run import run
from bolicho.arena.subprocess_agent import process
from bolicho.games.jit import njit
from tests.arena.players import HOME
from tests.arena.test_leaving import alive, wait_until
from tests.arena.test_run import ROOT, program, rows

HERE = "tests.arena.test_apart"
GAME = {"hands": 2}


@njit
def endless():
    i = 0
    while i >= 0:
        i ^= 1
    return i


class Notes(Agent):
    """Agent of the first legal action that records its process."""

    def __init__(self, notes: str = "") -> None:
        self.notes = notes

    def act(self, view, rng):
        if self.notes:
            Path(self.notes, str(os.getpid())).touch()
        return view.legal[0]


class Trap(Notes):
    """Agent that calls `spring` at its second decision of every game in seat 1."""

    def begin(self, game, seat):
        self.left = 2 if seat == 1 else -1

    def act(self, view, rng):
        self.left -= 1
        if self.left == 0:
            self.spring()
        return super().act(view, rng)


class Segfaults(Trap):
    def spring(self):
        ctypes.string_at(0)


class Leaves(Trap):
    def spring(self):
        os._exit(3)


class KillsItself(Trap):
    def spring(self):
        os.kill(os.getpid(), signal.SIGKILL)


class Interrupts(Trap):
    def spring(self):
        raise KeyboardInterrupt


class CompiledForEver(Trap):
    def spring(self):
        endless()


class BlocksTheSignal(Trap):
    def spring(self):
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])
        time.sleep(600)


class TakesTheSignal(Trap):
    def spring(self):
        signal.signal(signal.SIGALRM, lambda *_: None)
        while True:
            time.sleep(0.01)


def sockets():
    for number in range(3, 64):
        with suppress(OSError):
            if stat.S_ISSOCK(os.fstat(number).st_mode):
                yield number


class WritesGarbage(Trap):
    def spring(self):
        for number in sockets():
            os.write(number, b"\xff" * 1000)
        time.sleep(0.5)


class ClosesSockets(Trap):
    def spring(self):
        for number in sockets():
            os.close(number)
        time.sleep(600)


class ForksInC(Trap):
    """Agent that forks through C; both processes continue."""

    def spring(self):
        ctypes.CDLL(None).fork()


class ReturnsLongText(Trap):
    def act(self, view, rng):
        self.left -= 1
        return "x" * 1_000_000 if self.left == 0 else view.legal[0]


class TooLarge(Trap):
    def act(self, view, rng):
        self.left -= 1
        return 2**200 if self.left == 0 else view.legal[0]


LOST = {
    Segfaults: "its process was killed by SIGSEGV",
    Leaves: "its process left with status 3",
    KillsItself: "its process was killed by SIGKILL",
    Interrupts: "its process was killed by SIGINT",
    CompiledForEver: "did not answer within 3 s",
    BlocksTheSignal: "did not answer within 3 s",
    TakesTheSignal: "did not answer within 3 s",
    WritesGarbage: "its process sent an invalid message",
    ClosesSockets: "its process left with status 1",
    ReturnsLongText: "seat 1 tried 'xxxx",
    TooLarge: "returned 16069380442589",
}


@pytest.fixture(autouse=True)
def _short_limits(monkeypatch):
    monkeypatch.setattr(process, "GRACE", 1.0)
    monkeypatch.setattr(process, "LEAVING", 60.0)  # generous, for a loaded machine


@pytest.fixture
def notes(tmp_path):
    folder = tmp_path / "notes"
    folder.mkdir()
    return folder


def gone(notes):
    """Wait until the processes that played have ended, and return them."""
    found = [int(path.name) for path in notes.iterdir()]
    wait_until(lambda: not any(map(alive, found)))
    return found


@pytest.mark.parametrize("kind", LOST, ids=lambda kind: kind.__name__)
def test_agent_that_breaks_its_process_loses_only_that_game(kind, tmp_path, notes):
    trap = f"{HERE}:{kind.__name__}(notes={notes})"
    agents = ["random", trap, "novice"]
    finished = run(Experiment("truco", agents, GAME, duplicates=1, seed=3, move_limit=3), tmp_path / "run")
    for game in rows(finished):
        if game["agents"][1] == trap:
            assert game["forfeit"] == 1 and LOST[kind] in game["reason"], game["reason"]
            assert game["reason"].startswith("ply ") and game["payoffs"] == [1, -1]
        else:
            assert game["forfeit"] is None and game["reason"] is None, game["reason"]
    assert finished.result["num_forfeits"] == 2 and len(rows(finished)) == 6
    assert os.getpid() not in gone(notes)


class ForksAndGoesOn(Trap):
    def spring(self):
        self.child = os.fork()  # both return from here
        if self.child == 0 and self.notes:
            Path(self.notes, str(os.getpid())).touch()


class ForksAndStays(Trap):
    def spring(self):
        if os.fork() == 0:
            Path(self.notes, str(os.getpid())).touch()
            time.sleep(600)


class RunsAThread(Trap):
    def spring(self):
        threading.Thread(target=lambda: [time.sleep(0.01) for _ in range(10**6)]).start()


@pytest.mark.parametrize("kind", [ForksAndGoesOn, ForksAndStays, RunsAThread], ids=lambda kind: kind.__name__)
def test_forks_and_threads_disturb_no_game_and_end_with_the_run(kind, tmp_path, notes):
    agents = ["random", f"{HERE}:{kind.__name__}(notes={notes})"]
    finished = run(Experiment("truco", agents, GAME, duplicates=3, seed=3, move_limit=5), tmp_path / "run")
    assert finished.result["num_forfeits"] == 0, finished.result["forfeits"]
    calm = run(Experiment("truco", ["random", f"{HERE}:Notes"], GAME, duplicates=3, seed=3), tmp_path / "calm")
    assert [game["actions"] for game in rows(finished)] == [game["actions"] for game in rows(calm)]
    assert len(gone(notes)) >= 1 + (kind is not RunsAThread)


def test_fork_in_c_costs_only_games_of_its_agent(tmp_path, notes):
    agents = ["random", f"{HERE}:Notes", f"{HERE}:ForksInC(notes={notes})"]
    finished = run(Experiment("truco", agents, GAME, duplicates=1, seed=3, move_limit=3), tmp_path / "run")
    for game in rows(finished):
        assert game["forfeit"] is None or game["agents"][game["forfeit"]] == agents[2]
    gone(notes)


class Remembers(Agent):
    """Agent whose actions depend on all earlier questions, and whose process may exit."""

    def __init__(self, dies: bool = False) -> None:
        self.dies, self.sum = dies, 0

    def begin(self, game, seat):
        self.sum = seat

    def act(self, view, rng):
        self.sum = (31 * self.sum + int(rng.integers(1000)) + len(view.rows)) % 10007
        if self.dies and self.sum % 97 == 0:
            os._exit(1)
        return view.legal[self.sum % len(view.legal)]


def test_lost_process_does_not_change_games_at_other_tables(tmp_path):
    calm = run(Experiment("truco", ["random", f"{HERE}:Remembers"], duplicates=20, seed=1), tmp_path / "calm")
    monkey = f"{HERE}:Remembers(dies=true)"
    stormy = run(Experiment("truco", ["random", monkey], duplicates=20, seed=1), tmp_path / "stormy")
    lost = 0
    for before, now in zip(rows(calm), rows(stormy), strict=True):
        if now["forfeit"] is None:
            assert (now["actions"], now["scores"]) == (before["actions"], before["scores"])
        else:
            lost += 1
            assert now["plies"] <= before["plies"] and "its process left with status 1" in now["reason"]
    assert 0 < lost < 40, "some processes exited and some did not"


class Learns(Agent):
    """Learner that counts its games, and whose process exits in the third."""

    learns = True

    def __init__(self, diary: str = "") -> None:
        self.diary, self.played = diary, 0

    def begin(self, game, seat):
        self.played += 1
        with Path(self.diary).open("a") as file:
            file.write(f"{self.played} ")

    def act(self, view, rng):
        if self.played == 3:
            os._exit(1)
        return view.legal[0]


def test_learner_keeps_one_object_for_each_rotation_and_restarts_when_its_process_exits(tmp_path):
    learner = f"{HERE}:Learns(diary={tmp_path / 'diary'})"
    finished = run(Experiment("truco", ["random", learner], GAME, duplicates=7, seed=1), tmp_path / "run")
    assert (tmp_path / "diary").read_text().split() == 2 * ["1", "2", "3", "1", "2", "3", "1"]
    assert finished.result["num_forfeits"] == 4


def test_external_agent_finds_no_tables_seeds_or_opponents(tmp_path):
    agents = ["balanced", f"{HOME}:LooksAround"]
    finished = run(Experiment("truco", agents, GAME, duplicates=3), tmp_path / "run")
    assert finished.result["num_forfeits"] == 0, finished.result["forfeits"]
    trusted = run(Experiment("truco", agents, GAME, duplicates=3, trust=True), tmp_path / "trusted")
    assert trusted.result["num_forfeits"] == 6, "a trusted agent finds them in the process of the run"


def test_code_of_an_external_agent_is_not_imported_by_the_run(tmp_path, monkeypatch):
    (tmp_path / "strange_code.py").write_text(
        "from bolicho import Agent\nclass First(Agent):\n    def act(self, view, rng):\n        return view.legal[0]\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    experiment = Experiment("truco", ["random", "strange_code:First"], GAME, duplicates=1)
    run(experiment, tmp_path / "run")
    assert "strange_code" not in sys.modules
    assert "strange_code" in (tmp_path / "run" / "identity.json").read_text()


def test_process_of_an_agent_has_no_open_descriptor_of_the_run(tmp_path):
    (tmp_path / "secret").write_text("seed")
    with (tmp_path / "secret").open() as file:
        os.set_inheritable(file.fileno(), True)
        finished = run(Experiment("truco", ["random", f"{HERE}:Lists"], GAME, duplicates=1), tmp_path / "run")
    assert finished.result["num_forfeits"] == 0, finished.result["forfeits"]


class Lists(Agent):
    def act(self, view, rng):
        for number in Path("/proc/self/fd").iterdir():
            with suppress(FileNotFoundError):
                place = str(number.readlink())
                if "secret" in place or "/run/" in place:
                    raise RuntimeError(f"I have {place}")
        return view.legal[0]


@pytest.mark.parametrize("name", ["truco", "dominoes", "wonders"])
def test_games_are_the_same_with_and_without_separate_processes(name, tmp_path):
    agents = ["random", f"{HERE}:Remembers", f"{HERE}:Oracle"]
    apart = run(Experiment(name, agents, duplicates=2, seed=4), tmp_path / "apart")
    trusted = run(Experiment(name, agents, duplicates=2, seed=4, trust=True), tmp_path / "trusted")
    assert (apart.folder / "games.parquet").read_bytes() == (trusted.folder / "games.parquet").read_bytes()
    assert apart.result["num_forfeits"] == 0


class Oracle(Remembers):
    """Oracle that depends on the full state and all logs."""

    oracle = True

    def act(self, view, rng):
        self.sum += int(np.frombuffer(view.pool.tobytes(), np.uint8).sum()) + int(view.rows.sum())
        return super().act(view, rng)


def test_agent_that_cannot_be_loaded_is_bad_input_before_the_first_game(tmp_path, monkeypatch):
    (tmp_path / "strange_crash.py").write_text("import ctypes\nctypes.string_at(0)\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(BadInput, match="strange_crash:X cannot be made: its process was killed by SIGSEGV"):
        run(Experiment("truco", ["random", "strange_crash:X"], GAME), tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_processes_of_agents_end_when_the_run_is_killed(tmp_path, notes):
    experiment = Experiment("truco", ["random", f"{HERE}:Sleeps(notes={notes})"], GAME, 2, move_limit=None)
    process = subprocess.Popen(
        program(experiment, tmp_path / "run", jobs=1),
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])},
    )
    wait_until(lambda: list(notes.iterdir()) or process.poll() is not None)
    process.kill()
    process.wait()
    assert len(gone(notes)) == 1


class Sleeps(Notes):
    def act(self, view, rng):
        super().act(view, rng)
        endless()


def test_option_trust_is_part_of_the_experiment():
    agents = ["random", f"{HERE}:Notes"]
    plain, trusting = Experiment("truco", agents), Experiment("truco", agents, trust=True)
    assert plain != trusting and plain.hash != trusting.hash and "trust" not in plain.to_toml()
    assert Experiment.from_toml(trusting.to_toml()) == trusting
    assert Experiment("truco", ["random"], trust=True) == Experiment("truco", ["random"]), "no external agent plays"
    with pytest.raises(BadInput, match="trust must be true or false, not 1"):
        Experiment("truco", agents, trust=1)


def test_built_in_agent_with_an_external_module_plays_in_its_own_process():
    from bolicho.arena.run import plays_apart

    experiment = Experiment("truco", ["random", "pimc-search(inner=somebody:solver)"])
    assert [plays_apart(experiment, spec) for spec in experiment.agents] == [False, True]


def test_agent_whose_process_cannot_be_restarted_forfeits(tmp_path, monkeypatch):
    (tmp_path / "strange_once.py").write_text(
        "import os\nfrom pathlib import Path\n"
        f"lives = Path({str(tmp_path / 'lives')!r})\n"
        "lives.write_text(lives.read_text()[1:]) if lives.read_text() else os._exit(5)\n"
        "from tests.arena.test_apart import Leaves\n"
    )
    (tmp_path / "lives").write_text("xx")  # one for the check before the run, one to play
    monkeypatch.syspath_prepend(tmp_path)
    experiment = Experiment("truco", ["random", "strange_once:Leaves"], GAME, duplicates=6, seed=3)
    finished = run(experiment, tmp_path / "run")
    reasons = {game["reason"] for game in rows(finished)} - {None}
    assert any("could not be started: its process left with status 5" in reason for reason in reasons), reasons
