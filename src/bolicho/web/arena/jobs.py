"""The tournaments or trainings that the page has asked for: some at a time, the others wait, all end with the server.

What is wanted stands in files, one a run, below `.arena` in the folder of runs: so any server process can be asked.
One of them, which holds the lock there, starts and stops.  Nothing else is remembered: what was played is in the
run's own folder, and after a restart nobody wants anything until asked again.
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
from bolicho.web.arena import work
from bolicho.web.clock import SYSTEM, Clock

try:
    import fcntl
except ImportError:  # not a POSIX system: one server process a folder is then the user's to see to
    fcntl = None  # type: ignore[assignment]

DESK, LOCK, WANTED = ".arena", "lock", ".json"
ASKED, TOLD = ".asked.toml", ".told"  # in a run's folder: what is to be played, and what the process said of it
AT_ONCE = 2  # tournaments
BEAT = 0.2  # seconds between looks at what is wanted
PATIENCE = 5.0  # seconds that a tournament has to end in good order when the server does
AGAIN = 25  # looks after which it is told once more: a signal can be lost where nothing may be raised
AT_LAST = 30.0  # seconds after which a tournament that was stopped is ended whatever it does


class Jobs:
    """What is wanted of the runs below a folder, and the processes that play them."""

    def __init__(
        self,
        root: Path,
        folder: Callable[[str], Path],
        clock: Clock = SYSTEM,
        at_once: int = AT_ONCE,
        at_last: float = AT_LAST,
    ) -> None:
        self._desk = root / DESK
        self._at_once = at_once
        self._at_last = at_last
        self._clock = clock
        self._folder = folder  # of the run of a name
        self._playing: dict[str, subprocess.Popen[bytes]] = {}
        self._told: dict[str, int] = {}  # those that were told to stop, and in how many looks they had not
        self._lock: IO[str] | None = None

    # --- What is wanted, whichever process is asked -----------------------------------------------

    def want(self, name: str, processes: int) -> None:
        """Have a run played, or gone on with, as soon as there is room."""
        write_text_atomic(self._desk / f"{name}{WANTED}", json.dumps({"processes": processes}))

    def unwant(self, name: str) -> None:
        """Have it stopped; what is finished is kept."""
        (self._desk / f"{name}{WANTED}").unlink(missing_ok=True)

    def wanted(self) -> list[str]:
        """The runs that are wanted, in the order they were asked for."""
        found = []
        for path in self._desk.glob(f"*{WANTED}"):
            with suppress(FileNotFoundError):
                found.append((path.stat().st_mtime_ns, path.name.removesuffix(WANTED)))
        return [name for _, name in sorted(found)]

    # --- Seeing to it -------------------------------------------------------------------------------

    async def tend(self) -> None:
        """Start and stop what is to be started and stopped, for ever."""
        while True:
            with suppress(OSError):  # a disk that is full, a folder that is gone: perhaps not for ever
                if self.leads():
                    self.step()
            await self._clock.sleep(BEAT)

    def leads(self) -> bool:
        """Whether this process is the one that sees to it, from now on and until it ends."""
        if self._lock is not None:
            return True
        lock = self._desk / LOCK
        if not self._desk.is_dir() or (lock.exists() and not is_regular(lock)):
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
        """A server starts: what another had been asked for before it ended is wanted no more."""
        if self.leads():
            for name in self.wanted():
                self.unwant(name)

    def step(self) -> None:
        """One look at what is wanted and what is playing."""
        wanted = self.wanted()
        for name, process in list(self._playing.items()):
            if process.poll() is not None:
                del self._playing[name]
                if name not in self._told:  # it is done, or cannot go on
                    self.unwant(name)
                    wanted = [other for other in wanted if other != name]
                self._told.pop(name, None)
            elif name not in wanted:
                self._told[name] = looks = self._told.get(name, -1) + 1
                if looks * BEAT >= self._at_last:  # its parts are whole, whenever it ends
                    _kill(process)
                elif looks % AGAIN == 0:
                    process.send_signal(signal.SIGINT)
        for name in wanted:
            if name not in self._playing and len(self._playing) < self._at_once:
                self._start(name)

    def _start(self, name: str) -> None:
        try:
            asked: dict[str, Any] = json.loads(read_bytes(self._desk / f"{name}{WANTED}"))
            folder = self._folder(name)
            config = next(folder / file for file in (EXPERIMENT, ASKED, work.TRAINING) if (folder / file).is_file())
            check_place(folder / TOLD)  # to open a pipe would wait for a reader
            with (folder / TOLD).open("wb") as told:
                self._playing[name] = subprocess.Popen(
                    work.command(config, folder, int(asked["processes"])),
                    env={**os.environ, "PYTHONSAFEPATH": "1"},
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=told,
                    start_new_session=True,
                )
        except Exception:  # it is gone, or nobody can play it: not wanted, and the others go on
            self.unwant(name)

    def close(self) -> None:
        """The server ends: stop all, in good order if they can."""
        for process in self._playing.values():
            process.send_signal(signal.SIGINT)
        end = self._clock.monotonic() + PATIENCE
        for process in self._playing.values():
            with suppress(subprocess.TimeoutExpired):
                process.wait(max(0.0, end - self._clock.monotonic()))
            _kill(process)
            process.wait()
        for name in self._playing:
            self.unwant(name)
        self._playing.clear()
        if self._lock is not None:
            self._lock.close()
            self._lock = None


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End a tournament and whatever it has started."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
