"""Locks of run folders, and clean ends of processes."""

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
LOOK_EVERY = 0.2  # seconds between two checks of the parent


class Busy(BadInput):
    """Another process holds the lock of the folder."""


@contextmanager
def _held(folder: Path, shared: bool, busy: Callable[[str], str]) -> Iterator[IO[str] | None]:
    """Hold the lock of a folder, or raise `Busy`; yield None without any lock if the system has none."""
    if fcntl is None:
        yield None
        return
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / LOCK
    check_place(path)  # opening a pipe would block
    while True:
        with path.open("a+") as file:
            locked: IO[str] | None = file
            try:
                fcntl.flock(file, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
            except BlockingIOError:
                file.seek(0)
                raise Busy(busy(file.read().strip() or "unknown")) from None
            except OSError:  # a file system without locks
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
def lock_exclusively(folder: Path) -> Iterator[bool]:
    """Lock a folder exclusively, or raise `Busy`; yield whether the folder is locked.

    The system releases the lock at any end of the process.  Without such locks (Windows, some network drives) nothing
    is refused: the user must then avoid two runs in one folder.
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
        (folder / LOCK).unlink(missing_ok=True)  # a process that locks the folder next finds the finished run


@contextmanager
def lock_shared(folder: Path) -> Iterator[None]:
    """Lock a folder together with other shards, or raise `Busy` if a process holds it `lock_exclusively`."""
    with _held(
        folder, True, lambda process: f"a whole run is at work in {str(folder)!r} (process {process}); wait for its end"
    ):
        yield


def at_work(folder: Path) -> bool:
    """Return whether a run of any process is at work in a folder, without disturbing it.

    The lock is tried only while the process named in it exists, so that the try cannot collide with a process that
    resumes a stopped run.
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
    except (OSError, BadInput):  # no lock, the lock is no regular file, or a file system without locks
        return False
    return False


def _is_there(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # a process of another user
        return True
    return True


class EndSignal(KeyboardInterrupt):
    """The process received a signal to end: like Ctrl-C, with its signal number."""

    def __init__(self, number: int) -> None:
        super().__init__(signal.strsignal(number))
        self.number = number


@contextmanager
def leaving() -> Iterator[None]:
    """Raise `EndSignal` on SIGTERM and SIGHUP inside, so that the process cleans up before it ends."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def leave(number: int, frame: FrameType | None) -> None:
        raise EndSignal(number)

    before = {}
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:  # nohup ignores SIGHUP
            before[number] = signal.signal(number, leave)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)


_watched: set[int] = set()


def end_with(parent: int) -> None:
    """In a child process of `parent`, start a thread that ends this process when the parent ends."""
    if os.getpid() == parent or parent in _watched or os.getppid() != parent:
        return
    _watched.add(parent)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(LOOK_EVERY)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
