"""Checksums of files.

A finished folder has a file `SHA256SUMS` with a line for each of its files, as `sha256sum` writes and checks them.
The files of a growing folder have their checksum in their name (`sealed_name`), so that one rename publishes a file
and its checksum at once.
"""

import hashlib
import re
from collections.abc import Iterable
from pathlib import Path

from bolicho.files import open_regular, read_bytes, write_text_atomic

SUMS = "SHA256SUMS"

_LINE = re.compile(r"([0-9a-f]{64})  ([^/\n]+)")


def file_sum(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with open_regular(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_sums(folder: Path, names: Iterable[str]) -> None:
    """Write the checksums of a folder's files."""
    write_text_atomic(folder / SUMS, "".join(f"{file_sum(folder / name)}  {name}\n" for name in sorted(names)))


def damaged(folder: Path, names: Iterable[str]) -> list[str]:
    """Return the files that differ from their checksums; `SHA256SUMS` itself if it is broken."""
    lines = read_bytes(folder / SUMS).decode(errors="replace").splitlines()
    found = [_LINE.fullmatch(line) for line in lines]
    known = {match[2]: match[1] for match in found if match}
    if not all(found) or not set(names) <= set(known):
        return [SUMS]
    return [name for name in names if not (folder / name).is_file() or file_sum(folder / name) != known[name]]


def sealed_name(name: str, data: bytes, owner: str, ending: str) -> str:
    """Return a file name with a checksum of the file's bytes, name and owner."""
    digest = hashlib.sha256(f"{owner}\n{name}\n".encode() + data).hexdigest()[:32]
    return f"{name}.{digest}{ending}"


def is_sealed(path: Path, owner: str) -> bool:
    """Return whether a file is unchanged and has its own `sealed_name`."""
    name = path.name.partition(".")[0]
    return path.name == sealed_name(name, read_bytes(path), owner, path.suffix)
