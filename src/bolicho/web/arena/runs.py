"""Tournament runs below a folder, read from their files at every request."""

import json
import os
import re
import stat
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from bolicho.agents.registry import is_built_in
from bolicho.arena.experiment import Experiment
from bolicho.arena.progress import RunProgress
from bolicho.arena.rows import EXPERIMENT, GAMES, MADE, PARTS, RESULT, Row, find_record, is_finished, list_games
from bolicho.arena.run_lock import at_work
from bolicho.arena.summary import about
from bolicho.errors import BadInput
from bolicho.files import is_regular, open_regular, read_bytes, write_text_atomic
from bolicho.i18n import Message
from bolicho.store.file_checksums import SUMS, damaged
from bolicho.web.arena.jobs import ASKED, TOLD, Jobs
from bolicho.web.clock import SYSTEM, Clock
from bolicho.web.refusal import Refusal

T = TypeVar("T")

DEEPEST = 3  # levels of folders
BETWEEN = "~"  # separates folders in the name of a run
PART_OF_NAME = re.compile(r"\w[\w .,+=()@-]{0,79}")
LONGEST_NAME = 240  # bytes: file systems allow 255, and a sibling file has the name and a suffix
KEPT = 8  # unfinished runs whose progress is in memory
LONGEST_TOLD = 4096  # bytes read of a process's messages


# --- Folders --------------------------------------------------------------------------------------


def folder_of(root: Path, name: str) -> Path:
    """Return the folder of that name below `root`; a name cannot lead outside, not over a link either.

    The refusal is the same for every bad name, so that it does not tell what exists outside.
    """
    parts = name.split(BETWEEN)
    if len(parts) <= DEEPEST and all(map(PART_OF_NAME.fullmatch, parts)):
        path = root
        for part in parts:
            path = path / part
            if not _is_folder(path):
                break
        else:
            return path
    raise Refusal(404, Message("server.arena.no-run", name=name[:80]))


def new_folder(root: Path, name: str, is_same: Callable[[Path], bool]) -> Path:
    """Return the folder for a new run of that name; it may hold the same one already."""
    folder = root / name
    if not PART_OF_NAME.fullmatch(name) or len(name.encode()) > LONGEST_NAME or folder.is_symlink():
        raise Refusal(422, Message("server.arena.name", name=name[:80]))
    if folder.exists() and not is_same(folder):
        raise Refusal(409, Message("server.arena.taken", name=name))
    return folder


def _is_folder(path: Path) -> bool:
    """Return whether a path is a folder itself, not a link to one; False if the path cannot be read."""
    try:
        return stat.S_ISDIR(path.lstat().st_mode)
    except (OSError, ValueError):  # no such folder, no permission, a name too long
        return False


def folders(root: Path, is_one: Callable[[Path], bool]) -> Iterator[tuple[str, Path]]:
    """Yield the folders below `root` that satisfy `is_one`, with their names, without searching inside them."""
    waiting: list[tuple[str, Path]] = [("", root)]
    while waiting:
        above, place = waiting.pop()
        try:
            inside = [entry for entry in os.scandir(place) if entry.is_dir(follow_symlinks=False)]
        except OSError:
            continue
        for entry in inside:
            name = f"{above}{BETWEEN}{entry.name}" if above else entry.name
            if not PART_OF_NAME.fullmatch(entry.name):
                continue
            if is_one(Path(entry.path)):
                yield name, Path(entry.path)
            elif name.count(BETWEEN) < DEEPEST - 1:
                waiting.append((name, Path(entry.path)))


def is_run(folder: Path) -> bool:
    """Return whether a folder holds a run, begun or requested."""
    return any(is_regular(folder / name) for name in (EXPERIMENT, ASKED))


def changed(folder: Path) -> float:
    """Return the time of the last write to a run."""
    times = [0.0]
    for place in (folder, folder / PARTS, folder / SUMS):
        try:
            times.append(place.stat().st_mtime)
        except OSError:
            continue
    return max(times)


class RecentCache(OrderedDict[Any, T]):
    """Cache of the most recently used values."""

    def keep(self, key: Any, make: Callable[[], T], most: int = KEPT) -> T:
        """Return the value of a key; call `make` if it is missing."""
        if key not in self:
            self[key] = make()
        self.move_to_end(key)
        while len(self) > most:
            self.popitem(last=False)
        return self[key]


@dataclass(frozen=True)
class RunGame:
    """Game of a run: its record, its row, and the experiment, which determines the random numbers of its agents."""

    record: dict[str, Any]
    row: Row
    experiment: Experiment


