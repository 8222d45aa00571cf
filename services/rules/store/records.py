"""What the store keeps, as plain data."""

from __future__ import annotations

import msgspec


class Facts(msgspec.Struct, omit_defaults=True):
    """What never changes about a game. ``created_at`` is in unix milliseconds; ``players`` are ``(id, name)``
    in seat order; ``mode`` is ``"live"`` or ``"imported"``."""

    id: str
    title: str
    players: list[tuple[int | str, str]]
    options: list[str]
    seed: int
    mode: str
    created_at: int
    description: str = ""


class Head(msgspec.Struct, omit_defaults=True):
    """The newest version of a game and what lists show of it.

    ``nonce`` is drawn anew for every version: two heads with the same version and nonce are the same state,
    also after a Redis was restored from a backup. ``snapshots`` are the versions whose states are kept,
    ascending. ``next_action_id`` labels the next action. ``updated_at`` is in unix milliseconds.
    """

    version: int
    nonce: bytes
    status: str
    round: str
    acting: list[str]
    updated_at: int
    next_action_id: int
    result: dict[str, int] = {}
    end_reason: str = ""


class Entry(msgspec.Struct, array_like=True):
    """One raw log entry: action and events as JSON text, time of writing in unix milliseconds.

    ``nonce`` is that of the head written with it; archived entries have none.
    """

    version: int
    action: bytes
    events: bytes
    created_at: int
    nonce: bytes = b""


class Block(msgspec.Struct, array_like=True):
    """Entries of consecutive versions and the encoded states of those among them that are checkpoints."""

    entries: list[Entry]
    states: dict[int, bytes]


class History(msgspec.Struct):
    """The log from version 1 on, and the encoded states that are kept, by version."""

    entries: list[Entry]
    states: dict[int, bytes]


class Meta(msgspec.Struct):
    """Facts and head of a game."""

    facts: Facts
    head: Head


class Remembered(msgspec.Struct, array_like=True):
    """The answer to an idempotency key: fingerprint of the request, game and the head the answer showed."""

    fingerprint: bytes
    game_id: str
    head: Head


class Idempotency(msgspec.Struct):
    """A client's idempotency key and the fingerprint of the request it came with."""

    key: str
    fingerprint: bytes


class Update(msgspec.Struct):
    """A new version as announced to watchers; ``entry`` is None for a new game."""

    facts: Facts
    head: Head
    entry: Entry | None = None


class Page(msgspec.Struct):
    """Games of one page of a list; ``next_token`` is empty on the last page."""

    games: list[Meta]
    next_token: str
