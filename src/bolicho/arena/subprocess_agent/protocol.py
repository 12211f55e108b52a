"""Messages between a run and the process of an agent.

For many tables there is one message over a socket.  The answers come table by table, in memory that both processes
share, so that after a crash it is known at which table it happened.  Nothing is unpickled.
"""

import socket
import struct
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

BEGIN, AGAIN, ACT, END = range(4)  # what is asked; again: one that learns begins another game
PLAIN = 1  # what an agent "does" when it begins, if it has nothing to do when games begin and end

ASK = np.dtype([("what", "u1"), ("open", "u1"), ("seat", "u1"), ("place", "<u4"), ("luck", "<u8"), ("log", "<u4")])
"""A question.  After all of a message come their views: the records, then of each `log` bytes of what is new."""

Asks = NDArray[np.void]

HEAD = struct.Struct("<III")  # number of the message, questions, bytes
STATE = struct.Struct("<II")  # how many questions are answered, whether something is being compiled
ANSWER = struct.Struct("<qdI")  # an action, the seconds it took, the length of the reason why it broke (0: it did not)
LENGTH = struct.Struct("<I")
MAX_QUESTIONS = 256  # questions of a message
REASON_SIZE = 2048  # bytes of a reason
ANSWERS_AT = STATE.size
REASONS_AT = ANSWERS_AT + MAX_QUESTIONS * ANSWER.size
SHARED_SIZE = REASONS_AT + MAX_QUESTIONS * REASON_SIZE

Answer = tuple[int, float, str | None]
"""The number of an action, the seconds it took, and why it broke, if it did."""


class Question(NamedTuple):
    """Something asked of an agent in one seat of one game, with what is new in its view."""

    ask: tuple[int, bool, int, int, int, int]  # as in `ASK`
    record: bytes
    log: bytes = b""


def message(questions: Sequence[Question]) -> tuple[Asks, bytes]:
    """Return the questions and their views as they are sent."""
    asks = np.array([question.ask for question in questions], ASK)
    return asks, b"".join([*(question.record for question in questions), *(question.log for question in questions)])


def receive(line: socket.socket, count: int) -> bytes:
    """Receive exactly `count` bytes; an `OSError` where there are no more."""
    parts = []
    while count > 0:
        part = line.recv(min(count, 1 << 20))
        if not part:
            raise ConnectionError
        parts.append(part)
        count -= len(part)
    return b"".join(parts)
