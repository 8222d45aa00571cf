"""Games: starting, importing, finding, reading and exporting them."""

from __future__ import annotations

from typing import Any

import msgspec
from flask import Response

from gateway import convert, inputs, schemas
from gateway.etags import etag
from gateway.operations import KIB, Call, answer, operation
from gateway.problems import Problem
from gateway.seats import not_seated
from protos.roundhouse.v1 import rules_pb2 as pb

TAG = "Games"
IMPORT_LIMIT = 1024 * KIB


class RecordedGame(msgspec.Struct):
    """A game in the 18xx.games export format; only what the gateway looks at is listed here."""

    title: str
    players: list[dict[str, Any]]


@operation(
    "POST",
    "/games",
    tag=TAG,
    scope="create",
    body=schemas.NewGame,
    returns={201: schemas.GameSummary},
    problems=("not-found", "invalid-request", "forbidden", "idempotency-key-reused"),
    versioned=True,
)
def create_game(
    call: Call[None, schemas.NewGame],
) -> Response:
    """Start a game.

    A player can start games in which it sits; the operator any.
    """
    wanted = call.body
    players = [pb.PlayerSeat(id=str(seat.id), name=seat.name) for seat in wanted.players]
    _require_seat(call, [seat.id for seat in players])
    request = pb.CreateGameRequest(
        title=wanted.title,
        players=players,
        options=wanted.options,
        seed=wanted.seed,
        idempotency_key=call.idempotency_key,
        description=wanted.description,
    )
    return _created(call.services.rules.create_game(request))


@operation(
    "POST",
    "/games/import",
    tag=TAG,
    scope="create",
    body=RecordedGame,
    body_limit=IMPORT_LIMIT,
    returns={201: schemas.GameSummary},
    problems=("not-found", "invalid-request", "forbidden", "conflict", "idempotency-key-reused"),
    versioned=True,
)
def import_game(call: Call[None, RecordedGame]) -> Response:
    """Import a game in the 18xx.games export format.

    Every action is replayed and checked. A player can import games in which it sits; the operator any. An import that
    takes too long is given up with a 503 of code `too_slow`, and nothing of it is kept.
    """
    _require_seat(call, [str(player.get("id", "")) for player in call.body.players])
    request = pb.ImportGameRequest(game_json=call.raw, idempotency_key=call.idempotency_key)
    return _created(call.services.rules.import_game(request))


@operation(
    "GET",
    "/games",
    tag=TAG,
    scope="read",
    query=schemas.GamesQuery,
    returns={200: schemas.GameList},
    problems=("invalid-request", "forbidden"),
)
def list_games(call: Call[schemas.GamesQuery, None]) -> Response:
    """Find games.

    All filters must hold. Without `player` a player's token lists the player's own games.
    """
    query = call.query
    player = query.player or call.principal.player
    call.services.seats.require_any_player(call.principal, player)
    request = pb.ListGamesRequest(
        player_id="" if player == "*" else player,
        status=query.status,
        acting_player_id=query.acting,
        title=query.title,
        page_size=query.limit,
        page_token=query.page,
    )
    page = call.services.rules.list_games(request)
    found = schemas.GameList(games=[convert.summary(game) for game in page.games])
    if page.next_page_token:
        found.next_page = page.next_page_token
    return answer(found)


@operation(
    "GET",
    "/games/{game_id}",
    tag=TAG,
    scope="read",
    query=schemas.VersionQuery,
    returns={200: schemas.Game},
    problems=("not-found",),
    versioned=True,
)
def get_game(call: Call[schemas.VersionQuery, None], game_id: str) -> Response:
    """Read a game with its position, now or at any version."""
    call.read_game(game_id)
    wanted = call.query.version
    view = call.services.rules.get_game(pb.GetGameRequest(game_id=game_id, version=wanted))
    return answer(convert.game(view), version=view.summary.version if wanted is None else wanted)


@operation(
    "GET",
    "/games/{game_id}/export",
    tag=TAG,
    scope="read",
    returns={200: RecordedGame},
    problems=("not-found",),
    versioned=True,
)
def export_game(call: Call[None, None], game_id: str) -> Response:
    """Export a game in the 18xx.games format."""
    call.read_game(game_id)
    exported = call.services.rules.export_game(pb.ExportGameRequest(game_id=game_id))
    return answer(msgspec.Raw(exported.game_json), version=exported.version)


@operation(
    "GET",
    "/games/{game_id}/log",
    tag=TAG,
    scope="read",
    query=schemas.LogQuery,
    returns={200: schemas.Log},
    problems=("not-found", "invalid-request"),
)
def get_log(call: Call[schemas.LogQuery, None], game_id: str) -> Response:
    """Read the log: every action and the events it caused.

    Ask again with `from` one higher than the last version you got, until there is none.
    """
    call.read_game(game_id)
    request = pb.GetLogRequest(game_id=game_id, from_version=call.query.from_, limit=call.query.limit)
    page = call.services.rules.get_log(request)
    return answer(schemas.Log(version=page.version, entries=[convert.log_entry(entry) for entry in page.entries]))


def _require_seat(call: Call[Any, Any], players: list[str]) -> None:
    if not call.principal.is_operator and call.principal.player not in players:
        raise not_seated(call.principal)
    if len(set(players)) < len(players):
        raise inputs.invalid("Two players have the same id - at `$.players`")
    if any(not 1 <= len(player) <= 64 for player in players):
        raise Problem(
            "invalid-request", "The id of a player has 1 to 64 characters.", details={"in": "body", "path": "players"}
        )


def _created(game: pb.GameSummary) -> Response:
    headers = {"Location": f"/api/v1/games/{game.game_id}", "ETag": etag(game.version)}
    return answer(convert.summary(game), 201, headers=headers)
