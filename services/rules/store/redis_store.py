"""Reading and writing games in Redis. Every method is one round trip unless it says otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from services.rules.store import blobs, indexes
from services.rules.store.connection import Argument, Connection, Script
from services.rules.store.errors import DamagedLog, GameExists, StaleVersion, UnknownGame, UnknownVersion
from services.rules.store.keys import CHANNEL, SEQUENCE, GameKeys, Index, creation_key
from services.rules.store.records import (
    Entry,
    Facts,
    Head,
    Idempotency,
    Meta,
    Page,
    Remembered,
    Snapshot,
    Update,
)

BLOCK = 256
"""Versions per archive block."""

ARCHIVE_EVERY = 32
"""The archive grows when a version is a multiple of this."""

TAIL = 32
"""So many of the newest entries always stay in the stream."""

_encode = msgspec.msgpack.Encoder().encode
_facts = msgspec.msgpack.Decoder(Facts)
_head = msgspec.msgpack.Decoder(Head)
_remembered = msgspec.msgpack.Decoder(Remembered)

_APPEND = Script("append.lua")
_CREATE = Script("create.lua")
_ARCHIVE = Script("archive.lua")
_LIST = Script("list.lua")


class RedisStore:
    """Games in Redis.

    Every method raises :class:`~.errors.StoreUnavailable` when Redis cannot be reached.
    ``lifetime`` is how many seconds an idempotency key is remembered.
    """

    def __init__(self, connection: Connection, *, lifetime: int = 86400) -> None:
        self.connection = connection
        self._lifetime = lifetime

    async def ping(self) -> None:
        """Return when Redis answers."""
        async with self.connection.reading() as redis:
            await redis.ping()

    # -- writing -----------------------------------------------------------------------------------

    async def create(
        self,
        facts: Facts,
        head: Head,
        *,
        entries: Sequence[Entry] = (),
        snapshots: Sequence[Snapshot],
        idempotency: Idempotency | None = None,
    ) -> Remembered | None:
        """Write a new game with its log so far.

        Returns None when written, or the answer that the idempotency key got before. Raises
        :class:`GameExists`.
        """
        keys = GameKeys(facts.id)
        archived = max(0, len(entries) - TAIL)
        blocks = [
            (start // BLOCK, blobs.pack_entries(_plain(entries[start : min(start + BLOCK, archived)])))
            for start in range(0, archived, BLOCK)
        ]
        arguments: list[Argument] = [
            *(facts.id, head.version, head.nonce, _encode(facts), _encode(head)),
            *(
                self._remember(facts, head, idempotency),
                self._lifetime,
                CHANNEL,
                _encode(Update(facts, head)),
            ),
            *(archived, len(blocks), len(snapshots), head.updated_at),
        ]
        for number, blob in blocks:
            arguments += [number, blob]
        for snapshot in snapshots:
            arguments += [snapshot.version, snapshot.blob]
        for entry in entries[archived:]:
            nonce = head.nonce if entry.version == head.version else entry.nonce
            arguments += [f"{entry.version}-0", entry.action, entry.events, entry.created_at, nonce]
        reply = await self.connection.write(
            _CREATE,
            [
                *(keys.meta, keys.log, keys.snaps, keys.archive),
                *(creation_key(idempotency.key) if idempotency else "", SEQUENCE, Index.UPDATED),
                *indexes.fixed(facts),
                *indexes.changing(head),
            ],
            arguments,
        )
        if reply[0] == b"taken":
            raise GameExists(facts.id)
        return _remembered.decode(reply[1]) if reply[0] == b"answered" else None

    async def append(
        self,
        facts: Facts,
        before: Head,
        after: Head,
        entry: Entry,
        *,
        snapshot: bytes | None = None,
        idempotency: Idempotency | None = None,
    ) -> Remembered | None:
        """Write ``entry`` as the version after ``before``; ``after.snapshots`` says which snapshots stay.

        Returns None when written, or the answer that the idempotency key got before. Raises
        :class:`StaleVersion` when the game is not at ``before``, :class:`UnknownGame`.
        """
        keys = GameKeys(facts.id)
        leave, enter = indexes.moves(before, after)
        dropped = [version for version in before.snapshots if version not in after.snapshots]
        reply = await self.connection.write(
            _APPEND,
            [
                *(keys.meta, keys.log, keys.snaps, keys.idempotency(idempotency.key) if idempotency else ""),
                Index.UPDATED,
                *leave,
                *enter,
            ],
            [
                *(before.version, before.nonce, after.nonce, _encode(after)),
                *(entry.action, entry.events, entry.created_at, snapshot or b""),
                self._remember(facts, after, idempotency),
                self._lifetime,
                _encode(Update(facts, after, entry)),
                *(CHANNEL, facts.id, len(leave)),
                *dropped,
            ],
        )
        if reply[0] == b"stale":
            raise StaleVersion(int(reply[1]))
        if reply[0] == b"missing":
            raise UnknownGame(facts.id)
        return _remembered.decode(reply[1]) if reply[0] == b"answered" else None

    def _remember(self, facts: Facts, head: Head, idempotency: Idempotency | None) -> bytes:
        return _encode(Remembered(idempotency.fingerprint, facts.id, head)) if idempotency else b""

    async def archive(self, game_id: str, version: int) -> bool:
        """Move old entries of a game at ``version`` from the stream to the archive; two round trips.

        Returns whether anything moved. Killing the process in the middle, or several processes doing it at
        the same time, is harmless: the moved entries never change and the move itself is one script.
        """
        keys = GameKeys(game_id)
        async with self.connection.reading() as redis:
            done = int(await redis.hget(keys.archive, "to") or 0)
        through = min(version - TAIL, (done // BLOCK + 1) * BLOCK)
        if through <= done:
            return False
        number = done // BLOCK
        entries = await self.log(game_id, number * BLOCK + 1, through)
        blob = blobs.pack_entries(_plain(entries))
        return bool(
            await self.connection.write(_ARCHIVE, [keys.archive, keys.log], [done, through, number, blob])
        )

    # -- reading -----------------------------------------------------------------------------------

    async def meta(self, game_id: str, key: str = "") -> tuple[Meta, Remembered | None]:
        """Facts and head of a game, and what an idempotency key of its changes was answered;
        :class:`UnknownGame`.
        """
        keys = GameKeys(game_id)
        async with self.connection.reading() as redis, redis.pipeline(transaction=False) as pipe:
            pipe.hmget(keys.meta, "f", "h")
            if key:
                pipe.get(keys.idempotency(key))
            (facts, head), *answer = await pipe.execute()
        if facts is None:
            raise UnknownGame(game_id)
        found = _remembered.decode(answer[0]) if answer and answer[0] else None
        return Meta(_facts.decode(facts), _head.decode(head)), found

    async def created(self, key: str) -> Remembered | None:
        """What an idempotency key of CreateGame or ImportGame was answered."""
        async with self.connection.reading() as redis:
            value = await redis.get(creation_key(key))
        return _remembered.decode(value) if value else None

    async def snapshot(self, game_id: str, version: int) -> bytes | None:
        """The compressed state of a version, if it is kept."""
        async with self.connection.reading() as redis:
            blob: bytes | None = await redis.hget(GameKeys(game_id).snaps, version)
        return blob

    async def tail(self, game_id: str, after: int, through: int) -> list[Entry] | None:
        """The entries from version ``after`` (included) to ``through``, if all of them still are in the
        stream.
        """
        async with self.connection.reading() as redis:
            raw = await redis.xrange(GameKeys(game_id).log, f"{after}-0", f"{through}-0")
        return [_entry(*item) for item in raw] if len(raw) == through - after + 1 else None

    async def log(self, game_id: str, first: int, last: int) -> list[Entry]:
        """The entries of versions ``first`` to ``last``, all of which must exist.

        Raises :class:`DamagedLog` when some are missing, :class:`UnknownVersion` for versions before 1.
        """
        if last < first:
            return []
        if first < 1:
            raise UnknownVersion(f"{game_id} has no version {first} in its log")
        keys = GameKeys(game_id)
        numbers = range((first - 1) // BLOCK, (last - 1) // BLOCK + 1)
        async with self.connection.reading() as redis, redis.pipeline(transaction=True) as pipe:
            pipe.hmget(keys.archive, *numbers)
            pipe.xrange(keys.log, f"{first}-0", f"{last}-0")
            blocks, raw = await pipe.execute()
        entries = [
            entry
            for blob in blocks
            if blob is not None
            for entry in blobs.unpack_entries(blob)
            if first <= entry.version <= last
        ]
        entries += [_entry(*item) for item in raw]
        if [entry.version for entry in entries] != list(range(first, last + 1)):
            raise DamagedLog(f"log entries of {game_id} between versions {first} and {last} are missing")
        return entries

    async def page(self, wanted: Sequence[str], *, size: int, token: str = "") -> Page:
        """Games in all indexes ``wanted`` (see :func:`.indexes.filters`), newest first; two round trips.

        ``token`` is the previous page's ``next_token``; ValueError when it is none.
        """
        below = f"({int(token)}" if token else "+inf"
        last, *ids = await self.connection.ask(_LIST, wanted, [below, size])
        async with self.connection.reading() as redis, redis.pipeline(transaction=False) as pipe:
            for game_id in ids:
                pipe.hmget(GameKeys(game_id.decode()).meta, "f", "h")
            rows = await pipe.execute() if ids else []
        games = [Meta(_facts.decode(facts), _head.decode(head)) for facts, head in rows if facts]
        return Page(games, last.decode())

    async def updated_since(self, time: int) -> list[str]:
        """Ids of the games with a version written at ``time`` (unix milliseconds) or later."""
        async with self.connection.reading() as redis:
            ids = await redis.zrange(Index.UPDATED, time, "+inf", byscore=True)
        return [game_id.decode() for game_id in ids]


def _entry(stream_id: bytes, fields: dict[bytes, bytes]) -> Entry:
    version = int(stream_id.partition(b"-")[0])
    return Entry(version, fields[b"a"], fields[b"e"], int(fields[b"t"]), fields[b"n"])


def _plain(entries: Sequence[Entry]) -> list[Entry]:
    """Entries as archived: nonces are random and of no use once newer versions exist."""
    return [Entry(entry.version, entry.action, entry.events, entry.created_at) for entry in entries]


def decode_update(data: Any) -> Update:
    """An announced version."""
    return _update.decode(data)


_update = msgspec.msgpack.Decoder(Update)
