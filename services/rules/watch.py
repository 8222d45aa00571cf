"""Live updates: every version written by any process, to every watcher of this one.

Redis announces versions without keeping them, so a lost connection loses announcements. Watchers of one game
notice by the gap in the versions and read the log; after every reconnection the games written meanwhile are
found in an index, and watchers are told to look.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import redis.asyncio as aioredis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from services.rules.clock import milliseconds
from services.rules.store.keys import CHANNEL
from services.rules.store.records import Entry, Meta, Update
from services.rules.store.redis_store import RedisStore, decode_update

_log = logging.getLogger(__name__)

SLACK = 5000
"""Milliseconds that clocks of services and moments of interruption may be apart."""

QUEUE = 1000
"""A watcher that is so many updates behind is dropped."""


class TooSlow(Exception):
    """The watcher does not read fast enough; it has to come back with the version it has."""


class Stopping(Exception):
    """This process stops; the watcher has to connect again."""


class Watcher:
    """Updates of one game, or of all games (``game_id`` empty), as they are announced.

    None in the queue means that announcements may have been lost and the log must be looked at.
    """

    def __init__(self, game_id: str) -> None:
        self.game_id = game_id
        self._queue: asyncio.Queue[Update | None] = asyncio.Queue(QUEUE)
        self._overflow = False
        self._ended = False

    def put(self, update: Update | None) -> None:
        """Hand over an update; remembers when there is no room."""
        try:
            self._queue.put_nowait(update)
        except asyncio.QueueFull:
            self._overflow = True

    def end(self) -> None:
        """Have :meth:`get` raise :class:`Stopping`."""
        self._ended = True
        self.put(None)

    async def get(self) -> Update | None:
        """The next update; raises :class:`TooSlow` and :class:`Stopping`."""
        if self._overflow:
            raise TooSlow
        update = None if self._ended else await self._queue.get()
        if self._ended:
            raise Stopping
        return update


class WatchHub:
    """Listens to Redis while anybody watches and hands announcements on."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._watchers: dict[str, set[Watcher]] = {}
        self._task: asyncio.Task[None] | None = None
        self._listening = asyncio.Event()
        self._ended = False

    @asynccontextmanager
    async def watching(self, game_id: str) -> AsyncIterator[Watcher]:
        """A watcher that misses nothing announced from now on; raises :class:`Stopping` after :meth:`end`."""
        if self._ended:
            raise Stopping
        watcher = Watcher(game_id)
        self._watchers.setdefault(game_id, set()).add(watcher)
        if self._task is None:
            self._task = asyncio.create_task(self._listen())
        try:
            await self._listening.wait()
            yield watcher
        finally:
            group = self._watchers[game_id]
            group.discard(watcher)
            if not group:
                del self._watchers[game_id]
            if not self._watchers:
                await self.close()

    def end(self) -> None:
        """End every watcher, now and from now on: streams would hold up the end of the process."""
        self._ended = True
        for group in self._watchers.values():
            for watcher in group:
                watcher.end()

    async def close(self) -> None:
        """Stop listening."""
        task, self._task = self._task, None
        self._listening.clear()
        if task is not None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def _listen(self) -> None:
        client: Any = aioredis.Redis.from_url(
            self._url, socket_connect_timeout=5, health_check_interval=15, retry=Retry(NoBackoff(), 0)
        )
        lost = False
        try:
            while True:
                try:
                    await self._listen_once(client, lost)
                except (RedisError, OSError) as error:
                    if not lost:
                        _log.warning("announcements interrupted: %s", error)
                    lost = True
                    self._listening.clear()
                    await asyncio.sleep(0.2)
        finally:
            await client.aclose()

    async def _listen_once(self, client: Any, lost: bool) -> None:
        async with client.pubsub() as pubsub:
            await pubsub.subscribe(CHANNEL)
            while True:
                message = await pubsub.get_message(timeout=5.0)
                if message is None:
                    continue
                if message["type"] == "message":
                    self._announce(decode_update(message["data"]))
                elif message["type"] == "subscribe":
                    self._listening.set()
                    if lost:
                        self._interrupted()

    def _interrupted(self) -> None:
        for group in self._watchers.values():
            for watcher in group:
                watcher.put(None)

    def _announce(self, update: Update) -> None:
        for group in (update.facts.id, ""):
            for watcher in self._watchers.get(group, ()):
                watcher.put(update)


async def follow_game(
    hub: WatchHub, store: RedisStore, game_id: str, after: int | None
) -> AsyncGenerator[Update, None]:
    """Every version of a game after version ``after`` (None: after the newest), once each and in order.

    Raises ``UnknownGame``, :class:`TooSlow`, and ``StoreUnavailable``.
    """
    async with hub.watching(game_id) as watcher:
        meta, _ = await store.meta(game_id)
        last = meta.head.version if after is None else after
        while True:
            for entry in await store.log(game_id, last + 1, meta.head.version):
                yield Update(meta.facts, meta.head, entry)
            last = max(last, meta.head.version)
            update = await watcher.get()
            while update is not None and update.head.version == last + 1 and update.entry is not None:
                yield update
                last = update.head.version
                update = await watcher.get()
            if update is None:
                meta, _ = await store.meta(game_id)
            elif update.head.version > last:
                meta = Meta(update.facts, update.head)


async def follow_all(hub: WatchHub, store: RedisStore) -> AsyncGenerator[Update, None]:
    """Every version of every game from now on, in order for each game; after an interruption some may come
    twice.
    """
    seen: dict[str, int] = {}
    async with hub.watching("") as watcher:
        heard = milliseconds()
        while True:
            update = await watcher.get()
            if update is not None:
                heard = update.head.updated_at
                seen[update.facts.id] = update.head.version
                yield update
                continue
            for game_id in await store.updated_since(heard - SLACK):
                meta, _ = await store.meta(game_id)
                for entry in await _missed(store, meta, seen.get(game_id), heard - SLACK):
                    yield Update(meta.facts, meta.head, entry)
                seen[game_id] = meta.head.version


async def _missed(store: RedisStore, meta: Meta, seen: int | None, since: int) -> list[Entry]:
    """Entries after version ``seen``, or, of a game not seen before, those written since a time."""
    newest = meta.head.version
    if seen is not None:
        return await store.log(meta.facts.id, seen + 1, newest)
    return [entry for entry in await store.log(meta.facts.id, max(1, newest - 63), newest) if entry.created_at >= since]
