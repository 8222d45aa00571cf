"""Pictures of a game at any version."""

from __future__ import annotations

from typing import Any

import msgspec
from flask import Response

from gateway import schemas
from gateway.drawings import Draw
from gateway.etags import etag, is_not_modified
from gateway.operations import Call, operation
from gateway.pictures import render_map, render_market
from gateway.problems import Problem
from protos.roundhouse.v1 import rules_pb2 as pb

TAG = "Pictures"
MEDIA_TYPE = "image/svg+xml"
SVG = {MEDIA_TYPE: "The picture."}


@operation(
    "GET",
    "/games/{game_id}/map.svg",
    tag=TAG,
    scope="read",
    query=schemas.MapQuery,
    returns={200: SVG},
    problems=("not-found", "invalid-request"),
    versioned=True,
)
def get_map(call: Call[schemas.MapQuery, None], game_id: str) -> Response:
    """Draw the map: tiles, tokens, names and values, and the routes of a job if wanted."""
    if not call.query.job:
        return _picture(call, game_id, call.query.version, "map", "", _map([]))
    job = call.services.jobs.read(call.principal, call.query.job)
    if job.game_id != game_id or job.result is None:
        raise Problem("not-found", "The job has no routes for this game.", code="no_routes")
    routes = msgspec.json.decode(msgspec.json.encode(job.result.action)).get("routes")
    version = job.version if call.query.version is None else call.query.version
    return _picture(call, game_id, version, "map", job.id, _map(routes))


@operation(
    "GET",
    "/games/{game_id}/market.svg",
    tag=TAG,
    scope="read",
    query=schemas.PictureQuery,
    returns={200: SVG},
    problems=("not-found", "invalid-request"),
    versioned=True,
)
def get_market(call: Call[schemas.PictureQuery, None], game_id: str) -> Response:
    """Draw the stock market with the corporations' markers."""
    return _picture(call, game_id, call.query.version, "market", "", _market)


def _map(routes: list[dict[str, Any]]) -> Draw:
    return lambda title, view: render_map(title=title, view=view, routes=routes)


def _market(title: dict[str, Any], view: dict[str, Any]) -> str:
    return render_market(title=title, view=view)


def _picture(call: Call[Any, None], game_id: str, version: int | None, kind: str, job: str, draw: Draw) -> Response:
    """The picture at a version; None: the newest."""
    call.read_game(game_id)
    game = call.services.rules.get_game(pb.GetGameRequest(game_id=game_id, version=version))
    shown = game.summary.version if version is None else version
    if not job and is_not_modified(etag(shown)):
        return _headed(Response(status=304), shown)
    svg = call.services.drawings.svg((kind, game_id, shown, job), game, draw)
    return _headed(Response(svg, content_type=MEDIA_TYPE), None if job else shown)


def _headed(response: Response, version: int | None) -> Response:
    if version is not None:
        response.headers["ETag"] = etag(version)
    response.headers["Cache-Control"] = "private, no-cache"
    response.headers["Content-Security-Policy"] = "default-src 'none'; style-src 'unsafe-inline'"
    return response
