"""What a request can fail with, beyond the errors of engine and store."""

from __future__ import annotations

from typing import Any


class RequestError(Exception):
    """A request the service refuses; ``code`` is stable, ``message`` one sentence, ``details`` plain data."""

    def __init__(self, code: str, message: str, **details: Any) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.details = details


class InvalidRequest(RequestError):
    """A field of the request does not have the shape it must have."""


class Refused(RequestError):
    """The request makes sense, but not in the game's present position."""


class Forbidden(RequestError):
    """This player may not do this."""


class KeyReused(RequestError):
    """An idempotency key came with another request than the first time."""


class Overdue(RequestError):
    """The work took longer than it may; nothing was changed."""


class GivenUp(RequestError):
    """The client went away before the work was done; nothing was changed."""


class Conflict(RequestError):
    """Somebody else acted first; ``details["version"]`` is the newest version, where it is known."""
