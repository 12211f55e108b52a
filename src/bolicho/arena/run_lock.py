"""One run at a time in a folder, and no process left behind."""

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import IO

from bolicho.errors import BadInput
from bolicho.files import check_place, open_regular

try:
    import fcntl
except ImportError:  # not a POSIX system
    fcntl = None  # type: ignore[assignment]

LOCK = ".lock"
LOOK_EVERY = 0.2  # seconds between two looks at the parent


class Busy(BadInput):
    """Somebody else is at work there."""


@contextmanager
def _held(folder: Path, shared: bool, busy: Callable[[str], str]) -> Iterator[IO[str] | None]:
    """Hold the lock of a folder, or raise `Busy`; None where there are no locks, and then nothing is refused."""
    if fcntl is None:
        yield None
        return
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / LOCK
    check_place(path)  # to open a pipe would wait for a reader
    while True:
        with path.open("a+") as file:
            locked: IO[str] | None = file
            try:
                fcntl.flock(file, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
            except BlockingIOError:
                file.seek(0)
                raise Busy(busy(file.read().strip() or "unknown")) from None
            except OSError:  # a drive without locks
                locked = None
            if locked and not _is_at(file, path):  # its holder ended and removed it while this process opened it
                continue
            yield locked
            return


def _is_at(file: IO[str], path: Path) -> bool:
    """Return whether an open file is the one at a path."""
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except FileNotFoundError:
        return False


@contextmanager
def alone(folder: Path) -> Iterator[bool]:
    """Refuse to work in a folder where another run is at work; yield whether the folder is locked.

    The system gives the lock back when the process ends, however it ends.  Where there are no such
    locks (Windows, some network drives) nobody is refused: two runs in one folder are then the
    user's to avoid.
    """

    def busy(process: str) -> str:
        return (
            f"another run is at work in {str(folder)!r} (process {process}); "
            "wait until it has ended, or choose another folder"
        )

    with _held(folder, False, busy) as file:
        if file is None:
            yield False
        else:
            file.truncate(0)
            file.write(f"{os.getpid()}\n")
            file.flush()
            yield True
        (folder / LOCK).unlink(missing_ok=True)  # all is done here: who comes now finds that out


@contextmanager
def among_others(folder: Path) -> Iterator[None]:
    """Work in a folder where others play other shares, and nobody who wants to be `alone` there."""
    with _held(
        folder, True, lambda process: f"a whole run is at work in {str(folder)!r} (process {process}); wait for its end"
    ):
        yield


def at_work(folder: Path) -> bool:
    """Whether a run is at work in a folder, of whomever; asked without being in its way.

    The lock is tried only while the process that wrote it is there: who comes to go on with a run that was stopped
    finds nobody's hand on it.
    """
    if fcntl is None:
        return False
    try:
        with open_regular(folder / LOCK) as file:
            number = file.read().strip()
            if not number.isdigit() or not _is_there(int(number)):
                return False
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except (OSError, BadInput):  # no run was ever here, the lock is no file, or a drive without locks
        return False
    return False


def _is_there(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # somebody else's
        return True
    return True


class Left(KeyboardInterrupt):
    """Somebody told the process to end: the same as Ctrl-C, by another signal."""

    def __init__(self, number: int) -> None:
        super().__init__(signal.strsignal(number))
        self.number = number


@contextmanager
def leaving() -> Iterator[None]:
    """Inside, SIGTERM and SIGHUP raise `Left`, so that whoever is told to end leaves in good order."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def leave(number: int, frame: FrameType | None) -> None:
        raise Left(number)

    before = {}
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:  # nohup asks to be left alone
            before[number] = signal.signal(number, leave)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)


_watched: set[int] = set()


def end_with(parent: int) -> None:
    """In a process that `parent` has started: end at once when the parent is no more, whatever is going on."""
    if os.getpid() == parent or parent in _watched or os.getppid() != parent:
        return
    _watched.add(parent)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(LOOK_EVERY)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
