"""The application for WSGI servers: `gunicorn -c python:gateway.gunicorn_conf gateway.wsgi:app`."""

from __future__ import annotations

from gevent import monkey  # type: ignore[import-untyped]

if monkey.is_module_patched("threading"):
    import grpc.experimental.gevent as grpc_gevent

    grpc_gevent.init_gevent()

from gateway.app import create_app

app = create_app()
