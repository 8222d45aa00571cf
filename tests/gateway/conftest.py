"""A gateway in this process, with a fake rules service, a fake routing client and a real Redis server."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import redis
from flask import Flask

from gateway import app as gateway_app
from gateway.config import Config
from tests.gateway.fake_rules import FakeRules, serve
from tests.redis_server import running_redis

Client = Any
"""The test client of Flask; its `json` is whatever the gateway answers."""

OPERATOR = "operator-token-of-the-tests"
AS_OPERATOR = {"Authorization": f"Bearer {OPERATOR}"}


@pytest.fixture(scope="session")
def redis_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """URL of a Redis server of our own."""
    with running_redis(tmp_path_factory.mktemp("redis")) as url:
        yield url


class FakeRouting:
    """Jobs by hand: tests set `state` and `solution`."""

    def __init__(self) -> None:
        self.jobs: dict[str, dict[str, Any]] = {}
        self.state = "running"
        self.solution: dict[str, Any] = {
            "revenue": 120,
            "upper_bound": 120,
            "proven": True,
            "routes": [[1, 2], None],
        }
        self.submitted = 0
        self.asked = 0
        self.ends_after = 0
        """So many questions later the job is done."""

    def submit(self, problem_json: bytes, queue: str = "interactive", deadline_s: float | None = None) -> str:
        self.submitted += 1
        job_id = f"job{self.submitted}.{id(self)}"
        self.jobs[job_id] = {}
        return job_id

    def status(self, job_id: str) -> dict[str, Any]:
        if job_id not in self.jobs:
            raise LookupError(job_id)
        self.asked += 1
        if self.asked == self.ends_after:
            self.state = "done"
        status: dict[str, Any] = {"state": self.state, "progress": {"lower": 100, "upper": 150}}
        if self.state == "done":
            status["result"] = self.solution
        return status

    def cancel(self, job_id: str) -> None:
        self.state = "cancelled"


@pytest.fixture
def routing() -> FakeRouting:
    return FakeRouting()


@pytest.fixture
def rules() -> Iterator[FakeRules]:
    fake = FakeRules()
    server, fake.port = serve(fake)
    fake.add_game("g1")
    yield fake
    fake.cut_watchers()
    server.stop(0)


@pytest.fixture
def make_app(rules: FakeRules, redis_url: str, routing: FakeRouting) -> Iterator[Callable[..., Flask]]:
    """Makes gateways with the given settings."""
    made: list[Flask] = []
    redis.Redis.from_url(redis_url).flushall()

    def make(**settings: Any) -> Flask:
        given = {
            "operator_token": OPERATOR,
            "token_secret": "secret-of-the-tests",
            "rules_address": f"127.0.0.1:{rules.port}",
            "redis_url": redis_url,
            "rate_limit": 0,
            "rules_channels": 2,
            "heartbeat": 0.2,
        }
        made.append(gateway_app.create_app(Config(**{**given, **settings}), routing=routing))
        return made[-1]

    yield make
    for app in made:
        gateway_app.close(app)


@pytest.fixture
def app(make_app: Callable[..., Flask]) -> Flask:
    return make_app()


@pytest.fixture
def client(app: Flask) -> Client:
    return app.test_client()


def token_for(client: Client, player: str, **wanted: Any) -> dict[str, str]:
    """Headers with a new token of a player."""
    response = client.post("/api/v1/tokens", json={"player": player, **wanted}, headers=AS_OPERATOR)
    assert response.status_code == 201, response.data
    return {"Authorization": f"Bearer {response.json['token']}"}


@pytest.fixture
def alice(client: Client) -> dict[str, str]:
    """Headers of player 1."""
    return token_for(client, "1")


@pytest.fixture
def bob(client: Client) -> dict[str, str]:
    """Headers of player 2."""
    return token_for(client, "2")


def assert_problem(response: Any, status: int, code: str = "") -> dict[str, Any]:
    """Check that a response is a complete problem document and return it."""
    assert response.status_code == status, (response.status_code, response.data)
    assert response.content_type == "application/problem+json", response.content_type
    document: dict[str, Any] = response.json
    assert document["status"] == status
    assert document["type"].startswith("/api/v1/problems/")
    assert document["title"] and document["detail"] and document["code"]
    if code:
        assert document["code"] == code, document
    return document
