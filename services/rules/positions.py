"""Games in memory: a cache of decoded games, and how a game of any version is brought into it.

The cache is only ever a copy of what Redis holds: before a cached game is used for an answer its nonce is
compared, and when it is changed ahead of Redis the change is either committed or the copy dropped.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Mapping, Sequence

import msgspec

from services.rules.engine.history import effective_at, effective_indexes
from services.rules.hosting import Action, Engine, HostedGame
from services.rules.store.errors import UnknownVersion
from services.rules.store.records import Entry, Facts, Head, Remembered
from services.rules.store.redis_store import RedisStore

_log = logging.getLogger(__name__)
_actions = msgspec.json.Decoder(Action)

OLD_POSITIONS = 16
"""So many positions of versions that are not the newest are kept."""

INLINE = 32
"""Up to so many actions are replayed on the event loop; more go to a thread."""


class Position:
    """A game at one version with what has been computed of it (``cache``: any key to JSON text)."""

    __slots__ = ("cache", "facts", "game", "head")

    def __init__(self, facts: Facts, head: Head, game: HostedGame) -> None:
        self.facts = facts
        self.head = head
        self.game = game
        self.cache: dict[str, bytes] = {}


class Positions:
    """Loads positions. Methods that take a game id must be called while holding that game's lock
    (``Games.lock``).
    """

    def __init__(self, store: RedisStore, engine: Engine, *, capacity: int) -> None:
        self._store = store
        self._engine = engine
        self._capacity = capacity
        self._newest: OrderedDict[str, Position] = OrderedDict()
        self._old: OrderedDict[tuple[str, int], Position] = OrderedDict()

    def cached(self, game_id: str) -> Position | None:
        """The copy in memory, which may be older than what Redis holds."""
        return self._newest.get(game_id)

    def keep(self, position: Position) -> None:
        """Take in the newest position of a game."""
        self._newest[position.facts.id] = position
        self._newest.move_to_end(position.facts.id)
        if len(self._newest) > self._capacity:
            self._newest.popitem(last=False)

    def drop(self, game_id: str) -> None:
        """Forget a game whose copy may differ from what Redis holds."""
        self._newest.pop(game_id, None)

    async def newest(self, game_id: str, key: str = "") -> tuple[Position, Remembered | None]:
        """The newest position of a game, and what idempotency key ``key`` was answered.

        One round trip when the copy in memory is the newest. Raises the store's errors.
        """
        meta, remembered = await self._store.meta(game_id, key)
        copy = self._newest.get(game_id)
        if copy is None or copy.head.nonce != meta.head.nonce:
            copy = await self._load(game_id)
        self.keep(copy)
        return copy, remembered

    async def at(self, game_id: str, version: int) -> Position:
        """The position of any version; raises :class:`UnknownVersion`."""
        meta, _ = await self._store.meta(game_id)
        if version == meta.head.version:
            return (await self.newest(game_id))[0]
        if not 0 <= version < meta.head.version:
            raise UnknownVersion(f"game {game_id} has versions 0 to {meta.head.version}")
        known = self._old.get((game_id, version))
        if known is None:
            history = await self._store.history(game_id, version)
            game = await self.rebuild(meta.facts, decode_actions(history.entries), history.states)
            updated_at = history.entries[-1].created_at if version else meta.facts.created_at
            head = self.head_of(game, version=version, nonce=b"", updated_at=updated_at, next_action_id=0)
            known = Position(meta.facts, head, game)
            self._old[game_id, version] = known
            if len(self._old) > OLD_POSITIONS:
                self._old.popitem(last=False)
        self._old.move_to_end((game_id, version))
        return known

    async def _load(self, game_id: str) -> Position:
        """Decode the newest state; rebuild it from the log when it is lost."""
        meta, state = await self._store.newest(game_id)
        game = self._decode(meta.facts, state, meta.head.version)
        if game is None:
            history = await self._store.history(game_id, meta.head.version)
            game = await self.rebuild(meta.facts, decode_actions(history.entries), history.states)
        return Position(meta.facts, meta.head, game)

    def _decode(self, facts: Facts, state: bytes | None, version: int) -> HostedGame | None:
        try:
            return None if state is None else self._engine.decode(facts.title, facts.options, state)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            _log.error("state %d of game %s cannot be read, using the log: %s", version, facts.id, error)
            return None

    async def rebuild(self, facts: Facts, raw: Sequence[Action], states: Mapping[int, bytes]) -> HostedGame:
        """The game after a raw log, of which some versions' encoded ``states`` are known.

        Starts from the newest state in whose past nothing was undone since, or from version 0. Raises
        ``MalformedAction`` for an undo or redo that cannot be.
        """
        target = effective_indexes(raw)
        prefixes = dict(effective_at(raw, states.keys()))
        for version in sorted(prefixes, reverse=True):
            prefix = prefixes[version]
            if target[: len(prefix)] != prefix:
                continue
            game = self._decode(facts, states[version], version)
            if game is not None:
                break
        else:
            prefix = []
            game = self._engine.new(facts.title, facts.players, seed=facts.seed, options=facts.options, mode=facts.mode)
        await _replay(game, [raw[index] for index in target[len(prefix) :]])
        return game

    def head_of(self, game: HostedGame, *, version: int, nonce: bytes, updated_at: int, next_action_id: int) -> Head:
        """Head of a game at a version."""
        outcome = self._engine.outcome(game)
        return Head(
            version=version,
            nonce=nonce,
            status="finished" if outcome else "active",
            round=game.round_label(),
            acting=[] if outcome else [str(player) for player in game.acting_players()],
            updated_at=updated_at,
            next_action_id=next_action_id,
            result=outcome[1] if outcome else {},
            end_reason=outcome[0] if outcome else "",
        )


async def _replay(game: HostedGame, actions: Sequence[Action]) -> None:
    if len(actions) > INLINE:
        await asyncio.to_thread(_replay_now, game, actions)
    else:
        _replay_now(game, actions)


def _replay_now(game: HostedGame, actions: Sequence[Action]) -> None:
    for action in actions:
        game.replay(action)


def decode_actions(entries: Sequence[Entry]) -> list[Action]:
    """Actions of log entries."""
    return [_actions.decode(entry.action) for entry in entries]
