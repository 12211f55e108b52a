"""Minimal WebSocket client, so that the driver is not the bottleneck of a load test."""

import asyncio
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import numpy as np

TEXT, CLOSE, PING, PONG = 1, 8, 9, 10
MASKED = 0x80
NO_MASK = b"\0\0\0\0"  # clients must mask; this mask keeps the payload


def frame(payload: bytes, kind: int = TEXT) -> bytes:
    """Encode a message of the client as one frame."""
    size = len(payload)
    if size < 126:
        return bytes((0x80 | kind, MASKED | size)) + NO_MASK + payload
    return bytes((0x80 | kind, MASKED | 126, size >> 8, size & 255)) + NO_MASK + payload


class TcpClient(asyncio.Protocol):
    """WebSocket connection that calls `heard` with every message."""

    def __init__(self, path: str, host: str, heard: Callable[["TcpClient", bytes], None]) -> None:
        self._hello = (
            f"GET {path} HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n"
        ).encode()
        self._heard = heard
        self._data = b""
        self.open: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.lost = False

    def connection_made(self, transport: Any) -> None:
        self._transport = transport
        self._transport.write(self._hello)

    def connection_lost(self, problem: Exception | None) -> None:
        self.lost = True
        if not self.open.done():
            self.open.set_exception(ConnectionError("the server has closed the connection"))

    def send(self, text: bytes) -> None:
        """Send a message."""
        self._transport.write(frame(text))

    def close(self) -> None:
        """End the connection."""
        self._transport.close()

    def data_received(self, data: bytes) -> None:
        data = self._data + data if self._data else data
        if not self.open.done():
            head, end, data = data.partition(b"\r\n\r\n")
            if not end:
                self._data = head
                return
            if b" 101 " not in head.split(b"\r\n")[0]:
                self.open.set_exception(ConnectionError(head.split(b"\r\n")[0].decode()))
                return
            self.open.set_result(None)
        at = 0
        while len(data) - at >= 2:
            kind, size, body = data[at] & 15, data[at + 1], at + 2
            if size == 126:
                size, body = int.from_bytes(data[at + 2 : at + 4]), at + 4
            elif size == 127:
                size, body = int.from_bytes(data[at + 2 : at + 10]), at + 10
            if len(data) < body + size or body > len(data):
                break
            at = body + size
            if kind == TEXT:
                self._heard(self, data[body:at])
            elif kind == PING:
                self._transport.write(frame(data[body:at], PONG))
        self._data = data[at:]


async def connect(base: str, path: str, heard: Callable[[TcpClient, bytes], None]) -> TcpClient:
    """Open a WebSocket connection."""
    parts = urlsplit(base)
    loop = asyncio.get_running_loop()
    _, wire = await loop.create_connection(
        lambda: TcpClient(path, parts.netloc, heard), parts.hostname or "127.0.0.1", parts.port or 80
    )
    await wire.open
    return wire


def percentile(values: list[float], share: float) -> float:
    """Return the quantile `share` of values, or NaN without values."""
    return float(np.quantile(values, share)) if values else float("nan")
