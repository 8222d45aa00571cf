"""Long computations without holding up the other requests of the process."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from gevent import get_hub, monkey  # type: ignore[import-untyped]

Result = TypeVar("Result")


def offload(work: Callable[..., Result], *arguments: Any) -> Result:
    """What `work` returns or raises.

    On a gevent server it runs in a thread of the operating system, and the greenlets of other requests have the
    processor every few milliseconds; elsewhere requests have such threads anyway, and it is called as it is. `work`
    must not wait for anything.
    """
    if not monkey.is_module_patched("threading"):
        return work(*arguments)
    result: Result = get_hub().threadpool.apply(work, arguments)
    return result
