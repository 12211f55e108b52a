"""Bit sets: two machine instructions, for use inside `njit`, that Numba does not expose."""

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic


@intrinsic
def lowest(typing: Any, bits: Any) -> Any:
    """Return the index of the lowest set bit of a nonzero 64-bit number."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.int64), generate


@intrinsic
def count(typing: Any, bits: Any) -> Any:
    """Return the number of set bits of a 64-bit number."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.int64(types.int64), generate
