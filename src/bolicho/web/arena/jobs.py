"""Queue of tournaments or trainings started from the page; their processes end with the server.

Each wanted run has a file below `.arena` in the folder of runs, so that any server process can accept requests.  The
process that holds the lock there starts and stops runs.  All results are in the run's own folder; after a restart
no run is wanted.
"""

import json
import os
import signal
import subprocess
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from bolicho.arena.rows import EXPERIMENT
from bolicho.files import check_place, is_regular, read_bytes, write_text_atomic
from bolicho.i18n import Message
from bolicho.web.arena import job_process
from bolicho.web.clock import SYSTEM, Clock
from bolicho.web.refusal import Refusal

try:
    import fcntl
except ImportError:  # not a POSIX system: the user must run one server process per folder
    fcntl = None  # type: ignore[assignment]

JOBS_FOLDER, LOCK, WANTED = ".arena", "lock", ".json"
ASKED, TOLD = ".asked.toml", ".told"  # in a run's folder: the requested experiment, and the output of its process
AT_ONCE = 2  # concurrent tournaments
BEAT = 0.2  # seconds between two steps
SHUTDOWN_SECONDS = 5.0  # for a tournament to end by itself when the server does
REPEAT_SIGNAL_AFTER = 25  # steps, since a signal can get lost where exceptions are suppressed
KILL_AFTER = 30.0  # seconds after which a stopped tournament is killed


class Jobs:
    """The wanted runs below a folder, and their processes."""

    def __init__(
        self,
        root: Path,
        folder: Callable[[str], Path],
        clock: Clock = SYSTEM,
        at_once: int = AT_ONCE,
        kill_after: float = KILL_AFTER,
    ) -> None:
        self._jobs_folder = root / JOBS_FOLDER
        self._at_once = at_once
        self._kill_after = kill_after
        self._clock = clock
        self._folder = folder  # the folder of a run
        self._playing: dict[str, subprocess.Popen[bytes]] = {}
        self._told: dict[str, int] = {}  # stopped runs, each with the steps since then
        self._lock: IO[str] | None = None

    # --- Wanted runs: in files, for all server processes ------------------------------------------

    def want(self, name: str, processes: int) -> None:
        """Queue a run, new or to be continued."""
        write_text_atomic(self._jobs_folder / f"{name}{WANTED}", json.dumps({"processes": processes}))

    def drop(self, name: str) -> None:
        """Remove a run from the wanted ones, which stops it; finished parts are kept."""
        (self._jobs_folder / f"{name}{WANTED}").unlink(missing_ok=True)

    def stop(self, name: str) -> None:
        """Stop a run that was started from the page."""
        self._folder(name)
        if name not in self.wanted():
            raise Refusal(409, Message("server.arena.no-stopping", name=name))
        self.drop(name)

    def wanted(self) -> list[str]:
        """Return the wanted runs, in the order of the requests."""
        found = []
        for path in self._jobs_folder.glob(f"*{WANTED}"):
            with suppress(FileNotFoundError):
                found.append((path.stat().st_mtime_ns, path.name.removesuffix(WANTED)))
        return [name for _, name in sorted(found)]

    # --- Processes ----------------------------------------------------------------------------------

    async def tend(self) -> None:
        """Start and stop processes until the server ends."""
        while True:
            with suppress(OSError):  # a full disk or a missing folder may be temporary
                if self.leads():
                    self.step()
            await self._clock.sleep(BEAT)

    def leads(self) -> bool:
        """Return whether this process holds the lock, which it keeps until it ends."""
        if self._lock is not None:
            return True
        lock = self._jobs_folder / LOCK
        if not self._jobs_folder.is_dir() or (lock.exists() and not is_regular(lock)):
            return False
        file = lock.open("a")
        if fcntl is not None:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                file.close()
                return False
        self._lock = file
        return True

    def begin(self) -> None:
        """Drop requests to a server that has ended, when a new one starts."""
        if self.leads():
            for name in self.wanted():
                self.drop(name)

    def step(self) -> None:
        """Compare the wanted runs with the running processes once."""
        wanted = self.wanted()
        for name, process in list(self._playing.items()):
            if process.poll() is not None:
                del self._playing[name]
                if name not in self._told:  # finished or failed
                    self.drop(name)
                    wanted = [other for other in wanted if other != name]
                self._told.pop(name, None)
            elif name not in wanted:
                self._told[name] = looks = self._told.get(name, -1) + 1
                if looks * BEAT >= self._kill_after:  # safe: parts are written atomically
                    _kill(process)
                elif looks % REPEAT_SIGNAL_AFTER == 0:
                    process.send_signal(signal.SIGINT)
        for name in wanted:
            if name not in self._playing and len(self._playing) < self._at_once:
                self._start(name)

    def _start(self, name: str) -> None:
        try:
            asked: dict[str, Any] = json.loads(read_bytes(self._jobs_folder / f"{name}{WANTED}"))
            folder = self._folder(name)
            config = next(
                folder / file for file in (EXPERIMENT, ASKED, job_process.TRAINING) if (folder / file).is_file()
            )
            check_place(folder / TOLD)  # opening a pipe would wait for a reader
            with (folder / TOLD).open("wb") as told:
                self._playing[name] = subprocess.Popen(
                    job_process.command(config, folder, int(asked["processes"])),
                    env={**os.environ, "PYTHONSAFEPATH": "1"},
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=told,
                    start_new_session=True,
                )
        except Exception:  # deleted or not playable: drop it, so that the others continue
            self.drop(name)

    def close(self) -> None:
        """Stop all processes, since the server ends."""
        for process in self._playing.values():
            process.send_signal(signal.SIGINT)
        end = self._clock.monotonic() + SHUTDOWN_SECONDS
        for process in self._playing.values():
            with suppress(subprocess.TimeoutExpired):
                process.wait(max(0.0, end - self._clock.monotonic()))
            _kill(process)
            process.wait()
        for name in self._playing:
            self.drop(name)
        self._playing.clear()
        if self._lock is not None:
            self._lock.close()
            self._lock = None


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a tournament and all processes it has started."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
