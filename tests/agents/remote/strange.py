"""Faulty bots for tests of remote agents, each in its own thread."""

import json
import socket
import threading
from contextlib import contextmanager


def body(action):
    return json.dumps({"action": action}).encode()


def answer(text, status="200 OK", more=""):
    return f"HTTP/1.1 {status}\r\ncontent-length: {len(text)}\r\n{more}\r\n".encode() + text


class Listening:
    """Server that reads one question for each connection and calls `reply` with it."""

    def __init__(self, reply):
        self.reply = reply
        self.asked = 0
        self.ended = threading.Event()
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.socket.getsockname()[1]}/"
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self):
        while True:
            try:
                line, _ = self.socket.accept()
            except OSError:
                return
            threading.Thread(target=self._answer, args=[line], daemon=True).start()

    def _answer(self, line):
        try:
            with line, line.makefile("rb") as read:
                length = 0
                while (header := read.readline()) not in (b"\r\n", b""):
                    if header.lower().startswith(b"content-length:"):
                        length = int(header.split(b":")[1])
                question = json.loads(read.read(length))
                self.asked += 1
                self.reply(line, question, self.ended)
        except (OSError, ValueError):
            pass

    def close(self):
        self.ended.set()
        self.socket.shutdown(socket.SHUT_RDWR)  # a pending accept would otherwise still get the next connection
        self.socket.close()


@contextmanager
def listening(reply):
    """Run a bot with this reply."""
    bot = Listening(reply)
    try:
        yield bot
    finally:
        bot.close()


def first(line, question, ended):
    """Reply of a correct bot: the first legal action."""
    line.sendall(answer(body(question["view"]["legal"][0]["action"])))


def says(*parts):
    """Return a reply that sends these parts to every question."""
    return lambda line, question, ended: line.sendall(b"".join(parts))


def silent(line, question, ended):
    ended.wait()


def drips(line, question, ended):
    """Send single bytes without end, each within the time limit."""
    line.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n")
    while not ended.wait(0.05):
        line.sendall(b" ")


def drips_headers(line, question, ended):
    line.sendall(b"HTTP/1.1 200 OK\r\n")
    while not ended.wait(0.05):
        line.sendall(b"x")


def pours(line, question, ended):
    """Send data without end."""
    line.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
    while not ended.is_set():
        line.sendall(b"x" * 65536)


STRANGE = {
    "illegal": (says(answer(body("9z"))), "tried '9z', which is not legal here"),
    "no JSON": (says(answer(b"{")), "not JSON"),
    "no action": (says(answer(b"[1, 2]")), 'which is not {"action": "..."}'),
    "a number": (says(answer(b'{"action": 3}')), 'which is not {"action": "..."}'),
    "nonsense": (says(b"what do you want?\r\n\r\n"), "gave no answer: BadStatusLine"),
    "an error": (says(answer(b"{}", "500 Sorry")), "answered with status 500 instead of 200"),
    "elsewhere": (says(answer(b"", "302 Found", "location: http://127.0.0.1:1/\r\n")), "status 302 instead of 200"),
    "large": (says(answer(b" " * 100_000)), "answered with more than 65536 bytes"),
    "said to be large": (says(b"HTTP/1.1 200 OK\r\ncontent-length: 99999999999\r\n\r\n{}"), "more than 65536 bytes"),
    "pours": (pours, "answered with more than 65536 bytes"),
    "hangs up": (says(), "gave no answer: RemoteDisconnected"),
    "half": (
        says(b"HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\n{"),
        "closed the connection in the middle of its answer",
    ),
    "nested": (says(answer(b"[" * 60_000)), "too deeply nested"),
    "silent": (silent, "did not answer within 0.3 s"),
    "drips": (drips, "did not answer within 0.3 s"),
    "drips headers": (drips_headers, "did not answer within 0.3 s"),
}
"""Faulty replies, each with the reason of its forfeit."""
