"""The service's clock; the engine has none."""

from __future__ import annotations

import time


def milliseconds() -> int:
    """Unix time in milliseconds."""
    return time.time_ns() // 1_000_000
