"""Compilation: one decorator, one disk cache, one notice.

Numba keys its disk cache by the file a function stands in and does not notice when a function it
*calls*, in another file, has changed, nor a table that was compiled in.  So the cache lives in a
folder named by a hash of every source file of the games and the agents: change a rule, or a number
in a table, and everything compiles anew.
"""

import hashlib
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numba
from numba.core import event

F = TypeVar("F", bound=Callable[..., Any])


def _source_hash() -> str:
    """A short hash of every module that compiled code may rest on."""
    digest = hashlib.sha256(f"numba {numba.__version__}".encode())
    package = Path(__file__).parent.parent
    for room in ("games", "agents"):
        for path in sorted((package / room).rglob("*.py")):
            digest.update(path.relative_to(package).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def _cache_home() -> Path:
    """The user's cache directory (`NUMBA_CACHE_DIR` or `XDG_CACHE_HOME` where they are set)."""
    if chosen := os.environ.get("NUMBA_CACHE_DIR"):
        return Path(chosen)
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA", "~/AppData/Local")
    elif sys.platform == "darwin":
        base = "~/Library/Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME", "~/.cache")
    return Path(base).expanduser() / "bolicho"


NOTICE_AFTER = 1.0  # seconds: what is read from the cache is faster


class _Notice(event.Listener):  # type: ignore[misc]
    """Says once, on stderr, that a compilation is going on and takes a moment."""

    def __init__(self) -> None:
        self.depth = 0
        self.timer: threading.Timer | None = None

    def on_start(self, event: Any) -> None:
        self.depth += 1
        if self.depth == 1 and self.timer is None:
            self.timer = threading.Timer(NOTICE_AFTER, self.say)
            self.timer.daemon = True
            self.timer.start()

    def on_end(self, event: Any) -> None:
        self.depth -= 1
        if self.depth == 0 and self.timer is not None and self.timer.is_alive():
            self.timer.cancel()
            self.timer = None

    def say(self) -> None:
        print("Compiling for the first time; the result is kept.", file=sys.stderr)


CACHE_DIR = _cache_home() / _source_hash()
numba.config.CACHE_DIR = str(CACHE_DIR)
if not os.environ.get("BOLICHO_QUIET"):
    event.register("numba:compile", _Notice())


def njit(function: F) -> F:
    """Compile `function` on first call and keep the result on disk."""
    return numba.njit(cache=True, nogil=True, error_model="numpy")(function)  # type: ignore[no-any-return]


def rule(function: F) -> F:
    """As `njit`, for code that allocates nothing: no reference counting, 1.3 times the speed.

    The rules of a game are such code (see `games.kernel`); a call of `np.zeros` in it is refused.
    """
    return numba.njit(cache=True, nogil=True, error_model="numpy", _nrt=False)(function)  # type: ignore[no-any-return]
