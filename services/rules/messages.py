"""Records of the store to messages of the contract, and fields of requests to checked values."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from typing import Any

import msgspec

from protos.roundhouse.v1 import rules_pb2 as pb
from services.rules.errors import InvalidRequest
from services.rules.games import Answer, Request
from services.rules.hosting import Action, PlayerId
from services.rules.store.records import Entry, Facts, Head, Idempotency, Update

MAX_ACTION = 64 * 1024
"""Bytes of one action."""

MAX_TEXT = 500
"""Characters of a name, a description, an id or a key."""

MAX_NUMBER = 2**53
"""Largest whole number a client may send, either sign: what every JSON reader keeps exactly."""

_ID = re.compile(r"[a-z0-9]{1,40}", re.ASCII)
_NUMBER = re.compile(r"0|[1-9][0-9]{0,14}", re.ASCII)


def summary(facts: Facts, head: Head) -> pb.GameSummary:
    """What lists show of a game."""
    return pb.GameSummary(
        game_id=facts.id,
        title=facts.title,
        players=[pb.PlayerSeat(id=str(player), name=name) for player, name in facts.players],
        options=facts.options,
        seed=facts.seed,
        version=head.version,
        status=head.status,
        description=facts.description,
        round=head.round,
        acting=head.acting,
        created_at=facts.created_at,
        updated_at=head.updated_at,
        result=head.result,
        end_reason=head.end_reason,
        mode=facts.mode,
    )


def log_entry(entry: Entry) -> pb.LogEntry:
    """One entry of the log."""
    return pb.LogEntry(
        version=entry.version,
        action_json=entry.action,
        events_json=entry.events,
        created_at=entry.created_at,
    )


def result(answer: Answer) -> pb.ActionResult:
    """Answer to a change."""
    return pb.ActionResult(
        summary=summary(answer.facts, answer.head),
        action_json=answer.entry.action if answer.entry else b"",
        events_json=answer.entry.events if answer.entry else b"",
    )


def game_update(update: Update) -> pb.GameUpdate:
    """A new version; ``entry`` is absent for a new game."""
    entry = log_entry(update.entry) if update.entry else None
    return pb.GameUpdate(summary=summary(update.facts, update.head), entry=entry)


def game_id(text: str) -> str:
    """A game id that can exist; raises :class:`InvalidRequest`."""
    if not _ID.fullmatch(text):
        raise InvalidRequest("bad_game_id", "A game id is 1 to 40 of the characters a-z and 0-9.")
    return text


def text(value: str, what: str, *, least: int = 0) -> str:
    """A text of reasonable length; raises :class:`InvalidRequest`."""
    if not least <= len(value) <= MAX_TEXT:
        raise InvalidRequest("bad_text", f"{what} must have {least} to {MAX_TEXT} characters.", field=what)
    return value


def version(request: Any) -> int | None:
    """The version asked for, None for the newest; raises :class:`InvalidRequest`."""
    if not request.HasField("version"):
        return None
    wanted: int = request.version
    if wanted < 0:
        raise InvalidRequest("bad_version", "A version is 0 or more.", version=wanted)
    return wanted


def json_value(data: bytes, what: str) -> Any:
    """A JSON value; raises :class:`InvalidRequest`."""
    if len(data) > MAX_ACTION:
        raise InvalidRequest("too_large", f"{what} must have at most {MAX_ACTION} bytes.", field=what)
    try:
        return msgspec.json.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise InvalidRequest("bad_json", f"{what} is not JSON: {error}.", field=what) from error


def action(data: bytes) -> Action:
    """An action; raises :class:`InvalidRequest`."""
    value = json_value(data, "action_json")
    if not isinstance(value, dict):
        raise InvalidRequest("bad_action", "An action is a JSON object.")
    if not isinstance(value.get("type"), str):
        raise InvalidRequest("bad_action", "An action needs a type.", field="type")
    numbers(value)
    return value


def numbers(value: Any) -> None:
    """Raise :class:`InvalidRequest` if a JSON value has a whole number that states cannot hold."""
    if isinstance(value, int):
        if not -MAX_NUMBER <= value <= MAX_NUMBER:
            raise InvalidRequest("number_too_large", f"Whole numbers go from {-MAX_NUMBER} to {MAX_NUMBER}.")
    elif isinstance(value, list):
        for item in value:
            numbers(item)
    elif isinstance(value, dict):
        for item in value.values():
            numbers(item)


def action_id(value: Any) -> int | None:
    """Target of an undo; raises :class:`InvalidRequest`."""
    if value is None or (isinstance(value, int) and not isinstance(value, bool)):
        return value
    raise InvalidRequest("bad_action", "action_id must be a number.", field="action_id")


def idempotency(request: Any) -> Idempotency | None:
    """Idempotency key of a request with the fingerprint of everything else in it; raises
    :class:`InvalidRequest`.
    """
    key = text(request.idempotency_key, "idempotency_key")
    if not key:
        return None
    rest = type(request)()
    rest.CopyFrom(request)
    rest.ClearField("idempotency_key")
    data = type(request).__name__.encode() + rest.SerializeToString(deterministic=True)
    return Idempotency(key, hashlib.sha256(data).digest()[:12])


def change(request: Any) -> Request:
    """The common fields of SubmitAction, Undo and Redo; raises :class:`InvalidRequest`."""
    expected = request.expected_version if request.HasField("expected_version") else None
    if expected is not None and expected < 0:
        raise InvalidRequest("bad_version", "A version is 0 or more.", version=expected)
    player = text(request.player_id, "player_id") or None
    return Request(game_id(request.game_id), player, expected, idempotency(request))


def players(seats: Iterable[pb.PlayerSeat]) -> list[tuple[PlayerId, str]]:
    """Seats with ids as actions write them: a number written as text becomes that number (core 1.4)."""
    result: list[tuple[PlayerId, str]] = []
    for seat in seats:
        identifier = text(seat.id, "player id", least=1)
        name = text(seat.name, "player name") or identifier
        result.append((int(identifier) if _NUMBER.fullmatch(identifier) else identifier, name))
    if not result:
        raise InvalidRequest("no_players", "A game needs players.")
    return result
