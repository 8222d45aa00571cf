"""Reading and writing games in Redis. Every method is one round trip unless it says otherwise.

Reads use no MULTI: while Redis is out of memory it refuses even reads there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import msgspec

from services.rules.store import blobs, indexes
from services.rules.store.connection import Argument, Connection, Script
from services.rules.store.errors import (
    DamagedLog,
    DamagedState,
    GameExists,
    StaleVersion,
    UnknownGame,
    UnknownVersion,
)
from services.rules.store.keys import CHANNEL, SEQUENCE, GameKeys, Index, creation_key
from services.rules.store.records import (
    Block,
    Entry,
    Facts,
    Head,
    History,
    Idempotency,
    Meta,
    Page,
    Remembered,
    Update,
)

BLOCK = 256
"""Versions per archive block."""

CHECKPOINT = 32
"""States of versions that are a multiple of this stay for good."""

ARCHIVE_EVERY = 16
"""The archive grows when a version is a multiple of this."""

TAIL = 8
"""So many of the newest entries always stay in the stream."""

_NEWEST = "now"

_encode = msgspec.msgpack.Encoder().encode
_facts = msgspec.msgpack.Decoder(Facts)
_head = msgspec.msgpack.Decoder(Head)
_remembered = msgspec.msgpack.Decoder(Remembered)

_APPEND = Script("append.lua")
_CREATE = Script("create.lua")
_ARCHIVE = Script("archive.lua")
_LIST = Script("list.lua")
_RECENT = Script("recent.lua")


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

    async def probe(self) -> None:
        """Return when Redis would write; two round trips if replicas must confirm."""
        await self.connection.probe()

    # -- writing -----------------------------------------------------------------------------------

    async def create(
        self,
        facts: Facts,
        head: Head,
        *,
        entries: Sequence[Entry] = (),
        state: bytes,
        states: Mapping[int, bytes] = MappingProxyType({}),
        idempotency: Idempotency | None = None,
    ) -> Remembered | None:
        """Write a new game at ``state`` with its log so far and ``states`` of checkpoints in it (all
        encoded).

        Returns None when written, or the answer that the idempotency key got before. Raises
        :class:`GameExists`.
        """
        keys = GameKeys(facts.id)
        archived = max(0, len(entries) - TAIL)
        blocks = [_block(entries[start : min(start + BLOCK, archived)], states) for start in range(0, archived, BLOCK)]
        kept = {str(version): checkpoint for version, checkpoint in states.items() if version > archived}
        kept[_NEWEST] = state
        arguments: list[Argument] = [
            *(facts.id, head.version, head.nonce, _encode(facts), _encode(head)),
            *(
                self._remember(facts, head, idempotency),
                self._lifetime,
                CHANNEL,
                _encode(Update(facts, head)),
            ),
            *(archived, len(blocks), len(kept), head.updated_at),
        ]
        for number, block in enumerate(blocks):
            arguments += [number, blobs.pack_block(block)]
        for field, value in kept.items():
            arguments += [field, blobs.pack_state(value)]
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
        state: bytes,
        idempotency: Idempotency | None = None,
    ) -> Remembered | None:
        """Write ``entry`` as the version after ``before``, which has the encoded ``state``.

        Returns None when written, or the answer that the idempotency key got before. Raises
        :class:`StaleVersion` when the game is not at ``before``, :class:`UnknownGame`.
        """
        keys = GameKeys(facts.id)
        leave, enter = indexes.moves(before, after)
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
                *(entry.action, entry.events, entry.created_at, blobs.pack_state(state)),
                int(after.version % CHECKPOINT == 0),
                self._remember(facts, after, idempotency),
                self._lifetime,
                _encode(Update(facts, after, entry)),
                *(CHANNEL, facts.id, len(leave)),
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
        """Move old entries and states of a game at ``version`` to the archive; three round trips.

        Returns whether anything moved. Killing the process in the middle, or several processes doing it at
        the same time, is harmless: what moves never changes and the move itself is one script.
        """
        keys = GameKeys(game_id)
        async with self.connection.reading() as redis:
            done = int(await redis.hget(keys.archive, "to") or 0)
        through = min(version - TAIL, (done // BLOCK + 1) * BLOCK)
        if through <= done:
            return False
        number = done // BLOCK
        history = await self.history(game_id, through, first=number * BLOCK + 1)
        block = _block(history.entries, history.states)
        return bool(
            await self.connection.write(
                _ARCHIVE,
                [keys.archive, keys.log, keys.snaps],
                [done, through, number, blobs.pack_block(block), *block.states],
            )
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

    async def newest(self, game_id: str) -> tuple[Meta, bytes | None]:
        """Facts, head and state of a game (None: it is lost or damaged); raises :class:`UnknownGame`."""
        keys = GameKeys(game_id)
        while True:
            async with self.connection.reading() as redis, redis.pipeline(transaction=False) as pipe:
                pipe.hmget(keys.meta, "f", "h")
                pipe.hget(keys.snaps, _NEWEST)
                pipe.hget(keys.meta, "h")
                (facts, head), blob, after = await pipe.execute()
            if facts is None:
                raise UnknownGame(game_id)
            if head == after:  # nobody wrote in between: the state is that of the head
                return Meta(_facts.decode(facts), _head.decode(head)), _state(blob)

    async def log(self, game_id: str, first: int, last: int) -> list[Entry]:
        """The entries of versions ``first`` to ``last``, all of which must exist.

        Raises :class:`DamagedLog` when some are missing, :class:`UnknownVersion` for versions before 1.
        """
        return (await self.history(game_id, last, first=first)).entries

    async def history(self, game_id: str, last: int, *, first: int = 1) -> History:
        """Like :meth:`log`, with the states of the checkpoints among these versions that can be read."""
        if last < first:
            return History([], {})
        if first < 1:
            raise UnknownVersion(f"{game_id} has no version {first} in its log")
        keys = GameKeys(game_id)
        numbers = range((first - 1) // BLOCK, (last - 1) // BLOCK + 1)
        checkpoints = range(-(-first // CHECKPOINT) * CHECKPOINT, last + 1, CHECKPOINT)
        async with self.connection.reading() as redis, redis.pipeline(transaction=False) as pipe:
            pipe.xrange(keys.log, f"{first}-0", f"{last}-0")
            pipe.hmget(keys.snaps, _NEWEST, *checkpoints)
            pipe.hmget(keys.archive, *numbers)  # the last, so that what moves there meanwhile is seen twice, not never
            raw, kept, packed = await pipe.execute()
        blocks = [blobs.unpack_block(blob) for blob in packed if blob is not None]
        entries = [entry for block in blocks for entry in block.entries if first <= entry.version <= last]
        archived = entries[-1].version if entries else 0
        entries += [entry for item in raw if (entry := _entry(*item)).version > archived]
        if [entry.version for entry in entries] != list(range(first, last + 1)):
            raise DamagedLog(f"log entries of {game_id} between versions {first} and {last} are missing")
        states = {version: state for block in blocks for version, state in block.states.items()}
        states |= {
            version: state
            for version, blob in zip(checkpoints, kept[1:], strict=True)
            if (state := _state(blob)) is not None
        }
        return History(entries, states)

    async def page(self, wanted: Sequence[str], *, size: int, token: str = "") -> Page:
        """Games in all indexes ``wanted`` (see :func:`.indexes.filters`), newest first; two round trips.

        ``token`` is the previous page's ``next_token``; ValueError when it is none.
        """
        below = f"({int(token)}" if token else "+inf"
        last, *ids = await self.connection.ask(_LIST, wanted, [below, size])
        return await self._page(ids, last)

    async def recent(self, wanted: Sequence[str], since: int, *, size: int, token: str = "") -> Page:
        """Like :meth:`page`, but only games with a version written at ``since`` (unix milliseconds) or later, least
        recently written first. What it costs depends on how many those are. A game that is written meanwhile may come
        twice.
        """
        time, _, seen = token.partition(".") if token else (str(since), "", "")
        last, *ids = await self.connection.ask(_RECENT, [Index.UPDATED, *wanted], [str(int(time)), seen, size])
        return await self._page(ids, last)

    async def _page(self, ids: Sequence[bytes], last: bytes) -> Page:
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


def _state(blob: bytes | None) -> bytes | None:
    try:
        return None if blob is None else blobs.unpack_state(blob)
    except DamagedState:
        return None


def _block(entries: Sequence[Entry], states: Mapping[int, bytes]) -> Block:
    """Entries as archived (nonces are random, and of no use once newer versions exist) with their
    checkpoints.
    """
    plain = [Entry(entry.version, entry.action, entry.events, entry.created_at) for entry in entries]
    versions = [entry.version for entry in plain if entry.version % CHECKPOINT == 0 and entry.version in states]
    return Block(plain, {version: states[version] for version in versions})


def decode_update(data: Any) -> Update:
    """An announced version."""
    return _update.decode(data)


_update = msgspec.msgpack.Decoder(Update)
