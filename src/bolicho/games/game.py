"""Python interface of a compiled game: `Game`, `Table` and `View`.

>>> import bolicho
>>> table = bolicho.game("truco").deal(seed=7)
>>> view = table.view(table.turn)
>>> table.play(view.legal[0])
>>> table.record()["seed"]
7
"""

import dataclasses
import hashlib
import html
import json
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, lru_cache
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bolicho.errors import BadInput, IllegalAction, unknown
from bolicho.games import small_game
from bolicho.games.compiled import calls
from bolicho.games.compiled.defaults import deal_any  # noqa: F401  (registers the defaults of all records)
from bolicho.games.fields import as_json, describe_fields, enumerations, reader
from bolicho.games.jit import entry_point
from bolicho.games.kernel import missing
from bolicho.games.kind import Action, Kind, Pool, copy_pool
from bolicho.games.small_game import Entry
from bolicho.i18n import Catalogue, catalogue

NOBODY = -1
"""The seat of a spectator."""

ROW = 8
"""Size of a row of events in bytes."""


class _Entries(dict[bytes, Entry]):
    """Cache of rows of events as JSON with their messages; a table shows the same rows repeatedly."""

    MOST = 1 << 12

    def __init__(self, kind: Kind) -> None:
        self._kind = kind

    def __missing__(self, row: bytes) -> Entry:
        if len(self) >= self.MOST:
            self.clear()
        words = self._kind.entry(np.frombuffer(row, np.int16))
        self[row] = found = {**words, "says": self._kind.said(words).as_json()}
        return found


