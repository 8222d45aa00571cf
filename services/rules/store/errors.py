"""Errors of the store."""

from __future__ import annotations


class StoreError(Exception):
    """Base of everything the store raises on purpose."""


class StoreUnavailable(StoreError):
    """Redis cannot be reached or (``refused``) does not write; ``maybe_written`` tells whether a write may have
    happened all the same (the connection broke after the request was sent)."""

    def __init__(self, message: str, *, maybe_written: bool = False, refused: bool = False) -> None:
        super().__init__(message)
        self.maybe_written = maybe_written
        self.refused = refused


class UnknownGame(StoreError):
    """There is no game with this id."""


class UnknownVersion(StoreError):
    """The game has no such version."""


class GameExists(StoreError):
    """The id of a new game is taken."""


class StaleVersion(StoreError):
    """Somebody else wrote a version first; ``current`` is the newest version of the game."""

    def __init__(self, current: int) -> None:
        super().__init__(f"the game is at version {current}")
        self.current = current


class DamagedState(StoreError):
    """A stored state's bytes do not decompress to what was written."""


class DamagedLog(StoreError):
    """Log entries that must exist are missing."""
