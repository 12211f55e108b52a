"""Limits on sizes and rates of requests, and security headers."""

from collections import OrderedDict
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from starlette.exceptions import HTTPException

from bolicho.i18n import Message
from bolicho.web.clock import SYSTEM, Clock
from bolicho.web.refusal import Refusal

BODY = 16 * 1024  # most bytes of a request
PLAN = 512 * 1024  # most bytes of a request of researchers, which may hold the plan of a study
RESEARCH = "/api/research/"  # beginning of their paths

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

MOVES, QUESTIONS, MATCHES, LOOKS = (20, 60), (2, 20), (200, 2000), (30, 200)
"""Requests of a client a second, and at once: moves, questions to agents, new matches, looks at runs."""

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]


class Rate:
    """Token bucket for each key: a rate per second and a burst; a refusal says when to repeat the request."""

    def __init__(self, a_second: float, burst: float, keys: int = 100_000, clock: Clock = SYSTEM) -> None:
        self.a_second = a_second
        self.burst = burst
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._keys = keys
        self._clock = clock

    def take(self, key: str) -> None:
        """Use one token of a key, or refuse."""
        moment = self._clock.monotonic()
        left, at = self._left.pop(key, (self.burst, moment))
        left = min(self.burst, left + (moment - at) * self.a_second)
        if left < 1:
            self._left[key] = (left, moment)
            raise Refusal(429, Message("server.rate"), after=(1 - left) / self.a_second)
        self._left[key] = (left - 1, moment)
        if len(self._left) > self._keys:
            self._left.popitem(last=False)

    def give_back(self, key: str) -> None:
        """Undo one `take`; a key with its whole burst is dropped."""
        if key in self._left:
            left, at = self._left[key]
            if left + 1 < self.burst:
                self._left[key] = (left + 1, at)
            else:
                del self._left[key]

    def knows(self, key: str) -> bool:
        """Return whether a key has used tokens that were not given back."""
        return key in self._left


class RequestLimits:
    """Middleware that refuses large bodies and adds security headers."""

    def __init__(self, app: Callable[[Scope, Receive, Send], Awaitable[None]]) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        read, most = 0, PLAN if scope["path"].startswith(RESEARCH) else BODY

        async def bounded() -> MutableMapping[str, Any]:
            nonlocal read
            message = await receive()
            read += len(message.get("body", b""))
            if read > most:
                raise HTTPException(413)
            return message

        async def with_headers(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                given = list(message.get("headers", ()))
                known = {name for name, _ in given}  # a stricter policy of the response stays
                message["headers"] = given + [header for header in HEADERS if header[0] not in known]
            await send(message)

        await self.app(scope, bounded, with_headers)