class Game:
    """A game with fixed rules: deals tables, reads records.  It is immutable, since tables and agents share it."""

    def __init__(self, kind: Kind, /, **options: Any) -> None:
        self.kind = kind
        self.rules = _make_rules(kind, options)
        self.make_view = kind.view or View
        self.seats = kind.seats(self.rules)
        self.num_actions = kind.num_actions(self.rules)
        self.feature_names = kind.feature_names(self.rules)
        self.num_features = len(self.feature_names)
        self._blank = kind.blank(self.rules)
        self._blank.flags.writeable = False
        self.dtype = self._blank.dtype
        check_rules(kind.name, self.dtype)
        self.record_size = self.dtype.itemsize
        self.event_rows = self._blank["events"].shape[1]  # maximum events of one action
        self.log_shape = self.seats + 1, max(64, self.event_rows), 4  # initial shape of a table's logs
        self.blank_bytes = self._blank.tobytes()
        self.blank_table = self.blank_bytes * (self.seats + 1)  # the state and the view of each seat
        self.read_fields = reader(kind.fields, self.dtype) if kind.fields else small_game.no_fields
        self._fixed = tuple(Action(text, number) for number, text in enumerate(kind.texts or ()))

    def __setattr__(self, name: str, value: object) -> None:
        if "_fixed" in self.__dict__:
            raise AttributeError(f"{name} of a game cannot be changed; make another game")
        super().__setattr__(name, value)

    def __eq__(self, other: object) -> bool:
        """Return whether the rules are equal; equal games share what is loaded or learned for one of them."""
        return self is other or (isinstance(other, Game) and self.kind == other.kind and self.rules == other.rules)

    def __hash__(self) -> int:
        return hash(self.name)

    @property
    def name(self) -> str:
        return self.kind.name

    @cached_property
    def options(self) -> Mapping[str, Any]:
        """Options that differ from the default rules."""
        default = self.kind.rules()
        fields = dataclasses.asdict(self.rules)
        return MappingProxyType({name: value for name, value in fields.items() if value != getattr(default, name)})

    def __repr__(self) -> str:
        options = "".join(f", {name}={value!r}" for name, value in self.options.items())
        return f"game({self.name!r}{options})"

    def deal(self, seed: int = 0) -> "Table":
        """Return a new table; `seed` (0 to 2**64 - 1) fixes all chance."""
        seed = _check_seed(seed)
        return Table(self, self._blank, {"seed": seed}, deal=seed)

    @cached_property
    def _start(self) -> Callable[..., tuple[int, int, int]]:
        """Compiled `calls.start` for the arrays of a table."""
        records, legal, logs = self._arrays
        return entry_point(calls.start, records, np.uint64(0), legal, logs)

    @cached_property
    def _show(self) -> Callable[..., tuple[int, int, int]]:
        """Compiled `calls.show` for the arrays of a table."""
        return entry_point(calls.show, *self._arrays, 0)

    @cached_property
    def _step(self) -> Callable[..., tuple[int, int, int]]:
        """Compiled `calls.step` for the arrays of a table."""
        records, legal, logs = self._arrays
        return entry_point(calls.step, records, 0, legal, 0, logs, 0)

    @cached_property
    def _steps(self) -> Callable[..., tuple[int, int, int, int]]:
        """Compiled `calls.steps` for the arrays of a table."""
        records, legal, logs = self._arrays
        return entry_point(calls.steps, records, legal.astype(np.int64), 0, legal, 0, logs, 0)

    @property
    def _arrays(self) -> tuple[Pool, NDArray[np.int16], NDArray[np.int16]]:
        """Records, legal actions and logs with the types that a table uses."""
        logs = np.zeros((1, 1, 4), np.int16)
        return copy_pool(self._blank), logs[0, 0], logs

    def setup(self, /, **setup: Any) -> "Table":
        """Return a table with given hands; the keys depend on the game (see its page)."""
        pool = copy_pool(self._blank)
        digest = hashlib.sha256(json.dumps(setup, sort_keys=True, default=str).encode()).digest()
        pool["seed"] = np.frombuffer(digest[:8], "<u8")  # for the parts that the setup leaves to chance
        self.kind.read_setup(self.rules, pool, setup)
        return Table(self, pool, {"setup": setup})

    def seat(self, number: int) -> int:
        """Return the number of a seat if the game has it."""
        if type(number) is int and 0 <= number < self.seats:
            return number
        if isinstance(number, np.integer) and 0 <= number < self.seats:
            return int(number)
        raise BadInput(f"{self.name} has the seats 0 to {self.seats - 1} here, not {number!r}")

    @cached_property
    def all_rules(self) -> MappingProxyType[str, Any]:
        """All rules, including those with default values."""
        return MappingProxyType(dataclasses.asdict(self.rules))

    def view(
        self, pool: Pool, seat: int, log: NDArray[np.int16], *, ply: int | None = None, open: bool = False
    ) -> "View":
        """Return the view of a seat on the state `pool[0]`; with `open`, a view in which nothing is hidden."""
        out = np.frombuffer(bytearray(self.record_size), self.dtype)
        legal = np.empty(self.num_actions, np.int16)
        if open:
            out = copy_pool(pool)
            n = calls.legal(out, legal)
        else:
            n = calls.write_view(pool, seat, out, legal)
        return self.make_view(self, seat, out, legal[:n].tolist(), log.tobytes(), ply)

    def texts(self, states: Pool, numbers: Sequence[int]) -> list[Action]:
        """Return the actions of these numbers, each with its text in its position."""
        if self._fixed:
            return [self._fixed[number] for number in numbers]
        return [self.action(states[i], number) for i, number in enumerate(numbers)]

    @cached_property
    def _entries(self) -> _Entries:
        return _Entries(self.kind)

    @cached_property
    def _choices(self) -> dict[int, Entry]:
        return {}

    def choice(self, state: np.void, number: int) -> Entry:
        """Return an action as read-only JSON: its text, and its name for people."""
        found = self._choices.get(number)
        if found is None:
            action = self.action(state, number)
            found = {"action": str(action), "says": self.kind.name_action(state, action).as_json()}
            if self._fixed:
                self._choices[number] = found
        return found

    def describe(self) -> dict[str, Any]:
        """Return the layout of a record as JSON: its fields, and the names of their numbers (docs/views.md)."""
        kind = self.kind
        named = enumerations(kind.fields) if kind.fields else {}
        return {
            "game": self.name,
            "rules": dict(self.all_rules),
            "seats": self.seats,
            "record": {"size": self.record_size, "fields": describe_fields(self.dtype, kind.fields)},
            "enumerations": named | {name: list(map(list, enumerate(of))) for name, of in kind.enumerations},
            "actions": list(kind.texts) if kind.texts else None,
        }

    def action(self, state: np.void, number: int) -> Action:
        """Return the action of a number, with its text in this position."""
        return self._fixed[number] if self._fixed else Action(self.kind.action_text(state, number), number)


