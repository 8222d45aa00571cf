"""Bad input over HTTP against the whole stack: a 4xx that says what is wrong, and the game stays as it is."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
import requests

from tests.e2e.http_stack import Api, choose

BID = {"type": "bid", "entity": 1, "entity_type": "player", "company": "SV", "price": 20}


class Table:
    """A game a few actions old, its players' clients and how it looked."""

    def __init__(self, operator: Api) -> None:
        self.operator = operator
        self.game = operator.new_game(3)
        self.path = f"/games/{self.game}"
        self.players = {number: operator.player(number) for number in (1, 2, 3)}
        rng = random.Random(5)
        for _ in range(12):
            assert operator.post(f"{self.path}/actions", self.move(rng), If_Match="*").status_code == 200
        self.before = self.look()

    def move(self, rng: random.Random) -> dict[str, Any]:
        """A legal action."""
        return choose(self.operator.get(f"{self.path}/moves").json()["moves"], rng)

    def look(self) -> Any:
        """The game and its whole log."""
        return self.operator.get(self.path).json(), self.operator.get(f"{self.path}/log").json()

    def unchanged(self) -> bool:
        """Whether nothing at all has happened."""
        return bool(self.look() == self.before)


@pytest.fixture
def table(operator: Api) -> Table:
    return Table(operator)


def assert_problem(response: requests.Response, status: int, code: str = "") -> dict[str, Any]:
    """Check that a response is a complete problem document and return it."""
    assert response.status_code == status, response.text
    assert response.headers["Content-Type"] == "application/problem+json"
    document: dict[str, Any] = response.json()
    assert document["status"] == status
    assert document["type"] and document["title"] and document["detail"] and document["code"]
    assert not code or document["code"] == code, document
    return document


def test_another_players_token_is_refused(table: Table, operator: Api) -> None:
    acting = table.before[0]["acting"][0]
    action = table.move(random.Random(1))
    for number, client in table.players.items():
        if str(number) != acting:
            assert_problem(client.post(f"{table.path}/actions", action, If_Match="*"), 403)
    assert_problem(operator.player(77).post(f"{table.path}/actions", action, If_Match="*"), 403)
    assert table.unchanged()


def test_acting_out_of_turn_is_refused(table: Table) -> None:
    acting = int(table.before[0]["acting"][0])
    other = next(number for number in table.players if number != acting)
    action = {"type": "pass", "entity": other, "entity_type": "player"}
    problem = assert_problem(table.players[other].post(f"{table.path}/actions", action, If_Match="*"), 422)
    assert problem["type"].endswith("/illegal-action")
    assert table.unchanged()


@pytest.mark.parametrize(
    "action",
    [
        {
            "type": "lay_tile",
            "entity": "PRR",
            "entity_type": "corporation",
            "hex": "H12",
            "tile": "57-0",
            "rotation": 0,
        },
        {"type": "buy_shares", "entity": 1, "entity_type": "player", "shares": ["PRR_99"], "percent": 10},
        {"type": "bid", "entity": 1, "entity_type": "player", "company": "SV", "price": -5},
        {"type": "no_such_type", "entity": 1, "entity_type": "player"},
        {"type": "pass", "entity": 99, "entity_type": "player"},
        {"type": "pass", "entity": 1, "entity_type": "wizard"},
        {"type": "pass"},
        {"type": "pass", "entity": 1, "entity_type": "player", "nonsense": 1},
        {"type": "run_routes", "entity": "PRR", "entity_type": "corporation", "routes": [{"train": 5}]},
        {"type": "par", "entity": 1, "entity_type": "player", "corporation": "PRR", "share_price": "x,y"},
    ],
)
def test_illegal_and_malformed_actions_are_422(table: Table, action: dict[str, Any]) -> None:
    assert_problem(table.operator.post(f"{table.path}/actions", action, If_Match="*"), 422)
    assert table.unchanged()


