"""The routing service end to end: client, Redis, Celery worker."""

from __future__ import annotations

import subprocess
import sys

import pytest
import redis

from services.route_problem import RouteProblemError, encode
from services.routing.client import RoutingClient, UnknownJob
from tests.routing.conftest import REPOSITORY, Worker
from tests.routing.problems import graph, stop, train


@pytest.fixture
def client(redis_server: str) -> RoutingClient:
    return RoutingClient(redis_server)


@pytest.fixture
def idle_server(redis_server: str) -> str:
    """An empty database no worker looks at."""
    url = redis_server.removesuffix("0") + "1"
    redis.Redis.from_url(url).flushdb()
    return url


def line(amount: int) -> bytes:
    """A two-city problem worth `amount` + 10."""
    return encode(graph([stop(amount, token=True), stop(10)], [(0, 1)], [train()]))


def test_a_problem_is_solved_by_the_worker(client: RoutingClient, worker: Worker) -> None:
    job = client.submit(line(30))
    status = client.wait(job, 60)
    assert status["state"] == "done"
    assert status["result"]["revenue"] == status["result"]["upper_bound"] == 40
    assert status["result"]["proven"] is True
    assert status["progress"] == {"lower": 40, "upper": 40}
    assert status["result"]["routes"] == [[0]]


def test_a_proven_answer_is_kept(client: RoutingClient, worker: Worker) -> None:
    client.wait(client.submit(line(50)), 60)
    again = client.status(client.submit(line(50), queue="background"))
    assert again["state"] == "done"
    assert again["result"]["stats"]["cached"] is True


def test_identical_problems_are_searched_once(idle_server: str) -> None:
    client = RoutingClient(idle_server)
    jobs = {client.submit(line(70)) for _ in range(5)}
    assert len(jobs) == 5
    assert redis.Redis.from_url(idle_server).llen("routing:interactive") == 1


def test_an_interactive_request_lifts_a_queued_background_search(idle_server: str) -> None:
    client = RoutingClient(idle_server)
    client.submit(line(90), queue="background")
    client.submit(line(90), queue="interactive")
    server = redis.Redis.from_url(idle_server)
    assert server.llen("routing:interactive") == server.llen("routing:background") == 1


def test_withdrawing_one_of_two_requests_keeps_the_search(idle_server: str) -> None:
    client = RoutingClient(idle_server)
    first, second = client.submit(line(80)), client.submit(line(80))
    client.cancel(first)
    assert client.status(first)["state"] == "cancelled"
    assert client.status(second)["state"] != "cancelled"


def test_malformed_requests_are_refused(client: RoutingClient) -> None:
    with pytest.raises(RouteProblemError):
        client.submit(b"{}")
    with pytest.raises(ValueError, match="queue"):
        client.submit(line(20), queue="slow")
    with pytest.raises(ValueError, match="deadline"):
        client.submit(line(20), deadline_s=0)


@pytest.mark.parametrize("job", ["", "nothing", "abc.def", "../x.{y}", "a" * 40 + "." + "b" * 32])
def test_unknown_jobs_are_reported_as_such(client: RoutingClient, job: str) -> None:
    with pytest.raises(UnknownJob):
        client.status(job)
    client.cancel(job)


def test_all_keys_have_the_prefix_of_the_service(
    client: RoutingClient, worker: Worker, redis_server: str
) -> None:
    client.wait(client.submit(line(60)), 60)
    foreign = [
        key for key in redis.Redis.from_url(redis_server).scan_iter() if not key.startswith(b"routing:")
    ]
    assert foreign == []


def test_the_client_does_not_load_the_compiler() -> None:
    code = "import sys, services.routing.client; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=REPOSITORY, check=False).returncode == 0
