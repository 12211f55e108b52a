"""Agent `remote(url=...)`: an HTTP server that decides for a seat; see docs/api.md.

A request is JSON: the view of the seat and its luck, without hidden information. The server needs no state between
requests beyond the view, so requests for many tables may run in parallel and may be repeated.
"""

import json
import math
from queue import SimpleQueue
from time import perf_counter

import numpy as np

from bolicho.agents.agent import Agent
from bolicho.agents.player import luck_of
from bolicho.agents.remote.http_client import Address, HttpClient, InvalidReply, read_address
from bolicho.agents.remote.parallel import Decided, SeatedInParallel
from bolicho.agents.seated import NO_ACTION, ExternalAgent, SeatedAgent, number_of
from bolicho.errors import BadInput
from bolicho.games.game import Game, View
from bolicho.games.tables import Tables


class Remote(Agent, ExternalAgent):
    """Agent that decides through an HTTP server."""

    def __init__(self, url: str = "", seconds: float = 10.0, at_once: int = 8) -> None:
        if not 0 < seconds < math.inf:
            raise BadInput(f"seconds must be more than 0 and finite, not {seconds}")
        if not 1 <= at_once <= 256:
            raise BadInput(f"at_once must be 1 to 256 parallel requests, not {at_once}")
        self.address = read_address(url) if url else None
        self.seconds = seconds
        self.at_once = at_once
        self._line: HttpClient | None = None

    def plays(self, game: Game) -> str | None:
        return "it needs an address: write remote(url=http://127.0.0.1:8080/)" if self.address is None else None

    def act(self, view: View, rng: np.random.Generator) -> str:
        if self._line is None:
            self._line = HttpClient(self._where())
        try:
            return self._line.ask(question(view, int(luck_of(rng))), self.seconds)
        except InvalidReply as problem:
            raise BadInput(f"the bot {problem}") from None

    def sit(self, tables: Tables, is_open: bool, limit: float) -> SeatedAgent:
        """Return what answers for this agent at many tables (see `seated.ExternalAgent`); it gets hidden views only."""
        where, seconds = self._where(), min(self.seconds, limit)
        lines: SimpleQueue[HttpClient] = SimpleQueue()
        for _ in range(self.at_once):
            lines.put(HttpClient(where))

        def decide(view: View, table: int, luck: int) -> Decided:
            asked, line = question(view, luck), lines.get()
            start = perf_counter()
            try:
                number, why = number_of(line.ask(asked, seconds), view)
            except InvalidReply as problem:
                number, why = NO_ACTION, str(problem)
            finally:
                lines.put(line)
            return Decided(number, why, perf_counter() - start)

        return SeatedInParallel(tables, decide, self.at_once)

    def _where(self) -> Address:
        if self.address is None:
            raise BadInput("remote needs an address: write remote(url=http://127.0.0.1:8080/)")
        return self.address


def question(view: View, luck: int) -> bytes:
    """Return the body of a request. Luck is text, since some languages lack 64-bit integers."""
    data = view.data()
    about = {name: data[name] for name in ("game", "rules", "seat", "ply")}
    return json.dumps({**about, "luck": f"{luck:016x}", "view": data}, separators=(",", ":")).encode()
