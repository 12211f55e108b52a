"""Simulated clients: they create matches, sit down, play, watch, leave, come back and claim."""

from collections.abc import Callable, Coroutine
from functools import partial
from typing import TYPE_CHECKING, Any

import orjson

from bolicho.web import fair_deals, requests
from bolicho.web.match import Audience
from bolicho.web.refusal import Refusal
from bolicho.web.requests import RequestedSeat
from bolicho.web.simulation.loop import Process
from bolicho.web.simulation.network import Inbox, SimulatedSocket
from bolicho.web.simulation.servers import AT_ONCE, BOT, ELSEWHERE

if TYPE_CHECKING:
    from bolicho.web.simulation.servers import Server
    from bolicho.web.simulation.world import World

THINKS = 1.5  # mean seconds of a person's decision
PING = 20.0  # seconds between two messages of a waiting client, as in pages/live.js
AWAY = 150.0  # most seconds of a player's absence
RULES = {"target": 4}
CLOCK = {"seconds": 20.0, "plus": 1.0}

Work = Callable[["Server"], Coroutine[Any, Any, Any]]


class Client:
    """Client process, which sends requests over HTTP."""

    def __init__(self, world: "World", name: str) -> None:
        self.world = world
        self.process = Process(name)
        world.clients.append(self)

    async def ask(self, work: Work) -> Any:
        """Send a request until it is answered; after a refusal with `after`, wait that long and repeat it."""
        while True:
            answer = await self._once(work)
            if isinstance(answer, Refusal) and answer.after is not None:
                await self.world.clock.sleep(answer.after)
            elif answer is not None:
                return answer
            else:
                await self.world.clock.sleep(self.world.random.uniform(0.5, 3))

    async def _once(self, work: Work) -> Any:
        """Send a request to a random server; return None without a reply."""
        server = self.world.any_server()
        if server is None:
            return None
        inbox = Inbox()
        self.world.send(server, work, inbox)
        _, answer = await inbox.take(15)
        return answer

    def _draw_nonce(self) -> bytes | None:
        """Draw a nonce for a seat; some seats have none."""
        random = self.world.random
        return random.randbytes(fair_deals.NONCE) if random.random() < 0.5 else None

    async def _reveal(self, match: str, token: str, nonce: bytes | None) -> None:
        """Reveal the nonce of a seat once all seats are taken."""
        if nonce is None:
            return

        async def work(server: "Server") -> bool:
            await server.app_state.transactions.ask(
                partial(requests.reveal, number=match, token=token, nonce=nonce.hex())
            )
            self.world.ledger.check_revealed(match, nonce)
            return True

        while isinstance(told := await self.ask(work), Refusal) and told.says.key == "server.reveal.early":
            await self.world.clock.sleep(self.world.random.uniform(0.2, 3))

    @property
    def is_done(self) -> bool:
        """Return whether the client has finished."""
        return True


def _commitment(nonce: bytes | None) -> str:
    return "" if nonce is None else fair_deals.nonce_commitment(nonce).hex()


class Host(Client):
    """Client that creates a match and passes its seats on."""

    def __init__(self, world: "World", number: int) -> None:
        super().__init__(world, f"host {number}")
        random = world.random
        kinds = [("me", "open"), ("me", "me"), ("open", "open"), ("me", AT_ONCE), ("me", ELSEWHERE), ("me", BOT)]
        kinds += [("me", "open"), (ELSEWHERE, AT_ONCE), (ELSEWHERE, ELSEWHERE)]
        self._places, self._nonces = [], []
        for seat, who in enumerate(random.sample(kinds[random.randrange(len(kinds))], 2)):
            nonce = self._draw_nonce() if who == "me" else None
            person = RequestedSeat(who, f"person {seat}", nonce_commit=_commitment(nonce))
            self._places.append(person if who in ("me", "open") else RequestedSeat("agent", agent=who))
            self._nonces.append(nonce)
        clock = CLOCK if random.random() < 0.2 else None
        self._options = {"why": True, "hint": True, "open_end": random.random() < 0.5, "clock": clock}
        self._made = False
        world.loop.start(self.process, self._make())

    @property
    def is_done(self) -> bool:
        return self._made

    async def _make(self) -> None:
        await self.world.clock.sleep(self.world.random.uniform(0, 5))
        asked = {"game": "truco", "rules": RULES, "places": self._places, "options": self._options}
        told = await self.ask(lambda server: server.app_state.transactions.ask(partial(requests.make, **asked)))  # type: ignore[arg-type, return-value]
        self._made = True
        number = told["match"]
        self.world.made(number)
        for seat in told["seats"]:
            if "token" in seat:
                self.world.add_devices(number, seat["seat"], seat["token"])
            elif "invite" in seat:
                Invited(self.world, number, seat["invite"])
        if self.world.random.random() < 0.3:
            Device(self.world, number, None, None)
        for seat in told["seats"]:
            if "token" in seat:
                await self._reveal(number, seat["token"], self._nonces[seat["seat"]])


