"""Taking over and handing out games in the 18xx.games export format (core section 1)."""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec

from services.rules import messages, recorded
from services.rules.clock import milliseconds
from services.rules.engine.game import Game
from services.rules.engine.history import effective_at, effective_indexes
from services.rules.errors import InvalidRequest
from services.rules.games import Answer, Games, new_id, new_nonce
from services.rules.patience import Patience
from services.rules.positions import decode_actions
from services.rules.store.records import Entry, Facts, Idempotency
from services.rules.store.redis_store import CHECKPOINT

MAX_ACTIONS = 10_000
MAX_OPTIONS = 40
MAX_NAME = 100
"""Characters of a player's id or name, or of an option."""

_encode = msgspec.json.Encoder().encode


class Taken(msgspec.Struct):
    """A replayed game: events by log index, and the encoded states of checkpoints by version."""

    game: Game
    events: dict[int, bytes]
    states: dict[int, bytes]


async def import_game(games: Games, data: bytes, idempotency: Idempotency | None, patience: Patience) -> Answer:
    """Replay a recorded game and keep it; it can be played on.

    Raises ``MalformedAction`` for something that is not a game, ``InvalidRequest`` for one that is too large,
    ``ReplayError`` for an action the engine refuses, ``Overdue`` or ``GivenUp`` when ``patience`` ends before all is
    replayed: until then nothing is written, and then everything at once.
    """
    known = await games.created(idempotency)
    if known:
        return known
    source = recorded.read_recorded(data)
    check_size(source)
    taken = await asyncio.to_thread(replay, source, patience)
    patience.check("after the last action")
    now = milliseconds()
    state = taken.game.state
    facts = Facts(
        id=new_id(),
        title=state.title,
        players=[(player.id, player.name) for player in state.players],
        options=list(state.options),
        seed=state.seed,
        mode=state.mode,
        created_at=now,
        description=(source.description or "")[:500],
    )
    entries = [
        Entry(index + 1, _encode(action), taken.events.get(index, b"[]"), written_at(action, now))
        for index, action in enumerate(source.actions)
    ]
    head = games.positions.head_of(
        taken.game,
        version=len(entries),
        nonce=new_nonce(),
        updated_at=now,
        next_action_id=1 + max([len(entries), *(identifier(action) for action in source.actions)]),
    )
    return await games.add(facts, head, taken.game, entries=entries, states=taken.states, idempotency=idempotency)


def check_size(source: recorded.RecordedGame) -> None:
    """Raise ``InvalidRequest`` for a game with more of something than any game has."""
    if len(source.actions) > MAX_ACTIONS:
        raise InvalidRequest("too_long", f"A game may have at most {MAX_ACTIONS} actions.", limit=MAX_ACTIONS)
    if len(source.options) > MAX_OPTIONS:
        raise InvalidRequest("too_long", f"A game may have at most {MAX_OPTIONS} options.", limit=MAX_OPTIONS)
    texts = [str(text) for seat in source.players for text in (seat.key, seat.name)] + source.options
    if any(len(text) > MAX_NAME for text in texts):
        raise InvalidRequest("bad_text", f"Names and options have at most {MAX_NAME} characters.", limit=MAX_NAME)
    messages.numbers([seat.id for seat in source.players])
    messages.numbers(source.actions)


def replay(source: recorded.RecordedGame, patience: Patience) -> Taken:
    """Play a recorded game to its end, keeping the states that a game played here would have kept.

    Raises ``Overdue`` or ``GivenUp`` when ``patience`` ends first.
    """
    game = recorded.start(source)
    wanted = _checkpoints(source.actions)
    events: dict[int, bytes] = {}
    states: dict[int, bytes] = {}
    for done, (index, applied) in enumerate(recorded.replay(source, game), start=1):
        patience.check(f"at action {index + 1} of {len(source.actions)}")
        events[index] = _encode(applied.events)
        states |= {version: game.encode() for version in wanted.get(done, ())}
    return Taken(game, events, states)


def _checkpoints(raw: list[dict[str, Any]]) -> dict[int, list[int]]:
    """Number of actions in effect to the checkpoints whose state is the one after so many of them.

    Checkpoints whose past was changed by a later undo or redo have none.
    """
    effective = effective_indexes(raw)
    found: dict[int, list[int]] = {}
    for version, prefix in effective_at(raw, range(CHECKPOINT, len(raw) + 1, CHECKPOINT)):
        if effective[: len(prefix)] == prefix:
            found.setdefault(len(prefix), []).append(version)
    return found


def written_at(action: dict[str, Any], default: int) -> int:
    """When an action was sent, in unix milliseconds (the format has seconds)."""
    seconds = action.get("created_at")
    return int(seconds * 1000) if isinstance(seconds, int | float) and 0 < seconds < 1e11 else default


def identifier(action: dict[str, Any]) -> int:
    """The label of an action, 0 if it has none."""
    label = action.get("id")
    return label if isinstance(label, int) and 0 < label < 2**53 else 0


async def export_game(games: Games, game_id: str) -> tuple[bytes, int]:
    """A game as JSON text in the export format, and its version."""
    async with games.lock(game_id):
        position, _ = await games.positions.newest(game_id)
        facts, head = position.facts, position.head
        entries = await games.store.log(game_id, 1, head.version)
        document = recorded.export(
            position.game,  # type: ignore[arg-type]
            decode_actions(entries),
            game_id=game_id,
            description=facts.description,
            initial_order=[player for player, _ in facts.players],
        )
    document["created_at"] = facts.created_at // 1000
    document["updated_at"] = head.updated_at // 1000
    return _encode(document), head.version
