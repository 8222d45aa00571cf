"""Track: black curves with a light rim. Where pieces cross without meeting, the later one bridges the
earlier one.
"""

from __future__ import annotations

from .design import NODE, BoardHex, Design
from .geometry import Curve, at, part, tangent_at
from .palette import TRACK
from .placement import Layout, place
from .svg import point, polygon, tag

WIDTH = 9.0
CASING = 15.0


def curve_path(curve: Curve) -> str:
    """The ``d`` of a curve."""
    start, first, second, end = curve
    return f"M{point(start)}C{point(first)} {point(second)} {point(end)}"


def track(h: BoardHex, layout: str) -> str:
    """All track of a hex, one element with class ``track`` a piece; off-board track is an arrow."""
    placed = place(h.design, layout, h.rotation)
    casing, rails = [], []
    for index, curve in enumerate(placed.curves):
        if _is_arrow(h.design, index):
            rails.append(_arrow(curve if placed.ends[index][0] < NODE else curve[::-1], placed.ends[index]))
            continue
        d = curve_path(curve)
        casing.append(_stroke(d, CASING, "#fff", stroke_opacity=0.85))
        bridge = _bridge(h.design, placed, index)
        if bridge is not None:
            rails.append(_stroke(curve_path(bridge), CASING, "#fff"))
        a, b = (_end_name(end) for end in placed.ends[index])
        rails.append(_stroke(d, WIDTH, TRACK, class_="track", data_a=a, data_b=b))
    if not rails:
        return ""
    return tag(
        "g",
        [*casing, *rails],
        data_hex=h.id,
        fill="none",
        transform=f"translate({h.center.real:.1f} {h.center.imag:.1f})",
    )


def _end_name(end: int) -> str:
    return str(end) if end < NODE else chr(ord("a") + end - NODE)


def _stroke(d: str, width: float, color: str, **attributes: str | float) -> str:
    return tag("path", d=d, stroke=color, stroke_width=width, **attributes)


def _is_arrow(design: Design, index: int) -> bool:
    piece = design.track[index]
    return any(design.nodes[node].kind == "offboard" for node in piece.nodes) and bool(piece.edges)


def _arrow(curve: Curve, ends: tuple[int, int]) -> str:
    """Off-board track: broad at the edge, pointing at the middle of the hex."""
    a, b = (_end_name(end) for end in ends)
    base, tip = curve[0], at(curve, 0.48)
    along = tangent_at(curve, 0)
    side = along * 1j * 12
    neck = along * 16
    points = [base - side * 0.42, base - side * 0.42 + neck, base + neck - side, tip]
    points += [base + neck + side, base + side * 0.42 + neck, base + side * 0.42]
    return polygon(
        points,
        class_="track",
        data_a=a,
        data_b=b,
        fill=TRACK,
        stroke="#fff",
        stroke_opacity=0.85,
        stroke_width=2,
        paint_order="stroke",
    )


def _bridge(design: Design, placed: Layout, index: int) -> Curve | None:
    """The stretch of a piece that passes over earlier pieces, kept clear of where pieces join."""
    piece = design.track[index]
    if index == 0:
        return None
    if not piece.nodes:
        return part(placed.curves[index], 0.37, 0.63)
    if len(design.nodes) > 1:
        return part(placed.curves[index], 0.15, 0.85)
    return None
