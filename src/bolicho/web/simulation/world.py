"""Simulated world of one seed: servers, disk, network and clients."""

import hashlib
from collections.abc import Callable
from random import Random
from typing import Any

from bolicho.web.match import Audience
from bolicho.web.refusal import Refusal
from bolicho.web.simulation.clients import Client, Device, Host
from bolicho.web.simulation.faults import Faults
from bolicho.web.simulation.invariants import Ledger, Moment, Violation
from bolicho.web.simulation.loop import Killed, Process, SimulatedLoop
from bolicho.web.simulation.network import LATENCY, Inbox, Notifications, SimulatedSocket
from bolicho.web.simulation.servers import Disk, Server, SimulatedClock, SimulatedTransactionThread
from bolicho.web.websocket import converse

FAULT_INTERVAL = 8.0  # mean seconds between two drawings of faults
DOWN = 20.0  # most seconds until a killed server restarts
FULL = 30.0  # most seconds of a full disk
JUMP = 4000.0  # most seconds of a jump of the wall clock
SECONDS_TO_SETTLE = 900.0  # seconds after the last fault in which all matches must end


class World:
    """Servers, disk, network and clients of one seed, on one loop."""

    def __init__(self, seed: int, tell: Callable[[str], None] | None = None) -> None:
        self.random = Random(f"{seed} order")
        self.faults = Faults(Random(f"{seed} faults"))
        self.loop = SimulatedLoop(self.random)  # type: ignore[abstract]
        self.clock = SimulatedClock(self.loop)
        self.network = Process("network")
        self.notifications = Notifications(self)
        self.disk = Disk(self)
        self.ledger = Ledger(self.disk.raw)
        self.clients: list[Client] = []
        self.failure: BaseException | None = None
        self.steps = 0
        self.messages = 0
        self._tell = tell
        self._hash = hashlib.sha256()
        self._came_up = self._jumped = 0.0  # last start while no server was up; last jump of the wall clock
        self._up = self._up_until = 0.0  # seconds with a server up, and when they were last updated
        self._made: set[str] = set()  # matches whose creator received the reply
        self._abandoned: set[str] = set()  # matches with a seat whose token was lost
        self.slots = 1 if self.random.random() < 0.4 else 2
        self._started = 0
        self.servers: list[Server | None] = [None] * self.slots

    # --- Running --------------------------------------------------------------------------------------

    def run(self, steps: int) -> None:
        """Run that many steps with faults, then without faults until all matches are over."""
        for slot in range(self.slots):
            self._start(slot)
        for number in range(self.random.randint(1, 2)):
            Host(self, number)
        self.loop.start(self.network, self._cause_faults())
        for _ in range(steps):
            self._step()
            if self._is_finished():
                break
        self._end_faults()
        end = self.loop.time() + SECONDS_TO_SETTLE
        while not self._is_finished():
            if self.loop.time() > end:
                raise Violation(f"unsettled {SECONDS_TO_SETTLE:g} s after the last fault: {self._what_waits()}")
            self._step()
        self._check_tasks()

    def _step(self) -> None:
        self.steps += 1
        try:
            process = self.loop.step()
        except Killed:
            self.kill(self._running)
            self.ledger.read(self._moment())
            return
        if self.failure is not None:
            raise self.failure
        if process is None:
            raise Violation(f"no callback is left: {self._what_waits()}")

    def _is_finished(self) -> bool:
        """Return whether all matches are over and every client shows the newest state."""
        if self.steps % 20:
            return False
        return not self._unfinished() and all(client.is_done for client in self.clients)

    def _unfinished(self) -> list[str]:
        """Return the matches that should be over and are not."""
        return [
            known.number
            for known in self.ledger.matches.values()
            if not known.is_over
            and known.number not in self._abandoned
            and (known.number in self._made or all(seat.agent is not None for seat in known.seats))
        ]

    def _what_waits(self) -> str:
        open_ = self._unfinished()
        waiting = [client.process.name for client in self.clients if not client.is_done]
        return f"unfinished matches: {open_}; waiting clients: {waiting}"

    def _check_tasks(self) -> None:
        """Check for exceptions that no task has caught."""
        for task in self.loop.tasks:
            if task.done() and not task.cancelled() and task.exception() is not None:
                raise Violation(f"a task of the server failed: {task.exception()!r}") from task.exception()

    def close(self) -> str:
        """Release all resources; return the hash of the trace."""
        for server in self.servers:
            if server is not None:
                server.kill()
        self.loop.close()
        self.disk.close()
        return self._hash.hexdigest()[:16]

    def trace(self, what: str, *facts: Any) -> None:
        """Add an event to the trace."""
        line = f"{self.loop.time():.6f} {what} {' '.join([str(fact) for fact in facts])}"
        self._hash.update(line.encode())
        if self._tell is not None:
            self._tell(line)

    # --- Servers --------------------------------------------------------------------------------------

    def _start(self, slot: int) -> None:
        self._started += 1
        server = self.servers[slot] = Server(self, slot, self._started)
        self.trace("start", server.process.name)
        server.start(self.disk)

    def kill(self, server: Server) -> None:
        """Kill a server, and restart it after a delay."""
        if server.process.is_dead:
            return
        self.trace("kill", server.process.name)
        self._moment()
        server.kill()
        self.servers[server.slot] = None
        delay = self.random.uniform(0.1, 1 if self.faults.are_over else DOWN)
        self.loop.call_later(delay, self._restart, server.slot, context=self.network.context)

    def _restart(self, slot: int) -> None:
        if self.servers[slot] is None:
            self._start(slot)

    def opened(self, server: Server) -> None:
        """Record that a server accepts requests."""
        moment = self._moment()
        if not self._is_up():
            self._came_up = moment.time
        server.is_open = True

    def _is_up(self) -> bool:
        return any(server is not None and server.is_open for server in self.servers)

    def _moment(self) -> Moment:
        """Update the time with a server up; called before a server comes up or goes down."""
        time = self.loop.time()
        if self._is_up():
            self._up += time - self._up_until
        self._up_until = time
        return Moment(time, self._up, self._came_up, self._jumped)

    def transactions(self, slot: int) -> SimulatedTransactionThread:
        """Return the running database worker of a slot."""
        server = self.servers[slot]
        assert server is not None
        self._running = server
        return server.app_state.transactions  # type: ignore[return-value]

    def any_server(self) -> Server | None:
        """Return a random server that accepts requests, or None."""
        found = [server for server in self.servers if server is not None and server.is_open]
        return self.random.choice(found) if found else None

    async def _cause_faults(self) -> None:
        """Cause faults of servers, disk and clock at random times."""
        while not self.faults.are_over:
            await self.clock.sleep(self.random.expovariate(1 / FAULT_INTERVAL))
            if self.faults.happens("kill"):
                server = self.any_server()
                if server is not None:
                    self.kill(server)
            if self.faults.happens("full disk"):
                self.trace("full disk")
                self.disk.fill()
                self.loop.call_later(self.random.uniform(0, FULL), self._free)
            for name, sign in (("clock jumps forward", 1), ("clock jumps back", -1)):
                if self.faults.happens(name):
                    self.clock.offset += sign * self.random.uniform(5, JUMP)
                    self._jumped = self.loop.time()
                    self.trace(name, self.clock.offset)
            if self.faults.happens("notifications lost"):
                server = self.any_server()
                if server is not None:
                    self.trace("deaf", server.process.name)
                    self.notifications.cut(server)

    def _free(self) -> None:
        self.trace("free disk")
        self.disk.free()

    def _end_faults(self) -> None:
        self.trace("heal")
        self.faults.are_over = True
        self.disk.free()
        for slot, server in enumerate(self.servers):
            if server is None:
                self._start(slot)
        shown = {client.match for client in self.clients if isinstance(client, Device)}
        for match in self._unfinished():
            if match not in shown:  # a client that looks at the match starts failed calls of agents again
                Device(self, match, None, None)

    # --- Clients --------------------------------------------------------------------------------------

    def connect(self, server: Server, match: str, seat: Audience) -> SimulatedSocket:
        """Open a connection of a client to a server."""
        self.trace("connect", server.process.name, match, seat)
        wire = SimulatedSocket(self, server, match, seat)
        self.loop.start(server.process, self._converse(server, wire))
        return wire

    async def _converse(self, server: Server, wire: SimulatedSocket) -> None:
        await converse(server.app_state, wire, wire.match, "client")  # type: ignore[arg-type]
        await wire.close()  # like the HTTP server when the handler of a connection returns

    def send(self, server: Server, work: Any, inbox: Inbox) -> None:
        """Run a request on a server, and put the reply or refusal into an inbox."""
        if not self.faults.happens("message lost"):
            delay = self.random.expovariate(1 / LATENCY)
            self.loop.call_later(delay, self._serve, server, work, inbox, context=server.process.context)

    def _serve(self, server: Server, work: Any, inbox: Inbox) -> None:
        self.loop.start(server.process, self._answer(work(server), inbox))

    async def _answer(self, work: Any, inbox: Inbox) -> None:
        answer: Any
        try:
            answer = await work
        except Refusal as refusal:
            answer = refusal
        self.trace("answer", type(answer).__name__, str(answer))
        if not self.faults.happens("answer lost"):
            delay = self.random.expovariate(1 / LATENCY)
            self.loop.call_later(delay, inbox.put, answer, context=self.network.context)

    def made(self, match: str) -> None:
        """Record that the creator of a match received the reply."""
        self.trace("made", match)
        self._made.add(match)

    def add_devices(self, match: str, seat: int, token: str) -> None:
        """Add one or two devices that play for a seat."""
        for _ in range(1 + (self.random.random() < 0.4)):
            Device(self, match, seat, token)

    def lost_seat(self, match: str) -> None:
        """Record that the token of a seat is lost, so that the match cannot end."""
        self._abandoned.add(match)

    # --- Checks ---------------------------------------------------------------------------------------

    def record_sign_of_life(self, match: str, seat: Audience) -> None:
        """Record that a server has had a message of a seat."""
        self.ledger.known(match).heard[seat] = self.loop.time()

    def check(self, server: Server, has_changed: bool) -> None:
        """Check the rows after a transaction, and the memory of the process that wrote them."""
        try:
            new = self.ledger.read(self._moment()) if has_changed else 0
            for match in server.app_state.transactions._matches.values():
                self.ledger.check_memory(match)
        except Violation as violation:
            self.failure = self.failure or violation
            raise
        self.trace("transaction", server.process.name, new)

    def check_message(self, wire: SimulatedSocket, text: str, newest: int) -> int:
        """Check a message at the moment it is sent."""
        self.messages += 1
        self.trace("send", wire.match, wire.seat, text)
        try:
            return self.ledger.check_message(wire.match, wire.seat, text, newest)
        except Violation as violation:
            self.failure = self.failure or violation
            raise
