"""The OpenAPI document is valid and describes what the gateway does; its page needs no other server."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from flask import Flask
from flask_openapi3.models import APISpec
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from tests.gateway.conftest import AS_OPERATOR, Client
from tests.gateway.fake_rules import FakeRules


@pytest.fixture
def document(client: Client) -> dict[str, Any]:
    found: dict[str, Any] = client.get("/api/v1/openapi.json").json
    return found


def _operations(document: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, item in document["paths"].items():
        for method, operation in item.items():
            yield path, method, operation


def _walk(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
        for part in value.values():
            yield from _walk(part)
    elif isinstance(value, list):
        for part in value:
            yield from _walk(part)


def test_the_document_is_openapi_3_1(document: dict[str, Any]) -> None:
    assert document["openapi"].startswith("3.1")
    APISpec.model_validate(document)
    for schema in document["components"]["schemas"].values():
        Draft202012Validator.check_schema(schema)
    for _, _, operation in _operations(document):
        for parameter in operation["parameters"]:
            Draft202012Validator.check_schema(parameter["schema"])


def test_every_reference_leads_somewhere(document: dict[str, Any]) -> None:
    schemas = document["components"]["schemas"]
    for part in _walk(document):
        if "$ref" in part:
            assert part["$ref"].removeprefix("#/components/schemas/") in schemas


def test_operations_have_unique_names_and_declare_their_parameters(document: dict[str, Any]) -> None:
    names = [operation["operationId"] for _, _, operation in _operations(document)]
    assert len(set(names)) == len(names)
    for path, _, operation in _operations(document):
        declared = [each["name"] for each in operation["parameters"] if each["in"] == "path"]
        assert declared == re.findall(r"{(\w+)}", path)
        assert operation["summary"]


def test_every_address_is_described(app: Flask, document: dict[str, Any]) -> None:
    described = {(path, method.upper()) for path, method, _ in _operations(document)}
    served = {
        (re.sub(r"<(\w+)>", r"{\1}", rule.rule), method)
        for rule in app.url_map.iter_rules()
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
        if rule.rule.startswith("/api/v1/") and not rule.endpoint.startswith("description.")
    }
    assert described == served


def test_answers_fit_their_schemas(client: Client, rules: FakeRules, document: dict[str, Any]) -> None:
    rules.append(rules.games["g1"], {"type": "pass"})
    headers = {**AS_OPERATOR, "If-Match": "*"}
    calls = [
        ("get", "/games", "/games", None),
        ("post", "/games", "/games", {"title": "toy", "players": [{"id": 1, "name": "A"}]}),
        ("get", "/games/{game_id}", "/games/g1", None),
        ("get", "/games/{game_id}/moves", "/games/g1/moves", None),
        ("get", "/games/{game_id}/log", "/games/g1/log", None),
        ("post", "/games/{game_id}/actions", "/games/g1/actions", {"type": "pass", "entity": 2}),
        ("post", "/games/{game_id}/undo", "/games/g1/undo", {}),
        ("post", "/games/{game_id}/routes", "/games/g1/routes", {}),
        ("get", "/titles", "/titles", None),
        ("get", "/titles/{title_id}", "/titles/toy", None),
        ("post", "/tokens", "/tokens", {"player": 1}),
        ("get", "/tokens/self", "/tokens/self", None),
        ("get", "/healthz", "/healthz", None),
        ("get", "/problems", "/problems", None),
        ("get", "/games/{game_id}", "/games/nope", None),
        ("get", "/titles/{title_id}", "/titles/nope", None),
    ]
    for method, template, path, body in calls:
        response = client.open("/api/v1" + path, method=method.upper(), json=body, headers=headers)
        described = document["paths"]["/api/v1" + template][method]["responses"][str(response.status_code)]
        schema = described["content"][response.content_type]["schema"]
        validator = Draft202012Validator({**schema, "components": document["components"]})
        validator.validate(response.json)


def test_every_answer_to_a_wrong_request_is_described(client: Client, document: dict[str, Any]) -> None:
    wrong: list[tuple[str, dict[str, str]]] = [
        ("?nonsense=1", {}),
        ("", {"Idempotency-Key": "with space"}),
        ("", {"Authorization": "Basic x"}),
        ("", {"Last-Event-ID": "x"}),
        ("", {"Accept": "image/png"}),
        ("", {"Content-Encoding": "gzip", "Content-Type": "application/json"}),
        ("", {"If-Match": "x"}),
        ("", {}),
    ]
    for path, method, operation in _operations(document):
        address = re.sub(r"{\w+}", "~", path) if "{" in path else path
        for query, headers in wrong:
            data = b"{" if method == "post" else None
            sent = {**AS_OPERATOR, **headers}
            response = client.open(address + query, method=method.upper(), headers=sent, data=data, buffered=False)
            assert str(response.status_code) in operation["responses"], (method, path, query, headers)
            response.close()


def test_the_page_loads_nothing_from_other_servers(client: Client) -> None:
    page = client.get("/api/v1/docs")
    assert page.content_type.startswith("text/html")
    assert not re.search(r"(?:src|href|url)\s*[=(]\s*\W?(?:https?:)?//", page.text)
    assert "default-src 'self'" in page.headers["Content-Security-Policy"]
    for link in re.findall(r'(?:src|spec-url)="([^"]+)"', page.text):
        assert client.get(f"/api/v1/{link}").status_code == 200


def test_every_type_of_problem_is_explained(client: Client, document: dict[str, Any]) -> None:
    kinds: Any = client.get("/api/v1/problems").json
    for kind in kinds:
        assert client.get(kind["type"]).json == kind
    assert {400, 401, 403, 404, 405, 409, 412, 413, 415, 422, 428, 429, 503} <= {kind["status"] for kind in kinds}
