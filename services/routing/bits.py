"""Bit operations on 64-bit words for compiled code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.extending import intrinsic

from services.routing.compiled import compiled

ZERO = np.uint64(0)
ONE = np.uint64(1)


@intrinsic
def _ctz(typing_context: Any, word: Any) -> Any:
    """Number of the lowest set bit of a word other than zero."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.uint64), generate


@intrinsic
def _popcount(typing_context: Any, word: Any) -> Any:
    """Number of set bits."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.int64(types.uint64), generate


ctz: Callable[[Any], Any] = cast(Any, _ctz)
popcount: Callable[[Any], Any] = cast(Any, _popcount)


@compiled
def add_lowest(amounts, mask, most):  # type: ignore[no-untyped-def]
    """Sum of the amounts of the `most` lowest members of a set."""
    total = 0
    while mask != ZERO and most > 0:
        total += amounts[ctz(mask)]
        mask &= mask - ONE
        most -= 1
    return total
