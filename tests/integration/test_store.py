"""The store and the games in it, against a real Redis."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

import msgspec
import pytest

from services.rules.engine.errors import IllegalAction, MalformedAction
from services.rules.errors import Conflict, Forbidden, KeyReused, Refused
from services.rules.games import Answer, Games, Request
from services.rules.store.errors import StoreUnavailable, UnknownGame, UnknownVersion
from services.rules.store.indexes import filters
from services.rules.store.keys import GameKeys
from services.rules.store.records import Idempotency
from services.rules.watch import WatchHub, follow_all, follow_game
from tests.integration.conftest import RedisServer, Run, make_games
from tests.integration.counting import CountingGame

PLAYERS: list[tuple[int | str, str]] = [(1, "Ada"), (2, "Bo")]


def add(player: int, number: int = 1) -> dict[str, Any]:
    return {"type": "add", "entity": player, "entity_type": "player", "number": number}


async def play(games: Games, game_id: str, count: int, *, first: int = 1) -> None:
    for number in range(count):
        await games.submit(Request(game_id), add((first + number - 1) % 2 + 1, number + 1))


async def new_game(games: Games, **fields: Any) -> str:
    return (await games.create("1830", PLAYERS, seed=7, **fields)).facts.id


async def total(games: Games, game_id: str, version: int | None = None) -> int:
    async with games.lock(game_id):
        if version is None:
            position = (await games.positions.newest(game_id))[0]
        else:
            position = await games.positions.at(game_id, version)
        return int(games.engine.view(position.game)["total"])


def test_a_new_game_is_at_version_0_with_its_facts(redis_server: RedisServer, run: Run) -> None:
    async def body() -> None:
        games = make_games(redis_server)
        game_id = await new_game(games, description="a test")
        meta, _ = await make_games(redis_server).store.meta(game_id)
        assert (meta.facts.title, meta.facts.seed, meta.facts.description) == ("1830", 7, "a test")
        assert (meta.head.version, meta.head.status, meta.head.acting) == (0, "active", ["1"])

    run(body())


def test_every_process_sees_what_another_appended(redis_server: RedisServer, run: Run) -> None:
    async def body() -> None:
        one, two = make_games(redis_server), make_games(redis_server)
        game_id = await new_game(one)
        for number in range(1, 30):
            answer = await (one if number % 3 else two).submit(
                Request(game_id, expected=number - 1), add((number - 1) % 2 + 1, number)
            )
            assert answer.head.version == number
        assert await total(one, game_id) == await total(two, game_id) == sum(range(1, 30))

    run(body())


def test_a_stale_version_is_refused_and_names_the_current_one(redis_server: RedisServer, run: Run) -> None:
    async def body() -> None:
        one, two = make_games(redis_server), make_games(redis_server)
        game_id = await new_game(one)
        await play(two, game_id, 2)
        with pytest.raises(Conflict) as stale:
            await one.submit(Request(game_id, expected=0), add(1))
        assert stale.value.details == {"version": 2}
        assert await total(one, game_id) == 3

    run(body())


def test_of_two_racing_writers_exactly_one_wins_each_version(redis_server: RedisServer, run: Run) -> None:
    async def contend(games: Games, game_id: str) -> list[int]:
        won = []
        while (version := (await games.store.meta(game_id))[0].head.version) < 40:
            with contextlib.suppress(Conflict):
                answer = await games.submit(Request(game_id, expected=version), add(version % 2 + 1))
                won.append(answer.head.version)
        return won

    async def body() -> None:
        processes = [make_games(redis_server) for _ in range(4)]
        game_id = await new_game(processes[0])
        wins = await asyncio.gather(*(contend(games, game_id) for games in processes))
        assert sorted(version for won in wins for version in won) == list(range(1, 41))
        assert await total(processes[0], game_id) == 40

    run(body())


def test_without_an_expected_version_an_action_meets_whatever_is_newest(redis_server: RedisServer, run: Run) -> None:
    async def body() -> None:
        one, two = make_games(redis_server), make_games(redis_server)
        game_id = await new_game(one)
        await play(two, game_id, 3)
        answer = await one.submit(Request(game_id), add(2, 10))
        assert (answer.head.version, await total(two, game_id)) == (4, 16)

    run(body())


def test_a_rejected_action_changes_nothing(redis_server: RedisServer, run: Run) -> None:
    async def body() -> None:
        games = make_games(redis_server)
        game_id = await new_game(games)
        before = redis_server.client().dbsize(), await total(games, game_id)
        with pytest.raises(IllegalAction):
            await games.submit(Request(game_id), add(2))
        with pytest.raises(MalformedAction):
            await games.submit(Request(game_id), {"type": "dance"})
        with pytest.raises(Forbidden):
            await games.submit(Request(game_id, player="2"), add(1))
        with pytest.raises(Forbidden):
            await games.submit(Request(game_id, player="stranger"), add(1))
        assert before == (redis_server.client().dbsize(), await total(games, game_id))

    run(body())


def test_an_unknown_game_or_version_is_said_to_be(redis_server: RedisServer, run: Run) -> None:
    async def body() -> None:
        games = make_games(redis_server)
        game_id = await new_game(games)
        with pytest.raises(UnknownGame):
            await games.submit(Request("nosuchgame"), add(1))
        for version in (-1, 1):
            with pytest.raises(UnknownVersion):
                await total(games, game_id, version)

    run(body())


def test_a_repeated_request_gets_its_first_answer(redis_server: RedisServer, run: Run) -> None:
    async def body() -> None:
        one, two = make_games(redis_server), make_games(redis_server)
        created = await one.create("1830", PLAYERS, idempotency=Idempotency("new", b"a"))
        again = await two.create("1830", PLAYERS, idempotency=Idempotency("new", b"a"))
        assert again == created
        request = Request(created.facts.id, expected=0, idempotency=Idempotency("key", b"b"))
        first = await one.submit(request, add(1))
        await play(two, created.facts.id, 3, first=2)
        for games in (one, two, make_games(redis_server)):
            repeated = await games.submit(request, add(1))
            assert repeated.head == first.head
            assert repeated.entry and first.entry and repeated.entry.action == first.entry.action
        assert (await one.store.meta(created.facts.id))[0].head.version == 4

    run(body())


def test_concurrent_repetitions_of_a_request_are_carried_out_once(redis_server: RedisServer, run: Run) -> None:
    async def body() -> None:
        processes = [make_games(redis_server) for _ in range(4)]
        game_id = await new_game(processes[0])
        request = Request(game_id, idempotency=Idempotency("key", b"b"))
        answers: list[Answer] = await asyncio.gather(*(games.submit(request, add(1)) for games in processes * 3))
        assert {answer.head.version for answer in answers} == {1}
        assert await total(processes[1], game_id) == 1

    run(body())


def test_an_idempotency_key_of_another_request_is_refused(redis_server: RedisServer, run: Run) -> None:
    async def body() -> None:
        games = make_games(redis_server)
        game_id = await new_game(games)
        await games.submit(Request(game_id, idempotency=Idempotency("key", b"a")), add(1))
        with pytest.raises(KeyReused):
            await games.submit(Request(game_id, idempotency=Idempotency("key", b"b")), add(2))
        assert await total(games, game_id) == 1

    run(body())


def test_every_version_can_be_looked_at(redis_server: RedisServer, run: Run) -> None:
    async def body() -> None:
        games = make_games(redis_server)
        game_id = await new_game(games)
        await play(games, game_id, 100)
        await games.settle()
        other = make_games(redis_server)
        for version in (0, 1, 31, 32, 33, 64, 99, 100):
            assert await total(other, game_id, version) == version * (version + 1) // 2

    run(body())


@pytest.mark.parametrize("count", [70, 300, 550])
def test_old_entries_move_to_the_archive_and_the_log_stays_whole(
    redis_server: RedisServer, run: Run, count: int
) -> None:
    async def body() -> None:
        games = make_games(redis_server)
        game_id = await new_game(games)
        await play(games, game_id, count)
        await games.settle()
        log = await games.store.log(game_id, 1, count)
        assert [msgspec.json.decode(entry.action)["number"] for entry in log] == list(range(1, count + 1))
        assert [msgspec.json.decode(entry.action)["id"] for entry in log] == list(range(1, count + 1))
        assert len(await games.store.log(game_id, count - 3, count)) == 4
        keys = GameKeys(game_id)
        assert redis_server.client().xlen(keys.log) < 70
        assert int(redis_server.client().hget(keys.archive, "to")) > 0

    run(body())


def test_states_of_checkpoints_move_to_the_archive_with_their_entries(redis_server: RedisServer, run: Run) -> None:
    async def body() -> None:
        games = make_games(redis_server)
        game_id = await new_game(games)
        await play(games, game_id, 300)
        await games.settle()
        assert set(redis_server.client().hkeys(GameKeys(game_id).snaps)) == {b"now", b"288"}
        history = await games.store.history(game_id, 300)
        assert sorted(history.states) == list(range(32, 300, 32))
        await play(games, game_id, 24)
        assert sorted((await games.store.history(game_id, 324)).states) == list(range(32, 324, 32))

    run(body())


def test_reading_and_archiving_at_the_same_time_lose_and_double_nothing(redis_server: RedisServer, run: Run) -> None:
    async def body() -> None:
        writer, reader = make_games(redis_server), make_games(redis_server)
        game_id = await new_game(writer)
        writing = asyncio.create_task(play(writer, game_id, 120))
        reads = 0
        while not writing.done() or not reads:
            meta, state = await reader.store.newest(game_id)
            assert msgspec.msgpack.decode(state or b"")["count"] == meta.head.version
            entries = await reader.store.log(game_id, 1, meta.head.version)
            assert [entry.version for entry in entries] == list(range(1, meta.head.version + 1))
            reads += 1
        await writing

    run(body())


@pytest.mark.parametrize("damage", ["lost", "garbage", "truncated"])
def test_a_lost_or_damaged_snapshot_is_rebuilt_from_the_log(redis_server: RedisServer, run: Run, damage: str) -> None:
    async def body() -> None:
        games = make_games(redis_server)
        game_id = await new_game(games)
        await play(games, game_id, 50)
        client, snaps = redis_server.client(), GameKeys(game_id).snaps
        for field, blob in client.hgetall(snaps).items():
            if damage == "lost":
                client.hdel(snaps, field)
            else:
                client.hset(snaps, field, b"nonsense" if damage == "garbage" else blob[: len(blob) // 2])
        other = make_games(redis_server)
        assert await total(other, game_id) == 1275
        await play(other, game_id, 10)
        assert await total(make_games(redis_server), game_id) == 1275 + 55

    run(body())


def test_loading_the_newest_version_replays_nothing(redis_server: RedisServer, run: Run) -> None:
    async def body() -> None:
        games = make_games(redis_server)
        game_id = await new_game(games)
        await play(games, game_id, 101)
        other = make_games(redis_server)
        CountingGame.replayed = 0
        assert await total(other, game_id) == 5151
        assert CountingGame.replayed == 0
        assert await total(other, game_id, 70) == 2485
        assert CountingGame.replayed == 6

    run(body())


def test_undo_removes_the_last_action_and_redo_restores_it(redis_server: RedisServer, run: Run) -> None:
    async def body() -> None:
        one, two = make_games(redis_server), make_games(redis_server)
        game_id = await new_game(one)
        await play(one, game_id, 9)
        await total(two, game_id)
        undone = await one.rewrite(Request(game_id), "undo")
        assert undone.entry and msgspec.json.decode(undone.entry.events) == [{"kind": "actions_undone", "actions": [9]}]
        assert (undone.head.version, await total(two, game_id)) == (10, 36)
        await two.rewrite(Request(game_id), "undo")
        assert await total(one, game_id) == 28
        await one.rewrite(Request(game_id), "redo")
        await one.rewrite(Request(game_id), "redo")
        assert await total(two, game_id) == 45
        with pytest.raises(Refused):
            await two.rewrite(Request(game_id), "redo")
        assert await total(one, game_id, 11) == 28
        assert await total(make_games(redis_server), game_id) == 45

    run(body())


def test_undo_to_an_action_id_and_play_on(redis_server: RedisServer, run: Run) -> None:
    async def body() -> None:
        games = make_games(redis_server)
        game_id = await new_game(games)
        await play(games, game_id, 40)
        await games.rewrite(Request(game_id), "undo", 10)
        assert await total(make_games(redis_server), game_id) == 55
        answer = await games.submit(Request(game_id), add(1, 100))
        assert answer.entry and msgspec.json.decode(answer.entry.action)["id"] == 42
        assert await total(make_games(redis_server), game_id) == 155
        with pytest.raises(MalformedAction):
            await games.rewrite(Request(game_id), "undo", 77)

    run(body())


def test_an_undo_starts_from_the_checkpoint_before_it(redis_server: RedisServer, run: Run) -> None:
    async def body() -> None:
        games = make_games(redis_server)
        game_id = await new_game(games)
        await play(games, game_id, 160)
        CountingGame.replayed = 0
        for _ in range(5):
            await games.rewrite(Request(game_id), "undo")
        assert CountingGame.replayed == 31 + 30 + 29 + 28 + 27

    run(body())


def test_players_take_back_only_what_they_sent(redis_server: RedisServer, run: Run) -> None:
    async def body() -> None:
        games = make_games(redis_server)
        game_id = await new_game(games)
        await games.submit(Request(game_id, player="1"), add(1))
        with pytest.raises(Forbidden):
            await games.rewrite(Request(game_id, player="2"), "undo")
        await games.rewrite(Request(game_id, player="1"), "undo")
        with pytest.raises(Forbidden):
            await games.rewrite(Request(game_id, player="2"), "redo")
        await games.rewrite(Request(game_id, player="1"), "redo")
        assert await total(games, game_id) == 1

    run(body())


def test_nothing_can_be_undone_in_a_new_game(redis_server: RedisServer, run: Run) -> None:
    async def body() -> None:
        games = make_games(redis_server)
        game_id = await new_game(games)
        with pytest.raises(Refused):
            await games.rewrite(Request(game_id), "undo")

    run(body())


def test_lists_follow_the_newest_version(redis_server: RedisServer, run: Run) -> None:
    async def ids(games: Games, **wanted: str) -> list[str]:
        page = await games.store.page(filters(**wanted), size=10)
        return [meta.facts.id for meta in page.games]

    async def body() -> None:
        games = make_games(redis_server)
        first, second = await new_game(games), await new_game(games)
        other = (await games.create("1861", [("zoe", "Zoe"), (1, "Ada")], seed=7)).facts.id
        await games.submit(Request(first), add(1, 5))
        await games.submit(Request(second), add(1, 2000))
        assert await ids(games) == [other, second, first]
        assert await ids(games, title="1830") == [second, first]
        assert await ids(games, player="1", title="1861") == [other]
        assert await ids(games, acting="2") == [first]
        assert await ids(games, acting="1") == []
        assert await ids(games, acting="zoe", player="1", status="active") == [other]
        assert await ids(games, status="finished") == [second]
        await games.rewrite(Request(second), "undo")
        assert await ids(games, status="finished") == []
        assert await ids(games, acting="1") == [second]

    run(body())


def test_pages_of_a_list_cover_it_once(redis_server: RedisServer, run: Run) -> None:
    async def body() -> None:
        games = make_games(redis_server)
        made = [await new_game(games) for _ in range(23)]
        seen: list[str] = []
        token, pages = "", 0
        while token or not pages:
            page = await games.store.page(filters(title="1830", player="1"), size=5, token=token)
            seen += [meta.facts.id for meta in page.games]
            token, pages = page.next_token, pages + 1
            if pages == 2:
                await new_game(games)
        assert (seen, pages) == (made[::-1], 5)

    run(body())


def test_games_written_since_a_time_are_paged_in_that_order(
    redis_server: RedisServer, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [1_000]
    monkeypatch.setattr("services.rules.games.milliseconds", lambda: clock[0])

    async def ids(games: Games, since: int, size: int = 3, **wanted: str) -> list[str]:
        seen: list[str] = []
        token = ""
        while True:
            page = await games.store.recent(filters(**wanted), since, size=size, token=token)
            assert len(page.games) <= size
            seen += [meta.facts.id for meta in page.games]
            token = page.next_token
            if not token:
                return seen

    async def body() -> None:
        games = make_games(redis_server)
        old = [await new_game(games) for _ in range(4)]
        clock[0] = 2_000
        same_time = sorted([await new_game(games) for _ in range(7)])
        clock[0] = 3_000
        other = (await games.create("1861", [("zoe", "Zoe"), (1, "Ada")], seed=7)).facts.id
        clock[0] = 4_000
        await games.submit(Request(old[1]), add(1))
        assert await ids(games, 4_001) == []
        assert await ids(games, 3_000) == [other, old[1]]
        for size in (1, 3, 7, 8, 100):
            assert await ids(games, 1_500, size) == [*same_time, other, old[1]]
        assert await ids(games, 1, title="1861") == [other]
        assert await ids(games, 2_001, player="2") == [old[1]]

    run(body())


def test_a_page_of_recent_games_looks_past_those_that_do_not_fit(redis_server: RedisServer, run: Run) -> None:
    async def body() -> None:
        games = make_games(redis_server)
        for _ in range(205):
            await new_game(games)
        other = (await games.create("1861", [("zoe", "Zoe"), (1, "Ada")], seed=7)).facts.id
        page = await games.store.recent(filters(title="1861"), 1, size=5)
        assert ([meta.facts.id for meta in page.games], page.next_token) == ([other], "")

    run(body())


def test_a_watcher_gets_every_version_once_from_where_it_was(redis_server: RedisServer, run: Run) -> None:
    async def body() -> None:
        one, two, hub = make_games(redis_server), make_games(redis_server), WatchHub(redis_server.url)
        game_id = await new_game(one)
        await play(one, game_id, 5)
        stream = follow_game(hub, one.store, game_id, 2)
        first, second = (await anext(stream)).entry, (await anext(stream)).entry
        assert first and second and (first.version, second.version) == (3, 4)
        await play(two, game_id, 5, first=2)
        versions: list[int] = []
        while not versions or versions[-1] < 10:
            update = await anext(stream)
            assert update.entry is not None
            versions.append(update.entry.version)
        assert versions == [5, 6, 7, 8, 9, 10]
        await stream.aclose()

    run(body())


def test_a_watcher_of_all_games_sees_new_games_and_actions(redis_server: RedisServer, run: Run) -> None:
    async def body() -> None:
        games, hub = make_games(redis_server), WatchHub(redis_server.url)
        stream = follow_all(hub, games.store)
        waiting = asyncio.ensure_future(anext(stream))
        while not redis_server.client().pubsub_numsub("roundhouse:updates")[0][1]:
            await asyncio.sleep(0.01)
        game_id = await new_game(games)
        await play(games, game_id, 2)
        updates = [await waiting, await anext(stream), await anext(stream)]
        assert [(u.facts.id, u.head.version) for u in updates] == [(game_id, 0), (game_id, 1), (game_id, 2)]
        await stream.aclose()

    run(body())


def test_while_redis_is_down_requests_fail_and_nothing_is_written(own_redis: RedisServer, run: Run) -> None:
    async def body() -> None:
        games = make_games(own_redis, timeout=1.0)
        game_id = await new_game(games)
        await play(games, game_id, 5)
        own_redis.child.kill()
        with pytest.raises(StoreUnavailable):
            await games.submit(Request(game_id), add(2))
        with pytest.raises(StoreUnavailable) as down:
            await games.create("1830", PLAYERS)
        assert not down.value.maybe_written
        own_redis.start()
        assert await total(games, game_id) == 15
        await games.submit(Request(game_id), add(2, 5))
        assert await total(make_games(own_redis), game_id) == 20

    run(body())


def test_a_watcher_misses_nothing_when_redis_restarts(own_redis: RedisServer, run: Run) -> None:
    async def body() -> None:
        games, hub = make_games(own_redis), WatchHub(own_redis.url)
        game_id = await new_game(games)
        await play(games, game_id, 1)
        one, every = follow_game(hub, games.store, game_id, 0), follow_all(hub, games.store)
        assert (await anext(one)).head.version == 1
        waiting = asyncio.ensure_future(anext(every))
        await asyncio.sleep(0.2)
        await play(games, game_id, 1, first=2)
        assert (await waiting).head.version == 2
        own_redis.child.kill()
        own_redis.start()
        await play(games, game_id, 3)
        versions = [(await anext(one)).entry for _ in range(4)]
        assert [entry.version for entry in versions if entry] == [2, 3, 4, 5]
        seen = [(await anext(every)).entry for _ in range(3)]
        assert [entry.version for entry in seen if entry] == [3, 4, 5]
        await one.aclose()
        await every.aclose()
        await hub.close()

    run(body())
