"""From the messages of the rules service to the structs of the API."""

from __future__ import annotations

from typing import Any

from msgspec import Raw

from gateway import schemas
from protos.roundhouse.v1 import rules_pb2 as pb


def _summary_fields(message: pb.GameSummary) -> dict[str, Any]:
    return {
        "id": message.game_id,
        "title": message.title,
        "players": [schemas.Seat(id=seat.id, name=seat.name) for seat in message.players],
        "options": list(message.options),
        "seed": message.seed,
        "version": message.version,
        "status": message.status,
        "description": message.description,
        "round": message.round,
        "acting": list(message.acting),
        "created_at": message.created_at,
        "updated_at": message.updated_at,
        "result": dict(message.result),
        "end_reason": message.end_reason,
        "mode": message.mode,
    }


def summary(message: pb.GameSummary) -> schemas.GameSummary:
    """A game without its position."""
    return schemas.GameSummary(**_summary_fields(message))


def game(message: pb.GameView) -> schemas.Game:
    """A game with its position; the position is passed on as it is."""
    return schemas.Game(**_summary_fields(message.summary), position=_raw(message.state_json, b"{}"))


def action_result(message: pb.ActionResult) -> schemas.ActionResult:
    """The answer to an action, an undo or a redo."""
    return schemas.ActionResult(
        game=summary(message.summary),
        action=_raw(message.action_json, b"{}"),
        events=_raw(message.events_json, b"[]"),
    )


def log_entry(message: pb.LogEntry) -> schemas.LogEntry:
    """One entry of the log."""
    return schemas.LogEntry(
        version=message.version,
        action=_raw(message.action_json, b"{}"),
        events=_raw(message.events_json, b"[]"),
        created_at=message.created_at,
    )


def update(game_id: str, entry: pb.LogEntry, about: pb.GameSummary | None = None) -> schemas.Update:
    """A line of an event stream."""
    line = schemas.Update(
        game_id=game_id,
        version=entry.version,
        action=_raw(entry.action_json, b"{}"),
        events=_raw(entry.events_json, b"[]"),
        created_at=entry.created_at,
    )
    if about is not None:
        line.game = summary(about)
    return line


def moves(message: pb.ListMovesResponse) -> schemas.Moves:
    """The legal moves, passed on as they are."""
    return schemas.Moves(version=message.version, moves=_raw(message.moves_json, b"[]"))


def _title_fields(message: pb.TitleSummary) -> dict[str, Any]:
    return {
        "id": message.title,
        "name": message.name,
        "designer": message.designer,
        "publisher": message.publisher,
        "min_players": message.min_players,
        "max_players": message.max_players,
        "options": dict(message.options),
        "notes": list(message.notes),
    }


def title(message: pb.TitleSummary) -> schemas.Title:
    """A title without its facts."""
    return schemas.Title(**_title_fields(message))


def title_facts(message: pb.GetTitleResponse) -> schemas.TitleFacts:
    """A title with its facts, passed on as they are."""
    return schemas.TitleFacts(**_title_fields(message.summary), facts=_raw(message.data_json, b"{}"))


def checked_routes(message: pb.CheckRoutesResponse) -> schemas.CheckedRoutes:
    """Routes that the rules service found legal."""
    return schemas.CheckedRoutes(
        action=_raw(message.action_json, b"{}"),
        revenue=message.revenue,
        subsidy=message.subsidy,
        version=message.version,
    )


def _raw(data: bytes, empty: bytes) -> Raw:
    """JSON text to embed without decoding it."""
    return Raw(data or empty)
