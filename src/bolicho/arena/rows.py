"""Games as rows of Parquet files; `COLUMNS` describes them.

`games.parquet` has one row per game, sorted; its bytes do not depend on the processes that played.  `timing.parquet`
holds the values that differ from run to run.

A part of an unfinished run has all these columns except `row`, which depends on the number of deals: a later call
may add deals.
"""

import glob
import json
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
from numpy.typing import NDArray

from bolicho.agents.loop import Outcome
from bolicho.agents.mirrored_games import rotated
from bolicho.arena.experiment import Experiment
from bolicho.arena.pairing import Task
from bolicho.errors import BadInput
from bolicho.files import atomic_path, read_bytes
from bolicho.games.game import Game
from bolicho.games.retrace import retrace
from bolicho.store.file_checksums import SUMS, damaged, is_sealed, sealed_name

EXPERIMENT, IDENTITY, GAMES, TIMING = "experiment.toml", "identity.json", "games.parquet", "timing.parquet"
RESULT, MADE, PAGE = "result.json", "made.json", "index.html"
PLAYED = (EXPERIMENT, IDENTITY, GAMES, TIMING)  # results of playing
MADE_OF_IT = (RESULT, MADE, PAGE)  # derived from the games, can be written again

PARTS = "parts"  # folder of the finished tasks of an unfinished run
PART = ".parquet"  # suffix of its files

_BY_GAME: dict[str, Any] = {
    "pairing": np.int32,
    "deal": np.int32,
    "rotation": np.int32,
    "seed": np.uint64,
    "plies": np.int32,
    "first": np.int32,
    "forfeit": np.int32,
}
_BY_SEAT: dict[str, tuple[Any, str]] = {  # type in memory, and in a file
    "agents": (object, "VARCHAR[]"),
    "scores": (np.int64, "BIGINT[]"),
    "payoffs": (np.float64, "DOUBLE[]"),
    "decisions": (np.int32, "INTEGER[]"),
    "seconds": (np.float64, "DOUBLE[]"),
    "slowest": (np.float64, "DOUBLE[]"),
    "did": (np.int32, "INTEGER[][][]"),
}
COLUMNS: dict[str, tuple[tuple[str, str, str], ...]] = {
    GAMES: (
        ("row", "BIGINT", "number of the row, from 0"),
        ("pairing", "INTEGER", "index in `Experiment.pairings()`, from 0"),
        ("deal", "INTEGER", "number of the deal, from 0; every pairing plays the same deals"),
        ("rotation", "INTEGER", "number of seats by which all agents move on; seat 0 opens (in Truco: the first mão)"),
        ("seed", "UBIGINT", "seed of the deal"),
        ("agents", "VARCHAR[]", "by seat, as specs"),
        ("scores", "BIGINT[]", "by seat"),
        ("payoffs", "DOUBLE[]", "by seat; after a forfeit -1, and a share of 1 for the others"),
        ("plies", "INTEGER", "number of actions chosen"),
        ("first", "INTEGER", "the seat with the first decision, or null"),
        ("forfeit", "INTEGER", "the seat that forfeited, or null"),
        ("reason", "VARCHAR", "reason of the forfeit in one sentence, or null"),
        ("actions", "SMALLINT[]", "action numbers, in order; `row_record` returns them as text"),
        ("did", "INTEGER[][][]", "by seat and behaviour (in the order of `Kind.behaviours`): count, number of chances"),
    ),
    TIMING: (
        ("row", "BIGINT", "`row` of `games.parquet`"),
        ("decisions", "INTEGER[]", "number of decisions, by seat"),
        ("seconds", "DOUBLE[]", "total time of these decisions, by seat"),
        ("slowest", "DOUBLE[]", "longest decision in seconds, by seat"),
    ),
}
"""Name, type and meaning of every column, by file."""

_GAME_COLUMNS, _TIMING_COLUMNS = (", ".join(name for name, *_ in COLUMNS[file][1:]) for file in (GAMES, TIMING))

Row = dict[str, Any]


def connect() -> duckdb.DuckDBPyConnection:
    """Connect to a database in memory, with one thread so that it writes the same bytes every time."""
    return _database().cursor()


