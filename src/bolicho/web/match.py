"""A match in memory: made of its rows, thrown away at will, made again.

Nothing here is kept that the rows do not say; what an agent decides depends on the match and the ply.
"""

import hmac
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from hashlib import sha256
from math import floor
from typing import Any

import orjson

from bolicho.agents.meet import luck_of_seats
from bolicho.games import game as make_game
from bolicho.games.game import Game, Table, View
from bolicho.games.kind import Action
from bolicho.games.record import replay
from bolicho.store import challenges, deals
from bolicho.store.database import MatchRow, SeatRow
from bolicho.web import fair
from bolicho.web.looks import shown
from bolicho.web.refusal import Refusal
from bolicho.web.thinking import names
from bolicho.web.uptime import ALWAYS, Uptime
from bolicho.words import Said, Seat

PAUSE = 60.0
"""Seconds that somebody whose turn it is may be away before the others may claim the game."""

AWAY = 50.0
"""Seconds without a heartbeat after which somebody is taken to be away."""

Audience = int | None
"""A seat, or None for those who watch."""


def dumps(message: Any) -> str:
    """JSON, as short as it gets; with the standard library this was a fifth of the work of a move."""
    return orjson.dumps(message).decode()


def game_of(name: str, rules: Mapping[str, Any]) -> Game:
    """The game, the same object for the same rules."""
    return _game(name, json.dumps(rules, sort_keys=True))


@lru_cache(maxsize=256)
def _game(name: str, rules: str) -> Game:
    return make_game(name, **json.loads(rules))


LOOKED_AT = {"why": True, "hint": False, "open_end": True, "clock": None}
"""The options of a game that nobody plays here."""


