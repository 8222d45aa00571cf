"""Starting, finding and reading games; playing; conditional requests and idempotency."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask

from tests.gateway.conftest import AS_OPERATOR, Client, assert_problem, token_for
from tests.gateway.fake_rules import FakeRules

PASS = {"type": "pass", "entity": 1, "entity_type": "player"}
NEW = {"title": "toy", "players": [{"id": 1, "name": "Ann"}, {"id": "2", "name": "Bob"}]}


def test_a_player_starts_a_game_it_sits_in(client: Client, alice: dict[str, str]) -> None:
    response = client.post("/api/v1/games", json=NEW, headers=alice)
    assert response.status_code == 201
    assert response.headers["ETag"] == '"0"'
    game = client.get(response.headers["Location"], headers=alice).json
    assert game["players"] == [{"id": "1", "name": "Ann"}, {"id": "2", "name": "Bob"}]
    assert game["position"] == {"passes": 0}


def test_a_player_cannot_start_a_game_for_others(client: Client) -> None:
    outsider = token_for(client, "3")
    assert_problem(client.post("/api/v1/games", json=NEW, headers=outsider), 403, "not_seated")
    assert client.post("/api/v1/games", json=NEW, headers=AS_OPERATOR).status_code == 201


def test_players_of_a_game_have_different_ids(client: Client, alice: dict[str, str]) -> None:
    twins = {"title": "toy", "players": [{"id": 1, "name": "Ann"}, {"id": "1", "name": "Bob"}]}
    assert_problem(client.post("/api/v1/games", json=twins, headers=alice), 422)


def test_a_recorded_game_is_imported_and_exported(client: Client, alice: dict[str, str]) -> None:
    recorded = {
        "id": 7,
        "title": "toy",
        "players": [{"id": 1, "name": "A"}],
        "actions": [{"x": ["y" * 99] * 5000}],
    }
    response = client.post("/api/v1/games/import", json=recorded, headers=alice)
    assert response.status_code == 201
    exported = client.get(response.headers["Location"] + "/export", headers=alice)
    assert exported.json["title"] == "toy"


def test_games_are_listed_by_player_and_page(client: Client, rules: FakeRules, alice: dict[str, str]) -> None:
    for number in range(5):
        rules.add_game(f"more{number}", ("2", "3"))
    assert [game["id"] for game in client.get("/api/v1/games", headers=alice).json["games"]] == ["g1"]
    seen, page = [], ""
    while True:
        found = client.get(f"/api/v1/games?player=*&limit=2&page={page}", headers=alice).json
        seen += [game["id"] for game in found["games"]]
        if "next_page" not in found:
            break
        page = found["next_page"]
    assert seen == list(rules.games)
    assert len(client.get("/api/v1/games", headers=AS_OPERATOR).json["games"]) == 6


def test_an_action_is_sent_with_the_version_seen(client: Client, alice: dict[str, str], bob: dict[str, str]) -> None:
    seen = client.get("/api/v1/games/g1", headers=alice).headers["ETag"]
    moves = client.get("/api/v1/games/g1/moves", headers=alice)
    assert moves.headers["ETag"] == seen
    (move,) = moves.json["moves"]
    sent = client.post("/api/v1/games/g1/actions", json=move, headers={**alice, "If-Match": seen})
    assert sent.status_code == 200
    assert sent.headers["ETag"] == '"1"'
    assert sent.json["action"]["id"] == 1
    assert sent.json["events"] == [{"type": "passed"}]
    assert sent.json["game"]["acting"] == ["2"]
    stale = client.post("/api/v1/games/g1/actions", json=PASS, headers={**bob, "If-Match": seen})
    problem = assert_problem(stale, 412, "stale_version")
    assert stale.headers["ETag"] == '"1"'
    assert problem["details"] == {"version": 1}


@pytest.mark.parametrize("tag", ["0", '"0"', 'W/"0"', "*"])
def test_if_match_takes_a_version_or_a_star(client: Client, alice: dict[str, str], tag: str) -> None:
    sent = client.post("/api/v1/games/g1/actions", json=PASS, headers={**alice, "If-Match": tag})
    assert sent.status_code == 200


def test_an_action_without_if_match_is_refused(client: Client, alice: dict[str, str]) -> None:
    for path in ("actions", "undo", "redo"):
        response = client.post(f"/api/v1/games/g1/{path}", json=PASS, headers=alice)
        assert_problem(response, 428, "precondition_required")


@pytest.mark.parametrize("tag", ["x", '"1", "2"', '"-1"', '"' + "9" * 40 + '"', '"x"'])
def test_an_if_match_that_is_no_version_is_refused(client: Client, alice: dict[str, str], tag: str) -> None:
    response = client.post("/api/v1/games/g1/actions", json=PASS, headers={**alice, "If-Match": tag})
    assert_problem(response, 400, "bad_if_match")


def test_reading_what_is_known_gives_304(client: Client, rules: FakeRules, alice: dict[str, str]) -> None:
    for path in ("", "/moves", "/export"):
        response = client.get(f"/api/v1/games/g1{path}", headers={**alice, "If-None-Match": '"9", W/"0"'})
        assert (response.status_code, response.data) == (304, b"")
        assert response.headers["ETag"] == '"0"'
    rules.append(rules.games["g1"], PASS)
    assert client.get("/api/v1/games/g1", headers={**alice, "If-None-Match": '"0"'}).status_code == 200


def test_any_version_can_be_read(client: Client, rules: FakeRules, alice: dict[str, str]) -> None:
    for _ in range(3):
        rules.append(rules.games["g1"], PASS)
    past = client.get("/api/v1/games/g1?version=1", headers=alice)
    assert past.json["position"] == {"passes": 1}
    assert past.headers["ETag"] == '"1"'
    assert_problem(client.get("/api/v1/games/g1?version=9", headers=alice), 404, "unknown_version")


def test_an_illegal_action_says_which_rule_forbids_it(client: Client, bob: dict[str, str]) -> None:
    action = {"type": "pass", "entity": 2, "entity_type": "player"}
    response = client.post("/api/v1/games/g1/actions", json=action, headers={**bob, "If-Match": '"0"'})
    problem = assert_problem(response, 422, "not_your_turn")
    assert problem["type"].endswith("/illegal-action")
    assert problem["detail"] == "It is not your turn."
    assert problem["details"] == {"acting": "2"}


def test_undo_and_redo_take_no_body_or_an_object(client: Client, alice: dict[str, str]) -> None:
    match = {**alice, "If-Match": "*"}
    problem = assert_problem(client.post("/api/v1/games/g1/undo", headers=match), 409, "nothing_to_undo")
    assert problem["type"].endswith("/conflict")
    client.post("/api/v1/games/g1/actions", json=PASS, headers=match)
    assert client.post("/api/v1/games/g1/undo", headers=match).status_code == 200
    assert client.post("/api/v1/games/g1/undo", json={"action_id": 0}, headers=match).status_code == 200
    assert client.post("/api/v1/games/g1/redo", json={}, headers=match).json["game"]["version"] == 4


def test_the_log_is_read_in_parts(client: Client, rules: FakeRules, alice: dict[str, str]) -> None:
    for _ in range(5):
        rules.append(rules.games["g1"], PASS)
    part = client.get("/api/v1/games/g1/log?from=2&limit=3", headers=alice).json
    assert part["version"] == 5
    assert [entry["version"] for entry in part["entries"]] == [2, 3, 4]
    assert part["entries"][0]["action"]["type"] == "pass"


def test_a_repeated_action_with_the_same_key_happens_once(
    client: Client, rules: FakeRules, alice: dict[str, str], bob: dict[str, str]
) -> None:
    headers = {**alice, "If-Match": '"0"', "Idempotency-Key": "k1"}
    first = client.post("/api/v1/games/g1/actions", json=PASS, headers=headers)
    again = client.post("/api/v1/games/g1/actions", json=PASS, headers=headers)
    assert (again.status_code, again.data) == (first.status_code, first.data)
    assert rules.games["g1"].version == 1
    other = client.post("/api/v1/games/g1/actions", json={**PASS, "x": 1}, headers=headers)
    assert_problem(other, 422, "idempotency_key_reused")
    theirs = {"type": "pass", "entity": 2}
    headers = {**bob, "If-Match": '"1"', "Idempotency-Key": "k1"}
    assert client.post("/api/v1/games/g1/actions", json=theirs, headers=headers).status_code == 200


def test_a_repeated_start_with_the_same_key_gives_the_same_game(client: Client, alice: dict[str, str]) -> None:
    headers = {**alice, "Idempotency-Key": "start"}
    ids = {client.post("/api/v1/games", json=NEW, headers=headers).json["id"] for _ in range(3)}
    assert len(ids) == 1


@pytest.mark.parametrize("key", ["", "a b", "x" * 256, "ä"])
def test_a_malformed_idempotency_key_is_refused(client: Client, alice: dict[str, str], key: str) -> None:
    response = client.post("/api/v1/games", json=NEW, headers={**alice, "Idempotency-Key": key})
    assert_problem(response, 400, "bad_idempotency_key")


def test_reads_and_keyed_writes_ride_out_a_restart(client: Client, rules: FakeRules, alice: dict[str, str]) -> None:
    rules.down = 2
    assert client.get("/api/v1/games/g1", headers=alice).status_code == 200
    rules.down = 1
    headers = {**alice, "If-Match": '"0"', "Idempotency-Key": "once"}
    assert client.post("/api/v1/games/g1/actions", json=PASS, headers=headers).status_code == 200
    rules.down = 1
    response = client.post("/api/v1/games/g1/actions", json=PASS, headers={**alice, "If-Match": '"1"'})
    assert assert_problem(response, 503, "store_unavailable")["details"] == {"maybe_written": False}
    assert response.headers["Retry-After"] == "1"


def test_unreachable_services_are_503_and_not_ready(make_app: Callable[..., Flask]) -> None:
    client = make_app(rules_address="127.0.0.1:1").test_client()
    response = client.get("/api/v1/games/g1", headers=AS_OPERATOR)
    assert_problem(response, 503, "rules_service_unavailable")
    assert "Retry-After" in response.headers
    problem = assert_problem(client.get("/readyz"), 503, "not_ready")
    assert problem["details"]["redis"] == "ok"
    assert client.get("/healthz").status_code == 200
    client = make_app(redis_url="redis://127.0.0.1:1/0").test_client()
    token = make_app().extensions["gateway"].tokens
    from gateway import auth, schemas

    headers = {"Authorization": "Bearer " + token.issue(auth.new_claims(schemas.TokenInput(player="1")))}
    assert_problem(client.get("/api/v1/games/g1", headers=headers), 503, "redis_unavailable")
    assert client.get("/api/v1/titles").status_code == 200


def test_games_can_be_kept_from_spectators(make_app: Callable[..., Flask]) -> None:
    client = make_app(spectators=False).test_client()
    outsider, player = token_for(client, "9"), token_for(client, "1")
    paths = ("", "/moves", "/log", "/export", "/events", "/map.svg", "/market.svg")
    for path in paths:
        assert_problem(client.get(f"/api/v1/games/g1{path}", headers=outsider), 403, "not_seated")
    assert_problem(client.get("/api/v1/games?player=1", headers=outsider), 403, "not_seated")
    for path in paths[:4]:
        assert client.get(f"/api/v1/games/g1{path}", headers=player).status_code == 200


def test_titles_are_public(client: Client) -> None:
    assert [title["id"] for title in client.get("/api/v1/titles").json["titles"]] == ["toy"]
    facts: Any = client.get("/api/v1/titles/toy?options=a,b").json
    assert facts["facts"] == {"map": {}}
    assert_problem(client.get("/api/v1/titles/nope"), 404, "unknown_title")


def test_metrics_count_requests(client: Client, alice: dict[str, str]) -> None:
    client.get("/api/v1/games/g1", headers=alice)
    page = client.get("/metrics").text
    assert 'roundhouse_gateway_requests_total{operation="get_game",status="200"} 1' in page
    assert 'roundhouse_gateway_request_seconds_count{operation="get_game"} 1' in page