@cache
def _database() -> duckdb.DuckDBPyConnection:
    """Open the database of this process once: that takes 10 ms."""
    database = duckdb.connect()
    database.execute("SET threads = 1")
    return database


def make_row(outcome: Outcome, agents: Sequence[str], **place: int) -> Row:
    """Return a game as a row: `place` is its row, pairing, deal, rotation and seed."""
    forfeit, reason = outcome.forfeit or (-1, None)
    return {
        **place,
        "agents": agents,
        "scores": outcome.scores,
        "payoffs": outcome.payoffs,
        "plies": len(outcome.actions),
        "first": -1 if outcome.first is None else outcome.first,
        "forfeit": forfeit,
        "reason": reason,
        "actions": outcome.actions,  # `replay.check_rows` adds `did` from them
        "decisions": outcome.decisions,
        "seconds": outcome.seconds,
        "slowest": outcome.slowest,
    }


def write_part(database: duckdb.DuckDBPyConnection, path: Path, rows: Sequence[Row]) -> None:
    """Write games as a part, without `row`."""
    columns = {name: np.array([row[name] for row in rows], kind) for name, kind in _BY_GAME.items()}
    columns["reason"] = np.array([row["reason"] for row in rows], object)
    columns["actions"] = np.fromiter((row["actions"] for row in rows), object, len(rows))  # each of its own length
    lists = []
    for name, (kind, stored) in _BY_SEAT.items():
        values = np.array([row[name] for row in rows], kind)
        cells = {f"{name}_{i}": cell for i, cell in enumerate(np.ascontiguousarray(values.reshape(len(rows), -1).T))}
        columns |= cells
        lists.append(f"{_nested(iter(cells), values.shape[1:])}::{stored} AS {name}")
    database.register("rows", columns)
    _copy(
        database,
        f"""SELECT pairing, deal, rotation, seed, plies, nullif(first, -1) AS first, nullif(forfeit, -1) AS forfeit,
            reason::VARCHAR AS reason, actions::SMALLINT[] AS actions, {", ".join(lists)} FROM rows""",
        path,
    )
    database.unregister("rows")


def _nested(cells: Iterator[str], shape: tuple[int, ...]) -> str:
    """Return columns, in order, as nested lists of a shape in SQL."""
    return f"[{', '.join(_nested(cells, shape[1:]) for _ in range(shape[0]))}]" if shape else next(cells)


def keep_part(database: duckdb.DuckDBPyConnection, folder: Path, task: Task, owner: str, rows: Sequence[Row]) -> None:
    """Write the games of a task atomically as a part of the run `owner`, with the checksum in the file name."""
    with _sealed(folder, task, owner) as beside:
        write_part(database, beside, rows)


@contextmanager
def _sealed(folder: Path, task: Task, owner: str) -> Iterator[Path]:
    """Yield a temporary path; the file written there becomes the part of a task."""
    folder.mkdir(parents=True, exist_ok=True)
    beside = folder / f".{task.name}.{os.getpid()}.tmp"
    yield beside
    with atomic_path(folder / sealed_name(task.name, beside.read_bytes(), owner, PART)) as part:
        beside.replace(part)


def kept_parts(folder: Path, owner: str) -> dict[Task, Path]:
    """Return the parts whose checksums match; remove other files, with a notice on stderr.

    Skip a path that is no file (a folder, a pipe, a dangling link), with a notice.
    """
    parts = {}
    for path in sorted(folder.glob(f"*{PART}")):
        task = Task.named(path.name.partition(".")[0])
        if not path.is_file():
            print(f"{str(path)!r} is not a file; it is skipped.", file=sys.stderr)
        elif task is not None and is_sealed(path, owner):
            parts[task] = path
        else:
            print(f"{str(path)!r} has changed since it was written; its games are played again.", file=sys.stderr)
            path.unlink()
    return parts


def merge_parts(
    database: duckdb.DuckDBPyConnection, parts: Iterable[Path], folder: Path, experiment: Experiment
) -> None:
    """Merge all parts into `timing.parquet` and, last, `games.parquet`."""
    files = _literal([glob.escape(str(part)) for part in parts])
    row = _row(experiment.duplicates, experiment.make_game().seats)
    for columns, name in ((_TIMING_COLUMNS, TIMING), (_GAME_COLUMNS, GAMES)):
        with atomic_path(folder / name) as beside:
            _copy(database, f"SELECT {row} AS row, {columns} FROM read_parquet({files}) ORDER BY row", beside)


