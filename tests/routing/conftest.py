"""A real Redis server, a real worker, and the shared problem files."""

from __future__ import annotations

import gzip
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from services.route_problem import RouteProblem, decode
from tests.redis_server import running_redis
from tests.shared import REPOSITORY, SHARED, need


def shared_routes() -> Path:
    """Folder of the shared problem files; skips the test where they are not available."""
    return need(SHARED / "routes")


def load_problems(name: str) -> list[RouteProblem]:
    """Problems of one shared file, for example `corpus/seven.jsonl.gz`."""
    path = shared_routes() / name
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return [decode(line) for line in data.splitlines() if line.strip()]


@pytest.fixture(scope="session")
def redis_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """URL of a Redis server of our own."""
    with running_redis(tmp_path_factory.mktemp("redis")) as url:
        yield url


class Worker:
    """A Celery worker in processes of its own."""

    def __init__(self, url: str, log: Path) -> None:
        self.log = log
        environment = os.environ | {"REDIS_URL": url, "ROUTING_LEASE_SECONDS": "1.0"}
        arguments = [
            "-A",
            "services.routing.app",
            "worker",
            "-Q",
            "interactive,background",
            "-c",
            "1",
            "-l",
            "INFO",
        ]
        with log.open("ab") as stream:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "celery", *arguments, "--without-gossip", "--without-mingle"],
                cwd=REPOSITORY,
                env=environment,
                stdout=stream,
                stderr=stream,
                start_new_session=True,
            )

    def children(self) -> list[int]:
        """Process ids of the pool."""
        path = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        return [int(pid) for pid in path.read_text().split()]

    def kill(self) -> None:
        """End the worker and its pool without warning."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def stop(self) -> None:
        """Let the worker end in good order."""
        self.process.terminate()
        try:
            self.process.wait(15)
        except subprocess.TimeoutExpired:
            self.kill()


@pytest.fixture(scope="session")
def worker(redis_server: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Worker]:
    """A worker shared by the tests that do not hurt it."""
    running = Worker(redis_server, tmp_path_factory.mktemp("worker") / "log")
    yield running
    running.stop()
