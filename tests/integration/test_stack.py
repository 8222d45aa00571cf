"""What the development stack says while it starts."""

from __future__ import annotations

import re
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from services.devstack import stack as stack_module
from services.devstack.config import StackConfig, StackError
from services.devstack.processes import Child
from services.devstack.readiness import Probe
from services.devstack.stack import Part, Stack, clean_environment

SLEEP = [sys.executable, "-c", "import time; time.sleep(60)"]


class Parts:
    """A stack whose parts only sleep, and are ready when they have been asked three times."""

    def __init__(self, folder: Path) -> None:
        self.stack = Stack(StackConfig.from_env(clean_environment(folder)))
        self.stack.parts = [
            Part(Child(part.child.name, SLEEP), self.asked(3), part.title, part.slow) for part in self.stack.parts
        ]
        self.said = ""

    def asked(self, times: int) -> Probe:
        left = iter([False] * (times - 1) + [True])
        return lambda: next(left)

    def say(self, text: str) -> None:
        self.said += text


@pytest.fixture
def parts(tmp_path: Path) -> Iterator[Parts]:
    made = Parts(tmp_path)
    yield made
    made.stack.stop()


def test_every_part_that_is_waited_for_has_a_line_with_its_time(parts: Parts) -> None:
    parts.stack.start(parts.say)
    lines = [re.sub(r"[0-9.]+ s$", "N s", line.strip()) for line in parts.said.splitlines()]
    assert lines == [
        "Redis ... N s",
        "rules service ... N s",
        "routing worker ... N s",
        "gateway ... N s",
    ]


def test_a_long_wait_is_explained(parts: Parts, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stack_module, "SLOW", 0)
    parts.stack.start(parts.say)
    assert re.search(r"routing worker \.\.\. the first start compiles [^\n]* \.\.\. [0-9.]+ s\n", parts.said)


def test_a_part_that_dies_ends_its_line_and_the_start(parts: Parts) -> None:
    parts.stack.parts[1].child = Child("rules", [sys.executable, "-c", "raise SystemExit(3)"])
    parts.stack.parts[1].ready = lambda: False
    with pytest.raises(StackError, match="exit code 3"):
        parts.stack.start(parts.say)
    assert parts.said.endswith("rules service ...\n")


def test_a_port_in_use_is_named_with_the_variable_that_changes_it(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        listen = f"127.0.0.1:{taken.getsockname()[1]}"
        env = {**clean_environment(tmp_path), "ROUNDHOUSE_GATEWAY_LISTEN": listen}
        with pytest.raises(StackError, match=r"in use.*ROUNDHOUSE_GATEWAY_LISTEN"):
            Stack(StackConfig.from_env(env)).start()
