"""A stranger's agent in a process of its own: it gets views as bytes and returns numbers.

An agent that is not the house's could reach tables, seeds and opponents through frames and the garbage
collector, and a crash in it would end everybody's games.  Here it lives in another process, which
knows the game's rules and the agent's code and nothing else.  For many tables there is one
question and one answer, so that the border costs little (see `bolicho bench arena`).

Messages are a length, a line of JSON and the bytes it announces; nothing is unpickled.  The other
side answers table by table, so that when it dies, hangs or talks nonsense it is known at which
table: that game is lost, the process is started anew, and the agents at the other tables are asked
again what they were asked before, in order, which makes them what they were.
"""

import json
import os
import select
import struct
from collections.abc import Mapping
from time import monotonic
from typing import Any

GRACE = 10.0  # seconds beyond a move's limit before a process that does not answer is ended
START = 120.0  # seconds a process may take to load an agent, compilation included
_LENGTH = struct.Struct("<II")  # of the line, of the bytes


class Lost(Exception):
    """The other side is gone, or makes no sense; says why."""


class Line:
    """One end of a conversation over two pipes."""

    def __init__(self, read: int, write: int) -> None:
        self.read, self.write = read, write
        self._left = b""

    def say(self, words: Mapping[str, Any], data: bytes = b"") -> None:
        line = json.dumps(words, separators=(",", ":")).encode()
        rest = memoryview(_LENGTH.pack(len(line), len(data)) + line + data)
        try:
            while rest:
                rest = rest[os.write(self.write, rest) :]
        except OSError as problem:
            raise Lost("its process is gone") from problem

    def hear(self, seconds: float | None = None) -> tuple[dict[str, Any], bytes]:
        """The next message; `Lost` when there is none within that time."""
        until = None if seconds is None else monotonic() + seconds
        line, data = _LENGTH.unpack(self._take(_LENGTH.size, until))
        if line > 1 << 20 or data > 1 << 30:
            raise Lost("its process talks nonsense")
        try:
            words = json.loads(self._take(line, until))
        except ValueError as problem:
            raise Lost("its process talks nonsense") from problem
        if not isinstance(words, dict):
            raise Lost("its process talks nonsense")
        return words, self._take(data, until)

    def _take(self, count: int, until: float | None) -> bytes:
        while len(self._left) < count:
            wait = None if until is None else max(0.0, until - monotonic())
            if not select.select([self.read], [], [], wait)[0]:
                raise Lost("its process did not answer in time")
            more = os.read(self.read, 1 << 16)
            if not more:
                raise Lost("its process is gone")
            self._left += more
        taken, self._left = self._left[:count], self._left[count:]
        return taken
