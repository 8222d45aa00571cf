"""`/readyz`: whether the services behind the gateway can do their work."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import redis
from flask import Flask

from gateway import readiness
from tests.gateway.conftest import assert_problem
from tests.gateway.fake_rules import FakeRules
from tests.redis_server import NO_WRITES, running_redis

WORDS = {"ReadOnlyError": "read only replica", "OutOfMemoryError": "maxmemory", "NOREPLICAS": "NOREPLICAS"}


@pytest.mark.parametrize("trouble", sorted(NO_WRITES))
def test_a_redis_that_refuses_to_write_is_said_to(
    make_app: Callable[..., Flask], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, trouble: str
) -> None:
    monkeypatch.setattr(readiness, "KEPT_SECONDS", 0)
    with running_redis(tmp_path) as url:
        client = make_app(redis_url=url).test_client()
        assert client.get("/readyz").json == {"status": "ok", "checks": {"rules": "ok", "redis": "ok"}}
        with NO_WRITES[trouble](redis.Redis.from_url(url)):
            problem = assert_problem(client.get("/readyz"), 503, "not_ready")
            assert problem["details"]["rules"] == "ok"
            assert "refuses to write" in problem["detail"]
            assert WORDS.get(trouble, trouble) in problem["details"]["redis"]
            assert client.get("/healthz").status_code == 200
        assert client.get("/readyz").status_code == 200


def test_a_rules_service_that_cannot_write_is_not_ready(
    make_app: Callable[..., Flask], rules: FakeRules, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(readiness, "KEPT_SECONDS", 0)
    client = make_app().test_client()
    rules.writes = False
    problem = assert_problem(client.get("/readyz"), 503, "not_ready")
    assert "cannot be written" in problem["details"]["rules"]
    rules.writes = True
    assert client.get("/readyz").status_code == 200


def test_many_questions_are_one_write(
    make_app: Callable[..., Flask], redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(readiness, "KEPT_SECONDS", 3600)
    client = make_app().test_client()
    server = redis.Redis.from_url(redis_url)
    server.config_resetstat()
    for _ in range(20):
        assert client.get("/readyz").status_code == 200
    assert server.info("commandstats")["cmdstat_set"]["calls"] == 1
    assert 0 < server.ttl("gateway:probe") <= 60
