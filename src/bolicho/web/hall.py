"""Who is connected to which match in this process, and how they are told."""

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
from bolicho.web import requests
from bolicho.web.clerk import BOT, EVERYBODY, Book, Clerk, News
from bolicho.web.clock import SYSTEM, Clock
from bolicho.web.match import Audience, dumps
from bolicho.web.refusal import Refusal
from bolicho.web.thinking import Roster
from bolicho.words import Said

log = logging.getLogger("bolicho.web")

BEHIND = 64  # messages that somebody may not have taken before the connection is given up
AGAIN = (1.0, 4.0, 0.0)  # seconds after each time that a bot was asked in vain; then its game is lost
PATIENCE = 30.0  # most seconds between two attempts to let an agent play, while workers or the database fail
WATCHED, WATCHED_BY_CLIENT = 128, 16  # matches of agents alone that are played at a time in this process
HEARTBEAT = 20.0  # seconds between two notes of who is here


class Wire(Protocol):
    """Something that takes texts: a WebSocket."""

    async def send_text(self, text: str) -> None: ...


class Guest:
    """One connection to a match: of a seat, or of somebody who watches."""

    def __init__(self, wire: Wire, match: str, client: str = "") -> None:
        self.match = match
        self.client = client
        self.seat: Audience = None
        self.ply = -2  # the newest it knows of; -2 before it has seen anything
        self.lost = False
        self.is_catching_up = False
        self._wire = wire
        self._box: deque[tuple[float, str]] = deque()  # texts, each with the ply it tells of
        self._greeted = False
        self._task: asyncio.Task[None] | None = None

    def greet(self, text: str, ply: float = -inf) -> None:
        """Send a look at the match at a ply; of what waits to be sent, only what is not older follows."""
        self._box = deque([(ply, text), *[one for one in self._box if one[0] >= ply]])
        self._greeted = True
        self._send()

    def hold(self) -> None:
        """What comes now waits for the next greeting."""
        self._greeted = False

    def push(self, text: str, ply: float = inf) -> None:
        """Send a message, which may tell of a ply, after those before it, without waiting."""
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
        except Exception:  # the connection is gone, however the server below says it
            self.lost = True
        finally:
            self._task = None


