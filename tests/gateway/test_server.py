"""The gateway as it runs: gunicorn with gevent workers, spoken to over real sockets."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests

from tests.gateway.conftest import AS_OPERATOR, OPERATOR
from tests.gateway.fake_rules import FakeRules
from tests.redis_server import free_port

REPOSITORY = Path(__file__).resolve().parents[2]
PASS = {"type": "pass", "entity": 1}


class Server:
    """A gunicorn process."""

    def __init__(self, rules: FakeRules, redis_url: str, **variables: str) -> None:
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}/api/v1"
        command = [sys.executable, "-m", "gunicorn", "-c", "python:gateway.gunicorn_conf", "gateway.wsgi:app"]
        env = {
            **os.environ,
            "REDIS_URL": redis_url,
            "ROUNDHOUSE_RULES_ADDRESS": f"127.0.0.1:{rules.port}",
            "ROUNDHOUSE_GATEWAY_LISTEN": f"127.0.0.1:{self.port}",
            "ROUNDHOUSE_GATEWAY_WORKERS": "1",
            "ROUNDHOUSE_OPERATOR_TOKEN": OPERATOR,
            "ROUNDHOUSE_TOKEN_SECRET": "secret-of-the-tests",
            "ROUNDHOUSE_HEARTBEAT": "0.2",
            "ROUNDHOUSE_LOG_LEVEL": "warning",
            **variables,
        }
        self.process = subprocess.Popen(command, cwd=REPOSITORY, env=env)
        for _ in range(300):
            try:
                requests.get(f"{self.url}/healthz", timeout=2)
                return
            except requests.RequestException:
                time.sleep(0.05)
        self.process.kill()
        raise AssertionError("the server does not start")

    def raw(self, data: bytes) -> bytes:
        """What the server answers to these bytes before it hangs up."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=10) as connection:
            connection.sendall(data)
            connection.shutdown(socket.SHUT_WR)
            answer = b""
            while part := connection.recv(65536):
                answer += part
        return answer

    def stop(self) -> float:
        """Stop the server; returns how many seconds that took."""
        begin = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(30)
        return time.monotonic() - begin


@pytest.fixture
def server(rules: FakeRules, redis_url: str) -> Iterator[Server]:
    running = Server(rules, redis_url)
    yield running
    if running.process.poll() is None:
        running.stop()


def _assert_problem(answer: bytes, status: int) -> None:
    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 %d " % status), answer[:200]
    assert b"application/problem+json" in head
    assert b'"status":%d' % status in body


def test_requests_that_are_no_http_get_problem_documents(server: Server) -> None:
    _assert_problem(server.raw(b"nonsense\r\n\r\n"), 400)
    _assert_problem(server.raw(b"GET / HTTP/9.9\r\n\r\n"), 400)
    _assert_problem(server.raw(b"GET / HTTP/1.1\r\nHost: x\r\nbad header\r\n\r\n"), 400)
    _assert_problem(server.raw(b"GET /" + b"a" * 9000 + b" HTTP/1.1\r\nHost: x\r\n\r\n"), 414)
    _assert_problem(server.raw(b"GET / HTTP/1.1\r\nHost: x\r\nx: " + b"a" * 70000 + b"\r\n\r\n"), 431)
    _assert_problem(server.raw(b"GET / HTTP/1.1\r\n" + b"".join(b"x%d: 1\r\n" % n for n in range(200)) + b"\r\n"), 431)


