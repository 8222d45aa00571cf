"""Titles: which games can be played, and their facts."""

from __future__ import annotations

from flask import Response

from gateway import convert, schemas
from gateway.operations import Call, answer, operation
from protos.roundhouse.v1 import rules_pb2 as pb

TAG = "Titles"


@operation("GET", "/titles", tag=TAG, scope=None, returns={200: schemas.TitleList})
def list_titles(call: Call[None, None]) -> Response:
    """List the titles."""
    found = call.services.rules.list_titles()
    return answer(schemas.TitleList(titles=[convert.title(title) for title in found.titles]))


@operation(
    "GET",
    "/titles/{title_id}",
    tag=TAG,
    scope=None,
    query=schemas.TitleQuery,
    returns={200: schemas.TitleFacts},
    problems=("not-found", "invalid-request"),
)
def get_title(call: Call[schemas.TitleQuery, None], title_id: str) -> Response:
    """Read the facts of a title: map, tiles, market, trains, companies."""
    options = [name.strip() for name in call.query.options.split(",") if name.strip()]
    found = call.services.rules.get_title(pb.GetTitleRequest(title=title_id, options=options))
    return answer(convert.title_facts(found))
