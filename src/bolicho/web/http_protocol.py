"""HTTP connections: time limits for headers and bodies, and requests that offer another protocol."""

import asyncio
from dataclasses import dataclass
from typing import Any

import httptools
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from bolicho.i18n import Message
from bolicho.web.match import dumps
from bolicho.web.refusal import Refusal


@dataclass(frozen=True)
class Timeouts:
    """Time limits of a connection, in seconds."""

    head: float = 10.0  # from the connection, or the first byte of a later request, to the end of the headers
    body: float = 20.0  # from the end of the headers to the end of the body
    idle: float = 5.0  # between a response and the next request
    ping: float = 25.0  # between pings of a WebSocket, and until each reply


LIMITS = Timeouts()


class Connection(HttpToolsProtocol):  # type: ignore[misc]
    """HTTP connection with one deadline at a time: for the headers of a request, then for its body."""

    parser: Any

    def __init__(self, *arguments: Any, limits: Timeouts, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self._limits = limits
        self._deadline: asyncio.TimerHandle | None = None

    # --- Time limits ----------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.Transport) -> None:
        super().connection_made(transport)
        self._limit(self._limits.head)

    def connection_lost(self, exc: Exception | None) -> None:
        self._limit(None)
        super().connection_lost(exc)

    def on_message_complete(self) -> None:
        self._limit(None)
        if not self._offers_another_protocol():
            super().on_message_complete()

    def _limit(self, seconds: float | None) -> None:
        """Set the deadline for the next data; None: no deadline."""
        if self._deadline is not None:
            self._deadline.cancel()
        self._deadline = None if seconds is None else self.loop.call_later(seconds, self._late)

    def _late(self) -> None:
        answered = self.cycle is None or self.cycle.response_complete
        if answered or not self.cycle.response_started:
            self._refuse(Refusal(408, Message("server.slow")))
        self.transport.close()

    def send_400_response(self, msg: str) -> None:
        self._refuse(Refusal(400, Message("server.bad", problem=msg)))

    def _refuse(self, refusal: Refusal) -> None:
        """Send a refusal without the application, and close the connection."""
        body = dumps(refusal.as_json()).encode()
        head = b"content-type: application/json\r\ncontent-length: %d\r\nconnection: close\r\n\r\n" % len(body)
        self.transport.write(STATUS_LINE[refusal.status] + head + body)
        self.transport.close()

    # --- Requests that offer another protocol ---------------------------------------------------

    def data_received(self, data: bytes) -> None:
        self._unset_keepalive_if_required()
        if self._deadline is None and (self.cycle is None or self.cycle.response_complete):
            self._limit(self._limits.head)
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserUpgrade as upgrade:
            if self._should_upgrade():
                self._limit(None)
                self.handle_websocket_upgrade()
            elif self.parser.get_method() == b"CONNECT":
                self.send_400_response("CONNECT is for proxies.")
            else:
                self._ignore_upgrade(data[upgrade.args[0] :])
        except httptools.HttpParserError:
            self.send_400_response("Invalid HTTP request.")

    def on_headers_complete(self) -> None:
        self._limit(self._limits.body)
        if not self._offers_another_protocol():
            super().on_headers_complete()

    def _offers_another_protocol(self) -> bool:
        """Return whether the request has an Upgrade header (or is CONNECT) that does not ask for a WebSocket."""
        return self.parser.should_upgrade() and not self._should_upgrade()

    def _ignore_upgrade(self, rest: bytes) -> None:
        """Parse the request again without its offer (RFC 9110, 7.8), since the parser skips a body after one."""
        kept = []
        for name, value in self.headers:
            if name == b"connection":
                tokens = [token.strip() for token in value.lower().split(b",")]
                value = b", ".join(token for token in tokens if token not in (b"upgrade", b"http2-settings"))
            if name not in (b"upgrade", b"http2-settings"):
                kept.append(name + b": " + value)
        version = self.parser.get_http_version().encode()
        head = [self.parser.get_method() + b" " + self.url + b" HTTP/" + version, *kept, b"", b""]
        self.parser = httptools.HttpRequestParser(self)
        self.parser.set_dangerous_leniencies(lenient_data_after_close=True)  # like the first parser
        self.data_received(b"\r\n".join(head) + rest)
