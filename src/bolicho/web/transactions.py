"""Database worker of a server process: one thread that reads and writes matches in batched transactions.

A request is a function of a `Transaction`.  It succeeds or fails as a whole: a refusal is raised before anything is
written.  It may run more than once: if another process has written the same ply, or a request raises, the
transaction is rolled back, the matches are read again, and each request runs in a transaction of its own.
A reply is sent only after its transaction is committed.
"""

import asyncio
import threading
from collections import OrderedDict, deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeVar

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine

from bolicho.agents.play import answer
from bolicho.games.kind import Action
from bolicho.i18n import Message
from bolicho.store import challenges, database
from bolicho.store.database import Conflict, Move
from bolicho.web.clock import SYSTEM, Clock
from bolicho.web.endings import PLAYED, Ending
from bolicho.web.match import Audience, Match, dumps
from bolicho.web.refusal import Refusal
from bolicho.web.uptime import ALWAYS, Recorder, Uptime
from bolicho.web.workers import AgentPool

T = TypeVar("T")

TOGETHER = 512  # most requests in one transaction
KEPT = 20_000  # most matches in memory
TRIES = 6  # attempts of a request that conflicts with other writers
A_WHILE = 200  # plies that agents play in one transaction of a match with a person
A_MOMENT = 8  # plies that agents play in one transaction of a match of agents alone
BACKGROUND = 4  # background requests in one transaction
REVEALED_WITHIN = 24 * 3600.0  # seconds for a browser to come back and reveal its nonce; a bot has less
EVERYBODY = "*"  # name for all bots
BOT = "@"  # prefix of the names of bots, among match ids


class ConnectionRegistry(Protocol):
    """Registry of the connections of this process, as transactions use it."""

    def listening(self, match: str) -> tuple[Audience, ...]: ...

    def is_looked_at(self, match: str) -> bool: ...

    def send_changes(self, news: "list[MatchUpdate]") -> None: ...


@dataclass(frozen=True)
class MatchUpdate:
    """Changes of a match since a ply: messages for connections that are at that ply; others read the match again."""

    match: str
    before: int
    ply: int
    messages: dict[Audience, str]
    agent_to_act: int | None  # seat whose agent must decide in a worker process
    bots: frozenset[str] = frozenset()  # bots to notify