def test_bodies_that_end_early_or_are_broken_get_problem_documents(server: Server) -> None:
    head = (
        "POST /api/v1/games HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\n"
        f"Authorization: Bearer {OPERATOR}\r\n"
    ).encode()
    _assert_problem(server.raw(head + b"Content-Length: 100\r\n\r\n{"), 400)
    _assert_problem(server.raw(head + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n"), 400)
    _assert_problem(server.raw(head + b"Transfer-Encoding: chunked\r\n\r\n5\r\n{}"), 400)
    _assert_problem(server.raw(head + b"Content-Length: x\r\n\r\n{}"), 400)
    _assert_problem(server.raw(head + b"Content-Length: -5\r\n\r\n{}"), 400)


def test_a_body_that_cannot_be_read_to_its_end_ends_the_connection(server: Server) -> None:
    """Where the next request begins is not known then: nothing that follows is taken for one."""
    bodies = [
        b"zz\r\n",
        b"5\r\n{}{}{}\r\n",
        b"-2\r\n{}\r\n0\r\n\r\n",
        b"2\r\n{}\r\n0\r\nno trailer\r\n\r\n",
        b"2;=\r\n{}\r\n0\r\n\r\n",
    ]
    for path, status, body in [(*where, body) for where in (("games", 400), ("nowhere", 404)) for body in bodies]:
        head = (
            f"POST /api/v1/{path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
            f"Authorization: Bearer {OPERATOR}\r\nTransfer-Encoding: chunked\r\n\r\n"
        )
        answer = server.raw(head.encode() + body + b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
        _assert_problem(answer, status)
        assert b"\r\nconnection: close\r\n" in answer.partition(b"\r\n\r\n")[0].lower() + b"\r\n"
        assert answer.count(b"HTTP/1.1 ") == 1


def test_a_client_that_falls_silent_in_its_body_is_hung_up_on(rules: FakeRules, redis_url: str) -> None:
    server = Server(rules, redis_url, ROUNDHOUSE_SILENCE="0.3")
    try:
        for path, status in (("games", 408), ("nowhere", 404)):
            head = (
                f"POST /api/v1/{path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
                f"Authorization: Bearer {OPERATOR}\r\nContent-Length: 1000\r\n\r\n"
            )
            with socket.create_connection(("127.0.0.1", server.port), timeout=30) as connection:
                connection.sendall(head.encode() + b'{"title"')
                answer = b"".join(iter(lambda: connection.recv(65536), b""))
            _assert_problem(answer, status)
    finally:
        server.stop()


def test_a_big_body_gets_its_answer_and_the_connection_lives_on(server: Server) -> None:
    headers = {**AS_OPERATOR, "Content-Type": "application/json", "If-Match": "*"}
    with requests.Session() as session:
        for body in (b"x" * (2 << 20), iter([b"x" * 65536] * 32), b"x" * 65537, iter([b" " * 65537])):
            response = session.post(f"{server.url}/games/g1/actions", data=body, headers=headers, timeout=10)
            assert response.status_code == 413
            assert response.headers["Content-Type"] == "application/problem+json"
        assert session.post(f"{server.url}/games/g1/actions", json=PASS, headers=headers, timeout=10).ok
        assert session.post(f"{server.url}/nowhere", data=b"x" * (2 << 20), timeout=10).status_code == 404


def test_paths_are_taken_literally(server: Server) -> None:
    for path in ("/api/v1/games/../titles", "/api/v1/games/%2e%2e/titles", "/api/v1//titles", "/../etc/passwd"):
        request = f"GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer {OPERATOR}\r\n\r\n"
        _assert_problem(server.raw(request.encode()), 404)


def test_events_arrive_over_http_and_end_when_the_server_stops(server: Server, rules: FakeRules) -> None:
    game = rules.games["g1"]
    streams: list[Any] = []
    for _ in range(20):
        stream = requests.get(f"{server.url}/games/g1/events", headers=AS_OPERATOR, stream=True, timeout=10)
        streams.append(stream.iter_lines())
    for stream in streams:
        assert b"ready" in next(line for line in stream if line.startswith(b"data"))
    for _ in range(3):
        assert requests.post(
            f"{server.url}/games/g1/actions",
            json={"type": "pass", "entity": game.acting(game.version)},
            headers={**AS_OPERATOR, "If-Match": f'"{game.version}"'},
            timeout=10,
        ).ok
    for stream in streams:
        ids = (line for line in stream if line.startswith(b"id"))
        assert [next(ids) for _ in range(3)] == [b"id: 1", b"id: 2", b"id: 3"]
    assert server.stop() < 9
