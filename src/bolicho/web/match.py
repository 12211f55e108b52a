"""Match in memory, built from its rows; it can be dropped and built again at any time.

It keeps no state that the rows do not have; an agent's decision depends on the match and the ply only.
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

from bolicho.agents.mirrored_games import luck_of_seats
from bolicho.games import game as make_game
from bolicho.games.game import Game, Table, View, winners_of
from bolicho.games.kind import Action
from bolicho.games.record import replay
from bolicho.i18n import Message, Seat
from bolicho.lab.puzzles import PLANS
from bolicho.store import challenges, deals
from bolicho.store.database import MatchRow, SeatRow
from bolicho.web import fair_deals
from bolicho.web.endings import PLAYED, Ending, Way, tally
from bolicho.web.refusal import Refusal
from bolicho.web.rendering import look_of, shown
from bolicho.web.uptime import ALWAYS, Uptime
from bolicho.web.workers import names

PAUSE = 60.0
"""Seconds that the seat to act may be away before the others may claim the game."""

AWAY = 50.0
"""Seconds without a heartbeat after which a seat counts as away."""

Audience = int | None
"""A seat, or None for spectators."""


def dumps(message: Any) -> str:
    """Return compact JSON; the standard library took a fifth of the time of a move."""
    return orjson.dumps(message).decode()


def game_of(name: str, rules: Mapping[str, Any]) -> Game:
    """Return the game, the same object for the same rules."""
    return _game(name, json.dumps(rules, sort_keys=True))


@lru_cache(maxsize=256)
def _game(name: str, rules: str) -> Game:
    return make_game(name, **json.loads(rules))


LOOKED_AT = {"why": True, "hint": False, "open_end": True, "clock": None}
"""Options of a match that is only looked at."""


class Match:
    """Match: its seats, and the table once all seats are taken."""

    def __init__(self, row: MatchRow, sitting: Sequence[SeatRow], uptime: Uptime = ALWAYS) -> None:
        self.row = row
        self._uptime = uptime
        self.sitting = list(sitting)
        self.game = game_of(row.game, row.rules)
        self.luck = luck_of_seats(fair_deals.luck(row.secret), self.game.seats)
        self.frames: dict[Audience, list[dict[str, Any]]] = {}
        """Views of the plies since connections were last notified, by audience."""
        self.told_here: tuple[bool, ...] = ()
        """The result of `here` when connections were last notified."""
        self.kept: list[challenges.StoredSeat] = []
        """Seats reserved for bots while the match waits for them."""
        self._table: Table | None = None
        if row.dealt is not None:
            self._deal(row.dealt)

    @classmethod
    def played(cls, number: str, record: Mapping[str, Any], payoffs: Sequence[float]) -> "Match":
        """Build a finished match, open to look at, from the record of a game between agents."""
        agents = record["players"]
        sitting = [SeatRow(seat, name, agent=agents[seat]) for seat, name in enumerate(numbered_names(names(agents)))]
        row = MatchRow(number, record["game"], dict(record.get("rules", {})), LOOKED_AT, b"", 0.0)
        match = cls(row, sitting)
        match._table = replay(record, match.game)
        match._table.players = match.names
        winners = match.table.winners if match.table.over else winners_of(payoffs)
        result = {"scores": match.table.scores, "winners": winners, "claimed": None, "people": 0}
        match.row = replace(row, ended=0.0, result=result)
        match._turns, match._since = [], 0.0
        return match

    # --- State ----------------------------------------------------------------------------------

    @property
    def id(self) -> str:
        return self.row.id

    @property
    def names(self) -> list[str]:
        """Return the names of the seats."""
        return [seat.name for seat in self.sitting]

    @property
    def state(self) -> str:
        """Return waiting, playing or over."""
        if self._table is None:
            return "waiting"
        return "over" if self.row.ended is not None else "playing"

    @property
    def table(self) -> Table:
        """Return the table; refused while seats are open."""
        if self._table is None:
            raise Refusal(409, Message("server.waiting"))
        return self._table

    @property
    def ply(self) -> int:
        """Return the number of chosen actions; -1 before the deal."""
        return -1 if self._table is None else self._table.ply

    @property
    def since(self) -> float:
        """Return the time of the last action, or of the deal."""
        return self._since

    @property
    def people(self) -> list[int]:
        """Return the seats without an agent."""
        return [seat.seat for seat in self.sitting if seat.agent is None]

    def option(self, name: str) -> Any:
        """Return an option of the match."""
        return self.row.options.get(name)

    @property
    def study(self) -> str | None:
        """Return the study of the match, if any; other clients may not look at it."""
        found: str | None = self.option("study")
        return found

    def seat_of(self, token: str | None) -> Audience:
        """Return the seat that a token opens; None without a token; refuse a token that opens no seat."""
        if token is None:
            if self.study is not None:
                raise Refusal(404, Message("server.no-match"))
            return None
        digest = sha256(token.encode()).digest()
        for seat in self.sitting:
            if seat.token is not None and hmac.compare_digest(seat.token, digest):
                return seat.seat
        raise Refusal(403, Message("server.token")) if self.study is None else Refusal(404, Message("server.no-match"))

    def invited(self, code: str, now: float) -> int | None:
        """Return the open seat of an invitation; None if it is used or has expired."""
        digest = sha256(code.encode()).digest()
        for seat in self.sitting:
            if seat.invite == digest and not seat.taken and (seat.expires is None or seat.expires >= now):
                return seat.seat
        return None

    # --- Changes --------------------------------------------------------------------------------

    def sit(self, row: SeatRow) -> None:
        """Set the row of a taken seat."""
        self.sitting[row.seat] = row

    def dealt(self, at: float) -> None:
        """Deal at that time, after the last seat is taken."""
        self.row = replace(self.row, dealt=at)
        self._deal(at)

    def _deal(self, at: float) -> None:
        self._table = self.game.deal(deals.seed_of(self.row, self.sitting, self.game.options))
        self._table.players = self.names
        self._turns: list[tuple[int, float, float]] = []  # seat, when its turn began, when it moved
        self._since = at

    def play(self, action: Action | str | int, at: float, listening: Iterable[Audience] = ()) -> int:
        """Play an action, keep a view of the ply for each audience, and return the seat."""
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
        """Keep a view of the deal for each audience."""
        self.frames = {who: [shown(self.view(who))] for who in listening}

    def ended(self, at: float, ending: Ending = PLAYED) -> dict[str, Any]:
        """End the match and return the result."""
        result = {**ending.result(self.table), "people": len(self.people)}
        self.row = replace(self.row, ended=at, claimed=result["claimed"], result=result)
        return result

    # --- Views and messages ---------------------------------------------------------------------

    def view(self, who: Audience, ply: int | None = None) -> View:
        """Return the view of a seat or of the public, now or at a ply."""
        table = self.table
        if ply is not None and ply != table.ply:
            if not 0 <= ply <= table.ply:
                raise Refusal(404, Message("server.no-ply", ply=ply, last=table.ply))
            table = table.back(ply)
        return table.public_view() if who is None else table.view(who)

    def is_here(self, seat: int, now: float) -> bool:
        """Return whether a seat is connected, as far as is known; agents always are."""
        row = self.sitting[seat]
        return row.agent is not None or (row.here and self._uptime.seconds(row.seen or 0.0, now) < AWAY)

    def here(self, now: float) -> tuple[bool, ...]:
        """Return for each seat whether it is connected."""
        return tuple([self.is_here(seat.seat, now) for seat in self.sitting])

    def agent_shown(self, row: SeatRow) -> str | bool | None:
        """Return the agent of a seat as it may be shown: in a neutral match only whether there is one."""
        return deals.agent_shown(self.row, row)

    def about(self) -> dict[str, Any]:
        """Return the game and the options of a match, and how far it is."""
        about = {"match": self.id, "game": self.row.game, "look": look_of(self.game.kind), "seats": self.game.seats}
        return {
            **about,
            "rules": dict(self.game.options),
            "options": self.row.options,
            "ply": self.ply,
            "judged": self.row.game in PLANS,
        }

    def facts(self, now: float) -> dict[str, Any]:
        """Return the public facts of a match."""
        players = [
            {"name": row.name, "agent": self.agent_shown(row), "taken": row.taken, "here": self.is_here(row.seat, now)}
            for row in self.sitting
        ]
        facts: dict[str, Any] = {
            "players": players,
            "state": "void" if self.is_void(now) else self.state,
            "result": self.row.result,
            "clock": self.clock(now),
            "claim": self.claim(now),
        }
        if self.state == "playing" and (stops := [row.seat for row in self.sitting if row.stops]):
            facts["stops"] = stops
        if self.row.result is not None:
            facts["evening"] = tally(self.row.result, self.row.options, self.game.seats)
        if self.state == "over" and (offers := [row.seat for row in self.sitting if row.rematch is not None]):
            facts["rematch"] = {"seats": offers, "match": self.row.following}
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
        """Return the message for a new connection: the view, with the log from that row on."""
        view = None if self._table is None else shown(self.view(who, ply), log)
        at = self.ply if ply is None else ply
        return dumps({"is": "view", "ply": at, "view": view, "frames": [], **self.facts(now)})

    def news(self, who: Audience, now: float) -> str:
        """Return the message for connections that are up to date: the new frames, or only changes of the players."""
        frames = self.frames.pop(who, [])
        if not frames:
            return dumps({"is": "players", "ply": self.ply, **self.facts(now)})
        view = frames.pop()
        return dumps({"is": "view", "ply": self.ply, "view": view, "frames": frames, **self.facts(now)})

    # --- Clocks and claims ----------------------------------------------------------------------

    def clock(self, now: float) -> dict[str, Any] | None:
        """Return the seconds left for each seat, and the seat whose clock runs."""
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
        """Return when the game may be claimed, in how many seconds, and which seat is late; None if none is.

        After a downtime of the server the late seat has the whole pause to come back, whatever its clock says.
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
            was_interrupted = not uptime.since <= (self.row.dealt or 0.0) <= now  # dealt > now: the clock was set back
            moments.append(max(out_of_time, uptime.since + PAUSE) if was_interrupted else out_of_time)
        if not moments:
            return None
        at = floor(10 * min(moments)) / 10  # rounded down, so that the announced time is never too late
        return {"late": late, "at": at, "in": round(max(0.0, at - now), 1)}

    def lateness(self, now: float) -> Way:
        """Return why the seat to act is late: `away`, or `clock` if it is connected and out of time."""
        return "clock" if self.table.turn is not None and self.is_here(self.table.turn, now) else "away"

    def check_claim(self, seat: int, now: float) -> None:
        """Refuse a claim that is not due."""
        claim = self.claim(now)
        if claim is None or claim["late"] == seat:
            raise Refusal(409, Message("server.no-claim"))
        if claim["at"] > now:
            raise Refusal(409, Message("server.early-claim", who=Seat(claim["late"])), after=claim["at"] - now)

    # --- Fair deals -----------------------------------------------------------------------------

    @property
    def terms(self) -> dict[str, Any] | None:
        """Return the facts that commitments and seed cover beside secret and nonces; None in version 1."""
        return None if self.row.fair_version == 1 else self._terms

    @property
    def _terms(self) -> dict[str, Any]:
        return deals.terms_of(self.row, self.sitting, self.game.options)

    @property
    def unrevealed(self) -> list[SeatRow]:
        """Return the seats that have committed to a nonce and not revealed it."""
        return [seat for seat in self.sitting if seat.nonce_commit is not None and seat.nonce is None]

    @property
    def is_full(self) -> bool:
        """Return whether all seats are taken."""
        return all(seat.taken for seat in self.sitting)

    def reveal(self) -> dict[str, Any] | None:
        """Return the commitments, the seats that must reveal nonces, and the deadline; None if no nonce is missing.

        A seat keeps this before it reveals its nonce, because the deal depends on nothing that is chosen later.
        """
        if self._table is not None or not self.is_full or not (missing := self.unrevealed):
            return None
        return {**self.promised(), "missing": [seat.seat for seat in missing], "by": missing[0].expires}

    def is_void(self, now: float) -> bool:
        """Return whether a nonce was not revealed in time, so that the match is never dealt."""
        wait = self.reveal()
        return wait is not None and wait["by"] < now

    def promised(self) -> dict[str, Any]:
        """Return version, terms and commitments of the deal, which are known before any nonce."""
        commit = fair_deals.commitment(self.row.secret, self.terms)
        nonce_commits = [deals.hex_of(seat.nonce_commit) for seat in self.sitting]
        return {**self._terms, "version": self.row.fair_version, "commit": commit, "nonce_commits": nonce_commits}

    @property
    def nonces(self) -> list[str | None]:
        """Return the revealed nonces, by seat."""
        return [deals.hex_of(seat.nonce) for seat in self.sitting]

    # --- Records --------------------------------------------------------------------------------

    @property
    def is_open(self) -> bool:
        """Return whether all cards may be shown: the match is over, and all players agreed when they sat down."""
        return self.state == "over" and bool(self.option("open_end"))

    def fair(self) -> dict[str, Any]:
        """Return the facts of the deal; the secret only if all cards may be shown."""
        facts = {**self.promised(), "nonces": self.nonces}
        if self.is_open:
            seed = self.table.record()["seed"]
            return {**facts, "secret": self.row.secret.hex(), "seed": str(seed)}
        return {**facts, "secret": None, "seed": None}

    def whole_record(self) -> dict[str, Any]:
        """Return the whole record, for `bolicho replay` and `bolicho verify`."""
        if not self.is_open:
            raise Refusal(403, Message("server.not-open"))
        record = self.table.record()
        shown = {str(seat): fair_deals.cards_shown(record, seat) for seat in range(self.game.seats)}
        facts = self.promised()
        about = {name: facts[name] for name in ("match", "agents")}
        deal = {name: facts[name] for name in ("version", "commit", "nonce_commits")}
        opened = {"nonces": self.nonces, "secret": self.row.secret.hex()}
        return {**record, **about, "fair": {**deal, **opened}, "shown": shown, "result": self.row.result}

    def seat_record(self, who: Audience) -> dict[str, Any]:
        """Return the record as an audience saw it, without cards that were not shown to it."""
        view = self.view(who)
        facts: dict[str, Any] = {**self.promised(), "nonces": self.nonces, "seat": who, "over": self.state == "over"}
        if who is not None:
            facts["shown"] = fair_deals.cards_shown(self.table.record(), who)
        return {**facts, "scores": view.scores, "log": view.history}


def numbered_names(called: list[str]) -> list[str]:
    """Number names that occur more than once."""
    return [
        name if called.count(name) == 1 else f"{name} {called[:i].count(name) + 1}" for i, name in enumerate(called)
    ]


def why_not(view: View, text: str) -> Message:
    """Return why an action cannot be played."""
    why = view.game.kind.refusal(view, text) if view.turn == view.seat else None
    return why or Message("server.illegal")
