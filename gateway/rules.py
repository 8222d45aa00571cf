"""Client of the rules service: connections, deadlines, retries, and its errors as problem documents."""

from __future__ import annotations

import logging
import time
import zlib
from typing import Any, cast

import grpc
import msgspec

from gateway.problems import Problem, unavailable
from protos.roundhouse.v1 import rules_pb2 as pb
from protos.roundhouse.v1 import rules_pb2_grpc

log = logging.getLogger(__name__)

ERROR_KEY = "roundhouse-error-bin"
PAUSES = (0.05, 0.15, 0.4, 0.8)
"""Seconds to wait before trying a call again while the service cannot be reached (it may be restarting)."""

_READS = frozenset(
    (
        "ExportGame",
        "GetGame",
        "ListGames",
        "ListMoves",
        "GetLog",
        "RouteProblem",
        "CheckRoutes",
        "ListTitles",
        "GetTitle",
    )
)
_OPTIONS = [
    ("grpc.max_receive_message_length", 64 << 20),
    ("grpc.max_send_message_length", 16 << 20),
    ("grpc.initial_reconnect_backoff_ms", 50),
    ("grpc.min_reconnect_backoff_ms", 200),
    ("grpc.max_reconnect_backoff_ms", 1000),
    ("grpc.keepalive_time_ms", 30_000),
    ("grpc.keepalive_timeout_ms", 5_000),
    ("grpc.use_local_subchannel_pool", 1),
]


class RulesClient:
    """Calls the rules service; raises `Problem` for every error.

    Several worker processes share the service's port, and a connection ends at one of them. So there are
    several connections, and the calls for one game always use the same one.

    Reads, and writes with an idempotency key, are tried again while the service cannot be reached. A write
    without a key is not: whether it was done is unknown.
    """

    def __init__(self, address: str, channels: int = 4, timeout: float = 10.0, *, import_seconds: float = 20.0) -> None:
        self._channels = [grpc.insecure_channel(address, options=_OPTIONS) for _ in range(channels)]
        self._stubs = [_stub(channel) for channel in self._channels]
        self._timeout = timeout
        self._import_seconds = import_seconds

    @property
    def channel(self) -> Any:
        """A connection for health checks."""
        return self._channels[0]

    def close(self) -> None:
        """Close the connections; calls under way end with an error."""
        for channel in self._channels:
            channel.close()

    def create_game(self, request: pb.CreateGameRequest) -> pb.GameSummary:
        """Start a game."""
        return cast("pb.GameSummary", self._call("CreateGame", request.idempotency_key, request))

    def import_game(self, request: pb.ImportGameRequest) -> pb.GameSummary:
        """Take over a recorded game."""
        return cast("pb.GameSummary", self._call("ImportGame", request.idempotency_key, request))

    def export_game(self, request: pb.ExportGameRequest) -> pb.ExportGameResponse:
        """A game in the export format."""
        return cast("pb.ExportGameResponse", self._call("ExportGame", request.game_id, request))

    def get_game(self, request: pb.GetGameRequest) -> pb.GameView:
        """A game at a version."""
        return cast("pb.GameView", self._call("GetGame", request.game_id, request))

    def list_games(self, request: pb.ListGamesRequest) -> pb.ListGamesResponse:
        """One page of games."""
        return cast("pb.ListGamesResponse", self._call("ListGames", request.player_id, request))

    def list_moves(self, request: pb.ListMovesRequest) -> pb.ListMovesResponse:
        """The legal moves at a version."""
        return cast("pb.ListMovesResponse", self._call("ListMoves", request.game_id, request))

    def submit_action(self, request: pb.SubmitActionRequest) -> pb.ActionResult:
        """Apply an action."""
        return cast("pb.ActionResult", self._call("SubmitAction", request.game_id, request))

    def undo(self, request: pb.UndoRequest) -> pb.ActionResult:
        """Take back."""
        return cast("pb.ActionResult", self._call("Undo", request.game_id, request))

    def redo(self, request: pb.RedoRequest) -> pb.ActionResult:
        """Restore what was taken back."""
        return cast("pb.ActionResult", self._call("Redo", request.game_id, request))

    def get_log(self, request: pb.GetLogRequest) -> pb.GetLogResponse:
        """Part of the log."""
        return cast("pb.GetLogResponse", self._call("GetLog", request.game_id, request))

    def route_problem(self, request: pb.RouteProblemRequest) -> pb.RouteProblemResponse:
        """The search problem of a corporation."""
        return cast("pb.RouteProblemResponse", self._call("RouteProblem", request.game_id, request))

    def check_routes(self, request: pb.CheckRoutesRequest) -> pb.CheckRoutesResponse:
        """Check a solver's answer."""
        return cast("pb.CheckRoutesResponse", self._call("CheckRoutes", request.game_id, request))

    def list_titles(self) -> pb.ListTitlesResponse:
        """All titles."""
        return cast("pb.ListTitlesResponse", self._call("ListTitles", "", pb.ListTitlesRequest()))

    def get_title(self, request: pb.GetTitleRequest) -> pb.GetTitleResponse:
        """The facts of a title."""
        return cast("pb.GetTitleResponse", self._call("GetTitle", request.title, request))

    def watch(self) -> Any:
        """The stream of all new versions: iterate over `GameUpdate`, end it with `cancel()`. Raises
        `RpcError`.
        """
        return self._stubs[0].WatchGames(pb.WatchGamesRequest())

    def _call(self, rpc: str, key: str, request: Any) -> Any:
        timeout = self._timeout + (self._import_seconds if rpc == "ImportGame" else 0)
        method = getattr(self._stubs[zlib.crc32(key.encode()) % len(self._stubs)], rpc)
        again = rpc in _READS or bool(request.idempotency_key)
        for pause in (*PAUSES, None):
            try:
                return method(request, timeout=timeout)
            except grpc.RpcError as error:
                if not again or pause is None or error.code() is not grpc.StatusCode.UNAVAILABLE:
                    raise as_problem(error, rpc, request) from error
                time.sleep(pause)
        raise AssertionError("unreachable")


