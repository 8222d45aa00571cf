"""Settings of the server process, from the environment.

| variable | default | meaning |
|---|---|---|
| `ROUNDHOUSE_GATEWAY_LISTEN` | `127.0.0.1:8000` | address and port |
| `ROUNDHOUSE_GATEWAY_WORKERS` | 1 | processes that share the port |
| `ROUNDHOUSE_GRACE` | 10 | seconds that requests under way get when the server stops |
| `ROUNDHOUSE_SILENCE` | 60 | seconds a client may stop in the middle of a body, or of reading an answer |
| `ROUNDHOUSE_LOG_LEVEL` | `info` | `debug`, `info`, `warning`, `error` |
| `ROUNDHOUSE_ACCESS_LOG` | empty | file of the access log, `-` for standard output |
"""

from __future__ import annotations

import os
import resource
from typing import Any

bind = os.environ.get("ROUNDHOUSE_GATEWAY_LISTEN", "127.0.0.1:8000")
workers = int(os.environ.get("ROUNDHOUSE_GATEWAY_WORKERS", "1"))
worker_class = "gateway.worker.GatewayWorker"
worker_connections = 10_000
backlog = 4096
keepalive = 75
timeout = 60
graceful_timeout = int(float(os.environ.get("ROUNDHOUSE_GRACE", "10")))
loglevel = os.environ.get("ROUNDHOUSE_LOG_LEVEL", "info")
accesslog = os.environ.get("ROUNDHOUSE_ACCESS_LOG") or None
access_log_format = '%(h)s %(t)s "%(m)s %(U)s" %(s)s %(b)s %(L)s'  # without the query: it may have a token
limit_request_line = 8190
http_parser = "python"
control_socket_disable = True


def when_ready(server: Any) -> None:
    """Event streams need a file descriptor each."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = worker_connections + 1000
    if hard != resource.RLIM_INFINITY:
        wanted = min(wanted, hard)
    if soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
