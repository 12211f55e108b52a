"""A line to a bot: one question over HTTP, one answer, and no more time or bytes than it is given.

Nothing that comes back is believed: whatever is no answer is `Broken`, with the reason in a few words.  Redirects
are not followed.  A connection is kept for the next question; one that the bot has closed meanwhile is
opened again, once, since the same question may be asked twice.
"""

import http.client
import io
import socket
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

from bolicho.agents.blame import sentence, short
from bolicho.errors import BadInput
from bolicho.strict import read_json

BODY = 64 * 1024  # bytes of an answer at most


class Broken(Exception):
    """The bot gave no answer; says why."""


@dataclass(frozen=True)
class Address:
    """Where a bot listens."""

    scheme: str
    host: str
    port: int
    path: str


def read_address(url: str) -> Address:
    """An http or https address, which names a host and no secrets: it stands in reports."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as problem:
        raise BadInput(f"the bot's address {url!r} cannot be read: {problem}") from None
    if parts.scheme not in ("http", "https") or not parts.hostname or not url.isascii() or not url.isprintable():
        raise BadInput(f"a bot listens at an address like http://127.0.0.1:8080/, unlike {url!r}")
    if parts.username is not None or parts.password is not None or parts.fragment or " " in url:
        raise BadInput("the address of a bot has no user, no password, no spaces and no #")
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return Address(parts.scheme, parts.hostname, port or (443 if parts.scheme == "https" else 80), path)


class Line:
    """A connection to a bot."""

    def __init__(self, address: Address) -> None:
        self._address = address
        self._connection: _Connection | None = None

    def ask(self, question: bytes, seconds: float) -> str:
        """The action that the bot names; `Broken` where it does not within so many seconds."""
        end = monotonic() + seconds
        try:
            body = self._send(question, end)
        except TimeoutError:
            raise Broken(f"did not answer within {seconds:g} s") from None
        except (OSError, http.client.HTTPException, ValueError) as problem:
            raise Broken(sentence(f"gave no answer: {type(problem).__name__} {problem}".rstrip())) from None
        return _action(body)

    def close(self) -> None:
        """Hang up."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def __del__(self) -> None:
        self.close()

    def _send(self, question: bytes, end: float) -> bytes:
        """Ask over the connection that is there, or over a new one."""
        if self._connection is not None:
            try:
                return self._over(self._connection, question, end)
            except (http.client.RemoteDisconnected, ConnectionError):
                pass  # it was closed while nothing was asked
        self._connection = _Connection(self._address)
        return self._over(self._connection, question, end)

    def _over(self, connection: "_Connection", question: bytes, end: float) -> bytes:
        kept = False
        try:
            connection.end = end
            connection.request("POST", self._address.path, question, {"content-type": "application/json"})
            with connection.getresponse() as answer:
                body = _read(answer)
                kept = answer.isclosed() and not answer.will_close
            return body
        finally:
            if not kept:
                self.close()


def _read(answer: http.client.HTTPResponse) -> bytes:
    """The body of an answer that is one, and not too large."""
    if answer.status != 200:
        raise Broken(f"answered with status {answer.status} instead of 200")
    body = b"" if (answer.length or 0) > BODY else answer.read(BODY + 1)
    if (answer.length or 0) > BODY or len(body) > BODY:
        raise Broken(f"answered with more than {BODY} bytes")
    if answer.length:
        raise Broken("hung up in the middle of its answer")
    return body


def _action(body: bytes) -> str:
    """What an answer says."""
    try:
        answer = read_json(body)
    except BadInput as problem:
        raise Broken(sentence(f"answered {short(body)}: {problem}")) from None
    action = answer.get("action") if isinstance(answer, dict) else None
    if not isinstance(action, str):
        raise Broken(sentence(f'answered {short(answer)}, which is no {{"action": "..."}}'))
    return action


# --- Time -----------------------------------------------------------------------------------------


class _Connection(http.client.HTTPConnection):
    """A connection whose every wait ends when the time is over, however slowly bytes drip."""

    end = 0.0

    def __init__(self, address: Address) -> None:
        super().__init__(address.host, address.port)
        self._secure = address.scheme == "https"

    def connect(self) -> None:
        line = socket.create_connection((self.host, self.port), self.left())
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if self._secure:
            line = ssl.create_default_context().wrap_socket(line, server_hostname=self.host)
        self.sock: Any = _Timed(line, self.left)

    def left(self) -> float:
        """The seconds that are left."""
        left = self.end - monotonic()
        if left <= 0:
            raise TimeoutError
        return left


class _Timed:
    """As much of a socket as http.client uses."""

    def __init__(self, line: socket.socket, left: Callable[[], float]) -> None:
        self._line = line
        self._left = left

    def sendall(self, data: bytes) -> None:
        self._line.settimeout(self._left())
        self._line.sendall(data)

    def makefile(self, mode: str) -> io.BufferedReader:
        return io.BufferedReader(_Reading(self._line, self._left))

    def close(self) -> None:
        self._line.close()  # once nobody reads any more


class _Reading(io.RawIOBase):
    def __init__(self, line: socket.socket, left: Callable[[], float]) -> None:
        self._line = line
        self._raw = line.makefile("rb", buffering=0)
        self._left = left

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        self._line.settimeout(self._left())
        return self._raw.readinto(buffer)

    def close(self) -> None:
        self._raw.close()
        super().close()