def winners_of(payoffs: Sequence[float]) -> list[int]:
    """Return the seats with the highest payoff; no seat if all payoffs are equal."""
    best = [seat for seat, payoff in enumerate(payoffs) if payoff == max(payoffs)]
    return [] if len(best) == len(payoffs) else best


@lru_cache
def check_rules(name: str, dtype: np.dtype[np.void]) -> None:
    """Raise unless every required generic function is implemented for a record."""
    lacking = missing(dtype)
    if lacking:
        raise BadInput(
            f"the game {name} lacks {', '.join(lacking)} of its record; "
            f"write @implements(kernel.{lacking[0]}, RECORD) where RECORD is numba.from_dtype of it"
        )


def _check_seed(seed: int) -> int:
    if type(seed) is int and 0 <= seed < 2**64:
        return seed
    if not isinstance(seed, int | np.integer) or isinstance(seed, bool) or not 0 <= seed < 2**64:
        raise BadInput(f"a seed is a whole number from 0 to 2**64 - 1, not {seed!r}")
    return int(seed)


def _make_rules(kind: Kind, options: Mapping[str, Any]) -> Any:
    """Return the rules dataclass of options, with names and types checked."""
    fields = {field.name: field.default for field in dataclasses.fields(kind.rules)}
    for name, value in options.items():
        if name not in fields:
            raise unknown(f"rule of {kind.name}", name, fields)
        wanted = type(fields[name])
        if type(value) is not wanted:
            raise BadInput(
                f"rule {name} of {kind.name} must be {wanted.__name__} (default {fields[name]!r}), not {value!r}"
            )
    return kind.rules(**options)


