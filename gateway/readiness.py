"""Whether this process can serve: the rules service is ready, and Redis takes writes.

Redis can answer and still refuse to write (a replica, a full disk, no memory left), so it is asked by writing a small
key that expires. Answers are kept for a moment: however many ask, Redis is written to once a second at most.
"""

from __future__ import annotations

import threading
import time

import grpc
import redis
from grpc_health.v1 import health_pb2, health_pb2_grpc

from gateway.rules import RulesClient

OK = "ok"
SERVICE = "roundhouse.v1.RulesService"
KEPT_SECONDS = 1.0
CALL_SECONDS = 2.0
_PROBE = "gateway:probe"
_PROBE_SECONDS = 60


class Readiness:
    """Asks the services behind the gateway."""

    def __init__(self, client: redis.Redis, rules: RulesClient) -> None:
        self._redis = client
        self._rules = rules
        self._lock = threading.Lock()
        self._found: dict[str, str] = {}
        self._until = 0.0

    def checks(self) -> dict[str, str]:
        """For each service `OK` or what is wrong with it."""
        with self._lock:
            if time.monotonic() >= self._until:
                self._found = {"rules": self._check_rules(), "redis": self._check_redis()}
                self._until = time.monotonic() + KEPT_SECONDS
            return dict(self._found)

    def _check_rules(self) -> str:
        try:
            stub = health_pb2_grpc.HealthStub(self._rules.channel)
            state = stub.Check(health_pb2.HealthCheckRequest(service=SERVICE), timeout=CALL_SECONDS).status
        except grpc.RpcError as error:
            return f"the rules service cannot be reached ({error.code().name})"
        if state != health_pb2.HealthCheckResponse.SERVING:
            return "the rules service says that games cannot be written (its log has the reason)"
        return OK

    def _check_redis(self) -> str:
        try:
            self._redis.set(_PROBE, 1, ex=_PROBE_SECONDS)
        except redis.ResponseError as error:
            return f"Redis refuses to write ({error})"
        except redis.RedisError as error:
            return f"Redis cannot be reached ({type(error).__name__})"
        return OK
