"""Writing SVG: escaping, number format and elements. Attribute order is the order of the call, so output is
stable.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from xml.sax.saxutils import escape, quoteattr

FONT = "Helvetica, Arial, 'Liberation Sans', sans-serif"
_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

Attribute = str | int | float | None


def number(value: float) -> str:
    """A coordinate with at most one decimal, without a trailing zero or a negative zero."""
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


def clean(text: str) -> str:
    """Text without the characters XML forbids."""
    return _FORBIDDEN.sub("", text)


def point(position: complex) -> str:
    """A point as ``x,y``."""
    return f"{number(position.real)},{number(position.imag)}"


def tag(name: str, content: str | Iterable[str] = "", /, **attributes: Attribute) -> str:
    """An element; ``content`` is ready SVG.

    ``stroke_width`` becomes ``stroke-width`` and ``class_`` ``class``; an attribute that is None is left out.
    """
    written = []
    for key, value in attributes.items():
        if value is None:
            continue
        text = value if isinstance(value, str) else number(value)
        written.append(f" {key.rstrip('_').replace('_', '-')}={quoteattr(clean(text))}")
    inner = content if isinstance(content, str) else "".join(content)
    head = f"<{name}{''.join(written)}"
    return f"{head}>{inner}</{name}>" if inner else f"{head}/>"


def caption(text: str) -> str:
    """A ``<title>``: what a screen reader says and a browser shows on hovering."""
    return f"<title>{escape(clean(text))}</title>"


def label(position: complex, text: str, size: float, **attributes: Attribute) -> str:
    """Text centred on ``position`` in both directions; ``size`` is the font size in map units."""
    return tag(
        "text",
        escape(clean(text)),
        x=position.real,
        y=position.imag + size * 0.35,
        font_size=size,
        text_anchor="middle",
        **attributes,
    )


def left_label(x: float, y: float, text: str, size: float, **attributes: Attribute) -> str:
    """Text that begins at ``x`` and is centred on the height ``y``."""
    return tag("text", escape(clean(text)), x=x, y=y + size * 0.35, font_size=size, **attributes)


def halo_label(position: complex, text: str, size: float, fill: str, **attributes: Attribute) -> str:
    """Text with a light outline, readable on top of track."""
    return label(
        position,
        text,
        size,
        fill=fill,
        stroke="#fff",
        stroke_opacity=0.75,
        stroke_width=size / 5,
        stroke_linejoin="round",
        paint_order="stroke",
        **attributes,
    )


def circle(position: complex, radius: float, **attributes: Attribute) -> str:
    return tag("circle", cx=position.real, cy=position.imag, r=radius, **attributes)


def line(start: complex, end: complex, **attributes: Attribute) -> str:
    return tag("line", x1=start.real, y1=start.imag, x2=end.real, y2=end.imag, **attributes)


def polygon(points: Iterable[complex], **attributes: Attribute) -> str:
    return tag("polygon", points=" ".join(point(p) for p in points), **attributes)


def polyline_path(points: Iterable[complex]) -> str:
    """The ``d`` of a line through points."""
    return "M" + "L".join(point(p) for p in points)


def text_width(text: str, size: float) -> float:
    """Estimated width of text set in the sans-serif font, in map units."""
    narrow = sum(c in "iljtfrI.,:;!|'()-1 " for c in text)
    wide = sum(c in "mwMWQOGCDHNU&@%" for c in text)
    return size * (0.56 * len(text) - 0.24 * narrow + 0.19 * wide)


def document(width: float, height: float, scale: float, name: str, body: Iterable[str]) -> str:
    """A whole picture of ``width`` x ``height`` units, shown at ``scale`` pixels a unit; ``name`` is its
    accessible name.
    """
    content = "".join([caption(name), *body])
    return (
        tag(
            "svg",
            content,
            xmlns="http://www.w3.org/2000/svg",
            viewBox=f"0 0 {number(width)} {number(height)}",
            width=round(width * scale),
            height=round(height * scale),
            role="img",
            aria_label=name,
            font_family=FONT,
        )
        + "\n"
    )
