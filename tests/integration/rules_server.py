"""The rules service as real processes, and a client of it."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import grpc
import msgspec

from protos.roundhouse.v1 import rules_pb2 as pb
from protos.roundhouse.v1 import rules_pb2_grpc
from services.devstack.processes import Child
from services.devstack.readiness import grpc_serving
from services.devstack.redis_server import free_port

SERVICE = "roundhouse.v1.RulesService"
SEATS = [pb.PlayerSeat(id=str(number), name=f"Player {number}") for number in (1, 2, 3)]


class RulesServer:
    """A supervisor with its workers on a port of our own."""

    def __init__(self, redis_url: str, folder: Path, **env: str) -> None:
        self.address = f"127.0.0.1:{free_port()}"
        self.child = Child(
            "rules",
            [sys.executable, "-m", "services.cli", "serve", "rules"],
            env={
                "REDIS_URL": redis_url,
                "ROUNDHOUSE_RULES_LISTEN": self.address,
                "ROUNDHOUSE_RULES_PROCESSES": "2",
                "ROUNDHOUSE_REDIS_TIMEOUT": "2",
                **env,
            },
            log=folder / "rules.log",
        )

    def start(self, seconds: float = 60.0) -> None:
        """Start and wait for the health check."""
        self.child.start()
        self.wait_for(serving=True, seconds=seconds)

    def wait_for(self, *, serving: bool, seconds: float = 60.0) -> None:
        """Return when the health check says so."""
        probe = grpc_serving(self.address, SERVICE)
        deadline = time.monotonic() + seconds
        while probe() is not serving:
            assert self.child.exit_code is None, self.child.last_lines(40)
            assert time.monotonic() < deadline, self.child.last_lines(40)
            time.sleep(0.05)

    def workers(self) -> list[int]:
        """Process ids of the workers."""
        path = Path(f"/proc/{self.child.pid}/task/{self.child.pid}/children")
        return [int(pid) for pid in path.read_text().split()] if path.exists() else []

    def kill_worker(self, pid: int) -> None:
        """SIGKILL one worker that :meth:`workers` named."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)

    def client(self) -> RulesClient:
        """A client with a connection of its own."""
        return RulesClient(self.address)


class RulesClient:
    """Calls with less ceremony; errors are ``grpc.RpcError``."""

    def __init__(self, address: str) -> None:
        options = [
            ("grpc.use_local_subchannel_pool", 1),
            ("grpc.initial_reconnect_backoff_ms", 100),
            ("grpc.max_reconnect_backoff_ms", 500),
        ]
        self.channel = grpc.insecure_channel(address, options=options)
        stub: Any = rules_pb2_grpc.RulesServiceStub  # generated without types
        self.stub: Any = stub(self.channel)

    def create(self, key: str = "", **fields: Any) -> pb.GameSummary:
        """A new game of 1830."""
        fields = {"title": "1830", "players": SEATS, "seed": 1, **fields}
        game: pb.GameSummary = self.stub.CreateGame(pb.CreateGameRequest(idempotency_key=key, **fields), timeout=10)
        return game

    def moves(self, game_id: str, player: str = "") -> tuple[int, list[dict[str, Any]]]:
        """Version and legal moves of a game."""
        reply = self.stub.ListMoves(pb.ListMovesRequest(game_id=game_id, player_id=player), timeout=10)
        return reply.version, msgspec.json.decode(reply.moves_json)

    def submit(self, game_id: str, action: Any, **fields: Any) -> pb.ActionResult:
        """One action."""
        data = action if isinstance(action, bytes) else msgspec.json.encode(action)
        request = pb.SubmitActionRequest(game_id=game_id, action_json=data, **fields)
        result: pb.ActionResult = self.stub.SubmitAction(request, timeout=10)
        return result

    def log(self, game_id: str) -> list[pb.LogEntry]:
        """The whole log of a game."""
        return list(self.stub.GetLog(pb.GetLogRequest(game_id=game_id), timeout=10).entries)


def error_info(error: Any) -> pb.ErrorInfo:
    """The ``ErrorInfo`` that came with an error."""
    found = [value for key, value in error.trailing_metadata() if key == "roundhouse-error-bin"]
    assert len(found) == 1, error
    return pb.ErrorInfo.FromString(found[0])


def actions_of(entries: Iterable[pb.LogEntry]) -> list[dict[str, Any]]:
    """Actions of log entries."""
    return [msgspec.json.decode(entry.action_json) for entry in entries]
