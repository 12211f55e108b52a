"""Agent `remote(url=...)`: an HTTP server that decides for a seat; see docs/api.md.

A request is JSON: the view of the seat and its luck, without hidden information. The server needs no state between
requests beyond the view, so requests for many tables may run in parallel and may be repeated.
"""

import json
import math
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from bolicho.agents.agent import Agent
from bolicho.agents.player import luck_of
from bolicho.agents.remote.http_client import Address, HttpClient, InvalidReply, read_address
from bolicho.agents.seated import NO_ACTION, ExternalAgent, Ledger, Lucks, Rows, SeatedAgent, Seconds, number_of
from bolicho.errors import BadInput
from bolicho.games.game import Game, View
from bolicho.games.tables import Actions, Numbers, Tables


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
        """Return what answers for this agent at many tables; it gets hidden views only."""
        return Asking(self._where(), tables, min(self.seconds, limit), self.at_once)

    def _where(self) -> Address:
        if self.address is None:
            raise BadInput("remote needs an address: write remote(url=http://127.0.0.1:8080/)")
        return self.address


def question(view: View, luck: int) -> bytes:
    """Return the body of a request. Luck is text, since some languages lack 64-bit integers."""
    data = view.data()
    about = {name: data[name] for name in ("game", "rules", "seat", "ply")}
    return json.dumps({**about, "luck": f"{luck:016x}", "view": data}, separators=(",", ":")).encode()


class Asking:
    """`SeatedAgent` of a remote agent, with several requests in parallel; each has its own deadline and error."""

    remembers = False  # its views contain all that it saw

    def __init__(self, address: Address, tables: Tables, limit: float, at_once: int) -> None:
        self._tables = tables
        self._limit = limit
        self._lines: SimpleQueue[HttpClient] = SimpleQueue()
        for _ in range(at_once):
            self._lines.put(HttpClient(address))
        self._pool = ThreadPoolExecutor(at_once, "bot")

    def begin(self, table: int, seat: int, past: Rows | None) -> str | None:
        return None

    def answer(self, which: Numbers, luck: Lucks, actions: Actions, seconds: Seconds) -> dict[int, str]:
        views, plies = self._tables.views(which), self._tables.plies[which].tolist()
        for view, ply in zip(views, plies, strict=True):
            view.ply = ply
        answers = list(self._pool.map(self._ask, views, luck.tolist()))
        seconds[:] = [spent for _, _, spent in answers]
        actions[:] = [number for number, _, _ in answers]
        return {k: f"ply {plies[k]}: {why}" for k, (_, why, _) in enumerate(answers) if why is not None}

    def _ask(self, view: View, luck: int) -> tuple[int, str | None, float]:
        """Return the number of the chosen action, the reason of a failure, and the seconds taken."""
        asked, line = question(view, luck), self._lines.get()
        start = perf_counter()
        try:
            number, why = number_of(line.ask(asked, self._limit), view)
        except InvalidReply as problem:
            number, why = NO_ACTION, str(problem)
        finally:
            self._lines.put(line)
        return number, why, perf_counter() - start

    def observe_actions(self, me: int, ledger: Ledger, which: Numbers, played: NDArray[np.bool_]) -> None:
        pass

    def end(self, table: int, seat: int) -> str | None:
        return None
