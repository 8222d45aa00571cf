"""Compression of snapshots and archived log entries.

Every blob starts with one byte that names its form, so that later forms can be read beside earlier ones.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import zstandard

from services.rules.store.errors import DamagedLog, DamagedSnapshot
from services.rules.store.records import Entry

_ZSTD = b"\x01"
_LEVEL_STATE = 6
_LEVEL_LOG = 9
_MAXIMUM = 64 * 1024 * 1024

_state_compressor = zstandard.ZstdCompressor(level=_LEVEL_STATE, write_checksum=True, write_dict_id=False)
_log_compressor = zstandard.ZstdCompressor(level=_LEVEL_LOG, write_checksum=True, write_dict_id=False)
_decompressor = zstandard.ZstdDecompressor()
_entries = msgspec.msgpack.Decoder(list[Entry])


def _unpack(blob: bytes) -> bytes:
    if blob[:1] != _ZSTD:
        raise ValueError("unknown form")
    return _decompressor.decompress(blob[1:], max_output_size=_MAXIMUM)


def pack_state(state: bytes) -> bytes:
    """Compress an encoded state."""
    return _ZSTD + _state_compressor.compress(state)


def unpack_state(blob: bytes) -> bytes:
    """The inverse of :func:`pack_state`; raises :class:`DamagedSnapshot`."""
    try:
        return _unpack(blob)
    except (ValueError, zstandard.ZstdError) as error:
        raise DamagedSnapshot(f"a snapshot cannot be read: {error}") from error


def pack_entries(entries: Sequence[Entry]) -> bytes:
    """Compress log entries of consecutive versions."""
    return _ZSTD + _log_compressor.compress(msgspec.msgpack.encode(entries))


def unpack_entries(blob: bytes) -> list[Entry]:
    """The inverse of :func:`pack_entries`; raises :class:`DamagedLog`."""
    try:
        return _entries.decode(_unpack(blob))
    except (ValueError, zstandard.ZstdError, msgspec.MsgspecError) as error:
        raise DamagedLog(f"archived log entries cannot be read: {error}") from error
