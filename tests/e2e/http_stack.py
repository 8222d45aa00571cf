"""The whole stack as real processes, and a client that speaks HTTP to it."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

import pytest
import requests

from services.devstack.config import StackConfig
from services.devstack.stack import Stack, clean_environment
from tests.shared import SHARED, need


def recorded_game(name: str) -> dict[str, Any]:
    """A shared recorded game, for example `1830/1830-a`; skips the test where they are not available."""
    folder = need(SHARED / "games")
    game: dict[str, Any] = json.loads((folder / f"{name}.json").read_text())
    return game


class Api:
    """A client of the gateway with one token. Paths are relative to `/api/v1`."""

    def __init__(self, url: str, token: str) -> None:
        self.url = url + "/api/v1"
        self.token = token
        self.session = requests.Session()
        self.session.headers["Authorization"] = f"Bearer {token}"

    def get(self, path: str, **options: Any) -> requests.Response:
        """GET."""
        return self.session.get(self.url + path, timeout=30, **options)

    def post(self, path: str, body: Any = None, **headers: str) -> requests.Response:
        """POST; `if_match="*"` becomes the header `If-Match`."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.session.post(self.url + path, json=body, headers=named, timeout=60)

    def delete(self, path: str) -> requests.Response:
        """DELETE."""
        return self.session.delete(self.url + path, timeout=30)

    def player(self, player: int | str) -> Api:
        """A client that acts for a player; only the operator can make it."""
        response = self.post("/tokens", {"player": player})
        assert response.status_code == 201, response.text
        return Api(self.url.removesuffix("/api/v1"), response.json()["token"])

    def new_game(self, players: int = 3, seed: int = 1830) -> str:
        """Start a game of 1830 with players 1, 2, ...; returns its id."""
        seats = [{"id": number + 1, "name": f"Player {number + 1}"} for number in range(players)]
        response = self.post("/games", {"title": "1830", "players": seats, "seed": seed})
        assert response.status_code == 201, response.text
        return str(response.json()["id"])

    def watch(self, path: str, **headers: str) -> Iterator[dict[str, Any]]:
        """Updates of a stream, as NDJSON."""
        named = {"Accept": "application/x-ndjson", **headers}
        with self.session.get(self.url + path, headers=named, stream=True, timeout=60) as response:
            assert response.status_code == 200, response.text
            for line in response.iter_lines(chunk_size=1):
                if line:
                    yield json.loads(line)


def choose(moves: list[dict[str, Any]], rng: random.Random) -> dict[str, Any]:
    """One of the legal moves, its templates filled; nothing that ends the game early."""
    sensible = [move for move in moves if move["type"] not in ("bankrupt", "end_game", "message")] or moves
    kinds = sorted({move["type"] for move in sensible})
    kind = rng.choice([each for each in kinds if each != "pass"] or kinds)
    move = rng.choice([each for each in sensible if each["type"] == kind])
    return {name: _filled(value, rng) for name, value in move.items()}


def _filled(value: Any, rng: random.Random) -> Any:
    if not isinstance(value, dict):
        return value
    if "choices" in value:
        return rng.choice(value["choices"])
    if "min" in value:
        return value["min"]
    return [] if "routes" in value else value


@pytest.fixture(scope="session")
def http_stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """Redis, rules service, routing worker and gateway."""
    stack = Stack(StackConfig.from_env(clean_environment(tmp_path_factory.mktemp("stack"))))
    stack.start()
    yield stack
    stack.stop()


@pytest.fixture(scope="session")
def operator(http_stack: Stack) -> Api:
    """A client with the operator's token."""
    return operator_of(http_stack)


def operator_of(stack: Stack) -> Api:
    """A client with the operator's token of a stack."""
    return Api(stack.url, (stack.data / "gateway" / "operator-token").read_text().strip())
