"""Hashes of a record and of the events that a seat saw."""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from bolicho.games.jit import rule

NOT_HASHED = ("seed", "events", "num_events")
"""Fields that are secret, or that the hash of events already covers."""

_START = 0x243F6A8885A308D3  # first hexadecimal digits of pi, an arbitrary constant
_FACTOR = 0x9E3779B97F4A7C15
_F, _S29 = np.uint64(_FACTOR), np.uint64(29)


@intrinsic
def hashed(typing: Any, record: Any) -> Any:
    """Return a hash of all fields of a record except `NOT_HASHED`, without padding."""
    if not isinstance(record, types.Record):
        return None
    masks = _masks(record)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        start = builder.bitcast(args[0], ir.IntType(8).as_pointer())
        h: Any = ir.Constant(ir.IntType(64), _START)
        for j, mask in enumerate(masks):
            if mask:
                word = _load(builder, start, 8 * j, min(8, record.size - 8 * j))
                word = builder.and_(word, ir.Constant(ir.IntType(64), mask))
                h = builder.mul(builder.xor(h, word), ir.Constant(ir.IntType(64), _FACTOR))
                h = builder.xor(h, builder.lshr(h, ir.Constant(ir.IntType(64), 29)))
        return h

    return types.uint64(record), generate


def _masks(record: types.Record) -> list[int]:
    """Return the relevant bits of each word of a record."""
    counts = np.zeros((record.size + 7) // 8 * 8, np.uint8)
    for name, field in record.fields.items():
        if name not in NOT_HASHED:
            counts[field.offset : field.offset + _size(field.type)] = 255
    masks: list[int] = counts.view(np.uint64).tolist()
    return masks


def _size(kind: Any) -> int:
    """Return the size of a field in bytes."""
    if isinstance(kind, types.NestedArray):
        return int(kind.nitems) * _size(kind.dtype)
    return int(kind.size if isinstance(kind, types.Record) else kind.bitwidth // 8)


def _load(builder: Any, start: Any, offset: int, size: int) -> Any:
    """Load `size` bytes of memory as a 64-bit word."""
    place = builder.gep(start, [ir.Constant(ir.IntType(64), offset)])
    part = ir.IntType(8 * size)
    word = builder.load(builder.bitcast(place, part.as_pointer()), align=1)
    return word if size == 8 else builder.zext(word, ir.IntType(64))


@rule
def fold(h, number):
    """Return a hash extended by one number."""
    h = (h ^ np.uint64(number)) * _F
    return h ^ (h >> _S29)


@rule
def fold_event(h, event):
    """Return a hash of events extended by a row of `events`."""
    row = np.int64(0)
    for j in range(4):
        row = (row << 16) | (np.int64(event[j]) & 0xFFFF)
    return fold(h, row)
