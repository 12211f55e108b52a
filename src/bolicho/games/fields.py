"""Some fields of a record as Python numbers, read at once."""

import struct
from collections.abc import Sequence

import numpy as np

from bolicho.games.game import Pool

_LETTERS = {"i1": "b", "u1": "B", "i2": "h", "u2": "H", "i8": "q", "u8": "Q"}


class Fields:
    """Reads the named fields of a record: a number, or a flat tuple of them.  NumPy takes as long for one or two."""

    def __init__(self, dtype: np.dtype[np.void], names: Sequence[str]) -> None:
        assert dtype.fields is not None
        layout, end, at = "<", 0, 0
        self._places: list[tuple[str, int | slice]] = []
        for offset, name in sorted((dtype.fields[name][1], name) for name in names):
            of = dtype.fields[name][0]
            count = int(np.prod(of.shape, dtype=int))
            layout += f"{offset - end}x{count}{_LETTERS[of.base.str[1:]]}"
            self._places.append((name, slice(at, at + count) if of.shape else at))
            end, at = offset + of.itemsize, at + count
        self._unpack = struct.Struct(layout).unpack_from

    def __call__(self, pool: Pool) -> dict[str, object]:
        numbers = self._unpack(pool.data)
        return {name: numbers[place] for name, place in self._places}
