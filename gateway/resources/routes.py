"""Optimal routes: jobs of the routing service, and checks of routes."""

from __future__ import annotations

import re

import msgspec
from flask import Response, request

from gateway import convert, idempotency, schemas
from gateway.jobs import ENDED
from gateway.operations import Call, answer, operation
from protos.roundhouse.v1 import rules_pb2 as pb

TAG = "Routes"
MAX_WAIT = 30.0
"""Longest time (seconds) a request waits for a job."""

_WAIT = re.compile(r"(?:^|[,;\s])wait\s*=\s*\"?(\d{1,4}(?:\.\d{1,3})?)", re.IGNORECASE)


@operation(
    "POST",
    "/games/{game_id}/routes",
    tag=TAG,
    scope="routes",
    body=schemas.RoutesInput,
    body_optional=True,
    returns={200: schemas.Job, 202: schemas.Job},
    problems=("not-found", "invalid-request", "conflict", "idempotency-key-reused"),
)
def optimize_routes(call: Call[None, schemas.RoutesInput], game_id: str) -> Response:
    """Find the best routes of a corporation.

    Starts a job and answers 202 with its address in `Location`. With `Prefer: wait=N` the answer is 200 with
    the result, if it is ready within N seconds (at most 30).
    """
    call.read_game(game_id)
    jobs = call.services.jobs
    body = call.raw + game_id.encode()
    job_id = idempotency.once(
        call.services.redis,
        call.idempotency_key,
        body,
        lambda: jobs.start(call.principal, game_id, call.body).encode(),
    ).decode()
    return _job(jobs.read(call.principal, job_id, _wait()), 202)


@operation(
    "GET",
    "/jobs/{job_id}",
    tag=TAG,
    scope="routes",
    returns={200: schemas.Job},
    problems=("not-found", "forbidden"),
)
def get_job(call: Call[None, None], job_id: str) -> Response:
    """Read a job: its progress or its result.

    `progress.lower` is the revenue of the best routes so far, `progress.upper` a proven bound. `Prefer:
    wait=N` waits for the end, at most N seconds.
    """
    return _job(call.services.jobs.read(call.principal, job_id, _wait()), 200)


@operation(
    "DELETE",
    "/jobs/{job_id}",
    tag=TAG,
    scope="routes",
    returns={200: schemas.Job},
    problems=("not-found", "forbidden"),
)
def cancel_job(call: Call[None, None], job_id: str) -> Response:
    """Cancel a job.

    The search stops, unless somebody else waits for the same problem. A job that has ended stays as it is.
    """
    return _job(call.services.jobs.cancel(call.principal, job_id), 200)


@operation(
    "POST",
    "/games/{game_id}/routes/check",
    tag=TAG,
    scope="read",
    body=schemas.CheckInput,
    returns={200: schemas.CheckedRoutes},
    problems=("not-found", "invalid-request", "conflict"),
)
def check_routes(call: Call[None, schemas.CheckInput], game_id: str) -> Response:
    """Check routes and get the `run_routes` action for them.

    `routes` has for each train the ids of its track pieces in running order, or null, as in a job's result.
    `order` names trains in the order in which their routes are listed, for the rare case that it matters.
    """
    call.read_game(game_id)
    wanted = call.body
    checked = call.services.rules.check_routes(
        pb.CheckRoutesRequest(
            game_id=game_id,
            version=wanted.version,
            corporation=wanted.corporation,
            routes_json=msgspec.json.encode(wanted.routes),
            order=wanted.order,
        )
    )
    return answer(convert.checked_routes(checked))


def _wait() -> float:
    match = _WAIT.search(request.headers.get("Prefer", ""))
    return min(float(match[1]), MAX_WAIT) if match else 0.0


def _job(job: schemas.Job, pending: int) -> Response:
    headers = {"Cache-Control": "no-store"}
    is_over = job.state in ENDED
    if not is_over:
        headers |= {"Location": f"/api/v1/jobs/{job.id}", "Retry-After": "1"}
    if "wait" in request.headers.get("Prefer", "").lower():
        headers["Preference-Applied"] = f"wait={_wait():g}"
    return answer(job, 200 if is_over else pending, headers=headers)
