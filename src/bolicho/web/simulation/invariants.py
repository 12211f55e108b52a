"""Invariants of matches, checked against the rows after every transaction and for every message.

The ledger reads the rows itself, replays every match, and remembers all it has seen.  A row that changes or
disappears, a message that says more than the rows, or an early claim is a violation.
"""

import json
import sqlite3
from collections import Counter
from typing import Any, NamedTuple

import orjson

from bolicho.errors import IllegalAction
from bolicho.games.game import Table
from bolicho.store.database import MatchRow, SeatRow
from bolicho.web.match import PAUSE, Audience, Match

CLAIM_SLACK = 30.0
"""Seconds by which a claim may come early: seats are noted as seen every 20 s, and a slow disk takes 8 s."""

CLOCK_SLACK = 5.0  # seconds by which rounding may change the used time of a seat


class Moment(NamedTuple):
    """Moment in simulated time, which never jumps."""

    time: float
    up: float  # seconds that any server was up until then
    came_up: float  # when a server came up while no other was up
    jumped: float  # last jump of the wall clock


class Violation(BaseException):
    """Failed invariant; not an `Exception`, so that no handler of the server hides it."""


class MatchProgress:
    """State of one match according to the rows read so far."""

    def __init__(self, number: str) -> None:
        self.number = number
        self.raw: Any = None  # rows of match and seats as last read
        self.row: MatchRow | None = None
        self.seats: list[SeatRow] = []
        self.moves: list[tuple[int, int]] = []  # (seat, action)
        self.table: Table | None = None
        self.since = Moment(0.0, 0.0, 0.0, 0.0)  # commit of the last ply
        self.dealt = 0.0  # time of the deal
        self.heard: dict[Audience, float] = {}
        self.sent: set[tuple[int, str]] = set()  # (seat, action) that clients have sent
        self.used: dict[int, float] = {}  # seconds of thinking time used, by seat
        self._views: dict[tuple[int, Audience], Any] = {}

    @property
    def ply(self) -> int:
        """Return the number of moves; -1 before the deal."""
        return -1 if self.table is None else len(self.moves)

    @property
    def is_over(self) -> bool:
        return self.row is not None and self.row.ended is not None

    def view(self, ply: int, who: Audience) -> Any:
        """Return the view of an audience at a ply, computed from the rows."""
        if (ply, who) not in self._views:
            table = self.table if ply == self.ply else self.table.back(ply)  # type: ignore[union-attr]
            view = table.public_view() if who is None else table.view(who)  # type: ignore[union-attr]
            self._views[ply, who] = orjson.loads(orjson.dumps(view.data()))
            if who is not None and not table.over:  # type: ignore[union-attr]
                self._check_hidden(table, who, self._views[ply, who])  # type: ignore[arg-type]
        return self._views[ply, who]

    def _check_hidden(self, table: Table, who: int, seen: Any) -> None:
        """Check that the view does not change with other hidden cards and other logs of the other seats."""
        other = table.view(who).redeal(len(self.moves) + 1)
        other.take_past(table)
        other.noted[[row for row in range(len(other.noted)) if row != who]] = 0
        again = orjson.loads(orjson.dumps(other.view(who).data()))
        require(again == seen, self, "a view shows a hidden card", who)


def require(is_right: bool, known: MatchProgress, what: str, *facts: Any) -> None:
    """Raise a violation unless a condition holds."""
    if not is_right:
        raise Violation(f"{what} (match {known.number}, ply {known.ply}){': ' if facts else ''}{facts or ''}")


