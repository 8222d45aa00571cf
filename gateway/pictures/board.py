"""The picture of the map."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from . import routes as route_lines
from .design import Board, read_board
from .geometry import SIDE
from .ground import borders, ground
from .nodes import nodes
from .palette import INK, SEA
from .svg import document, label, tag
from .texts import texts
from .trace import trace
from .track import track

MARGIN = 46.0
SCALE = 0.6
"""Pixels a map unit in the picture's own size; it scales to any other."""


def render_map(
    title: Mapping[str, Any], view: Mapping[str, Any], routes: Sequence[Mapping[str, Any]] | None = None
) -> str:
    """The map of a game as SVG text.

    ``title`` is the title's data (``map``, ``tiles``, ``corporations``, ``minors``, ``facts``), ``view``
    has the game's ``state``; without one the printed map is drawn with the homes of its corporations.
    ``routes`` are drawn over the board, each as ``train``, ``connections``, ``hexes``, ``nodes`` and
    ``revenue`` (core 9.6).
    """
    board = read_board(title, view)
    facts = title.get("facts") or {}
    money = facts.get("currency", "{}")
    traced = [trace(board, route) for route in routes or ()]
    left, top, width, height = _frame(board)
    rings = route_lines.rings(traced)
    hexes = list(board.hexes.values())
    layers = [
        tag("g", _coordinates(board), class_="coordinates"),
        tag("g", [ground(h, board.layout) for h in hexes], class_="grounds"),
        tag("g", [track(h, board.layout) for h in hexes], class_="tracks", pointer_events="none"),
        tag("g", borders(board), class_="borders"),
        tag("g", route_lines.lines(board, traced, money), class_="routes") if traced else "",
        tag("g", [nodes(h, board.layout, board.owners, rings.get(h.id, {})) for h in hexes], class_="nodes"),
        tag("g", [texts(h, board.layout, board.owners) for h in hexes], class_="texts", pointer_events="none"),
        tag("g", route_lines.labels(board, traced, money), class_="route-labels") if traced else "",
    ]
    below = route_lines.legend(traced, MARGIN, height + 14, money) if traced else []
    total_height = height + route_lines.legend_height(traced)
    return document(
        width,
        total_height,
        SCALE,
        f"Map of {facts.get('name', 'the game')}",
        [
            tag("rect", width=width, height=total_height, fill=SEA),
            tag("g", layers, transform=f"translate({-left:.1f} {-top:.1f})"),
            *below,
        ],
    )


def _frame(board: Board) -> tuple[float, float, float, float]:
    """Left, top, width and height of the drawing with its margins."""
    middles = [h.center for h in board.hexes.values()] or [0j]
    xs, ys = [m.real for m in middles], [m.imag for m in middles]
    reach = SIDE + MARGIN
    left, top = min(xs) - reach, min(ys) - reach
    return left, top, max(xs) + reach - left, max(ys) + reach - top


def _coordinates(board: Board) -> list[str]:
    """Letters and numbers of columns and rows along the rim, on both sides."""
    left, top, width, height = _frame(board)
    columns: dict[str, float] = {}
    rows: dict[str, float] = {}
    for h in board.hexes.values():
        letter = h.id.rstrip("0123456789")
        number = h.id[len(letter) :]
        across, down = (letter, number) if board.letters == "x" else (number, letter)
        columns[across] = h.center.real
        rows[down] = h.center.imag
    parts = []
    for text, x in sorted(columns.items(), key=lambda item: item[1]):
        for y in (top + 24, top + height - 24):
            parts.append(label(complex(x, y), text, 20, fill=INK, fill_opacity=0.55, font_weight="bold"))
    for text, y in sorted(rows.items(), key=lambda item: item[1]):
        for x in (left + 24, left + width - 24):
            parts.append(label(complex(x, y), text, 20, fill=INK, fill_opacity=0.55, font_weight="bold"))
    return parts
