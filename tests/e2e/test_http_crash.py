"""Killing the processes of the stack while clients play: what was acknowledged is there, once, in its place."""

from __future__ import annotations

import os
import random
import signal
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import requests

from services.devstack.config import StackConfig
from services.devstack.stack import Stack, clean_environment
from tests.e2e.http_stack import Api, choose, operator_of

GAMES = 3
KILLS = 12
PATIENCE = 60.0
"""Seconds a client keeps trying to get an answer."""


@pytest.fixture
def stack(tmp_path: Path) -> Iterator[Stack]:
    """A stack that a test may break."""
    running = Stack(StackConfig.from_env(clean_environment(tmp_path)))
    running.start()
    yield running
    running.stop()


class Client:
    """Plays one game until told to stop; remembers what it was told. Two of them race for every version."""

    def __init__(self, api: Api, game: str, seed: int, stop: threading.Event) -> None:
        self.api, self.game, self.stop = api, game, stop
        self.rng = random.Random(seed)
        self.acknowledged: dict[int, dict[str, Any]] = {}
        self.lost_races = 0
        self.retries = 0
        self.fault: BaseException | None = None

    def run(self) -> None:
        """Play."""
        try:
            while not self.stop.is_set():
                self.act()
        except BaseException as error:
            self.fault = error

    def act(self) -> None:
        """Send one action, again and again until there is an answer to it."""
        found = self.answer(lambda: self.api.get(f"/games/{self.game}/moves"))
        if not found.json()["moves"]:
            self.stop.set()
            return
        action = choose(found.json()["moves"], self.rng)
        headers = {"If_Match": found.headers["ETag"], "Idempotency_Key": uuid.uuid4().hex}
        sent = self.answer(lambda: self.api.post(f"/games/{self.game}/actions", action, **headers))
        if sent.status_code == 412:
            self.lost_races += 1
            assert sent.headers["ETag"] != found.headers["ETag"]
            return
        assert sent.status_code == 200, (action, sent.text)
        result = sent.json()
        version = result["game"]["version"]
        assert f'"{version - 1}"' == found.headers["ETag"]
        assert version not in self.acknowledged
        self.acknowledged[version] = result["action"]

    def read(self, path: str) -> Any:
        """What is at a path, whatever dies meanwhile."""
        return self.answer(lambda: self.api.get(path)).json()

    def answer(self, ask: Callable[[], requests.Response]) -> requests.Response:
        """The answer, whatever dies meanwhile."""
        end = time.monotonic() + PATIENCE
        while True:
            try:
                response = ask()
                if response.status_code < 500:
                    return response
                assert response.status_code == 503, response.text
            except (requests.ConnectionError, requests.Timeout, requests.exceptions.ChunkedEncodingError):
                pass
            assert time.monotonic() < end, "no answer"
            self.retries += 1
            time.sleep(0.05)


class Watcher:
    """Watches a game, resuming after the last version it saw whenever its stream breaks."""

    def __init__(self, api: Api, game: str) -> None:
        self.api, self.game = api, game
        self.seen: list[int] = []
        self.breaks = 0

    def run(self) -> None:
        """Watch for ever; meant for a daemon thread."""
        while True:
            after = self.seen[-1] if self.seen else 0
            try:
                for line in self.api.watch(f"/games/{self.game}/events?after={after}"):
                    if line["type"] == "update":
                        self.seen.append(line["version"])
            except (requests.RequestException, AssertionError):
                pass
            self.breaks += 1
            time.sleep(0.1)

    def wait_for(self, version: int) -> list[int]:
        """Versions seen, once `version` is among them."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end and (not self.seen or self.seen[-1] < version):
            time.sleep(0.05)
        return self.seen


def _kill_one(stack: Stack, rng: random.Random) -> str:
    """SIGKILL a whole part, or one worker process of it, and have it started again."""
    name = rng.choice(["rules", "rules", "gateway", "gateway", "routing"])
    child = stack.part(name).child
    workers = Path(f"/proc/{child.pid}/task/{child.pid}/children").read_text().split()
    if workers and rng.random() < 0.5:
        os.kill(int(rng.choice(workers)), signal.SIGKILL)
        return f"one process of {name}"
    child.kill()
    time.sleep(rng.uniform(0, 0.3))
    child.start()
    return name


def test_no_acknowledged_action_is_lost_or_doubled_when_processes_are_killed(stack: Stack) -> None:
    api, rng, stop = operator_of(stack), random.Random(1830), threading.Event()
    games = [api.new_game(3, seed=number) for number in range(GAMES)]
    clients = [Client(operator_of(stack), game, seed, stop) for seed, game in enumerate(games * 2)]
    watchers = [Watcher(operator_of(stack), game) for game in games]
    for watcher in watchers:
        threading.Thread(target=watcher.run, daemon=True).start()
    threads = [threading.Thread(target=client.run) for client in clients]
    for thread in threads:
        thread.start()
    killed = []
    for _ in range(KILLS):
        time.sleep(rng.uniform(0.2, 1.5))
        killed.append(_kill_one(stack, rng))
    time.sleep(1)
    stop.set()
    for thread in threads:
        thread.join(PATIENCE + 10)
    faults = [client.fault for client in clients if client.fault is not None]
    assert not faults, (faults, killed)
    assert sum(client.retries for client in clients) > 0, "nothing was ever unreachable"
    for game in games:
        _check(clients, game, api)
    for watcher in watchers:
        newest = clients[0].read(f"/games/{watcher.game}")["version"]
        assert watcher.wait_for(newest) == list(range(1, newest + 1)), (watcher.breaks, killed)
    positions = {game: clients[0].read(f"/games/{game}") for game in games}
    stack.stop()
    stack.start()
    api = operator_of(stack)
    assert {game: api.get(f"/games/{game}").json() for game in games} == positions


def _check(clients: list[Client], game: str, api: Api) -> None:
    """The log has what the clients were told and nothing else, and replays to the stored position."""
    told: dict[int, dict[str, Any]] = {}
    for client in clients:
        if client.game == game:
            assert not told.keys() & client.acknowledged.keys(), "two clients won the same version"
            told |= client.acknowledged
    log = clients[0].read(f"/games/{game}/log?limit=5000")["entries"]
    assert [entry["version"] for entry in log] == list(range(1, len(log) + 1))
    assert {entry["version"]: entry["action"] for entry in log} == told
    assert len(log) > 10
    exported = clients[0].read(f"/games/{game}/export")
    copy = clients[0].answer(lambda: api.post("/games/import", exported))
    assert copy.status_code == 201, copy.text
    ours, theirs = (clients[0].read(f"/games/{each}") for each in (game, copy.json()["id"]))
    for part in ("players", "corporations", "depot", "waiting_for", "round"):
        assert ours["position"][part] == theirs["position"][part]
