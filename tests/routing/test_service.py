"""The routing service end to end: client, Redis, Celery worker."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import redis

from services.route_problem import RouteProblemError, encode
from services.routing.client import RoutingClient, UnknownJob
from services.routing.store import MAX_ATTEMPTS, Store
from tests.routing.conftest import Worker
from tests.routing.problems import graph, stop, train
from tests.shared import REPOSITORY


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


def test_all_keys_have_the_prefix_of_the_service(client: RoutingClient, worker: Worker, redis_server: str) -> None:
    client.wait(client.submit(line(60)), 60)
    foreign = [key for key in redis.Redis.from_url(redis_server).scan_iter() if not key.startswith(b"routing:")]
    assert foreign == []


def test_the_client_does_not_load_the_compiler() -> None:
    code = "import sys, services.routing.client; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=REPOSITORY, check=False).returncode == 0


def long_search(number: int) -> bytes:
    """A lattice with more routes than can be walked; `number` tells equal ones apart."""
    size = 7
    stops = [stop(10 * (1 + (7 * place) % 5), token=place % 5 == 0) for place in range(size * size)]
    stops[1]["revenue"] = 10 * number
    links = [(here, here + 1) for here in range(size * size) if here % size + 1 < size]
    links += [(here, here + size) for here in range(size * (size - 1))]
    return encode(graph(stops, links, [train(), train()]))


def until(client: RoutingClient, job: str, state: str, seconds: float = 60) -> dict[str, Any]:
    """Wait until a job has a state."""
    end = time.monotonic() + seconds
    while True:
        status = client.status(job)
        if status["state"] == state or time.monotonic() > end:
            assert status["state"] == state
            return status
        time.sleep(0.01)


def test_a_running_search_shows_progress_and_can_be_cancelled(client: RoutingClient, worker: Worker) -> None:
    job = client.submit(long_search(1))
    until(client, job, "running")
    while client.status(job)["progress"]["lower"] is None:
        time.sleep(0.02)
    client.cancel(job)
    assert client.status(job)["state"] == "cancelled"
    status = client.wait(client.submit(line(41)), 60)
    assert status["state"] == "done", "the worker is free again"
    best = client.status(job)
    assert best["state"] == "cancelled"
    assert not best["result"]["proven"]
    assert 0 < best["result"]["revenue"] <= best["result"]["upper_bound"]


def test_a_deadline_ends_a_search_with_the_best_so_far(client: RoutingClient, worker: Worker) -> None:
    status = client.wait(client.submit(long_search(2), deadline_s=0.3), 60)
    assert status["state"] == "done"
    assert not status["result"]["proven"]
    assert 0 < status["result"]["revenue"] <= status["result"]["upper_bound"]


def test_an_unproven_answer_is_not_kept(client: RoutingClient, worker: Worker) -> None:
    client.wait(client.submit(long_search(3), deadline_s=0.2), 60)
    again = client.wait(client.submit(long_search(3), deadline_s=0.2), 60)
    assert "cached" not in again["result"]["stats"]


def test_a_job_survives_the_death_of_a_pool_process(client: RoutingClient, worker: Worker) -> None:
    """The process that searches is killed: another one takes the job over and answers."""
    job = client.submit(long_search(4), deadline_s=3)
    until(client, job, "running")
    for pid in worker.children():
        os.kill(pid, signal.SIGKILL)
    status = client.wait(job, 90)
    assert status["state"] == "done"
    assert status["result"]["revenue"] > 0


def test_a_job_survives_the_death_of_the_whole_worker(redis_server: str, tmp_path: Path) -> None:
    """Nobody is left to hand the task on: the client sees that the lease has run out and sends it again."""
    url = redis_server.removesuffix("0") + "2"
    client = RoutingClient(url)
    first = Worker(url, tmp_path / "first")
    job = client.submit(long_search(5), deadline_s=2)
    until(client, job, "running")
    first.kill()
    second = Worker(url, tmp_path / "second")
    try:
        status = client.wait(job, 90)
        assert status["state"] == "done"
        assert status["result"]["revenue"] > 0
    finally:
        second.stop()


def test_a_job_that_keeps_killing_its_workers_is_reported(idle_server: str) -> None:
    store = Store(idle_server)
    store.lease_ms = 1
    client = RoutingClient(idle_server)
    job = client.submit(line(77))
    _, flight = store.ticket(job)
    assert flight is not None
    for attempt in range(MAX_ATTEMPTS + 1):
        claim = store.claim(flight, f"worker {attempt}")
        assert claim == ("claimed" if attempt < MAX_ATTEMPTS else "finished")
        time.sleep(0.01)
    status = client.status(job)
    assert status["state"] == "failed"
    assert "worker" in status["error"]


def test_a_second_delivery_waits_for_the_first(idle_server: str) -> None:
    store = Store(idle_server)
    _, _, flight = store.submit("abc", b"{}", "interactive", None)
    assert store.claim(flight, "one") == "claimed"
    assert store.claim(flight, "two") == "taken"
    assert store.finish(flight, "two", "done", b"{}") is False
    assert store.finish(flight, "one", "done", b"{}") is True
    assert store.claim(flight, "two") == "finished"
