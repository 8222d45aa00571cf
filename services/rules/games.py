"""Hosted games: creating them, acting in them, taking back.

All rules questions go to the engine, all keeping to the store; this module is what holds between the two:

* an action is applied to the copy in memory first and then committed on the condition that the game still is
  where the copy was; a copy whose commit did not succeed is dropped, so nothing unacknowledged is ever built
  upon;
* a game is changed by one request at a time in this process; other processes are held off by the condition;
* a request with an idempotency key that was answered before gets that answer again, whatever happened since.
"""

from __future__ import annotations

import asyncio
import secrets
import time
import weakref
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from services.rules.clock import milliseconds
from services.rules.engine.actions import parse
from services.rules.engine.errors import EngineError
from services.rules.engine.events import Event
from services.rules.engine.history import effective_indexes
from services.rules.errors import Conflict, Forbidden, KeyReused, Refused
from services.rules.hosting import Action, Engine, HostedGame, PlayerId
from services.rules.positions import Position, Positions, decode_actions
from services.rules.store.errors import StaleVersion
from services.rules.store.records import Entry, Facts, Head, Idempotency, Remembered
from services.rules.store.redis_store import ARCHIVE_EVERY, RedisStore

ATTEMPTS = 16
"""So often an action without an expected version is tried when others keep acting first."""

OWN_FIELDS = ("id", "created_at", "user", "auto_actions", "original_id", "skip")
"""Action fields that only the service writes."""

_encode = msgspec.json.Encoder().encode


class ActionsUndone(Event, tag="actions_undone"):
    """Actions were taken back; ``actions`` are their ids."""

    actions: list[int]


class ActionsRedone(Event, tag="actions_redone"):
    """Actions that had been taken back are in effect again."""

    actions: list[int]


class Answer(msgspec.Struct):
    """Answer to a change: the game and the entry written (None: a new game)."""

    facts: Facts
    head: Head
    entry: Entry | None = None


class Request(msgspec.Struct, frozen=True):
    """A change asked for. ``player`` None is an operator, who may act for anybody; ``expected`` None: any
    version.
    """

    game_id: str
    player: str | None = None
    expected: int | None = None
    idempotency: Idempotency | None = None

    @property
    def key(self) -> str:
        return self.idempotency.key if self.idempotency else ""


