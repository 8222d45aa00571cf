"""The decorator of all compiled functions, and where their machine code is kept.

Compiled code is cached on disk, in a folder named after the sources it depends on: a cache never
outlives the code it was made from, even where one module uses constants of another.

| variable | default | meaning |
|---|---|---|
| `ROUTING_CODE_CACHE` | `__pycache__/compiled` beside this file | folder of the cache; must be writable once |
| `NUMBA_CPU_NAME` | this machine | set it in images, so that every machine accepts the prepared code |
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba

_HERE = Path(__file__).parent
_SOURCES = (
    "bits",
    "compiled",
    "detours",
    "join_kernel",
    "kernel",
    "kernel_value",
    "plan",
    "pricing",
    "rules",
    "cover_kernel",
)


def _digest() -> str:
    """Hash of every source file that compiled code depends on."""
    found = hashlib.blake2b(digest_size=8)
    for name in _SOURCES:
        found.update((_HERE / f"{name}.py").read_bytes())
    return found.hexdigest()


_ROOT = Path(os.environ.get("ROUTING_CODE_CACHE", _HERE / "__pycache__" / "compiled"))
numba.config.CACHE_DIR = str(_ROOT / _digest())  # type: ignore[attr-defined]


def folder() -> Path:
    """Where the compiled code of these sources is kept."""
    found = Path(numba.config.CACHE_DIR)  # type: ignore[attr-defined]
    found.mkdir(parents=True, exist_ok=True)
    return found


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile at first use, or load from the cache; the interpreter lock is released while running."""
    wrapped: Callable[..., Any] = numba.njit(cache=True, nogil=True)(function)
    return wrapped
