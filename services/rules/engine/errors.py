"""The two families of errors that may leave the engine.

``code`` is stable and machine-readable, ``message`` one sentence for a player, ``details`` plain data about it.
"""

from __future__ import annotations

from typing import Any


class EngineError(Exception):
    """Base of everything ``Game.apply`` and its relatives may raise on bad input."""

    def __init__(self, code: str, message: str, **details: Any) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.details = details


class IllegalAction(EngineError):
    """A well-formed action that the rules forbid now."""


class MalformedAction(EngineError):
    """An action (or game file) that does not have the shape the format asks for."""


class UnknownTitle(EngineError):
    """No such title."""

    def __init__(self, title: object, known: tuple[str, ...]) -> None:
        super().__init__("unknown_title", f"{title!r} is not a title of this server; it hosts {', '.join(known)}.")
