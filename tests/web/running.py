"""A server in a separate process, and the clients of tests."""

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import httpx
from pydantic import TypeAdapter
from websockets.sync.client import connect

import bolicho
from bolicho.store.database import open_database
from bolicho.web.app import make_app
from bolicho.web.app_state import Settings
from bolicho.web.workers import AgentPool

ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(bolicho.__file__).parent.parent), "COLUMNS": "200"}
BOLICHO = [sys.executable, "-c", "from bolicho.cli import main; main()"]
OPEN = "Bolicho is open at "
ALL_IN = 8  # points: no bet but falta envido and contra-flor e o resto is worth more


@cache
def described():
    """The routes that describe their replies, and the models."""
    with tempfile.TemporaryDirectory() as folder:
        engine = open_database(f"{folder}/matches.db")
        app = make_app(Settings(f"{folder}/matches.db", games=("truco",)), AgentPool(["truco"]), engine)
        engine.dispose()
    routes = [route for route in app.routes if getattr(route, "response_model", None) is not None]
    return [(route, TypeAdapter(route.response_model)) for route in routes]


def model_of(method, path):
    """The model that the interface declares for a reply; None where it declares none."""
    found = (model for route, model in described() if method in route.methods and route.path_regex.fullmatch(path))
    return next(found, None)


class Served:
    """A running server, which can be killed and restarted on the same database."""

    def __init__(self, database, *options):
        self.database = str(database)
        self.options = options
        self.port = 0
        self.start()

    def start(self):
        command = [*BOLICHO, "serve", "--port", str(self.port), "--database", self.database, *self.options]
        self.process = subprocess.Popen(
            command, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
        )
        line = self.process.stdout.readline()
        assert line.startswith(OPEN), self.process.communicate()[1]
        self.base = line.removeprefix(OPEN).strip().rstrip("/")
        self.port = int(self.base.rsplit(":", 1)[1])  # the same one after a restart
        self.client = httpx.Client(base_url=self.base, timeout=60, verify=False)

    def kill(self):
        """Kill the process, as a power cut would."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.process.stdout.close()
        self.process.stderr.close()

    def stop(self):
        """End the process, and return its stderr."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.communicate(timeout=20)[1]
        except subprocess.TimeoutExpired:
            self.kill()
            raise

    # --- Requests ---------------------------------------------------------------------------------

    def get(self, path, token=None, **query):
        return self.ask("GET", path, token, params=query)

    def post(self, path, body=None, token=None, **query):
        return self.ask("POST", path, token, json=body, params=query)

    def ask(self, method, path, token=None, **more):
        headers = {} if token is None else {"authorization": f"Bearer {token}"}
        answer = self.client.request(method, path, headers=headers, **more)
        if answer.is_success and (model := model_of(method, answer.url.path)) is not None:
            model.validate_json(answer.content, strict=True)
        return answer

    def make(self, game="truco", opponents=("balanced",), rules=None, **options):
        """Make a match of one person against agents, and return (its name, the token of seat 0)."""
        made = self.made(game, [me(), *map(agent, opponents)], rules, **options)
        return made["match"], made["seats"][0]["token"]

    def made(self, game, seats, rules=None, **options):
        answer = self.post("/api/matches", {"game": game, "seats": seats, "rules": rules or {}, "options": options})
        assert answer.status_code == 201, answer.text
        return answer.json()

    def view(self, match, token=None, **query):
        answer = self.get(f"/api/matches/{match}/view", token, **query)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def over(self, match, token=None):
        """Return the view after the end of a match that agents play."""
        message = self.view(match, token)
        while message["state"] != "over":
            message = self.view(match, token, ply=message["ply"], wait=20)
        return message

    def move(self, match, token, ply, action):
        return self.post(f"/api/matches/{match}/moves", {"ply": ply, "action": action}, token)

    @contextmanager
    def live(self, match, token=None, log=0):
        """Open a connection and say hello; its first message is the greeting."""
        with connect(f"{self.base.replace('http', 'ws', 1)}/api/matches/{match}/live", open_timeout=30) as wire:
            wire.send(json.dumps({"do": "hello", "token": token, "log": log, "frames": True}))
            yield Line(wire)


class Line:
    """A connection to a match."""

    def __init__(self, wire):
        self.wire = wire

    def hear(self, kind="view", timeout=30):
        """Return the next message of that kind."""
        end = time.monotonic() + timeout
        while True:
            message = json.loads(self.wire.recv(timeout=max(0.01, end - time.monotonic())))
            if message["is"] == kind:
                return message

    def say(self, **message):
        self.wire.send(json.dumps(message))

    def move(self, ply, action):
        self.say(do="move", ply=ply, action=action)


def me(name="Ana"):
    return {"who": "me", "name": name}


def agent(name):
    return {"who": "agent", "agent": name}


def invited():
    return {"who": "open"}


def pick(view, seed=0):
    """Return a random action that depends only on the seed and the ply, without all-in bets of Truco."""
    legal = [action["action"] for action in view["legal"]]
    pending = view["table"].get("pending") or {}
    wild = {"falta", "resto"} | ({"quero"} if (pending.get("accepted") or 0) > ALL_IN else set())
    return random.Random(f"{seed} {view['ply']}").choice([one for one in legal if one not in wild] or legal)


def play_by_http(served, match, token, seed=0, until=10_000):
    """Play a match by HTTP requests, and return the last message."""
    message = served.view(match, token)
    while message["state"] == "playing" and message["ply"] < until:
        if message["view"]["legal"]:
            answer = served.move(match, token, message["ply"], pick(message["view"], seed))
            assert answer.status_code == 200, answer.text
            message = answer.json()
        else:
            message = served.view(match, token, ply=message["ply"], wait=20)
    return message


def said(answer):
    """Return the key of a refusal."""
    return answer.json()["says"][0]
