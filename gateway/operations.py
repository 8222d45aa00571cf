"""How an endpoint is declared: a function plus everything that must be known about it.

The declaration drives both what happens to a request (authentication, limits, validation) and the OpenAPI
document, so the two cannot differ.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from types import ModuleType
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import msgspec
from flask import Response, request

from gateway import etags, idempotency, inputs
from gateway.auth import Principal, bearer_token

if TYPE_CHECKING:
    import redis

    from gateway.admission import Admission
    from gateway.auth import Tokens
    from gateway.config import Config
    from gateway.drawings import Drawings
    from gateway.jobs import Jobs
    from gateway.metrics import Metrics
    from gateway.readiness import Readiness
    from gateway.rules import RulesClient
    from gateway.seats import Seats
    from gateway.streams.hub import Hub

KIB = 1024
Query = TypeVar("Query")
Body = TypeVar("Body")


@dataclass(frozen=True)
class Services:
    """What endpoints work with; one for each process."""

    config: Config
    rules: RulesClient
    redis: redis.Redis
    tokens: Tokens
    admission: Admission
    hub: Hub
    jobs: Jobs
    seats: Seats
    drawings: Drawings
    metrics: Metrics
    readiness: Readiness


@dataclass(frozen=True)
class Call(Generic[Query, Body]):
    """One request, read and checked. `raw` is the body as it came; `expected_version` None: whatever is
    newest.
    """

    services: Services
    principal: Principal
    query: Query
    body: Body
    raw: bytes = b""
    idempotency_key: str = ""
    expected_version: int | None = None

    def read_game(self, game_id: str) -> None:
        """Raises `Problem` (403) if the caller may not see the game."""
        self.services.seats.require_reader(self.principal, game_id)


class _NoQuery(msgspec.Struct, forbid_unknown_fields=True):
    """No query parameters."""


@dataclass(frozen=True)
class Operation:
    """An endpoint. `path` is relative to `/api/v1` and has its parameters in braces.

    `scope`: what the token must have; None: no token needed. `returns`: status to schema (or a media type and
    a description, for what is no JSON). `conditional`: takes `If-Match`. `versioned`: answers with an ETag.
    `limited`: counts for rate limits.
    """

    method: str
    path: str
    tag: str
    handler: Callable[..., Response]
    scope: str | None
    query: type[Any] | None
    body: Any
    body_optional: bool
    body_limit: int
    returns: Mapping[int, Any]
    problems: tuple[str, ...]
    conditional: bool
    versioned: bool
    limited: bool
    decoder: msgspec.json.Decoder[Any] | None = field(default=None)

    @property
    def name(self) -> str:
        return self.handler.__name__

    @property
    def token_in_query(self) -> bool:
        """Whether the token may come as a query parameter."""
        return self.query is not None and "access_token" in self.query.__struct_fields__

    @property
    def summary(self) -> str:
        return inspect.cleandoc(self.handler.__doc__ or "").partition("\n")[0].rstrip(".")

    @property
    def description(self) -> str:
        return inspect.cleandoc(self.handler.__doc__ or "").partition("\n")[2].strip()

    def run(self, services: Services, arguments: dict[str, str]) -> Response:
        """Answer the request. Raises `Problem`."""
        inputs.check_ids(arguments)
        principal = self._authenticate(services)
        query = inputs.read_query(self.query or _NoQuery)
        key = idempotency.scoped_key(principal) if self.method == "POST" else ""
        expected = etags.expected_version() if self.conditional else None
        raw, body = b"", None
        if self.decoder is not None:
            raw = inputs.read_body(self.body_limit, optional=self.body_optional)
            body = inputs.decode_json(raw, self.decoder)
        return self.handler(Call(services, principal, query, body, raw, key, expected), **arguments)

    def _authenticate(self, services: Services) -> Principal:
        if self.scope is None:
            principal = Principal(subject=f"address:{request.remote_addr}")
            if self.limited:
                services.admission.admit(principal)
            return principal
        principal = services.tokens.principal(bearer_token(in_query=self.token_in_query))
        services.admission.admit(principal)
        if self.scope:
            principal.require(self.scope)
        return principal


def operation(
    method: str,
    path: str,
    *,
    tag: str,
    scope: str | None,
    returns: Mapping[int, Any],
    query: type[Any] | None = None,
    body: Any = None,
    body_optional: bool = False,
    body_limit: int = 64 * KIB,
    problems: Iterable[str] = (),
    conditional: bool = False,
    versioned: bool = False,
    limited: bool = True,
) -> Callable[[Callable[..., Response]], Operation]:
    """Declare the decorated function as an endpoint, see `Operation`; its docstring is the documentation."""

    def declare(handler: Callable[..., Response]) -> Operation:
        return Operation(
            method=method,
            path=path,
            tag=tag,
            handler=handler,
            scope=scope,
            query=query,
            body=body,
            body_optional=body_optional,
            body_limit=body_limit,
            returns=returns,
            problems=tuple(problems),
            conditional=conditional,
            versioned=versioned,
            limited=limited,
            decoder=None if body is None else msgspec.json.Decoder(body),
        )

    return declare


def operations_of(*modules: ModuleType) -> list[Operation]:
    """All endpoints declared in the modules, in order."""
    return [value for module in modules for value in vars(module).values() if isinstance(value, Operation)]


_ENCODER = msgspec.json.Encoder()


def answer(
    value: Any, status: int = 200, *, version: int | None = None, headers: Mapping[str, str] | None = None
) -> Response:
    """A JSON response; with a `version` it has the game's ETag, and a matching `If-None-Match` gives 304."""
    if version is not None and status == 200 and etags.is_not_modified(etags.etag(version)):
        response = Response(status=304)
    else:
        response = Response(_ENCODER.encode(value), status, content_type="application/json")
    if version is not None:
        response.headers["ETag"] = etags.etag(version)
        response.headers["Cache-Control"] = "private, no-cache"
        response.headers["Vary"] = "Authorization"
    for name, text in (headers or {}).items():
        response.headers[name] = text
    return response
