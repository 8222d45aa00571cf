"""Problem documents say what is wrong in words for people."""

from __future__ import annotations

from typing import Any

import pytest

from tests.gateway.conftest import AS_OPERATOR, Client, assert_problem

SEATS = [{"id": "1", "name": "Ann"}, {"id": "2", "name": "Bob"}]


@pytest.mark.parametrize("player_id", ["", "a\x00b", "x" * 65])
def test_what_an_id_must_be_is_said_without_a_regular_expression(client: Client, player_id: str) -> None:
    body = {"title": "toy", "players": [SEATS[0], {"id": player_id, "name": "Bob"}]}
    problem = assert_problem(client.post("/api/v1/games", json=body, headers=AS_OPERATOR), 422)
    assert problem["detail"] == (
        "Expected a player's id (1 to 64 characters, no control characters) in the body at players[1].id."
    )
    assert problem["details"] == {"in": "body", "path": "players[1].id"}


@pytest.mark.parametrize(
    ("path", "body", "place", "choices"),
    [
        ("/games/g1/routes", {"queue": "slow"}, "queue", ["background", "interactive"]),
        ("/tokens", {"player": "1", "scopes": ["read", "fly"]}, "scopes[1]", ["create", "play", "read", "routes"]),
    ],
)
def test_the_choices_are_listed(client: Client, path: str, body: Any, place: str, choices: list[str]) -> None:
    problem = assert_problem(client.post(f"/api/v1{path}", json=body, headers=AS_OPERATOR), 422)
    assert problem["details"] == {"in": "body", "path": place, "choices": choices}
    assert ", ".join(choices) in problem["detail"]


def test_the_choices_of_a_query_parameter_are_listed(client: Client) -> None:
    problem = assert_problem(client.get("/api/v1/games?status=over", headers=AS_OPERATOR), 422)
    assert problem["detail"] == "'over' is none of active, finished in the query at status."


def test_a_change_whose_answer_is_missing_says_how_to_find_out(make_app: Any) -> None:
    client = make_app(rules_address="127.0.0.1:1").test_client()
    change = client.post("/api/v1/games", json={"title": "toy", "players": SEATS}, headers=AS_OPERATOR)
    assert "Idempotency-Key" in assert_problem(change, 503, "rules_service_unavailable")["detail"]
    read = client.get("/api/v1/games/g1", headers=AS_OPERATOR)
    assert "Idempotency-Key" not in assert_problem(read, 503, "rules_service_unavailable")["detail"]
