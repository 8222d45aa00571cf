"""Which index keys a game belongs to."""

from __future__ import annotations

from services.rules.store.keys import Index
from services.rules.store.records import Facts, Head


def fixed(facts: Facts) -> list[str]:
    """Indexes a game stays in for good."""
    return [Index.ALL, Index.title(facts.title), *(Index.player(str(player)) for player, _ in facts.players)]


def changing(head: Head) -> list[str]:
    """Indexes that follow from the newest version."""
    return [Index.status(head.status), *(Index.acting(player) for player in head.acting)]


def moves(before: Head, after: Head) -> tuple[list[str], list[str]]:
    """Indexes to leave and to enter when ``after`` follows ``before``."""
    old, new = changing(before), changing(after)
    return [key for key in old if key not in new], [key for key in new if key not in old]


def filters(*, player: str = "", status: str = "", acting: str = "", title: str = "") -> list[str]:
    """Indexes whose common games a list wants; empty filters are ignored."""
    keys = [
        *([Index.player(player)] if player else []),
        *([Index.status(status)] if status else []),
        *([Index.acting(acting)] if acting else []),
        *([Index.title(title)] if title else []),
    ]
    return keys or [Index.ALL]
