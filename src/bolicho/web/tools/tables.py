"""Tables of the tool server: one seat for the client, agents at all others, kept in memory.

A client sees the view of its seat alone. The deal is drawn from the system's random numbers and is told with the record
once the game is over.
"""

import asyncio
import secrets
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from bolicho.agents.cfr.analyse import analyse, hand_of, judge_for
from bolicho.agents.play import advice
from bolicho.agents.registry import agent
from bolicho.games import game as make_game
from bolicho.games.game import Game, Table
from bolicho.games.record import replay
from bolicho.i18n import Message, catalogue, plain
from bolicho.web.limits import MATCHES, MOVES, QUESTIONS, Rate
from bolicho.web.refusal import Refusal
from bolicho.web.workers import AgentPool, DecisionRequest

MOST = 20  # tables of a client; another one takes the place of the one not used for longest
LUCK_BYTES = 16


@dataclass
class Sitting:
    """A table with the seat of its client and the agents of the others."""

    table: Table
    seed: int
    seat: int
    agents: Mapping[int, str]
    luck: str
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    def request(self, spec: str, ply: int) -> DecisionRequest:
        """Return the call of an agent at a ply."""
        game, actions = self.table.game, self.table.actions
        rules = dict(game.options)
        return DecisionRequest(game.name, rules, self.seed, tuple(map(int, actions[:ply])), spec, self.luck)


