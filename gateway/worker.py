"""The server's worker: gevent, with problem documents for requests that never reach the application."""

from __future__ import annotations

import logging
from typing import Any

from gunicorn import util  # type: ignore[import-untyped]
from gunicorn.http import errors  # type: ignore[import-untyped]
from gunicorn.workers.ggevent import GeventWorker  # type: ignore[import-untyped]

from gateway.problems import MEDIA_TYPE, Problem

log = logging.getLogger("gateway.worker")

_KINDS: tuple[tuple[type[Exception], str, str], ...] = (
    (errors.LimitRequestLine, "uri-too-long", "The request line is too long."),
    (errors.LimitRequestHeaders, "headers-too-large", "The request's headers are too large or too many."),
    (errors.ForbiddenProxyRequest, "forbidden", "This proxy may not be used."),
)


class GatewayWorker(GeventWorker):  # type: ignore[misc]
    """Thousands of open event streams cost a greenlet each, not a thread."""

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


def as_problem(error: BaseException) -> Problem:
    """What is wrong with a request, by the server's exception."""
    for kind, name, detail in _KINDS:
        if isinstance(error, kind):
            return Problem(name, detail)
    if isinstance(error, errors.ConfigurationProblem) or not isinstance(error, errors.ParseException):
        return Problem("internal", "The gateway failed; this has been logged.")
    return Problem("bad-request", "This is no valid HTTP request.", code="malformed_http")
