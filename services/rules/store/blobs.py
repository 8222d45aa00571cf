"""Compression of states and archive blocks.

Every blob starts with one byte that names its form, so that later forms can be read beside earlier ones.
"""

from __future__ import annotations

import msgspec
import zstandard

from services.rules.store.errors import DamagedLog, DamagedState
from services.rules.store.records import Block

_ZSTD = b"\x01"
_STATE_LEVEL = 3
_BLOCK_LEVEL = 6
_MAXIMUM = 64 * 1024 * 1024

_state_compressor = zstandard.ZstdCompressor(level=_STATE_LEVEL, write_checksum=True)
_block_compressor = zstandard.ZstdCompressor(level=_BLOCK_LEVEL, write_checksum=True)
_decompressor = zstandard.ZstdDecompressor()
_encoder = msgspec.msgpack.Encoder()
_blocks = msgspec.msgpack.Decoder(Block)


def _unpack(blob: bytes) -> bytes:
    if blob[:1] != _ZSTD:
        raise ValueError("unknown form")
    return _decompressor.decompress(blob[1:], max_output_size=_MAXIMUM)


def pack_state(state: bytes) -> bytes:
    """Compress an encoded state (5 KB become 2 KB late in a game)."""
    return _ZSTD + _state_compressor.compress(state)


def unpack_state(blob: bytes) -> bytes:
    """The inverse of :func:`pack_state`; raises :class:`DamagedState`."""
    try:
        return _unpack(blob)
    except (ValueError, zstandard.ZstdError) as error:
        raise DamagedState(f"a state cannot be read: {error}") from error


def pack_block(block: Block) -> bytes:
    """Compress an archive block: neighboring entries and states are alike, so that a state adds some 400
    bytes.
    """
    return _ZSTD + _block_compressor.compress(_encoder.encode(block))


def unpack_block(blob: bytes) -> Block:
    """The inverse of :func:`pack_block`; raises :class:`DamagedLog`."""
    try:
        return _blocks.decode(_unpack(blob))
    except (ValueError, zstandard.ZstdError, msgspec.MsgspecError) as error:
        raise DamagedLog(f"archived log entries cannot be read: {error}") from error