class Invited(Client):
    """Client that sits down by invitation."""

    def __init__(self, world: "World", match: str, invite: str) -> None:
        super().__init__(world, f"invited to {match}")
        self._match, self._invite = match, invite
        self._done = False
        world.loop.start(self.process, self._sit())

    @property
    def is_done(self) -> bool:
        return self._done

    async def _sit(self) -> None:
        await self.world.clock.sleep(self.world.random.uniform(0, 10))
        nonce = self._draw_nonce()
        sit = partial(requests.sit, number=self._match, invite=self._invite, name="guest")
        sit = partial(sit, nonce_commit=_commitment(nonce))
        told = await self.ask(lambda server: server.app_state.transactions.ask(sit))  # type: ignore[arg-type, return-value]
        self._done = True
        if isinstance(told, Refusal):  # the reply with the token was lost, and the invitation is used
            self.world.lost_seat(self._match)
        else:
            self.world.add_devices(self._match, told["seat"], told["token"])
            await self._reveal(self._match, told["token"], nonce)


class Device(Client):
    """Browser window at a match, of a seat or a spectator."""

    def __init__(self, world: "World", match: str, seat: Audience, token: str | None) -> None:
        super().__init__(world, f"seat {seat} of {match}")
        self.match, self.seat, self.token = match, seat, token
        self.newest: dict[str, Any] = {"ply": -2, "state": "waiting"}
        self._view: dict[str, Any] | None = None
        world.loop.start(self.process, self._live())

    @property
    def is_done(self) -> bool:
        """Return whether the newest state of the match is shown."""
        known = self.world.ledger.known(self.match)
        state = "over" if known.is_over else "waiting" if known.ply < 0 else "playing"
        return bool(self.newest["ply"] == known.ply and self.newest["state"] == state)

    async def _live(self) -> None:
        random = self.world.random
        await self.world.clock.sleep(random.uniform(0, 2))
        while True:
            server = self.world.any_server()
            if server is not None:
                wire = self.world.connect(server, self.match, self.seat)
                wire.say({"do": "hello", "token": self.token, "log": 0})
                await self._talk(wire)
                wire.cut()
                if self.newest["state"] == "over" and self.is_done:
                    return
            await self.world.clock.sleep(random.uniform(0.2, 4))

    async def _talk(self, wire: SimulatedSocket) -> None:
        """Listen and act until the connection ends, the match is over, or the player leaves."""
        random, faults = self.world.random, self.world.faults
        while self.newest["state"] != "over" or not self.is_done:
            mine = self._view is not None and self.seat is not None and self._view["turn"] == self.seat
            came, text = await wire.receive(random.expovariate(1 / THINKS) if mine else PING)
            if came and text is None:
                return
            if came:
                self._read(text or "")
            elif faults.happens("player leaves"):
                wire.cut()
                await self.world.clock.sleep(random.uniform(0, AWAY))
                return
            elif faults.happens("player is silent"):
                await self.world.clock.sleep(random.uniform(0, AWAY))
            else:
                self._act(wire, mine)

    def _read(self, text: str) -> None:
        message = orjson.loads(text)
        if message["is"] == "view":
            self._view = message["view"]
        if message["is"] in ("view", "players"):
            self.newest = message

    def _act(self, wire: SimulatedSocket, mine: bool) -> None:
        """Play, claim, or send a ping."""
        random, faults = self.world.random, self.world.faults
        claim = self.newest.get("claim")
        if self.seat is not None and (
            faults.happens("claim") or (claim and not faults.are_over and random.random() < 0.3)
        ):
            wire.say({"do": "claim"})
        elif mine and self._view is not None:
            self._play(wire, self._view)
        else:
            wire.say({"do": "ping"})
        if faults.happens("illegal action"):
            self._say_move(wire, self.newest["ply"], random.choice(["99x", "truco", "quero", "nao", "baralho"]))

    def _play(self, wire: SimulatedSocket, view: dict[str, Any]) -> None:
        random, faults = self.world.random, self.world.faults
        action, ply = random.choice(view["legal"])["action"], view["ply"]
        if faults.happens("wrong ply"):
            ply = max(0, ply + random.choice([-2, -1, 1, 2]))
        if random.random() < 0.8:
            self._say_move(wire, ply, action)
            return
        server = self.world.any_server()
        if server is not None:
            self._note(action)
            self.world.send(server, partial(self._move, ply, action), Inbox())

    def _say_move(self, wire: SimulatedSocket, ply: int, action: str) -> None:
        self._note(action)
        wire.say({"do": "move", "ply": ply, "action": action})

    def _note(self, action: str) -> None:
        if self.seat is not None:
            self.world.ledger.known(self.match).sent.add((self.seat, action))

    async def _move(self, ply: int, action: str, server: "Server") -> None:
        """Play over HTTP, as the route `/moves` does."""
        app_state, token = server.app_state, self.token or ""
        seat = self.seat
        assert seat is not None
        self.world.record_sign_of_life(self.match, seat)
        try:
            await app_state.transactions.ask(
                partial(requests.move, number=self.match, token=token, ply=ply, action=action)
            )
            self.world.ledger.check_played(self.match, seat, ply, action)
            look = await app_state.transactions.ask(partial(requests.read_match, number=self.match, token=token))
        except Refusal:
            return
        self.world.ledger.check_message(self.match, self.seat, look.text, -2)
