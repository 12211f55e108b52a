"""A server with an arena, and the requests of a researcher."""

import subprocess
import time
from pathlib import Path

from bolicho.arena.rows import GAMES, RESULT
from bolicho.store.database import open_database
from bolicho.store.tokens import new_token
from tests.web.running import BOLICHO, ENVIRONMENT, Served

PATIENCE = 120  # seconds, far more than any test needs
SLOW = "mcts(iterations=300)"  # slow enough to be observed half-way on any machine
ASKED = {"game": "truco", "agents": [SLOW, "novice"], "duplicates": 100, "rules": {"hands": 1}}
GAMES_ASKED = 200
COMMAND = ["tournament", "truco", SLOW, "novice", "--duplicates", "100", "--rule", "hands=1", "--jobs", "1"]


class Arena:
    """The server, its folders, the token of a researcher and the token of a bot."""

    def __init__(self, folder):
        self.runs, self.reports, self.database = folder / "runs", folder / "reports", folder / "matches.db"
        self.trained = folder / "trained"
        self.token, self.bot = self.new_token("lab", "research"), self.new_token("machine", "bot")
        options = ["--game", "truco", "--runs", str(self.runs), "--reports", str(self.reports)]
        options += ["--trained", str(self.trained)]
        self.served = Served(self.database, *options)

    def new_token(self, name, scope):
        with open_database(str(self.database)).begin() as connection:
            return new_token(connection, name, [scope])

    def get(self, path, **query):
        return self.served.get(f"/api/arena/{path}", self.token, **query)

    def post(self, path, body=None):
        return self.served.post(f"/api/arena/{path}", body, self.token)

    def start(self, **asked):
        answer = self.post("runs", {**ASKED, **asked})
        assert answer.status_code == 201, answer.text
        return answer.json()["run"]

    def look(self, run):
        answer = self.get(f"runs/{run}")
        assert answer.status_code == 200, answer.text
        return answer.json()

    def wait(self, run, condition):
        """Poll a run until the condition holds, and return its facts."""
        end = time.monotonic() + PATIENCE
        while not condition(facts := self.look(run)):
            assert time.monotonic() < end, facts
            assert facts["told"] is None or facts["may"] == ["stop"], facts
            time.sleep(0.05)
        return facts

    def at_rest(self, run):
        """Poll a run until it neither plays nor waits in the queue, and return its facts."""
        return self.wait(run, lambda facts: "stop" not in facts["may"])

    def half_way(self, run):
        return self.wait(run, lambda facts: 0 < facts["played"] < facts["games"])

    def done(self, run):
        return self.wait(run, lambda facts: facts["state"] == "done")

    def stop(self, run):
        assert self.post(f"runs/{run}/stop").status_code == 200
        return self.wait(run, lambda facts: facts["state"] == "stopped")

    def go_on(self, run):
        answer = self.post(f"runs/{run}/go", {})
        assert answer.status_code == 200, answer.text


def by_hand(folder, wait=True):
    """Play the tournament of `ASKED` by the command line."""
    command = [*BOLICHO, *COMMAND, "--out", str(folder)]
    process = subprocess.Popen(command, env=ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if wait:
        told = process.communicate(timeout=PATIENCE)[1]
        assert process.returncode == 0, told
    return process


def table_of(folder):
    """Return the bytes of the files that have to be equal."""
    return [(Path(folder) / name).read_bytes() for name in (RESULT, GAMES)]


def processes_in(folder):
    """Return the processes that have a folder in their command line."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            if str(folder).encode() in (place / "cmdline").read_bytes():
                found.append(int(place.name))
        except OSError:
            continue
    return found


def children_of(processes):
    """Return these processes and all their descendants."""
    parents = {}
    for place in Path("/proc").glob("[0-9]*"):
        try:
            parents[int(place.name)] = int((place / "stat").read_text().rsplit(")", 1)[1].split()[1])
        except OSError:
            continue
    found = set(processes)
    while more := {child for child, parent in parents.items() if parent in found} - found:
        found |= more
    return found


def is_alive(process):
    """Return whether a process is alive; a zombie is not."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False
