"""Streaming replies: lines of JSON as events happen, and regular empty lines."""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Iterator, MutableMapping
from contextlib import contextmanager, suppress
from typing import Any

from starlette.responses import Response

from bolicho.i18n import Message
from bolicho.web.limits import Receive, Send
from bolicho.web.refusal import Refusal

HEARTBEAT = 5.0  # most seconds between two lines
SLOW = 20.0  # seconds to send a line before a slow reader is disconnected
STREAMS = 64  # most streams of a token to matches, in one process
LISTENING = 4  # most streams of a token to its bot's events


class Streams:
    """Open streams of this process."""

    def __init__(self) -> None:
        self.ending = False
        self._open: set[Mailbox] = set()
        self._of: Counter[str] = Counter()

    @contextmanager
    def counted(self, key: str, most: int = STREAMS) -> Iterator[None]:
        """Count a stream for a key; refuse it if the key has too many."""
        if self.ending or self._of[key] >= most:
            raise Refusal(429, Message("server.crowd"), after=5)
        self._of[key] += 1
        try:
            yield
        finally:
            self._of[key] -= 1
            if self._of[key] == 0:
                del self._of[key]

    @contextmanager
    def mailbox(self) -> Iterator["Mailbox"]:
        """Yield a mailbox for the messages of a stream."""
        box = Mailbox()
        self._open.add(box)
        try:
            yield box
        finally:
            self._open.discard(box)

    def end(self) -> None:
        """End all streams."""
        self.ending = True
        for box in self._open:
            box.ended.set()


class Mailbox:
    """Transport (see `connections.Wire`) that holds one text until it is taken."""

    def __init__(self) -> None:
        self.ended = asyncio.Event()
        self._texts: asyncio.Queue[str] = asyncio.Queue(1)

    async def send_text(self, text: str) -> None:
        await self._texts.put(text)

    async def take(self) -> str | None:
        """Return the next text, an empty text after `HEARTBEAT` seconds without one, or None at the end."""
        taking, ending = asyncio.ensure_future(self._texts.get()), asyncio.ensure_future(self.ended.wait())
        try:
            await asyncio.wait({taking, ending}, timeout=HEARTBEAT, return_when=asyncio.FIRST_COMPLETED)
            if self.ended.is_set():
                return None
            return taking.result() if taking.done() else ""
        finally:
            taking.cancel()
            ending.cancel()


class Lines(Response):
    """Streaming response; ends when the reader disconnects or is too slow, and always calls `done`."""

    media_type = "application/x-ndjson"

    def __init__(self, lines: AsyncGenerator[str, None], done: Callable[[], None]) -> None:
        super().__init__(None, 200, {"cache-control": "no-store", "x-accel-buffering": "no"})
        del self.headers["content-length"]
        self._lines = lines
        self._done = done

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        sending = asyncio.ensure_future(self._send(send))
        leaving = asyncio.ensure_future(_left(receive))
        try:
            await asyncio.wait({sending, leaving}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            sending.cancel()
            leaving.cancel()
            await asyncio.gather(sending, leaving, return_exceptions=True)
            self._done()

    async def _send(self, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        try:
            async for line in self._lines:
                async with asyncio.timeout(SLOW):
                    await send({"type": "http.response.body", "body": f"{line}\n".encode(), "more_body": True})
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        except TimeoutError:
            pass  # the reader is too slow
        finally:
            with suppress(RuntimeError):
                await self._lines.aclose()


async def _left(receive: Receive) -> None:
    """Return when the client disconnects."""
    while (await receive())["type"] != "http.disconnect":
        pass
