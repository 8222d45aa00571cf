"""The OpenAPI 3.1 document, made from the declarations of the endpoints, and the page that shows it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from importlib.resources import files
from typing import Any

import msgspec

from gateway import problems, schemas
from gateway.operations import Operation

API_PREFIX = "/api/v1"
_REF = "#/components/schemas/{name}"
_INTRODUCTION = """\
Host and play 18xx games. The server knows the rules: it tells every legal move, refuses illegal ones with a
reason, and finds the best routes with a proof.

**Tokens.** `Authorization: Bearer <token>`. A player's token acts for one player; the operator's token
administers. Event streams and pictures also take `?access_token=`, for clients that cannot send headers.

**Versions.** A game's version counts the entries of its log. It is the game's `ETag`; `If-Match` with it
makes sure that you act on what you saw.

**Retries.** Send `Idempotency-Key` with a POST and repeat it as often as you like: it happens once, and you
get the first answer. After a 503 the change may have been made all the same, unless `details.maybe_written` is
false: repeat it with the same key.

**Errors** are problem documents (RFC 9457); `GET /api/v1/problems` lists their types. Any endpoint can answer
400, 401, 403, 404, 405, 408, 413, 414, 415, 422, 429, 431 and 503.
"""
_PARAMETER = re.compile(r"{(\w+)}")
_MEANINGS = {
    "game_id": "Id of a game.",
    "job_id": "Id of a job.",
    "title_id": "Id of a title.",
    "token_id": "Id of a token.",
    "kind": "Name of a type of problem.",
}


def document(operations: Iterable[Operation], version: str) -> dict[str, Any]:
    """The OpenAPI document as plain data; `version` is that of the software."""
    listed = list(operations)
    schemas_of, components = _components(listed)
    paths: dict[str, dict[str, Any]] = {}
    for operation in listed:
        item = paths.setdefault(API_PREFIX + operation.path, {})
        item[operation.method.lower()] = _operation(operation, schemas_of)
    tags = dict.fromkeys(operation.tag for operation in listed)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Roundhouse", "version": version, "description": _INTRODUCTION},
        "servers": [{"url": "/"}],
        "tags": [{"name": tag} for tag in tags],
        "paths": paths,
        "components": {
            "schemas": components,
            "securitySchemes": {
                "token": {"type": "http", "scheme": "bearer", "description": _scopes()},
                "token_in_query": {"type": "apiKey", "in": "query", "name": "access_token"},
            },
        },
    }


def _scopes() -> str:
    return "\n".join(f"* `{scope}`: {meaning}" for scope, meaning in schemas.SCOPES.items())


def _components(operations: list[Operation]) -> tuple[dict[Any, dict[str, Any]], dict[str, Any]]:
    types: list[Any] = [problems.ProblemDocument, schemas.Update, schemas.Ready]
    for operation in operations:
        types += [kind for kind in (operation.query, operation.body) if kind is not None]
        types += [kind for kind in operation.returns.values() if kind is not None and not isinstance(kind, dict)]
    unique = list(dict.fromkeys(types))
    found, components = msgspec.json.schema_components(unique, schema_hook=_raw_schema, ref_template=_REF)
    return dict(zip(unique, found, strict=True)), components


def _raw_schema(kind: type) -> dict[str, Any]:
    raise NotImplementedError(kind)


def _operation(operation: Operation, schema_of: dict[Any, dict[str, Any]]) -> dict[str, Any]:
    result: dict[str, Any] = {
        "operationId": operation.name,
        "tags": [operation.tag],
        "summary": operation.summary,
        "parameters": _parameters(operation),
        "responses": _responses(operation, schema_of),
        "security": _security(operation),
    }
    if operation.description:
        result["description"] = operation.description
    if operation.body is not None:
        result["requestBody"] = {
            "required": not operation.body_optional,
            "description": f"At most {operation.body_limit} bytes.",
            "content": {"application/json": {"schema": schema_of[operation.body]}},
        }
    return result


def _security(operation: Operation) -> list[dict[str, list[str]]]:
    if operation.scope is None:
        return []
    scopes = [operation.scope] if operation.scope else []
    allowed = [{"token": scopes}]
    if operation.token_in_query:
        allowed.append({"token_in_query": scopes})
    return allowed


def _parameters(operation: Operation) -> list[dict[str, Any]]:
    found = [
        {
            "name": name,
            "in": "path",
            "required": True,
            "description": _MEANINGS[name],
            "schema": {"type": "string"},
        }
        for name in _PARAMETER.findall(operation.path)
    ]
    if operation.query is not None:
        found += _query_parameters(operation.query)
    if operation.method == "POST":
        found.append(_header("Idempotency-Key", "Makes a repeated request happen once.", maximum=255))
    if operation.conditional:
        found.append(_header("If-Match", "ETag of the game you saw, or `*`.", required=True))
    if operation.versioned and operation.method == "GET":
        found.append(_header("If-None-Match", "ETag you have; 304 if it is still current."))
    if operation.tag == "Events":
        found.append(_header("Last-Event-ID", "Id of the last event you got."))
    if operation.tag == "Routes" and any("Job" in str(kind) for kind in operation.returns.values()):
        found.append(_header("Prefer", "`wait=N`: wait N seconds for the end of the job."))
    return found


def _header(name: str, description: str, *, required: bool = False, maximum: int | None = None) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "string"}
    if maximum is not None:
        schema["maxLength"] = maximum
    return {"name": name, "in": "header", "required": required, "description": description, "schema": schema}


def _query_parameters(query: type[Any]) -> list[dict[str, Any]]:
    (_,), components = msgspec.json.schema_components([query], ref_template=_REF)
    schema = components[query.__name__]
    required = set(schema.get("required", ()))
    found = []
    for name, about in schema["properties"].items():
        shape = {key: value for key, value in about.items() if key != "description"}
        parameter = {"name": name, "in": "query", "required": name in required, "schema": shape}
        if description := about.get("description") or _description(shape):
            parameter["description"] = description
        found.append(parameter)
    return found


def _description(shape: dict[str, Any]) -> str:
    return next((part["description"] for part in shape.get("anyOf", ()) if "description" in part), "")


def _responses(operation: Operation, schema_of: dict[Any, dict[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for status, kind in operation.returns.items():
        response: dict[str, Any] = {"description": _STATUS[status]}
        if isinstance(kind, dict):
            response["content"] = {media: {"schema": {"type": "string", "description": kind[media]}} for media in kind}
        elif kind is not None:
            response["content"] = {"application/json": {"schema": schema_of[kind]}}
        if operation.versioned:
            response["headers"] = {"ETag": {"description": "Version of the game.", "schema": {"type": "string"}}}
        found[str(status)] = response
    if operation.versioned and operation.method == "GET":
        found["304"] = {"description": "You have the current version."}
    problem = {problems.MEDIA_TYPE: {"schema": schema_of[problems.ProblemDocument]}}
    for status, titles in _problem_statuses(operation).items():
        found[str(status)] = {"description": " or ".join(titles), "content": problem}
    return found


def _problem_statuses(operation: Operation) -> dict[int, list[str]]:
    names = [*operation.problems, "invalid-request"]  # a query parameter may be unknown
    if "{" in operation.path:
        names.append("not-found")
    if operation.method == "POST":
        names.append("bad-request")  # a malformed Idempotency-Key
    if operation.scope is not None:
        names += ["unauthenticated", "forbidden"]
    if operation.limited:
        names += ["too-many-requests", "unavailable"]
    if operation.body is not None:
        names += ["bad-request", "request-timeout", "body-too-large", "unsupported-media-type"]
    if operation.conditional:
        names += ["bad-request", "precondition-required"]
    found: dict[int, list[str]] = {}
    for name in dict.fromkeys(names):
        kind = problems.KINDS[name]
        found.setdefault(kind.status, []).append(kind.title)
    return dict(sorted(found.items()))


_STATUS = {200: "OK", 201: "Created", 202: "Accepted: the job is under way", 204: "Done"}

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Roundhouse API</title>
<style>body { margin: 0 }</style>
</head>
<body>
<redoc spec-url="openapi.json" disable-search="false" hide-download-button="false"></redoc>
<script src="docs/redoc.js"></script>
</body>
</html>
"""
PAGE_POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; font-src 'self' data:; worker-src 'self' blob:; child-src blob:"
)


def script() -> bytes:
    """The program that shows the document, from an installed package."""
    package = files("flask_openapi3_redoc")
    return (package / "templates" / "redoc" / "js" / "redoc.standalone.js").read_bytes()
