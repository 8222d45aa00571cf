"""Route optimization jobs and checks of routes."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import redis
from flask import Flask

from tests.gateway.conftest import AS_OPERATOR, Client, FakeRouting, assert_problem
from tests.gateway.fake_rules import FakeRules

ROUTES = "/api/v1/games/g1/routes"


def test_a_job_is_started_and_read(client: Client, routing: FakeRouting, alice: dict[str, str]) -> None:
    started = client.post(ROUTES, json={"corporation": "NYC"}, headers=alice)
    assert started.status_code == 202
    location = started.headers["Location"]
    job = client.get(location, headers=alice)
    assert job.status_code == 200
    assert job.json["state"] == "running"
    assert job.json["corporation"] == "NYC"
    assert job.json["progress"] == {"lower": 100, "upper": 150}
    assert "result" not in job.json
    routing.state = "done"
    result = client.get(location, headers=alice).json["result"]
    assert (result["revenue"], result["upper_bound"], result["proven"]) == (120, 120, True)
    assert result["action"] == {"type": "run_routes", "routes": [[1, 2], None]}


def test_the_answer_comes_at_once_if_it_is_ready_in_time(
    client: Client, routing: FakeRouting, rules: FakeRules, alice: dict[str, str]
) -> None:
    routing.state = "done"
    response = client.post(ROUTES, headers={**alice, "Prefer": "respond-async, wait=5"})
    assert response.status_code == 200
    assert response.headers["Preference-Applied"] == "wait=5"
    assert response.json["result"]["revenue"] == 120
    client.get(f"/api/v1/jobs/{response.json['id']}", headers=alice)
    assert rules.calls["CheckRoutes"] == 1


def test_who_waits_gets_the_answer_when_it_is_there(
    client: Client, routing: FakeRouting, alice: dict[str, str]
) -> None:
    routing.ends_after = 5
    response = client.post(ROUTES, headers={**alice, "Prefer": "wait=30"})
    assert (response.status_code, response.json["state"], routing.asked) == (200, "done", 5)


def test_a_wait_ends_without_an_answer_and_asks_ever_more_rarely(
    client: Client, routing: FakeRouting, alice: dict[str, str]
) -> None:
    response = client.post(ROUTES, headers={**alice, "Prefer": "wait=1"})
    assert (response.status_code, response.json["state"]) == (202, "running")
    assert routing.asked < 50, "5 ms apart would be 200 times"


def test_more_callers_than_connections_to_redis_wait_for_one(app: Flask, redis_url: str) -> None:
    """As many requests may come at once as there are connections to the gateway."""
    gateway_redis, server = app.extensions["gateway"].redis, redis.Redis.from_url(redis_url)
    server.client_pause(500)
    with ThreadPoolExecutor(200) as threads:
        assert list(threads.map(gateway_redis.get, ["nothing"] * 200)) == [None] * 200


def test_a_repeated_start_with_the_same_key_is_one_job(
    client: Client, routing: FakeRouting, alice: dict[str, str]
) -> None:
    headers = {**alice, "Idempotency-Key": "r1"}
    jobs = {client.post(ROUTES, json={}, headers=headers).json["id"] for _ in range(3)}
    assert len(jobs) == routing.submitted == 1
    response = client.post(ROUTES, json={"corporation": "B&O"}, headers=headers)
    assert_problem(response, 422, "idempotency_key_reused")


def test_a_job_is_cancelled(client: Client, alice: dict[str, str]) -> None:
    location = client.post(ROUTES, json={}, headers=alice).headers["Location"]
    assert client.delete(location, headers=alice).json["state"] == "cancelled"
    assert client.get(location, headers=alice).json["state"] == "cancelled"


def test_a_job_belongs_to_who_started_it(client: Client, alice: dict[str, str], bob: dict[str, str]) -> None:
    location = client.post(ROUTES, json={}, headers=alice).headers["Location"]
    assert_problem(client.get(location, headers=bob), 403, "not_your_job")
    assert_problem(client.delete(location, headers=bob), 403, "not_your_job")
    assert client.get(location, headers=AS_OPERATOR).status_code == 200


def test_an_unknown_job_is_404(client: Client, alice: dict[str, str]) -> None:
    for method in (client.get, client.delete):
        assert_problem(method("/api/v1/jobs/nope.1", headers=alice), 404, "unknown_job")


def test_routes_the_rules_reject_make_a_failed_job(
    client: Client, routing: FakeRouting, rules: FakeRules, alice: dict[str, str]
) -> None:
    routing.state, rules.routes_legal = "done", False
    job = client.post(ROUTES, json={}, headers=alice).json
    assert job["state"] == "failed"
    assert "no token" in job["error"]


@pytest.mark.parametrize("command", ["get", "set"])
def test_a_redis_that_fails_at_the_end_of_a_job_is_no_fault_of_the_gateway(
    app: Flask,
    client: Client,
    routing: FakeRouting,
    alice: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
    command: str,
) -> None:
    location = client.post(ROUTES, json={}, headers=alice).headers["Location"]
    routing.state = "done"
    client_of_redis = app.extensions["gateway"].redis
    real = getattr(client_of_redis, command)

    def broken(key: str, *rest: Any, **options: Any) -> Any:
        if key.endswith(":answer"):
            raise redis.ConnectionError("gone")
        return real(key, *rest, **options)

    monkeypatch.setattr(client_of_redis, command, broken)
    response = client.get(location, headers=alice)
    if command == "get":
        assert_problem(response, 503, "redis_unavailable")
    else:
        assert response.json["result"]["revenue"] == 120


def test_routes_are_checked(client: Client, rules: FakeRules, alice: dict[str, str]) -> None:
    body = {"corporation": "PRR", "routes": [[3, 4], None]}
    checked = client.post(f"{ROUTES}/check", json=body, headers=alice).json
    assert checked["action"]["routes"] == [[3, 4], None]
    assert checked["revenue"] == 120
    rules.routes_legal = False
    assert_problem(client.post(f"{ROUTES}/check", json=body, headers=alice), 409, "illegal_route")
    for routes in ("x", [["a"]], [[1.5]], None):
        assert_problem(client.post(f"{ROUTES}/check", json={"routes": routes}, headers=alice), 422)


def test_wrong_parameters_of_a_job_are_422(client: Client, alice: dict[str, str]) -> None:
    for body in ({"deadline": 0}, {"deadline": -1}, {"queue": "fast"}, {"version": "x"}, {"corp": "PRR"}):
        assert_problem(client.post(ROUTES, json=body, headers=alice), 422, "invalid_request")
