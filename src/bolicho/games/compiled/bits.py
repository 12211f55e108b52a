"""Sets as bits: two machine instructions, for use inside `njit`, that Numba has no name for."""

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic


@intrinsic
def lowest(typing: Any, bits: Any) -> Any:
    """The index of the lowest set bit of a 64-bit number that is not zero."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.int64), generate


@intrinsic
def count(typing: Any, bits: Any) -> Any:
    """How many bits of a 64-bit number are set."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.int64(types.int64), generate
