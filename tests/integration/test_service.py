"""The RPCs of the rules service, against real processes."""

from __future__ import annotations

import os
import random
import signal
import time
from pathlib import Path
from typing import Any

import grpc
import msgspec
import pytest
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from protos.roundhouse.v1 import rules_pb2 as pb
from tests.integration.conftest import RedisServer
from tests.integration.rules_server import SEATS, SERVICE, RulesClient, RulesServer, actions_of, error_info
from tests.redis_server import NO_WRITES
from tests.shared import SHARED, need

BID = {"type": "bid", "entity": 1, "entity_type": "player", "company": "SV", "price": 20}
CODE = grpc.StatusCode


@pytest.fixture(scope="module")
def client(rules_server: RulesServer) -> RulesClient:
    return rules_server.client()


def recorded(name: str) -> bytes:
    return need(SHARED / "games" / "1830" / name).read_bytes()


def failure(call: Any, *arguments: Any, **fields: Any) -> tuple[grpc.StatusCode, pb.ErrorInfo]:
    with pytest.raises(grpc.RpcError) as caught:
        call(*arguments, **fields)
    error: Any = caught.value
    return error.code(), error_info(error)


def failure_code(call: Any, *arguments: Any, **fields: Any) -> tuple[grpc.StatusCode, str]:
    status, info = failure(call, *arguments, **fields)
    return status, info.code


def test_a_game_is_created_once_for_an_idempotency_key(client: RulesClient) -> None:
    first, again = client.create("create-once"), client.create("create-once")
    assert first == again
    assert (first.version, first.status, first.mode, list(first.acting)) == (0, "active", "live", ["1"])
    status, info = failure(client.create, "create-once", description="another")
    assert (status, info.code) == (CODE.ALREADY_EXISTS, "idempotency_key_reused")


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"title": "1899"}, CODE.NOT_FOUND),
        ({"title": ""}, CODE.INVALID_ARGUMENT),
        ({"players": []}, CODE.INVALID_ARGUMENT),
        ({"players": SEATS[:1]}, CODE.INVALID_ARGUMENT),
        ({"players": [*SEATS, SEATS[0]]}, CODE.INVALID_ARGUMENT),
        ({"players": [pb.PlayerSeat(id="x" * 1000), *SEATS]}, CODE.INVALID_ARGUMENT),
        ({"description": "x" * 10_000}, CODE.INVALID_ARGUMENT),
    ],
)
def test_a_game_that_cannot_be_is_refused(client: RulesClient, fields: Any, status: grpc.StatusCode) -> None:
    got, info = failure(client.create, **fields)
    assert got is status
    assert info.code and info.message


def test_an_action_is_logged_with_id_time_and_events(client: RulesClient) -> None:
    game = client.create()
    result = client.submit(game.game_id, BID, expected_version=0, player_id="1")
    action = msgspec.json.decode(result.action_json)
    assert (action["id"], action["type"], action["company"], action["price"]) == (1, "bid", "SV", 20)
    assert action["created_at"] > 1_700_000_000 and isinstance(action["created_at"], int)
    assert "user" not in action
    assert {event["kind"] for event in msgspec.json.decode(result.events_json)} >= {"company_bought"}
    assert (result.summary.version, list(result.summary.acting)) == (1, ["2"])
    assert client.log(game.game_id)[0].action_json == result.action_json


def test_an_action_belongs_to_the_player_behind_its_entity(client: RulesClient) -> None:
    game = client.create()
    status, info = failure(client.submit, game.game_id, BID, player_id="2")
    assert (status, info.code) == (CODE.PERMISSION_DENIED, "not_yours")
    status, info = failure(client.submit, game.game_id, BID, player_id="9")
    assert (status, info.code) == (CODE.PERMISSION_DENIED, "not_seated")
    status, _ = failure(client.submit, game.game_id, {**BID, "entity": 2}, player_id="2")
    assert status is CODE.FAILED_PRECONDITION


