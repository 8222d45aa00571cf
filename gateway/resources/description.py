"""The OpenAPI document and the page that shows it; plain Flask views, since they describe the others."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib.metadata import PackageNotFoundError, version

import msgspec
from flask import Blueprint, Response

from gateway import openapi
from gateway.operations import Operation


def blueprint(operations: Iterable[Operation]) -> Blueprint:
    """Serves `/openapi.json` and `/docs`, without anything from other servers."""
    views = Blueprint("description", __name__)
    listed = tuple(operations)

    @cache
    def document() -> bytes:
        return msgspec.json.encode(openapi.document(listed, _version()))

    @views.get("/openapi.json")
    def get_document() -> Response:
        return Response(document(), content_type="application/json", headers={"Cache-Control": "max-age=300"})

    @views.get("/docs")
    def get_page() -> Response:
        headers = {"Content-Security-Policy": openapi.PAGE_POLICY, "Cache-Control": "max-age=300"}
        return Response(openapi.PAGE, content_type="text/html; charset=utf-8", headers=headers)

    @views.get("/docs/redoc.js")
    def get_script() -> Response:
        headers = {"Cache-Control": "max-age=86400"}
        return Response(_script(), content_type="text/javascript; charset=utf-8", headers=headers)

    return views


@cache
def _script() -> bytes:
    return openapi.script()


def _version() -> str:
    try:
        return version("roundhouse")
    except PackageNotFoundError:
        return "0"
