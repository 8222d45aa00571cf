"""Who is asking: the operator's token, players' signed tokens, their scopes and their revocation.

A player's token carries its claims and a signature, so none is stored and any gateway process can check it.
Only revocations are kept, in Redis, for as long as the token would have been valid (for ever, if it has no
end).
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
from base64 import urlsafe_b64decode, urlsafe_b64encode
from functools import lru_cache

import msgspec
from flask import request
from itsdangerous import BadData, URLSafeSerializer

from gateway import schemas
from gateway.problems import Problem

PREFIX = "rh_"
OPERATOR = "operator"


class Principal(msgspec.Struct, frozen=True):
    """The caller. `player` is empty for the operator and for callers without a token.

    `subject` names whom limits and idempotency keys belong to. Times are Unix milliseconds.
    """

    subject: str
    player: str = ""
    scopes: frozenset[str] = frozenset()
    token_id: str = ""
    issued_at: int = 0
    expires_at: int | None = None

    @property
    def is_operator(self) -> bool:
        return OPERATOR in self.scopes

    def require(self, scope: str) -> None:
        """Raises `Problem` (403) without the scope. The operator has all."""
        if scope not in self.scopes and not self.is_operator:
            raise Problem(
                "forbidden",
                f"This needs a token with the scope {scope!r}.",
                code="scope_missing",
                details={"scope": scope},
            )


class Tokens:
    """Issues and reads tokens."""

    def __init__(self, secret: str, operator_token: str) -> None:
        self._serializer = URLSafeSerializer(
            secret,
            salt="roundhouse.token",
            signer_kwargs={"digest_method": hashlib.sha256, "key_derivation": "hmac"},
        )
        self._operator_token = operator_token.encode()
        self._read = lru_cache(8192)(self._verify)

    def issue(self, claims: schemas.TokenInfo) -> str:
        """The token for these claims; the same claims give the same token."""
        parts = [claims.id, claims.player, claims.scopes, claims.issued_at, claims.expires_at]
        text = self._serializer.dumps(parts)
        return PREFIX + (text.decode() if isinstance(text, bytes) else text)

    def principal(self, token: str) -> Principal:
        """Whom a token belongs to. Raises `Problem` (401) if it is none of ours or its time is over."""
        if hmac.compare_digest(token.encode(), self._operator_token):
            return Principal(subject=OPERATOR, scopes=frozenset({OPERATOR}))
        principal = self._read(token)
        if principal is None:
            raise unauthenticated("The token is not valid.", "invalid_token")
        if principal.expires_at is not None and principal.expires_at <= now_ms():
            raise unauthenticated("The token has expired.", "expired_token")
        return principal

    def _verify(self, token: str) -> Principal | None:
        if not token.startswith(PREFIX):
            return None
        try:
            token_id, player, scopes, issued_at, expires_at = self._serializer.loads(token[len(PREFIX) :])
        except (BadData, ValueError, TypeError):
            return None
        return Principal(f"player:{player}", player, frozenset(scopes), token_id, issued_at, expires_at)


def new_claims(wanted: schemas.TokenInput) -> schemas.TokenInfo:
    """Claims of a token issued now."""
    now = now_ms()
    player = str(wanted.player)
    return schemas.TokenInfo(
        id=f"{urlsafe_b64encode(player.encode()).decode().rstrip('=')}.{secrets.token_urlsafe(12)}",
        player=player,
        scopes=sorted(set(wanted.scopes)),
        issued_at=now,
        expires_at=None if wanted.expires_in is None else now + wanted.expires_in * 1000,
    )


def player_of(token_id: str) -> str:
    """The player named in the id of a token; empty if it is malformed."""
    text = token_id.partition(".")[0]
    try:
        return urlsafe_b64decode(text + "=" * (-len(text) % 4)).decode()
    except ValueError:
        return ""


def revoked_key(player: str, token_id: str) -> str:
    """Redis key that exists if the token was revoked."""
    return f"gateway:{{{player}}}:revoked:{token_id}"


def revoked_before_key(player: str) -> str:
    """Redis key of the time (Unix milliseconds) up to which all tokens of the player are revoked."""
    return f"gateway:{{{player}}}:revoked-before"


def now_ms() -> int:
    """Unix time in milliseconds."""
    return time.time_ns() // 1_000_000


def unauthenticated(detail: str, code: str = "unauthenticated") -> Problem:
    """401 with the challenge the standard asks for."""
    challenge = 'Bearer realm="roundhouse"'
    if code != "unauthenticated":
        challenge += ', error="invalid_token"'
    return Problem("unauthenticated", detail, code=code, headers={"WWW-Authenticate": challenge})


def bearer_token(*, in_query: bool) -> str:
    """The token of the request: its `Authorization` header, or `access_token` where the query may have it."""
    header = request.headers.get("Authorization")
    if header is None:
        if in_query and request.args.get("access_token"):
            return request.args["access_token"]
        raise unauthenticated("This needs a token: send `Authorization: Bearer <token>`.")
    scheme, _, token = header.partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        raise unauthenticated("The header Authorization must be `Bearer <token>`.", "invalid_authorization")
    return token.strip()
