"""Bit operations on 64-bit words for compiled code."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

ZERO = np.uint64(0)
ONE = np.uint64(1)


@intrinsic  # type: ignore[untyped-decorator]
def ctz(typing_context: Any, word: Any) -> Any:
    """Number of the lowest set bit of a word other than zero."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.uint64), generate


@intrinsic  # type: ignore[untyped-decorator]
def popcount(typing_context: Any, word: Any) -> Any:
    """Number of set bits."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.int64(types.uint64), generate


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def add_lowest(amounts, mask, most):  # type: ignore[no-untyped-def]
    """Sum of the amounts of the `most` lowest members of a set."""
    total = 0
    while mask != ZERO and most > 0:
        total += amounts[ctz(mask)]
        mask &= mask - ONE
        most -= 1
    return total
