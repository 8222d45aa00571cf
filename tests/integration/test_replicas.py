"""Writes that replicas must confirm."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest

from services.rules.games import Games, Request
from services.rules.store.connection import Connection
from services.rules.store.errors import StoreUnavailable
from services.rules.store.records import Idempotency
from services.rules.store.redis_store import RedisStore
from tests.integration.conftest import RedisServer, Run
from tests.integration.counting import CountingEngine
from tests.integration.test_store import add, new_game, total


def test_an_action_is_acknowledged_only_when_a_replica_has_it(
    own_redis: RedisServer, tmp_path_factory: pytest.TempPathFactory, run: Run
) -> None:
    replica = RedisServer(tmp_path_factory.mktemp("replica"))
    replica.start()
    replica.client().replicaof("127.0.0.1", own_redis.port)
    while replica.client().info("replication")["master_link_status"] != "up":
        time.sleep(0.05)

    async def body() -> None:
        store = RedisStore(Connection(own_redis.url, min_replicas=1, replica_timeout=0.3))
        games = Games(store, CountingEngine())
        game_id = await new_game(games)
        await games.submit(Request(game_id), add(1, 5))
        assert await total(Games(RedisStore(Connection(replica.url)), CountingEngine()), game_id) == 5
        replica.child.kill()
        request = Request(game_id, expected=1, idempotency=Idempotency("key", b"a"))
        for _ in range(2):
            with pytest.raises(StoreUnavailable) as unconfirmed:
                await games.submit(request, add(2, 7))
            assert unconfirmed.value.maybe_written
        replica.start()
        replica.client().replicaof("127.0.0.1", own_redis.port)
        while own_redis.client().info("replication").get("slave0", {}).get("state") != "online":
            await asyncio.sleep(0.05)
        answer = await games.submit(request, add(2, 7))
        assert (answer.head.version, await total(games, game_id)) == (2, 12)

    try:
        run(body())
    finally:
        replica.child.kill()


def test_what_was_acknowledged_is_there_after_redis_was_killed(tmp_path: Path, run: Run) -> None:
    server = RedisServer(tmp_path)
    server.start()

    async def body() -> None:
        games = Games(RedisStore(Connection(server.url, timeout=1.0)), CountingEngine())
        game_id = await new_game(games)
        expected = 0
        for round_number in range(5):
            for _ in range(20):
                expected += 1
                acting = int((await games.store.meta(game_id))[0].head.acting[0])
                await games.submit(Request(game_id), add(acting))
            server.child.kill()
            server.start()
            assert await total(games, game_id) == expected, round_number

    try:
        run(body())
    finally:
        server.child.kill()
