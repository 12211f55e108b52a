"""Files that are either there and whole, or not there.

Everything is written beside its place under another name and renamed into it, so that a reader
never sees half a file and a killed writer leaves none.
"""

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType


@contextmanager
def atomic_path(path: Path | str) -> Iterator[Path]:
    """A path to write to; it takes the place of `path` when the block ends, or vanishes if it raises.

    Folders on the way are made.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        yield beside
        _to_disk(beside)
        beside.replace(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Ctrl-C, SIGTERM and SIGHUP wait until the block is done: libraries that write turn them into their own errors."""
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
    """Wait until the bytes are on the disk: after a power cut the name must not outlive them."""
    descriptor = os.open(path, os.O_RDWR)  # Windows flushes only what is open for writing
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_bytes_atomic(path: Path | str, data: bytes) -> None:
    """Write a file in one piece."""
    with atomic_path(path) as beside:
        beside.write_bytes(data)


def write_text_atomic(path: Path | str, text: str) -> None:
    """Write a text file in one piece, as UTF-8 with plain line feeds."""
    write_bytes_atomic(path, text.encode())