def test_a_stale_version_is_aborted_with_the_current_one(client: RulesClient) -> None:
    game = client.create()
    client.submit(game.game_id, BID, expected_version=0)
    status, info = failure(client.submit, game.game_id, {**BID, "entity": 2}, expected_version=0)
    assert (status, info.code) == (CODE.ABORTED, "stale_version")
    assert msgspec.json.decode(info.details_json) == {"version": 1}


@pytest.mark.parametrize(
    ("action", "status"),
    [
        (b"", CODE.INVALID_ARGUMENT),
        (b"{", CODE.INVALID_ARGUMENT),
        (b"\xff\xfe", CODE.INVALID_ARGUMENT),
        (b"[]", CODE.INVALID_ARGUMENT),
        (b"{}", CODE.INVALID_ARGUMENT),
        (b"[" * 60_000, CODE.INVALID_ARGUMENT),
        (b'"' + b"x" * 100_000 + b'"', CODE.INVALID_ARGUMENT),
        ({"type": "fly", "entity": 1, "entity_type": "player"}, CODE.INVALID_ARGUMENT),
        ({**BID, "price": "much"}, CODE.INVALID_ARGUMENT),
        ({**BID, "price": 10}, CODE.FAILED_PRECONDITION),
        ({**BID, "company": "XX"}, CODE.FAILED_PRECONDITION),
        ({**BID, "entity": 7}, CODE.FAILED_PRECONDITION),
        ({"type": "undo", "entity": 1, "entity_type": "player"}, CODE.FAILED_PRECONDITION),
        ({"type": "redo", "entity": 1, "entity_type": "player"}, CODE.FAILED_PRECONDITION),
        ({"type": "undo", "action_id": "first"}, CODE.INVALID_ARGUMENT),
        ({"type": "undo", "action_id": 2**64}, CODE.INVALID_ARGUMENT),
        ({**BID, "price": 10**30}, CODE.INVALID_ARGUMENT),
        ({**BID, "type": "program_auction_bid", "bid_target": "SV", "maximum_bid": 2**64}, CODE.INVALID_ARGUMENT),
        ({**BID, "company": "X" * 60_000}, CODE.FAILED_PRECONDITION),
        ({**BID, "company": "\U0001f4a5" * 15_000}, CODE.FAILED_PRECONDITION),
        ({**BID, "x" * 60_000: 1}, CODE.INVALID_ARGUMENT),
    ],
)
def test_a_bad_action_is_refused_and_changes_nothing(client: RulesClient, action: Any, status: grpc.StatusCode) -> None:
    game = client.create("bad-action")
    got, info = failure(client.submit, game.game_id, action)
    assert got is status
    assert info.code and info.message
    assert len(info.message) < 1000, "what it repeats of the request is shortened"
    assert client.create("bad-action") == game
    assert client.log(game.game_id) == []


@pytest.mark.parametrize("game_id", ["", "nosuchgame", "../etc", "A", "a" * 100, "a:b", "{x}", "ä"])
def test_an_unknown_game_is_not_found_or_no_id(client: RulesClient, game_id: str) -> None:
    for call, request in [
        (client.stub.GetLog, pb.GetLogRequest(game_id=game_id)),
        (client.stub.ListMoves, pb.ListMovesRequest(game_id=game_id)),
        (client.stub.ExportGame, pb.ExportGameRequest(game_id=game_id)),
        (client.stub.SubmitAction, pb.SubmitActionRequest(game_id=game_id, action_json=b'{"type":"pass"}')),
        (client.stub.Undo, pb.UndoRequest(game_id=game_id)),
    ]:
        status, _ = failure(call, request)
        assert status in (CODE.NOT_FOUND, CODE.INVALID_ARGUMENT)


