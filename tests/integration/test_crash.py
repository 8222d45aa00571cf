"""Processes killed at random under load: what clients were told is what is there.

Clients play random legal moves and repeat a request under its idempotency key until it is answered. Meanwhile workers
of the rules service, its supervisor and Redis itself are killed (SIGKILL) and come back.
"""

from __future__ import annotations

import itertools
import random
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
import msgspec
import pytest

from protos.roundhouse.v1 import rules_pb2 as pb
from services.rules.engine.history import effective_indexes
from services.rules.engine.moves import sample
from services.rules.store import blobs
from services.rules.store.keys import GameKeys
from services.rules.titles import new_game
from tests.integration.conftest import RedisServer
from tests.integration.rules_server import RulesClient, RulesServer, actions_of, error_info

SECONDS = 12.0
PATIENCE = 60.0
PASSING = {grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED, grpc.StatusCode.CANCELLED}


class Player(threading.Thread):
    """Plays a game until told to stop, remembering every acknowledged action by version."""

    def __init__(self, address: str, game_id: str, name: str, stop: threading.Event) -> None:
        super().__init__(name=name)
        self.client = RulesClient(address)
        self.game_id = game_id
        self.rng = random.Random(name)
        self.acknowledged: dict[int, bytes] = {}
        self.conflicts = 0
        self.failure: BaseException | None = None
        self._halt = stop

    def run(self) -> None:
        try:
            count = 0
            while not self._halt.is_set():
                count += 1
                self.play(f"{self.name}-{count}")
        except BaseException as error:
            self.failure = error

    def play(self, key: str) -> None:
        version, moves = self.insist(lambda: self.client.moves(self.game_id))
        if not moves:
            self._halt.wait(0.1)
            return
        kinds = sorted({move["type"] for move in moves} - {"bankrupt"}) or ["bankrupt"]
        kind = self.rng.choice(kinds)
        move = self.rng.choice([move for move in moves if move["type"] == kind])
        action = msgspec.json.encode(sample(move, self.rng))
        try:
            result = self.insist(
                lambda: self.client.submit(self.game_id, action, expected_version=version, idempotency_key=key)
            )
        except grpc.RpcError as error:
            info = error_info(error)
            if info.code == "stale_version":
                self.conflicts += 1
                assert msgspec.json.decode(info.details_json)["version"] > version
            elif error.code() is not grpc.StatusCode.FAILED_PRECONDITION:
                raise
            return
        assert result.summary.version == version + 1
        self.acknowledged[version + 1] = result.action_json

    def insist(self, call: Any) -> Any:
        """Repeat a call while the service is away."""
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                return call()
            except grpc.RpcError as error:
                if error.code() not in PASSING or time.monotonic() > deadline:
                    raise
                time.sleep(0.05)


@pytest.fixture
def service(own_redis: RedisServer, tmp_path: Path) -> Iterator[RulesServer]:
    server = RulesServer(own_redis.url, tmp_path)
    server.start()
    yield server
    server.child.kill()
    for pid in server.workers():
        server.kill_worker(pid)


def havoc(server: RulesServer, store: RedisServer, seconds: float) -> dict[str, int]:
    """Kill something every half second or so; the numbers of kills by victim."""
    rng = random.Random(18)
    kills = dict.fromkeys(("worker", "supervisor", "redis"), 0)
    victims = itertools.cycle(["worker", "worker", "redis", "worker", "supervisor", "worker", "redis"])
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        time.sleep(rng.uniform(0.3, 0.9))
        victim = next(victims)
        kills[victim] += 1
        if victim == "worker" and (workers := server.workers()):
            server.kill_worker(rng.choice(workers))
        elif victim == "supervisor":
            workers = server.workers()
            server.child.kill()
            for pid in workers:
                server.kill_worker(pid)
            server.child.start()
        elif victim == "redis":
            store.child.kill()
            store.start()
    return kills


def check_game(client: RulesClient, store: RedisServer, game: pb.GameSummary, players: list[Player]) -> int:
    """The log is what the players were told, once each, and replays to the stored state; its length."""
    log = client.log(game.game_id)
    assert [entry.version for entry in log] == list(range(1, len(log) + 1))
    told: dict[int, bytes] = {}
    for player in players:
        assert not told.keys() & player.acknowledged.keys(), "two players were told they had won the same version"
        told |= player.acknowledged
    assert told == {entry.version: entry.action_json for entry in log}
    actions = actions_of(log)
    replayed = new_game("1830", [(1, "Player 1"), (2, "Player 2"), (3, "Player 3")], seed=1)
    for index in effective_indexes(actions):
        replayed.replay(actions[index])
    blob = store.client().hget(GameKeys(game.game_id).snaps, "now")
    assert blobs.unpack_state(blob) == replayed.encode()
    return len(log)


def play_through(server: RulesServer, tables: list[list[str]]) -> tuple[list[pb.GameSummary], list[list[Player]], Any]:
    """Games with the named players, who begin to play at once."""
    stop = threading.Event()
    client = server.client()
    games = [client.create() for _ in tables]
    players = [
        [Player(server.address, game.game_id, name, stop) for name in names]
        for game, names in zip(games, tables, strict=True)
    ]
    for table in players:
        for player in table:
            player.start()

    def finish() -> None:
        stop.set()
        for table in players:
            for player in table:
                player.join(PATIENCE * 2)
                assert not player.is_alive()
                if player.failure is not None:
                    raise player.failure

    return games, players, finish


def test_no_acknowledged_action_is_lost_or_doubled_when_processes_are_killed(
    service: RulesServer, own_redis: RedisServer
) -> None:
    games, players, finish = play_through(service, [["ann"], ["bob"], ["cid"], ["dan", "eva"]])
    kills = havoc(service, own_redis, SECONDS)
    service.wait_for(serving=True)
    finish()
    lengths = [check_game(service.client(), own_redis, game, table) for game, table in zip(games, players, strict=True)]
    assert min(lengths) > 0
    assert all(kills.values()), kills


def test_of_two_racing_clients_exactly_one_wins_each_version(service: RulesServer, own_redis: RedisServer) -> None:
    games, players, finish = play_through(service, [["fay", "gus"]])
    time.sleep(4)
    finish()
    assert check_game(service.client(), own_redis, games[0], players[0]) > 10
    assert all(player.acknowledged for player in players[0])
    assert any(player.conflicts for player in players[0])