def split_games(database: duckdb.DuckDBPyConnection, folder: Path, owner: str, experiment: Experiment) -> None:
    """Split the tables of a finished run into parts, one for each pairing, so that deals can be added."""
    games, timing = (_literal(glob.escape(str(folder / name))) for name in (GAMES, TIMING))
    for pairing in range(len(experiment.pairings())):
        with _sealed(folder / PARTS, Task(pairing, 0, experiment.duplicates), owner) as beside:
            _copy(
                database,
                f"""SELECT {_GAME_COLUMNS}, {_TIMING_COLUMNS}
                    FROM read_parquet({games}) AS games JOIN read_parquet({timing}) AS timing USING (row)
                    WHERE pairing = {pairing} ORDER BY row""",
                beside,
            )


def _row(duplicates: int, seats: int) -> str:
    """Return the row number of a game, in SQL."""
    return f"((pairing::BIGINT * {duplicates} + deal) * {seats} + rotation)"


def _copy(database: duckdb.DuckDBPyConnection, query: str, path: Path) -> None:
    database.execute(f"COPY ({query}) TO {_literal(str(path))} (FORMAT parquet, COMPRESSION zstd)")


def _literal(value: str | list[str]) -> str:
    """Return a string, or a list of strings, as a literal in SQL."""
    if isinstance(value, list):
        return f"[{', '.join(map(_literal, value))}]"
    return "'" + value.replace("'", "''") + "'"


# --- Reading ------------------------------------------------------------------------------------


def is_finished(folder: Path) -> bool:
    """Return whether all games of a run were played and all derived files exist."""
    return all((folder / name).is_file() for name in (*PLAYED, *MADE_OF_IT, SUMS))


def begun_in(folder: Path) -> Experiment | None:
    """Return the experiment that a folder was begun with, or None if no run was begun."""
    path = folder / EXPERIMENT
    try:
        text = read_bytes(path).decode()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, UnicodeDecodeError) as problem:
        raise BadInput(f"cannot read the experiment {str(path)!r}: {problem}") from None
    return Experiment.from_toml(text, str(path))


def read_identity(folder: Path) -> dict[str, str | None] | None:
    """Return the identity that a run was begun with (see `identity`), or None if there is none."""
    path = folder / IDENTITY
    try:
        found = json.loads(read_bytes(path))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise BadInput(f"{str(path)!r} is broken; delete the folder and play again")
    return found


def remove_leftovers(folder: Path) -> None:
    """Delete temporary files of killed processes; only the process that has locked the folder may call this.

    Hidden files (`.lock`, `.asked.toml`) are written without the lock, so keep their temporary files
    (`..asked.toml.*.tmp`).
    """
    for path in (*folder.glob(".[!.]*.tmp"), *(folder / PARTS).glob(".*.tmp")):
        if path.is_file() or path.is_symlink():
            path.unlink(missing_ok=True)


def demand_whole(folder: Path, names: Sequence[str]) -> None:
    """Raise `BadInput` with a remedy if the checksum of a file differs."""
    for name in damaged(folder, names):
        remedy = (
            "delete that file, and the same command makes it again from the games"
            if name in MADE_OF_IT
            else "delete the folder and play again"
        )
        raise BadInput(f"{str(folder / name)!r} has changed since it was written (see {SUMS}); {remedy}")


@dataclass(frozen=True)
class Games:
    """The games of a run as arrays over (pairing, deal, rotation) and, where marked, seat."""

    seated: NDArray[np.int64]  # (pairing, rotation, seat): index of the agent
    scores: NDArray[np.int64]  # by seat
    payoffs: NDArray[np.float64]  # by seat
    plies: NDArray[np.int64]  # -1: not played yet
    forfeit: NDArray[np.int64]  # the seat, or -1
    decisions: NDArray[np.int64]  # by seat
    seconds: NDArray[np.float64]  # by seat
    slowest: NDArray[np.float64]  # by seat

    @property
    def played(self) -> NDArray[np.bool_]:
        """By (pairing, deal): whether the deal was played in every rotation; in an unfinished run some were not."""
        return np.asarray((self.plies >= 0).all(axis=-1))


