"""Problem documents (RFC 9457): every error of the gateway, and the one place that renders them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from flask import Response
from werkzeug.exceptions import HTTPException

MEDIA_TYPE = "application/problem+json"
PREFIX = "/api/v1/problems/"


class Kind(msgspec.Struct, frozen=True):
    """A type of problem: the last part of its URI, its HTTP status, title and explanation."""

    name: str
    status: int
    title: str
    meaning: str


class ProblemDocument(msgspec.Struct, omit_defaults=True):
    """An error. `code` is stable and for programs, `detail` is a sentence for people."""

    type: str
    title: str
    status: int
    detail: str
    code: str
    details: dict[str, Any] = {}


def _kinds(*kinds: Kind) -> dict[str, Kind]:
    return {kind.name: kind for kind in kinds}


KINDS = _kinds(
    Kind("bad-request", 400, "Malformed request", "The body, a header or a query parameter cannot be read."),
    Kind("unauthenticated", 401, "No valid token", "Send `Authorization: Bearer <token>`."),
    Kind("forbidden", 403, "Not allowed", "The token's player or scopes do not permit this."),
    Kind("not-found", 404, "Not found", "No such resource, game, version, title or job."),
    Kind("method-not-allowed", 405, "Method not allowed", "The header `Allow` lists the methods there are."),
    Kind("not-acceptable", 406, "Not acceptable", "No media type of `Accept` can be produced."),
    Kind("request-timeout", 408, "Request not complete", "The body did not arrive in time; the connection ends."),
    Kind("conflict", 409, "Conflict", "The game or resource is not in a state that permits this now."),
    Kind(
        "stale-version",
        412,
        "Somebody acted first",
        "The version in `If-Match` is not the newest. `ETag` and `details.version` have the current one.",
    ),
    Kind("body-too-large", 413, "Body too large", "`details.limit` is the most bytes accepted here."),
    Kind("uri-too-long", 414, "Address too long", "The request line is longer than the server reads."),
    Kind("unsupported-media-type", 415, "Unsupported media type", "Send the body as `application/json`."),
    Kind("invalid-request", 422, "Invalid request", "Well-formed, but a field is missing, unknown or wrong."),
    Kind(
        "illegal-action",
        422,
        "Illegal action",
        "The rules of the game forbid the action now; `code` says which rule, `detail` why.",
    ),
    Kind(
        "idempotency-key-reused",
        422,
        "Idempotency key used before",
        "The key of `Idempotency-Key` belongs to an earlier, different request.",
    ),
    Kind("precondition-required", 428, "If-Match needed", "Send `If-Match` with the game's ETag, or `*`."),
    Kind("too-many-requests", 429, "Too many requests", "Wait for the seconds of `Retry-After`."),
    Kind(
        "headers-too-large",
        431,
        "Headers too large",
        "The request's headers are longer than the server reads.",
    ),
    Kind("internal", 500, "Internal error", "A fault of the gateway; it has been logged."),
    Kind("bad-gateway", 502, "Internal error", "A fault of a service behind the gateway; it has been logged."),
    Kind(
        "unavailable",
        503,
        "Service unavailable",
        "A service cannot be reached or cannot write; try again after `Retry-After`. A change was not made if "
        "`details.maybe_written` is false. Where it is true or missing this is not known: the same request with the "
        "same `Idempotency-Key` makes the change once, or gives the answer it had.",
    ),
)

_BY_STATUS = {
    kind.status: kind for kind in KINDS.values() if kind.name not in ("illegal-action", "idempotency-key-reused")
}


class Problem(Exception):
    """Raised anywhere in a request to end it with a problem document."""

    def __init__(
        self,
        kind: str,
        detail: str,
        *,
        code: str = "",
        details: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(detail)
        self.kind = KINDS[kind]
        self.detail = detail
        self.code = code or kind.replace("-", "_")
        self.details = dict(details or {})
        self.headers = dict(headers or {})

    def body(self) -> bytes:
        """The document as JSON."""
        document = ProblemDocument(
            type=PREFIX + self.kind.name,
            title=self.kind.title,
            status=self.kind.status,
            detail=self.detail,
            code=self.code,
            details=self.details,
        )
        return msgspec.json.encode(document)

    def response(self) -> Response:
        """The document as an HTTP response."""
        response = Response(self.body(), self.kind.status, content_type=MEDIA_TYPE)
        response.headers["Cache-Control"] = "no-store"
        for name, value in self.headers.items():
            response.headers[name] = value
        return response


def unavailable(detail: str, code: str, retry_after: int = 1) -> Problem:
    """A dependency cannot be reached; `retry_after` in seconds."""
    return Problem("unavailable", detail, code=code, headers={"Retry-After": str(retry_after)})


def from_http_exception(error: HTTPException) -> Response:
    """What Flask and Werkzeug raise themselves, as a problem document."""
    status = error.code or 500
    if status < 400:
        return Response(status=status, headers=[(k, v) for k, v in error.get_headers() if k == "Location"])
    kind = _BY_STATUS.get(status) or (KINDS["bad-request"] if status < 500 else KINDS["internal"])
    detail = _DETAILS.get(status) or error.description or kind.meaning
    problem = Problem(kind.name, detail)
    for name, value in error.get_headers():
        if name in ("Allow", "Retry-After", "WWW-Authenticate"):
            problem.headers[name] = value
    return problem.response()


_DETAILS = {
    404: "There is nothing at this address.",
    405: "This address does not support the method of the request.",
}