class Table:
    """A game in progress: the full state.  Give agents a `view`, never the table."""

    def __init__(self, game: Game, pool: Pool, origin: Mapping[str, Any], *, deal: int | None = None) -> None:
        """Take over the state `pool[0]`; with `deal`, deal it from that seed under the rules set in it."""
        self.game = game
        self.actions: list[Action] = []
        self.players: list[str] | None = None
        self._origin = origin
        self._hold(
            bytearray(pool.tobytes()) * (game.seats + 1) if deal is None else bytearray(game.blank_table),
            np.empty(game.num_actions, np.int16),
            np.empty(game.log_shape, np.int16),
        )
        if deal is None:
            self._noted, self._may, self._turn = game._show(self._records, self._legal, self._logs, 0)
        else:
            self._noted, self._may, self._turn = game._start(self._records, deal, self._legal, self._logs)
        self._first = self._memory[: game.record_size]

    def _hold(self, memory: bytearray, legal: NDArray[np.int16], logs: NDArray[np.int16]) -> None:
        """Store the arrays: the state and the view of each seat after it, the legal actions, the seats' logs."""
        self._memory, self._legal, self._logs = memory, legal, logs
        self._records: Pool = np.frombuffer(memory, self.game.dtype)
        self._log_size = ROW * logs.shape[1]
        self._last_room = logs.shape[1] - self.game.event_rows  # rows that leave room for the events of an action
        self._legal_view, self._logs_view = legal.data, logs.data.cast("B")  # slices cost half as much

    @property
    def pool(self) -> Pool:
        """The full state in an array of one record.  For oracles and tests only."""
        return self._records[:1]

    @property
    def state(self) -> np.void:
        """The full state record.  For oracles and tests only."""
        return self._records[0]  # type: ignore[no-any-return]

    @property
    def turn(self) -> int | None:
        """The seat to act, or None when the game is over."""
        return self._turn if self._turn >= 0 else None

    @property
    def over(self) -> bool:
        return self._turn < 0

    @property
    def ply(self) -> int:
        """Number of actions chosen."""
        return len(self.actions)

    def view(self, seat: int | None = None) -> "View":
        """Return the view of a seat (by default the seat to act)."""
        game, turn, size = self.game, self._turn, self.game.record_size
        if seat is None:
            seat = max(0, turn)
        elif type(seat) is not int or not 0 <= seat < game.seats:
            seat = game.seat(seat)
        numbers = self._legal_view[: self._may].tolist() if seat == turn else []
        at = seat * self._log_size
        log = self._logs_view[at : at + ROW * self._noted].tobytes()
        record = self._memory[size * (seat + 1) : size * (seat + 2)]
        return game.make_view(game, seat, record, numbers, log, len(self.actions))

    def open_view(self, seat: int) -> "View":
        """Return a view in which nothing is hidden: for oracles, never for players."""
        game = self.game
        return game.view(self.pool, game.seat(seat), self._logs[-1, : self._noted], ply=len(self.actions), open=True)

    def public_view(self) -> "PublicView":
        """Return the public view, for spectators; it replays the game to hide each event."""
        game = self.game
        pool: Pool = np.frombuffer(2 * self._first, game.dtype)
        log = np.zeros((self._noted, 4), np.int16)
        calls.publish(pool, np.array([action.number for action in self.actions], np.int64), log, game.seats)
        return PublicView(game, NOBODY, pool[:1], [], log.tobytes(), len(self.actions))

    def back(self, ply: int) -> "Table":
        """Return an independent table at an earlier ply."""
        if not 0 <= ply <= len(self.actions):
            raise BadInput(f"there have been {len(self.actions)} plies at this table, so there is no ply {ply!r}")
        table = Table(self.game, np.frombuffer(self._first, self.game.dtype), self._origin)
        table.players = self.players
        table.play_all([action.number for action in self.actions[:ply]])
        return table

    @property
    def noted(self) -> NDArray[np.int16]:
        """Events as each seat saw them, and unhidden in the last row: (seats + 1, rows, 4)."""
        return self._logs[:, : self._noted]

    @property
    def legal(self) -> tuple[Action, ...]:
        """The legal actions of the seat to act; empty when over."""
        return tuple(self.game.action(self.state, number) for number in self._legal[: self._may].tolist())

    def play(self, action: Action | str | int) -> None:
        """Play an action, given as `Action`, text or number; an illegal action changes nothing."""
        if type(action) is not Action:
            action = self._read(action)
        if self._noted > self._last_room:
            self._hold(self._memory, self._legal, np.concatenate([self._logs, np.zeros_like(self._logs)], axis=1))
        step = self.game._step
        noted, may, turn = step(self._records, action.number, self._legal, self._may, self._logs, self._noted)
        if noted < 0:
            raise IllegalAction(self._refusal(action))
        self._noted, self._may, self._turn = noted, may, turn
        self.actions.append(action)

    def play_all(self, numbers: Sequence[int] | NDArray[np.int16]) -> None:
        """Play a sequence of action numbers; an illegal one raises an error, and the earlier ones stay played."""
        game, actions, done = self.game, np.array(numbers, np.int64), 0
        while done < len(numbers):
            if game._fixed:  # otherwise the text of an action depends on the position
                first = done
                done, self._noted, self._may, self._turn = game._steps(
                    self._records, actions, done, self._legal, self._may, self._logs, self._noted
                )
                self.actions += [game._fixed[number] for number in numbers[first:done]]
            if done < len(numbers):  # an illegal action, or logs that must grow
                self.play(int(numbers[done]))
                done += 1

    def _read(self, action: object) -> Action:
        """Return the action of a text or a number in this position."""
        if type(action) is int and 0 <= action < len(self.game._fixed):
            return self.game._fixed[action]
        if isinstance(action, str):
            try:
                number = self.game.kind.read_action(self.state, action)
            except BadInput as problem:
                raise IllegalAction(self._refusal(action, str(problem))) from None
        elif isinstance(action, int | np.integer) and not isinstance(action, bool):
            number = int(action)
        else:
            raise IllegalAction(self._refusal(action, "an action is a text or a number"))
        if not 0 <= number < self.game.num_actions:
            raise IllegalAction(self._refusal(action))
        return self.game.action(self.state, number)

    def _refusal(self, action: object, why: str = "") -> str:
        tried = repr(str(action)) if isinstance(action, str) else repr(action)
        why = f" ({why})" if why else ""
        if self.over:
            return f"ply {self.ply}: {tried} is not possible{why}: the game is over"
        legal = ", ".join(sorted(self.legal))
        return f"ply {self.ply}: seat {self.turn} tried {tried}, which is not legal here{why}; legal: {legal}"

    @property
    def scores(self) -> list[int]:
        """Points of each seat so far."""
        out = np.zeros(self.game.seats, np.int64)
        calls.scores(self.pool, out)
        return out.tolist()

    @property
    def payoffs(self) -> list[float]:
        """Payoff of each seat in a finished game."""
        if not self.over:
            raise BadInput("a game has payoffs when it is over")
        out = np.zeros(self.game.seats, np.float64)
        calls.payoff(self.pool, out)
        return out.tolist()

    @property
    def winners(self) -> list[int]:
        """The seats that won a finished game; none if all are equal."""
        if not self.over:
            raise BadInput("a game has winners when it is over")
        return winners_of(self.payoffs) or self.game.kind.tie_winners(self.state)

    @property
    def log(self) -> list[Entry]:
        """All events, forced moves included, with nothing hidden."""
        entries = [self.game.kind.entry(row) for row in self._logs[-1, : self._noted]]
        chosen = [entry for entry in entries if entry["event"] == "chose"]
        for entry, action in zip(reversed(chosen), reversed(self.actions), strict=False):  # a redeal starts late
            entry["action"] = str(action)
        return entries

    def record(self) -> dict[str, Any]:
        """Return the game as JSON: {"game", "rules", "seed" or "setup", "players", "actions"}."""
        record: dict[str, Any] = {"game": self.game.name}
        if self.game.options:
            record["rules"] = dict(self.game.options)
        record |= self._origin
        if self.players:
            record["players"] = self.players
        record["actions"] = [str(action) for action in self.actions]
        return record

    def result(self) -> dict[str, Any]:
        """Return the status of the game, as `bolicho replay --json` prints it."""
        return {
            "game": self.game.name,
            "over": self.over,
            "turn": self.turn,
            "scores": self.scores,
            "legal": sorted(str(action) for action in self.legal),
            "log": self.log,
            **self.game.kind.result(self.state),
        }

    def copy(self) -> "Table":
        """Return an independent table in the same position."""
        other = Table.__new__(Table)
        other.__dict__ = self.__dict__ | {"actions": self.actions.copy()}
        other._hold(self._memory.copy(), self._legal.copy(), self._logs.copy())
        return other

    def take_past(self, table: "Table") -> None:
        """Replace the actions and the logs by those of a table of which this one is a redeal."""
        self.actions, self.players, self._noted = table.actions.copy(), table.players, table._noted
        self._hold(self._memory, self._legal, table._logs.copy())

    def __str__(self) -> str:
        return str(self.view())

    def __repr__(self) -> str:
        return f"<table of {self.game.name}, ply {self.ply}, {'over' if self.over else f'seat {self.turn} to act'}>"

    def _repr_svg_(self) -> str:
        return self.view().svg()


