"""Idempotency keys: a POST that is sent again gives the first answer and is not done twice.

Whatever changes a game is remembered by the rules service, in the same transaction as the change. What the
gateway does itself (tokens, jobs) is remembered here, for a day.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from typing import cast

import msgspec
import redis
from flask import request

from gateway.admission import redis_unavailable
from gateway.auth import Principal
from gateway.problems import Problem

LIFETIME = 24 * 3600
_KEY = re.compile(r"[\x21-\x7e]{1,255}")


class _Record(msgspec.Struct):
    fingerprint: str
    answer: bytes


def scoped_key(principal: Principal) -> str:
    """The request's key, made unique to the caller and the address; empty without the header."""
    header = request.headers.get("Idempotency-Key")
    if header is None:
        return ""
    if not _KEY.fullmatch(header):
        raise Problem(
            "bad-request",
            "Idempotency-Key must have 1 to 255 visible ASCII characters and no spaces.",
            code="bad_idempotency_key",
        )
    text = "\0".join((principal.subject, request.method, request.path, header))
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def once(client: redis.Redis, key: str, body: bytes, work: Callable[[], bytes]) -> bytes:
    """What `work` gave when it was first called for `key`; `work` itself when the key is empty.

    Raises `Problem`: 422 if the key came with another body before, 503 without Redis.
    """
    if not key:
        return work()
    name, fingerprint = f"gateway:idempotency:{key}", hashlib.blake2b(body, digest_size=16).hexdigest()
    try:
        stored = cast("bytes | None", client.get(name))
        if stored is None:
            record = msgspec.msgpack.encode(_Record(fingerprint, work()))
            if client.set(name, record, ex=LIFETIME, nx=True):
                return msgspec.msgpack.decode(record, type=_Record).answer
            stored = cast("bytes | None", client.get(name)) or record
    except redis.RedisError as error:
        raise redis_unavailable() from error
    found = msgspec.msgpack.decode(stored, type=_Record)
    if found.fingerprint != fingerprint:
        raise Problem("idempotency-key-reused", "This idempotency key was used before with another body.")
    return found.answer
