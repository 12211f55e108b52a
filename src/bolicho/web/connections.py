"""Connections of this process, and the messages sent to them."""

import asyncio
import logging
import threading
from collections import Counter, deque
from collections.abc import Callable, Coroutine, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from math import inf
from typing import Any, Protocol

from bolicho.agents.registry import is_elsewhere
from bolicho.errors import BadInput
from bolicho.i18n import Message
from bolicho.web import requests
from bolicho.web.clock import SYSTEM, Clock
from bolicho.web.match import Audience, dumps
from bolicho.web.refusal import Refusal
from bolicho.web.transactions import BOT, EVERYBODY, MatchUpdate, Transaction, TransactionThread
from bolicho.web.workers import AgentPool

log = logging.getLogger("bolicho.web")

BEHIND = 64  # unsent messages after which a connection is given up
RETRY_PAUSES = (1.0, 4.0, 0.0)  # seconds after each failed call of a bot; after the last one it forfeits
LONGEST_PAUSE = 30.0  # most seconds between two attempts while workers or the database fail
WATCHED, WATCHED_BY_CLIENT = 128, 16  # matches of agents alone that this process plays at a time
HEARTBEAT = 20.0  # seconds between two writes of the seats that are connected


class TextTransport(Protocol):
    """Transport for texts: a WebSocket."""

    async def send_text(self, text: str) -> None: ...


class LiveConnection:
    """Connection to a match, of a seat or a spectator."""

    def __init__(self, wire: TextTransport, match: str, client: str = "") -> None:
        self.match = match
        self.client = client
        self.seat: Audience = None
        self.ply = -2  # newest ply it has received; -2 before the first message
        self.lost = False
        self.is_catching_up = False
        self._wire = wire
        self._box: deque[tuple[float, str]] = deque()  # unsent texts, each with its ply
        self._greeted = False
        self._task: asyncio.Task[None] | None = None

    def greet(self, text: str, ply: float = -inf) -> None:
        """Send the state at a ply first, and drop unsent messages that are older."""
        self._box = deque([(ply, text), *[one for one in self._box if one[0] >= ply]])
        self._greeted = True
        self._send()

    def hold(self) -> None:
        """Keep messages until the next `greet`."""
        self._greeted = False

    def push(self, text: str, ply: float = inf) -> None:
        """Queue a message, with its ply if it has one, and send it in the background."""
        self._box.append((ply, text))
        if len(self._box) > BEHIND:
            self.lost = True
        elif self._greeted:
            self._send()

    def _send(self) -> None:
        if self._task is None and not self.lost:
            self._task = asyncio.ensure_future(self._drain())

    async def _drain(self) -> None:
        try:
            while self._box and self._greeted:
                await self._wire.send_text(self._box.popleft()[1])
        except Exception:  # closed connections raise different exceptions, depending on the ASGI server
            self.lost = True
        finally:
            self._task = None


