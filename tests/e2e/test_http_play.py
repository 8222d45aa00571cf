"""Playing over HTTP against the whole stack."""

from __future__ import annotations

import random
import threading
from typing import Any
from xml.etree import ElementTree

import pytest

from tests.e2e.http_stack import Api, choose, recorded_game


def _play(players: dict[str, Api], game: str, number: int, rng: random.Random) -> list[dict[str, Any]]:
    """Send so many random legal moves, each by a player who must act; the answers."""
    answers: list[dict[str, Any]] = []
    anybody = next(iter(players.values()))
    while len(answers) < number:
        about = anybody.get(f"/games/{game}").json()
        if about["status"] == "finished":
            break
        acting = players[about["acting"][0]]
        moves = acting.get(f"/games/{game}/moves?player={about['acting'][0]}")
        assert moves.headers["ETag"] == f'"{about["version"]}"'
        action = choose(moves.json()["moves"], rng)
        response = acting.post(f"/games/{game}/actions", action, If_Match=moves.headers["ETag"])
        assert response.status_code == 200, (action, response.text)
        assert response.headers["ETag"] == f'"{about["version"] + 1}"'
        answers.append(response.json())
    return answers


def test_players_play_with_their_own_tokens_and_watch(operator: Api) -> None:
    game = operator.new_game(3)
    players = {str(number): operator.player(number) for number in (1, 2, 3)}
    seen: list[int] = []

    def watch() -> None:
        for line in players["1"].watch(f"/games/{game}/events?after=0"):
            seen.append(line["version"])
            if line["type"] == "update" and line["version"] == 120:
                return

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    answers = _play({key: operator.player(key) for key in players}, game, 120, random.Random(7))
    watcher.join(30)
    assert len(answers) == 120
    assert seen[1:] == list(range(1, 121))
    log = operator.get(f"/games/{game}/log").json()
    assert [entry["action"] for entry in log["entries"]] == [answer["action"] for answer in answers]
    resumed = operator.watch(f"/games/{game}/events", **{"Last-Event-ID": "100"})
    assert [next(resumed)["type"] for _ in range(3)] == ["ready", "update", "update"]
    assert next(resumed)["version"] == 103


def test_an_exported_game_is_imported_with_the_same_position(operator: Api) -> None:
    game = operator.new_game(4, seed=4)
    _play({str(number): operator.player(number) for number in (1, 2, 3, 4)}, game, 60, random.Random(1))
    exported = operator.get(f"/games/{game}/export").json()
    copy = operator.post("/games/import", exported)
    assert copy.status_code == 201, copy.text
    ours, theirs = (operator.get(f"/games/{each}").json() for each in (game, copy.json()["id"]))
    for key in ("round", "acting", "version", "players"):
        assert ours[key] == theirs[key]
    for key in ("players", "corporations", "depot"):
        assert ours["position"][key] == theirs["position"][key]


def test_undo_restores_the_position_and_redo_the_action(operator: Api) -> None:
    game = operator.new_game(2)
    players = {"1": operator.player(1), "2": operator.player(2)}
    _play(players, game, 10, random.Random(3))
    before, after = (operator.get(f"/games/{game}?version={version}").json()["position"] for version in (9, 10))
    assert before["state"]["players"] != after["state"]["players"] or before["waiting_for"] != after["waiting_for"]
    undone = operator.post(f"/games/{game}/undo", If_Match='"10"')
    assert undone.status_code == 200, undone.text
    position = operator.get(f"/games/{game}").json()["position"]
    assert (position["players"], position["waiting_for"]) == (before["players"], before["waiting_for"])
    assert operator.post(f"/games/{game}/redo", If_Match=undone.headers["ETag"]).status_code == 200
    position = operator.get(f"/games/{game}").json()["position"]
    assert (position["players"], position["waiting_for"]) == (after["players"], after["waiting_for"])


def test_a_repeated_action_happens_once(operator: Api) -> None:
    game = operator.new_game(2)
    action = {"type": "pass", "entity": 1, "entity_type": "player"}
    first, again = (
        operator.post(f"/games/{game}/actions", action, If_Match='"0"', Idempotency_Key="only-once") for _ in range(2)
    )
    assert first.status_code == again.status_code == 200
    assert first.json() == again.json()
    assert operator.get(f"/games/{game}").json()["version"] == 1


