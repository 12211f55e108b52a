"""Many tables of one game at once: the plural of `Table`.

>>> import numpy as np
>>> from bolicho.games import game
>>> tables = Tables(game("truco"), 3)
>>> tables.deal([7, 8, 9])
>>> while len(live := tables.live):
...     numbers = np.argmax(tables.masks(live), axis=1)     # the first legal action, everywhere
...     tables.play(live, numbers)
>>> tables.scores()[0].tolist()
[24, 13]

They are records in one array and a few numbers beside it: ten thousand cost no more objects than
one.  Tables are named by their number; most functions take the numbers of those that are meant.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bolicho.errors import BadInput, IllegalAction
from bolicho.games.compiled import calls
from bolicho.games.game import Game, Pool, Table, View

Numbers = NDArray[np.int64]
"""Tables, by number."""

FIRST_ROOM = 32  # actions, and rows of a log, that a table has room for at first; it doubles


class Tables:
    """Games being played side by side.  Give seats views, never the tables."""

    def __init__(self, game: Game, count: int, *, logged: bool = False) -> None:
        """`logged` keeps what every seat saw happen, which `view` needs; learners seldom do."""
        if count < 1:
            raise BadInput(f"there must be one table or more, not {count}")
        self.game = game
        self.count = count
        self.pool: Pool = np.frombuffer(bytearray(game.blank_bytes * count), game.dtype)
        self.plies = np.zeros(count, np.int32)
        self.moves = np.zeros((count, FIRST_ROOM), np.int16)
        """What was chosen at each table, as numbers; `plies` of them count."""
        self._legal = np.zeros(game.num_actions, np.int16)
        self._scratch: Pool = np.zeros(1, game.dtype)
        self._everybody = np.arange(count)
        self._room = self.pool["events"].shape[1]  # the most that one action may note
        self._logs = np.zeros((count * logged, game.seats + 1, max(FIRST_ROOM, self._room), 4), np.int16)
        self._noted = np.zeros(count, np.int64)
        self.refused = 0  # of the actions that were tried last
        self._most = self._most_noted = 0  # actions at a table, and rows in a log, at most
        self.turn: NDArray[np.int8] = self.pool["turn"]
        """The seat that must act at each table, -1 where the game is over; read only, and always true."""

    @property
    def live(self) -> Numbers:
        """The tables that are not over."""
        return np.flatnonzero(self.turn >= 0)

    def deal(self, seeds: ArrayLike, which: ArrayLike | None = None) -> None:
        """Deal anew, by default at every table."""
        tables = self._which(which)
        calls.deal_many(self.pool, tables, np.broadcast_to(np.asarray(seeds, np.uint64), tables.shape))
        self.plies[tables] = 0
        if len(self._logs):
            self._noted[tables] = 0
            self._grow()
            calls.note_many(self.pool, tables, self._scratch, self._logs, self._noted)

    def place(self, number: int, table: Table) -> None:
        """Put a table that is set up, or under way, in the place of one."""
        self.pool[number : number + 1].view(np.uint8)[:] = table.pool.view(np.uint8)
        self.plies[number] = 0
        rows = table.noted
        self._grow(table.ply, rows.shape[1])
        self.moves[number, : table.ply] = [int(action) for action in table.actions]
        self.plies[number] = table.ply
        if len(self._logs):
            self._logs[number, :, : rows.shape[1]] = rows
            self._noted[number] = rows.shape[1]

    def play(self, which: ArrayLike, actions: ArrayLike) -> None:
        """Play one action at each of these tables; an illegal one changes nothing there and is an error."""
        tables = self._which(which)
        played = self.try_actions(tables, actions)
        if not played.all():
            k = int(np.argmin(played))
            raise IllegalAction(f"table {tables[k]}: {np.asarray(actions)[k]} is not legal there")

    def try_actions(self, which: Numbers, actions: ArrayLike) -> NDArray[np.bool_]:
        """Play one action at each of these tables where it is legal; says where it was."""
        played = np.zeros(len(which), np.bool_)
        if len(which) == 0:
            return played
        self._grow()
        numbers = np.ascontiguousarray(actions, np.int64)
        self.refused = calls.play_many(
            self.pool, which, numbers, self._legal, self.moves, self.plies, played, self._scratch, self._logs,
            self._noted,
        )  # fmt: skip
        return played

    def _grow(self, plies: int = 0, noted: int = 0) -> None:
        """See that there is room for one more action everywhere, and for what it does, or for so many."""
        self._most, self._most_noted = max(self._most, plies) + 1, max(self._most_noted, noted) + self._room
        if self._most > self.moves.shape[1]:  # at least as many as there are: counted only when that would be too many
            self._most = max(plies, int(self.plies.max())) + 1
            while self._most > self.moves.shape[1]:
                self.moves = np.concatenate([self.moves, np.zeros_like(self.moves)], axis=1)
        if self._most_noted > self._logs.shape[2]:
            self._most_noted = max(noted, int(self._noted.max())) + self._room
            while self._most_noted > self._logs.shape[2]:
                self._logs = np.concatenate([self._logs, np.zeros_like(self._logs)], axis=2)

    def _which(self, which: ArrayLike | None) -> Numbers:
        return self._everybody if which is None else np.ascontiguousarray(which, np.int64)

    # --- What seats and learners see ---

    def views(self, which: ArrayLike, *, open: bool = False) -> list[View]:
        """What the seats to act see, as a `Table` shows it to them; with `open` all of it."""
        assert len(self._logs), "only tables that are logged have views"
        tables, game = self._which(which), self.game
        records, legal, counts = self.look(tables, open=open)
        made, logs = game.kind.view, self._logs
        return [
            made(game, seat, records[k : k + 1], legal[k, :n].tolist(), logs[i, -1 if open else seat, :rows].tobytes())
            for k, (i, n, seat, rows) in enumerate(
                zip(
                    tables.tolist(),
                    counts.tolist(),
                    records["turn"].tolist(),
                    self._noted[tables].tolist(),
                    strict=True,
                )
            )
        ]

    def look(self, which: Numbers, *, open: bool = False) -> tuple[Pool, NDArray[np.int16], Numbers]:
        """The records of what the seats to act see, the actions each may take, and how many these are."""
        records: Pool = np.frombuffer(bytearray(len(which) * self.game.record_size), self.game.dtype)
        legal = np.empty((len(which), self.game.num_actions), np.int16)
        counts = np.empty(len(which), np.int64)
        calls.look_many(self.pool, which, records, open, legal, counts)
        return records, legal, counts

    def log(self, number: int, seat: int, first: int, *, open: bool = False) -> NDArray[np.int16]:
        """What a seat has seen happen at one table (with `open`: what did) from that row on."""
        return self._logs[number, -1 if open else seat, first : self._noted[number]]

    def observe(self, which: ArrayLike) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """Features and legal actions of the seats to act: (tables, features), (tables, actions)."""
        tables = self._which(which)
        features = np.empty((len(tables), self.game.num_features), np.float32)
        masks = np.empty((len(tables), self.game.num_actions), np.bool_)
        calls.observe_many(self.pool, tables, self._legal, features, masks)
        return features, masks

    def features(self, which: ArrayLike) -> NDArray[np.float32]:
        """What the seats to act know, as numbers: (tables, features)."""
        return self.observe(which)[0]

    def masks(self, which: ArrayLike) -> NDArray[np.bool_]:
        """Which actions the seats to act may take: (tables, actions)."""
        return self.observe(which)[1]

    def view(self, number: int, seat: int | None = None, *, open: bool = False) -> View:
        """What a seat sees at one table (by default the one to act), as a `Table` shows it."""
        assert len(self._logs), "only tables that are logged have views"
        chosen = max(0, int(self.pool["turn"][number])) if seat is None else self.game.seat(seat)
        log = self._logs[number, -1 if open else chosen, : self._noted[number]]
        ply = int(self.plies[number])
        return self.game.view(self.pool[number : number + 1], chosen, log, ply=ply, open=open)

    # --- What came of it ---

    def payoffs(self, which: ArrayLike | None = None) -> NDArray[np.float64]:
        """What each seat got out of games that are over: (tables, seats)."""
        tables = self._which(which)
        out = np.zeros((len(tables), self.game.seats))
        calls.payoff_many(self.pool, tables, out)
        return out

    def scores(self, which: ArrayLike | None = None) -> NDArray[np.int64]:
        """The points each seat has so far: (tables, seats)."""
        tables = self._which(which)
        out = np.zeros((len(tables), self.game.seats), np.int64)
        calls.scores_many(self.pool, tables, out)
        return out

    def actions(self, number: int) -> Sequence[int]:
        """What was chosen at one table, as numbers."""
        chosen: list[int] = self.moves[number, : self.plies[number]].tolist()
        return chosen