def test_a_stale_version_is_412_with_the_current_etag(table: Table) -> None:
    for version in (0, 11, 13, 999):
        response = table.operator.post(f"{table.path}/actions", table.move(random.Random(1)), If_Match=f'"{version}"')
        assert_problem(response, 412, "stale_version")
        assert response.headers["ETag"] == '"12"'
    assert table.unchanged()


def test_a_body_of_2_mb_is_413(table: Table) -> None:
    headers = {"Content-Type": "application/json", "If-Match": "*"}
    for path in (f"{table.path}/actions", f"{table.path}/undo", "/games", "/games/import"):
        response = table.operator.session.post(
            table.operator.url + path, data=b"[" + b" " * (2 << 20) + b"]", headers=headers, timeout=30
        )
        assert_problem(response, 413, "body_too_large")
    assert table.unchanged()


@pytest.mark.parametrize("game", ["..%2f..%2fetc%2fpasswd", "%2e%2e", "game:x", "{game}", "a" * 65, "x%00", "nope"])
def test_ids_lead_nowhere_else(operator: Api, game: str) -> None:
    for rest in ("", "/moves", "/log", "/export", "/events", "/map.svg", "/market.svg"):
        assert_problem(operator.get(f"/games/{game}{rest}"), 404)
    for rest in ("/actions", "/undo", "/redo", "/routes"):
        body = BID if rest == "/actions" else {}
        assert_problem(operator.post(f"/games/{game}{rest}", body, If_Match="*"), 404)


@pytest.mark.parametrize(
    "game",
    [
        {"title": "1830", "players": [{"id": 1, "name": "A"}]},
        {"title": "1830", "players": [{"id": number, "name": "A"} for number in range(9)]},
        {"title": "1830", "players": [{"id": 1, "name": "A"}, {"id": "1", "name": "B"}]},
        {"title": "1830", "players": [{"id": 1, "name": "A"}, {"id": 2, "name": "B"}], "seed": -1},
        {"title": "1830", "players": "12"},
        {"title": 1830, "players": [{"id": 1, "name": "A"}, {"id": 2, "name": "B"}]},
        {"players": [{"id": 1, "name": "A"}, {"id": 2, "name": "B"}]},
    ],
)
def test_games_that_cannot_be_started_are_422(operator: Api, game: dict[str, Any]) -> None:
    assert_problem(operator.post("/games", game), 422)


def test_an_unknown_title_is_404(operator: Api) -> None:
    players = [{"id": 1, "name": "A"}, {"id": 2, "name": "B"}]
    assert_problem(operator.post("/games", {"title": "1066", "players": players}), 404, "unknown_title")


def test_recorded_games_with_faults_are_refused(operator: Api, table: Table) -> None:
    recorded = operator.get(f"{table.path}/export").json()
    faults: list[dict[str, Any]] = [
        {**recorded, "title": "1066"},
        {**recorded, "players": []},
        {**recorded, "players": 5},
        {**recorded, "actions": "none"},
        {
            **recorded,
            "actions": [*recorded["actions"], {"type": "pass", "entity": 55, "entity_type": "player", "id": 99}],
        },
        {**recorded, "actions": [{"type": "x"}]},
        {**recorded, "actions": [5]},
        {**recorded, "settings": 7},
        {},
    ]
    for fault in faults:
        response = operator.post("/games/import", fault)
        assert_problem(response, response.status_code)
        assert response.status_code in (404, 409, 422), (fault, response.text)