_READ = {GAMES: ("scores", "payoffs", "plies", "forfeit"), TIMING: ("decisions", "seconds", "slowest")}
"""Columns read from each file; a part has all of them."""


def no_games(experiment: Experiment) -> Games:
    """Return the arrays of a run before its first game."""
    seats = experiment.make_game().seats
    pairings = experiment.pairings()
    shape = (len(pairings), experiment.duplicates, seats)
    by_seat = (*shape, seats)
    return Games(
        seated=np.array([[rotated(pairing, rotation) for rotation in range(seats)] for pairing in pairings]),
        scores=np.zeros(by_seat, np.int64),
        payoffs=np.zeros(by_seat),
        plies=np.full(shape, -1),
        forfeit=np.full(shape, -1),
        decisions=np.zeros(by_seat, np.int64),
        seconds=np.zeros(by_seat),
        slowest=np.zeros(by_seat),
    )


def put_games(games: Games, parts: Sequence[Path]) -> int:
    """Copy the games of parts into the arrays; return the number of games."""
    return _put(games, parts, (*_READ[GAMES], *_READ[TIMING]), _row(*games.plies.shape[1:]))


def _put(games: Games, files: Sequence[Path], names: Sequence[str], row: str) -> int:
    seats = games.seated.shape[-1]
    wanted = [f"{name}[{seat + 1}]" for name in names if name in _BY_SEAT for seat in range(seats)]
    wanted += [f"coalesce({name}, -1)" for name in names if name not in _BY_SEAT]
    columns = ", ".join(f"{one} AS it_{number}" for number, one in enumerate(wanted))
    paths = [glob.escape(str(file)) for file in files]
    found = connect().execute(f"SELECT {row} AS row, {columns} FROM read_parquet(?)", [paths]).fetchnumpy()
    rows, values = np.asarray(found["row"]), (np.asarray(found[f"it_{number}"]) for number in range(len(wanted)))
    for name in (name for name in names if name in _BY_SEAT):
        for seat in range(seats):
            getattr(games, name).reshape(-1, seats)[rows, seat] = next(values)
    for name in (name for name in names if name not in _BY_SEAT):
        getattr(games, name).reshape(-1)[rows] = next(values)
    return len(rows)


def read_games(folder: Path, experiment: Experiment) -> Games:
    """Read the games of a finished run."""
    games = no_games(experiment)
    for file, names in _READ.items():
        count = _put(games, [folder / file], names, "row")
        if count != games.plies.size:
            raise BadInput(f"{folder / file} has {count} games instead of {games.plies.size}; play the run again")
    return games


def read_forfeits(folder: Path, most: int) -> list[dict[str, Any]]:
    """Return the first forfeits of a run: row, agent, seat and reason."""
    query = """SELECT row, agents[forfeit + 1], forfeit, reason FROM read_parquet(?)
               WHERE forfeit IS NOT NULL ORDER BY row LIMIT ?"""
    found = connect().execute(query, [glob.escape(str(folder / GAMES)), most]).fetchall()
    return [dict(zip(("row", "agent", "seat", "reason"), row, strict=True)) for row in found]


def first_forfeit(parts: Sequence[Path], deals: int) -> dict[str, Any] | None:
    """Return the first forfeit in the first `deals` deals of parts: its agent, deal, rotation, seat and reason."""
    query = """SELECT agents[forfeit + 1], deal, rotation, forfeit, reason FROM read_parquet(?)
               WHERE forfeit IS NOT NULL AND deal < ? ORDER BY deal, pairing, rotation LIMIT 1"""
    found = connect().execute(query, [[glob.escape(str(part)) for part in parts], deals]).fetchone()
    return found and dict(zip(("agent", "deal", "rotation", "seat", "reason"), found, strict=True))


