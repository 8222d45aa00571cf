"""A rules service with one toy title, in this process: players pass in turn. Knows the whole contract."""

from __future__ import annotations

import json
import queue
import threading
import time
from concurrent import futures
from dataclasses import dataclass, field
from typing import Any

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from protos.roundhouse.v1 import rules_pb2 as pb
from protos.roundhouse.v1 import rules_pb2_grpc

TITLE = "toy"


@dataclass
class FakeGame:
    """A game and its log."""

    id: str
    players: list[pb.PlayerSeat]
    entries: list[pb.LogEntry] = field(default_factory=list)
    keys: dict[str, tuple[bytes, pb.ActionResult]] = field(default_factory=dict)
    created_at: int = field(default_factory=lambda: time.time_ns() // 1_000_000)

    @property
    def version(self) -> int:
        return len(self.entries)

    def acting(self, version: int) -> str:
        return self.players[version % len(self.players)].id

    def summary(self, version: int | None = None) -> pb.GameSummary:
        at = self.version if version is None else version
        return pb.GameSummary(
            game_id=self.id,
            title=TITLE,
            players=self.players,
            version=at,
            status="active",
            round=f"SR {at}",
            acting=[self.acting(at)],
            created_at=self.created_at,
            updated_at=self.entries[-1].created_at if self.entries else self.created_at,
            mode="live",
        )


class FakeRules(rules_pb2_grpc.RulesServiceServicer):
    """`down`: every call fails as if the store could not be reached. `calls`: number of calls by RPC. `writes`: whether
    the service is healthy.
    """

    def __init__(self) -> None:
        self.writes = True
        self.games: dict[str, FakeGame] = {}
        self.created: dict[str, tuple[bytes, str]] = {}
        self.watchers: list[queue.Queue[Any]] = []
        self.lock = threading.RLock()
        self.down = 0
        self.port = 0
        self.routes_legal = True
        self.calls: dict[str, int] = {}

    def fail(self, context: Any, status: grpc.StatusCode, code: str, message: str, **details: Any) -> None:
        """End the call with an error as the contract describes it."""
        info = pb.ErrorInfo(code=code, message=message, details_json=json.dumps(details).encode())
        context.set_trailing_metadata((("roundhouse-error-bin", info.SerializeToString()),))
        context.abort(status, message)

    def begin(self, rpc: str, context: Any) -> None:
        """Count the call; fail it while the service is `down`."""
        self.calls[rpc] = self.calls.get(rpc, 0) + 1
        if self.down:
            self.down -= 1
            self.fail(
                context, grpc.StatusCode.UNAVAILABLE, "store_unavailable", "The store is away.", maybe_written=False
            )

    def game(self, context: Any, game_id: str) -> FakeGame:
        if game_id not in self.games:
            self.fail(context, grpc.StatusCode.NOT_FOUND, "unknown_game", f"There is no game {game_id}.")
        return self.games[game_id]

    def add_game(self, game_id: str, players: tuple[str, ...] = ("1", "2")) -> FakeGame:
        """A new game, as if it had been created."""
        seats = [pb.PlayerSeat(id=player, name=f"Player {player}") for player in players]
        self.games[game_id] = FakeGame(game_id, seats)
        return self.games[game_id]

    def append(self, game: FakeGame, action: dict[str, Any]) -> pb.ActionResult:
        """Write an entry and announce it."""
        with self.lock:
            logged = json.dumps({**action, "id": game.version + 1}).encode()
            entry = pb.LogEntry(
                version=game.version + 1,
                action_json=logged,
                events_json=b'[{"type":"passed"}]',
                created_at=time.time_ns() // 1_000_000,
            )
            game.entries.append(entry)
            for watcher in self.watchers:
                watcher.put(pb.GameUpdate(summary=game.summary(), entry=entry))
        return pb.ActionResult(summary=game.summary(), action_json=logged, events_json=entry.events_json)

    def cut_watchers(self) -> None:
        """End every watch stream, as a restart would."""
        with self.lock:
            for watcher in self.watchers:
                watcher.put(None)

    def change(self, request: Any, context: Any, work: Any) -> pb.ActionResult:
        """What SubmitAction, Undo and Redo have in common."""
        game = self.game(context, request.game_id)
        with self.lock:
            body = request.SerializeToString(deterministic=True)
            if request.idempotency_key in game.keys:
                seen, earlier = game.keys[request.idempotency_key]
                if seen != body:
                    self.fail(context, grpc.StatusCode.ALREADY_EXISTS, "idempotency_key_reused", "Used before.")
                return earlier
            if request.player_id and request.player_id not in [seat.id for seat in game.players]:
                self.fail(context, grpc.StatusCode.PERMISSION_DENIED, "not_a_player", "You do not play here.")
            if request.HasField("expected_version") and request.expected_version != game.version:
                self.fail(
                    context,
                    grpc.StatusCode.ABORTED,
                    "stale_version",
                    "Somebody acted first.",
                    version=game.version,
                )
            result: pb.ActionResult = work(game)
            if request.idempotency_key:
                game.keys[request.idempotency_key] = (body, result)
            return result

    def CreateGame(self, request: Any, context: Any) -> Any:
        self.begin("CreateGame", context)
        if request.title != TITLE:
            self.fail(context, grpc.StatusCode.NOT_FOUND, "unknown_title", f"There is no title {request.title}.")
        body = request.SerializeToString(deterministic=True)
        if request.idempotency_key in self.created:
            seen, game_id = self.created[request.idempotency_key]
            if seen != body:
                self.fail(context, grpc.StatusCode.ALREADY_EXISTS, "idempotency_key_reused", "Used before.")
            return self.games[game_id].summary()
        game = FakeGame(f"g{len(self.games) + 1}", list(request.players))
        self.games[game.id] = game
        if request.idempotency_key:
            self.created[request.idempotency_key] = (body, game.id)
        return game.summary()

    def ImportGame(self, request: Any, context: Any) -> Any:
        self.begin("ImportGame", context)
        recorded = json.loads(request.game_json)
        players = tuple(str(player["id"]) for player in recorded["players"])
        return self.add_game(f"i{len(self.games) + 1}", players).summary()

    def ExportGame(self, request: Any, context: Any) -> Any:
        self.begin("ExportGame", context)
        game = self.game(context, request.game_id)
        data = {"id": game.id, "title": TITLE, "players": [], "actions": []}
        return pb.ExportGameResponse(game_json=json.dumps(data).encode(), version=game.version)

    def GetGame(self, request: Any, context: Any) -> Any:
        self.begin("GetGame", context)
        game = self.game(context, request.game_id)
        version = request.version if request.HasField("version") else game.version
        if version > game.version:
            self.fail(context, grpc.StatusCode.NOT_FOUND, "unknown_version", f"There is no version {version}.")
        return pb.GameView(summary=game.summary(version), state_json=json.dumps({"passes": version}).encode())

    def ListGames(self, request: Any, context: Any) -> Any:
        self.begin("ListGames", context)
        games = [
            game
            for game in self.games.values()
            if not request.player_id or request.player_id in [seat.id for seat in game.players]
            if game.summary().updated_at >= request.updated_since
        ]
        first = int(request.page_token or 0)
        page = games[first : first + request.page_size]
        more = str(first + len(page)) if first + len(page) < len(games) else ""
        return pb.ListGamesResponse(games=[game.summary() for game in page], next_page_token=more)

    def ListMoves(self, request: Any, context: Any) -> Any:
        self.begin("ListMoves", context)
        game = self.game(context, request.game_id)
        move = {"type": "pass", "entity": game.acting(game.version), "entity_type": "player"}
        return pb.ListMovesResponse(version=game.version, moves_json=json.dumps([move]).encode())

    def SubmitAction(self, request: Any, context: Any) -> Any:
        self.begin("SubmitAction", context)
        action = json.loads(request.action_json)

        def work(game: FakeGame) -> pb.ActionResult:
            if action["type"] != "pass" or str(action.get("entity")) != game.acting(game.version):
                self.fail(
                    context,
                    grpc.StatusCode.FAILED_PRECONDITION,
                    "not_your_turn",
                    "It is not your turn.",
                    acting="2",
                )
            return self.append(game, action)

        return self.change(request, context, work)

    def Undo(self, request: Any, context: Any) -> Any:
        self.begin("Undo", context)

        def work(game: FakeGame) -> pb.ActionResult:
            if not game.entries:
                self.fail(context, grpc.StatusCode.FAILED_PRECONDITION, "nothing_to_undo", "Nothing to undo.")
            return self.append(game, {"type": "undo"})

        return self.change(request, context, work)

    def Redo(self, request: Any, context: Any) -> Any:
        self.begin("Redo", context)
        return self.change(request, context, lambda game: self.append(game, {"type": "redo"}))

    def GetLog(self, request: Any, context: Any) -> Any:
        self.begin("GetLog", context)
        game = self.game(context, request.game_id)
        entries = game.entries[max(0, request.from_version - 1) :]
        if request.limit:
            entries = entries[: request.limit]
        return pb.GetLogResponse(entries=entries, version=game.version)

    def RouteProblem(self, request: Any, context: Any) -> Any:
        self.begin("RouteProblem", context)
        game = self.game(context, request.game_id)
        return pb.RouteProblemResponse(
            problem_json=b'{"toy":true}', corporation=request.corporation or "PRR", version=game.version
        )

    def CheckRoutes(self, request: Any, context: Any) -> Any:
        self.begin("CheckRoutes", context)
        self.game(context, request.game_id)
        if not self.routes_legal:
            self.fail(context, grpc.StatusCode.FAILED_PRECONDITION, "illegal_route", "The route has no token.")
        action = {"type": "run_routes", "routes": json.loads(request.routes_json)}
        return pb.CheckRoutesResponse(action_json=json.dumps(action).encode(), revenue=120, version=request.version)

    def ListTitles(self, request: Any, context: Any) -> Any:
        self.begin("ListTitles", context)
        return pb.ListTitlesResponse(titles=[self.title()])

    def GetTitle(self, request: Any, context: Any) -> Any:
        self.begin("GetTitle", context)
        if request.title != TITLE:
            self.fail(context, grpc.StatusCode.NOT_FOUND, "unknown_title", f"There is no title {request.title}.")
        return pb.GetTitleResponse(summary=self.title(), data_json=b'{"map":{}}')

    def title(self) -> pb.TitleSummary:
        return pb.TitleSummary(title=TITLE, name="Toy", designer="Nobody", min_players=2, max_players=4)

    def WatchGames(self, request: Any, context: Any) -> Any:
        watcher: queue.Queue[Any] = queue.Queue()
        context.add_callback(lambda: watcher.put(None))
        with self.lock:
            self.watchers.append(watcher)
        try:
            while True:
                update = watcher.get()
                if update is None:
                    return
                yield update
        finally:
            with self.lock:
                self.watchers.remove(watcher)


class _Health(health_pb2_grpc.HealthServicer):  # type: ignore[misc]
    def __init__(self, fake: FakeRules) -> None:
        self.fake = fake

    def Check(self, request: Any, context: Any) -> Any:
        states = health_pb2.HealthCheckResponse
        ready = self.fake.writes or request.service != "roundhouse.v1.RulesService"
        return health_pb2.HealthCheckResponse(status=states.SERVING if ready else states.NOT_SERVING)


def serve(fake: FakeRules, port: int = 0) -> tuple[grpc.Server, int]:
    """Start serving; returns the server and its port."""
    server = grpc.server(futures.ThreadPoolExecutor(32))
    rules_pb2_grpc.add_RulesServiceServicer_to_server(fake, server)  # type: ignore[no-untyped-call]
    health_pb2_grpc.add_HealthServicer_to_server(_Health(fake), server)
    bound = server.add_insecure_port(f"127.0.0.1:{port}")
    server.start()
    return server, bound
