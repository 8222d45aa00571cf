"""Route optimization jobs: from a game to the routing service and back to an action.

The routing service knows nothing of games; which game a job belongs to, who started it and the checked answer
are kept here, under `gateway:job:<id>`, for as long as the routing service keeps its own.
"""

from __future__ import annotations

import logging
import threading
import time
from typing import Any, Protocol, cast

import msgspec
import redis

from gateway import schemas
from gateway.admission import redis_unavailable
from gateway.auth import Principal
from gateway.problems import Problem
from gateway.rules import RulesClient
from protos.roundhouse.v1 import rules_pb2 as pb

log = logging.getLogger(__name__)

KEPT_SECONDS = 24 * 3600
ENDED = ("done", "failed", "cancelled")
SHORTEST_PAUSE, LONGEST_PAUSE = 0.005, 0.5
"""Seconds between two looks at a job somebody waits for."""

QUESTIONS = 64
"""So many questions to the routing service are under way at a time; its client has a limited number of connections."""


class RouteClient(Protocol):
    """The routing service's client, `services.routing.client.RoutingClient`."""

    def submit(self, problem_json: bytes, queue: str = ..., deadline_s: float | None = ...) -> str: ...
    def status(self, job_id: str) -> dict[str, Any]: ...
    def cancel(self, job_id: str) -> None: ...


class _Record(msgspec.Struct):
    """What a job is about."""

    game_id: str
    version: int
    corporation: str
    subject: str


class Jobs:
    """Starts, reads and cancels jobs."""

    def __init__(self, client: redis.Redis, rules: RulesClient, routing: RouteClient) -> None:
        self._redis = client
        self._rules = rules
        self._routing = routing
        self._turns = threading.BoundedSemaphore(QUESTIONS)

    def start(self, principal: Principal, game_id: str, wanted: schemas.RoutesInput) -> str:
        """Start a search for a corporation's best routes and return the job's id. Raises `Problem`."""
        request = pb.RouteProblemRequest(game_id=game_id, corporation=wanted.corporation, version=wanted.version)
        problem = self._rules.route_problem(request)
        try:
            with self._turns:
                job_id = self._routing.submit(problem.problem_json, wanted.queue, wanted.deadline)
            record = _Record(game_id, problem.version, problem.corporation, principal.subject)
            self._redis.set(_key(job_id), msgspec.json.encode(record), ex=KEPT_SECONDS)
        except ValueError as error:
            log.exception("route problem of %s at %s", game_id, problem.version)
            raise Problem("bad-gateway", "The routing service does not understand the problem.") from error
        except Exception as error:
            raise _routing_unavailable(error) from error
        return job_id

    def read(self, principal: Principal, job_id: str, wait: float = 0.0) -> schemas.Job:
        """A job as it is now, or as soon as it ends within `wait` seconds. Raises `Problem`."""
        record = self._record(principal, job_id)
        try:
            status = self._status(job_id, wait)
        except LookupError as error:
            raise _unknown_job() from error
        except Exception as error:
            raise _routing_unavailable(error) from error
        job = schemas.Job(
            id=job_id,
            state=status["state"],
            game_id=record.game_id,
            version=record.version,
            corporation=record.corporation,
            progress=msgspec.convert(status.get("progress") or {}, schemas.Bounds),
            error=status.get("error"),
        )
        solution = status.get("result")
        if solution and job.state in ("done", "cancelled") and solution.get("routes") is not None:
            self._add_answer(job, solution)
        return job

    def cancel(self, principal: Principal, job_id: str) -> schemas.Job:
        """Cancel a job; it keeps the best answer so far, if it has one. Raises `Problem`."""
        self._record(principal, job_id)
        try:
            with self._turns:
                self._routing.cancel(job_id)
        except Exception as error:
            raise _routing_unavailable(error) from error
        return self.read(principal, job_id)

    def _status(self, job_id: str, wait: float) -> dict[str, Any]:
        """The status as soon as the job has ended, or after `wait` seconds.

        The longer it takes, the more rarely it is asked for: what waiting adds to the time of a search is a tenth of
        it, and hundreds who wait cost little.
        """
        begun = time.monotonic()
        while True:
            with self._turns:
                status = self._routing.status(job_id)
            waited = time.monotonic() - begun
            if waited >= wait or status["state"] in ENDED:
                return status
            time.sleep(min(wait - waited, max(SHORTEST_PAUSE, min(LONGEST_PAUSE, waited / 10))))

    def _record(self, principal: Principal, job_id: str) -> _Record:
        try:
            data = cast("bytes | None", self._redis.get(_key(job_id)))
        except redis.RedisError as error:
            raise redis_unavailable() from error
        if data is None:
            raise _unknown_job()
        record = msgspec.json.decode(data, type=_Record)
        if not principal.is_operator and record.subject != principal.subject:
            raise Problem("forbidden", "This job belongs to somebody else.", code="not_your_job")
        return record

    def _add_answer(self, job: schemas.Job, solution: dict[str, Any]) -> None:
        """The solver's routes as an action, checked by the rules service once for each job."""
        key = _key(job.id) + ":answer"
        try:
            kept = cast("bytes | None", self._redis.get(key))
        except redis.RedisError as error:
            raise redis_unavailable() from error
        if kept is not None:
            job.result = msgspec.json.decode(kept, type=schemas.RouteAnswer)
            return
        request = pb.CheckRoutesRequest(
            game_id=job.game_id,
            version=job.version,
            corporation=job.corporation,
            routes_json=msgspec.json.encode(solution["routes"]),
            order=solution.get("order", []),
        )
        try:
            checked = self._rules.check_routes(request)
        except Problem as problem:
            if problem.kind.status >= 500:
                raise
            log.error("job %s: the rules service rejects the routes: %s", job.id, problem.detail)
            job.state, job.error = "failed", f"The rules service rejects the routes: {problem.detail}"
            return
        job.result = schemas.RouteAnswer(
            revenue=checked.revenue,
            upper_bound=max(int(solution["upper_bound"]), checked.revenue),
            proven=bool(solution["proven"]) and checked.revenue == int(solution["revenue"]),
            subsidy=checked.subsidy,
            routes=solution["routes"],
            order=solution.get("order", []),
            action=msgspec.Raw(checked.action_json),
        )
        if checked.revenue != int(solution["revenue"]):
            log.error(
                "job %s: revenue %s by the solver, %s by the rules",
                job.id,
                solution["revenue"],
                checked.revenue,
            )
        try:
            self._redis.set(key, msgspec.json.encode(job.result), ex=KEPT_SECONDS)
        except redis.RedisError as error:  # the next reader has it checked again
            log.warning("job %s: the answer is not kept: %s", job.id, error)


def _key(job_id: str) -> str:
    return f"gateway:job:{job_id}"


def _unknown_job() -> Problem:
    return Problem("not-found", "There is no job with such an id, or it is older than a day.", code="unknown_job")


def _routing_unavailable(error: Exception) -> Problem:
    log.warning("routing service: %s: %s", type(error).__name__, error)
    return redis_unavailable("The queue of route searches")
