"""The whole stack under actions: round trips over HTTP, actions a second, memory of a game in Redis.

    python -m tests.bench.service_bench [--clients 8] [--actions 300]

starts everything as ``make run`` does, in a folder and on ports of its own, and plays games whose moves were chosen
beforehand, so that only the service is measured. The clients run on the same machine and share its processors.
"""

from __future__ import annotations

import argparse
import http.client
import json
import tempfile
import threading
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import redis

from services.devstack.config import StackConfig
from services.devstack.stack import Stack, clean_environment
from services.rules.bot import Bot
from services.rules.titles import new_game

SEATS = [(1, "Ann"), (2, "Bob"), (3, "Cem"), (4, "Dora")]


def planned_actions(count: int) -> list[dict[str, Any]]:
    """The first actions of a bots' game of 1830 that goes on for longer than ``count``."""
    for seed in range(1, 50):
        game, bot = new_game("1830", SEATS, seed=1), Bot(seed)
        actions: list[dict[str, Any]] = []
        while not game.finished and len(actions) < count:
            action = bot.choose(game.moves(), trading=game.round.kind != "operating")
            game.apply(action)
            actions.append(action)
        if len(actions) == count:
            return actions
    raise RuntimeError(f"no bots' game of 1830 has {count} actions")


class Client(threading.Thread):
    """Plays one game; ``times`` are the seconds of every action's round trip."""

    def __init__(self, url: str, token: str, actions: list[dict[str, Any]]) -> None:
        super().__init__()
        address = urlsplit(url)
        assert address.hostname and address.port
        self.times: list[float] = []
        self._connection = http.client.HTTPConnection(address.hostname, address.port)
        self._headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        self._actions = actions
        seats = [{"id": player, "name": name} for player, name in SEATS]
        self.game = self.post("/games", {"title": "1830", "players": seats, "seed": 1})["id"]

    def post(self, path: str, body: Any, **headers: str) -> Any:
        self._connection.request("POST", f"/api/v1{path}", json.dumps(body), {**self._headers, **headers})
        answer = self._connection.getresponse()
        data = answer.read()
        if answer.status >= 400:
            raise RuntimeError(f"{path}: {data.decode()}")
        return json.loads(data)

    def run(self) -> None:
        for version, action in enumerate(self._actions):
            headers = {"If-Match": f'"{version}"', "Idempotency-Key": f"{self.game}-{version}"}
            begin = time.perf_counter()
            self.post(f"/games/{self.game}/actions", action, **headers)
            self.times.append(time.perf_counter() - begin)


def play(stack: Stack, token: str, clients: int, actions: list[dict[str, Any]]) -> tuple[float, list[float]]:
    """Seconds that so many games at once took, and every round trip, ascending."""
    threads = [Client(stack.url, token, actions) for _ in range(clients)]
    begin = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return time.perf_counter() - begin, sorted(seconds for thread in threads for seconds in thread.times)


def memory(stack: Stack) -> tuple[float, float]:
    """KB of Redis memory for a game, and for one idempotency key (forgotten after a day)."""
    client: Any = redis.Redis.from_url(stack.redis_url)
    games = client.zcard("roundhouse:games")
    sizes = {key: client.memory_usage(key, samples=0) for key in client.scan_iter("*")}
    keys = [size for key, size in sizes.items() if b":idem:" in key]
    ours = sum(size for key, size in sizes.items() if key.startswith((b"{game:", b"roundhouse:")))
    return (ours - sum(keys)) / games / 1024, sum(keys) / max(1, len(keys)) / 1024


def measure(clients: int, actions: list[dict[str, Any]], fsync: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        environment = clean_environment(Path(folder)) | {"ROUNDHOUSE_REDIS_FSYNC": fsync}
        stack = Stack(StackConfig.from_env(environment), {"ROUNDHOUSE_RATE_LIMIT": "0"})
        stack.start()
        try:
            token = (stack.data / "gateway" / "operator-token").read_text().strip()
            play(stack, token, 2, actions[:50])
            print(f"appendfsync {fsync}")
            for count in (1, clients):
                seconds, times = play(stack, token, count, actions)
                p50, p99 = (times[int(len(times) * part)] * 1e3 for part in (0.5, 0.99))
                rate = len(times) / seconds
                print(f"  {count} clients: round trip p50 {p50:.1f} ms, p99 {p99:.1f} ms; {rate:.0f} actions a second")
            game, key = memory(stack)
            print(f"  Redis memory: {game:.1f} KB a game ({len(actions)} actions), {key:.2f} KB an idempotency key")
        finally:
            stack.stop()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--actions", type=int, default=300)
    options = parser.parse_args()
    actions = planned_actions(options.actions)
    print("Budgets: p50 < 8 ms and p99 < 30 ms with one client; > 400 actions a second; < 50 KB a game")
    for fsync in ("always", "no"):
        measure(options.clients, actions, fsync)


if __name__ == "__main__":
    main()
