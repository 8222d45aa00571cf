"""The service itself: health, metrics, the API's description and its problems."""

from __future__ import annotations

import grpc
import redis
from flask import Response
from grpc_health.v1 import health_pb2, health_pb2_grpc

from gateway import problems, schemas
from gateway.operations import Call, Services, answer, operation

TAG = "Service"
CHECK_SECONDS = 2.0


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
    """Say whether the gateway can serve: the rules service and Redis can be reached."""
    checks = {"rules": _check_rules(call.services), "redis": _check_redis(call.services)}
    if any(state != "ok" for state in checks.values()):
        failing = " and ".join(name for name, state in checks.items() if state != "ok")
        problem = problems.unavailable(f"Cannot be reached: {failing}.", "not_ready")
        problem.details = checks
        raise problem
    return answer(schemas.Health(status="ok", checks=checks))


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


def _check_rules(services: Services) -> str:
    try:
        stub = health_pb2_grpc.HealthStub(services.rules.channel)
        state = stub.Check(health_pb2.HealthCheckRequest(), timeout=CHECK_SECONDS).status
    except grpc.RpcError as error:
        return str(error.code().name)
    return "ok" if state == health_pb2.HealthCheckResponse.SERVING else "NOT_SERVING"


def _check_redis(services: Services) -> str:
    try:
        services.redis.ping()
    except redis.RedisError as error:
        return type(error).__name__
    return "ok"