def test_mutated_actions_never_break_the_service(client: RulesClient) -> None:
    rng = random.Random(1830)
    game = client.create()
    template = msgspec.json.encode(BID)
    for _ in range(400):
        data = bytearray(template)
        for _ in range(rng.randint(1, 4)):
            at = rng.randrange(len(data))
            data[at : at + rng.randint(0, 3)] = bytes(rng.randrange(32, 127) for _ in range(rng.randint(0, 3)))
        try:
            client.submit(game.game_id, bytes(data), expected_version=0, player_id=rng.choice(["", "1", "2"]))
        except grpc.RpcError as error:
            assert error_info(error).code != "internal", bytes(data)
        else:
            game = client.create()


def test_undo_and_redo(client: RulesClient) -> None:
    game = client.create()
    client.submit(game.game_id, BID, player_id="1")
    status, info = failure(client.stub.Undo, pb.UndoRequest(game_id=game.game_id, player_id="2"))
    assert (status, info.code) == (CODE.PERMISSION_DENIED, "not_your_action")
    undone = client.stub.Undo(pb.UndoRequest(game_id=game.game_id, player_id="1", expected_version=1))
    assert (undone.summary.version, list(undone.summary.acting)) == (2, ["1"])
    redone = client.submit(game.game_id, {"type": "redo", "entity": 1, "entity_type": "player"})
    assert (redone.summary.version, list(redone.summary.acting)) == (3, ["2"])
    assert [action["type"] for action in actions_of(client.log(game.game_id))] == ["bid", "undo", "redo"]


@pytest.mark.parametrize(
    ("entity", "player", "refusal"),
    [
        ({"entity": 1, "entity_type": "player"}, "1", None),
        ({"entity": "PRR", "entity_type": "corporation"}, "1", None),
        ({"entity": "SV", "entity_type": "company"}, "1", None),
        ({"entity": 2, "entity_type": "player"}, "", None),
        ({"entity": 2, "entity_type": "player"}, "1", (CODE.PERMISSION_DENIED, "not_yours")),
        ({"entity": 9, "entity_type": "player"}, "1", (CODE.FAILED_PRECONDITION, "unknown_entity")),
        ({"entity": "XYZ", "entity_type": "corporation"}, "1", (CODE.FAILED_PRECONDITION, "unknown_entity")),
        ({"entity": "PRR", "entity_type": "player"}, "", (CODE.FAILED_PRECONDITION, "unknown_entity")),
        ({"entity_type": "player"}, "1", (CODE.INVALID_ARGUMENT, "malformed_action")),
    ],
)
def test_undo_and_redo_as_actions_need_an_entity_of_the_game_that_is_no_other_player(
    client: RulesClient, entity: dict[str, Any], player: str, refusal: Any
) -> None:
    game = client.create()
    client.submit(game.game_id, BID, player_id="1")
    for kind in ("undo", "redo"):
        if refusal:
            assert failure_code(client.submit, game.game_id, {"type": kind, **entity}, player_id=player) == refusal
        else:
            client.submit(game.game_id, {"type": kind, **entity}, player_id=player)
    written = ["bid"] if refusal else ["bid", "undo", "redo"]
    assert [action["type"] for action in actions_of(client.log(game.game_id))] == written


def test_an_imported_game_is_exported_as_it_was(client: RulesClient) -> None:
    source = recorded("1830-a.json")
    game = client.stub.ImportGame(pb.ImportGameRequest(game_json=source, idempotency_key="import"))
    assert client.stub.ImportGame(pb.ImportGameRequest(game_json=source, idempotency_key="import")) == game
    original = msgspec.json.decode(source)
    exported = msgspec.json.decode(client.stub.ExportGame(pb.ExportGameRequest(game_id=game.game_id)).game_json)
    assert game.version == len(original["actions"])
    for field in ("title", "actions", "result", "game_end_reason", "status"):
        assert exported[field] == original[field]
    assert [player["id"] for player in exported["players"]] == [player["id"] for player in original["players"]]
    assert dict(game.result) == original["result"]
    assert (game.mode, game.status) == ("imported", "finished")
    again = client.stub.ImportGame(pb.ImportGameRequest(game_json=msgspec.json.encode(exported)))
    assert again.result == game.result


