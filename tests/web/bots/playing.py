"""Bots at a server: their tokens, what they hear, and the examples in processes of their own."""

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from contextlib import contextmanager
from pathlib import Path
from queue import Empty, SimpleQueue

import httpx
import pytest

from bolicho.store.database import open_database
from bolicho.store.tokens import new_token, revoke

EXAMPLES = Path(__file__).parents[3] / "examples" / "bots"


def token_for(served, name, scopes=("bot",)):
    """A personal token, made as `bolicho token new` makes it, while the server runs."""
    engine = open_database(served.database)
    with engine.begin() as connection:
        made = new_token(connection, name, scopes)
    engine.dispose()
    return made


def revoke_of(served, name):
    engine = open_database(served.database)
    with engine.begin() as connection:
        revoke(connection, name)
    engine.dispose()


class Stream:
    """The lines of a stream, read by a thread."""

    def __init__(self, served, path, token):
        headers = {} if token is None else {"authorization": f"Bearer {token}"}
        self.client = httpx.Client(base_url=served.base, timeout=60)
        self.answer = self.client.send(self.client.build_request("GET", path, headers=headers), stream=True)
        assert self.answer.status_code == 200, self.answer.read()
        self.lines = SimpleQueue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        try:
            for line in self.answer.iter_lines():
                self.lines.put(line)
        except httpx.HTTPError:
            pass
        self.lines.put(None)

    def line(self, timeout=30):
        """The next line as it is; None after the last."""
        return self.lines.get(timeout=timeout)

    def hear(self, kind=None, timeout=30):
        """The next message, of that kind."""
        while True:
            line = self.line(timeout)
            assert line is not None, "the stream has ended"
            if line and (kind is None or json.loads(line)["is"] == kind):
                return json.loads(line)

    def is_quiet(self):
        """Whether nothing has come that is no heartbeat."""
        try:
            while True:
                if self.lines.get_nowait():
                    return False
        except Empty:
            return True

    def close(self):
        self.answer.close()
        self.client.close()


@contextmanager
def events(served, token):
    """What concerns a bot, as it hears it."""
    stream = Stream(served, "/api/stream/events", token)
    try:
        yield stream
    finally:
        stream.close()


@contextmanager
def watching(served, match, token=None):
    """A match, as a bot or somebody else follows it."""
    stream = Stream(served, f"/api/stream/matches/{match}", token)
    try:
        yield stream
    finally:
        stream.close()


def is_installed(name):
    """Whether what runs an example is there."""
    return name.endswith(".py") or shutil.which("node") is not None


def command_of(name):
    """How an example is started."""
    if not is_installed(name):
        pytest.skip("Node is not installed; the example bot in JavaScript needs Node 20")
    return [sys.executable if name.endswith(".py") else "node", str(EXAMPLES / name)]


@contextmanager
def running(name, *arguments, **environment):
    """An example bot in a process of its own."""
    process = subprocess.Popen(
        [*command_of(name), *arguments],
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        yield process
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()


@contextmanager
def listening(name):
    """The address at which an example bot answers."""
    with running(name, "--listen", "0") as process:
        yield process.stdout.readline().removeprefix("listening at ").strip()