class Match:
    """A match: who sits where, and the table once all seats are taken."""

    def __init__(self, row: MatchRow, sitting: Sequence[SeatRow], uptime: Uptime = ALWAYS) -> None:
        self.row = row
        self._uptime = uptime
        self.sitting = list(sitting)
        self.game = game_of(row.game, row.rules)
        self.luck = luck_of_seats(fair.luck(row.secret), self.game.seats)
        self.frames: dict[Audience, list[dict[str, Any]]] = {}
        """Views of the plies that were played since somebody was told, by who is listening."""
        self.told_here: tuple[bool, ...] = ()
        """Who was here when those who look at the match were last told."""
        self.kept: list[challenges.Kept] = []
        """The seats that are kept for bots, while the match waits for them."""
        self._table: Table | None = None
        if row.dealt is not None:
            self._deal(row.dealt)

    @classmethod
    def played(cls, number: str, record: Mapping[str, Any], winners: Sequence[int]) -> "Match":
        """A game of agents that was played elsewhere, to be looked at: it is over, and all its cards lie open."""
        agents = record["players"]
        sitting = [SeatRow(seat, name, agent=agents[seat]) for seat, name in enumerate(told_apart(names(agents)))]
        row = MatchRow(number, record["game"], dict(record.get("rules", {})), LOOKED_AT, b"", 0.0)
        match = cls(row, sitting)
        match._table = replay(record, match.game)
        match._table.players = match.names
        result = {"scores": match.table.scores, "winners": list(winners), "claimed": None, "people": 0}
        match.row = replace(row, ended=0.0, result=result)
        match._turns, match._since = [], 0.0
        return match

    # --- What stands ----------------------------------------------------------------------------

    @property
    def id(self) -> str:
        return self.row.id

    @property
    def names(self) -> list[str]:
        """What the seats are called."""
        return [seat.name for seat in self.sitting]

    @property
    def state(self) -> str:
        """waiting, playing or over."""
        if self._table is None:
            return "waiting"
        return "over" if self.row.ended is not None else "playing"

    @property
    def table(self) -> Table:
        """The table; refused while seats are open."""
        if self._table is None:
            raise Refusal(409, Said("server.waiting"))
        return self._table

    @property
    def ply(self) -> int:
        """How many actions were chosen; -1 before the deal."""
        return -1 if self._table is None else self._table.ply

    @property
    def since(self) -> float:
        """The time of the last action, or of the deal."""
        return self._since

    @property
    def people(self) -> list[int]:
        """The seats where no agent sits."""
        return [seat.seat for seat in self.sitting if seat.agent is None]

    def option(self, name: str) -> Any:
        """What was agreed when the match was made."""
        return self.row.options.get(name)

    @property
    def study(self) -> str | None:
        """The study that the match belongs to, if any: nobody else may look at it then."""
        found: str | None = self.option("study")
        return found

    def seat_of(self, token: str | None) -> Audience:
        """The seat that a token opens; None for who has none; refused for one that opens nothing here."""
        if token is None:
            if self.study is not None:
                raise Refusal(404, Said("server.no-match"))
            return None
        digest = sha256(token.encode()).digest()
        for seat in self.sitting:
            if seat.token is not None and hmac.compare_digest(seat.token, digest):
                return seat.seat
        raise Refusal(403, Said("server.token")) if self.study is None else Refusal(404, Said("server.no-match"))

    # --- What happens ---------------------------------------------------------------------------

    def sit(self, row: SeatRow) -> None:
        """Somebody has taken a seat."""
        self.sitting[row.seat] = row

    def dealt(self, at: float) -> None:
        """The last seat is taken: deal."""
        self.row = replace(self.row, dealt=at)
        self._deal(at)

    def _deal(self, at: float) -> None:
        self._table = self.game.deal(deals.seed_of(self.row, self.sitting, self.game.options))
        self._table.players = self.names
        self._turns: list[tuple[int, float, float]] = []  # the seat that moved, from when on it was to, and when it did
        self._since = at

    def play(self, action: Action | str | int, at: float, listening: Iterable[Audience] = ()) -> int:
        """Play an action of whoever is to act; the seat.  Those who listen get a view of every ply."""
        table = self.table
        seat = table.turn
        assert seat is not None
        rows = table.noted.shape[1]
        table.play(action)
        self._turns.append((seat, self._since, at))
        self._since = at
        for who in listening:
            self.frames.setdefault(who, []).append(shown(self.view(who), rows))
        return seat

    def show(self, listening: Iterable[Audience]) -> None:
        """The cards are dealt: a view for those who listen."""
        self.frames = {who: [shown(self.view(who))] for who in listening}

    def ended(self, at: float, claimed: int | None, forfeit: int | None = None) -> dict[str, Any]:
        """The match is over, to its end, by a claim, or because a seat has broken; its result."""
        result = self._result(claimed) if forfeit is None else self._forfeited(forfeit)
        self.row = replace(self.row, ended=at, claimed=result["claimed"], result=result)
        return result

    def _result(self, claimed: int | None) -> dict[str, Any]:
        table = self.table
        payoffs = table.payoffs if claimed is None else [float(seat == claimed) for seat in range(self.game.seats)]
        winners = fair.winners_of(payoffs)
        return {"scores": table.scores, "winners": winners, "claimed": claimed, "people": len(self.people)}

    def _forfeited(self, loser: int) -> dict[str, Any]:
        """The game is the others'; it stands as if the first of them had claimed it."""
        others = [seat for seat in range(self.game.seats) if seat != loser]
        return {**self._result(others[0]), "winners": others, "forfeit": loser}

    # --- What is shown --------------------------------------------------------------------------

    def view(self, who: Audience, ply: int | None = None) -> View:
        """What a seat, or everybody, may see; now, or as it was at a ply."""
        table = self.table
        if ply is not None and ply != table.ply:
            if not 0 <= ply <= table.ply:
                raise Refusal(404, Said("server.no-ply", ply=ply, last=table.ply))
            table = table.back(ply)
        return table.public_view() if who is None else table.view(who)

    def is_here(self, seat: int, now: float) -> bool:
        """Whether who sits there is connected, as far as is known; agents always are."""
        row = self.sitting[seat]
        return row.agent is not None or (row.here and self._uptime.seconds(row.seen or 0.0, now) < AWAY)

    def here(self, now: float) -> tuple[bool, ...]:
        """Who is here, by seats."""
        return tuple([self.is_here(seat.seat, now) for seat in self.sitting])

    def agent_shown(self, row: SeatRow) -> str | bool | None:
        """Who plays at a seat, where it is no person; in a neutral match only that it is none."""
        return deals.agent_shown(self.row, row)

    def facts(self, now: float) -> dict[str, Any]:
        """What everybody may know of a match."""
        players = [
            {"name": row.name, "agent": self.agent_shown(row), "taken": row.taken, "here": self.is_here(row.seat, now)}
            for row in self.sitting
        ]
        facts = {
            "players": players,
            "state": "void" if self.is_void(now) else self.state,
            "result": self.row.result,
            "clock": self.clock(now),
            "claim": self.claim(now),
        }
        if (reveal := self.reveal()) is not None:
            facts["reveal"] = reveal
        if self.kept and not self.is_full:
            facts["challenge"] = {
                "state": challenges.state_of(self.kept, now),
                "seats": [row.seat for row in self.kept if row.bot is None],
                "expires": self.kept[0].expires,
            }
        return facts

    def message(self, who: Audience, now: float, log: int = 0, ply: int | None = None) -> str:
        """What is sent to somebody who looks at the match: everything from that row of the log on."""
        view = None if self._table is None else shown(self.view(who, ply), log)
        at = self.ply if ply is None else ply
        return dumps({"is": "view", "ply": at, "view": view, "frames": [], **self.facts(now)})

    def news(self, who: Audience, now: float) -> str:
        """What is sent to those who have seen everything before the frames; without any, somebody has come or gone."""
        frames = self.frames.pop(who, [])
        if not frames:
            return dumps({"is": "players", "ply": self.ply, **self.facts(now)})
        view = frames.pop()
        return dumps({"is": "view", "ply": self.ply, "view": view, "frames": frames, **self.facts(now)})

    # --- Time -----------------------------------------------------------------------------------

    def clock(self, now: float) -> dict[str, Any] | None:
        """The seconds everybody has left, and whose clock is running."""
        if self.option("clock") is None or self._table is None:
            return None
        running = self._table.turn if self.state == "playing" else None
        return {"left": [round(seconds, 1) for seconds in self._left(now, running)], "running": running}

    def _left(self, now: float, running: int | None) -> list[float]:
        limit, seconds = self.option("clock"), self._uptime.seconds
        left = [float(limit["seconds"])] * self.game.seats
        for seat, since, at in self._turns:
            left[seat] += limit["plus"] - seconds(since, at)
        if running is not None:
            left[running] -= seconds(self._since, now)
        return [max(0.0, one) for one in left]

    def claim(self, now: float) -> dict[str, Any] | None:
        """From when on the game may be claimed, in how many seconds, and because of whom; None where nobody is late.

        After the server was down, who is late has the whole pause to come back, whatever the clock says.
        """
        if self.state != "playing":
            return None
        late = self.table.turn
        if late is None or late not in self.people or len(self.people) == 1:
            return None
        moments, uptime = [], self._uptime
        if not self.is_here(late, now):
            moments.append(uptime.latest(self.sitting[late].seen or 0.0, self._since, now=now) + PAUSE)
        if self.option("clock") is not None:
            out_of_time = now + self._left(now, late)[late]
            was_interrupted = not uptime.since <= (self.row.dealt or 0.0) <= now  # later: the clock was set back since
            moments.append(max(out_of_time, uptime.since + PAUSE) if was_interrupted else out_of_time)
        if not moments:
            return None
        at = floor(10 * min(moments)) / 10  # never later than it is
        return {"late": late, "at": at, "in": round(max(0.0, at - now), 1)}

    def check_claim(self, seat: int, now: float) -> None:
        """Refuse a claim that is not due."""
        claim = self.claim(now)
        if claim is None or claim["late"] == seat:
            raise Refusal(409, Said("server.no-claim"))
        if claim["at"] > now:
            raise Refusal(409, Said("server.early-claim", who=Seat(claim["late"])), after=claim["at"] - now)

    # --- Fair deals -----------------------------------------------------------------------------

    @property
    def terms(self) -> dict[str, Any] | None:
        """Facts that the commitments and the seed cover beside secret and nonces; none in version 1."""
        return None if self.row.fair_version == 1 else self._terms

    @property
    def _terms(self) -> dict[str, Any]:
        return deals.terms_of(self.row, self.sitting, self.game.options)

    @property
    def unrevealed(self) -> list[SeatRow]:
        """The seats that have committed to a nonce and not revealed it."""
        return [seat for seat in self.sitting if seat.nonce_commit is not None and seat.nonce is None]

    @property
    def is_full(self) -> bool:
        """Return whether all seats are taken."""
        return all(seat.taken for seat in self.sitting)

    def reveal(self) -> dict[str, Any] | None:
        """All commitments, the seats that have to reveal their nonces, and until when; None where no deal waits for it.

        A seat keeps this before it reveals its nonce: the deal is made of nothing that is chosen later.
        """
        if self._table is not None or not self.is_full or not (missing := self.unrevealed):
            return None
        return {**self.promised(), "missing": [seat.seat for seat in missing], "by": missing[0].expires}

    def is_void(self, now: float) -> bool:
        """Return whether a nonce was not revealed in time, so that the match is never dealt."""
        wait = self.reveal()
        return wait is not None and wait["by"] < now

    def promised(self) -> dict[str, Any]:
        """Version, terms and commitments of the deal: what is known before any nonce is."""
        commit = fair.commitment(self.row.secret, self.terms)
        nonce_commits = [deals.hex_of(seat.nonce_commit) for seat in self.sitting]
        return {**self._terms, "version": self.row.fair_version, "commit": commit, "nonce_commits": nonce_commits}

    @property
    def nonces(self) -> list[str | None]:
        """The nonces that were revealed, by seats."""
        return [deals.hex_of(seat.nonce) for seat in self.sitting]

    # --- Records --------------------------------------------------------------------------------

    @property
    def is_open(self) -> bool:
        """Whether all cards may be shown: the match is over, and everybody agreed to it when sitting down."""
        return self.state == "over" and bool(self.option("open_end"))

    def fair(self) -> dict[str, Any]:
        """What the deal was made of: the secret only where all cards may be shown."""
        facts = {**self.promised(), "nonces": self.nonces}
        if self.is_open:
            seed = self.table.record()["seed"]
            return {**facts, "secret": self.row.secret.hex(), "seed": str(seed)}
        return {**facts, "secret": None, "seed": None}

    def whole_record(self) -> dict[str, Any]:
        """The match for `bolicho replay` and `bolicho verify`."""
        if not self.is_open:
            raise Refusal(403, Said("server.not-open"))
        record = self.table.record()
        shown = {str(seat): fair.cards_shown(record, seat) for seat in range(self.game.seats)}
        facts = self.promised()
        about = {name: facts[name] for name in ("match", "agents")}
        deal = {name: facts[name] for name in ("version", "commit", "nonce_commits")}
        opened = {"nonces": self.nonces, "secret": self.row.secret.hex()}
        return {**record, **about, "fair": {**deal, **opened}, "shown": shown, "result": self.row.result}

    def seat_record(self, who: Audience) -> dict[str, Any]:
        """The match as a seat knows it, or as everybody does; no card in it that was not shown there."""
        view = self.view(who)
        facts: dict[str, Any] = {**self.promised(), "nonces": self.nonces, "seat": who, "over": self.state == "over"}
        if who is not None:
            facts["shown"] = fair.cards_shown(self.table.record(), who)
        return {**facts, "scores": view.scores, "log": view.history}


def told_apart(called: list[str]) -> list[str]:
    """The same names, with a number each where there are several of one."""
    return [
        name if called.count(name) == 1 else f"{name} {called[:i].count(name) + 1}" for i, name in enumerate(called)
    ]


def why_not(view: View, text: str) -> Said:
    """Why what somebody wrote cannot be played."""
    why = view.game.kind.refusal(view, text) if view.turn == view.seat else None
    return why or Said("server.illegal")
