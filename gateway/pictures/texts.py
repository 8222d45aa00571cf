"""Texts and signs of a hex: values, label, terrain, names, ids, extra tokens and icons."""

from __future__ import annotations

from collections.abc import Mapping

from .design import BoardHex, Owner
from .ground import chip
from .nodes import token
from .palette import FAINT, INK, MOUNTAIN, VALUE_FILL, WATER
from .spots import (
    ID_SIZE,
    LINE,
    NAME_SIZE,
    chip_width,
    id_middle,
    name_lines,
    shown_values,
    spots,
    value_width,
)
from .svg import caption, circle, halo_label, label, polyline_path, tag, text_width

BATTLEMENTS = (
    *((-10, 8), (-10, -7), (-5, -7), (-5, -2), (-2.5, -2), (-2.5, -7)),
    *((2.5, -7), (2.5, -2), (5, -2), (5, -7), (10, -7), (10, 8)),
)
EXTRA = 16.0
"""Radius of tokens and icons outside the slots."""


def texts(h: BoardHex, layout: str, owners: Mapping[str, Owner]) -> str:
    """Everything written on a hex. Terrain is shown until a tile without terrain lies there."""
    extras = _extras(h)
    places = spots(h.design, layout, h.rotation, h.name, h.label, extras)
    parts = [_corner_texts(h, layout)]
    for index, values in shown_values(h.design).items():
        parts.append(_value(places[f"value:{index}"], values))
    if h.label:
        parts.append(halo_label(places["label"], h.label, 22, INK, class_="label", font_weight="bold"))
    if "cost" in places:
        parts.append(_terrain(places["cost"], h.design.terrain, h.design.cost))
    if h.name:
        parts.append(_name(places["name"], h.name))
    for key, _, _ in extras:
        parts.append(_extra(h, key, places[key], owners))
    return tag("g", parts, data_hex=h.id, transform=f"translate({h.center.real:.1f} {h.center.imag:.1f})")


