"""The RPCs of ``protos/roundhouse/v1/rules.proto``."""

from __future__ import annotations

import asyncio
import functools
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, TypeVar

import grpc
import msgspec

from protos.roundhouse.v1 import rules_pb2 as pb
from protos.roundhouse.v1 import rules_pb2_grpc
from services.rules import exchange, messages
from services.rules.engine.errors import UnknownTitle
from services.rules.errors import InvalidRequest
from services.rules.failures import abort
from services.rules.games import Games
from services.rules.patience import Patience
from services.rules.positions import Position
from services.rules.rulebook import Rulebook
from services.rules.store.errors import UnknownVersion
from services.rules.store.indexes import filters
from services.rules.titles import canonical_name
from services.rules.watch import WatchHub, follow_all, follow_game

PAGE = 50
MAX_PAGE = 500

IMPORTS = 2
"""Imports a process works on at a time; the others wait, so that threads are left for everybody else."""

_TOKEN = re.compile(r"[0-9]{1,15}", re.ASCII)
_RECENT_TOKEN = re.compile(r"[0-9]{1,15}\.[a-z0-9]{1,40}", re.ASCII)
"""Page tokens: of the list in order of creation, and of the one in order of the newest version."""

_encode = msgspec.json.Encoder().encode

Message = TypeVar("Message")
Result = TypeVar("Result")
Handler = Callable[["RulesServicer", Any, Any], Awaitable[Message]]


def _reading(handler: Handler[Message]) -> Handler[Message]:
    """Answer errors with a status; a client that hangs up ends the work."""

    @functools.wraps(handler)
    async def answer(self: RulesServicer, request: Any, context: Any) -> Message:
        try:
            return await handler(self, request, context)
        except Exception as error:
            await abort(context, error)
            raise

    return answer


def _writing(handler: Handler[Message]) -> Handler[Message]:
    """The same, but what was begun is brought to its end when the client hangs up."""

    @functools.wraps(handler)
    async def answer(self: RulesServicer, request: Any, context: Any) -> Message:
        task = asyncio.ensure_future(handler(self, request, context))
        self.running.add(task)
        task.add_done_callback(self.ended)
        try:
            return await asyncio.shield(task)
        except Exception as error:
            await abort(context, error)
            raise

    return answer


async def in_thread(work: Callable[..., Result], *arguments: Any) -> Result:
    """What ``work`` returns, computed beside other requests.

    A thread cannot be stopped. When the client hangs up, this waits for its end, so that the game it works on
    stays locked until then.
    """
    thread = asyncio.ensure_future(asyncio.to_thread(work, *arguments))
    try:
        return await asyncio.shield(thread)
    except asyncio.CancelledError:
        await asyncio.wait([thread])
        raise


def _title_filter(name: str) -> str:
    """The title whose games a list wants, by any of its names; raises :class:`InvalidRequest`."""
    try:
        return canonical_name(name) if name else ""
    except UnknownTitle as error:
        raise InvalidRequest(error.code, error.message, field="title") from error


