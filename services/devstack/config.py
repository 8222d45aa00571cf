"""Configuration of the development stack, from the environment."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import msgspec


class StackError(Exception):
    """The stack cannot be started; the message says why and what to do."""


class StackConfig(msgspec.Struct, frozen=True):
    """See the table of the README. ``redis_url`` empty: start the embedded server on ``redis_port``.

    Port 0 means any free one.
    """

    data: Path
    redis_url: str = ""
    redis_port: int = 6390
    redis_fsync: str = "always"
    rules_listen: str = "127.0.0.1:50051"
    gateway_listen: str = "127.0.0.1:8000"
    gateway_workers: int = 2
    routing_processes: int = 1

    @classmethod
    def from_env(cls, env: Mapping[str, str] = os.environ) -> StackConfig:
        """Read every variable that is set; raises :class:`StackError` naming the one that is wrong."""
        given = {field: env[name] for field, name in VARIABLES.items() if env.get(name)}
        given.setdefault("data", "data")
        try:
            config = msgspec.convert(given, cls, strict=False, dec_hook=lambda kind, value: kind(value))
        except msgspec.ValidationError as error:
            field = str(error).rpartition("$.")[2].rstrip("`")
            raise StackError(f"{VARIABLES.get(field, field)}: {error}") from error
        if config.redis_fsync not in ("always", "everysec", "no"):
            raise StackError(f"{VARIABLES['redis_fsync']} must be always, everysec or no, not {config.redis_fsync}")
        return config


VARIABLES = {
    "data": "ROUNDHOUSE_DATA",
    "redis_url": "REDIS_URL",
    "redis_port": "ROUNDHOUSE_REDIS_PORT",
    "redis_fsync": "ROUNDHOUSE_REDIS_FSYNC",
    "rules_listen": "ROUNDHOUSE_RULES_LISTEN",
    "gateway_listen": "ROUNDHOUSE_GATEWAY_LISTEN",
    "gateway_workers": "ROUNDHOUSE_GATEWAY_WORKERS",
    "routing_processes": "ROUNDHOUSE_ROUTING_PROCESSES",
}
"""Field of :class:`StackConfig` to its environment variable."""
