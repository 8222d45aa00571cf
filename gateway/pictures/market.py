"""The picture of the stock market."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .design import Json, Owner, read_owners
from .nodes import token
from .palette import CELL_FILL, CELL_TEXT, FAINT, INK, SEA
from .svg import caption, circle, document, left_label, tag, text_width

CELL = 74.0
"""Width of a cell."""
MARGIN = 30.0
MARKER = 17.0
"""Radius of a corporation's marker."""
SCALE = 0.7


@dataclass(frozen=True)
class Cell:
    """A price cell: row and column of the chart, price, types, and where it is drawn."""

    row: int
    column: int
    price: str
    types: tuple[str, ...]
    x: float
    y: float
    height: float


def render_market(title: Mapping[str, Any], view: Mapping[str, Any]) -> str:
    """The stock market of a game as SVG text: prices, kinds of cells, markers in their order on a cell."""
    state: Json = view.get("state") or {}
    facts = title.get("facts") or {}
    owners = read_owners(title)
    standing: Mapping[str, Any] = state.get("market") or {}
    pars = _par_syms(state)
    cells = _cells(title["market"])
    width = max((c.x for c in cells), default=0.0) + CELL + MARGIN
    bottom = max((c.y + c.height for c in cells), default=0.0)
    key, key_height = _key(cells, bottom + 30, width)
    drawn = [_cell(c, standing.get(f"{c.row},{c.column}", ()), pars.get((c.row, c.column), []), owners) for c in cells]
    height = bottom + 30 + key_height + MARGIN
    name = f"Stock market of {facts.get('name', 'the game')}"
    background = tag("rect", width=width, height=height, fill=SEA)
    return document(width, height, SCALE, name, [background, *drawn, *key])


def _cells(market: Json) -> list[Cell]:
    kind = market["kind"]
    cells = []
    for row, texts in enumerate(market["rows"]):
        for column, text in enumerate(texts):
            if not text:
                continue
            price, _, types = text.partition(" ")
            x, y, height = _place(kind, row, column)
            listed = tuple(types.split(",")) if types else ()
            cells.append(Cell(row, column, price, listed, MARGIN + x, MARGIN + y, height))
    return cells


def _place(kind: str, row: int, column: int) -> tuple[float, float, float]:
    """Left, top and height of a cell. A zigzag puts every other price in the upper of two staggered rows."""
    if kind == "zigzag":
        height = 150.0
        return column * CELL / 2, (1 - column % 2) * height, height
    if kind == "column":
        return column * CELL, row * 210.0, 210.0
    return column * CELL, row * 82.0, 82.0


def _par_syms(state: Json) -> dict[tuple[int, int], list[str]]:
    """Corporations by the cell of their par price."""
    pars: dict[tuple[int, int], list[str]] = {}
    for sym, corporation in (state.get("corporations") or {}).items():
        par = corporation.get("par")
        if par is not None:
            pars.setdefault((par[0], par[1]), []).append(sym)
    return pars


def _cell(cell: Cell, standing: Any, pars: list[str], owners: Mapping[str, Owner]) -> str:
    first = cell.types[0] if cell.types else ""
    dark = first == "close"
    words = [f"{cell.price}", *(CELL_TEXT.get(t, t.replace("_", " ")) for t in cell.types)]
    if standing:
        words.append("markers in order " + ", ".join(standing))
    parts = [
        caption(", ".join(words)),
        tag(
            "rect",
            x=cell.x,
            y=cell.y,
            width=CELL,
            height=cell.height,
            fill=CELL_FILL.get(first, "#fff"),
            stroke=INK,
            stroke_width=1.2,
        ),
        left_label(cell.x + 6, cell.y + 14, cell.price, 17, fill="#fff" if dark else INK, font_weight="bold"),
    ]
    for index, kind in enumerate(cell.types[1:]):
        spot = complex(cell.x + CELL - 10 - 13 * index, cell.y + 11)
        parts.append(circle(spot, 5, fill=CELL_FILL.get(kind, "#fff"), stroke=INK, stroke_width=0.8))
    parts.extend(_par_marks(cell, pars, owners))
    parts.extend(_markers(cell, list(standing), owners))
    return tag("g", parts, class_="cell", data_cell=f"{cell.row},{cell.column}")


def _par_marks(cell: Cell, pars: list[str], owners: Mapping[str, Owner]) -> list[str]:
    """Small squares in the colors of the corporations that started at this price."""
    marks = []
    for index, sym in enumerate(pars):
        color = owners[sym].color if sym in owners else FAINT
        square = tag(
            "rect",
            x=cell.x + 5 + 10 * index,
            y=cell.y + cell.height - 11,
            width=8,
            height=7,
            fill=color,
            stroke=INK,
            stroke_width=0.6,
        )
        marks.append(tag("g", caption(f"par of {sym}") + square, class_="par", data_par=sym))
    return marks


def _markers(cell: Cell, standing: list[str], owners: Mapping[str, Owner]) -> list[str]:
    """Markers in order of arrival: side by side in a low cell, downwards in a tall one; the first lies on
    top.
    """
    if not standing:
        return []
    start = complex(cell.x + MARKER + 4, cell.y + 46)
    if cell.height > 100:
        room = cell.height - 44 - MARKER - 16
        start = complex(cell.x + CELL / 2, cell.y + 44)
        step = 1j * min(2 * MARKER + 1, room / max(1, len(standing) - 1))
    else:
        room = CELL - 2 * MARKER - 10
        step = complex(min(2 * MARKER + 1, room / max(1, len(standing) - 1)), 0)
        if len(standing) == 1:
            start = complex(cell.x + CELL / 2, cell.y + 46)
    drawn = [
        tag("g", token(start + step * i, MARKER, sym, owners), class_="marker", data_marker=sym)
        for i, sym in enumerate(standing)
    ]
    return drawn[::-1]


def _key(cells: list[Cell], top: float, width: float) -> tuple[list[str], float]:
    """What the colors mean, for the kinds of cell this market has; and the height it takes."""
    kinds = list(dict.fromkeys(kind for cell in cells for kind in cell.types))
    parts = []
    x, y = MARGIN, top
    for kind in kinds:
        text = CELL_TEXT.get(kind, kind.replace("_", " "))
        need = 34 + text_width(text, 16) + 24
        if x + need > width - MARGIN and x > MARGIN:
            x, y = MARGIN, y + 30
        swatch = tag(
            "rect",
            x=x,
            y=y,
            width=26,
            height=18,
            fill=CELL_FILL.get(kind, "#fff"),
            stroke=INK,
            stroke_width=1,
        )
        parts.append(swatch + left_label(x + 34, y + 9, text, 16, fill=INK))
        x += need
    return [tag("g", parts, class_="key")] if parts else [], y - top + 18
