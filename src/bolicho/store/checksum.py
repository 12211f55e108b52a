"""Checksums: of bytes, and inside the very file whose bytes they are of.

A sealed file holds, once, the text `seal:sha256:` and 64 hexadecimal digits: the SHA-256 of the whole
file with zeros in the place of those digits.  So every byte counts, whatever the format, and a file
needs no second one beside it.
"""

import hashlib
import re

_PREFIX = "seal:sha256:"
BLANK = _PREFIX + "0" * 64
"""What a file is written with where its seal will stand."""

_SEAL = re.compile(_PREFIX.encode() + rb"[0-9a-f]{64}")


def checksum(data: bytes) -> str:
    """The SHA-256 of bytes, in hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def seal(data: bytes) -> bytes:
    """The bytes of a file with its checksum where `BLANK` stood."""
    if data.count(BLANK.encode()) != 1:
        raise ValueError(f"a file is sealed where {BLANK!r} stands in it, exactly once")
    return data.replace(BLANK.encode(), (_PREFIX + checksum(data)).encode())


def damage(data: bytes) -> str | None:
    """Why the bytes of a file are not those that were sealed; None when they are."""
    found = _SEAL.findall(data)
    if len(found) != 1:
        return "it has no checksum inside: it was cut short, changed, or not made by bolicho"
    if seal(data.replace(found[0], BLANK.encode())) != data:
        return "it was changed: its bytes are not those of the checksum inside"
    return None