@pytest.mark.parametrize("version", [0, 1, 31, 32, 33, 255, 256, 257, 600, 654])
def test_any_version_of_a_game_is_at_hand(client: RulesClient, version: int) -> None:
    source = pb.ImportGameRequest(game_json=recorded("1830-a.json"), idempotency_key="import")
    game = client.stub.ImportGame(source)
    reply = client.stub.ListMoves(pb.ListMovesRequest(game_id=game.game_id, version=version))
    assert reply.version == version
    assert bool(msgspec.json.decode(reply.moves_json)) == (version < game.version)
    status, _ = failure(client.stub.ListMoves, pb.ListMovesRequest(game_id=game.game_id, version=655))
    assert status is CODE.NOT_FOUND


@pytest.mark.parametrize("data", [b"", b"nonsense", b"[]", b"{}", b'{"title":"1830","players":[],"actions":[]}'])
def test_an_import_that_is_no_game_is_refused(client: RulesClient, data: bytes) -> None:
    status, info = failure(client.stub.ImportGame, pb.ImportGameRequest(game_json=data))
    assert (status, info.code == "") == (CODE.INVALID_ARGUMENT, False)


@pytest.mark.parametrize(
    "change",
    [
        {"settings": {"seed": "soon"}},
        {"settings": {"seed": 2**63}},
        {"settings": {}, "id": "9" * 5000},
        {"settings": {"seed": 1, "optional_rules": [str(number) for number in range(50_000)]}},
        {"settings": {"seed": 1, "optional_rules": ["x" * 100_000]}},
        {"title": "x" * 100_000},
        {"players": [{"id": 1, "name": "x" * 100_000}, {"id": 2, "name": "Bob"}]},
        {"players": [{"id": 2**64, "name": "Ann"}, {"id": 2, "name": "Bob"}]},
        {"actions": [{**BID, "id": 2**64}]},
        {"actions": [{**BID, "entity": "x" * 100_000}]},
        {"actions": [{**BID, "auto_actions": [{"unknown": [2**64]}]}]},
        {"actions": [BID] * 20_001},
    ],
)
def test_an_import_with_more_than_any_game_has_is_refused(client: RulesClient, change: Any) -> None:
    players = [{"id": 1, "name": "Ann"}, {"id": 2, "name": "Bob"}]
    game = {"title": "1830", "players": players, "settings": {"seed": 1}, "actions": [BID]}
    assert client.stub.ImportGame(pb.ImportGameRequest(game_json=msgspec.json.encode(game))).version == 1
    data = msgspec.json.encode({**game, **change})
    status, info = failure(client.stub.ImportGame, pb.ImportGameRequest(game_json=data))
    assert status in (CODE.INVALID_ARGUMENT, CODE.FAILED_PRECONDITION, CODE.NOT_FOUND)
    assert 0 < len(info.message) < 1000


def test_a_game_played_here_keeps_its_rules_when_it_is_imported_again(client: RulesClient) -> None:
    """Live play and recorded games differ in rules, such as the certificate of Camden & Amboy (core 16.5)."""
    game = client.create("export-live")
    client.submit(game.game_id, BID)
    exported = client.stub.ExportGame(pb.ExportGameRequest(game_id=game.game_id)).game_json
    again = client.stub.ImportGame(pb.ImportGameRequest(game_json=exported))
    assert again.mode == game.mode == "live"
    states = [client.stub.GetGame(pb.GetGameRequest(game_id=each.game_id)).state_json for each in (game, again)]
    assert states[0] == states[1]