class Ledger:
    """State of all matches according to the rows read so far."""

    def __init__(self, raw: sqlite3.Connection) -> None:
        raw.row_factory = sqlite3.Row
        self._raw = raw
        self.matches: dict[str, MatchProgress] = {}
        self.checked = 0  # moves
        self.ends: Counter[str] = Counter()  # matches, by kind of end

    def known(self, number: str) -> MatchProgress:
        """Return the state of a match, which may have no row yet."""
        if number not in self.matches:
            self.matches[number] = MatchProgress(number)
        return self.matches[number]

    # --- Rows ---------------------------------------------------------------------------------------

    def read(self, now: Moment) -> int:
        """Read the rows and check that they extend the earlier ones; return the number of new moves."""
        seats: dict[str, list[sqlite3.Row]] = {}
        for row in self._raw.execute("SELECT * FROM seats ORDER BY match, seat"):
            seats.setdefault(row["match"], []).append(row)
        moves: dict[str, list[Any]] = {}
        for number, *move in self._raw.execute("SELECT match, ply, seat, action FROM moves ORDER BY match, ply, seat"):
            moves.setdefault(number, []).append(move)
        found = set()
        new = 0
        for row in self._raw.execute("SELECT * FROM matches ORDER BY id"):
            known = self.known(row["id"])
            found.add(row["id"])
            was_over = known.is_over
            raw = (tuple(row), [tuple(seat) for seat in seats.get(row["id"], [])])
            if raw != known.raw:
                known.raw = raw
                self._read_match(known, _match_row(row), [_seat_row(seat) for seat in seats.get(row["id"], [])], now)
            new += self._read_moves(known, moves.get(row["id"], []), was_over, now)
            if known.is_over and not was_over:
                self._check_end(known, now)
            if known.table is not None:
                require(known.is_over or not known.table.over, known, "the game is over, and the match has not ended")
        for known in self.matches.values():
            require(known.row is None or known.number in found, known, "a match has disappeared")
        self.checked += new
        return new

    def _read_match(self, known: MatchProgress, row: MatchRow, seats: list[SeatRow], now: Moment) -> None:
        before = known.row
        if before is not None:
            for name in ("game", "rules", "options", "secret", "made"):
                require(getattr(row, name) == getattr(before, name), known, f"a match changes its {name}")
            require(before.dealt is None or row.dealt == before.dealt, known, "a match is dealt again")
            if before.ended is not None:
                require(row == before, known, "a finished match changes", before.result, row.result)
            for was, seat in zip(known.seats, seats, strict=True):
                require(not was.taken or _sits(was) == _sits(seat), known, "a seat that is taken changes")
                require(was.nonce in (None, seat.nonce), known, "a nonce that was revealed changes")
        known.row, known.seats = row, seats
        is_full = all(seat.taken for seat in seats)
        require(is_full or not any(seat.nonce for seat in seats), known, "a nonce is revealed while seats are open")
        if row.dealt is not None and known.table is None:
            require(is_full, known, "cards are dealt before all seats are taken")
            require(
                all(seat.nonce_commit is None or seat.nonce for seat in seats), known, "cards are dealt without a nonce"
            )
            known.table = Match(row, seats).table.copy()
            known.since, known.dealt = now, now.time

    def _read_moves(self, known: MatchProgress, moves: list[Any], was_over: bool, now: Moment) -> int:
        require([ply for ply, _, _ in moves] == list(range(len(moves))), known, "a ply lacks its only action", moves)
        rows = [(seat, action) for _, seat, action in moves]
        require(rows[: len(known.moves)] == known.moves, known, "a move that was written changes", known.moves, rows)
        new = rows[len(known.moves) :]
        require(not (was_over and new), known, "a finished match gets a move")
        for seat, action in new:
            table = known.table
            require(table is not None and table.turn == seat, known, "a seat acts out of turn", seat)
            known.used[seat] = known.used.get(seat, 0.0) + now.up - known.since.up
            try:
                table.play(action)  # type: ignore[union-attr]
            except IllegalAction:
                require(False, known, "an illegal action is written", action)
            sent = known.seats[seat].agent is not None or (seat, str(table.actions[-1])) in known.sent  # type: ignore[union-attr]
            require(sent, known, "a written move was not sent by its seat", seat, action)
            known.moves.append((seat, action))
            known.since = now
        return len(new)

    def _check_end(self, known: MatchProgress, now: Moment) -> None:
        row, table = known.row, known.table
        require(
            table is not None and row is not None and row.result is not None, known, "a match ends without a result"
        )
        assert row is not None and row.result is not None and table is not None
        result = row.result
        require(
            result["scores"] == table.scores and result["claimed"] == row.claimed,
            known,
            "the result contradicts the moves",
        )
        self.ends["played" if table.over else "forfeited" if "forfeit" in result else "claimed"] += 1
        if table.over:
            is_right = row.claimed is None and result["winners"] == table.winners
            require(is_right, known, "the winners contradict the payoffs")
        elif "forfeit" in result:
            late = known.seats[result["forfeit"]]
            require(result["forfeit"] == table.turn, known, "a seat forfeits out of turn")
            require("://" in (late.agent or ""), known, "a seat without a remote bot forfeits")
        else:
            self._check_claim(known, now)

    def _check_claim(self, known: MatchProgress, now: Moment) -> None:
        """Check that the loser of a claim was away, or out of time, for as long as agreed.

        Only time with a server up counts. After a start the late player has the whole pause to come back, and after a
        jump of the wall clock the absence is measured anew.
        """
        assert known.row is not None and known.table is not None and known.table.turn is not None
        late, limit = known.table.turn, known.row.options.get("clock")
        require(known.row.claimed is not None and known.row.claimed != late, known, "the late seat claims the game")
        if limit is not None:
            has = limit["seconds"] + limit["plus"] * sum(seat == late for seat, _ in known.moves)
            used = known.used.get(late, 0.0) + now.up - known.since.up
            had_pause = known.dealt > now.came_up or now.time - now.came_up >= PAUSE - CLOCK_SLACK
            if used >= has - CLOCK_SLACK and had_pause:
                return
        waited = now.time - max(known.since.time, known.heard.get(late, 0.0), now.came_up, now.jumped)
        require(waited >= PAUSE - CLAIM_SLACK, known, "a claim before its time", f"{waited:.1f} s")

    # --- Messages -------------------------------------------------------------------------------------

    def check_message(self, number: str, who: Audience, text: str, newest: int) -> int:
        """Check a message to an audience at the moment it is sent; return its ply."""
        message = orjson.loads(text)
        if message.get("is") not in ("view", "players"):
            return newest
        known = self.known(number)
        ply = message["ply"]
        require(ply <= known.ply, known, "an answer before its commit", ply)
        require(ply >= newest, known, "a connection is sent an older ply", ply, newest)
        require(message["state"] != "over" or known.is_over, known, "a message says over before the match has ended")
        if message["state"] == "over":
            require(message["result"] == known.row.result, known, "a message has another result")  # type: ignore[union-attr]
        if known.row is not None and not known.is_over:
            require(known.row.secret.hex() not in text, known, "a message has the secret")
        if message["is"] == "view" and message["view"] is not None:
            views = [*message["frames"], message["view"]]
            for at, view in enumerate(views, ply + 1 - len(views)):
                self._check_view(known, at, who, view)
        return int(ply)

    def _check_view(self, known: MatchProgress, ply: int, who: Audience, view: dict[str, Any]) -> None:
        right = known.view(ply, who)
        since = view["log_from"]
        require(
            view == {**right, "log_from": since, "log": right["log"][since:]},
            known,
            "a view differs from the rows",
            ply,
            who,
        )

    def check_revealed(self, number: str, nonce: bytes) -> None:
        """Check that an acknowledged nonce is stored."""
        known = self.known(number)
        require(any(seat.nonce == nonce for seat in known.seats), known, "an acknowledged nonce is not written")

    def check_played(self, number: str, seat: int, ply: int, action: str) -> None:
        """Check that an acknowledged move is stored."""
        known = self.known(number)
        require(
            ply < len(known.moves) and known.moves[ply][0] == seat, known, "an acknowledged move is not written", ply
        )
        table = known.table.back(ply)  # type: ignore[union-attr]
        table.play(action)
        require(
            known.moves[ply][1] == int(table.actions[-1]),
            known,
            "the acknowledged move differs from the written one",
            ply,
        )

    def check_memory(self, match: Match) -> None:
        """Check that the memory of a process is not ahead of the rows."""
        known = self.known(match.id)
        require(match.ply <= known.ply, known, "memory is ahead of the rows", match.ply)
        if match.ply > 0:
            actions = [action for _, action in known.moves[: match.ply]]
            require([int(action) for action in match.table.actions] == actions, known, "memory differs from the rows")


def _sits(row: SeatRow) -> tuple[Any, ...]:
    return row.seat, row.name, row.agent, row.token, row.nonce_commit


def _seat_row(row: sqlite3.Row) -> SeatRow:
    facts = dict(row)
    del facts["match"]
    return SeatRow(**{**facts, "here": bool(facts["here"])})


def _match_row(row: sqlite3.Row) -> MatchRow:
    facts = dict(row)
    texts = {name: json.loads(facts[name]) for name in ("rules", "options", "result") if facts[name] is not None}
    return MatchRow(**{**facts, **texts})
