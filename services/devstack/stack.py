"""Starts the whole of Roundhouse on this machine and keeps it running.

Redis (unless ``REDIS_URL`` names one), the rules service, a routing worker and the gateway are processes of
their own, as they are in production. A part that dies is started again; they are stopped in the reverse order
of their start, so that requests in progress are answered first. Everything is kept under one folder:
``redis/`` the games, ``logs/`` what the parts print, ``gateway/`` generated secrets.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import FrameType

import msgspec

from services.devstack.config import VARIABLES, StackConfig, StackError
from services.devstack.processes import Child
from services.devstack.readiness import Probe, grpc_serving, http_ok, port_is_free, redis_answers
from services.devstack.redis_server import free_port, redis_command

PATIENCE = 90.0
"""Seconds a part may take to get ready (a first start compiles the route search)."""

SLOW = 3.0
"""Seconds of waiting after which it is said why a part may take long."""

RULES_SERVICE = "roundhouse.v1.RulesService"


Say = Callable[[str], None]
"""Takes text for the person who waits, in pieces of a line."""


def say_nothing(text: str) -> None:
    """Nobody waits."""


class Part(msgspec.Struct):
    """A process of the stack and how to tell that it is ready. ``title`` is for people, ``slow`` says why it may take
    long.
    """

    child: Child
    ready: Probe
    title: str
    slow: str = ""


class Stack:
    """All parts, in order of their start. ``url``, ``redis_url`` and ``rules_address`` are known from the
    beginning; ``env`` adds variables to every part's environment.
    """

    def __init__(self, config: StackConfig, env: Mapping[str, str] | None = None) -> None:
        self.data = config.data.resolve()
        self.logs = self.data / "logs"
        rules, gateway = _address(config.rules_listen), _address(config.gateway_listen)
        redis_port = config.redis_port or free_port()
        self.redis_url = config.redis_url or f"redis://127.0.0.1:{redis_port}/0"
        self.rules_address = f"{rules[0]}:{rules[1]}"
        self.url = f"http://{gateway[0]}:{gateway[1]}"
        self._listens = {"rules_listen": rules, "gateway_listen": gateway}
        if not config.redis_url:
            self._listens["redis_port"] = ("127.0.0.1", redis_port)
        self._config = config
        self._env = {
            "REDIS_URL": self.redis_url,
            "ROUNDHOUSE_RULES_LISTEN": self.rules_address,
            "ROUNDHOUSE_RULES_ADDRESS": self.rules_address,
            "ROUNDHOUSE_GATEWAY_LISTEN": f"{gateway[0]}:{gateway[1]}",
            "ROUNDHOUSE_GATEWAY_WORKERS": str(config.gateway_workers),
            "ROUNDHOUSE_DATA": str(self.data),
            "PYTHONUNBUFFERED": "1",
            **(env or {}),
        }
        self.parts = self._parts(redis_port, gateway)
        self._stopping = False

    def _parts(self, redis_port: int, gateway: tuple[str, int]) -> list[Part]:
        serve = [sys.executable, "-m", "services.cli", "serve"]
        searches = str(self._config.routing_processes)
        redis = redis_command(redis_port, self.data / "redis", fsync=self._config.redis_fsync)
        embedded = [self._part("redis", redis, redis_answers(self.redis_url), "Redis")]
        worker = self._part(
            "routing", [*serve, "worker", "--processes", searches], self._worker_ready, "routing worker"
        )
        worker.slow = "the first start compiles the route search, for up to a minute"
        return [
            *([] if self._config.redis_url else embedded),
            self._part("rules", [*serve, "rules"], grpc_serving(self.rules_address, RULES_SERVICE), "rules service"),
            worker,
            self._part("gateway", [*serve, "gateway"], http_ok(*gateway, "/api/v1/readyz"), "gateway"),
        ]

    def _part(self, name: str, command: list[str], ready: Probe, title: str) -> Part:
        return Part(Child(name, command, env=self._env, log=self.logs / f"{name}.log"), ready, title)

    def _worker_ready(self) -> bool:
        """Celery prints its readiness, and asking it over the broker takes longer than waiting for that."""
        log = self.logs / "routing.log"
        return log.exists() and b" ready." in log.read_bytes()

    def part(self, name: str) -> Part:
        """The part called ``redis``, ``rules``, ``routing`` or ``gateway``."""
        return next(part for part in self.parts if part.child.name == name)

    def start(self, say: Say = say_nothing) -> None:
        """Start everything and return when all of it is ready; on :class:`StackError` nothing is left
        running. ``say`` is told what is waited for, a line for each part with the seconds that took.
        """
        for field, (host, port) in self._listens.items():
            if not port_is_free(host, port):
                raise StackError(
                    f"Port {port} of {host} is in use. Is another stack running? {VARIABLES[field]} sets another port."
                )
        for folder in (self.data / "redis", self.logs):
            folder.mkdir(parents=True, exist_ok=True)
        for old in self.logs.glob("*.log"):
            old.unlink()
        try:
            for part in self.parts:
                part.child.start()
                if part.child.name == "redis":
                    self._wait(part, say)
            for part in self.parts:
                if part.child.name != "redis":
                    self._wait(part, say)
        except BaseException:
            self.stop()
            raise

    def _wait(self, part: Part, say: Say) -> None:
        begun = time.monotonic()
        reason = part.slow
        say(f"  {part.title} ...")
        while not part.ready():
            code, waited = part.child.exit_code, time.monotonic() - begun
            if reason and waited > SLOW:
                say(f" {reason} ...")
                reason = ""
            if code is not None or waited > PATIENCE:
                say("\n")
                fate = "is not ready in time" if code is None else f"ended with exit code {code}"
                raise StackError(f"The {part.child.name} process {fate}; its log ends with:\n{part.child.last_lines()}")
            time.sleep(0.05)
        say(f" {time.monotonic() - begun:.1f} s\n")

    def run(self) -> None:
        """Keep everything running until SIGINT or SIGTERM, then stop it."""
        handlers = {number: signal.signal(number, self._signalled) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            self._keep_alive()
        finally:
            self.stop()
            for number, handler in handlers.items():
                signal.signal(number, handler)

    def _signalled(self, number: int, frame: FrameType | None) -> None:
        self._stopping = True

    def _keep_alive(self) -> None:
        started = dict.fromkeys((part.child.name for part in self.parts), time.monotonic())
        while not self._stopping:
            for part in self.parts:
                code = part.child.exit_code
                if code is None or time.monotonic() - started[part.child.name] < 1:
                    continue
                print(
                    f"The {part.child.name} process ended with exit code {code}; starting it again.",
                    flush=True,
                )
                part.child.start()
                started[part.child.name] = time.monotonic()
            time.sleep(0.2)

    def stop(self) -> None:
        """Stop everything, last started first."""
        for part in reversed(self.parts):
            part.child.stop()


def _address(listen: str) -> tuple[str, int]:
    """Host and port; port 0 becomes a free one."""
    host, _, port = listen.rpartition(":")
    if not host or not port.isdigit():
        raise StackError(f"{listen!r} is not an address like 127.0.0.1:8000.")
    return host, int(port) or free_port()


def clean_environment(folder: Path) -> dict[str, str]:
    """Environment in which a stack keeps to itself: data under ``folder``, free ports."""
    ours = {name: value for name, value in os.environ.items() if not name.startswith(("ROUNDHOUSE_", "REDIS_"))}
    free = {
        "ROUNDHOUSE_REDIS_PORT": "0",
        "ROUNDHOUSE_RULES_LISTEN": "127.0.0.1:0",
        "ROUNDHOUSE_GATEWAY_LISTEN": "127.0.0.1:0",
    }
    return {**ours, **free, "ROUNDHOUSE_DATA": str(folder)}
