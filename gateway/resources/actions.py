"""Playing: legal moves, actions, undo and redo."""

from __future__ import annotations

from flask import Response

from gateway import convert, schemas
from gateway.operations import Call, answer, operation
from protos.roundhouse.v1 import rules_pb2 as pb

TAG = "Play"
PROBLEMS = (
    "not-found",
    "invalid-request",
    "forbidden",
    "conflict",
    "stale-version",
    "idempotency-key-reused",
)


@operation(
    "GET",
    "/games/{game_id}/moves",
    tag=TAG,
    scope="read",
    query=schemas.MovesQuery,
    returns={200: schemas.Moves},
    problems=("not-found", "invalid-request"),
    versioned=True,
)
def list_moves(call: Call[schemas.MovesQuery, None], game_id: str) -> Response:
    """List every legal move.

    A move is an action that can be sent as it is, or a template: a field that is a number in a range or a
    choice from a list says so.
    """
    call.read_game(game_id)
    request = pb.ListMovesRequest(game_id=game_id, version=call.query.version, player_id=call.query.player)
    found = call.services.rules.list_moves(request)
    return answer(convert.moves(found), version=found.version)


@operation(
    "POST",
    "/games/{game_id}/actions",
    tag=TAG,
    scope="play",
    body=schemas.Action,
    returns={200: schemas.ActionResult},
    problems=(*PROBLEMS, "illegal-action"),
    conditional=True,
    versioned=True,
)
def submit_action(call: Call[None, schemas.Action], game_id: str) -> Response:
    """Send an action.

    `If-Match` has the ETag of the game you saw: if somebody else acted since, nothing happens and the answer
    is 412 with the current ETag. `If-Match: *` applies the action to whatever is newest.

    `undo` and `redo` may be sent as actions too; their `entity` is the player who sends them or any company of the
    game.
    """
    request = pb.SubmitActionRequest(
        game_id=game_id,
        action_json=call.raw,
        expected_version=call.expected_version,
        idempotency_key=call.idempotency_key,
        player_id=call.principal.player,
    )
    return _result(call.services.rules.submit_action(request))


@operation(
    "POST",
    "/games/{game_id}/undo",
    tag=TAG,
    scope="play",
    body=schemas.UndoInput,
    body_optional=True,
    returns={200: schemas.ActionResult},
    problems=PROBLEMS,
    conditional=True,
    versioned=True,
)
def undo(call: Call[None, schemas.UndoInput], game_id: str) -> Response:
    """Take back the last action, or everything after an action."""
    request = pb.UndoRequest(
        game_id=game_id,
        expected_version=call.expected_version,
        idempotency_key=call.idempotency_key,
        player_id=call.principal.player,
        action_id=call.body.action_id,
    )
    return _result(call.services.rules.undo(request))


@operation(
    "POST",
    "/games/{game_id}/redo",
    tag=TAG,
    scope="play",
    body=schemas.RedoInput,
    body_optional=True,
    returns={200: schemas.ActionResult},
    problems=PROBLEMS,
    conditional=True,
    versioned=True,
)
def redo(call: Call[None, schemas.RedoInput], game_id: str) -> Response:
    """Restore what the last undo took back."""
    request = pb.RedoRequest(
        game_id=game_id,
        expected_version=call.expected_version,
        idempotency_key=call.idempotency_key,
        player_id=call.principal.player,
    )
    return _result(call.services.rules.redo(request))


def _result(result: pb.ActionResult) -> Response:
    return answer(convert.action_result(result), version=result.summary.version)