def test_an_import_with_an_illegal_action_names_it(client: RulesClient) -> None:
    seats = [{"id": 1, "name": "Ann"}, {"id": 2, "name": "Bob"}]
    game = {"title": "1830", "players": seats, "settings": {"seed": 1}}
    for wrong, start in [
        (
            {"type": "bid", "entity": 2, "entity_type": "player", "company": "SV", "price": 20, "id": 7},
            "Action 7 (bid by 2): ",
        ),
        (
            {"type": "bid", "entity": 2, "entity_type": "player", "company": "SV", "price": 20},
            "The action at position 2 (bid by 2): ",
        ),
        ({}, "The action at position 2: "),
    ]:
        data = msgspec.json.encode({**game, "actions": [{**BID, "price": 20, "id": 1}, wrong]})
        status, info = failure(client.stub.ImportGame, pb.ImportGameRequest(game_json=data))
        assert status in (CODE.FAILED_PRECONDITION, CODE.INVALID_ARGUMENT)
        assert info.message.startswith(start)


def test_lists_are_filtered_and_paged(client: RulesClient) -> None:
    seats = [pb.PlayerSeat(id="lister", name="L"), pb.PlayerSeat(id="other", name="O")]
    made = [client.create(players=seats).game_id for _ in range(5)]
    request = pb.ListGamesRequest(player_id="lister", acting_player_id="lister", page_size=2)
    seen = []
    while True:
        page = client.stub.ListGames(request)
        seen += [game.game_id for game in page.games]
        if not page.next_page_token:
            break
        request.page_token = page.next_page_token
    assert seen == made[::-1]
    status, _ = failure(client.stub.ListGames, pb.ListGamesRequest(page_token="x"))
    assert status is CODE.INVALID_ARGUMENT


def test_a_list_of_recent_games_has_its_own_page_tokens(client: RulesClient) -> None:
    seats = [pb.PlayerSeat(id="recent", name="R"), pb.PlayerSeat(id="other", name="O")]
    made = [client.create(players=seats).game_id for _ in range(3)]
    time.sleep(0.005)  # the order is that of milliseconds
    client.submit(made[0], {**BID, "entity": "recent"})
    request = pb.ListGamesRequest(player_id="recent", updated_since=1, page_size=2)
    page = client.stub.ListGames(request)
    assert {game.game_id for game in page.games} == {made[1], made[2]}
    request.page_token = page.next_page_token
    assert [game.game_id for game in client.stub.ListGames(request).games] == [made[0]]
    for wrong in ({"updated_since": 0}, {"updated_since": -1}, {"updated_since": 1, "page_token": "17"}):
        fields = {"page_token": page.next_page_token, **wrong}
        assert failure(client.stub.ListGames, pb.ListGamesRequest(**fields))[0] is CODE.INVALID_ARGUMENT


@pytest.mark.parametrize("name", ["1888", "1888-N"])
def test_a_title_is_found_by_each_of_its_names(client: RulesClient, name: str) -> None:
    seats = [pb.PlayerSeat(id=f"seat-{name}", name="S"), pb.PlayerSeat(id="other", name="O")]
    made = client.create(players=seats, title=name)
    assert made.title == "1888"
    for wanted in ("1888", "1888-N"):
        page = client.stub.ListGames(pb.ListGamesRequest(player_id=f"seat-{name}", title=wanted))
        assert [game.game_id for game in page.games] == [made.game_id]


def test_a_list_of_an_unknown_title_is_an_error_that_names_the_titles(client: RulesClient) -> None:
    status, info = failure(client.stub.ListGames, pb.ListGamesRequest(title="1899"))
    assert (status, info.code) == (CODE.INVALID_ARGUMENT, "unknown_title")
    assert "1899" in info.message and "1830" in info.message


def test_a_watcher_gets_every_version_from_where_it_was(client: RulesClient) -> None:
    game = client.create()
    client.submit(game.game_id, BID)
    stream = client.stub.WatchGames(pb.WatchGamesRequest(game_id=game.game_id, after_version=0))
    assert next(stream).entry.version == 1
    for entity in (2, 3):
        client.submit(game.game_id, {"type": "pass", "entity": entity, "entity_type": "player"})
    assert [next(stream).entry.version for _ in range(2)] == [2, 3]
    stream.cancel()
    status, _ = failure(lambda: next(client.stub.WatchGames(pb.WatchGamesRequest(game_id="nosuchgame"))))
    assert status is CODE.NOT_FOUND


