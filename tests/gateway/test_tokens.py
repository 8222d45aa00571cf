"""Tokens, scopes, revocation, rate limits and cross-origin rules."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from flask import Flask

from gateway import admission, auth
from tests.gateway.conftest import AS_OPERATOR, OPERATOR, Client, assert_problem, token_for


def test_only_the_operator_issues_tokens(client: Client, alice: dict[str, str]) -> None:
    problem = assert_problem(client.post("/api/v1/tokens", json={"player": "2"}, headers=alice), 403, "scope_missing")
    assert problem["details"] == {"scope": "operator"}


def test_a_token_says_whom_it_acts_for(client: Client) -> None:
    headers = token_for(client, "Zoë / 7", scopes=["play", "read"], expires_in=60)
    about = client.get("/api/v1/tokens/self", headers=headers).json
    assert (about["player"], about["scopes"]) == ("Zoë / 7", ["play", "read"])
    assert about["expires_at"] - about["issued_at"] == 60_000


def test_the_same_key_gives_the_same_token(client: Client) -> None:
    headers = {**AS_OPERATOR, "Idempotency-Key": "k"}
    tokens = {client.post("/api/v1/tokens", json={"player": 5}, headers=headers).json["token"] for _ in range(2)}
    assert len(tokens) == 1
    assert_problem(client.post("/api/v1/tokens", json={"player": 6}, headers=headers), 422, "idempotency_key_reused")


@pytest.mark.parametrize(
    "header",
    [
        "",
        "Bearer",
        "Bearer ",
        "Basic abc",
        "Bearer x",
        "Bearer rh_x",
        "Bearer rh_W10.x",
        "Bearer ä\u0080",
        OPERATOR,
    ],
)
def test_a_wrong_token_is_401(client: Client, header: str) -> None:
    response = client.get("/api/v1/games", headers={"Authorization": header})
    assert_problem(response, 401)
    assert "Bearer" in response.headers["WWW-Authenticate"]


def test_a_changed_token_is_401(client: Client, alice: dict[str, str]) -> None:
    token = alice["Authorization"]
    for at in range(12, len(token) - 1, 7):
        changed = token[:at] + ("A" if token[at] != "A" else "B") + token[at + 1 :]
        assert_problem(client.get("/api/v1/games", headers={"Authorization": changed}), 401, "invalid_token")


def test_a_token_of_another_secret_is_401(make_app: Callable[..., Flask], client: Client) -> None:
    other = make_app(token_secret="another-secret-of-tests").test_client()
    assert_problem(client.get("/api/v1/games", headers=token_for(other, "1")), 401, "invalid_token")


def test_an_expired_token_is_401(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    headers = token_for(client, "1", expires_in=60)
    later = auth.now_ms() + 61_000
    monkeypatch.setattr(auth, "now_ms", lambda: later)
    assert_problem(client.get("/api/v1/games", headers=headers), 401, "expired_token")


def test_scopes_limit_what_a_token_may_do(client: Client) -> None:
    reader = {**token_for(client, "1", scopes=["read"]), "If-Match": "*"}
    assert client.get("/api/v1/games/g1", headers=reader).status_code == 200
    action = {"type": "pass", "entity": 1}
    assert_problem(client.post("/api/v1/games/g1/actions", json=action, headers=reader), 403, "scope_missing")
    assert_problem(client.post("/api/v1/games/g1/routes", json={}, headers=reader), 403, "scope_missing")
    assert_problem(client.post("/api/v1/games", json={"title": "toy", "players": []}, headers=reader), 403)
    player = token_for(client, "1", scopes=["play"])
    assert_problem(client.get("/api/v1/games/g1", headers=player), 403, "scope_missing")


def test_the_operator_revokes_a_token(client: Client) -> None:
    kept, gone = token_for(client, "1"), token_for(client, "1")
    token_id = client.get("/api/v1/tokens/self", headers=gone).json["id"]
    assert_problem(client.delete(f"/api/v1/tokens/{token_id}", headers=kept), 403)
    assert client.delete(f"/api/v1/tokens/{token_id}", headers=AS_OPERATOR).status_code == 204
    assert_problem(client.get("/api/v1/games", headers=gone), 401, "revoked_token")
    assert client.get("/api/v1/games", headers=kept).status_code == 200
    assert_problem(client.delete("/api/v1/tokens/.", headers=AS_OPERATOR), 404)


def test_all_tokens_of_a_player_are_revoked(client: Client, bob: dict[str, str]) -> None:
    gone = [token_for(client, "1"), token_for(client, "1")]
    assert client.delete("/api/v1/tokens?player=1", headers=AS_OPERATOR).status_code == 204
    for headers in gone:
        assert_problem(client.get("/api/v1/games", headers=headers), 401, "revoked_token")
    assert client.get("/api/v1/games", headers=bob).status_code == 200


def test_a_player_revokes_its_own_token(client: Client, alice: dict[str, str]) -> None:
    assert client.delete("/api/v1/tokens/self", headers=alice).status_code == 204
    assert_problem(client.get("/api/v1/tokens/self", headers=alice), 401, "revoked_token")
    assert_problem(client.delete("/api/v1/tokens/self", headers=AS_OPERATOR), 409)


def test_a_token_in_the_query_is_for_streams_and_pictures_only(client: Client, alice: dict[str, str]) -> None:
    token = alice["Authorization"].split()[1]
    assert client.head(f"/api/v1/games/g1/events?access_token={token}").status_code == 200
    assert_problem(client.get(f"/api/v1/games/g1?access_token={token}"), 401, "unauthenticated")


def test_players_have_a_rate_limit_across_gateways(make_app: Callable[..., Flask]) -> None:
    clients = [make_app(rate_limit=1, rate_burst=4).test_client() for _ in range(2)]
    alice, bob = token_for(clients[0], "1"), token_for(clients[0], "2")
    statuses = [clients[turn % 2].get("/api/v1/games", headers=alice).status_code for turn in range(6)]
    assert statuses == [200, 200, 200, 200, 429, 429]
    response = clients[0].get("/api/v1/games", headers=alice)
    assert_problem(response, 429, "too_many_requests")
    assert 0 < int(response.headers["Retry-After"]) <= 60
    assert clients[0].get("/api/v1/games", headers=bob).status_code == 200
    for _ in range(6):
        assert clients[0].get("/api/v1/games", headers=AS_OPERATOR).status_code == 200
        assert clients[0].get("/healthz").status_code == 200


def test_callers_without_a_token_have_a_rate_limit_by_address(make_app: Callable[..., Flask]) -> None:
    client = make_app(rate_limit=1, rate_burst=2, proxies=1).test_client()
    statuses = [client.get("/api/v1/titles", headers={"X-Forwarded-For": "10.0.0.1"}).status_code for _ in range(3)]
    assert statuses == [200, 200, 429]
    assert client.get("/api/v1/titles", headers={"X-Forwarded-For": "10.0.0.2"}).status_code == 200


def test_browsers_may_call_from_the_origins_allowed(make_app: Callable[..., Flask]) -> None:
    client = make_app(cors_origins=("https://play.example",)).test_client()
    asks = {"Origin": "https://play.example", "Access-Control-Request-Method": "POST"}
    preflight = client.options("/api/v1/games/g1/actions", headers=asks)
    assert preflight.status_code == 204
    assert preflight.headers["Access-Control-Allow-Origin"] == "https://play.example"
    assert "If-Match" in preflight.headers["Access-Control-Allow-Headers"]
    response = client.get("/api/v1/titles", headers={"Origin": "https://play.example"})
    assert "ETag" in response.headers["Access-Control-Expose-Headers"]
    assert "Origin" in response.headers["Vary"]
    foreign = client.get("/api/v1/titles", headers={"Origin": "https://other.example"})
    assert "Access-Control-Allow-Origin" not in foreign.headers


def test_without_origins_browsers_may_not_call(client: Client) -> None:
    response = client.get("/api/v1/titles", headers={"Origin": "https://play.example"})
    assert "Access-Control-Allow-Origin" not in response.headers


def test_a_revocation_reaches_other_gateways_within_a_moment(make_app: Callable[..., Flask]) -> None:
    here, there = make_app().test_client(), make_app().test_client()
    alice = token_for(here, "1")
    assert there.get("/api/v1/games", headers=alice).status_code == 200
    here.delete("/api/v1/tokens/self", headers=alice)
    time.sleep(admission.TRUST_SECONDS)
    assert_problem(there.get("/api/v1/games", headers=alice), 401, "revoked_token")


def test_requests_admitted_without_asking_count_in_the_end(make_app: Callable[..., Flask]) -> None:
    clients = [make_app(rate_limit=60, rate_burst=200).test_client() for _ in range(2)]
    alice = token_for(clients[0], "1")
    statuses = [clients[turn % 2].get("/api/v1/tokens/self", headers=alice).status_code for turn in range(240)]
    assert 200 <= statuses.count(200) <= 225
    assert statuses[-1] == 429
