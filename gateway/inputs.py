"""Reading requests: bodies with limits on size and depth, query parameters, ids in paths."""

from __future__ import annotations

import re
from typing import Any

import msgspec
from flask import request
from werkzeug.exceptions import HTTPException

from gateway import wording
from gateway.problems import Problem

MAX_DEPTH = 32
DRAIN_BYTES = 8 << 20
"""How much of an unwanted body is read and thrown away, so that the client gets to see the answer."""

_TOKENS = re.compile(rb'"(?:[^"\\]|\\.)*"|[\[\]{}]', re.DOTALL)
_AT = re.compile(r"^(.*?)(?: - at `\$(.*)`)?$", re.DOTALL)
_IDS = {
    "game_id": ("game", re.compile(r"[A-Za-z0-9_-]{1,64}")),
    "job_id": ("job", re.compile(r"[A-Za-z0-9_.-]{1,200}")),
    "title_id": ("title", re.compile(r"[A-Za-z0-9_-]{1,40}")),
    "token_id": ("token", re.compile(r"[A-Za-z0-9_.-]{1,200}")),
    "kind": ("kind of problem", re.compile(r"[a-z-]{1,40}")),
}


def check_ids(arguments: dict[str, str]) -> None:
    """Raises `Problem` (404) for an id that nothing can have."""
    for name, value in arguments.items():
        what, pattern = _IDS[name]
        if not pattern.fullmatch(value):
            raise Problem("not-found", f"There is no {what} with such an id.", code="malformed_id")


def read_body(limit: int, *, optional: bool) -> bytes:
    """The body of at most `limit` bytes. Raises `Problem`: 413, 415, 408 if the client falls silent in its middle, or
    400 if it cannot be read.

    `optional`: no body at all is the same as an empty JSON object.
    """
    encoding = request.headers.get("Content-Encoding", "identity").strip().lower()
    if encoding not in ("", "identity"):
        raise Problem(
            "unsupported-media-type",
            f"Bodies with Content-Encoding: {encoding[:40]} are not read here; send it plain.",
            code="unsupported_content_encoding",
            headers={"Accept-Encoding": "identity"},
        )
    length = request.content_length
    if length is not None and length > limit:
        raise _too_large(limit)
    request.max_content_length = limit + 1  # a body without a length is cut off there, not refused
    try:
        body = request.get_data(cache=False)
    except HTTPException as error:
        raise (_too_large(limit) if error.code == 413 else _unreadable(error)) from error
    except Exception as error:
        raise _unreadable(error) from error
    finally:
        request.environ["gateway.body_read"] = True
    if len(body) > limit:
        raise _too_large(limit)
    if optional and not body:
        return b"{}"
    if not (request.mimetype == "application/json" or request.mimetype.endswith("+json")):
        raise Problem("unsupported-media-type", "Send the body as JSON, with Content-Type: application/json.")
    return body


def drain() -> None:
    """Throw away a body nobody has read."""
    environ = request.environ
    if environ.get("gateway.body_read") or request.method not in ("POST", "PUT", "PATCH", "DELETE"):
        return
    environ["gateway.body_read"] = True
    chunked = environ.get("wsgi.input_terminated")
    left = DRAIN_BYTES if chunked else min(request.content_length or 0, DRAIN_BYTES)
    try:
        while left > 0:
            data = environ["wsgi.input"].read(min(left, 65536))
            if not data:
                return
            left -= len(data)
    except Exception:
        return


def decode_json(body: bytes, decoder: msgspec.json.Decoder[Any]) -> Any:
    """The body as the decoder's type. Raises `Problem`: 400 if it is no JSON, 422 if it does not fit."""
    if body.count(b"[") + body.count(b"{") > MAX_DEPTH and _depth(body) > MAX_DEPTH:
        raise Problem("bad-request", f"The JSON is nested more than {MAX_DEPTH} levels deep.", code="too_deep")
    try:
        return decoder.decode(body)
    except msgspec.ValidationError as error:
        raise invalid(str(error), schema=decoder.type) from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Problem("bad-request", f"The body is no valid JSON: {error}.", code="malformed_json") from error


def read_query(schema: type[Any]) -> Any:
    """The query parameters as a struct. Raises `Problem` (422) for unknown, repeated or wrong ones."""
    values: dict[str, str] = {}
    for name, given in request.args.lists():
        if len(given) > 1:
            raise Problem("invalid-request", f"The query parameter {name!r} is given more than once.")
        values[name] = given[0]
    try:
        return msgspec.convert(values, schema, strict=False)
    except msgspec.ValidationError as error:
        raise invalid(str(error), "query", schema=schema) from error


def invalid(message: str, where: str = "body", *, schema: Any = None) -> Problem:
    """422 for a message of msgspec about a value of `schema`, with the place in `details.path` and the values that may
    stand there in `details.choices`, where they are few.
    """
    match = _AT.match(message)
    text, place = (match[1], match[2] or "") if match else (message, "")
    choices: list[str] = []
    if schema is not None:
        text, choices = wording.reworded(text, place, schema)
    path = place.lstrip(".")
    detail = f"{text} in the {where}" + (f" at {path}" if path else "")
    details = {"in": where, "path": path} | ({"choices": choices} if choices else {})
    return Problem("invalid-request", detail + ".", details=details)


def _depth(body: bytes) -> int:
    depth = deepest = 0
    for token in _TOKENS.finditer(body):
        first = body[token.start()]
        if first in b"[{":
            depth += 1
            deepest = max(deepest, depth)
        elif first in b"]}":
            depth -= 1
    return deepest


def _too_large(limit: int) -> Problem:
    return Problem("body-too-large", f"The body may have at most {limit} bytes here.", details={"limit": limit})


def _unreadable(error: Exception) -> Problem:
    if isinstance(error, TimeoutError) or isinstance(error.__context__, TimeoutError):
        return Problem("request-timeout", "The rest of the body did not arrive in time.")
    return Problem("bad-request", "The body cannot be read to its end.", code="unreadable_body")
