"""Players as bytes: their numbers and arrays, as the doors of a module read them."""

import struct
from collections.abc import Iterator
from typing import Any, NamedTuple

import numba
import numpy as np
from numba import types

ALIGNED = 16  # bytes


class Packed(NamedTuple):
    """Data of a player: slots of eight bytes, and its arrays.

    The slots in `addresses` count from the start of the arrays; their address is added once it is known.  Agents that
    differ in options alone share their arrays.
    """

    slots: bytes
    arrays: list[bytes]  # each padded, one after the other
    addresses: list[int]


def pack(player: Any) -> Packed:
    """Return the data of a player, with one slot for each argument of its compiled functions."""
    slots, arrays, addresses, end = bytearray(), list[bytes](), list[int](), 0
    places: dict[tuple[int, int], int] = {}  # arrays that share their memory share it here, too
    for number, slot in enumerate(_slots(player, numba.typeof(player))):
        if isinstance(slot, np.ndarray):
            addresses.append(number)
            memory = slot.__array_interface__["data"][0], slot.nbytes
            if memory not in places:
                places[memory] = end
                arrays.append(_bytes(slot))
                end += len(arrays[-1])
            slots += struct.pack("<q", places[memory])
        else:
            slots += slot
    return Packed(bytes(slots), arrays, addresses)


def _bytes(array: Any) -> bytes:
    raw: bytes = array.tobytes("F" if array.flags.f_contiguous and not array.flags.c_contiguous else "C")
    return raw + bytes(-len(raw) % ALIGNED)


def _slots(value: Any, kind: Any) -> Iterator[Any]:
    """Yield the slots of a value: bytes of a number, or an array for its address."""
    if isinstance(kind, types.BaseTuple):
        for part, its_kind in zip(value, kind.types, strict=True):
            yield from _slots(part, its_kind)
    elif isinstance(kind, types.Array):
        isolated = value if value.flags.forc else np.ascontiguousarray(value)
        numbers = [0, 0, isolated.size, isolated.itemsize]
        yield from (struct.pack("<q", number) for number in numbers)
        yield isolated
        yield from (struct.pack("<q", number) for number in (*isolated.shape, *isolated.strides))
    elif isinstance(kind, types.Record):
        yield np.asarray(value)
    elif isinstance(kind, types.Float):
        yield struct.pack("<d", value) if kind.bitwidth == 64 else struct.pack("<fi", value, 0)
    elif isinstance(kind, types.Integer) and not kind.signed:
        yield struct.pack("<Q", int(value))
    else:
        yield struct.pack("<q", int(value))
