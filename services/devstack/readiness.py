"""Ways to find out that a part of the stack is ready."""

from __future__ import annotations

import http.client
import socket
from collections.abc import Callable

import redis

Probe = Callable[[], bool]


def redis_answers(url: str) -> Probe:
    """A Redis that has loaded its data answers PING."""

    def probe() -> bool:
        client = redis.Redis.from_url(url, socket_connect_timeout=1, socket_timeout=1)
        try:
            return bool(client.ping())
        except redis.RedisError:
            return False
        finally:
            client.close()

    return probe


def grpc_serving(address: str, service: str) -> Probe:
    """The standard health check of a gRPC server says SERVING."""

    def probe() -> bool:
        import grpc
        from grpc_health.v1 import health_pb2, health_pb2_grpc

        with grpc.insecure_channel(address) as channel:
            stub = health_pb2_grpc.HealthStub(channel)
            try:
                reply = stub.Check(health_pb2.HealthCheckRequest(service=service), timeout=1)
            except grpc.RpcError:
                return False
            return bool(reply.status == health_pb2.HealthCheckResponse.SERVING)

    return probe


def http_ok(host: str, port: int, path: str) -> Probe:
    """A GET is answered with a status below 400."""

    def probe() -> bool:
        connection = http.client.HTTPConnection(host, port, timeout=1)
        try:
            connection.request("GET", path)
            return connection.getresponse().status < 400
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()

    return probe


def port_is_free(host: str, port: int) -> bool:
    """Whether a server could listen there."""
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError:
            return False
    return True
