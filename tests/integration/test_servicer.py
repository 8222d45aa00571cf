"""How requests use threads."""

from __future__ import annotations

import asyncio
import threading

import pytest

from services.rules.servicer import in_thread


def test_a_call_given_up_lasts_until_its_thread_has_ended() -> None:
    """A thread cannot be stopped, and the lock of its game must not be free before."""
    begun, may_end, ended = threading.Event(), threading.Event(), threading.Event()

    def work() -> None:
        begun.set()
        may_end.wait(10)
        ended.set()

    async def call() -> None:
        task = asyncio.create_task(in_thread(work))
        await asyncio.to_thread(begun.wait, 10)
        task.cancel()
        _, pending = await asyncio.wait([task], timeout=0.05)
        assert pending, "it waits for the thread"
        may_end.set()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert ended.is_set()

    asyncio.run(call())
