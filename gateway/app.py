"""The Flask application: endpoints, errors, cross-origin rules."""

from __future__ import annotations

import logging
import time
from functools import partial
from typing import Any

import redis
from flask import Flask, Response, g, request
from redis.backoff import NoBackoff
from redis.retry import Retry
from werkzeug.exceptions import HTTPException
from werkzeug.middleware.proxy_fix import ProxyFix

from gateway import inputs, problems
from gateway.admission import Admission
from gateway.auth import Tokens
from gateway.config import Config, from_environment
from gateway.drawings import Drawings
from gateway.jobs import Jobs, RouteClient
from gateway.metrics import Metrics
from gateway.openapi import API_PREFIX
from gateway.operations import Operation, Services, operations_of
from gateway.problems import Problem
from gateway.readiness import Readiness
from gateway.resources import actions, description, events, games, pictures, routes, service, titles, tokens
from gateway.rules import RulesClient
from gateway.seats import Seats
from gateway.streams.hub import Hub

log = logging.getLogger(__name__)

OPERATIONS = operations_of(games, actions, events, routes, pictures, titles, tokens, service)
AT_ROOT = ("/healthz", "/readyz", "/metrics")
"""Also served without the prefix, where orchestrators look for them."""

REDIS_CONNECTIONS = 64

_EXPOSED = "ETag, Location, Retry-After, Preference-Applied"
_ALLOWED = "Authorization, Content-Type, If-Match, If-None-Match, Idempotency-Key, Last-Event-ID, Prefer"


def create_app(config: Config | None = None, *, routing: RouteClient | None = None) -> Flask:
    """The gateway as a WSGI application; `routing` replaces the routing service's client in tests.

    Nothing is connected yet: services that cannot be reached make requests fail with 503.
    """
    config = config or from_environment()
    services = _services(config, routing)
    app = Flask("gateway", static_folder=None)
    app.url_map.merge_slashes = False
    app.json.sort_keys = False  # type: ignore[attr-defined]
    for operation in OPERATIONS:
        _add(app, operation, services)
    app.register_blueprint(description.blueprint(OPERATIONS), url_prefix=API_PREFIX)
    app.extensions["gateway"] = services
    _add_hooks(app, services)
    if config.proxies:
        proxied = ProxyFix(app.wsgi_app, x_for=config.proxies, x_proto=config.proxies)
        app.wsgi_app = proxied  # type: ignore[method-assign]
    return app


def _services(config: Config, routing: RouteClient | None) -> Services:
    rules = RulesClient(
        config.rules_address, config.rules_channels, config.rules_timeout, import_seconds=config.import_seconds
    )
    client = _redis(config.redis_url)
    return Services(
        config=config,
        rules=rules,
        redis=client,
        tokens=Tokens(config.token_secret, config.operator_token),
        admission=Admission(client, config.rate_limit, config.rate_burst),
        hub=Hub(rules, config.max_streams, config.max_streams_per_player),
        jobs=Jobs(client, rules, routing or _routing_client(config.redis_url)),
        seats=Seats(rules, config.spectators),
        drawings=Drawings(rules),
        metrics=Metrics(),
        readiness=Readiness(client, rules),
    )


def _redis(url: str) -> redis.Redis:
    """A client whose callers wait for one of its connections; the usual pool fails them when there is none left."""
    pool = redis.BlockingConnectionPool.from_url(
        url,
        max_connections=REDIS_CONNECTIONS,
        timeout=3,
        socket_timeout=3,
        socket_connect_timeout=2,
        socket_keepalive=True,
        retry=Retry(NoBackoff(), 1),
    )
    return redis.Redis.from_pool(pool)


def _routing_client(url: str) -> RouteClient:
    from services.routing.client import RoutingClient

    return RoutingClient(url)


def _add(app: Flask, operation: Operation, services: Services) -> None:
    view = partial(_view, operation, services)
    rule = operation.path.replace("{", "<").replace("}", ">")
    app.add_url_rule(API_PREFIX + rule, operation.name, view, methods=[operation.method])
    if operation.path in AT_ROOT:
        app.add_url_rule(rule, f"root_{operation.name}", view, methods=[operation.method])


def _view(operation: Operation, services: Services, **arguments: str) -> Response:
    return operation.run(services, arguments)


def _add_hooks(app: Flask, services: Services) -> None:
    config, metrics = services.config, services.metrics

    @app.before_request
    def begin() -> Response | None:
        g.begin = time.perf_counter()
        if request.method == "OPTIONS" and "Access-Control-Request-Method" in request.headers:
            return Response(status=204)
        return None

    @app.after_request
    def finish(response: Response) -> Response:
        inputs.drain()
        response.headers["X-Content-Type-Options"] = "nosniff"
        if config.cors_origins:
            _allow_origin(response, config.cors_origins)
        if request.endpoint:
            metrics.observe(request.endpoint, response.status_code, time.perf_counter() - g.begin)
        return response

    app.register_error_handler(Problem, Problem.response)
    app.register_error_handler(HTTPException, problems.from_http_exception)
    app.register_error_handler(Exception, _internal_error)


def _allow_origin(response: Response, origins: tuple[str, ...]) -> None:
    origin = request.headers.get("Origin")
    if origin is None or not ("*" in origins or origin in origins):
        return
    response.headers["Access-Control-Allow-Origin"] = "*" if "*" in origins else origin
    response.headers["Access-Control-Expose-Headers"] = _EXPOSED
    if "*" not in origins:
        response.headers.add("Vary", "Origin")
    if request.method == "OPTIONS":
        response.headers["Access-Control-Allow-Methods"] = "GET, POST, DELETE"
        response.headers["Access-Control-Allow-Headers"] = _ALLOWED
        response.headers["Access-Control-Max-Age"] = "86400"


def _internal_error(error: Exception) -> Response:
    log.exception("%s %s", request.method, request.path, exc_info=error)
    return Problem("internal", "The gateway failed; this has been logged.").response()


def close(app: Flask) -> None:
    """End event streams and connections of an application."""
    services: Any = app.extensions["gateway"]
    services.hub.close()
    services.rules.close()
    services.redis.close()
