"""A server with an arena, and what a researcher asks of it."""

import subprocess
import time
from pathlib import Path

from bolicho.arena.rows import GAMES, RESULT
from bolicho.store.database import open_database
from bolicho.store.tokens import new_token
from tests.web.running import BOLICHO, ENVIRONMENT, Served

PATIENCE = 120  # seconds, far more than anything here takes
SLOW = "mcts(iterations=300)"  # slow enough to be met half-way, whatever the machine
ASKED = {"game": "truco", "agents": [SLOW, "novice"], "duplicates": 100, "rules": {"hands": 1}}
GAMES_ASKED = 200
COMMAND = ["tournament", "truco", SLOW, "novice", "--duplicates", "100", "--rule", "hands=1", "--jobs", "1"]


class Arena:
    """The server, its folders, a researcher's token and one for bots alone."""

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

    def wait(self, run, is_it):
        """Look until it is so; what stands there then."""
        end = time.monotonic() + PATIENCE
        while not is_it(facts := self.look(run)):
            assert time.monotonic() < end, facts
            assert facts["told"] is None or facts["may"] == ["stop"], facts
            time.sleep(0.05)
        return facts

    def at_rest(self, run):
        """Look until nothing is wanted of a run any more."""
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
    """The same tournament as `ASKED`, by the command line."""
    command = [*BOLICHO, *COMMAND, "--out", str(folder)]
    process = subprocess.Popen(command, env=ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if wait:
        told = process.communicate(timeout=PATIENCE)[1]
        assert process.returncode == 0, told
    return process


def table_of(folder):
    """What must be the same, byte for byte."""
    return [(Path(folder) / name).read_bytes() for name in (RESULT, GAMES)]


def processes_in(folder):
    """The processes that have a folder in their command line."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            if str(folder).encode() in (place / "cmdline").read_bytes():
                found.append(int(place.name))
        except OSError:
            continue
    return found


def children_of(processes):
    """All processes that come of these."""
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


def is_there(process):
    """Whether a process lives; one that is dead, and nobody has asked how, does not."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False
