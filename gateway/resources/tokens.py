"""Tokens: the operator issues them, players look at and give up their own."""

from __future__ import annotations

import msgspec
import redis
from flask import Response

from gateway import auth, idempotency, schemas
from gateway.admission import redis_unavailable
from gateway.auth import Principal
from gateway.operations import Call, Services, answer, operation
from gateway.problems import Problem

TAG = "Tokens"


@operation(
    "POST",
    "/tokens",
    tag=TAG,
    scope=auth.OPERATOR,
    body=schemas.TokenInput,
    returns={201: schemas.IssuedToken},
    problems=("invalid-request", "forbidden", "idempotency-key-reused"),
)
def issue_token(call: Call[None, schemas.TokenInput]) -> Response:
    """Issue a token for a player.

    The token is not stored: keep it. Only the operator can do this.
    """
    services = call.services
    kept = idempotency.once(
        services.redis,
        call.idempotency_key,
        call.raw,
        lambda: msgspec.json.encode(auth.new_claims(call.body)),
    )
    claims = msgspec.json.decode(kept, type=schemas.TokenInfo)
    issued = schemas.IssuedToken(token=services.tokens.issue(claims), **msgspec.structs.asdict(claims))
    return answer(issued, 201, headers={"Cache-Control": "no-store"})


@operation("GET", "/tokens/self", tag=TAG, scope="", returns={200: schemas.TokenInfo})
def get_own_token(call: Call[None, None]) -> Response:
    """Show whom the token of this request acts for."""
    principal = call.principal
    info = schemas.TokenInfo(
        id=principal.token_id,
        player=principal.player,
        scopes=sorted(principal.scopes),
        issued_at=principal.issued_at,
        expires_at=principal.expires_at,
    )
    return answer(info, headers={"Cache-Control": "no-store"})


@operation("DELETE", "/tokens/self", tag=TAG, scope="", returns={204: None}, problems=("conflict",))
def revoke_own_token(call: Call[None, None]) -> Response:
    """Revoke the token of this request."""
    if call.principal.is_operator:
        raise Problem("conflict", "The operator's token is part of the configuration and cannot be revoked.")
    return _revoke(call.services, call.principal.player, call.principal.token_id, call.principal)


@operation(
    "DELETE",
    "/tokens/{token_id}",
    tag=TAG,
    scope=auth.OPERATOR,
    returns={204: None},
    problems=("not-found", "forbidden"),
)
def revoke_token(call: Call[None, None], token_id: str) -> Response:
    """Revoke a token."""
    player = auth.player_of(token_id)
    if not player:
        raise Problem("not-found", "There is no token with such an id.", code="malformed_id")
    return _revoke(call.services, player, token_id, None)


@operation(
    "DELETE",
    "/tokens",
    tag=TAG,
    scope=auth.OPERATOR,
    query=schemas.RevokeQuery,
    returns={204: None},
    problems=("invalid-request", "forbidden"),
)
def revoke_tokens(call: Call[schemas.RevokeQuery, None]) -> Response:
    """Revoke all tokens of a player issued so far."""
    try:
        call.services.redis.set(auth.revoked_before_key(call.query.player), auth.now_ms())
    except redis.RedisError as error:
        raise redis_unavailable() from error
    call.services.admission.forget(call.query.player)
    return Response(status=204)


def _revoke(services: Services, player: str, token_id: str, principal: Principal | None) -> Response:
    expires_at = principal.expires_at if principal else None
    try:
        services.redis.set(auth.revoked_key(player, token_id), 1, pxat=expires_at)
    except redis.RedisError as error:
        raise redis_unavailable() from error
    services.admission.forget(player)
    return Response(status=204)
