"""Conditional requests: the ETag of a game is its version in quotes."""

from __future__ import annotations

import re

from flask import request

from gateway.problems import Problem

_VERSION = re.compile(r'(?:W/)?"(\d{1,15})"|(\d{1,15})')


def etag(version: int) -> str:
    """The ETag of a game at a version."""
    return f'"{version}"'


def expected_version() -> int | None:
    """The version in `If-Match`; None for `*`, whatever is newest.

    A weak tag (made weak by a proxy that compresses) and a bare number are understood too. Raises `Problem`:
    428 without the header, 400 if it is neither a version nor `*`.
    """
    header = request.headers.get("If-Match", "").strip()
    if not header:
        raise Problem(
            "precondition-required",
            'Send If-Match with the ETag of the game you saw, for example If-Match: "12", or If-Match: *.',
        )
    if header == "*":
        return None
    match = _VERSION.fullmatch(header)
    if not match:
        raise Problem(
            "bad-request", 'If-Match must be one ETag of a game, for example "12", or *.', code="bad_if_match"
        )
    return int(match[1] or match[2])


def is_not_modified(tag: str) -> bool:
    """Whether `If-None-Match` of a GET or HEAD names this ETag."""
    header = request.headers.get("If-None-Match")
    if header is None or request.method not in ("GET", "HEAD"):
        return False
    tags = (part.strip().removeprefix("W/") for part in header.split(","))
    return header.strip() == "*" or tag in tags