class Transaction:
    """Matches within one transaction."""

    def __init__(
        self,
        connection: Connection,
        matches: "OrderedDict[str, Match]",
        agent_pool: AgentPool,
        connections: ConnectionRegistry,
        now: float,
        uptime: Uptime = ALWAYS,
    ) -> None:
        self.connection = connection
        self.agent_pool = agent_pool
        self.connections = connections
        self._matches = matches
        self._moves: list[Move] = []
        self.touched: dict[str, int] = {}  # ply of each changed match before this transaction
        self._gone: set[str] = set()  # deleted matches, to be announced to their connections
        self._called: dict[str, frozenset[str]] = {}  # bots to notify, by match
        self._told: set[str] = set()  # matches in `touched` that only another process changed: it calls their agents
        self.now = now  # time that is stored
        self.uptime = uptime  # converts stored times to running time of the server

    def match(self, number: str) -> Match:
        """Return the match with that id."""
        match = self._matches.get(number)
        if match is not None and match.study is not None and not database.is_there(self.connection, number):
            del self._matches[number]  # its participant has withdrawn, perhaps through another process
            match = None
        if match is None:
            match = self._matches[number] = self._read(number)
            if len(self._matches) > KEPT:
                self._matches.popitem(last=False)
        else:
            self._matches.move_to_end(number)
        return match

    def find(self, number: str) -> Match | None:
        """Return the match with that id, or None if it does not exist any more."""
        try:
            return self.match(number)
        except Refusal:
            return None

    def _read(self, number: str, known: int | None = None) -> Match:
        """Read the stored match; connections get views of the plies after `known`."""
        found = database.read_match(self.connection, number)
        if found is None:
            raise Refusal(404, Message("server.no-match"))
        match = Match(*found, self.uptime)
        if match.state == "waiting" and match.option("bots"):
            match.kept = challenges.of_match(self.connection, number)
        listening = () if known is None else self.connections.listening(number)
        if match.ply >= 0:
            if known == -1:
                match.show(listening)
            for _, action, at in database.read_moves(self.connection, number):
                match.play(action, at, listening if known is not None and match.ply >= known else ())
        return match

    def again(self, number: str) -> Match:
        """Read the stored match again, because another process may have written it, and notify connections."""
        self.write_moves()  # the stored match must include the moves of this transaction
        known = self._matches.pop(number, None)
        since = None if known is None else self.touched.get(number, known.ply)
        try:
            match = self._matches[number] = self._read(number, since)
        except Refusal:  # another process has deleted it
            self.touched.setdefault(number, -1 if since is None else since)
            self._told.add(number)
            self._gone.add(number)
            raise
        if number not in self.touched:
            self._told.add(number)
        self.touched[number] = match.ply if since is None else since
        return match

    def lock_match(self, number: str) -> Match:
        """Lock the match, so that no other process changes its seats until the transaction ends, and read it again."""
        database.lock_match(self.connection, number)
        return self.again(number)

    def drop(self, number: str) -> None:
        """Drop a match from memory, unless this transaction changed it."""
        if number not in self.touched:
            self._matches.pop(number, None)

    def known(self) -> list[str]:
        """Return the ids of the matches in memory."""
        return list(self._matches)

    # --- Writing --------------------------------------------------------------------------------

    def add(self, match: Match) -> None:
        """Store a new match."""
        database.add_match(self.connection, match.row, match.sitting)
        self._matches[match.id] = match
        self.touched[match.id] = -1

    def remove(self, number: str) -> None:
        """Delete a match from the database and from memory; other processes are notified."""
        self.write_moves()
        database.delete_match(self.connection, number)
        known = self._matches.pop(number, None)
        self.touched.setdefault(number, -1 if known is None else known.ply)
        self._told.discard(number)
        self._gone.add(number)

    def mark_changed(self, match: Match) -> None:
        """Mark a match that is about to change, so that connections are notified."""
        self.touched.setdefault(match.id, match.ply)
        self._told.discard(match.id)

    def call(self, match: Match, *also: str) -> None:
        """Notify the bots of a match, and those named by `also`, that it was created, begins or ends."""
        if match.option("bots"):
            bots = challenges.sitting(self.connection, match.id)
            self._called[match.id] = self._called.get(match.id, frozenset()) | bots | set(also)

    def play(self, match: Match, action: Action | str | int) -> None:
        """Play an action for the seat to act, and all replies of immediate agents."""
        self._play(match, action)
        self.answer(match)

    def _play(self, match: Match, action: Action | str | int) -> None:
        before = match.ply
        self.mark_changed(match)
        seat = match.play(action, self.now, self.connections.listening(match.id))
        self._moves.append((match.id, before, seat, int(match.table.actions[-1]), self.now))
        if match.table.over:
            self.end(match)

    def answer(self, match: Match) -> None:
        """Let immediate agents play while it is their turn, up to a number of plies."""
        for _ in range(A_WHILE if match.people else A_MOMENT):
            seat = match.table.turn
            if match.state != "playing" or seat is None or match.sitting[seat].agent is None:
                return
            agent = self.agent_pool.at_once(match.game, match.sitting[seat].agent or "")
            if agent is None:
                return
            self._play(match, answer(match.table, agent, match.luck[seat]))

    def begin(self, match: Match) -> None:
        """Deal if all seats are taken and all nonces revealed; if nonces are missing, set their deadline."""
        if not match.is_full:
            return
        if not match.unrevealed:
            self.deal(match)
        elif match.unrevealed[0].expires is None:
            until = self.now + (challenges.PERSON_CHALLENGE_SECONDS if match.option("bots") else REVEALED_WITHIN)
            database.await_nonces(self.connection, match.id, until)
            for seat in match.unrevealed:
                match.sit(replace(seat, expires=until))

    def deal(self, match: Match) -> None:
        """Deal the cards."""
        self.mark_changed(match)
        database.set_dealt(self.connection, match.id, self.now)
        match.dealt(self.now)
        match.show(self.connections.listening(match.id))
        self.call(match)
        if match.table.over:  # a flor may decide a short match before any action
            self.end(match)
        self.answer(match)

    def end(self, match: Match, ending: Ending = PLAYED) -> None:
        """End the match."""
        self.mark_changed(match)
        self.write_moves()
        result = match.ended(self.now, ending)
        database.set_ended(self.connection, match.id, self.now, result["claimed"], result)
        self.call(match)

    def write_moves(self) -> None:
        """Write the pending moves."""
        if self._moves:
            database.add_moves(self.connection, self._moves)
            self._moves.clear()

    # --- After the transaction ------------------------------------------------------------------

    def news(self) -> list[MatchUpdate]:
        """Return the changes of this transaction, with the messages for connections."""
        told = []
        for number, before in self.touched.items():
            match = self._matches.get(number)
            if number in self._gone:
                gone = dumps({"is": "bye", "says": Message("server.gone").as_json()})
                messages = dict.fromkeys(self.connections.listening(number), gone)
                told.append(MatchUpdate(number, before, before + 1, messages, None))
            if match is None:
                continue
            messages = {who: match.news(who, self.now) for who in self.connections.listening(number)}
            match.frames.clear()
            match.told_here = match.here(self.now)
            asked = None if number in self._told else agent_to_act(match)
            told.append(MatchUpdate(number, before, match.ply, messages, asked, self._called.get(number, frozenset())))
        return told

    def called(self) -> set[str]:
        """Return the bots to notify."""
        return set().union(*self._called.values())

    def changed(self) -> list[str]:
        """Return the matches that this transaction changed, without those that it only read again."""
        return [number for number in self.touched if number not in self._told]

    def forget(self) -> None:
        """Drop all matches of a transaction that was rolled back."""
        for number in self.touched:
            self._matches.pop(number, None)