class RulesServicer(rules_pb2_grpc.RulesServiceServicer):
    """Answers requests out of ``games``; holds no state of its own."""

    def __init__(self, games: Games, rulebook: Rulebook, hub: WatchHub, *, import_seconds: float = 20.0) -> None:
        self._games = games
        self._import_seconds = import_seconds
        self._importing = asyncio.Semaphore(IMPORTS)
        self._rulebook = rulebook
        self._hub = hub
        self.running: set[asyncio.Future[Any]] = set()

    def ended(self, task: asyncio.Future[Any]) -> None:
        """A change is over. Its error has been answered, or there is nobody to answer it to."""
        self.running.discard(task)
        if not task.cancelled():
            task.exception()

    async def _position(self, game_id: str, version: int | None) -> Position:
        """The position of a game; its lock must be held."""
        if version is None:
            return (await self._games.positions.newest(game_id))[0]
        return await self._games.positions.at(game_id, version)

    # -- games -------------------------------------------------------------------------------------

    @_writing
    async def CreateGame(self, request: pb.CreateGameRequest, context: Any) -> pb.GameSummary:
        answer = await self._games.create(
            canonical_name(messages.text(request.title, "title", least=1)),
            messages.players(request.players),
            options=[messages.text(option, "option", least=1) for option in request.options],
            seed=request.seed if request.HasField("seed") else None,
            description=messages.text(request.description, "description"),
            idempotency=messages.idempotency(request),
        )
        return messages.summary(answer.facts, answer.head)

    @_writing
    async def ImportGame(self, request: pb.ImportGameRequest, context: Any) -> pb.GameSummary:
        left = context.time_remaining()
        patience = Patience(self._import_seconds if left is None else min(self._import_seconds, left))
        context.add_done_callback(lambda _: patience.give_up())
        idempotency = messages.idempotency(request)
        try:
            await asyncio.wait_for(self._importing.acquire(), patience.left)
        except TimeoutError:
            raise patience.overdue("while other games were being imported") from None
        try:
            answer = await exchange.import_game(self._games, request.game_json, idempotency, patience)
        finally:
            self._importing.release()
        return messages.summary(answer.facts, answer.head)

    @_reading
    async def ExportGame(self, request: pb.ExportGameRequest, context: Any) -> pb.ExportGameResponse:
        data, version = await exchange.export_game(self._games, messages.game_id(request.game_id))
        return pb.ExportGameResponse(game_json=data, version=version)

    @_reading
    async def GetGame(self, request: pb.GetGameRequest, context: Any) -> pb.GameView:
        game_id = messages.game_id(request.game_id)
        async with self._games.lock(game_id):
            position = await self._position(game_id, messages.version(request))
            view = position.cache.get("view")
            if view is None:
                view = position.cache["view"] = _encode(self._games.engine.view(position.game))
        return pb.GameView(summary=messages.summary(position.facts, position.head), state_json=view)

    @_reading
    async def ListGames(self, request: pb.ListGamesRequest, context: Any) -> pb.ListGamesResponse:
        wanted = filters(
            player=messages.text(request.player_id, "player_id"),
            status=messages.text(request.status, "status"),
            acting=messages.text(request.acting_player_id, "acting_player_id"),
            title=_title_filter(messages.text(request.title, "title")),
        )
        token, since = request.page_token, request.updated_since
        if token and not (_RECENT_TOKEN if since else _TOKEN).fullmatch(token):
            raise InvalidRequest("bad_page_token", "That page token was not given by this server for such a list.")
        if request.page_size < 0 or since < 0:
            raise InvalidRequest("bad_range", "page_size and updated_since are 0 or more.")
        size = min(request.page_size or PAGE, MAX_PAGE)
        if since:
            page = await self._games.store.recent(wanted, since, size=size, token=token)
        else:
            page = await self._games.store.page(wanted, size=size, token=token)
        games = [messages.summary(meta.facts, meta.head) for meta in page.games]
        return pb.ListGamesResponse(games=games, next_page_token=page.next_token)

    @_reading
    async def GetLog(self, request: pb.GetLogRequest, context: Any) -> pb.GetLogResponse:
        game_id = messages.game_id(request.game_id)
        if request.from_version < 0 or request.limit < 0:
            raise InvalidRequest("bad_range", "from_version and limit are 0 or more.")
        meta, _ = await self._games.store.meta(game_id)
        first, last = max(1, request.from_version), meta.head.version
        if request.limit:
            last = min(last, first + request.limit - 1)
        entries = await self._games.store.log(game_id, first, last)
        return pb.GetLogResponse(entries=[messages.log_entry(e) for e in entries], version=meta.head.version)

    # -- playing -----------------------------------------------------------------------------------

    @_reading
    async def ListMoves(self, request: pb.ListMovesRequest, context: Any) -> pb.ListMovesResponse:
        game_id = messages.game_id(request.game_id)
        player = messages.text(request.player_id, "player_id")
        async with self._games.lock(game_id):
            position = await self._position(game_id, messages.version(request))
            key = f"moves:{player}"
            moves = position.cache.get(key)
            if moves is None:
                moves = position.cache[key] = await in_thread(self._games.moves, position, player)
        return pb.ListMovesResponse(version=position.head.version, moves_json=moves)

    @_writing
    async def SubmitAction(self, request: pb.SubmitActionRequest, context: Any) -> pb.ActionResult:
        change, action = messages.change(request), messages.action(request.action_json)
        messages.action_id(action.get("action_id"))
        return messages.result(await self._games.submit(change, action))

    @_writing
    async def Undo(self, request: pb.UndoRequest, context: Any) -> pb.ActionResult:
        target = request.action_id if request.HasField("action_id") else None
        return messages.result(await self._games.rewrite(messages.change(request), "undo", target))

    @_writing
    async def Redo(self, request: pb.RedoRequest, context: Any) -> pb.ActionResult:
        return messages.result(await self._games.rewrite(messages.change(request), "redo"))

    # -- routes ------------------------------------------------------------------------------------

    @_reading
    async def RouteProblem(self, request: pb.RouteProblemRequest, context: Any) -> pb.RouteProblemResponse:
        game_id = messages.game_id(request.game_id)
        corporation = messages.text(request.corporation, "corporation")
        async with self._games.lock(game_id):
            position = await self._position(game_id, messages.version(request))
            found = await in_thread(self._rulebook.route_problem, position.game, corporation)
        return pb.RouteProblemResponse(
            problem_json=found.problem, corporation=found.corporation, version=position.head.version
        )

    @_reading
    async def CheckRoutes(self, request: pb.CheckRoutesRequest, context: Any) -> pb.CheckRoutesResponse:
        game_id = messages.game_id(request.game_id)
        corporation = messages.text(request.corporation, "corporation")
        routes = messages.json_value(request.routes_json, "routes_json")
        async with self._games.lock(game_id):
            position = await self._position(game_id, messages.version(request))
            run = await in_thread(self._rulebook.check_routes, position.game, corporation, routes, list(request.order))
        return pb.CheckRoutesResponse(
            action_json=_encode(run.action),
            revenue=run.revenue,
            subsidy=run.subsidy,
            version=position.head.version,
        )

    # -- titles ------------------------------------------------------------------------------------

    @_reading
    async def ListTitles(self, request: pb.ListTitlesRequest, context: Any) -> pb.ListTitlesResponse:
        return pb.ListTitlesResponse(titles=self._rulebook.titles())

    @_reading
    async def GetTitle(self, request: pb.GetTitleRequest, context: Any) -> pb.GetTitleResponse:
        return self._rulebook.title(messages.text(request.title, "title", least=1), list(request.options))

    # -- watching ----------------------------------------------------------------------------------

    async def WatchGames(self, request: pb.WatchGamesRequest, context: Any) -> AsyncIterator[pb.GameUpdate]:
        try:
            await self._games.store.ping()
            if request.game_id:
                after = await self._resume(request)
                updates = follow_game(self._hub, self._games.store, request.game_id, after)
            else:
                updates = follow_all(self._hub, self._games.store)
            await context.send_initial_metadata(())
            async for update in updates:
                yield messages.game_update(update)
        except grpc.aio.AbortError:
            raise
        except Exception as error:
            await abort(context, error)

    async def _resume(self, request: pb.WatchGamesRequest) -> int | None:
        meta, _ = await self._games.store.meta(messages.game_id(request.game_id))
        if not request.HasField("after_version"):
            return None
        if not 0 <= request.after_version <= meta.head.version:
            raise UnknownVersion(f"game {request.game_id} has versions 0 to {meta.head.version}")
        return int(request.after_version)
