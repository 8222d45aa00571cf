"""Ask the routing service for routes, without loading the solver.

>>> client = RoutingClient("redis://127.0.0.1:6379/0")
>>> job = client.submit(problem_json, queue="interactive", deadline_s=10)
>>> client.wait(job, seconds=2)["state"]
'done'

Identical problems are searched once however many clients ask, and proven answers are kept.
The functions of this module do the same on the server of the environment variable `REDIS_URL`.
"""

from __future__ import annotations

import time
from functools import cache
from typing import Any

import msgspec

from services.route_problem import content_hash, decode
from services.routing.app import BACKGROUND, INTERACTIVE, QUEUES, make_app, redis_url
from services.routing.store import FINAL_STATES, Flight, Store


class UnknownJob(LookupError):
    """There is no job of this id, or it is so old that it has been forgotten."""


class RoutingClient:
    """Submits, watches and cancels jobs on the Redis server at `url`. Safe to share between threads."""

    def __init__(self, url: str) -> None:
        self._store = Store(url)
        self._app = make_app(url)

    def submit(self, problem_json: bytes, queue: str = INTERACTIVE, deadline_s: float | None = None) -> str:
        """Start a search and return its job id.

        `queue`: `interactive` or `background`. `deadline_s`: seconds of search after which the best answer
        so far is the result; the longest deadline of all who asked for the same problem counts. Raises
        `RouteProblemError` for a malformed problem and `ValueError` for an unknown queue or a deadline that
        is not positive.
        """
        if queue not in QUEUES:
            raise ValueError(f"there is no queue {queue!r}, only {' and '.join(QUEUES)}")
        if deadline_s is not None and not deadline_s > 0:
            raise ValueError("the deadline must be a positive number of seconds")
        digest = content_hash(decode(problem_json))
        job_id, answer, flight = self._store.submit(digest, problem_json, queue, deadline_s)
        if answer in ("new", "raised"):
            self._send(flight, queue)
        return job_id

    def status(self, job_id: str) -> dict[str, Any]:
        """`state`, `progress` (`lower`, `upper`), and at the end `result` or `error`.

        `state` is `queued`, `running`, `done`, `failed` or `cancelled`; `result` is a `Solution` as plain
        data, after a cancellation the best one so far, if any. Raises `UnknownJob`. A search whose worker
        died is started again.
        """
        ticket, flight = self._store.ticket(job_id)
        if not ticket:
            raise UnknownJob(job_id)
        if flight is None:
            result = msgspec.json.decode(ticket["cached"])
            result.setdefault("stats", {})["cached"] = True
            return {
                "state": "done",
                "progress": _bounds(result["revenue"], result["upper_bound"]),
                "result": result,
            }
        fields = self._store.flight(flight)
        if not fields:
            raise UnknownJob(job_id)
        state = fields["state"].decode()
        if state not in FINAL_STATES:
            queue = self._store.revive(flight)
            if queue:
                state = "queued"
                self._send(flight, queue)
        status: dict[str, Any] = {
            "state": state,
            "progress": _bounds(fields.get("lower"), fields.get("upper")),
        }
        if "result" in fields:
            status["result"] = msgspec.json.decode(fields["result"])
        if "error" in fields:
            status["error"] = fields["error"].decode()
        if "cancelled" in ticket and state not in FINAL_STATES:
            status["state"] = "cancelled"
        return status

    def cancel(self, job_id: str) -> None:
        """Withdraw from a job; the search stops unless others wait for the same problem. Unknown ids are
        ignored.
        """
        self._store.cancel(job_id)

    def wait(self, job_id: str, seconds: float) -> dict[str, Any]:
        """The status as soon as it is final, or the latest one after `seconds`."""
        end = time.monotonic() + seconds
        pause = 0.004
        while True:
            status = self.status(job_id)
            left = end - time.monotonic()
            if left <= 0 or status["state"] in FINAL_STATES:
                return status
            time.sleep(min(pause, left))
            pause = min(pause * 1.3, 0.05)

    def _send(self, flight: Flight, queue: str) -> None:
        self._app.send_task("routing.solve", args=[flight.digest, flight.id], queue=queue)


def _bounds(lower: Any, upper: Any) -> dict[str, int | None]:
    return {
        "lower": None if lower is None else int(lower),
        "upper": None if upper is None else int(upper),
    }


@cache
def _client(url: str) -> RoutingClient:
    return RoutingClient(url)


def submit(problem_json: bytes, queue: str = INTERACTIVE, deadline_s: float | None = None) -> str:
    """See `RoutingClient.submit`."""
    return _client(redis_url()).submit(problem_json, queue, deadline_s)


def status(job_id: str) -> dict[str, Any]:
    """See `RoutingClient.status`."""
    return _client(redis_url()).status(job_id)


def cancel(job_id: str) -> None:
    """See `RoutingClient.cancel`."""
    _client(redis_url()).cancel(job_id)


def wait(job_id: str, seconds: float) -> dict[str, Any]:
    """See `RoutingClient.wait`."""
    return _client(redis_url()).wait(job_id, seconds)


__all__ = [
    "BACKGROUND",
    "INTERACTIVE",
    "RoutingClient",
    "UnknownJob",
    "cancel",
    "status",
    "submit",
    "wait",
]