def test_titles_are_listed_with_their_facts(client: RulesClient) -> None:
    titles = client.stub.ListTitles(pb.ListTitlesRequest()).titles
    assert "1830" in [title.title for title in titles]
    facts = client.stub.GetTitle(pb.GetTitleRequest(title="1830"))
    assert "map" in msgspec.json.decode(facts.data_json)
    assert failure(client.stub.GetTitle, pb.GetTitleRequest(title="nope"))[0] is CODE.NOT_FOUND


def test_reflection_names_the_service(client: RulesClient) -> None:
    stub: Any = reflection_pb2_grpc.ServerReflectionStub(client.channel)
    request = reflection_pb2.ServerReflectionRequest(list_services="")
    reply = next(stub.ServerReflectionInfo(iter([request])))
    assert SERVICE in [service.name for service in reply.list_services_response.service]


def test_without_redis_calls_are_unavailable_and_health_says_so(own_redis: RedisServer, tmp_path: Path) -> None:
    server = RulesServer(own_redis.url, tmp_path)
    server.start()
    try:
        client = server.client()
        game = client.create()
        own_redis.child.kill()
        status, info = failure(client.submit, game.game_id, BID)
        assert (status, info.code) == (CODE.UNAVAILABLE, "store_unavailable")
        server.wait_for(serving=False)
        own_redis.start()
        server.wait_for(serving=True)
        assert client.submit(game.game_id, BID, expected_version=0).summary.version == 1
    finally:
        server.child.stop()


@pytest.mark.parametrize("trouble", sorted(NO_WRITES))
def test_a_redis_that_refuses_to_write_makes_the_service_unhealthy(
    own_redis: RedisServer, tmp_path: Path, trouble: str
) -> None:
    server = RulesServer(own_redis.url, tmp_path)
    server.start()
    try:
        client = server.client()
        game = client.create()
        with NO_WRITES[trouble](own_redis.client()):
            server.wait_for(serving=False)
            assert trouble in server.child.last_lines()
            if trouble != "NOREPLICAS":  # before version 7 Redis lets scripts write all the same
                status, info = failure(client.submit, game.game_id, BID)
                assert (status, info.code) == (CODE.UNAVAILABLE, "store_unavailable")
                assert info.message == "The games cannot be written at the moment; nothing was written."
                assert msgspec.json.decode(info.details_json) == {"maybe_written": False}
            assert client.moves(game.game_id)[1], "reading goes on"
            client.log(game.game_id)
        server.wait_for(serving=True)
        client.submit(game.game_id, BID, expected_version=0)
    finally:
        server.child.stop()


def test_streams_do_not_hold_up_the_end_of_the_service(redis_server: RedisServer, tmp_path: Path) -> None:
    server = RulesServer(redis_server.url, tmp_path, ROUNDHOUSE_GRACE="3600")
    server.start()
    client = server.client()
    game = client.create()
    streams = [client.stub.WatchGames(pb.WatchGamesRequest(game_id=game_id)) for game_id in ("", game.game_id)]
    for stream in streams:
        stream.initial_metadata()
    os.kill(server.child.pid, signal.SIGTERM)
    for stream in streams:
        assert failure_code(next, stream) == (CODE.UNAVAILABLE, "stopping")
    client.channel.close()
    server.child.stop(30)
    assert server.child.exit_code == 0


def test_sigterm_ends_the_service_in_order(redis_server: RedisServer, tmp_path: Path) -> None:
    server = RulesServer(redis_server.url, tmp_path)
    server.start()
    workers = server.workers()
    server.client().create()
    os.kill(server.child.pid, signal.SIGTERM)
    server.child.stop()
    assert server.child.exit_code == 0
    for pid in workers:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
