"""Configuration of the rules service, from environment variables."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import get_type_hints

import msgspec

_KINDS = {"int": "a whole number", "float": "a number"}


class ConfigError(Exception):
    """An environment variable has a value that makes no sense."""


class RulesConfig(msgspec.Struct, frozen=True):
    """See the table of the README; times in seconds."""

    redis_url: str = "redis://127.0.0.1:6379/0"
    listen: str = "127.0.0.1:50051"
    processes: int = 2
    cached_games: int = 128
    idempotency_seconds: int = 86400
    min_replicas: int = 0
    replica_timeout: float = 1.0
    redis_timeout: float = 5.0
    grace: float = 10.0
    import_seconds: float = 20.0

    @classmethod
    def from_env(cls, env: Mapping[str, str] = os.environ) -> RulesConfig:
        """Read every variable that is set; raises :class:`ConfigError` naming the one that is wrong."""
        given = {field: env[name] for field, name in VARIABLES.items() if env.get(name)}
        try:
            config = msgspec.convert(given, cls, strict=False)
        except msgspec.ValidationError as error:
            field = str(error).rpartition("$.")[2].rstrip("`")
            kind = _KINDS.get(str(get_type_hints(cls)[field].__name__), "valid")
            raise ConfigError(f"{VARIABLES[field]} must be {kind}, not {given[field]!r}") from error
        for field in ("processes", "cached_games", "idempotency_seconds"):
            if getattr(config, field) < 1:
                raise ConfigError(f"{VARIABLES[field]} must be at least 1")
        if not config.import_seconds > 0:
            raise ConfigError(f"{VARIABLES['import_seconds']} must be above 0")
        host, _, port = config.listen.rpartition(":")
        if not host or not port.isdigit() or int(port) > 65535:
            raise ConfigError(f"{VARIABLES['listen']} must be an address like 127.0.0.1:50051, not {config.listen}")
        if config.min_replicas < 0:
            raise ConfigError(f"{VARIABLES['min_replicas']} must not be negative")
        return config


VARIABLES = {
    "redis_url": "REDIS_URL",
    "listen": "ROUNDHOUSE_RULES_LISTEN",
    "processes": "ROUNDHOUSE_RULES_PROCESSES",
    "cached_games": "ROUNDHOUSE_CACHED_GAMES",
    "idempotency_seconds": "ROUNDHOUSE_IDEMPOTENCY_SECONDS",
    "min_replicas": "ROUNDHOUSE_REDIS_MIN_REPLICAS",
    "replica_timeout": "ROUNDHOUSE_REDIS_REPLICA_TIMEOUT",
    "redis_timeout": "ROUNDHOUSE_REDIS_TIMEOUT",
    "grace": "ROUNDHOUSE_GRACE",
    "import_seconds": "ROUNDHOUSE_IMPORT_SECONDS",
}
"""Field of :class:`RulesConfig` to its environment variable."""
