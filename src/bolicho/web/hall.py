"""Who is connected to which match in this process, and how they are told."""

import asyncio
import logging
import threading
from collections import deque
from collections.abc import Callable, Coroutine, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any, Protocol

from bolicho.agents.agent import is_elsewhere
from bolicho.errors import BadInput
from bolicho.store.database import now
from bolicho.web import requests
from bolicho.web.clerk import BOT, EVERYBODY, Book, Clerk, News
from bolicho.web.match import Audience, dumps
from bolicho.web.refusal import Refusal
from bolicho.web.thinking import Roster
from bolicho.words import Said

log = logging.getLogger("bolicho.web")

BEHIND = 64  # messages that somebody may not have taken before the connection is given up
AGAIN = (1.0, 4.0, 0.0)  # seconds after each time that a bot was asked in vain; then its game is lost
HEARTBEAT = 20.0  # seconds between two notes of who is here


class Wire(Protocol):
    """Something that takes texts: a WebSocket."""

    async def send_text(self, text: str) -> None: ...


class Guest:
    """One connection to a match: of a seat, or of somebody who watches."""

    def __init__(self, wire: Wire, match: str) -> None:
        self.match = match
        self.seat: Audience = None
        self.ply = -2  # the newest it knows of; -2 before it has seen anything
        self.lost = False
        self._wire = wire
        self._box: deque[str] = deque()
        self._greeted = False
        self._task: asyncio.Task[None] | None = None

    def greet(self, text: str) -> None:
        """The first message; what came in the meantime follows."""
        self._box.appendleft(text)
        self._greeted = True
        self._send()

    def hold(self) -> None:
        """What comes now waits for the next greeting."""
        self._greeted = False

    def push(self, text: str) -> None:
        """Send a message after those before it, without waiting."""
        self._box.append(text)
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
                await self._wire.send_text(self._box.popleft())
        except Exception:  # the connection is gone, however the server below says it
            self.lost = True
        finally:
            self._task = None


class Hall:
    """Everybody who is connected in this process, and the agents they wait for."""

    def __init__(self, roster: Roster) -> None:
        self.roster = roster
        self.clerk: Clerk
        self._tasks: set[asyncio.Task[None]] = set()
        self._lock = threading.Lock()
        self._guests: dict[str, set[Guest]] = {}
        self._audiences: dict[str, tuple[Audience, ...]] = {}
        self._waiting: dict[str, set[asyncio.Event]] = {}
        self._thinking: dict[str, asyncio.Task[None]] = {}
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
                    guest.push(new.messages[guest.seat])
                    guest.ply = new.ply
                elif -2 < guest.ply < new.ply:
                    self._soon(self.catch_up(guest))
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
        self._waiting.setdefault(key, set()).add(event)
        try:
            yield event
        finally:
            waiting = self._waiting.get(key)
            if waiting is not None:
                waiting.discard(event)
                if not waiting:
                    self._waiting.pop(key, None)

    # --- Coming and going ----------------------------------------------------------------------------

    def join(self, guest: Guest, seat: Audience, ply: int) -> None:
        """A connection listens from a ply on; called by the clerk, in the transaction that looks."""
        guest.seat, guest.ply = seat, ply
        with self._lock:
            self._set(guest.match, {*self._guests.get(guest.match, ()), guest})

    def leave(self, guest: Guest) -> None:
        """A connection is gone."""
        with self._lock:
            guests = self._guests.get(guest.match, set()) - {guest}
            self._set(guest.match, guests)
        if guest.seat is not None and not any(one.seat == guest.seat for one in guests):
            self.hear(guest.match, guest.seat, here=False)

    def _set(self, match: str, guests: set[Guest]) -> None:
        """Who is there now; sets are never changed in place, since another thread reads them."""
        if guests:
            self._guests[match] = guests
            self._audiences[match] = tuple({one.seat for one in guests})
        else:
            self._guests.pop(match, None)
            self._audiences.pop(match, None)

    def hear(self, match: str, seat: int, here: bool = True) -> None:
        """Somebody was heard of; who comes or goes is noted at once, who stays now and then."""
        known = self._heard.get((match, seat))
        self._heard[match, seat] = (now(), here)
        if known is None or known[1] != here:
            self._soon(_quietly(self.clerk.ask(partial(requests.seen, heard={(match, seat): (now(), here)}))))
        if not here:
            self._heard.pop((match, seat))

    async def beat(self) -> None:
        """Note now and then who is still here."""
        while True:
            await asyncio.sleep(HEARTBEAT)
            late = now() - 2 * HEARTBEAT
            self._heard = {who: what for who, what in self._heard.items() if what[0] > late}
            self._soon(
                _quietly(self.clerk.ask(partial(requests.seen, heard=self._heard, looked_at=list(self._guests))))
            )

    def crowd(self, match: str, seat: Audience) -> int:
        """How many connections a seat has, or those who watch."""
        return sum(one.seat == seat for one in self._guests.get(match, ()))

    def moved(self, guest: Guest, ply: int, is_new: bool, problem: BaseException | None) -> None:
        """A move was answered: who played it is told like everybody else, unless there is nothing new."""
        if problem is not None:
            if not isinstance(problem, Refusal):
                log.error("a move broke the server", exc_info=problem)
                problem = Refusal(500, Said("server.broken"))
            guest.push(refusal_text(problem, ply))
        elif not is_new:
            self._soon(self.catch_up(guest))

    async def catch_up(self, guest: Guest) -> None:
        """Send everything anew to somebody who has missed something, before whatever happens meanwhile."""
        guest.hold()
        try:
            look = await self.clerk.ask(lambda book: self._look_again(book, guest))
        except Refusal as refusal:
            guest.greet(refusal_text(refusal))
        else:
            guest.greet(look)

    def _look_again(self, book: Book, guest: Guest) -> str:
        match = book.match(guest.match)
        guest.ply = match.ply
        return match.message(guest.seat, book.now)

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

    async def _think(self, match: str) -> None:
        try:
            while True:
                self._called.discard(match)
                await self.clerk.ask(partial(requests.go_on, number=match))
                asked = await self.clerk.ask(partial(requests.thought, number=match))
                if asked is None:
                    return
                ply, thought = asked
                facts = await self._decided(thought)
                if facts is None:
                    await self.clerk.ask(partial(requests.forfeit, number=match, ply=ply))
                else:
                    await self.clerk.ask(partial(requests.agent_move, number=match, ply=ply, action=facts["number"]))
        except Refusal:
            return  # who looks at the match next asks again

    async def _decided(self, thought: Any) -> dict[str, Any] | None:
        """What an agent does; None for a bot at an address that does not say, though it was asked more than once."""
        for pause in AGAIN:
            try:
                return await self.ask_agent(thought)
            except Refusal:
                if not is_elsewhere(thought.spec):
                    raise
                await asyncio.sleep(pause)
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
