"""Under the track: hex shapes, borders, dividers and stubs."""

from __future__ import annotations

from .design import Board, BoardHex, Border
from .geometry import APOTHEM, corner, corners, direction, edge_middle
from .palette import FAINT, HEX_FILL, IMPASSABLE, INK, MOUNTAIN, OUTLINE, TRACK, WATER
from .svg import caption, label, line, polygon, tag, text_width


def describe(h: BoardHex) -> str:
    """A hex in words, for screen readers and tooltips."""
    words = [f"{h.id} {h.name}".strip()]
    words.append(f"tile {h.tile}" if h.tile else f"printed {h.design.color} hex")
    if h.label:
        words.append(f"label {h.label}")
    if h.design.cost:
        words.append(f"terrain cost {h.design.cost}")
    standing = [sym.removeprefix("~") for city in h.cities for sym in (*city.slots, *city.extra) if sym]
    if standing:
        words.append("tokens " + ", ".join(standing))
    kept = [sym for city in h.cities for sym in city.reserved if sym] + list(h.reserved)
    if kept:
        words.append("kept for " + ", ".join(kept))
    words.extend(f"{b.kind} border on edge {b.edge}" for b in h.borders)
    return ", ".join(words)


def ground(h: BoardHex, layout: str) -> str:
    """The colored shape of a hex with its description, its dividers and its stubs of track."""
    parts = [
        caption(describe(h)),
        polygon(
            corners(layout),
            fill=HEX_FILL.get(h.design.color, HEX_FILL["white"]),
            stroke=OUTLINE,
            stroke_width=1.6,
            stroke_linejoin="round",
        ),
    ]
    for a, b in h.dividers:
        parts.append(line(corner(layout, a - 1), corner(layout, b - 1), class_="divider", stroke=INK, stroke_width=2.5))
    for edge in h.stubs:
        start = edge_middle(layout, edge)
        parts.append(
            line(
                start,
                start - direction(layout, edge) * 24,
                class_="stub",
                stroke=TRACK,
                stroke_width=8,
                stroke_opacity=0.55,
            )
        )
    return tag(
        "g",
        parts,
        class_="hex",
        data_hex=h.id,
        data_tile=h.tile or None,
        data_rotation=h.rotation if h.tile else None,
        transform=f"translate({h.center.real:.1f} {h.center.imag:.1f})",
    )


def borders(board: Board) -> list[str]:
    """Every border once: thick red where nothing passes, blue with its cost where water is crossed."""
    drawn: dict[tuple[str, int], Border] = {}
    for h in board.hexes.values():
        for border in h.borders:
            key = _edge_key(board, h.id, border.edge)
            if key not in drawn or border.cost > drawn[key].cost:
                drawn[key] = border
    parts = []
    for (hex_id, edge), border in sorted(drawn.items()):
        parts.append(_border(board, hex_id, edge, border))
    return parts


def _edge_key(board: Board, hex_id: str, edge: int) -> tuple[str, int]:
    """One name for an edge that two hexes share."""
    other = board.adjacent[hex_id].get(edge)
    if other is None:
        return (hex_id, edge)
    return min((hex_id, edge), (other, (edge + 3) % 6))


def _border(board: Board, hex_id: str, edge: int, border: Border) -> str:
    h = board.hexes[hex_id]
    a, b = corner(board.layout, edge - 1), corner(board.layout, edge)
    a, b = a + (b - a) * 0.08, b - (b - a) * 0.08
    color = {"impassable": IMPASSABLE, "water": WATER, "mountain": MOUNTAIN}.get(border.kind, FAINT)
    parts = [
        line(
            a,
            b,
            stroke=color,
            stroke_width=10 if border.kind == "impassable" else 8,
            stroke_linecap="round",
            stroke_dasharray="1 13" if border.kind == "province" else None,
        )
    ]
    if border.cost:
        parts.append(chip(direction(board.layout, edge) * APOTHEM, str(border.cost), "#ffffff", color, WATER))
    return tag(
        "g",
        parts,
        class_="border",
        data_hex=hex_id,
        data_edge=str(edge),
        data_kind=border.kind,
        transform=f"translate({h.center.real:.1f} {h.center.imag:.1f})",
    )


def chip(middle: complex, text: str, fill: str, stroke: str, ink: str, size: float = 14) -> str:
    """Text on a small rounded plate."""
    width, height = text_width(text, size) + 12, size + 6
    return tag(
        "rect",
        x=middle.real - width / 2,
        y=middle.imag - height / 2,
        width=width,
        height=height,
        rx=height / 2,
        fill=fill,
        stroke=stroke,
        stroke_width=1.5,
    ) + label(middle, text, size, fill=ink, font_weight="bold")
