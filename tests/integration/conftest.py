"""A real Redis, and games of a simple kind kept in it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

import pytest
import redis

from services.devstack.processes import Child
from services.devstack.redis_server import free_port, redis_command, wait_for_redis
from services.rules.games import Games
from services.rules.store.connection import Connection
from services.rules.store.redis_store import RedisStore
from tests.integration.counting import CountingEngine
from tests.integration.rules_server import RulesServer


class RedisServer:
    """A Redis process of our own that can be killed and comes back with what it wrote."""

    def __init__(self, folder: Path, *, fsync: str = "always") -> None:
        self.port = free_port()
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self.child = Child("redis", redis_command(self.port, folder, fsync=fsync), log=folder / "redis.log")

    def start(self) -> None:
        self.child.start()
        wait_for_redis(self.url)

    def client(self) -> Any:
        return redis.Redis.from_url(self.url)


@pytest.fixture(scope="session")
def shared_redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    server = RedisServer(tmp_path_factory.mktemp("redis"), fsync="no")
    server.start()
    yield server
    server.child.kill()


@pytest.fixture
def redis_server(shared_redis: RedisServer) -> RedisServer:
    """An empty Redis."""
    shared_redis.client().flushall()
    return shared_redis


@pytest.fixture
def own_redis(tmp_path: Path) -> Iterator[RedisServer]:
    """A Redis that the test may kill."""
    server = RedisServer(tmp_path)
    server.start()
    yield server
    server.child.kill()


def make_games(server: RedisServer, *, timeout: float = 5.0) -> Games:
    """What one service process has; several of them share a Redis as several processes do."""
    store = RedisStore(Connection(server.url, timeout=timeout), lifetime=60)
    return Games(store, CountingEngine())


Run = Callable[[Coroutine[Any, Any, Any]], Any]


@pytest.fixture
def run() -> Iterator[Run]:
    """Runs a coroutine on a loop that lives as long as the test."""
    with asyncio.Runner() as runner:
        yield runner.run


@pytest.fixture(scope="module")
def rules_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RulesServer]:
    """The rules service with a Redis of its own."""
    folder = tmp_path_factory.mktemp("rules")
    store = RedisServer(folder, fsync="no")
    store.start()
    server = RulesServer(store.url, folder)
    try:
        server.start()
        yield server
    finally:
        server.child.stop()
        store.child.kill()
