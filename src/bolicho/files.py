"""Atomic writing of files, which are complete or absent, and reading of regular files of limited size.

A file is written beside its place under another name and then renamed. So a reader never sees half a file, and a killed
writer leaves none.
"""

import hashlib
import os
import signal
import stat
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from io import BufferedReader
from pathlib import Path
from types import FrameType

from bolicho.errors import BadInput


@contextmanager
def atomic_path(path: Path | str) -> Iterator[Path]:
    """Provide a path to write to; it replaces `path` when the block ends, and is removed if the block raises.

    Missing folders are made. Something at `path` that is not a file (a link, a device, a pipe) is kept: `BadInput`.
    """
    path = Path(path)
    check_place(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    mark = hashlib.sha256(path.name.encode(errors="surrogateescape")).hexdigest()[:8]
    beside = path.with_name(f".{path.name[:40]}.{mark}.{os.getpid()}.tmp")  # names have a maximum length
    try:
        yield beside
        _to_disk(beside)
        check_place(path)
        beside.replace(path)
    except BaseException as problem:
        with suppress(OSError):
            beside.unlink(missing_ok=True)
        if isinstance(problem, OSError) and problem.filename in (None, str(beside)):
            raise OSError(problem.errno, problem.strerror, str(path)) from None
        raise


def check_place(path: Path | str) -> None:
    """Raise `BadInput` for a path where a new file would destroy something that is not a file."""
    path = Path(path)
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return
    if what := _no_file(mode):
        raise BadInput(f"{str(path)!r} is {what}, which is not overwritten; name a file, new or existing")


def open_regular(path: Path | str) -> BufferedReader:
    """Open a regular file, or a link to one, for reading; raise `BadInput` for anything else, without blocking.

    Opening a pipe blocks until there is a writer, and opening a device may have effects: both are refused unopened.
    """
    path = Path(path)
    _check_regular(path, path.stat().st_mode)
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    try:
        _check_regular(path, os.fstat(descriptor).st_mode)  # the path may have been replaced since
        return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def is_regular(path: Path) -> bool:
    """Return whether a path is a regular file itself, not a link to one; False for an inaccessible path."""
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except (OSError, ValueError):  # no such file, no permission, a name too long, a NUL in it
        return False


def _check_regular(path: Path, mode: int) -> None:
    if not stat.S_ISREG(mode):
        raise BadInput(f"{str(path)!r} is {_no_file(mode) or 'no file'}, and only files are read; name a file")


def _no_file(mode: int) -> str | None:
    """Return the kind of something that is not a regular file, in words."""
    return next((what for is_one, what in _NO_FILES if is_one(mode)), None)


_NO_FILES: tuple[tuple[Callable[[int], bool], str], ...] = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISLNK, "a link"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Delay Ctrl-C, SIGTERM and SIGHUP to the end of the block; libraries turn them into their own errors."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    waiting: list[int] = []

    def wait(number: int, frame: FrameType | None) -> None:
        waiting.append(number)

    ends = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
    heard = [number for number in ends if signal.getsignal(number) is not signal.SIG_IGN]
    handlers = {number: signal.signal(number, wait) for number in heard}
    try:
        yield
    finally:
        for number, handler in handlers.items():
            default = signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL
            signal.signal(number, default if handler is None else handler)
        if waiting:
            signal.raise_signal(waiting[0])


def _to_disk(path: Path) -> None:
    """Wait until the bytes are on the disk, so that no name without content remains after a power cut."""
    descriptor = os.open(path, os.O_RDWR)  # Windows flushes only what is open for writing
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


MOST_BYTES = 2**30
"""Size of the largest file that is read: far above every record and artifact, and no more than memory holds."""


def read_bytes(path: Path | str, most: int = MOST_BYTES) -> bytes:
    """Return the bytes of a regular file of at most `most` bytes; anything else is `BadInput` (see `open_regular`)."""
    with open_regular(path) as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise BadInput(f"{str(path)!r} has more than {most:,} bytes, the limit for files")
    return data


def read_text(path: Path | str) -> str:
    """Return the text of a regular file in UTF-8, with every line end as a line feed (see `read_bytes`)."""
    return read_bytes(path).decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")


def write_bytes_atomic(path: Path | str, data: bytes) -> None:
    """Write a file in one piece."""
    with atomic_path(path) as beside:
        beside.write_bytes(data)


def write_text_atomic(path: Path | str, text: str) -> None:
    """Write a text file in one piece, as UTF-8 with plain line feeds."""
    write_bytes_atomic(path, text.encode())


def file_state(path: Path | str) -> tuple[int, ...] | None:
    """Return the state of a file from its metadata; it differs whenever the content has changed."""
    try:
        found = Path(path).stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns
