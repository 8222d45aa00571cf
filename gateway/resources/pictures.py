"""Pictures of a game at any version."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import msgspec
from flask import Response

from gateway import schemas
from gateway.etags import etag, is_not_modified
from gateway.operations import Call, operation
from gateway.problems import Problem
from gateway.rules import RulesClient
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
    from gateway.pictures import render_map

    job = call.services.jobs.read(call.principal, call.query.job) if call.query.job else None
    if job is not None and (job.game_id != game_id or job.result is None):
        raise Problem("not-found", "The job has no routes for this game.", code="no_routes")
    version = job.version if job is not None and call.query.version is None else call.query.version
    view, title, shown = _position(call, game_id, version)
    if job is None or job.result is None:
        return _picture(render_map(title=title, view=view), shown)
    action = msgspec.json.decode(msgspec.json.encode(job.result.action))
    return _picture(render_map(title=title, view=view, routes=action.get("routes")), None)


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
    from gateway.pictures import render_market

    view, title, shown = _position(call, game_id, call.query.version)
    return _picture(render_market(title=title, view=view), shown)


def _position(call: Call[Any, None], game_id: str, version: int | None) -> tuple[dict[str, Any], dict[str, Any], int]:
    """(the game as plain data, facts of its title, version)."""
    call.read_game(game_id)
    found = call.services.rules.get_game(pb.GetGameRequest(game_id=game_id, version=version))
    about = found.summary
    view = msgspec.json.decode(found.state_json, type=dict[str, Any])
    facts = _facts(call.services.rules, about.title, tuple(about.options))
    return view, facts, about.version if version is None else version


@lru_cache(64)
def _facts(rules: RulesClient, title: str, options: tuple[str, ...]) -> dict[str, Any]:
    found = rules.get_title(pb.GetTitleRequest(title=title, options=options))
    return msgspec.json.decode(found.data_json, type=dict[str, Any])


def _picture(svg: str, version: int | None) -> Response:
    tag = None if version is None else etag(version)
    if tag is not None and is_not_modified(tag):
        response = Response(status=304)
    else:
        response = Response(svg, content_type=MEDIA_TYPE)
        response.headers["Content-Security-Policy"] = "default-src 'none'; style-src 'unsafe-inline'"
    if tag is not None:
        response.headers["ETag"] = tag
    response.headers["Cache-Control"] = "private, no-cache"
    return response
