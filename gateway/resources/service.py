"""The service itself: health, metrics, the API's description and its problems."""

from __future__ import annotations

from flask import Response

from gateway import problems, schemas
from gateway.operations import Call, answer, operation
from gateway.readiness import OK

TAG = "Service"


@operation("GET", "/healthz", tag=TAG, scope=None, returns={200: schemas.Health}, limited=False)
def get_health(call: Call[None, None]) -> Response:
    """Say whether the gateway process lives."""
    return answer(schemas.Health(status="ok"))


@operation(
    "GET",
    "/readyz",
    tag=TAG,
    scope=None,
    returns={200: schemas.Health},
    problems=("unavailable",),
    limited=False,
)
def get_readiness(call: Call[None, None]) -> Response:
    """Say whether the gateway can serve: the rules service answers, and Redis takes writes.

    The answer may be a second old. `details` of the problem document has the reason for each part that fails.
    """
    checks = call.services.readiness.checks()
    failing = [f"{name}: {state}" for name, state in checks.items() if state != OK]
    if failing:
        problem = problems.unavailable(f"Not ready. {'; '.join(failing)}.", "not_ready")
        problem.details = checks
        raise problem
    return answer(schemas.Health(status=OK, checks=checks))


@operation(
    "GET",
    "/metrics",
    tag=TAG,
    scope=None,
    returns={200: {"text/plain": "Counters of this process."}},
    limited=False,
)
def get_metrics(call: Call[None, None]) -> Response:
    """Counters in the text format of Prometheus."""
    page = call.services.metrics.render(call.services.hub.streams)
    return Response(page, content_type="text/plain; version=0.0.4; charset=utf-8")


@operation("GET", "/problems", tag=TAG, scope=None, returns={200: list[schemas.ProblemKind]})
def list_problems(call: Call[None, None]) -> Response:
    """List the types of problem documents."""
    return answer([_kind(kind) for kind in problems.KINDS.values()])


@operation(
    "GET",
    "/problems/{kind}",
    tag=TAG,
    scope=None,
    returns={200: schemas.ProblemKind},
    problems=("not-found",),
)
def get_problem(call: Call[None, None], kind: str) -> Response:
    """Explain a type of problem documents."""
    if kind not in problems.KINDS:
        raise problems.Problem("not-found", "There is no such type of problem.")
    return answer(_kind(problems.KINDS[kind]))


def _kind(kind: problems.Kind) -> schemas.ProblemKind:
    return schemas.ProblemKind(
        type=problems.PREFIX + kind.name, status=kind.status, title=kind.title, meaning=kind.meaning
    )