class Hall:
    """Everybody who is connected in this process, and the agents they wait for."""

    def __init__(self, roster: Roster, clock: Clock = SYSTEM) -> None:
        self.roster = roster
        self._clock = clock
        self.clerk: Clerk
        self._tasks: set[asyncio.Task[None]] = set()
        self._lock = threading.Lock()
        self._guests: dict[str, tuple[Guest, ...]] = {}
        self._audiences: dict[str, tuple[Audience, ...]] = {}
        self._waiting: dict[str, list[asyncio.Event]] = {}
        self._thinking: dict[str, asyncio.Task[None]] = {}
        self._watched: Counter[str] = Counter()  # matches of agents alone that are played, by the client that made them
        self._makers: dict[str, str] = {}  # the clients, by match
        self._called: set[str] = set()  # matches to be seen to while they are under way
        self._heard: dict[tuple[str, int], tuple[float, bool]] = {}

    # --- For the clerk: called from its thread ------------------------------------------------------

    def listening(self, match: str) -> tuple[Audience, ...]:
        """Who is told of a match here: the seats, and None for those who watch."""
        return self._audiences.get(match, ())

    def is_looked_at(self, match: str) -> bool:
        """Whether anybody here waits for something to happen in a match, connected or in a long poll."""
        return match in self._audiences or match in self._waiting

    def tell(self, news: Iterable[News]) -> None:
        """Tell everybody who is connected; in the loop's thread."""
        for new in news:
            for guest in self._guests.get(new.match, ()):
                if guest.ply == new.before and guest.seat in new.messages:
                    guest.push(new.messages[guest.seat], new.ply)
                    guest.ply = new.ply
                elif -2 < guest.ply < new.ply:
                    self._catch_up_soon(guest)
            self._ring(new.match)
            self.ring(new.bots)
            if new.thinker is not None:
                self.think(new.match)

    def ring(self, bots: Iterable[str]) -> None:
        """Let bots that listen here look what is new for them."""
        for name in bots:
            every = [key for key in self._waiting if key.startswith(BOT)]
            for key in every if name == EVERYBODY else [BOT + name]:
                self._ring(key)

    def _ring(self, key: str) -> None:
        for event in self._waiting.pop(key, ()):
            event.set()

    @contextmanager
    def bell(self, key: str) -> Iterator[asyncio.Event]:
        """What rings when something happens in a match, or to a bot, from now on; once."""
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

    # --- Coming and going ----------------------------------------------------------------------------

    def join(self, guest: Guest, seat: Audience, ply: int) -> None:
        """A connection listens from a ply on; called by the clerk, in the transaction that looks."""
        guest.seat, guest.ply = seat, ply
        with self._lock:
            self._set(guest.match, (*self._others(guest), guest))  # once, though a transaction may be run again

    def leave(self, guest: Guest) -> None:
        """A connection is gone."""
        with self._lock:
            guests = self._others(guest)
            self._set(guest.match, guests)
        if guest.seat is not None and not any(one.seat == guest.seat for one in guests):
            self.hear(guest.match, guest.seat, here=False)

    def _others(self, guest: Guest) -> tuple[Guest, ...]:
        return tuple([one for one in self._guests.get(guest.match, ()) if one is not guest])

    def _set(self, match: str, guests: tuple[Guest, ...]) -> None:
        """Set the connections of a match, in the order they came; another thread reads them, so nothing is mutated."""
        if guests:
            self._guests[match] = guests
            self._audiences[match] = tuple(dict.fromkeys([one.seat for one in guests]))
        else:
            self._guests.pop(match, None)
            self._audiences.pop(match, None)

    def hear(self, match: str, seat: int, here: bool = True) -> None:
        """Somebody was heard of; who comes or goes is noted at once, who stays now and then."""
        known, now = self._heard.get((match, seat)), self._clock.now()
        self._heard[match, seat] = (now, here)
        if known is None or known[1] != here:
            self._soon(_quietly(self.clerk.ask(partial(requests.seen, heard={(match, seat): (now, here)}))))
        if not here:
            self._heard.pop((match, seat))

    async def beat(self) -> None:
        """Note now and then who is still here."""
        while True:
            await self._clock.sleep(HEARTBEAT)
            late = self._clock.now() - 2 * HEARTBEAT
            self._heard = {who: what for who, what in self._heard.items() if what[0] > late}
            self._soon(self._note_heard())

    async def _note_heard(self) -> None:
        with suppress(Refusal):
            for match in await self.clerk.ask(partial(requests.seen, heard=self._heard, looked_at=list(self._guests))):
                self.think(match)

    def crowd(self, match: str, seat: Audience) -> int:
        """How many connections a seat has, or those who watch."""
        return sum(one.seat == seat for one in self._guests.get(match, ()))

    def watchers(self, match: str, client: str) -> int:
        """Return how many connections of one client watch a match."""
        return sum(one.seat is None and one.client == client for one in self._guests.get(match, ()))

    def moved(self, guest: Guest, ply: int, is_new: bool, problem: BaseException | None) -> None:
        """A move was answered: who played it is told like everybody else, unless there is nothing new."""
        if problem is not None:
            if not isinstance(problem, Refusal):
                log.error("a move broke the server", exc_info=problem)
                problem = Refusal(500, Said("server.broken"))
            guest.push(refusal_text(problem, ply))
        elif not is_new:
            self._catch_up_soon(guest)

    def _catch_up_soon(self, guest: Guest) -> None:
        if not guest.is_catching_up:
            guest.is_catching_up = True
            self._soon(self.catch_up(guest))

    async def catch_up(self, guest: Guest) -> None:
        """Send the whole view to a connection that has missed something, before any news; repeat it while that fails.

        A transaction that fails when it is committed has set `guest.ply` to what was never sent.
        """
        guest.hold()
        known, pauses = guest.ply, 0
        try:
            while True:
                try:
                    look = await self.clerk.ask(lambda book: self._look_again(book, guest))
                except Refusal as refusal:
                    guest.ply = known
                    if refusal.status != 503:
                        return guest.greet(refusal_text(refusal))
                    await self._clock.sleep(min(2.0**pauses, PATIENCE))
                    pauses += 1
                    if guest not in self._guests.get(guest.match, ()):
                        return None
                else:
                    return guest.greet(*look)
        finally:
            guest.is_catching_up = False

    def _look_again(self, book: Book, guest: Guest) -> tuple[str, int]:
        match = book.match(guest.match)
        guest.ply = match.ply
        return match.message(guest.seat, book.now), match.ply

    async def changed(self, match: str, ask: Callable[[], Any], seconds: float) -> None:
        """Wait until something happens in a match, unless `ask` says that it has, or the time is over."""
        with self.bell(match) as event, suppress(TimeoutError):
            if not await ask():
                await asyncio.wait_for(event.wait(), seconds)

    def _soon(self, work: Coroutine[Any, Any, None]) -> None:
        """Do something, and let nobody wait for it."""
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    # --- Thinking ------------------------------------------------------------------------------------

    @contextmanager
    def watched(self, client: str) -> Iterator[list[str]]:
        """Count a match of agents alone while it is made and played; the block adds its name to the list."""
        most = WATCHED_BY_CLIENT if self._watched[client] >= WATCHED_BY_CLIENT else WATCHED
        if self._watched[client] >= WATCHED_BY_CLIENT or self._watched.total() >= WATCHED:
            raise Refusal(429, Said("server.watched", most=most), after=10)
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
        """See to it that the agent whose turn it is gets asked; called while that is under way, it is seen to again."""
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
            self._watched += Counter()  # without those that have none left

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
                    return  # the next look at the match asks again
                await self._clock.sleep(min(2.0**pauses, PATIENCE))  # those who are connected do not look again
                pauses += 1

    async def _play_one(self, match: str) -> bool:
        """Let the agent whose turn it is play; False if it is not an agent's turn."""
        progress = await self.clerk.ask(partial(requests.go_on, number=match))
        while progress.more:
            progress = await self.clerk.ask(partial(requests.go_on, number=match), progress.watched)
        asked = await self.clerk.ask(partial(requests.thought, number=match), progress.watched)
        if asked is None:
            return False
        ply, thought = asked
        facts = await self._decided(thought)
        done = (
            partial(requests.forfeit, number=match, ply=ply)
            if facts is None
            else partial(requests.agent_move, number=match, ply=ply, action=facts["number"])
        )
        await self.clerk.ask(done, progress.watched)
        return True

    async def _decided(self, thought: Any) -> dict[str, Any] | None:
        """What an agent does; None for a bot at an address that does not say, though it was asked more than once."""
        for pause in AGAIN:
            try:
                return await self.ask_agent(thought)
            except Refusal:
                if not is_elsewhere(thought.spec):
                    raise
                await self._clock.sleep(pause)
        return None

    async def ask_agent(self, thought: Any, explain: bool = False) -> dict[str, Any]:
        """What an agent says in its process; a process that was lost is replaced."""
        for _ in range(2):
            try:
                return await asyncio.wrap_future(self.roster.think(thought, explain))
            except RuntimeError:  # BrokenProcessPool is one
                continue
            except BadInput:  # the agent broke
                break
        raise Refusal(503, Said("server.thinker"), after=2)


def refusal_text(refusal: Refusal, ply: int | None = None) -> str:
    """A refusal as a message."""
    return dumps({"is": "refused", "ply": ply, **refusal.as_json()})


async def _quietly(future: "asyncio.Future[Any]") -> None:
    with suppress(Refusal):
        await future