def read_behaviours(folder: Path, experiment: Experiment) -> NDArray[np.int64]:
    """Return the behaviours in a finished run, over (agent, behaviour, deal): number of times and of chances."""
    game = experiment.make_game()
    count = len(game.kind.behaviours)
    out = np.zeros((len(experiment.agents), count, experiment.duplicates, 2), np.int64)
    sums = ", ".join(f"sum(did[$seat][{b + 1}][{k + 1}])::BIGINT AS it_{b}_{k}" for b in range(count) for k in range(2))
    for seat in range(game.seats if count else 0):
        found = (
            connect()
            .execute(
                f"SELECT deal, agents[$seat] AS agent, {sums} FROM read_parquet($file) GROUP BY ALL",
                {"seat": seat + 1, "file": glob.escape(str(folder / GAMES))},
            )
            .fetchnumpy()
        )
        who = np.array([experiment.agents.index(agent) for agent in found["agent"]], np.int64)
        for b in range(count):
            for k in range(2):
                out[who, b, found["deal"], k] += np.asarray(
                    found[f"it_{b}_{k}"]
                )  # each (agent, deal) occurs once, so += adds every row
    return out


def _record(experiment: Experiment, seed: int, agents: list[str], actions: list[Any]) -> dict[str, Any]:
    rules = {"rules": experiment.rules} if experiment.rules else {}
    texts = _texts(experiment.make_game(), seed, actions)
    return {"game": experiment.game, **rules, "seed": seed, "players": agents, "actions": texts}


def _texts(game: Game, seed: int, actions: list[Any]) -> list[str]:
    """Return the actions of a game as text; runs of format 1 already store them so."""
    if actions and isinstance(actions[0], str):
        return actions
    states = retrace(game, seed, actions).states
    ply = len(states) - 1
    if ply < len(actions):
        raise BadInput(
            f"ply {ply}: the action of number {actions[ply]} is not legal; the run was played by other rules"
        )
    return [str(action) for action in game.texts(states, actions)]


def row_record(folder: Path | str, row: int) -> dict[str, Any]:
    """Return one game of a finished run as a record: `bolicho.replay(row_record("runs/x", 17))`."""
    path = Path(folder) / GAMES
    if not path.is_file() or not (Path(folder) / SUMS).is_file():
        raise BadInput(f"{str(folder)!r} holds no finished run (no {GAMES}, or no {SUMS})")
    demand_whole(Path(folder), (EXPERIMENT, GAMES))
    experiment = Experiment.read(Path(folder) / EXPERIMENT)
    found = find_record(experiment, [path], row)
    if found is None:
        raise BadInput(f"{str(path)!r} has no row {row!r}; it has rows 0 to {experiment.num_games - 1}")
    return found


def find_record(experiment: Experiment, files: Sequence[Path], row: int) -> dict[str, Any] | None:
    """Return the game of a row as a record, or None if the files do not hold it."""
    number = _row(experiment.duplicates, experiment.make_game().seats)
    query = f"SELECT seed, agents, actions FROM read_parquet(?) WHERE {number} = ?"
    found = connect().execute(query, [[glob.escape(str(file)) for file in files], row]).fetchone()
    return None if found is None else _record(experiment, *found)


_LISTED = "pairing, deal, rotation, agents, scores, payoffs, plies, forfeit, reason"


def list_games(
    experiment: Experiment, files: Sequence[Path], agents: Sequence[str] = (), start: int = 0, most: int = 50
) -> list[Row]:
    """Return the games from a row on in which all of these agents played, in order, without their actions."""
    number = _row(experiment.duplicates, experiment.make_game().seats)
    query = f"""SELECT {number} AS number, {_LISTED} FROM read_parquet(?)
                WHERE number >= ? AND list_has_all(agents, ?::VARCHAR[]) ORDER BY number LIMIT ?"""
    paths = [glob.escape(str(file)) for file in files]
    found = connect().execute(query, [paths, start, list(agents), most]).fetchall()
    return [dict(zip(["row", *_LISTED.split(", ")], row, strict=True)) for row in found]


def write_csv(folder: Path, path: Path) -> None:
    """Write all games of a finished run as CSV."""
    source = _literal(glob.escape(str(folder / GAMES)))
    query = f"SELECT row, {_GAME_COLUMNS} FROM read_parquet({source}) ORDER BY row"
    connect().execute(f"COPY ({query}) TO {_literal(str(path))} (FORMAT csv)")


def count_games(files: Sequence[Path]) -> int:
    """Return the number of games in files."""
    query = "SELECT sum(num_rows) FROM parquet_file_metadata(?)"
    (count,) = connect().execute(query, [[glob.escape(str(file)) for file in files]]).fetchone() or (0,)
    return int(count)
