"""Game, Table, View: the Python face of a compiled game.

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
from bolicho.games.compiled.defaults import deal_any  # noqa: F401  (what every record does by default)
from bolicho.games.fields import as_json, describe_fields, enumerations, reader
from bolicho.games.jit import entry_point
from bolicho.games.kernel import missing
from bolicho.games.kind import Action, Kind, Pool, copy_pool
from bolicho.games.small_game import Entry
from bolicho.i18n import Catalogue, catalogue

NOBODY = -1
"""The seat of who only watches."""

ROW = 8
"""The bytes of a row of events."""


class _Entries(dict[bytes, Entry]):
    """Rows of events as JSON, with what is to be said of them; a table shows the same ones over and over."""

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
    """A game with its rules chosen: deals tables, reads records.  It cannot be changed, since all who play share it."""

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
        self.event_rows = self._blank["events"].shape[1]  # the most that one action may note
        self.log_shape = self.seats + 1, max(64, self.event_rows), 4  # of a table's logs at first
        self.blank_bytes = self._blank.tobytes()
        self.read_fields = reader(kind.fields, self.dtype) if kind.fields else small_game.no_fields
        self._fixed = tuple(Action(text, number) for number, text in enumerate(kind.texts or ()))

    def __setattr__(self, name: str, value: object) -> None:
        if "_fixed" in self.__dict__:
            raise AttributeError(f"{name} of a game cannot be changed; make another game")
        super().__setattr__(name, value)

    def __eq__(self, other: object) -> bool:
        """Tell whether the rules are the same: what is loaded or learned for one game serves all equal ones."""
        return self is other or (isinstance(other, Game) and self.kind == other.kind and self.rules == other.rules)

    def __hash__(self) -> int:
        return hash(self.name)

    @property
    def name(self) -> str:
        return self.kind.name

    @cached_property
    def options(self) -> Mapping[str, Any]:
        """The rules that differ from the default."""
        default = self.kind.rules()
        fields = dataclasses.asdict(self.rules)
        return MappingProxyType({name: value for name, value in fields.items() if value != getattr(default, name)})

    def __repr__(self) -> str:
        options = "".join(f", {name}={value!r}" for name, value in self.options.items())
        return f"game({self.name!r}{options})"

    def deal(self, seed: int = 0) -> "Table":
        """A new table, all chance fixed by `seed` (0 to 2**64 - 1)."""
        seed = _check_seed(seed)
        return Table(self, self._blank, {"seed": seed}, deal=seed)

    @cached_property
    def _start(self) -> Callable[..., tuple[int, int, int]]:
        """`calls.start`, compiled for the arrays of a table."""
        records, legal, logs = self._arrays
        return entry_point(calls.start, records, np.uint64(0), legal, logs)

    @cached_property
    def _show(self) -> Callable[..., tuple[int, int, int]]:
        """`calls.show`, likewise."""
        return entry_point(calls.show, *self._arrays, 0)

    @cached_property
    def _step(self) -> Callable[..., tuple[int, int, int]]:
        """`calls.step`, likewise."""
        records, legal, logs = self._arrays
        return entry_point(calls.step, records, 0, legal, 0, logs, 0)

    @cached_property
    def _steps(self) -> Callable[..., tuple[int, int, int, int]]:
        """`calls.steps`, likewise."""
        records, legal, logs = self._arrays
        return entry_point(calls.steps, records, legal.astype(np.int64), 0, legal, 0, logs, 0)

    @property
    def _arrays(self) -> tuple[Pool, NDArray[np.int16], NDArray[np.int16]]:
        """Records, legal actions and logs as a table has them."""
        logs = np.zeros((1, 1, 4), np.int16)
        return copy_pool(self._blank), logs[0, 0], logs

    def setup(self, /, **setup: Any) -> "Table":
        """A table with the hands given; the keys are the game's own (see its page)."""
        pool = copy_pool(self._blank)
        digest = hashlib.sha256(json.dumps(setup, sort_keys=True, default=str).encode()).digest()
        pool["seed"] = np.frombuffer(digest[:8], "<u8")  # for what the setup leaves to chance
        self.kind.read_setup(self.rules, pool, setup)
        return Table(self, pool, {"setup": setup})

    def seat(self, number: int) -> int:
        """That seat, if the game has it."""
        if type(number) is int and 0 <= number < self.seats:
            return number
        if isinstance(number, np.integer) and 0 <= number < self.seats:
            return int(number)
        raise BadInput(f"{self.name} has the seats 0 to {self.seats - 1} here, not {number!r}")

    @cached_property
    def all_rules(self) -> MappingProxyType[str, Any]:
        """Every rule, also where it is the default."""
        return MappingProxyType(dataclasses.asdict(self.rules))

    def view(
        self, pool: Pool, seat: int, log: NDArray[np.int16], *, ply: int | None = None, open: bool = False
    ) -> "View":
        """What a seat may know of the state `pool[0]`; with `open` all of it, in the clothes of a view."""
        out = np.frombuffer(bytearray(self.record_size), self.dtype)
        legal = np.empty(self.num_actions, np.int16)
        if open:
            out = copy_pool(pool)
            n = calls.legal(out, legal)
        else:
            n = calls.look(pool, seat, out, legal)
        return self.make_view(self, seat, out, legal[:n].tolist(), log.tobytes(), ply)

    def texts(self, states: Pool, numbers: Sequence[int]) -> list[Action]:
        """The actions of these numbers, each as it is written in its position."""
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
        """An action as JSON, to be read: how it is written, and what people call it."""
        found = self._choices.get(number)
        if found is None:
            action = self.action(state, number)
            found = {"action": str(action), "says": self.kind.name_action(state, action).as_json()}
            if self._fixed:
                self._choices[number] = found
        return found

    def describe(self) -> dict[str, Any]:
        """How a record of this game is read, as JSON: its fields, and the names of their numbers (docs/views.md)."""
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
        """The action of that number, as it is written in this position."""
        return self._fixed[number] if self._fixed else Action(self.kind.action_text(state, number), number)


