"""Game state to bytes and back. The encoding is deterministic: equal states give equal bytes."""

from __future__ import annotations

import functools

import msgspec

from .state import GameState


@functools.cache
def _decoder(kind: type[GameState]) -> msgspec.msgpack.Decoder[GameState]:
    return msgspec.msgpack.Decoder(kind)


_ENCODER = msgspec.msgpack.Encoder()


def encode(state: GameState) -> bytes:
    """MessagePack bytes of a state, uncompressed."""
    return _ENCODER.encode(state)


def decode(data: bytes, kind: type[GameState] = GameState) -> GameState:
    """State of bytes written by :func:`encode`; raises ``msgspec.DecodeError`` for anything else."""
    return _decoder(kind).decode(data)
