"""Connections and notifications between simulated processes."""

import asyncio
from collections import deque
from typing import TYPE_CHECKING, Any

from starlette.websockets import WebSocketDisconnect

from bolicho.web.match import Audience, dumps

if TYPE_CHECKING:
    from bolicho.web.simulation.servers import Server
    from bolicho.web.simulation.world import World

LATENCY = 0.03  # mean seconds of a message's way
DELAYED = 20.0  # most seconds of a delayed message


class Inbox:
    """Queue of received texts for one reader; None at the end."""

    def __init__(self) -> None:
        self._texts: deque[str | None] = deque()
        self._reader: asyncio.Future[None] | None = None

    def put(self, text: str | None) -> None:
        """Add a text, and wake the reader."""
        self._texts.append(text)
        if self._reader is not None and not self._reader.done():
            self._reader.set_result(None)

    async def take(self, seconds: float | None = None) -> tuple[bool, str | None]:
        """Wait for a text; return (False, None) after that many seconds without one."""
        if not self._texts:
            loop = asyncio.get_running_loop()
            self._reader = reader = loop.create_future()
            timer = None if seconds is None else loop.call_later(seconds, _give_up, reader)
            await reader
            if timer is not None:
                timer.cancel()
        return (True, self._texts.popleft()) if self._texts else (False, None)


def _give_up(reader: "asyncio.Future[None]") -> None:
    if not reader.done():
        reader.set_result(None)


class SimulatedSocket:
    """WebSocket between a client and a server process.

    Messages of the server arrive in order or not at all, as with TCP; those of the client may be lost, duplicated and
    delayed one by one, since clients may repeat any message.
    """

    def __init__(self, world: "World", server: "Server", match: str, seat: Audience) -> None:
        self.match = match
        self.seat = seat
        self.is_broken = False
        self._world = world
        self._server = server
        self._to_server, self._to_client = Inbox(), Inbox()
        self._arrives = 0.0  # when the server's last message arrives
        self._newest = -2  # ply of the newest message
        server.wires[self] = None

    # --- Server side: methods of a WebSocket that `converse` and `LiveConnection` use ---------------------------

    async def accept(self) -> None:
        """Do nothing: the connection is open."""

    async def receive_text(self) -> str:
        """Return the next message of the client."""
        _, text = await self._to_server.take()
        if text is None:
            raise WebSocketDisconnect(1006)
        if self._newest > -2:  # before its first message, the server does not know the seat
            self._world.record_sign_of_life(self.match, self.seat)
        return text

    async def send_text(self, text: str) -> None:
        """Send a message, which must be true at this moment."""
        if self.is_broken:
            raise RuntimeError("the connection is broken")
        before, self._newest = self._newest, self._world.check_message(self, text, self._newest)
        if before == -2 < self._newest:
            self._world.record_sign_of_life(self.match, self.seat)
        self._later(self._to_client, text)

    async def close(self, code: int = 1000) -> None:
        """Close the connection after the messages sent so far."""
        self._later(self._to_client, None)

    def _later(self, inbox: Inbox, text: str | None) -> None:
        loop, network = self._world.loop, self._world.network
        self._arrives = max(self._arrives, loop.time() + self._world.random.expovariate(1 / LATENCY))
        loop.call_at(self._arrives, self._arrive, inbox, text, context=network.context)

    def _arrive(self, inbox: Inbox, text: str | None) -> None:
        if not self.is_broken:
            inbox.put(text)

    # --- Client side ----------------------------------------------------------------------------------

    def say(self, message: dict[str, Any]) -> None:
        """Send a message, which may be lost, duplicated or delayed."""
        if self.is_broken:
            return
        world, faults, text = self._world, self._world.faults, dumps(message)
        for _ in range(1 + faults.happens("message sent twice")):
            if faults.happens("message lost"):
                continue
            delay = world.random.expovariate(1 / LATENCY)
            if faults.happens("message delayed"):
                delay = world.random.uniform(0, DELAYED)
            world.trace("say", self.match, self.seat, text)
            world.loop.call_later(delay, self._arrive, self._to_server, text, context=world.network.context)
        if faults.happens("connection lost"):
            self.cut()

    async def receive(self, seconds: float) -> tuple[bool, str | None]:
        """Wait for a message of the server; return whether one came, and its text (None: the connection ended)."""
        return await self._to_client.take(seconds)

    def cut(self) -> None:
        """Break the connection: both sides notice, and nothing more arrives."""
        if not self.is_broken:
            self.is_broken = True
            self._world.trace("cut", self.match, self.seat)
            self._to_server.put(None)
            self._to_client.put(None)
            self._server.wires.pop(self, None)


class Notifications:
    """Notifications between processes, as in PostgreSQL: after a commit, to all that listen."""

    def __init__(self, world: "World") -> None:
        self._world = world
        self._inboxes: dict[Server, Inbox] = {}

    def listen(self, server: "Server") -> Inbox:
        """Listen from now on."""
        inbox = self._inboxes[server] = Inbox()
        return inbox

    def cut(self, server: "Server") -> None:
        """End the connection of a process, which may listen again."""
        inbox = self._inboxes.pop(server, None)
        if inbox is not None:
            inbox.put(None)

    def send(self, text: str) -> None:
        """Send a text to all that listen."""
        for inbox in self._inboxes.values():
            inbox.put(text)
