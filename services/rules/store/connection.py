"""The connection to Redis: pool, scripts, confirmation by replicas, and one error for everything that goes
wrong.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from hashlib import sha1
from importlib.resources import files
from typing import Any

import redis.asyncio as aioredis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import BusyLoadingError, NoScriptError, RedisError, ResponseError
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import TimeoutError as RedisTimeoutError

from services.rules.store.errors import StoreUnavailable
from services.rules.store.keys import PROBE

Argument = bytes | str | int

PROBE_SECONDS = 60
"""How long the key of :meth:`Connection.probe` lives."""


class Script:
    """A Lua script of this package, sent by its digest once Redis knows it."""

    def __init__(self, name: str) -> None:
        self.text = files("services.rules.store").joinpath(name).read_text(encoding="utf-8")
        self.digest = sha1(self.text.encode(), usedforsecurity=False).hexdigest()


class Connection:
    """A pool of connections to one Redis primary.

    ``min_replicas`` replicas must confirm every write within ``replica_timeout`` seconds (0: none are asked).
    """

    def __init__(
        self,
        url: str,
        *,
        timeout: float = 5.0,
        min_replicas: int = 0,
        replica_timeout: float = 1.0,
        connections: int = 32,
    ) -> None:
        def client(repeat: int) -> Any:
            pool: Any = aioredis.BlockingConnectionPool.from_url(
                url,
                max_connections=connections,
                timeout=timeout,
                socket_timeout=timeout,
                socket_connect_timeout=timeout,
                socket_keepalive=True,
                retry=Retry(NoBackoff(), repeat),
            )
            return aioredis.Redis(connection_pool=pool)

        self._reader = client(1)
        self._writer = client(0)
        self._min_replicas = min_replicas
        self._replica_timeout = round(replica_timeout * 1000)

    async def close(self) -> None:
        """Close every connection."""
        for client in (self._reader, self._writer):
            await client.aclose()
            await client.connection_pool.disconnect()

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[Any]:
        """The client, for commands that change nothing; what goes wrong raises :class:`StoreUnavailable`."""
        try:
            yield self._reader
        except (RedisError, OSError) as error:
            raise StoreUnavailable(f"the store cannot be reached: {_describe(error)}") from error

    async def write(self, script: Script, keys: Sequence[str], arguments: Sequence[Argument]) -> Any:
        """Run a script that writes; raises :class:`StoreUnavailable`.

        It is repeated once after a broken connection: the scripts recognize what they have done already.
        When replicas must confirm, WAIT follows on the same connection in the same round trip.
        """
        try:
            reply = await self._evaluate(script, keys, arguments)
        except (RedisConnectionError, RedisTimeoutError, OSError) as first:
            maybe = not _never_sent(first)
            try:
                reply = await self._evaluate(script, keys, arguments)
            except (RedisError, OSError) as error:
                maybe = maybe or not _never_sent(error)
                message = f"the store cannot be reached: {_describe(error)}"
                raise StoreUnavailable(message, maybe_written=maybe) from error
        except RedisError as error:
            raise StoreUnavailable(f"the store refuses to write: {_describe(error)}", refused=True) from error
        if not self._min_replicas:
            return reply
        reply, confirmed = reply
        self._check(confirmed)
        return reply

    def _check(self, confirmed: int) -> None:
        if confirmed < self._min_replicas:
            raise StoreUnavailable(
                f"only {confirmed} of {self._min_replicas} replicas confirmed the write in time",
                maybe_written=True,
            )

    async def probe(self) -> None:
        """Return when a write would succeed; raises :class:`StoreUnavailable` saying why it would not.

        Redis can answer and still refuse to write: a replica, a full disk or memory, too few replicas of its own. The
        only question that covers everything is a write, of one small key that expires. (Before version 7 Redis lets
        scripts write without `min-replicas-to-write`; its operator does not want that, so it is reported all the same.)
        """
        try:
            await self._writer.set(PROBE, 1, ex=PROBE_SECONDS)
        except ResponseError as error:
            raise StoreUnavailable(f"the store refuses to write: {_describe(error)}", refused=True) from error
        except (RedisError, OSError) as error:
            raise StoreUnavailable(f"the store cannot be reached: {_describe(error)}") from error
        await self.confirm()

    async def confirm(self) -> None:
        """Have the replicas confirm everything written so far, also by others; raises :class:`StoreUnavailable`.

        WAIT is about what its own connection wrote, hence the write.
        """
        if self._min_replicas:
            async with self.reading() as redis, redis.pipeline(transaction=False) as pipe:
                pipe.set("roundhouse:confirm", 1)
                pipe.execute_command("WAIT", self._min_replicas, self._replica_timeout)
                self._check((await pipe.execute())[1])

    async def ask(self, script: Script, keys: Sequence[str], arguments: Sequence[Argument]) -> Any:
        """Run a script that only reads; raises :class:`StoreUnavailable`."""
        async with self.reading() as redis:
            try:
                return await redis.execute_command("EVALSHA", script.digest, len(keys), *keys, *arguments)
            except NoScriptError:
                return await redis.execute_command("EVAL", script.text, len(keys), *keys, *arguments)

    async def _evaluate(self, script: Script, keys: Sequence[str], arguments: Sequence[Argument]) -> Any:
        try:
            return await self._run("EVALSHA", script.digest, keys, arguments)
        except NoScriptError:
            return await self._run("EVAL", script.text, keys, arguments)

    async def _run(self, command: str, script: str, keys: Sequence[str], arguments: Sequence[Argument]) -> Any:
        if not self._min_replicas:
            return await self._writer.execute_command(command, script, len(keys), *keys, *arguments)
        async with self._writer.pipeline(transaction=False) as pipe:
            pipe.execute_command(command, script, len(keys), *keys, *arguments)
            pipe.execute_command("WAIT", self._min_replicas, self._replica_timeout)
            return await pipe.execute()


def _never_sent(error: Exception) -> bool:
    """Whether the command cannot have reached Redis: there was no connection to send it on."""
    return isinstance(error, BusyLoadingError) or "connecting to" in str(error)


def _describe(error: Exception) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