class SeatedClients:
    """Tables of all clients, with the limits of the HTTP interface on the rates of their requests."""

    def __init__(self, agent_pool: AgentPool) -> None:
        self._agent_pool = agent_pool
        self._tables: dict[str, OrderedDict[str, Sitting]] = {}
        self._moves, self._questions, self._matches = Rate(*MOVES), Rate(*QUESTIONS), Rate(*MATCHES)

    async def sit(
        self, client: str, game: str, rules: Mapping[str, Any], agents: Sequence[str], seat: int
    ) -> dict[str, Any]:
        """Sit down at a new table, and return the first view."""
        self._matches.take(client)
        if not self._agent_pool.knows(game):
            raise Refusal(404, Message("server.no-game", game=game[:40]))
        chosen = make_game(game, **rules)
        seat = chosen.seat(seat)
        if len(agents) != chosen.seats - 1:
            raise Refusal(422, Message("server.seats", seats=chosen.seats, given=len(agents) + 1))
        specs = [self._agent_pool.check(chosen, spec) for spec in agents]
        others = [number for number in range(chosen.seats) if number != seat]
        seed, number = secrets.randbits(64), secrets.token_hex(8)
        seated = dict(zip(others, specs, strict=True))
        sitting = Sitting(chosen.deal(seed), seed, seat, seated, secrets.token_hex(LUCK_BYTES))
        kept = self._tables.setdefault(client, OrderedDict())
        while len(kept) >= MOST:
            kept.popitem(last=False)
        kept[number] = sitting
        async with sitting.lock:
            await self._others_play(sitting)
        return {"table": number, **self._shown(sitting)}

    def view(self, client: str, number: str) -> dict[str, Any]:
        """Return the view of the client's seat."""
        return self._shown(self._find(client, number))

    async def play(self, client: str, number: str, action: str) -> dict[str, Any]:
        """Play an action, then those of the agents up to the client's next turn; return the view."""
        self._moves.take(client)
        sitting = self._find(client, number)
        async with sitting.lock:
            if sitting.table.turn == sitting.seat:
                sitting.table.play(action)  # raises `IllegalAction`, and changes nothing then
                await self._others_play(sitting)
            else:
                raise Refusal(409, Message("server.over"))
        return self._shown(sitting)

    async def hint(self, client: str, number: str, adviser: str) -> dict[str, Any]:
        """Return the action that an agent would choose in the client's place, and its reasons."""
        self._questions.take(client)
        sitting = self._find(client, number)
        table = sitting.table
        if table.turn != sitting.seat:
            raise Refusal(409, Message("server.over"))
        spec = self._agent_pool.check_adviser(table.game, adviser)
        return await self._ask(advise, sitting.request(spec, table.ply))

    async def explain(self, client: str, number: str, ply: int) -> dict[str, Any]:
        """Return an agent's reasons for its action at a ply of a finished game."""
        self._questions.take(client)
        sitting = self._over(client, number)
        if not 0 <= ply < sitting.table.ply:
            raise Refusal(404, Message("server.no-ply", ply=ply, last=sitting.table.ply))
        seat = sitting.table.back(ply).turn
        if seat is None or seat == sitting.seat:
            raise Refusal(409, plain("that action was yours; only agents have reasons to tell"))
        told = await self._ask(advise, sitting.request(sitting.agents[seat], ply))
        return {"seat": seat, "agent": sitting.agents[seat], **told}

    async def analyse(self, client: str, number: str) -> dict[str, Any]:
        """Return the cost of the client's decisions in a finished match of Truco."""
        self._questions.take(client)
        sitting = self._over(client, number)
        if sitting.table.game.name != "truco":
            raise Refusal(422, plain("only matches of truco are analysed"))
        return await asyncio.wrap_future(self._agent_pool.do("judge", judge_own, sitting.table.record(), sitting.seat))

    def _find(self, client: str, number: str) -> Sitting:
        kept = self._tables.get(client, OrderedDict())
        if number not in kept:
            raise Refusal(404, plain("you have no table of that number: sit down at one"))
        kept.move_to_end(number)
        return kept[number]

    def _over(self, client: str, number: str) -> Sitting:
        sitting = self._find(client, number)
        if not sitting.table.over:
            raise Refusal(409, plain("that is told once the game is over"))
        return sitting

    async def _others_play(self, sitting: Sitting) -> None:
        table = sitting.table
        while table.turn is not None and table.turn != sitting.seat:
            request = sitting.request(sitting.agents[table.turn], table.ply)
            decided = await asyncio.wrap_future(self._agent_pool.think(request))
            table.play(decided["number"])

    async def _ask(self, work: Callable[[DecisionRequest], dict[str, Any]], request: DecisionRequest) -> dict[str, Any]:
        return await asyncio.wrap_future(self._agent_pool.do("explain", work, request))

    def _shown(self, sitting: Sitting) -> dict[str, Any]:
        table = sitting.table
        view = table.view(sitting.seat)
        words, seats = catalogue("en"), seat_names(table.game)
        shown = {
            "game": table.game.name,
            "seat": sitting.seat,
            "agents": {f"seat {seat}": spec for seat, spec in sitting.agents.items()},
            "ply": table.ply,
            "scores": table.scores,
            "history": [words.say(table.game.kind.said(entry), seats) for entry in view.history],
            "view": str(view),
            "effects": [f"{action}: {words.say(said)}" for action, said in table.game.kind.action_help(view) if action],
            "legal": [str(action) for action in view.legal],
            "over": table.over,
        }
        return {**shown, "payoffs": table.payoffs, "record": table.record()} if table.over else shown


def judge_own(record: dict[str, Any], seat: int) -> dict[str, Any]:
    """Return the analysis of a seat's decisions in a match of Truco, in a worker process."""
    table = replay(record)
    found = analyse(table, judge_for(hand_of(table.game)), seat)
    words, seats = catalogue("en"), seat_names(table.game)
    return {**found.as_json(), "summary": [words.say(line, seats) for line in found.summary()]}


def advise(request: DecisionRequest) -> dict[str, Any]:
    """Return the action of an agent and its reasons in English, in a worker process."""
    table = request.table()
    action, why = advice(table, agent(request.spec, table.game), request.luck)
    words, seats = catalogue("en"), seat_names(table.game)
    lines = [] if why is None else [why.sentence, *why.lines]
    return {"action": str(action), "why": [words.say(line, seats) for line in lines]}


def seat_names(game: Game) -> list[str]:
    """Return the names of the seats in texts for a model."""
    return [f"seat {seat}" for seat in range(game.seats)]