def _extras(h: BoardHex) -> tuple[tuple[str, float, float], ...]:
    boxes: list[tuple[str, float, float]] = []
    cities = [index for index, node in enumerate(h.design.nodes) if node.kind == "city"]
    for number, index in enumerate(cities):
        if number < len(h.cities) and h.cities[number].extra:
            boxes.append((f"extra:{index}", 2 * EXTRA * len(h.cities[number].extra), 2 * EXTRA))
    if h.icons:
        boxes.append(("icons", 26.0 * min(len(h.icons), 4), 26.0 * ((len(h.icons) + 3) // 4)))
    if h.reserved:
        boxes.append(("reserved", text_width(_kept(h), 13), 14))
    if h.future_label:
        boxes.append(("future", text_width(h.future_label[0], 15) + 12, 20))
    return tuple(boxes)


def _kept(h: BoardHex) -> str:
    return " ".join(h.reserved)


def _corner_texts(h: BoardHex, layout: str) -> str:
    """The hex's id, and the number of a laid tile in the opposite corner."""
    spot = id_middle(layout)
    parts = [label(spot, h.id, ID_SIZE, fill=INK, fill_opacity=0.6, class_="hex-id")]
    if h.tile:
        size = min(ID_SIZE, ID_SIZE * 36 / max(1, text_width(f"#{h.tile}", ID_SIZE)))
        parts.append(label(-spot, f"#{h.tile}", size, fill=INK, fill_opacity=0.6, class_="tile-number"))
    return "".join(parts)


def _name(middle: complex, name: str) -> str:
    lines = name_lines(name)
    top = middle - 0.5j * LINE * (len(lines) - 1)
    written = [halo_label(top + 1j * LINE * i, text, NAME_SIZE, INK) for i, text in enumerate(lines)]
    return tag("g", written, class_="name")


def _value(middle: complex, values: list[tuple[str, str]]) -> str:
    width = value_width(values)
    if len(values) == 1 and not values[0][0]:
        text = values[0][1]
        plate = tag(
            "rect",
            x=middle.real - width / 2,
            y=middle.imag - 12,
            width=width,
            height=24,
            rx=12,
            fill="#fff",
            stroke=INK,
            stroke_width=1.2,
        )
        return tag("g", [plate, label(middle, text, 14.5, fill=INK, font_weight="bold")], class_="value")
    parts = []
    left = middle.real - width / 2
    for color, text in values:
        box = chip_width(text)
        parts.append(
            tag(
                "rect",
                x=left,
                y=middle.imag - 11,
                width=box,
                height=22,
                fill=VALUE_FILL.get(color, "#fff"),
                stroke=INK,
                stroke_width=1.2,
            )
        )
        parts.append(label(complex(left + box / 2, middle.imag), text, 13.5, fill=INK, font_weight="bold"))
        left += box
    return tag("g", parts, class_="value")


def _terrain(middle: complex, terrain: tuple[str, ...], cost: int) -> str:
    text = str(cost) if cost else ""
    width = len(terrain) * 24 + text_width(text, 16)
    left = middle.real - width / 2
    parts = [caption(" and ".join(terrain) or "terrain")]
    for kind in terrain:
        parts.append(_terrain_sign(kind, complex(left + 11, middle.imag)))
        left += 24
    if text:
        here = complex(left + text_width(text, 16) / 2, middle.imag)
        parts.append(halo_label(here, text, 16, INK, font_weight="bold"))
    return tag("g", parts, class_="terrain")


def _terrain_sign(kind: str, middle: complex) -> str:
    """A small drawing: peaks, waves or battlements; a dot for terrain without one."""
    if kind == "mountain":
        peaks = [middle + complex(x, y) for x, y in ((-10, 7), (-3, -8), (2, 1), (5, -3), (10, 7))]
        return tag("path", d=polyline_path(peaks) + "Z", fill=MOUNTAIN, stroke="#fff", stroke_width=0.8)
    if kind == "water":
        waves = [f"M{middle.real - 10:.1f},{middle.imag + y:.1f}q2.5,-5 5,0t5,0t5,0t5,0" for y in (-4.0, 1.5, 7.0)]
        return tag("path", d="".join(waves), fill="none", stroke=WATER, stroke_width=2.4)
    if kind == "wall":
        d = polyline_path([middle + complex(x, y) for x, y in BATTLEMENTS]) + "Z"
        return tag("path", d=d, fill="#9a8f82", stroke=INK, stroke_width=1)
    return circle(middle, 5, fill=FAINT)


def _extra(h: BoardHex, key: str, middle: complex, owners: Mapping[str, Owner]) -> str:
    word, _, node = key.partition(":")
    if word == "extra":
        standing = h.cities[h.design.nodes[int(node)].city].extra
        left = middle - EXTRA * (len(standing) - 1)
        return "".join(token(left + 2 * EXTRA * i, EXTRA, sym, owners) for i, sym in enumerate(standing))
    if word == "icons":
        return "".join(_icon(middle, i, h.icons, owners) for i in range(len(h.icons)))
    if word == "future" and h.future_label:
        text, color = h.future_label
        plate = chip(middle, text, VALUE_FILL.get(color, "#fff"), FAINT, INK, 13)
        return tag("g", [caption(f"label {text} from {color} on"), plate], class_="future-label")
    written = halo_label(middle, _kept(h), 13, FAINT, font_style="italic")
    return tag("g", [caption("kept for " + ", ".join(h.reserved)), written], class_="reservation")


def _icon(middle: complex, index: int, icons: tuple[str, ...], owners: Mapping[str, Owner]) -> str:
    row, column = divmod(index, 4)
    in_row = min(4, len(icons) - 4 * row)
    rows = (len(icons) + 3) // 4
    here = middle + complex(26 * (column - (in_row - 1) / 2), 26 * (row - (rows - 1) / 2))
    name = icons[index]
    if name in owners:
        drawn = token(here, 12, name, owners)
    elif name == "ferry_marker":
        hull = tag(
            "path",
            d=polyline_path([here + complex(x, y) for x, y in ((-10, 2), (10, 2), (6, 9), (-6, 9))]) + "Z",
            fill=INK,
        )
        sail = polyline_path([here + complex(x, y) for x, y in ((-1, -10), (-1, 0), (7, 0))]) + "Z"
        drawn = hull + tag("path", d=sail, fill="#fff", stroke=INK, stroke_width=1.2)
    elif name == "closed":
        drawn = circle(here, 10, fill="#fff", stroke="#c3202f", stroke_width=3.5)
        drawn += tag(
            "path",
            d=polyline_path([here + complex(-6.5, 6.5), here + complex(6.5, -6.5)]),
            stroke="#c3202f",
            stroke_width=3.5,
        )
    else:
        drawn = chip(here, name, "#fff", FAINT, INK, 11)
    return tag("g", [caption(name.replace("_", " ")), drawn], class_="icon", data_icon=name)
