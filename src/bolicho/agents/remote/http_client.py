"""HTTP client of agents that ask a server: one request, one response, with limits on time and size.

Nothing in a response is trusted: an invalid response raises `InvalidReply` with a short reason. Redirects are not
followed. A connection is kept alive for the next request; one that the server has closed is reopened once, since a
request may safely be repeated.
"""

import http.client
import io
import socket
import ssl
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

from bolicho.agents.agent_errors import sentence, short
from bolicho.errors import BadInput
from bolicho.strict import read_json

BODY = 64 * 1024  # bytes: maximum size of a response


class InvalidReply(Exception):
    """The server gave no valid response; the message says why."""


class Late(InvalidReply):
    """The server gave no response within the limit."""


class Unreachable(InvalidReply):
    """The server did not accept the connection, or closed it."""


@dataclass(frozen=True)
class Address:
    """Address of a remote agent."""

    scheme: str
    host: str
    port: int
    path: str


def read_address(url: str) -> Address:
    """Read an http or https address with a host and no credentials, since it appears in reports."""
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


@dataclass(frozen=True)
class Reply:
    """Response of a server within the size limit."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class HttpClient:
    """Connection to a server; `headers` are added to every request, and a response has at most `most` bytes."""

    def __init__(self, address: Address, headers: Mapping[str, str] | None = None, most: int = BODY) -> None:
        self._address = address
        self._headers = {"content-type": "application/json", **(headers or {})}
        self._most = most
        self._connection: _Connection | None = None

    def ask(self, question: bytes, seconds: float) -> str:
        """Return the action of a remote agent; raise `InvalidReply` if none arrives within the limit."""
        reply = self.post(question, seconds)
        if reply.status != 200:
            raise InvalidReply(f"answered with status {reply.status} instead of 200")
        return _action(reply.body)

    def post(self, question: bytes, seconds: float) -> Reply:
        """Return the response to a request of any status; raise `InvalidReply` if none arrives within the limit."""
        end = monotonic() + seconds
        try:
            return self._send(question, end)
        except TimeoutError:
            raise Late(f"did not answer within {seconds:g} s") from None
        except (OSError, http.client.HTTPException, ValueError) as problem:
            raise Unreachable(sentence(f"gave no answer: {type(problem).__name__} {problem}".rstrip())) from None

    def close(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def __del__(self) -> None:
        self.close()

    def _send(self, question: bytes, end: float) -> Reply:
        """Send a request over the open connection, or over a new one."""
        if self._connection is not None:
            try:
                return self._over(self._connection, question, end)
            except (http.client.RemoteDisconnected, ConnectionError):
                pass  # the server closed it while idle
        self._connection = _Connection(self._address)
        return self._over(self._connection, question, end)

    def _over(self, connection: "_Connection", question: bytes, end: float) -> Reply:
        kept = False
        try:
            connection.end = end
            connection.request("POST", self._address.path, question, self._headers)
            with connection.getresponse() as answer:
                body = self._read(answer)
                kept = answer.isclosed() and not answer.will_close
            headers = {name.lower(): value for name, value in answer.getheaders()}
            return Reply(answer.status, headers, body)
        finally:
            if not kept:
                self.close()

    def _read(self, answer: http.client.HTTPResponse) -> bytes:
        """Return the body of a response within the size limit."""
        body = b"" if (answer.length or 0) > self._most else answer.read(self._most + 1)
        if (answer.length or 0) > self._most or len(body) > self._most:
            raise InvalidReply(f"answered with more than {self._most} bytes")
        if answer.length:
            raise InvalidReply("closed the connection in the middle of its answer")
        return body


def _action(body: bytes) -> str:
    """Return the action in a response."""
    try:
        answer = read_json(body)
    except BadInput as problem:
        raise InvalidReply(sentence(f"answered {short(body)}: {problem}")) from None
    action = answer.get("action") if isinstance(answer, dict) else None
    if not isinstance(action, str):
        raise InvalidReply(sentence(f'answered {short(answer)}, which is not {{"action": "..."}}'))
    return action


# --- Deadline ------------------------------------------------------------------------------------


class _Connection(http.client.HTTPConnection):
    """Connection whose every wait ends at the deadline, however slowly bytes arrive."""

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
        """Return the remaining seconds."""
        left = self.end - monotonic()
        if left <= 0:
            raise TimeoutError
        return left


class _Timed:
    """The part of a socket that http.client uses."""

    def __init__(self, line: socket.socket, left: Callable[[], float]) -> None:
        self._line = line
        self._left = left

    def sendall(self, data: bytes) -> None:
        self._line.settimeout(self._left())
        self._line.sendall(data)

    def makefile(self, mode: str) -> io.BufferedReader:
        return io.BufferedReader(_Reading(self._line, self._left))

    def close(self) -> None:
        self._line.close()  # effective once all readers are closed


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
