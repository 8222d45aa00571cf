"""The task a routing worker runs."""

from __future__ import annotations

import time
import uuid
from functools import cache
from typing import Any

from services.route_problem import RouteProblemError, decode, encode_solution
from services.routing import solve
from services.routing.app import app
from services.routing.checker import RouteCheckError, check_solution
from services.routing.store import Flight, Store

BEAT_SECONDS = 0.03
RETRY_SECONDS = 5


@cache
def _store(url: str) -> Store:
    return Store(url)


class _Watch:
    """Keeps the lease of a running search, tells it when to stop and publishes its bounds."""

    def __init__(self, store: Store, flight: Flight) -> None:
        self.store = store
        self.flight = flight
        self.started = time.monotonic()
        self.is_cancelled = False
        self._next = 0.0
        self._limit: float | None = None
        self._bounds: tuple[int, int] | None = None
        self._published: tuple[int, int] | None = None

    def stop(self) -> bool:
        """Whether the search must end now; asks the store at most every `BEAT_SECONDS`."""
        now = time.monotonic()
        if now >= self._next:
            self._next = now + BEAT_SECONDS
            fields = self.store.beat(self.flight)
            self.is_cancelled = fields["cancel"] == b"1"
            self._limit = float(fields["deadline"]) if fields["deadline"] else None
            if self._bounds != self._published and self._bounds is not None:
                self.store.progress(self.flight, *self._bounds)
                self._published = self._bounds
        return self.is_cancelled or (self._limit is not None and now - self.started >= self._limit)

    def report(self, lower: int, upper: int, routes: list[list[int] | None]) -> None:
        """Take note of new bounds; the next `stop` publishes them."""
        self._bounds = (lower, upper)

    def flush(self, lower: int, upper: int) -> None:
        """Publish the final bounds."""
        self.store.progress(self.flight, lower, upper)


@app.task(name="routing.solve", bind=True, max_retries=None)  # type: ignore[untyped-decorator]
def solve_task(task: Any, digest: str, flight_id: str) -> None:
    """Search the problem of a flight and store the checked answer.

    Delivered twice (a slow worker taken for dead), the second run waits for the lease of the first. An answer
    that the independent checker rejects is reported as a failure, never handed out.
    """
    store = _store(task.app.conf.broker_url)
    flight, worker = Flight(digest, flight_id), uuid.uuid4().hex
    claim = store.claim(flight, worker)
    if claim == "taken":
        raise task.retry(countdown=RETRY_SECONDS)
    if claim != "claimed":
        return
    watch = _Watch(store, flight)
    try:
        data = store.problem(flight)
        if data is None:
            raise LookupError("the problem is no longer stored")
        problem = decode(data)
        solution = solve(problem, cancelled=watch.stop, report=watch.report)
        check_solution(problem, solution)
    except (
        RouteProblemError,
        RouteCheckError,
        LookupError,
        ArithmeticError,
        ValueError,
        MemoryError,
    ) as error:
        store.finish(flight, worker, "failed", error=f"{type(error).__name__}: {error}")
        return
    watch.flush(solution.revenue, solution.upper_bound)
    state = "cancelled" if watch.is_cancelled and not solution.proven else "done"
    store.finish(flight, worker, state, encode_solution(solution), proven=solution.proven)