def _mutated(rng: random.Random, text: str) -> str:
    """A text with a few characters or values changed, taken out or doubled."""
    for _ in range(rng.randint(1, 3)):
        at, kind = rng.randrange(len(text) + 1), rng.randrange(6)
        if kind == 0:
            text = text[:at] + rng.choice('{}[]",:\\0-1.eE\x00 \n\u20ac') + text[at:]
        elif kind == 1:
            text = text[:at] + text[at + rng.randint(1, 4) :]
        elif kind == 2:
            text = text[:at] + text[at : at + 6] + text[at:]
        elif kind == 3:
            digits = [index for index, letter in enumerate(text) if letter.isdigit()]
            if digits:
                at = rng.choice(digits)
                value = rng.choice(["-1", "null", "1e400", "9" * 40, '"1"', "[]", "{}", "true", "0.5", "1e2"])
                text = text[:at] + value + text[at + 1 :]
        else:
            words = ["pass", "1830", "player", "corporation", "PRR", "bid", "entity", "type", "price", "SV"]
            new = ["", "../x", "A" * 300, "company", "undo", "redo", "message", "NYC", "\u0000", "id", "auto_actions"]
            text = text.replace(rng.choice(words), rng.choice(new), 1)
    return text


def _mutate_and_send(table: Table, number: int, seed: int) -> None:
    rng = random.Random(seed)
    operator, path = table.operator, table.path
    recorded = operator.get(f"{path}/export").json()
    moves = operator.get(f"{path}/moves").json()["moves"]
    requests_: list[tuple[str, Any]] = [(f"{path}/actions", choose(moves, rng)) for _ in range(12)]
    requests_ += [
        (f"{path}/undo", {"action_id": 3}),
        (f"{path}/redo", {}),
        (f"{path}/routes", {"corporation": "PRR", "version": 1, "deadline": 1}),
        (f"{path}/routes/check", {"corporation": "PRR", "version": 1, "routes": [[1, 2], None]}),
        ("/games/import", {**recorded, "actions": recorded["actions"][:3]}),
        ("/games", {"title": "1830", "players": [{"id": 1, "name": "A"}, {"id": 2, "name": "B"}], "seed": 1}),
        ("/tokens", {"player": 1, "scopes": ["read"], "expires_in": 5}),
    ]
    refused = 0
    for _ in range(number):
        to, body = rng.choice(requests_)
        to = _mutated(rng, to).replace("\x00", "%00").replace("\n", "%0a") if rng.random() < 0.1 else to
        text = _mutated(rng, json.dumps(body))
        # an earlier version than the game has: a mutation that stays legal cannot change it
        headers = {"Content-Type": "application/json", "If-Match": rng.choice(['"3"', '"11"', "x", '"1', ""])}
        if not headers["If-Match"]:
            headers["If-Match"], text = "*", text[: rng.randrange(1, len(text) - 1)] if len(text) > 2 else "{"
        address = operator.url + (to if to.startswith("/") else "/" + to)
        response = operator.session.post(address, data=text.encode("utf-8", "replace"), headers=headers, timeout=30)
        assert response.status_code < 500, (to, text, headers, response.text)
        if response.status_code >= 400:
            refused += 1
            assert_problem(response, response.status_code)
    assert refused > number * 0.8
    assert table.unchanged()


def test_mutations_of_valid_requests_are_refused_and_change_nothing(table: Table) -> None:
    _mutate_and_send(table, 1500, seed=18)


@pytest.mark.exhaustive
def test_ten_thousand_mutations_of_valid_requests(table: Table) -> None:
    _mutate_and_send(table, 10_000, seed=1830)


def test_mutated_actions_at_the_current_version_never_break_the_game(operator: Api) -> None:
    table, rng = Table(operator), random.Random(99)
    for _ in range(500):
        action = json.dumps(table.move(rng))
        version = operator.get(table.path).json()["version"]
        headers = {"Content-Type": "application/json", "If-Match": "*"}
        text = _mutated(rng, action).encode("utf-8", "replace")
        response = operator.session.post(f"{operator.url}{table.path}/actions", data=text, headers=headers, timeout=30)
        assert response.status_code < 500, (action, text, response.text)
        after = operator.get(table.path).json()["version"]
        if response.status_code >= 400:
            assert_problem(response, response.status_code)
            assert after == version, (text, response.text)
        else:
            assert after == version + 1
    exported = operator.get(f"{table.path}/export").json()
    assert operator.post("/games/import", exported).status_code == 201