def test_any_version_of_a_recorded_game_can_be_read(operator: Api) -> None:
    recorded = recorded_game("1830/1830-a")
    imported = operator.post("/games/import", recorded)
    assert imported.status_code == 201, imported.text
    game = imported.json()
    assert game["result"] == recorded["result"]
    assert game["end_reason"] == recorded["game_end_reason"]
    assert game["mode"] == "imported"
    for version in range(0, game["version"], 97):
        past = operator.get(f"/games/{game['id']}?version={version}")
        assert past.headers["ETag"] == f'"{version}"'
        assert past.json()["version"] == version
    for picture in ("map", "market"):
        svg = operator.get(f"/games/{game['id']}/{picture}.svg?version=200")
        assert svg.headers["Content-Type"].startswith("image/svg+xml")
        assert ElementTree.fromstring(svg.content).tag.endswith("svg")


def test_the_best_routes_are_found_and_accepted(operator: Api) -> None:
    recorded = recorded_game("1830/1830-a")
    runs = [index for index, action in enumerate(recorded["actions"]) if action["type"] == "run_routes"]
    for index in (runs[len(runs) // 2], runs[-1]):
        cut = {key: value for key, value in recorded.items() if key not in ("result", "status", "game_end_reason")}
        imported = operator.post("/games/import", {**cut, "actions": recorded["actions"][:index]})
        assert imported.status_code == 201, imported.text
        game, run = imported.json()["id"], recorded["actions"][index]
        job = operator.post(f"/games/{game}/routes", {"corporation": run["entity"]}, Prefer="wait=30")
        assert job.status_code == 200, job.text
        found = job.json()
        assert found["state"] == "done", found
        result = found["result"]
        assert result["proven"]
        assert result["revenue"] == result["upper_bound"]
        assert result["revenue"] >= sum(route["revenue"] for route in run["routes"])
        checked = operator.post(f"/games/{game}/routes/check", {"routes": result["routes"]})
        assert checked.json()["revenue"] == result["revenue"]
        svg = operator.get(f"/games/{game}/map.svg?job={found['id']}")
        assert svg.status_code == 200, svg.text
        assert b'class="routes"' in svg.content
        sent = operator.post(f"/games/{game}/actions", result["action"], If_Match="*")
        assert sent.status_code == 200, sent.text
        again = operator.post(f"/games/{game}/routes", {"version": imported.json()["version"]}, Prefer="wait=5")
        assert again.json()["result"]["revenue"] == result["revenue"]


def test_a_job_is_read_at_its_address_and_cancelled(operator: Api) -> None:
    recorded = recorded_game("1830/1830-a")
    index = next(i for i, action in enumerate(recorded["actions"]) if action["type"] == "run_routes")
    cut = {key: value for key, value in recorded.items() if key not in ("result", "status", "game_end_reason")}
    game = operator.post("/games/import", {**cut, "actions": recorded["actions"][:index]}).json()["id"]
    job = operator.post(f"/games/{game}/routes", {})
    assert job.status_code in (200, 202)
    path = f"/jobs/{job.json()['id']}"
    assert operator.get(path, headers={"Prefer": "wait=20"}).json()["state"] == "done"
    assert operator.delete(path).status_code == 200
    outsider = operator.player(99)
    assert outsider.get(path).status_code == 403


def test_two_clients_race_and_one_wins_each_version(operator: Api) -> None:
    game = operator.new_game(2)
    outcomes: dict[int, list[int]] = {version: [] for version in range(40)}
    lock, gate = threading.Lock(), threading.Barrier(2)

    def race(client: Api) -> None:
        for version in range(40):
            gate.wait(30)
            action = {"type": "message", "entity": 1, "entity_type": "player", "message": client.token[-8:]}
            response = client.post(f"/games/{game}/actions", action, If_Match=f'"{version}"')
            if response.status_code == 412:
                assert response.headers["ETag"] == f'"{version + 1}"'
                assert response.json()["code"] == "stale_version"
            with lock:
                outcomes[version].append(response.status_code)

    racers = [threading.Thread(target=race, args=(operator.player(1),)) for _ in range(2)]
    for racer in racers:
        racer.start()
    for racer in racers:
        racer.join(60)
    assert all(sorted(codes) == [200, 412] for codes in outcomes.values()), outcomes
    assert operator.get(f"/games/{game}").json()["version"] == 40


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/api/v1/openapi.json", "/api/v1/docs"])
def test_the_service_describes_itself(operator: Api, path: str) -> None:
    response = operator.session.get(operator.url.removesuffix("/api/v1") + path, timeout=10)
    assert response.status_code == 200
