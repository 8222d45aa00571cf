"""Live updates as server-sent events or NDJSON."""

from __future__ import annotations

from typing import Any, cast

from flask import Response, request

from gateway import schemas
from gateway.auth import Principal, now_ms
from gateway.operations import Call, operation
from gateway.problems import Problem
from gateway.streams import formats
from gateway.streams.feeds import Feed, GameFeed, GamesFeed
from gateway.streams.hub import EVERYTHING, Subscription, game_key, player_key

TAG = "Events"
STREAM = {
    formats.SSE: "Events `ready` and `update`; `data` is JSON.",
    formats.NDJSON: "A JSON object a line.",
}


@operation(
    "GET",
    "/games/{game_id}/events",
    tag=TAG,
    scope="read",
    query=schemas.EventsQuery,
    returns={200: STREAM},
    problems=("bad-request", "not-found", "not-acceptable"),
)
def watch_game(call: Call[schemas.EventsQuery, None], game_id: str) -> Response:
    """Watch a game.

    The id of an event is the version of the game. With `Last-Event-ID` (or `after`) everything since is sent
    first; nothing is missed and nothing comes twice. `Accept: application/x-ndjson` gives a line for each
    update instead of server-sent events. A silent stream sends a comment (an empty line) now and then.
    """
    form, after = _wanted(call)
    call.read_game(game_id)
    services, subscription = call.services, _subscribe(call, game_key(game_id))
    try:
        feed = GameFeed(
            services.hub,
            services.rules,
            subscription,
            form,
            services.config.heartbeat,
            game_id=game_id,
            after=after,
        )
    except BaseException:
        services.hub.unsubscribe(subscription)
        raise
    return _stream(call, feed)


@operation(
    "GET",
    "/events",
    tag=TAG,
    scope="read",
    query=schemas.EventsQuery,
    returns={200: STREAM},
    problems=("bad-request", "not-acceptable"),
)
def watch_games(call: Call[schemas.EventsQuery, None]) -> Response:
    """Watch all games of the token's player (the operator: all games).

    The id of an event is its time in Unix milliseconds. On resume a few updates may come a second time: skip
    those whose `version` you have.
    """
    form, after = _wanted(call)
    services, player = call.services, call.principal.player
    subscription = _subscribe(call, player_key(player) if player else EVERYTHING)
    try:
        feed = GamesFeed(
            services.hub,
            services.rules,
            subscription,
            form,
            services.config.heartbeat,
            player=player,
            after=after,
            now=now_ms(),
        )
    except BaseException:
        services.hub.unsubscribe(subscription)
        raise
    return _stream(call, feed)


def _wanted(call: Call[schemas.EventsQuery, None]) -> tuple[formats.Format, int | None]:
    accept = request.accept_mimetypes
    form = accept.best_match([formats.SSE, formats.NDJSON]) if accept else formats.SSE
    if form is None:
        raise Problem("not-acceptable", f"Events come as {formats.SSE} or {formats.NDJSON}.")
    after, header = call.query.after, request.headers.get("Last-Event-ID", "").strip()
    if header:
        if not (header.isascii() and header.isdigit() and len(header) <= 15):
            raise Problem(
                "bad-request",
                "Last-Event-ID must be the id of an event of this stream, a whole number.",
                code="bad_last_event_id",
            )
        after = int(header)
    return cast(formats.Format, form), after


def _subscribe(call: Call[Any, Any], key: str) -> Subscription:
    principal = call.principal
    return call.services.hub.subscribe(key, principal.subject, exempt=principal.is_operator)


def _stream(call: Call[Any, Any], feed: Feed) -> Response:
    response = Response(content_type=feed.form + ("; charset=utf-8" if feed.form == formats.SSE else ""))
    response.headers["Cache-Control"] = "no-store"
    response.headers["X-Accel-Buffering"] = "no"
    if request.method == "HEAD":
        feed.close()
        return response
    services, principal = call.services, call.principal
    response.response = feed.run(lambda: _is_permitted(services, principal))
    response.call_on_close(feed.close)
    return response


def _is_permitted(services: Any, principal: Principal) -> bool:
    expired = principal.expires_at is not None and principal.expires_at <= now_ms()
    return not expired and not services.admission.is_revoked(principal)
