"""Checksums: what was written is what is read.

A folder that is finished has a file `SHA256SUMS` with a line for each of its files, as `sha256sum`
writes and checks them.  A folder that grows has files that carry their own checksum in their name
(`sealed_name`), so that one rename makes a file and its checksum at once.
"""

import hashlib
import re
from collections.abc import Iterable
from pathlib import Path

from bolicho.files import open_regular, read_bytes, write_text_atomic

SUMS = "SHA256SUMS"

_LINE = re.compile(r"([0-9a-f]{64})  ([^/\n]+)")


def file_sum(path: Path) -> str:
    """The SHA-256 of a file's bytes."""
    with open_regular(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_sums(folder: Path, names: Iterable[str]) -> None:
    """Write down the checksums of a folder's files."""
    write_text_atomic(folder / SUMS, "".join(f"{file_sum(folder / name)}  {name}\n" for name in sorted(names)))


def damaged(folder: Path, names: Iterable[str]) -> list[str]:
    """Which of the files are not as they were when the checksums were written; `SHA256SUMS` itself if it is broken."""
    lines = read_bytes(folder / SUMS).decode(errors="replace").splitlines()
    found = [_LINE.fullmatch(line) for line in lines]
    known = {match[2]: match[1] for match in found if match}
    if not all(found) or not set(names) <= set(known):
        return [SUMS]
    return [name for name in names if not (folder / name).is_file() or file_sum(folder / name) != known[name]]


def sealed_name(name: str, data: bytes, owner: str, ending: str) -> str:
    """A file name with the checksum of the file inside; another owner or another name has another one."""
    digest = hashlib.sha256(f"{owner}\n{name}\n".encode() + data).hexdigest()[:32]
    return f"{name}.{digest}{ending}"


def is_sealed(path: Path, owner: str) -> bool:
    """Whether a file is as it was when it got its `sealed_name`, and still in its own place."""
    name = path.name.partition(".")[0]
    return path.name == sealed_name(name, read_bytes(path), owner, path.suffix)
