"""Event streams: nothing missed, nothing twice, resume from any version."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from flask import Flask

from gateway.streams import feeds, hub
from tests.gateway.conftest import AS_OPERATOR, Client, assert_problem, token_for
from tests.gateway.fake_rules import FakeRules

PASS = {"type": "pass"}
NDJSON = {"Accept": "application/x-ndjson"}


class Stream:
    """Reads a stream event by event; ends it when closed."""

    def __init__(self, client: Client, path: str, headers: dict[str, str]) -> None:
        self.response = client.get(f"/api/v1{path}", headers=headers)
        assert self.response.status_code == 200, self.response.data
        self.is_sse = self.response.content_type.startswith("text/event-stream")
        self._chunks = iter(self.response.response)
        self.heartbeats = 0

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *_: object) -> None:
        self.response.close()

    def events(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """(id, data) of each event; id is empty in NDJSON."""
        for chunk in self._chunks:
            text = chunk.decode()
            if not text.strip(": \n"):
                self.heartbeats += 1
                continue
            if not self.is_sse:
                yield "", json.loads(text)
                continue
            fields = dict(line.split(": ", 1) for line in text.strip().split("\n"))
            data = json.loads(fields["data"])
            assert fields["event"] == data["type"]
            yield fields["id"], data

    def take(self, number: int) -> list[tuple[str, dict[str, Any]]]:
        """The next events."""
        source = self.events()
        return [next(source) for _ in range(number)]

    def versions(self, number: int) -> list[int]:
        """Versions of the next updates."""
        return [data["version"] for _, data in self.take(number)]


def test_a_watcher_sees_each_version_as_it_is_written(client: Client, rules: FakeRules, alice: dict[str, str]) -> None:
    game = rules.games["g1"]
    rules.append(game, PASS)
    with Stream(client, "/games/g1/events", alice) as stream:
        assert stream.take(1) == [("1", {"type": "ready", "version": 1})]
        rules.append(game, PASS)
        rules.append(game, PASS)
        (first, update), (second, _) = stream.take(2)
    assert (first, second) == ("2", "3")
    assert (update["game_id"], update["version"]) == ("g1", 2)
    assert update["action"]["type"] == "pass"
    assert update["events"] == [{"type": "passed"}]


@pytest.mark.parametrize("resume", [{"Last-Event-ID": "2"}, {}])
def test_a_watcher_resumes_where_it_was(
    client: Client, rules: FakeRules, alice: dict[str, str], resume: dict[str, str]
) -> None:
    for _ in range(5):
        rules.append(rules.games["g1"], PASS)
    path = "/games/g1/events" if resume else "/games/g1/events?after=2"
    with Stream(client, path, {**alice, **resume}) as stream:
        assert stream.take(1)[0][0] == "2"
        assert stream.versions(3) == [3, 4, 5]
        rules.append(rules.games["g1"], PASS)
        assert stream.versions(1) == [6]


def test_resuming_from_the_future_starts_now(client: Client, rules: FakeRules, alice: dict[str, str]) -> None:
    with Stream(client, "/games/g1/events", {**alice, "Last-Event-ID": "99"}) as stream:
        assert stream.take(1)[0][0] == "0"
        rules.append(rules.games["g1"], PASS)
        assert stream.versions(1) == [1]


def test_long_histories_are_sent_in_pages(
    client: Client, rules: FakeRules, alice: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feeds, "PAGE", 7)
    for _ in range(30):
        rules.append(rules.games["g1"], PASS)
    with Stream(client, "/games/g1/events?after=0", {**alice, **NDJSON}) as stream:
        stream.take(1)
        assert stream.versions(30) == list(range(1, 31))


def test_bots_get_a_line_for_each_update(client: Client, rules: FakeRules, alice: dict[str, str]) -> None:
    with Stream(client, "/games/g1/events", {**alice, **NDJSON}) as stream:
        assert stream.response.content_type == "application/x-ndjson"
        stream.take(1)
        rules.append(rules.games["g1"], PASS)
        assert stream.versions(1) == [1]


def test_another_format_is_406(client: Client, alice: dict[str, str]) -> None:
    assert_problem(client.get("/api/v1/games/g1/events", headers={**alice, "Accept": "image/png"}), 406)
    with Stream(client, "/games/g1/events", {**alice, "Accept": "*/*"}) as stream:
        assert stream.is_sse


@pytest.mark.parametrize("event_id", ["x", "-1", "1.5", "9" * 40])
def test_a_wrong_last_event_id_is_400(client: Client, alice: dict[str, str], event_id: str) -> None:
    response = client.get("/api/v1/games/g1/events", headers={**alice, "Last-Event-ID": event_id})
    assert_problem(response, 400, "bad_last_event_id")


def test_a_silent_stream_shows_signs_of_life(client: Client, rules: FakeRules, alice: dict[str, str]) -> None:
    with Stream(client, "/games/g1/events", alice) as stream:
        stream.take(1)
        timer = threading.Timer(1.0, rules.append, (rules.games["g1"], PASS))
        timer.start()
        assert stream.versions(1) == [1]
        assert stream.heartbeats >= 2


def test_nothing_is_lost_when_the_rules_service_restarts(
    client: Client, rules: FakeRules, alice: dict[str, str]
) -> None:
    game = rules.games["g1"]
    with Stream(client, "/games/g1/events", alice) as stream:
        stream.take(1)
        rules.append(game, PASS)
        assert stream.versions(1) == [1]
        rules.cut_watchers()
        while rules.watchers:
            time.sleep(0.01)
        rules.append(game, PASS)
        assert stream.versions(1) == [2]


def test_a_stream_survives_a_store_that_cannot_be_reached(
    client: Client, rules: FakeRules, alice: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gateway.rules.PAUSES", (0.01,))
    monkeypatch.setattr(feeds, "RETRY_SECONDS", 0.05)
    rules.append(rules.games["g1"], PASS)
    with Stream(client, "/games/g1/events?after=0", alice) as stream:
        rules.down = 6
        assert stream.take(2)[1][1]["version"] == 1


def test_updates_around_the_start_come_exactly_once(client: Client, rules: FakeRules, alice: dict[str, str]) -> None:
    game, number = rules.games["g1"], 300
    writer = threading.Thread(target=lambda: [rules.append(game, PASS) for _ in range(number)])
    with Stream(client, "/games/g1/events?after=0", alice) as stream:
        writer.start()
        stream.take(1)
        assert stream.versions(number) == list(range(1, number + 1))
    writer.join()


def test_all_games_of_a_player_come_in_one_stream(client: Client, rules: FakeRules, bob: dict[str, str]) -> None:
    theirs, others = rules.add_game("g2", ("2", "3")), rules.add_game("g3", ("1", "3"))
    with Stream(client, "/events", bob) as mine, Stream(client, "/events", AS_OPERATOR) as everything:
        mine.take(1)
        everything.take(1)
        for game in (rules.games["g1"], others, theirs):
            rules.append(game, PASS)
            time.sleep(0.003)
        assert [data["game_id"] for _, data in mine.take(2)] == ["g1", "g2"]
        assert [data["game_id"] for _, data in everything.take(3)] == ["g1", "g3", "g2"]


def test_a_stream_of_many_games_resumes_by_time(
    client: Client, rules: FakeRules, bob: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feeds, "SLACK_MS", 0)
    monkeypatch.setattr(feeds, "PAGE", 2)
    game, other = rules.games["g1"], rules.add_game("g2", ("2", "3"))
    with Stream(client, "/events", bob) as stream:
        stream.take(1)
        rules.append(game, PASS)
        ((last, _),) = stream.take(1)
    time.sleep(0.005)
    for _ in range(5):
        rules.append(game, PASS)
        time.sleep(0.002)
    rules.append(other, PASS)
    with Stream(client, "/events", {**bob, "Last-Event-ID": last}) as stream:
        stream.take(1)
        seen = {(data["game_id"], data["version"]) for _, data in stream.take(7)}
        rules.append(other, PASS)
        assert stream.versions(1) == [2]
    assert seen == {("g1", version) for version in range(1, 7)} | {("g2", 1)}


def test_a_stream_of_many_games_asks_for_those_that_changed(client: Client, rules: FakeRules) -> None:
    for number in range(1000):
        rules.add_game(f"old{number}").created_at = 1_000
    rules.calls.clear()
    with Stream(client, "/events", AS_OPERATOR) as events:
        assert events.take(1)[0][1]["type"] == "ready"
    assert rules.calls["ListGames"] == 1


def test_streams_are_limited_by_player_and_by_process(make_app: Callable[..., Flask]) -> None:
    client = make_app(max_streams=3, max_streams_per_player=2).test_client()
    alice, bob = token_for(client, "1"), token_for(client, "2")
    with Stream(client, "/games/g1/events", alice), Stream(client, "/events", alice):
        assert_problem(client.get("/api/v1/events", headers=alice), 429, "too_many_streams")
        with Stream(client, "/events", bob):
            assert_problem(client.get("/api/v1/events", headers=bob), 503, "too_many_streams")
    with Stream(client, "/events", alice):
        pass


def test_a_closed_stream_is_given_up(app: Flask, client: Client, alice: dict[str, str]) -> None:
    fan = app.extensions["gateway"].hub
    with Stream(client, "/games/g1/events", alice) as stream:
        stream.take(1)
        assert fan.streams == 1
    assert fan.streams == 0
    assert_problem(client.get("/api/v1/games/nope/events", headers=alice), 404)
    assert client.head("/api/v1/games/g1/events", headers=alice).status_code == 200
    assert fan.streams == 0


def test_a_revoked_token_ends_its_streams(
    client: Client, alice: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feeds, "PERMIT_SECONDS", 0.1)
    with Stream(client, "/games/g1/events", alice) as stream:
        stream.take(1)
        client.delete("/api/v1/tokens/self", headers=alice)
        assert list(stream.events()) == []


def test_a_watcher_that_is_too_slow_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub, "QUEUE_SIZE", 2)
    subscription = hub.Subscription("game:g1", "player:1")
    for _ in range(3):
        subscription.put(hub.RESYNC)
    assert subscription.get(0.1) is hub.CLOSED
