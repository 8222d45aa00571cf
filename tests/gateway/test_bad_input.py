"""Whatever is sent: a 4xx problem document that says what is wrong, never a 5xx, never a changed game."""

from __future__ import annotations

import gzip
import json
import random
from typing import Any

import pytest

from gateway.app import OPERATIONS
from tests.gateway.conftest import AS_OPERATOR, Client, assert_problem, token_for
from tests.gateway.fake_rules import FakeRules

PASS = {"type": "pass", "entity": 1, "entity_type": "player"}
ACTIONS = "/api/v1/games/g1/actions"


@pytest.fixture
def match(alice: dict[str, str]) -> dict[str, str]:
    return {**alice, "If-Match": "*"}


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"nonsense",
        b"\xff\xfe",
        b'{"type":"pass"}}',
        b'{"type": NaN}',
        b'{"type":"\xff"}',
        b"\x00",
        b'{"a":1,}',
    ],
)
def test_malformed_json_is_400(client: Client, match: dict[str, str], body: bytes) -> None:
    response = client.post(ACTIONS, data=body, content_type="application/json", headers=match)
    assert_problem(response, 400, "malformed_json")


@pytest.mark.parametrize(
    "body",
    [
        [],
        5,
        "pass",
        None,
        {},
        {"type": 5},
        {"type": None},
        {"type": ""},
        {"type": "x" * 65},
        {"type": "pass", "entity": []},
    ],
)
def test_json_of_the_wrong_shape_is_422(client: Client, match: dict[str, str], body: Any) -> None:
    response = client.post(ACTIONS, data=json.dumps(body), content_type="application/json", headers=match)
    assert_problem(response, 422, "invalid_request")


def test_a_wrong_field_is_named(client: Client, alice: dict[str, str]) -> None:
    body: dict[str, Any] = {"title": "toy", "players": [{"id": "1", "name": "A"}, {"id": "2", "name": 5}]}
    problem = assert_problem(client.post("/api/v1/games", json=body, headers=alice), 422)
    assert problem["details"] == {"in": "body", "path": "players[1].name"}
    body = {"title": "toy", "players": [{"id": "1", "name": "A"}], "colour": 1}
    problem = assert_problem(client.post("/api/v1/games", json=body, headers=alice), 422)
    assert "colour" in problem["detail"]


def test_json_nested_too_deep_is_400(client: Client, match: dict[str, str]) -> None:
    for body in (b"[" * 30000, b'{"type":"pass","a":' + b"[" * 40 + b"]" * 40 + b"}"):
        response = client.post(ACTIONS, data=body, content_type="application/json", headers=match)
        assert_problem(response, 400, "too_deep")
    wide = {"type": "pass", "entity": 1, "a": [[["[[[["]]] * 100}
    assert client.post(ACTIONS, json=wide, headers=match).status_code == 200


@pytest.mark.parametrize("path", ["/games/g1/actions", "/games", "/games/import", "/games/g1/routes", "/tokens"])
def test_a_body_of_2_mb_is_413(client: Client, path: str) -> None:
    headers = {**AS_OPERATOR, "If-Match": "*"}
    body = b'{"type":"' + b"x" * (2 << 20) + b'"}'
    response = client.post("/api/v1" + path, data=body, content_type="application/json", headers=headers)
    assert assert_problem(response, 413, "body_too_large")["details"]["limit"] <= 1 << 20


def test_a_compressed_body_is_415_with_the_reason(client: Client, match: dict[str, str]) -> None:
    headers = {**match, "Content-Type": "application/json", "Content-Encoding": "gzip"}
    response = client.post("/api/v1/games/g1/actions", data=gzip.compress(b"{}"), headers=headers)
    problem = assert_problem(response, 415, "unsupported_content_encoding")
    assert "gzip" in problem["detail"]
    assert response.headers["Accept-Encoding"] == "identity"
    headers["Content-Encoding"] = "identity"
    assert_problem(client.post("/api/v1/games/g1/actions", data=b"{}", headers=headers), 422)


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "", "nonsense"])
def test_another_media_type_is_415(client: Client, match: dict[str, str], kind: str) -> None:
    response = client.post(ACTIONS, data=json.dumps(PASS), content_type=kind, headers=match)
    assert_problem(response, 415)


@pytest.mark.parametrize(
    "game_id",
    [
        "..",
        "../g1",
        "..%2Fg1",
        "%2e%2e%2f%2e%2e%2fetc%2fpasswd",
        "g1%00",
        "g1%0a",
        "g 1",
        "g" * 65,
        "{g1}",
        "%ff",
    ],
)
def test_ids_that_leave_their_place_are_404(client: Client, alice: dict[str, str], game_id: str) -> None:
    for rest in ("", "/moves", "/events", "/map.svg", "/export"):
        assert_problem(client.get(f"/api/v1/games/{game_id}{rest}", headers=alice), 404)
    for place in ("titles", "jobs", "problems"):
        assert_problem(client.get(f"/api/v1/{place}/{game_id}", headers=alice), 404)