@lru_cache
def check_rules(name: str, dtype: np.dtype[np.void]) -> None:
    """Refuse a record for which a function that every game must have is not written."""
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
    """The rules dataclass from options, names and types checked."""
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
    """A game being played: the full state.  Give seats a `view`, never the table."""

    def __init__(self, game: Game, pool: Pool, origin: Mapping[str, Any], *, deal: int | None = None) -> None:
        """Take over the state `pool[0]`, or a deal of that seed by the rules that are set in it."""
        self.game = game
        self.actions: list[Action] = []
        self.players: list[str] | None = None
        self._origin = origin
        self._memory = bytearray(pool.tobytes()) * (game.seats + 1)
        self._records: Pool = np.frombuffer(self._memory, game.dtype)  # the state, and what each seat may know of it
        self.pool = self._records[:1]
        self._legal = np.empty(game.num_actions, np.int16)
        self._logs = np.empty(game.log_shape, np.int16)
        if deal is None:
            self._noted, self._may, self._turn = game._show(self._records, self._legal, self._logs, 0)
        else:
            self._noted, self._may, self._turn = game._start(self._records, deal, self._legal, self._logs)
        self._first = self._memory[: game.record_size]

    @property
    def state(self) -> np.void:
        """The full state record.  Oracles and tests only."""
        return self.pool[0]  # type: ignore[no-any-return]

    @property
    def turn(self) -> int | None:
        """The seat to act, or None when the game is over."""
        return self._turn if self._turn >= 0 else None

    @property
    def over(self) -> bool:
        return self._turn < 0

    @property
    def ply(self) -> int:
        """How many actions have been chosen."""
        return len(self.actions)

    def view(self, seat: int | None = None) -> "View":
        """What a seat sees (by default the one to act)."""
        game, turn, size = self.game, self._turn, self.game.record_size
        if seat is None:
            seat = max(0, turn)
        elif type(seat) is not int or not 0 <= seat < game.seats:
            seat = game.seat(seat)
        numbers = self._legal[: self._may].tolist() if seat == turn else []
        record, log = self._memory[size * (seat + 1) : size * (seat + 2)], self._logs[seat, : self._noted].tobytes()
        return game.make_view(game, seat, record, numbers, log, len(self.actions))

    def open_view(self, seat: int) -> "View":
        """The full state in the clothes of a view: for oracles, never for players."""
        game = self.game
        return game.view(self.pool, game.seat(seat), self._logs[-1, : self._noted], ply=len(self.actions), open=True)

    def public_view(self) -> "PublicView":
        """What everybody may know, for those who only watch; what happened is gone through again for it."""
        game = self.game
        pool: Pool = np.frombuffer(2 * self._first, game.dtype)
        log = np.zeros((self._noted, 4), np.int16)
        calls.publish(pool, np.array([action.number for action in self.actions], np.int64), log, game.seats)
        return PublicView(game, NOBODY, pool[:1], [], log.tobytes(), len(self.actions))

    def back(self, ply: int) -> "Table":
        """An independent table as it stood when so many actions had been chosen."""
        if not 0 <= ply <= len(self.actions):
            raise BadInput(f"there have been {len(self.actions)} plies at this table, so there is no ply {ply!r}")
        table = Table(self.game, np.frombuffer(self._first, self.game.dtype), self._origin)
        table.players = self.players
        table.play_all([action.number for action in self.actions[:ply]])
        return table

    @property
    def noted(self) -> NDArray[np.int16]:
        """What every seat saw happen, and last what did: (seats + 1, rows, 4)."""
        return self._logs[:, : self._noted]

    @property
    def legal(self) -> tuple[Action, ...]:
        """The legal actions of the seat to act; empty when over."""
        return tuple(self.game.action(self.state, number) for number in self._legal[: self._may].tolist())

    def play(self, action: Action | str | int) -> None:
        """Play an action (itself, its text or its number); an illegal one changes nothing."""
        if type(action) is not Action:
            action = self._read(action)
        logs, game = self._logs, self.game
        if self._noted + game.event_rows > logs.shape[1]:
            logs = self._logs = np.concatenate([logs, np.zeros_like(logs)], axis=1)
        noted, may, turn = game._step(self._records, action.number, self._legal, self._may, logs, self._noted)
        if noted < 0:
            raise IllegalAction(self._refusal(action))
        self._noted, self._may, self._turn = noted, may, turn
        self.actions.append(action)

    def play_all(self, numbers: Sequence[int] | NDArray[np.int16]) -> None:
        """Play actions by their numbers, one after the other; one that is not legal is an error, and the last."""
        game, actions, done = self.game, np.array(numbers, np.int64), 0
        while done < len(numbers):
            if game._fixed:  # else how an action is written depends on the position
                first = done
                done, self._noted, self._may, self._turn = game._steps(
                    self._records, actions, done, self._legal, self._may, self._logs, self._noted
                )
                self.actions += [game._fixed[number] for number in numbers[first:done]]
            if done < len(numbers):  # one that is not legal, or logs that must grow
                self.play(int(numbers[done]))
                done += 1

    def _read(self, action: object) -> Action:
        """What a text or a number means here."""
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
        """The points each seat has so far."""
        out = np.zeros(self.game.seats, np.int64)
        calls.scores(self.pool, out)
        return out.tolist()

    @property
    def payoffs(self) -> list[float]:
        """What each seat got out of a finished game."""
        if not self.over:
            raise BadInput("a game has payoffs when it is over")
        out = np.zeros(self.game.seats, np.float64)
        calls.payoff(self.pool, out)
        return out.tolist()

    @property
    def log(self) -> list[Entry]:
        """Everything that happened, forced moves included.  Nothing is hidden here."""
        entries = [self.game.kind.entry(row) for row in self._logs[-1, : self._noted]]
        chosen = [entry for entry in entries if entry["event"] == "chose"]
        for entry, action in zip(reversed(chosen), reversed(self.actions), strict=False):  # a redeal begins after some
            entry["action"] = str(action)
        return entries

    def record(self) -> dict[str, Any]:
        """The game as JSON: {"game", "rules", "seed" or "setup", "players", "actions"}."""
        record: dict[str, Any] = {"game": self.game.name}
        if self.game.options:
            record["rules"] = dict(self.game.options)
        record |= self._origin
        if self.players:
            record["players"] = self.players
        record["actions"] = [str(action) for action in self.actions]
        return record

    def result(self) -> dict[str, Any]:
        """Where the game stands: what `bolicho replay --json` prints."""
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
        """An independent table in the same position."""
        other = Table.__new__(Table)
        other.__dict__ = {
            **self.__dict__,
            "actions": self.actions.copy(),
            "_memory": self._memory.copy(),
            "_logs": self._logs.copy(),
            "_legal": self._legal.copy(),
        }
        other._records = np.frombuffer(other._memory, self.game.dtype)
        other.pool = other._records[:1]
        return other

    def __str__(self) -> str:
        return str(self.view())

    def __repr__(self) -> str:
        return f"<table of {self.game.name}, ply {self.ply}, {'over' if self.over else f'seat {self.turn} to act'}>"

    def _repr_svg_(self) -> str:
        return self.view().svg()