class Connections:
    """Connections of this process, and the running calls of agents in their matches."""

    def __init__(self, agent_pool: AgentPool, clock: Clock = SYSTEM) -> None:
        self.agent_pool = agent_pool
        self._clock = clock
        self.transactions: TransactionThread
        self._tasks: set[asyncio.Task[None]] = set()
        self._lock = threading.Lock()
        self._client_connections: dict[str, tuple[LiveConnection, ...]] = {}
        self._audiences: dict[str, tuple[Audience, ...]] = {}
        self._waiting: dict[str, list[asyncio.Event]] = {}
        self._thinking: dict[str, asyncio.Task[None]] = {}
        self._watched: Counter[str] = Counter()  # matches of agents alone that are played, by client
        self._makers: dict[str, str] = {}  # creating client, by match
        self._called: set[str] = set()  # matches to look at again when their running call ends
        self._heard: dict[tuple[str, int], tuple[float, bool]] = {}

    # --- Called from the thread of the database worker ----------------------------------------------

    def listening(self, match: str) -> tuple[Audience, ...]:
        """Return the audiences of a match here: seats, and None for spectators."""
        return self._audiences.get(match, ())

    def is_looked_at(self, match: str) -> bool:
        """Return whether a connection or a long poll of this process waits for a match."""
        return match in self._audiences or match in self._waiting

    def send_changes(self, news: Iterable[MatchUpdate]) -> None:
        """Send the changes of matches to their connections; runs in the event loop's thread."""
        for new in news:
            for client_connection in self._client_connections.get(new.match, ()):
                if client_connection.ply == new.before and client_connection.seat in new.messages:
                    client_connection.push(new.messages[client_connection.seat], new.ply)
                    client_connection.ply = new.ply
                elif -2 < client_connection.ply < new.ply:
                    self._catch_up_soon(client_connection)
            self._set_events(new.match)
            self.wake_streams(new.bots)
            if new.agent_to_act is not None:
                self.think(new.match)

    def wake_streams(self, bots: Iterable[str]) -> None:
        """Wake the event streams of bots."""
        for name in bots:
            every = [key for key in self._waiting if key.startswith(BOT)]
            for key in every if name == EVERYBODY else [BOT + name]:
                self._set_events(key)

    def _set_events(self, key: str) -> None:
        for event in self._waiting.pop(key, ()):
            event.set()

    @contextmanager
    def next_change(self, key: str) -> Iterator[asyncio.Event]:
        """Yield an event that is set once, at the next change of a match or of a bot's challenges."""
        event = asyncio.Event()
        self._waiting.setdefault(key, []).append(event)
        try:
            yield event
        finally:
            waiting = self._waiting.get(key)
            if waiting is not None and event in waiting:
                waiting.remove(event)
                if not waiting:
                    del self._waiting[key]

    # --- Registration of connections -----------------------------------------------------------------

    def join(self, client_connection: LiveConnection, seat: Audience, ply: int) -> None:
        """Register a connection from a ply on; called in the transaction that reads the match."""
        client_connection.seat, client_connection.ply = seat, ply
        with self._lock:
            self._set(
                client_connection.match, (*self._others(client_connection), client_connection)
            )  # once, though a transaction may run twice

    def leave(self, client_connection: LiveConnection) -> None:
        """Remove a connection."""
        with self._lock:
            client_connections = self._others(client_connection)
            self._set(client_connection.match, client_connections)
        if client_connection.seat is not None and not any(
            one.seat == client_connection.seat for one in client_connections
        ):
            self.record_sign_of_life(client_connection.match, client_connection.seat, here=False)

    def _others(self, client_connection: LiveConnection) -> tuple[LiveConnection, ...]:
        return tuple(
            [one for one in self._client_connections.get(client_connection.match, ()) if one is not client_connection]
        )

    def _set(self, match: str, client_connections: tuple[LiveConnection, ...]) -> None:
        """Set the connections of a match, in order of arrival; another thread reads them, so nothing is mutated."""
        if client_connections:
            self._client_connections[match] = client_connections
            self._audiences[match] = tuple(dict.fromkeys([one.seat for one in client_connections]))
        else:
            self._client_connections.pop(match, None)
            self._audiences.pop(match, None)

    def record_sign_of_life(self, match: str, seat: int, here: bool = True) -> None:
        """Record a sign of life of a seat; write arrivals and departures at once, the rest with `beat`."""
        known, now = self._heard.get((match, seat)), self._clock.now()
        self._heard[match, seat] = (now, here)
        if known is None or known[1] != here:
            self._soon(_quietly(self.transactions.ask(partial(requests.seen, heard={(match, seat): (now, here)}))))
        if not here:
            self._heard.pop((match, seat))

    async def beat(self) -> None:
        """Write regularly which seats are still connected."""
        while True:
            await self._clock.sleep(HEARTBEAT)
            late = self._clock.now() - 2 * HEARTBEAT
            self._heard = {who: what for who, what in self._heard.items() if what[0] > late}
            self._soon(self._note_heard())

    async def _note_heard(self) -> None:
        with suppress(Refusal):
            for match in await self.transactions.ask(
                partial(requests.seen, heard=self._heard, looked_at=list(self._client_connections))
            ):
                self.think(match)

    def crowd(self, match: str, seat: Audience) -> int:
        """Return how many connections a seat has, or the spectators together."""
        return sum(one.seat == seat for one in self._client_connections.get(match, ()))

    def watchers(self, match: str, client: str) -> int:
        """Return how many connections of one client watch a match."""
        return sum(one.seat is None and one.client == client for one in self._client_connections.get(match, ()))

    def moved(self, client_connection: LiveConnection, ply: int, is_new: bool, problem: BaseException | None) -> None:
        """Handle the result of a move; a new move reaches its player with the changes of the match."""
        if problem is not None:
            if not isinstance(problem, Refusal):
                log.error("a move raised an exception", exc_info=problem)
                problem = Refusal(500, Message("server.broken"))
            client_connection.push(refusal_text(problem, ply))
        elif not is_new:
            self._catch_up_soon(client_connection)

    def _catch_up_soon(self, client_connection: LiveConnection) -> None:
        if not client_connection.is_catching_up:
            client_connection.is_catching_up = True
            self._soon(self.catch_up(client_connection))

    async def catch_up(self, client_connection: LiveConnection) -> None:
        """Send the whole view to a connection that has missed something, before any news; repeat it while that fails.

        A transaction that fails when it is committed has set `client_connection.ply` to a ply that was never sent.
        """
        client_connection.hold()
        known, pauses = client_connection.ply, 0
        try:
            while True:
                try:
                    look = await self.transactions.ask(
                        lambda transaction: self._look_again(transaction, client_connection)
                    )
                except Refusal as refusal:
                    client_connection.ply = known
                    if refusal.status != 503:
                        return client_connection.greet(refusal_text(refusal))
                    await self._clock.sleep(min(2.0**pauses, LONGEST_PAUSE))
                    pauses += 1
                    if client_connection not in self._client_connections.get(client_connection.match, ()):
                        return None
                else:
                    return client_connection.greet(*look)
        finally:
            client_connection.is_catching_up = False

    def _look_again(self, transaction: Transaction, client_connection: LiveConnection) -> tuple[str, int]:
        match = transaction.match(client_connection.match)
        client_connection.ply = match.ply
        return match.message(client_connection.seat, transaction.now), match.ply

    async def changed(self, match: str, ask: Callable[[], Any], seconds: float) -> None:
        """Wait until a match changes or the time is over; return at once if `ask` says that it has changed."""
        with self.next_change(match) as event, suppress(TimeoutError):
            if not await ask():
                await asyncio.wait_for(event.wait(), seconds)

    def _soon(self, work: Coroutine[Any, Any, None]) -> None:
        """Run a coroutine in the background."""
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    # --- Calls of agents -----------------------------------------------------------------------------

    @contextmanager
    def watched(self, client: str) -> Iterator[list[str]]:
        """Count a match of agents alone while it is created and played; the block adds the match's id to the list."""
        most = WATCHED_BY_CLIENT if self._watched[client] >= WATCHED_BY_CLIENT else WATCHED
        if self._watched[client] >= WATCHED_BY_CLIENT or self._watched.total() >= WATCHED:
            raise Refusal(429, Message("server.watched", most=most), after=10)
        self._watched[client] += 1
        made: list[str] = []
        try:
            yield made
        finally:
            if made and made[0] in self._thinking:
                self._makers[made[0]] = client
            else:
                self._watched[client] -= 1

    def think(self, match: str) -> None:
        """Call the agent to act in the background; if a call is running, look at the match again afterwards."""
        if match in self._thinking:
            self._called.add(match)
            return
        task = self._thinking[match] = asyncio.ensure_future(self._think(match))
        task.add_done_callback(lambda _: self._thought(match))

    def _thought(self, match: str) -> None:
        self._thinking.pop(match, None)
        if match in self._called:
            self.think(match)
        elif match in self._makers:
            client = self._makers.pop(match)
            self._watched[client] -= 1
            self._watched += Counter()  # drops zero counts

    async def _think(self, match: str) -> None:
        pauses = 0
        while True:
            self._called.discard(match)
            try:
                if not await self._play_one(match):
                    return
                pauses = 0
            except Refusal as refusal:
                if refusal.status != 503 or not self.is_looked_at(match):
                    return  # the next client that looks at the match starts the call again
                # connected clients do not look again by themselves
                await self._clock.sleep(min(2.0**pauses, LONGEST_PAUSE))
                pauses += 1

    async def _play_one(self, match: str) -> bool:
        """Let the agent to act play; return False if no agent is to act."""
        progress = await self.transactions.ask(partial(requests.go_on, number=match))
        while progress.more:
            progress = await self.transactions.ask(partial(requests.go_on, number=match), progress.watched)
        asked = await self.transactions.ask(partial(requests.thought, number=match), progress.watched)
        if asked is None:
            return False
        ply, thought = asked
        facts = await self._decided(thought)
        done = (
            partial(requests.forfeit, number=match, ply=ply)
            if facts is None
            else partial(requests.agent_move, number=match, ply=ply, action=facts["number"])
        )
        await self.transactions.ask(done, progress.watched)
        return True

    async def _decided(self, thought: Any) -> dict[str, Any] | None:
        """Return an agent's decision; None if a bot at an address fails repeatedly."""
        for pause in RETRY_PAUSES:
            try:
                return await self.ask_agent(thought)
            except Refusal:
                if not is_elsewhere(thought.spec):
                    raise
                await self._clock.sleep(pause)
        return None

    async def ask_agent(self, thought: Any, explain: bool = False) -> dict[str, Any]:
        """Call an agent in a worker process; repeat the call once if that process is lost."""
        for _ in range(2):
            try:
                return await asyncio.wrap_future(self.agent_pool.think(thought, explain))
            except RuntimeError:  # BrokenProcessPool is a subclass
                continue
            except BadInput:  # the agent failed
                break
        raise Refusal(503, Message("server.thinker"), after=2)


def refusal_text(refusal: Refusal, ply: int | None = None) -> str:
    """Return a refusal as a message."""
    return dumps({"is": "refused", "ply": ply, **refusal.as_json()})


async def _quietly(future: "asyncio.Future[Any]") -> None:
    with suppress(Refusal):
        await future
