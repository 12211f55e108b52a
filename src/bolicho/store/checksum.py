"""Checksums inside the files that they protect.

A sealed file holds, once, the text `seal:sha256:` and 64 hexadecimal digits: the SHA-256 of the whole file with zeros
in place of those digits.  So every byte is covered, in any format, and no second file is needed.
"""

import hashlib
import re

_PREFIX = "seal:sha256:"
BLANK = _PREFIX + "0" * 64
"""Placeholder for the seal in a file to be sealed."""

_SEAL = re.compile(_PREFIX.encode() + rb"[0-9a-f]{64}")


def checksum(data: bytes) -> str:
    """Return the SHA-256 of bytes, in hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def seal(data: bytes) -> bytes:
    """Return the bytes of a file with its checksum in place of `BLANK`."""
    if data.count(BLANK.encode()) != 1:
        raise ValueError(f"a file to be sealed must contain {BLANK!r} exactly once")
    return data.replace(BLANK.encode(), (_PREFIX + checksum(data)).encode())


def damage(data: bytes) -> str | None:
    """Return why the bytes of a sealed file are damaged; None if they are not."""
    found = _SEAL.findall(data)
    if len(found) != 1:
        return "it has no checksum inside: it was truncated, changed, or not made by bolicho"
    if seal(data.replace(found[0], BLANK.encode())) != data:
        return "it was changed: its bytes do not match the checksum inside"
    return None
