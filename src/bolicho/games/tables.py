"""Many tables of one game in one array.

>>> import numpy as np
>>> from bolicho.games import game
>>> tables = Tables(game("truco"), 3)
>>> tables.deal([7, 8, 9])
>>> while len(live := tables.live):
...     numbers = np.argmax(tables.masks(live), axis=1)     # the first legal action, everywhere
...     tables.play(live, numbers)
>>> tables.scores()[0].tolist()
[24, 13]

They are records in one array and a few numbers beside it, so the number of objects does not grow with
the number of tables.  A table is identified by its number; most functions take numbers of tables.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bolicho.errors import BadInput, IllegalAction
from bolicho.games.compiled import calls
from bolicho.games.game import Game, Table, View
from bolicho.games.kind import Pool

Numbers = NDArray[np.int64]
"""Tables, by number."""

Actions = NDArray[np.int16]
"""Actions of a game, by number."""

Moves = Actions | Sequence[int]
"""Action numbers of a game, in order."""

FIRST_ROOM = 32  # initial capacity for actions and log rows of a table; it doubles


class Arrays(NamedTuple):
    """Arrays of some tables, as compiled code takes them."""

    pool: Pool
    plies: NDArray[np.int32]
    moves: NDArray[np.int16]
    logs: NDArray[np.int16]
    noted: Numbers  # rows of each log
    legal: NDArray[np.int16]  # buffer for the legal actions of a table
    scratch: Pool  # buffer for a hidden record


class Tables:
    """Parallel games.  Give agents views, never the tables."""

    def __init__(self, game: Game, count: int, *, logged: bool = False) -> None:
        """Make `count` tables; `logged` keeps every seat's events, which `view` needs and learners rarely use."""
        if count < 1:
            raise BadInput(f"there must be one table or more, not {count}")
        self.game = game
        self.count = count
        self.pool: Pool = np.frombuffer(bytearray(game.blank_bytes * count), game.dtype)
        self.plies = np.zeros(count, np.int32)
        self._legal = np.zeros(game.num_actions, np.int16)
        self._everybody = np.arange(count)
        self._noted = np.zeros(count, np.int64)
        self.arrays = Arrays(
            self.pool,
            self.plies,
            np.zeros((count, FIRST_ROOM), np.int16),
            np.zeros((count * logged, game.seats + 1, max(FIRST_ROOM, game.event_rows), 4), np.int16),
            self._noted,
            self._legal,
            np.zeros(1, game.dtype),
        )
        self._spare = 0  # actions for which every table certainly has room
        self.turn: NDArray[np.int8] = self.pool["turn"]
        """Seat to act at each table, -1 where the game is over; read only, and always current."""

    @property
    def moves(self) -> NDArray[np.int16]:
        """Action numbers chosen at each table; the first `plies` of a row are valid."""
        return self.arrays.moves

    @property
    def _logs(self) -> NDArray[np.int16]:
        return self.arrays.logs

    @property
    def live(self) -> Numbers:
        """Tables that are not over."""
        return np.flatnonzero(self.turn >= 0)

    def deal(self, seeds: ArrayLike, which: ArrayLike | None = None) -> None:
        """Deal new games, by default at every table."""
        tables = self._which(which)
        calls.deal_many(self.pool, tables, np.broadcast_to(np.asarray(seeds, np.uint64), tables.shape))
        self.plies[tables] = 0
        if len(self._logs):
            self._noted[tables] = 0
            self.make_room()
            calls.note_many(self.pool, tables, self.arrays.scratch, self._logs, self._noted)

    def place(self, number: int, table: Table) -> None:
        """Replace a table by another one, which may be set up or in progress."""
        self.pool[number : number + 1].view(np.uint8)[:] = table.pool.view(np.uint8)
        rows = table.noted
        self.plies[number], self._noted[number] = table.ply, rows.shape[1] if len(self._logs) else 0
        self._spare = 0
        self.make_room()
        self.moves[number, : table.ply] = [int(action) for action in table.actions]
        if len(self._logs):
            self._logs[number, :, : rows.shape[1]] = rows

    def play(self, which: ArrayLike, actions: ArrayLike) -> None:
        """Play one action at each of these tables; an illegal one changes nothing at its table and raises an error."""
        tables = self._which(which)
        numbers, played = np.ascontiguousarray(actions, np.int16), np.zeros(len(tables), np.bool_)
        self.make_room()
        if calls.play_many(self.arrays, tables, numbers, played):
            k = int(np.argmin(played))
            raise IllegalAction(f"table {tables[k]}: {numbers[k]} is not legal there")

    def make_room(self) -> None:
        """Ensure room for one more action and its events at every table; this may replace `arrays`."""
        self._spare -= 1
        if self._spare >= 0:  # count exactly only when this bound is used up
            return
        moves, logs, rows = self.moves, self._logs, self.game.event_rows
        plies, noted = int(self.plies.max()), int(self._noted.max())
        while plies >= moves.shape[1]:
            moves = np.concatenate([moves, np.zeros_like(moves)], axis=1)
        while noted + rows > logs.shape[2]:
            logs = np.concatenate([logs, np.zeros_like(logs)], axis=2)
        self.arrays = self.arrays._replace(moves=moves, logs=logs)
        self._spare = min(moves.shape[1] - plies, (logs.shape[2] - noted) // rows if len(logs) else moves.shape[1]) - 1

    def _which(self, which: ArrayLike | None) -> Numbers:
        return self._everybody if which is None else np.ascontiguousarray(which, np.int64)

    # --- Views and features ---

    def views(self, which: ArrayLike, *, open: bool = False) -> list[View]:
        """Return the views of the seats to act; with `open`, nothing is hidden."""
        assert len(self._logs), "only tables that are logged have views"
        tables, game = self._which(which), self.game
        records, legal, counts = self.look(tables, open=open)
        made, logs = game.make_view, self._logs
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
        """Return the records that the seats to act see, their legal actions, and how many these are."""
        records: Pool = np.frombuffer(bytearray(len(which) * self.game.record_size), self.game.dtype)
        legal = np.empty((len(which), self.game.num_actions), np.int16)
        counts = np.empty(len(which), np.int64)
        calls.write_views(self.pool, which, records, open, legal, counts)
        return records, legal, counts

    def log(self, number: int, seat: int, first: int, *, open: bool = False) -> NDArray[np.int16]:
        """Return a seat's events at one table from row `first` on; with `open`, nothing is hidden."""
        return self._logs[number, -1 if open else seat, first : self._noted[number]]

    def observe(self, which: ArrayLike) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """Return features and legal actions of the seats to act: (tables, features), (tables, actions)."""
        tables = self._which(which)
        features = np.empty((len(tables), self.game.num_features), np.float32)
        masks = np.empty((len(tables), self.game.num_actions), np.bool_)
        calls.observe_many(self.pool, tables, self._legal, features, masks)
        return features, masks

    def features(self, which: ArrayLike) -> NDArray[np.float32]:
        """Return the features of the seats to act: (tables, features)."""
        return self.observe(which)[0]

    def masks(self, which: ArrayLike) -> NDArray[np.bool_]:
        """Return masks of the legal actions of the seats to act: (tables, actions)."""
        return self.observe(which)[1]

    def view(self, number: int, seat: int | None = None, *, open: bool = False) -> View:
        """Return the view of a seat at one table (by default the seat to act)."""
        assert len(self._logs), "only tables that are logged have views"
        chosen = max(0, int(self.pool["turn"][number])) if seat is None else self.game.seat(seat)
        log = self._logs[number, -1 if open else chosen, : self._noted[number]]
        ply = int(self.plies[number])
        return self.game.view(self.pool[number : number + 1], chosen, log, ply=ply, open=open)

    # --- Results ---

    def payoffs(self, which: ArrayLike | None = None) -> NDArray[np.float64]:
        """Return the payoffs of finished games: (tables, seats)."""
        tables = self._which(which)
        out = np.zeros((len(tables), self.game.seats))
        calls.payoff_many(self.pool, tables, out)
        return out

    def scores(self, which: ArrayLike | None = None) -> NDArray[np.int64]:
        """Return the points of each seat so far: (tables, seats)."""
        tables = self._which(which)
        out = np.zeros((len(tables), self.game.seats), np.int64)
        calls.scores_many(self.pool, tables, out)
        return out

    def actions(self, number: int) -> NDArray[np.int16]:
        """Return a copy of the action numbers chosen at one table."""
        return self.moves[number, : self.plies[number]].copy()
