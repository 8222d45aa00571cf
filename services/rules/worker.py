"""One process of the rules service: the gRPC server and everything it needs."""

from __future__ import annotations

import asyncio
import logging
import time
from typing import Any

import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from protos.roundhouse.v1 import rules_pb2, rules_pb2_grpc
from services.rules.config import RulesConfig
from services.rules.games import Games
from services.rules.rulebook import Rulebook
from services.rules.servicer import RulesServicer
from services.rules.store.connection import Connection
from services.rules.store.errors import StoreUnavailable
from services.rules.store.redis_store import RedisStore
from services.rules.watch import WatchHub

_log = logging.getLogger("roundhouse.rules")

SERVICE = "roundhouse.v1.RulesService"
CHECK_EVERY = 2.0
CHECK_SECONDS = 2.0
"""How often a store that works is checked, and how long that may take."""

MAX_MESSAGE = 16 * 1024 * 1024

OPTIONS = [
    ("grpc.so_reuseport", 1),
    ("grpc.max_receive_message_length", MAX_MESSAGE),
    ("grpc.max_send_message_length", MAX_MESSAGE),
    ("grpc.keepalive_time_ms", 30_000),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.min_ping_interval_without_data_ms", 5_000),
    ("grpc.http2.max_ping_strikes", 0),
]


class Worker:
    """A gRPC server on ``address`` with health and reflection.

    The health of ``roundhouse.v1.RulesService`` says whether Redis would write (readiness), that of the server itself
    ("") does not (liveness: starting a process anew does not bring Redis back).
    """

    def __init__(self, config: RulesConfig, address: str) -> None:
        self._grace = config.grace
        connection = Connection(
            config.redis_url,
            timeout=config.redis_timeout,
            min_replicas=config.min_replicas,
            replica_timeout=config.replica_timeout,
        )
        rulebook = Rulebook()
        store = RedisStore(connection, lifetime=config.idempotency_seconds)
        self._store = store
        self._hub = WatchHub(config.redis_url)
        self._games = Games(store, rulebook, cached=config.cached_games)
        self.servicer = RulesServicer(self._games, rulebook, self._hub, import_seconds=config.import_seconds)
        self._health = health.aio.HealthServicer()
        self._healthy: bool | None = None
        self._checked = 0.0
        self._server: Any = grpc.aio.server(options=OPTIONS)
        register: Any = rules_pb2_grpc.add_RulesServiceServicer_to_server
        register(self.servicer, self._server)
        health_pb2_grpc.add_HealthServicer_to_server(self._health, self._server)
        names = (rules_pb2.DESCRIPTOR.services_by_name["RulesService"].full_name, health.SERVICE_NAME)
        reflection.enable_server_reflection((*names, reflection.SERVICE_NAME), self._server)
        self._server.add_insecure_port(address)

    async def start(self) -> None:
        """Begin to serve."""
        await self._health.set("", health_pb2.HealthCheckResponse.ServingStatus.SERVING)
        await self.check()
        await self._server.start()

    async def check(self) -> None:
        """Look whether Redis would write, and report it as our health; while it does, not at every call."""
        if self._healthy and time.monotonic() - self._checked < CHECK_EVERY:
            return
        self._checked = time.monotonic()
        reason = ""
        try:
            await asyncio.wait_for(self._store.probe(), CHECK_SECONDS)
        except StoreUnavailable as error:
            reason = str(error)
        except TimeoutError:
            reason = f"the store did not answer within {CHECK_SECONDS:g} s"
        healthy = not reason
        if healthy == self._healthy:
            return
        self._healthy = healthy
        _log.log(logging.INFO if healthy else logging.ERROR, "%s", reason or "the store writes")
        status = health_pb2.HealthCheckResponse.ServingStatus
        await self._health.set(SERVICE, status.SERVING if healthy else status.NOT_SERVING)

    async def stop(self) -> None:
        """Refuse new requests, end streams, finish requests in progress, close everything."""
        await self._health.enter_graceful_shutdown()
        stopped = asyncio.ensure_future(self._server.stop(self._grace))
        self._hub.end()
        await stopped
        await asyncio.gather(*self.servicer.running, return_exceptions=True)
        await self._games.settle()
        await self._hub.close()
        await self._store.connection.close()