# --- Runs -----------------------------------------------------------------------------------------


class Runs:
    """The runs below a folder; thread-safe."""

    def __init__(self, root: Path, clock: Clock = SYSTEM) -> None:
        self.root = root
        self.jobs = Jobs(root, self.folder, clock)
        self._experiments: RecentCache[Experiment] = RecentCache()
        self._growing: RecentCache[RunProgress] = RecentCache()
        self._games: RecentCache[RunGame] = RecentCache()
        self._lock = threading.RLock()

    def folder(self, name: str) -> Path:
        """Return the folder of a run."""
        folder = folder_of(self.root, name)
        if not is_run(folder):
            raise Refusal(404, Message("server.arena.no-run", name=name[:80]))
        return folder

    def all(self, public: bool = False) -> list[dict[str, Any]]:
        """Return the facts of all runs, the newest first."""
        wanted = self.jobs.wanted()
        found = sorted(folders(self.root, is_run), key=lambda run: -changed(run[1]))
        rows = [self._facts(name, folder, wanted) for name, folder in found]
        return [_public(row) for row in rows] if public else rows

    def look(self, name: str, public: bool = False) -> dict[str, Any]:
        """Return the state of a run: its experiment, its progress, the table so far or the result.

        With `public`, for visitors without a token, leave out what tells the deals of an unfinished run.
        """
        folder = self.folder(name)
        facts = self._facts(name, folder, self.jobs.wanted())
        if facts["state"] != "unreadable":
            facts |= self._inside(folder, facts["state"])
        return _public(facts) if public else facts

    def _inside(self, folder: Path, state: str) -> dict[str, Any]:
        """Return the experiment of a run, the table so far or the result, and its metadata."""
        facts: dict[str, Any] = {"about": about(self.experiment(folder)), "made": None, "table": None}
        if state != "done":
            return facts | {"table": self._table(folder)}
        try:
            if broken := damaged(folder, (RESULT, MADE)):
                return facts | {"told": f"{broken[0]} does not match its checksum"}
            table, made = (json.loads(read_bytes(folder / file)) for file in (RESULT, MADE))
        except OSError as problem:
            return facts | {"told": f"a file of the run cannot be read: {problem.strerror}"}
        return facts | {"table": table, "made": made}

    def _facts(self, name: str, folder: Path, wanted: Sequence[str]) -> dict[str, Any]:
        facts: dict[str, Any] = {"run": name, "changed": changed(folder), "told": None}
        try:
            experiment = self.experiment(folder)
        except BadInput as problem:
            return facts | {"state": "unreadable", "told": str(problem), "may": []}
        state = self._state(name, folder, wanted)
        may = ["stop"] if name in wanted and state != "done" else []
        may += ["go"] if state == "stopped" and _is_all_built_in(experiment) else []
        return facts | {
            "state": state,
            "told": last_error(folder) if state == "stopped" else None,
            "game": experiment.game,
            "agents": list(experiment.agents),
            "games": experiment.num_games,
            "played": experiment.num_games if state == "done" else self._played(folder),
            "may": may,
        }

    def _state(self, name: str, folder: Path, wanted: Sequence[str]) -> str:
        """Return done, running (in any process), queued or stopped."""
        if is_finished(folder):
            return "done"
        if at_work(folder):
            return "running"
        return "queued" if name in wanted else "stopped"

    def experiment(self, folder: Path) -> Experiment:
        """Return the experiment of a run."""
        path = next((folder / file for file in (EXPERIMENT, ASKED) if is_regular(folder / file)), folder / EXPERIMENT)
        with self._lock:
            written = path.stat().st_mtime_ns if path.exists() else 0
            return self._experiments.keep((path, written), lambda: Experiment.read(path), most=1000)

    # --- Unfinished runs ----------------------------------------------------------------------------

    def _grown(self, folder: Path) -> RunProgress | None:
        """Return the progress of an unfinished run, with all its parts so far; None before it has any."""
        if not (folder / PARTS).is_dir():
            return None
        with self._lock:
            key = folder, (folder / EXPERIMENT).stat().st_mtime_ns
            growing = self._growing.keep(key, lambda: RunProgress(folder))
            growing.read_new_parts()
            return growing

    def _played(self, folder: Path) -> int:
        try:
            growing = self._grown(folder)
        except (OSError, BadInput):  # finished at this moment, or damaged
            return 0
        return 0 if growing is None else growing.played

    def _table(self, folder: Path) -> dict[str, Any] | None:
        with self._lock:
            try:
                growing = self._grown(folder)
            except (OSError, BadInput):
                return None
            return None if growing is None or not growing.played else growing.table()

    # --- Games --------------------------------------------------------------------------------------

    def _files(self, folder: Path, public: bool) -> list[Path]:
        """Return the files with the games played; for visitors only those of a finished run."""
        if is_finished(folder):
            return [folder / GAMES]
        growing = None if public else self._grown(folder)
        return [] if growing is None else list(growing.parts.values())

    def _read(self, folder: Path, public: bool, read: Callable[[list[Path]], T], nothing: T) -> T:
        """Read the files of a run's games; try twice, since a run that finishes replaces its parts."""
        for last in (False, True):
            try:
                files = self._files(folder, public)
                return read(files) if files else nothing
            except Exception:
                if last:
                    raise
        return nothing

    def games(self, name: str, agents: Sequence[str], start: int, most: int, public: bool = False) -> list[Row]:
        """Return rows of games of a run from a row on, of these agents."""
        folder = self.folder(name)
        experiment = self.experiment(folder)
        return self._read(folder, public, lambda files: list_games(experiment, files, agents, start, most), [])

    def game(self, name: str, row: int, public: bool = False) -> RunGame:
        """Return one game of a run."""
        folder = self.folder(name)
        experiment = self.experiment(folder)

        def read(files: Sequence[Path]) -> RunGame | None:
            listed = list_games(experiment, files, (), row, 1)
            if not listed or listed[0]["row"] != row:
                return None
            record = find_record(experiment, files, row)
            return None if record is None else RunGame(record, listed[0], experiment)

        with self._lock:
            key = folder, row, experiment.hash, public  # a token may have opened a game that is closed to visitors
            found = self._games.get(key) or self._read(folder, public, read, None)
            if found is None:
                raise Refusal(404, Message("server.arena.no-game", row=row, games=experiment.num_games))
            return self._games.keep(key, lambda: found, most=100)

    # --- Starting and stopping ----------------------------------------------------------------------

    def start(self, experiment: Experiment, name: str | None, processes: int) -> str:
        """Queue a tournament below the folder of runs, or continue it if it exists; return its name."""
        name = name or f"{experiment.game}-{experiment.hash}"
        folder = new_folder(self.root, name, lambda folder: is_run(folder) and self._is_same(folder, experiment))
        if not is_run(folder):
            write_text_atomic(folder / ASKED, experiment.to_toml())
        if not is_finished(folder):
            self.jobs.want(name, processes)
        return name

    def _is_same(self, folder: Path, experiment: Experiment) -> bool:
        try:
            return self.experiment(folder) == experiment
        except BadInput:
            return False

    def go_on(self, name: str, processes: int) -> None:
        """Continue a stopped run."""
        folder = self.folder(name)
        if "go" not in self._facts(name, folder, self.jobs.wanted())["may"]:
            raise Refusal(409, Message("server.arena.no-going-on", name=name))
        self.jobs.want(name, processes)