def test_an_unknown_game_is_404_everywhere(client: Client) -> None:
    headers = {**AS_OPERATOR, "If-Match": "*"}
    for path in ("", "/moves", "/log", "/export", "/events", "/map.svg", "/market.svg"):
        assert_problem(client.get(f"/api/v1/games/nope{path}", headers=headers), 404, "unknown_game")
    for path in ("actions", "undo", "redo", "routes"):
        response = client.post(f"/api/v1/games/nope/{path}", json=PASS if path == "actions" else {}, headers=headers)
        assert_problem(response, 404, "unknown_game")


def test_unknown_addresses_and_methods(client: Client) -> None:
    assert_problem(client.get("/api/v2/games"), 404)
    assert_problem(client.get("/api/v1/games/"), 404)
    assert_problem(client.get("//api/v1/titles"), 404)
    response = client.put("/api/v1/games", json={})
    assert_problem(response, 405)
    assert "POST" in response.headers["Allow"]


@pytest.mark.parametrize(
    "query",
    [
        "version=x",
        "version=-1",
        "version=",
        "version=1&version=1",
        "verison=1",
        "version=1.5",
        "version=" + "9" * 30,
    ],
)
def test_wrong_query_parameters_are_422(client: Client, alice: dict[str, str], query: str) -> None:
    for path in ("", "/moves"):
        assert_problem(client.get(f"/api/v1/games/g1{path}?{query}", headers=alice), 422, "invalid_request")


def test_the_token_of_another_player_is_403(client: Client) -> None:
    outsider = token_for(client, "3")
    response = client.post(ACTIONS, json=PASS, headers={**outsider, "If-Match": "*"})
    assert_problem(response, 403, "not_a_player")


def _mutated(random_: random.Random, text: str) -> str:
    """A text with a few characters or values changed, taken out or doubled."""
    for _ in range(random_.randint(1, 3)):
        at, kind = random_.randrange(len(text) + 1), random_.randrange(5)
        if kind == 0:
            text = text[:at] + random_.choice('{}[]",:\\0-1.eE\x00 \n\u20ac\ud83d\udca9') + text[at:]
        elif kind == 1:
            text = text[:at] + text[at + random_.randint(1, 4) :]
        elif kind == 2:
            text = text[:at] + text[at : at + 5] + text[at:]
        elif kind == 3:
            text = text.replace("1", random_.choice(["-1", "null", "1e400", "9" * 40, '"1"', "[]", "{}", "true"]), 1)
        else:
            text = text.replace(
                random_.choice(["pass", "toy", "player", "Ann"]), random_.choice(["", "../x", "A" * 500])
            )
    return text


def test_mutations_of_valid_requests_never_break_anything(client: Client, rules: FakeRules) -> None:
    random_ = random.Random(1830)
    requests = [
        ("/api/v1/games/g1/actions", PASS),
        ("/api/v1/games", {"title": "toy", "players": [{"id": 1, "name": "Ann"}], "options": [], "seed": 1}),
        ("/api/v1/games/import", {"id": 1, "title": "toy", "players": [{"id": 1, "name": "Ann"}]}),
        ("/api/v1/games/g1/undo", {"action_id": 1}),
        ("/api/v1/games/g1/routes", {"corporation": "PRR", "version": 1, "deadline": 1}),
        ("/api/v1/games/g1/routes/check", {"corporation": "PRR", "version": 1, "routes": [[1, 2], None]}),
        ("/api/v1/tokens", {"player": "1", "scopes": ["read"], "expires_in": 1}),
    ]
    refused = 0
    for _ in range(1500):
        path, body = random_.choice(requests)
        text = _mutated(random_, json.dumps(body)).encode("utf-8", "surrogatepass")
        headers = {**AS_OPERATOR, "If-Match": random_.choice(["*", '"0"', '"77"', "x"])}
        version = rules.games["g1"].version
        if random_.random() < 0.1:
            path = _mutated(random_, path)
        response = client.post(
            path.encode("ascii", "replace").decode(),
            data=text,
            content_type="application/json",
            headers=headers,
        )
        assert response.status_code < 500, (path, text, response.data)
        if response.status_code >= 400:
            refused += 1
            assert_problem(response, response.status_code)
            assert rules.games["g1"].version == version
    assert refused > 1000


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)
def test_no_token_and_no_body_are_refused_everywhere(client: Client, operation: Any) -> None:
    path = "/api/v1" + operation.path.format(game_id="g1", job_id="j", title_id="toy", token_id="t", kind="conflict")
    response = client.open(path, method=operation.method)
    if operation.scope is not None:
        assert_problem(response, 401, "unauthenticated")
        assert response.headers["WWW-Authenticate"].startswith("Bearer")
    if operation.body is not None and not operation.body_optional:
        response = client.open(path, method=operation.method, headers={**AS_OPERATOR, "If-Match": "*"})
        assert_problem(response, 415)