class Games:
    """All games of the store. Methods raise the errors of engine, store and :mod:`services.rules.errors`."""

    def __init__(self, store: RedisStore, engine: Engine, *, cached: int = 128) -> None:
        self.store = store
        self.engine = engine
        self.positions = Positions(store, engine, capacity=cached)
        self._locks: weakref.WeakValueDictionary[str, asyncio.Lock] = weakref.WeakValueDictionary()
        self._background: set[asyncio.Task[Any]] = set()

    def lock(self, game_id: str) -> asyncio.Lock:
        """The lock under which a game's position may be used."""
        lock = self._locks.get(game_id)
        if lock is None:
            lock = self._locks[game_id] = asyncio.Lock()
        return lock

    async def settle(self) -> None:
        """Wait for work that goes on after answers were given."""
        await asyncio.gather(*self._background, return_exceptions=True)

    # -- new games ---------------------------------------------------------------------------------

    async def create(
        self,
        title: str,
        players: Sequence[tuple[PlayerId, str]],
        *,
        options: Sequence[str] = (),
        seed: int | None = None,
        description: str = "",
        idempotency: Idempotency | None = None,
    ) -> Answer:
        """Start a game; ``seed`` None draws one."""
        known = await self.created(idempotency)
        if known:
            return known
        seed = secrets.randbelow(2**31) if seed is None else seed
        game = self.engine.new(title, players, seed=seed, options=options, mode="live")
        now = milliseconds()
        facts = Facts(new_id(), title, list(players), self.engine.options(game), seed, "live", now, description)
        head = self.positions.head_of(game, version=0, nonce=new_nonce(), updated_at=now, next_action_id=1)
        return await self.add(facts, head, game, idempotency=idempotency)

    async def created(self, idempotency: Idempotency | None) -> Answer | None:
        """The answer an earlier request with this key to make a game got."""
        remembered = await self.store.created(idempotency.key) if idempotency else None
        return await self._again(remembered, idempotency, written=False) if remembered else None

    async def add(
        self,
        facts: Facts,
        head: Head,
        game: HostedGame,
        *,
        entries: Sequence[Entry] = (),
        states: Mapping[int, bytes] | None = None,
        idempotency: Idempotency | None,
    ) -> Answer:
        """Write a new game with its log so far and the encoded states of its checkpoints."""
        remembered = await self.store.create(
            facts,
            head,
            entries=entries,
            state=game.encode(),
            states=states or {},
            idempotency=idempotency,
        )
        if remembered:
            return await self._again(remembered, idempotency, written=False)
        async with self.lock(facts.id):
            self.positions.keep(Position(facts, head, game))
        return Answer(facts, head)

    # -- changes -----------------------------------------------------------------------------------

    async def submit(self, request: Request, action: Action) -> Answer:
        """Apply one action; undo and redo are taken as such."""
        if action.get("type") in ("undo", "redo"):
            parse({field: value for field, value in action.items() if field not in OWN_FIELDS})
            return await self.rewrite(request, str(action["type"]), action.get("action_id"), action=action)
        action = {field: value for field, value in action.items() if field not in OWN_FIELDS}
        async with self.lock(request.game_id):
            position, fresh = self.positions.cached(request.game_id), False
            for _ in range(ATTEMPTS):
                if position is None or request.expected not in (None, position.head.version):
                    position, again = await self._refresh(request)
                    if again:
                        return again
                    fresh = True
                try:
                    return await self._act(position, request, action)
                except EngineError:
                    if fresh:
                        raise
                except Forbidden:
                    if fresh:
                        raise
                except StaleVersion:
                    pass
                position, fresh = None, False
            raise Conflict("busy", "Others keep acting in this game; try again.")

    async def _refresh(self, request: Request) -> tuple[Position, Answer | None]:
        """The newest position, and the answer if the request was answered before; :class:`Conflict`."""
        position, remembered = await self.positions.newest(request.game_id, request.key)
        if remembered:
            return position, await self._again(remembered, request.idempotency)
        if request.expected not in (None, position.head.version):
            current, expected = position.head.version, request.expected
            stale = expected is not None and expected < current
            reason = "somebody else acted first" if stale else "there is no such version yet"
            raise Conflict(
                "stale_version", f"The game is at version {current}, not at {expected}: {reason}.", version=current
            )
        return position, None

    async def _act(self, position: Position, request: Request, action: Action) -> Answer:
        head, game = position.head, position.game
        labeled = {**action, "id": head.next_action_id, "created_at": int(time.time())}
        if request.player is not None:
            player = seat(position.facts, request.player)
            if not self.engine.may_send(game, labeled, player):
                entity = action.get("entity")
                raise Forbidden("not_yours", f"Player {request.player} may not act for {entity}.", entity=entity)
            if (action.get("entity_type"), action.get("entity")) != ("player", player):
                labeled["user"] = player
        try:
            applied = game.apply(labeled)
        except EngineError:
            raise
        except BaseException:
            self.positions.drop(request.game_id)
            raise
        logged = {**labeled, **applied.action}
        return await self._commit(position, game, logged, applied.events, request)

    async def rewrite(
        self, request: Request, kind: str, action_id: int | None = None, *, action: Action | None = None
    ) -> Answer:
        """Undo (back to just after ``action_id``, or the last action) or redo; ``action`` is how it was sent, if it
        came as an action.

        Players may take back, and bring back, only what they sent themselves; operators anything. Raises
        :class:`Refused` when there is nothing to undo or redo, ``MalformedAction`` for an unknown
        ``action_id``.
        """
        async with self.lock(request.game_id):
            for _ in range(ATTEMPTS):
                position, again = await self._refresh(request)
                if again:
                    return again
                if action is not None:
                    self._check_entity(position, request, action)
                try:
                    return await self._rewrite(position, request, kind, action_id)
                except StaleVersion:
                    continue
            raise Conflict("busy", "Others keep acting in this game; try again.")

    def _check_entity(self, position: Position, request: Request, action: Action) -> None:
        """The entity of an undo or redo may be any of the game (core 1.5), but a player speaks for himself only.

        Raises :class:`Forbidden`, and ``IllegalAction`` for an entity the game does not have.
        """
        facts, entity = position.facts, action.get("entity")
        player = seat(facts, request.player) if request.player is not None else facts.players[0][0]
        may_send = self.engine.may_send(position.game, action, player)
        if request.player is not None and action.get("entity_type") == "player" and not may_send:
            kind = action.get("type")
            raise Forbidden("not_yours", f"Player {request.player} may not {kind} for {entity}.", entity=entity)

    async def _rewrite(self, position: Position, request: Request, kind: str, action_id: int | None) -> Answer:
        facts, head = position.facts, position.head
        player = seat(facts, request.player) if request.player is not None else facts.players[0][0]
        action: Action = {
            "type": kind,
            "entity": player,
            "entity_type": "player",
            "id": head.next_action_id,
            "created_at": int(time.time()),
        }
        if action_id is not None and kind == "undo":
            action["action_id"] = action_id
        history = await self.store.history(facts.id, head.version)
        raw = decode_actions(history.entries)
        before = set(effective_indexes(raw))
        after = set(self._filter(raw, action))
        changed = sorted(before - after if kind == "undo" else after - before)
        if not changed:
            raise Refused(f"nothing_to_{kind}", f"There is nothing to {kind}.")
        if request.player is not None:
            _check_own(raw, changed, facts, player, kind)
        game = await self.positions.rebuild(facts, [*raw, action], history.states)
        ids = [raw[index].get("id", index + 1) for index in changed]
        events = [ActionsUndone(ids) if kind == "undo" else ActionsRedone(ids)]
        return await self._commit(position, game, action, events, request)

    @staticmethod
    def _filter(raw: list[Action], action: Action) -> list[int]:
        try:
            return effective_indexes([*raw, action])
        except EngineError as error:
            if error.code == "nothing_to_redo":
                raise Refused(error.code, error.message) from error
            raise

    async def _commit(
        self,
        position: Position,
        game: HostedGame,
        action: Action,
        events: Sequence[Any],
        request: Request,
    ) -> Answer:
        """Write the next version. ``position.game`` may have been changed already: unless this succeeds it is
        dropped.
        """
        self.positions.drop(request.game_id)
        before, now = position.head, milliseconds()
        version = before.version + 1
        after = self.positions.head_of(
            game,
            version=version,
            nonce=new_nonce(),
            updated_at=now,
            next_action_id=before.next_action_id + 1,
        )
        entry = Entry(version, _encode(action), _encode(events), now, after.nonce)
        remembered = await self.store.append(
            position.facts,
            before,
            after,
            entry,
            state=game.encode(),
            idempotency=request.idempotency,
        )
        if remembered:
            return await self._again(remembered, request.idempotency)
        self.positions.keep(Position(position.facts, after, game))
        if version % ARCHIVE_EVERY == 0:
            self._later(self.store.archive(request.game_id, version))
        return Answer(position.facts, after, entry)

    async def _again(self, remembered: Remembered, idempotency: Idempotency | None, *, written: bool = True) -> Answer:
        """The answer given before, with the entry ``written`` then; :class:`KeyReused` for another request's
        key.
        """
        if idempotency is None or remembered.fingerprint != idempotency.fingerprint:
            raise KeyReused("idempotency_key_reused", "This idempotency key came with another request before.")
        await self.store.connection.confirm()
        meta, _ = await self.store.meta(remembered.game_id)
        version = remembered.head.version
        entries = await self.store.log(remembered.game_id, version, version) if written else []
        return Answer(meta.facts, remembered.head, entries[0] if entries else None)

    def moves(self, position: Position, player: str) -> bytes:
        """Legal moves as JSON text: everybody's, or only those that ``player`` may send."""
        moves = position.game.moves()
        if player:
            known = seat(position.facts, player)
            moves = [move for move in moves if self.engine.may_send(position.game, move, known)]
        return _encode(moves)

    def _later(self, work: Any) -> None:
        task = asyncio.create_task(work)
        self._background.add(task)
        task.add_done_callback(self._settled)

    def _settled(self, task: asyncio.Task[Any]) -> None:
        self._background.discard(task)
        if not task.cancelled():
            task.exception()


def _check_own(raw: list[Action], changed: list[int], facts: Facts, player: PlayerId, kind: str) -> None:
    """Raise :class:`Forbidden` when one of the actions ``changed`` was sent by somebody else."""
    for index in changed:
        action = raw[index]
        sender = action.get("user", action.get("entity") if action.get("entity_type") == "player" else None)
        if str(sender) != str(player):
            raise Forbidden(
                "not_your_action",
                f"Action {action.get('id')} is not yours to {kind}.",
                action_id=action.get("id"),
            )


def seat(facts: Facts, player: str) -> PlayerId:
    """The id of a seat as the game has it (number or text); :class:`Forbidden` for strangers."""
    for known, _ in facts.players:
        if str(known) == player:
            return known
    raise Forbidden("not_seated", f"{player} does not play in this game.", player=player)


def new_id() -> str:
    """A new game id: 13 characters of a-z and 2-7."""
    alphabet = "abcdefghijklmnopqrstuvwxyz234567"
    return "".join(secrets.choice(alphabet) for _ in range(13))


def new_nonce() -> bytes:
    return secrets.token_bytes(8)