class View:
    """The information of one seat.  Games add their own properties (`cards`, `ends`, `coins`)."""

    __slots__ = ("_fields", "_legal", "_log", "_numbers", "_pool", "_table", "game", "ply", "seat")

    def __init__(
        self, game: Game, seat: int, pool: Pool | bytearray, numbers: list[int], log: bytes, ply: int | None = None
    ) -> None:
        self.game = game
        self.ply = ply  # number of actions chosen, if the creator of the view counts them
        self.seat = seat
        self._pool = pool
        self._numbers = numbers
        self._log = log
        self._legal: tuple[Action, ...] | None = None

    @property
    def pool(self) -> Pool:
        """The hidden record in its own array."""
        pool = self._pool
        if isinstance(pool, bytearray):  # converted on demand: many views are only used for their legal actions
            pool = self._pool = np.frombuffer(pool, self.game.dtype)
        return pool

    @property
    def state(self) -> np.void:
        """The hidden record: the fields this seat may know, with the rest wiped."""
        return self.pool[0]  # type: ignore[no-any-return]

    @property
    def fields(self) -> Any:
        """The visible fields of the hidden record, read once: its `Kind.fields`."""
        try:
            return self._fields
        except AttributeError:
            self._fields: Any = self.game.read_fields(self.pool)
            return self._fields

    @property
    def table(self) -> Any:
        """The table, read once: the structure that `data` writes as JSON."""
        try:
            return self._table
        except AttributeError:
            self._table: Any = self.game.kind.data(self)
            return self._table

    @property
    def turn(self) -> int | None:
        turn = int(self.pool["turn"][0])
        return turn if turn >= 0 else None

    @property
    def over(self) -> bool:
        return bool(self.pool["turn"][0] < 0)

    @property
    def numbers(self) -> list[int]:
        """Numbers of the legal actions, ascending; empty when another seat is to act."""
        return self._numbers

    @property
    def legal(self) -> tuple[Action, ...]:
        """Legal actions of this seat, by number; empty when another seat is to act."""
        if self._legal is None:
            fixed = self.game._fixed
            if fixed:
                self._legal = tuple([fixed[number] for number in self._numbers])
            else:
                action, state = self.game.action, self.pool[0]
                self._legal = tuple([action(state, number) for number in self._numbers])
        return self._legal

    @property
    def scores(self) -> list[int]:
        """Points of each seat so far."""
        out = np.zeros(self.game.seats, np.int64)
        calls.scores(self.pool, out)
        return out.tolist()

    @property
    def rows(self) -> NDArray[np.int16]:
        """Events that this seat has seen, oldest first, as rows of (kind, seat, value, extra)."""
        return np.frombuffer(self._log, np.int16).reshape(-1, 4)

    @property
    def history(self) -> list[Entry]:
        """Events that this seat has seen, oldest first."""
        return [self.game.kind.entry(row) for row in self.rows]

    def data(self, log_from: int = 0) -> dict[str, Any]:
        """Return the view as plain JSON (docs/views.md), with the log from entry `log_from` on.

        The result is read-only: views share parts of it.
        """
        game, turn, state = self.game, self.turn, self.state
        rows, entries, log_from = self._log, self.game._entries, max(0, log_from)
        return {
            "game": game.name,
            "rules": game.all_rules.copy(),
            "seat": self.seat if self.seat != NOBODY else None,
            "turn": turn,
            "over": turn is None,
            "scores": self.scores,
            "ply": self.ply,
            "legal": [game.choice(state, number) for number in self._numbers],
            "log_from": log_from,
            "log": [entries[rows[at : at + ROW]] for at in range(ROW * log_from, len(rows), ROW)],
            "table": as_json(self.table),
        }

    def features(self) -> NDArray[np.float32]:
        """Return the features of this view, for learners."""
        out = np.zeros(self.game.num_features, np.float32)
        calls.features(self.pool, self.seat, out)
        return out

    def redeal(self, seed: int) -> Table:
        """Return a table sampled uniformly from all states that are consistent with this view."""
        seed = _check_seed(seed)
        pool = copy_pool(self.pool)
        calls.redeal(pool, self.seat, np.uint64(seed))
        return Table(self.game, pool, {"seed": seed})

    def text(self, words: Catalogue) -> str:
        """Return the view as text for a terminal."""
        return "\n".join(small_game.in_lines(self))

    def __str__(self) -> str:
        return self.text(catalogue("en"))

    def svg(self) -> str:
        """Return a drawing of the view."""
        return self.game.kind.svg(self)

    def _repr_svg_(self) -> str:
        return self.svg()


class PublicView(View):
    """The public information: no cards of a seat, no legal actions; read it through `data` and `history`."""

    __slots__ = ()

    def features(self) -> NDArray[np.float32]:
        raise BadInput("a public view has no features: they are those of a seat")

    def redeal(self, seed: int) -> Table:
        raise BadInput("a public view cannot be dealt again: redeals are those of a seat")

    def text(self, words: Catalogue) -> str:
        return repr(self)

    def svg(self) -> str:
        raise BadInput("a public view has no drawing: drawings are those of a seat")

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(json.dumps(as_json(self.table), indent=1, ensure_ascii=False))}</pre>"

    _repr_svg_ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<public view of {self.game.name}, ply {self.ply}>"
