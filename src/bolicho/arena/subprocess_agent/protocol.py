"""Messages between a run and the child process of an agent.

One message over a socket serves many tables.  The answers come table by table, in shared memory, so that after a crash
the run knows the table.  Nothing is unpickled.
"""

import socket
import struct
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

BEGIN, NEXT_GAME, ACT, END = range(4)  # kinds of questions; AGAIN: a learning agent begins another game
PLAIN = 1  # answer to BEGIN of an agent without code for the beginning and the end of games

ASK = np.dtype([("what", "u1"), ("open", "u1"), ("seat", "u1"), ("place", "<u4"), ("luck", "<u8"), ("log", "<u4")])
"""A question.  After all questions of a message come their views: all records, then `log` bytes of new events each."""

Asks = NDArray[np.void]

HEAD = struct.Struct("<III")  # number of the message, questions, bytes
STATE = struct.Struct("<II")  # number of answered questions, whether Numba is compiling
ANSWER = struct.Struct("<hdI")  # an action, its seconds, the length of the error message (0: no error)
LENGTH = struct.Struct("<I")
MAX_QUESTIONS = 256  # questions of a message
NUMBER = struct.Struct("<i")  # to and from a fork server: number, status or error of a process
RUNNING = 1 << 16  # in place of the status of a process that has not ended
REASON_SIZE = 2048  # bytes of a reason
ANSWERS_AT = STATE.size
REASONS_AT = ANSWERS_AT + MAX_QUESTIONS * ANSWER.size
SHARED_SIZE = REASONS_AT + MAX_QUESTIONS * REASON_SIZE

Answer = tuple[int, float, str | None]
"""The number of an action, its seconds, and the error message, if any."""


class Question(NamedTuple):
    """A question to an agent in one seat of one game, with the new events of its view."""

    ask: tuple[int, bool, int, int, int, int]  # as in `ASK`
    record: bytes
    log: bytes = b""


def message(questions: Sequence[Question]) -> tuple[Asks, bytes]:
    """Encode questions and their views."""
    asks = np.array([question.ask for question in questions], ASK)
    return asks, b"".join([*(question.record for question in questions), *(question.log for question in questions)])


def receive(line: socket.socket, count: int) -> bytes:
    """Receive exactly `count` bytes, or raise `OSError` at the end of the stream."""
    parts = []
    while count > 0:
        part = line.recv(min(count, 1 << 20))
        if not part:
            raise ConnectionError
        parts.append(part)
        count -= len(part)
    return b"".join(parts)
