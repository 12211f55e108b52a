"""Driver of the load test: clients at many tables of Truco, which move at times independent of the server."""

import asyncio
import json
import random
import re
import urllib.request
from collections import deque
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

from bolicho.bench.web.echo import PATH
from bolicho.bench.web.tcp_client import TcpClient, connect, percentile

OPPONENT = "balanced"
_PLY = re.compile(rb'^\{"is":"view","ply":(\d+)')
_ACTION = re.compile(rb'"action":"([^"]+)"')
_LEGAL = b'"legal":['


def post(base: str, path: str, body: dict[str, Any]) -> dict[str, Any]:
    """Send an HTTP request, and return the JSON of the response."""
    request = urllib.request.Request(base + path, json.dumps(body).encode(), {"content-type": "application/json"})
    with urllib.request.urlopen(request) as answer:
        facts: dict[str, Any] = json.loads(answer.read())
        return facts


@dataclass
class Load:
    """Counts and latencies of some seconds of load."""

    seconds: float = 0.0
    asked: int = 0  # moves
    answered: int = 0
    refused: int = 0
    rows: int = 0  # stored moves of clients and agents
    delays: list[float] = field(default_factory=list)
    finished: int = 0  # matches

    @property
    def rate(self) -> float:
        """Answers per second."""
        return self.answered / self.seconds

    def delay(self, share: float) -> float:
        """Return the quantile of latencies, in milliseconds."""
        return 1000 * percentile(self.delays, share)


class RandomClient:
    """Client at a table against one agent, which plays random legal actions."""

    def __init__(self, crowd: "Crowd") -> None:
        self.crowd = crowd
        self.wire: TcpClient
        self.ply = -1
        self.legal: list[bytes] = []
        self.asked_at = 0.0  # due time of the unanswered move
        self.over = False

    def on_message(self, wire: TcpClient, text: bytes) -> None:
        """Process a message of the server."""
        load = self.crowd.load
        seen = _PLY.match(text)
        if seen is None:
            if text.startswith(b'{"is":"refused"'):
                load.refused += 1
            return
        moment = perf_counter()
        if self.asked_at:
            load.answered += 1
            load.delays.append(moment - self.asked_at)
            self.asked_at = 0.0
            load.rows += int(seen[1]) - self.ply
        self.ply = int(seen[1])
        frames = text.rfind(b'"frames":[')
        at = text.find(_LEGAL, 0, frames if frames > 0 else len(text))
        end = text.find(b'],"log_from"', at)
        self.legal = [action for action in _ACTION.findall(text, at, end) if action != b"baralho"]
        self.over = not self.legal
        if self.over:
            load.finished += 1
            self.crowd.ended(self)
        else:
            self.crowd.ready.append(self)

    def move(self, due: float) -> None:
        """Send a random legal action."""
        action = self.legal[self.crowd.chance.randrange(len(self.legal))]
        self.asked_at = due
        self.wire.send(b'{"do":"move","ply":%d,"action":"%b"}' % (self.ply, action))


class Crowd:
    """Many clients, each at a separate table; a finished match is followed by another."""

    def __init__(self, base: str, seed: int = 1) -> None:
        self.base = base
        self.chance = random.Random(seed)
        self.ready: deque[RandomClient] = deque()
        self.players: set[RandomClient] = set()
        self.load = Load()
        self._coming: set[asyncio.Task[None]] = set()
        self._doors = asyncio.Semaphore(50)

    async def come(self, count: int) -> None:
        """Connect clients, each to a new match."""
        await asyncio.gather(*(self._sit() for _ in range(count)))

    async def _sit(self) -> None:
        async with self._doors:
            seats = [{"who": "me", "name": "load"}, {"who": "agent", "agent": OPPONENT}]
            made = await asyncio.to_thread(post, self.base, "/api/matches", {"game": "truco", "seats": seats})
            player = RandomClient(self)
            player.wire = await connect(self.base, f"/api/matches/{made['match']}/live", player.on_message)
            hello = {"do": "hello", "token": made["seats"][0]["token"], "log": 0}
            player.wire.send(json.dumps(hello).encode())
            self.players.add(player)

    def ended(self, player: RandomClient) -> None:
        """Replace a client whose match is over by one of a new match."""
        player.wire.close()
        self.players.discard(player)
        task = asyncio.ensure_future(self._sit())
        self._coming.add(task)
        task.add_done_callback(self._coming.discard)

    async def play(self, seconds: float, rate: float | None = None) -> Load:
        """Send moves for some seconds: at a rate that does not wait for answers, or as fast as clients can."""
        load = self.load = Load()
        start = due = perf_counter()
        end = start + seconds
        while (moment := perf_counter()) < end:
            if rate is None:
                while self.ready:
                    self._move(self.ready.popleft(), perf_counter())
            else:
                while due <= moment and self.ready:
                    self._move(self.ready.popleft(), due)
                    due += 1 / rate
            await asyncio.sleep(0 if rate is None else 0.001)
        load.seconds = perf_counter() - start
        await asyncio.sleep(0.5)  # receive outstanding answers
        return load

    def _move(self, player: RandomClient, due: float) -> None:
        if player in self.players:
            self.load.asked += 1
            player.move(due)

    async def leave(self) -> None:
        """Close all connections."""
        for task in self._coming:
            task.cancel()
        for player in self.players:
            player.wire.close()
        self.players.clear()
        self.ready.clear()


async def echo(base: str, count: int, seconds: float, size: int = 60) -> float:
    """Return messages per second of an echo server on `count` connections, with one outstanding message on each."""
    answered = 0
    text = b"x" * size

    def on_message(wire: TcpClient, message: bytes) -> None:
        nonlocal answered
        answered += 1
        wire.send(text)

    wires = [await connect(base, PATH, on_message) for _ in range(count)]
    for wire in wires:
        wire.send(text)
    await asyncio.sleep(0.5)
    answered, start = 0, perf_counter()
    await asyncio.sleep(seconds)
    rate = answered / (perf_counter() - start)
    for wire in wires:
        wire.close()
    return rate
