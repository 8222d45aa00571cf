"""Server-sent events and NDJSON."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from gateway import schemas

SSE = "text/event-stream"
NDJSON = "application/x-ndjson"
Format = Literal["text/event-stream", "application/x-ndjson"]

_ENCODER = msgspec.json.Encoder()


def encode(value: Any) -> bytes:
    """JSON text without line breaks."""
    data = _ENCODER.encode(value)
    return data.replace(b"\n", b" ") if b"\n" in data else data


def sse(event: str, data: bytes, event_id: int | None = None) -> bytes:
    """One server-sent event."""
    head = b"" if event_id is None else b"id: %d\n" % event_id
    return head + b"event: " + event.encode() + b"\ndata: " + data + b"\n\n"


def update(form: Format, line: schemas.Update, event_id: int) -> bytes:
    """An update that comes from the log."""
    data = encode(line)
    return sse("update", data, event_id) if form == SSE else data + b"\n"


def ready(form: Format, version: int | None, event_id: int | None) -> bytes:
    """The first thing a watcher gets."""
    line = schemas.Ready()
    if version is not None:
        line.version = version
    data = encode(line)
    return b"retry: 2000\n" + sse("ready", data, event_id) if form == SSE else data + b"\n"


def heartbeat(form: Format) -> bytes:
    """A sign of life that clients ignore: a comment, or an empty line."""
    return b": \n\n" if form == SSE else b"\n"
