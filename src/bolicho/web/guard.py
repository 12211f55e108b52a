"""What keeps the table safe: sizes, rates, headers."""

from collections import OrderedDict
from collections.abc import Awaitable, Callable, MutableMapping
from time import monotonic
from typing import Any

from bolicho.web.match import dumps
from bolicho.web.refusal import Refusal
from bolicho.words import Said

BODY = 16 * 1024  # bytes of a request

HEADERS = [
    (
        b"content-security-policy",
        b"default-src 'self'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'",
    ),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), microphone=(), geolocation=()"),
]

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]


class Rate:
    """So many a second for each key, after a burst of so many; a refusal says when to come back."""

    def __init__(self, a_second: float, burst: float, keys: int = 100_000) -> None:
        self.a_second = a_second
        self.burst = burst
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._keys = keys

    def take(self, key: str) -> None:
        """Take one of what a key has left, or refuse."""
        moment = monotonic()
        left, at = self._left.pop(key, (self.burst, moment))
        left = min(self.burst, left + (moment - at) * self.a_second)
        if left < 1:
            self._left[key] = (left, moment)
            raise Refusal(429, Said("server.rate"), after=(1 - left) / self.a_second)
        self._left[key] = (left - 1, moment)
        if len(self._left) > self._keys:
            self._left.popitem(last=False)


class Guard:
    """Around the app: refuses bodies that are too large, and sends the headers that keep pages to themselves."""

    def __init__(self, app: Callable[[Scope, Receive, Send], Awaitable[None]]) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        read = 0

        async def bounded() -> MutableMapping[str, Any]:
            nonlocal read
            message = await receive()
            read += len(message.get("body", b""))
            if read > BODY:
                raise _TooLarge
            return message

        begun = False

        async def with_headers(message: MutableMapping[str, Any]) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = True
                message["headers"] = [*message.get("headers", ()), *HEADERS]
            await send(message)

        try:
            await self.app(scope, bounded, with_headers)
        except _TooLarge:
            if begun:
                raise
            body = dumps(Refusal(413, Said("server.large", bytes=BODY)).as_json()).encode()
            headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
            await with_headers({"type": "http.response.start", "status": 413, "headers": headers})
            await send({"type": "http.response.body", "body": body})


class _TooLarge(Exception):
    pass
