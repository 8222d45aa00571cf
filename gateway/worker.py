"""The server's worker: gevent, with problem documents for requests that never reach the application."""

from __future__ import annotations

import logging
import os
import socket
from contextlib import suppress
from typing import Any

import gevent  # type: ignore[import-untyped]
from gunicorn import util  # type: ignore[import-untyped]
from gunicorn.http import errors  # type: ignore[import-untyped]
from gunicorn.workers.ggevent import GeventWorker  # type: ignore[import-untyped]

from gateway.problems import MEDIA_TYPE, Problem

SILENCE = float(os.environ.get("ROUNDHOUSE_SILENCE", "60"))
"""Seconds after which a client that stops sending its body, or reading its answer, is hung up on."""

log = logging.getLogger("gateway.worker")

_KINDS: tuple[tuple[type[Exception], str, str], ...] = (
    (errors.LimitRequestLine, "uri-too-long", "The request line is too long."),
    (errors.LimitRequestHeaders, "headers-too-large", "The request's headers are too large or too many."),
    (errors.ForbiddenProxyRequest, "forbidden", "This proxy may not be used."),
)


class GatewayWorker(GeventWorker):  # type: ignore[misc]
    """Thousands of open event streams cost a greenlet each, not a thread.

    When it is told to stop, it ends event streams and hangs up on clients that are between two requests; requests
    under way are answered first.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._idle: set[Any] = set()

    def handle(self, listener: Any, client: Any, addr: Any) -> None:
        """Serve a connection."""
        self._idle.add(client)
        try:
            super().handle(listener, client, addr)
        finally:
            self._idle.discard(client)

    def handle_request(self, listener_name: Any, req: Any, sock: Any, addr: Any) -> Any:
        """Serve one request of a connection."""
        self._idle.discard(sock)
        _close_after_broken_body(req)
        sock.settimeout(SILENCE)
        try:
            return super().handle_request(listener_name, req, sock, addr)
        except TimeoutError:
            log.debug("the client has fallen silent")
            raise StopIteration from None
        finally:
            with suppress(OSError):
                sock.settimeout(None)
            self._idle.add(sock)
            if not self.alive:
                _hang_up(sock)

    def handle_exit(self, sig: int, frame: Any) -> None:
        """Stop gracefully."""
        super().handle_exit(sig, frame)
        gevent.spawn(self._finish)

    def _finish(self) -> None:
        self.wsgi.extensions["gateway"].hub.close()
        for client in tuple(self._idle):
            _hang_up(client)

    def handle_error(self, req: Any, client: Any, addr: Any, exc: BaseException) -> None:
        """Answer a request that cannot be parsed."""
        problem = as_problem(exc)
        if problem.kind.status >= 500:
            log.error("request failed", exc_info=exc)
        body = problem.body()
        head = (
            f"HTTP/1.1 {problem.kind.status} {problem.kind.title}\r\nConnection: close\r\n"
            f"Content-Type: {MEDIA_TYPE}\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        try:
            util.write_nonblock(client, head.encode("latin1") + body)
        except OSError:
            log.debug("the client has gone")


def _close_after_broken_body(req: Any) -> None:
    """Have the answer say that the connection ends, if the request's body cannot be read: where the next request begins
    is not known then.
    """
    should_close = req.should_close
    req.should_close = lambda: getattr(req.body, "failed", False) is True or should_close()


def _hang_up(client: Any) -> None:
    """Read no further request from a connection."""
    with suppress(OSError):
        client.shutdown(socket.SHUT_RD)


def as_problem(error: BaseException) -> Problem:
    """What is wrong with a request, by the server's exception."""
    for kind, name, detail in _KINDS:
        if isinstance(error, kind):
            return Problem(name, detail)
    if isinstance(error, errors.ConfigurationProblem) or not isinstance(error, errors.ParseException):
        return Problem("internal", "The gateway failed; this has been logged.")
    return Problem("bad-request", "This is no valid HTTP request.", code="malformed_http")