class View:
    """What one seat may know.  Games add their own words (`cards`, `ends`, `coins`)."""

    __slots__ = ("_fields", "_legal", "_log", "_numbers", "_pool", "_table", "game", "ply", "seat")

    def __init__(
        self, game: Game, seat: int, pool: Pool | bytearray, numbers: list[int], log: bytes, ply: int | None = None
    ) -> None:
        self.game = game
        self.ply = ply  # how many actions have been chosen, where whoever shows the view counts them
        self.seat = seat
        self._pool = pool
        self._numbers = numbers
        self._log = log
        self._legal: tuple[Action, ...] | None = None

    @property
    def pool(self) -> Pool:
        """The hidden record in an array of its own."""
        pool = self._pool
        if isinstance(pool, bytearray):  # many a view is asked for its legal actions alone
            pool = self._pool = np.frombuffer(pool, self.game.dtype)
        return pool

    @property
    def state(self) -> np.void:
        """The hidden record: every field this seat may know, the rest wiped."""
        return self.pool[0]  # type: ignore[no-any-return]

    @property
    def fields(self) -> Any:
        """The fields of the hidden record that the game shows, read once: its `Kind.fields`."""
        try:
            return self._fields
        except AttributeError:
            self._fields: Any = self.game.read_fields(self.pool)
            return self._fields

    @property
    def table(self) -> Any:
        """What lies on the table, read once: the structure that `data` writes as JSON."""
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
        """The numbers of the legal actions, ascending; empty when it is not this seat's turn."""
        return self._numbers

    @property
    def legal(self) -> tuple[Action, ...]:
        """What this seat may do, in the order of the actions' numbers; nothing when it is not its turn."""
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
        """The points each seat has so far."""
        out = np.zeros(self.game.seats, np.int64)
        calls.scores(self.pool, out)
        return out.tolist()

    @property
    def rows(self) -> NDArray[np.int16]:
        """What this seat has seen happen, oldest first, as rows of (kind, seat, value, extra)."""
        return np.frombuffer(self._log, np.int16).reshape(-1, 4)

    @property
    def history(self) -> list[Entry]:
        """What this seat has seen happen, oldest first."""
        return [self.game.kind.entry(row) for row in self.rows]

    def data(self, log_from: int = 0) -> dict[str, Any]:
        """All that this seat may know as plain JSON (docs/views.md), of what happened only from that entry on.

        It is to be read: parts of it are shared with what other views say.
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
        """What this seat knows as numbers, for learners."""
        out = np.zeros(self.game.num_features, np.float32)
        calls.features(self.pool, self.seat, out)
        return out

    def redeal(self, seed: int) -> Table:
        """A table this seat cannot tell from the real one, uniform over all of them."""
        seed = _check_seed(seed)
        pool = copy_pool(self.pool)
        calls.redeal(pool, self.seat, np.uint64(seed))
        return Table(self.game, pool, {"seed": seed})

    def text(self, words: Catalogue) -> str:
        """What this seat sees, for a person at a terminal."""
        return "\n".join(small_game.in_lines(self))

    def __str__(self) -> str:
        return self.text(catalogue("en"))

    def svg(self) -> str:
        """A drawing of what this seat sees."""
        return self.game.kind.svg(self)

    def _repr_svg_(self) -> str:
        return self.svg()


class PublicView(View):
    """What everybody may know: it has no cards of its own and no legal actions, and is read as `data` and `history`."""

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
