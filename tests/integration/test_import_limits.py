"""Imports end in time: after their limit, and when nobody waits for them any more. Nothing is half stored."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest

from protos.roundhouse.v1 import rules_pb2 as pb
from protos.roundhouse.v1 import rules_pb2_grpc
from services.devstack.redis_server import free_port
from services.rules import recorded, servicer
from services.rules.config import RulesConfig
from services.rules.patience import Patience
from services.rules.worker import Worker
from tests.integration.conftest import RedisServer, Run
from tests.integration.rules_server import RulesServer, error_info

GAME = (Path(__file__).resolve().parents[1] / "data" / "games" / "1830" / "gen-02.json").read_bytes()


class Stalled:
    """Replays that hang after their first action until they are let go."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.begun = threading.Semaphore(0)
        self.go_on = threading.Event()
        self.actions = 0
        self._replay = recorded.replay
        monkeypatch.setattr(recorded, "replay", self.replay)

    def replay(self, *arguments: Any) -> Iterator[Any]:
        for number, applied in enumerate(self._replay(*arguments)):
            self.actions += 1
            yield applied
            if not number:
                self.begun.release()
                assert self.go_on.wait(30)


class Service:
    """One process's service on a loop of the test."""

    def __init__(self, url: str, **settings: Any) -> None:
        self.address = f"127.0.0.1:{free_port()}"
        self.worker = Worker(RulesConfig(redis_url=url, **settings), self.address)

    async def __aenter__(self) -> Any:
        await self.worker.start()
        self.channel = grpc.aio.insecure_channel(self.address)
        stub: Any = rules_pb2_grpc.RulesServiceStub
        return stub(self.channel)

    async def __aexit__(self, *_: object) -> None:
        await self.channel.close()
        await self.worker.stop()


def keys(server: RedisServer) -> list[bytes]:
    """Everything in Redis but what probes leave."""
    return sorted(key for key in server.client().scan_iter() if key != b"roundhouse:probe")


def test_an_import_over_its_time_is_given_up_and_leaves_nothing(redis_server: RedisServer, tmp_path: Path) -> None:
    server = RulesServer(redis_server.url, tmp_path, ROUNDHOUSE_IMPORT_SECONDS="0.001")
    server.start()
    try:
        with pytest.raises(grpc.RpcError) as caught:
            server.client().stub.ImportGame(pb.ImportGameRequest(game_json=GAME, idempotency_key="k"))
        error: Any = caught.value
        assert error.code() is grpc.StatusCode.DEADLINE_EXCEEDED
        info = error_info(error)
        assert info.code == "too_slow"
        assert "0.001 s" in info.message and "nothing was kept" in info.message
        assert keys(redis_server) == []
    finally:
        server.child.stop()


@pytest.mark.parametrize("way", ["cancel", "deadline", "hang up"])
def test_an_import_nobody_waits_for_stops(
    redis_server: RedisServer, run: Run, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    stalled, gone = Stalled(monkeypatch), threading.Event()
    give_up = Patience.give_up

    def noticed(patience: Patience) -> None:
        give_up(patience)
        gone.set()

    monkeypatch.setattr(Patience, "give_up", noticed)

    async def body() -> None:
        service = Service(redis_server.url)
        async with service as stub:
            timeout = 1.0 if way == "deadline" else None
            call = stub.ImportGame(pb.ImportGameRequest(game_json=GAME), timeout=timeout)
            task = asyncio.ensure_future(call)
            await asyncio.to_thread(stalled.begun.acquire)
            if way == "cancel":
                call.cancel()
            elif way == "hang up":
                await service.channel.close()
            with pytest.raises((asyncio.CancelledError, grpc.RpcError)):
                await task
            running = service.worker.servicer.running
            await asyncio.to_thread(gone.wait, 30)
            assert running, "the thread still is in its action"
            stalled.go_on.set()
            await asyncio.wait(running, timeout=30)
            assert not running
        assert stalled.actions == 2, "it stops at the next action"
        assert keys(redis_server) == []

    run(body())


def test_imports_wait_for_each_other_and_not_for_ever(
    redis_server: RedisServer, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    stalled = Stalled(monkeypatch)

    async def body() -> None:
        async with Service(redis_server.url) as stub:
            going = [
                asyncio.ensure_future(stub.ImportGame(pb.ImportGameRequest(game_json=GAME)))
                for _ in range(servicer.IMPORTS)
            ]
            for _ in going:
                await asyncio.to_thread(stalled.begun.acquire)
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await stub.ImportGame(pb.ImportGameRequest(game_json=GAME), timeout=0.3)
            assert caught.value.code() is grpc.StatusCode.DEADLINE_EXCEEDED
            stalled.go_on.set()
            imported = await asyncio.gather(*going)
            assert len({game.game_id for game in imported}) == servicer.IMPORTS
            listed = await stub.ListGames(pb.ListGamesRequest())
            assert len(listed.games) == servicer.IMPORTS

    run(body())