def _stub(channel: Any) -> Any:
    return rules_pb2_grpc.RulesServiceStub(channel)  # type: ignore[no-untyped-call]


def error_info(error: grpc.RpcError) -> pb.ErrorInfo | None:
    """What the rules service said about an error, if it did."""
    for key, value in error.trailing_metadata() or ():
        if key == ERROR_KEY:
            try:
                return pb.ErrorInfo.FromString(value)
            except Exception:
                log.exception("unreadable %s", ERROR_KEY)
    return None


def as_problem(error: grpc.RpcError, rpc: str, request: Any) -> Problem:
    """The problem document for a failed call."""
    status = error.code()
    info = error_info(error)
    code = info.code if info else ""
    detail = (info.message if info else "") or error.details() or status.name
    details = _details(info)
    if status is grpc.StatusCode.ABORTED:
        return _stale(request, code, detail, details)
    if status is grpc.StatusCode.FAILED_PRECONDITION:
        kind = "illegal-action" if rpc == "SubmitAction" else "conflict"
        return Problem(kind, detail, code=code, details=details)
    if status is grpc.StatusCode.ALREADY_EXISTS:
        kind = "idempotency-key-reused" if "idempotency" in code else "conflict"
        return Problem(kind, detail, code=code, details=details)
    if status in _SIMPLE:
        return Problem(_SIMPLE[status], detail, code=code, details=details)
    if status in (
        grpc.StatusCode.UNAVAILABLE,
        grpc.StatusCode.DEADLINE_EXCEEDED,
        grpc.StatusCode.RESOURCE_EXHAUSTED,
    ):
        log.warning("rules service: %s: %s %s", rpc, status.name, error.details())
        if info:
            problem = unavailable(detail, code or "store_unavailable")
            problem.details = details
            return problem
        if status is grpc.StatusCode.DEADLINE_EXCEEDED:
            return unavailable(f"The rules service did not answer in time{_fate(rpc)}.", "rules_service_slow")
        return unavailable(f"The rules service cannot be reached{_fate(rpc)}.", "rules_service_unavailable")
    if status is grpc.StatusCode.CANCELLED:
        return unavailable("The gateway is stopping.", "stopping")
    log.error("rules service: %s: %s %s", rpc, status.name, error.details())
    return Problem("bad-gateway", "The rules service failed; this has been logged.")


_SIMPLE = {
    grpc.StatusCode.NOT_FOUND: "not-found",
    grpc.StatusCode.INVALID_ARGUMENT: "invalid-request",
    grpc.StatusCode.OUT_OF_RANGE: "not-found",
    grpc.StatusCode.PERMISSION_DENIED: "forbidden",
}


def _fate(rpc: str) -> str:
    """What may have become of a change whose answer did not arrive."""
    return "" if rpc in _READS else "; if the change was made is not known, send it again with the same Idempotency-Key"


def _details(info: pb.ErrorInfo | None) -> dict[str, Any]:
    if not info or not info.details_json:
        return {}
    try:
        return msgspec.json.decode(info.details_json, type=dict[str, Any])
    except msgspec.MsgspecError:
        return {}


def _stale(request: Any, code: str, detail: str, details: dict[str, Any]) -> Problem:
    """412 if the client said which version it saw, 409 if the race was not about that; with the current
    ETag.
    """
    current = details.pop("current_version", details.get("version"))
    headers = {}
    if isinstance(current, int):
        details["version"] = current
        headers["ETag"] = f'"{current}"'
    kind = "stale-version" if request.HasField("expected_version") else "conflict"
    return Problem(kind, detail, code=code or "stale_version", details=details, headers=headers)