_PUBLIC = ("run", "changed", "state", "game", "agents", "games", "played", "about", "table")
"""Facts of an unfinished run that visitors may see; of `about` all but the seed, which determines every deal."""


def _public(facts: dict[str, Any]) -> dict[str, Any]:
    """Return the facts of a run that visitors without a token may see: before its end nothing that helps a player.

    A stopped run is not finished: the same deals will be played.
    """
    if facts["state"] != "done":
        hidden: dict[str, Any] = {"told": None}
        facts = hidden | {key: value for key, value in facts.items() if key in _PUBLIC}
        if "about" in facts:
            facts["about"] = {**facts["about"], "seed": None}
            facts["made"] = None
    return facts | {"may": []}


def last_error(folder: Path) -> str | None:
    """Return the last error message of a run's process."""
    try:
        with open_regular(folder / TOLD) as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - LONGEST_TOLD))
            lines = file.read().decode(errors="replace").splitlines()
    except (OSError, BadInput):
        return None
    said = [line.removeprefix("bolicho: ") for line in lines if line.startswith("bolicho: ")]
    return said[-1] if said else None


def _is_all_built_in(experiment: Experiment) -> bool:
    """Return whether all agents are built in; others are not run over HTTP, since that would load their code."""
    try:
        return all(map(is_built_in, experiment.agents))
    except BadInput:
        return False
