"""Errors to gRPC status codes."""

from __future__ import annotations

import logging
from typing import Any

import grpc
import msgspec

from protos.roundhouse.v1 import rules_pb2 as pb
from services.rules.engine.errors import EngineError, IllegalAction, UnknownTitle
from services.rules.errors import (
    Conflict,
    Forbidden,
    GivenUp,
    InvalidRequest,
    KeyReused,
    Overdue,
    Refused,
    RequestError,
)
from services.rules.store.errors import GameExists, StoreUnavailable, UnknownGame, UnknownVersion
from services.rules.watch import Stopping, TooSlow

_log = logging.getLogger(__name__)

METADATA_KEY = "roundhouse-error-bin"

MAX_MESSAGE = 800
MAX_DETAILS = 1500
"""Bytes of an error's message and details. They travel as trailers, which together may have 8 KB: messages repeat
what a client sent, and a longer one would arrive as RESOURCE_EXHAUSTED or not at all."""

_STATUS: dict[type[Exception], grpc.StatusCode] = {
    InvalidRequest: grpc.StatusCode.INVALID_ARGUMENT,
    Refused: grpc.StatusCode.FAILED_PRECONDITION,
    Forbidden: grpc.StatusCode.PERMISSION_DENIED,
    KeyReused: grpc.StatusCode.ALREADY_EXISTS,
    Conflict: grpc.StatusCode.ABORTED,
    Overdue: grpc.StatusCode.DEADLINE_EXCEEDED,
    GivenUp: grpc.StatusCode.CANCELLED,
}

Failure = tuple[grpc.StatusCode, pb.ErrorInfo]


def explain(error: Exception) -> Failure:
    """Status and :class:`ErrorInfo` for anything a request can raise; the unexpected is logged and named
    INTERNAL.
    """
    if isinstance(error, UnknownTitle):
        return _failure(grpc.StatusCode.NOT_FOUND, error.code, error.message, error.details)
    if isinstance(error, IllegalAction):
        return _failure(grpc.StatusCode.FAILED_PRECONDITION, error.code, error.message, error.details)
    if isinstance(error, EngineError):
        return _failure(grpc.StatusCode.INVALID_ARGUMENT, error.code, error.message, error.details)
    if isinstance(error, RequestError):
        return _failure(_STATUS[type(error)], error.code, error.message, error.details)
    if isinstance(error, UnknownGame):
        return _failure(grpc.StatusCode.NOT_FOUND, "unknown_game", f"There is no game {error}.")
    if isinstance(error, UnknownVersion):
        return _failure(grpc.StatusCode.NOT_FOUND, "unknown_version", f"There is no such version: {error}.")
    if isinstance(error, GameExists):
        return _failure(grpc.StatusCode.ALREADY_EXISTS, "game_exists", f"There is a game {error} already.")
    if isinstance(error, TooSlow):
        return _failure(grpc.StatusCode.RESOURCE_EXHAUSTED, "too_slow", "Read faster, or come back with your version.")
    if isinstance(error, Stopping):
        return _failure(grpc.StatusCode.UNAVAILABLE, "stopping", "This process stops; connect again.")
    if isinstance(error, StoreUnavailable):
        fate = (
            "it is not known whether anything was written, repeat it with the same idempotency key"
            if error.maybe_written
            else "nothing was written"
        )
        _log.warning("store unavailable: %s", error)
        message = f"The games cannot be {'written' if error.refused else 'reached'} at the moment; {fate}."
        return _failure(
            grpc.StatusCode.UNAVAILABLE, "store_unavailable", message, {"maybe_written": error.maybe_written}
        )
    _log.error("unexpected error", exc_info=error)
    return _failure(grpc.StatusCode.INTERNAL, "internal", "The server made a mistake; it has been noted.")


def _failure(status: grpc.StatusCode, code: str, message: str, details: dict[str, Any] | None = None) -> Failure:
    encoded = msgspec.json.encode(details or {}, enc_hook=str)
    if len(encoded) > MAX_DETAILS:
        encoded = b"{}"
    return status, pb.ErrorInfo(code=code, message=_shortened(message), details_json=encoded)


def _shortened(message: str) -> str:
    """The message, its middle left out if it is too long."""
    data = message.encode(errors="replace")
    if len(data) <= MAX_MESSAGE:
        return message
    half = MAX_MESSAGE // 2 - 3
    return f"{data[:half].decode(errors='ignore')} ... {data[-half:].decode(errors='ignore')}"


async def abort(context: Any, error: Exception) -> None:
    """End a call with the status that fits an error."""
    status, info = explain(error)
    await context.abort(status, info.message, trailing_metadata=((METADATA_KEY, info.SerializeToString()),))