def agent_to_act(match: Match) -> int | None:
    """Return the seat to act if an agent has it."""
    if match.state != "playing":
        return None
    seat = match.table.turn
    return seat if seat is not None and match.sitting[seat].agent is not None else None


Request = Callable[[Transaction], T]
Then = Callable[[Any, BaseException | None], None]
"""Callback for a result or for the exception instead of it."""

Outcome = tuple[Then, Any, BaseException | None]


class TransactionThread:
    """Worker thread that runs requests on the database, many in one transaction."""

    def __init__(
        self,
        engine: Engine,
        agent_pool: AgentPool,
        connections: ConnectionRegistry,
        loop: asyncio.AbstractEventLoop,
        clock: Clock = SYSTEM,
    ) -> None:
        self.engine = engine
        self.sender = f"{id(self):x}-{clock.now()}"  # marks its own notifications
        self._recorder = Recorder(engine, clock)
        self._agent_pool = agent_pool
        self._connections = connections
        self._loop = loop
        self._waiting: deque[tuple[Request[Any], Then]] = deque()
        self._background: deque[tuple[Request[Any], Then]] = deque()
        self._bell = threading.Event()
        self._matches: OrderedDict[str, Match] = OrderedDict()
        self._connection: Connection | None = None
        self._ending = False
        self._start()

    def ask(self, request: Request[T], background: bool = False) -> "asyncio.Future[T]":
        """Run a request; the result is available after the commit.  Background requests yield to others."""
        future: asyncio.Future[T] = self._loop.create_future()

        def then(value: T, problem: BaseException | None) -> None:
            if not future.done():
                future.set_result(value) if problem is None else future.set_exception(problem)

        self.post(request, then, background)
        return future

    def post(self, request: Request[Any], then: Then, background: bool = False) -> None:
        """Queue a request; `then` is called in the event loop with the result or the exception."""
        (self._background if background else self._waiting).append((request, then))
        self._wake()

    def close(self) -> None:
        """Finish the queued requests and stop the thread."""
        self._ending = True
        self._bell.set()
        self._thread.join(10)

    # --- Worker thread --------------------------------------------------------------------------

    def _start(self) -> None:
        """Start the thread; a simulation overrides this and runs `_step` in its event loop."""
        self._thread = threading.Thread(target=self._work, name="transactions", daemon=True)
        self._thread.start()

    def _wake(self) -> None:
        """Signal the thread that a request waits."""
        self._bell.set()

    def _work(self) -> None:
        while not self._ending or self._waiting or self._background:
            self._bell.wait()
            self._bell.clear()
            while self._waiting or self._background:
                self._step()
        if self._connection is not None:
            self._connection.close()
        with suppress(sa.exc.SQLAlchemyError):
            self._recorder.close()

    def _step(self) -> None:
        """Run waiting requests in one transaction."""
        together = [self._waiting.popleft() for _ in range(min(TOGETHER, len(self._waiting)))]
        few = 1 if together else min(BACKGROUND, len(self._background))
        together += [self._background.popleft() for _ in range(min(few, len(self._background)))]
        self._answer(together)

    def _answer(self, together: list[tuple[Request[Any], Then]]) -> None:
        try:
            outcomes, news = self._transaction(together)
        except sa.exc.SQLAlchemyError:
            outcomes, news = [(then, None, _lost()) for _, then in together], []
        except Exception:  # a conflict or a bug: run the requests one by one to find the failing one
            outcomes, news = [], []
            for one in together:
                some, more = self._by_itself(one)
                outcomes += some
                news += more
        self._loop.call_soon_threadsafe(self._deliver, outcomes, news)

    def _by_itself(self, one: tuple[Request[Any], Then]) -> tuple[list[Outcome], list[MatchUpdate]]:
        for _ in range(TRIES):
            try:
                return self._transaction([one])
            except Conflict:
                continue
            except sa.exc.SQLAlchemyError:
                return [(one[1], None, _lost())], []
            except Exception as problem:
                return [(one[1], None, problem)], []
        return [(one[1], None, Refusal(503, Message("server.busy"), after=1))], []

    def _transaction(self, together: list[tuple[Request[Any], Then]]) -> tuple[list[Outcome], list[MatchUpdate]]:
        now = self._recorder.note()
        if self._connection is None:
            self._connection = self.engine.connect()
        transaction = Transaction(
            self._connection, self._matches, self._agent_pool, self._connections, now, self._recorder.uptime
        )
        outcomes: list[Outcome] = []
        try:
            with self._connection.begin():
                for request, then in together:
                    try:
                        outcomes.append((then, request(transaction), None))
                    except Refusal as refusal:
                        outcomes.append((then, None, refusal))
                transaction.write_moves()
                if transaction.changed():
                    self._notify(self._notifications(transaction))
        except BaseException as problem:
            transaction.forget()
            if _met_another(problem):
                raise Conflict from None
            if isinstance(problem, sa.exc.SQLAlchemyError):
                self._connection.close()
                self._connection = None
            raise
        return outcomes, transaction.news()

    def _notifications(self, transaction: Transaction) -> list[str]:
        """Return notifications of changed matches and of bots for the other processes."""
        numbers = [*transaction.changed(), *(BOT + name for name in transaction.called())]
        # limits: 8000 bytes for a notification, 40 for the name of a bot
        return [" ".join([self.sender, *numbers[at : at + 150]]) for at in range(0, len(numbers), 150)]

    def _notify(self, texts: list[str]) -> None:
        """Send notifications to the other processes within the transaction; SQLite has none."""
        if self.engine.dialect.name == "postgresql":
            notify = sa.text("SELECT pg_notify(:channel, :text)")
            for text in texts:
                self._connection.execute(notify, {"channel": database.CHANNEL, "text": text})  # type: ignore[union-attr]

    def _deliver(self, outcomes: list[Outcome], news: list[MatchUpdate]) -> None:
        if news:
            self._connections.send_changes(news)
        for then, value, problem in outcomes:
            then(value, problem)


def _lost() -> Refusal:
    return Refusal(503, Message("server.database"), after=2)


def _met_another(problem: BaseException) -> bool:
    """Return whether PostgreSQL aborted a transaction because of a deadlock or a serialization failure."""
    code = getattr(getattr(problem, "orig", None), "sqlstate", None)
    return code in ("40001", "40P01")
