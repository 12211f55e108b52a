"""Bots at a server: their tokens, their streams, and example bots in separate processes."""

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
    """Make a personal token, as `bolicho token new` does, while the server runs."""
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
        """Return the next raw line; None after the last."""
        return self.lines.get(timeout=timeout)

    def hear(self, kind=None, timeout=30):
        """Return the next message, or the next one of a kind."""
        while True:
            line = self.line(timeout)
            assert line is not None, "the stream has ended"
            if line and (kind is None or json.loads(line)["is"] == kind):
                return json.loads(line)

    def is_quiet(self):
        """Return whether the stream has sent nothing but heartbeats."""
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
    """Open the stream of events of a bot."""
    stream = Stream(served, "/api/stream/events", token)
    try:
        yield stream
    finally:
        stream.close()


@contextmanager
def watching(served, match, token=None):
    """Open the stream of a match, as a bot, a seat or a spectator."""
    stream = Stream(served, f"/api/stream/matches/{match}", token)
    try:
        yield stream
    finally:
        stream.close()


def is_installed(name):
    """Return whether the interpreter of an example is installed."""
    return name.endswith(".py") or shutil.which("node") is not None


def command_of(name):
    """Return the command of an example, or skip the test where it cannot run."""
    if not is_installed(name):
        pytest.skip("Node is not installed; the example bot in JavaScript needs Node 20")
    return [sys.executable if name.endswith(".py") else "node", str(EXAMPLES / name)]


@contextmanager
def running(name, *arguments, **environment):
    """Run an example bot in a separate process."""
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
    """Run an example bot that listens, and yield its address."""
    with running(name, "--listen", "0") as process:
        yield process.stdout.readline().removeprefix("listening at ").strip()
