"""Names of Redis keys."""

from __future__ import annotations

import base64
import hashlib

CHANNEL = "roundhouse:updates"
"""Channel on which every new version of every game is announced."""

SEQUENCE = "roundhouse:sequence"
"""Counter that numbers games in order of creation; the score of every index entry."""


PROBE = "roundhouse:probe"
"""Written now and then to see whether Redis writes."""


class GameKeys:
    """Keys of one game; all are in the same Redis Cluster slot."""

    __slots__ = ("archive", "id", "log", "meta", "snaps")

    def __init__(self, game_id: str) -> None:
        tag = f"{{game:{game_id}}}"
        self.id = game_id
        self.meta = f"{tag}:meta"
        self.log = f"{tag}:log"
        self.archive = f"{tag}:archive"
        self.snaps = f"{tag}:snaps"

    def idempotency(self, key: str) -> str:
        """Where the answer to the idempotency key ``key`` of this game's changes is kept."""
        return f"{{game:{self.id}}}:idem:{short_hash(key)}"


class Index:
    """Sorted sets of game ids, scored by order of creation."""

    ALL = "roundhouse:games"
    UPDATED = "roundhouse:updated"
    """This one is scored by the time of the newest version, in unix milliseconds."""

    @staticmethod
    def player(player: str) -> str:
        return f"roundhouse:player:{player}"

    @staticmethod
    def acting(player: str) -> str:
        return f"roundhouse:acting:{player}"

    @staticmethod
    def status(status: str) -> str:
        return f"roundhouse:status:{status}"

    @staticmethod
    def title(title: str) -> str:
        return f"roundhouse:title:{title}"


def creation_key(key: str) -> str:
    """Where the answer to the idempotency key of a CreateGame or ImportGame is kept."""
    return f"roundhouse:idem:{short_hash(key)}"


def short_hash(text: str) -> str:
    """20 characters that stand for ``text`` (120 bits of SHA-256), so that long keys cost no memory."""
    return base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()[:15]).decode()
