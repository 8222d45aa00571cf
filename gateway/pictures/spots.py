"""Free places for the texts of a hex: values, label, terrain cost, name and markers avoid track, cities and
each other.

Every text is a box with an anchor it likes to be near. Boxes are placed one after the other at the cheapest
of a fixed set of positions. Results are cached, since most hexes repeat and a board changes little between
two pictures.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import lru_cache

from .design import Design
from .geometry import corner, inside, samples
from .placement import Layout, discs, place
from .svg import text_width

NAME_SIZE = 15.5
ID_SIZE = 11.5
LINE = 16.5
_POLAR = [0j] + [
    radius * complex(math.cos(math.radians(angle)), math.sin(math.radians(angle)))
    for radius in (14, 24, 34, 43, 51, 58, 65, 72)
    for angle in range(90, 450, 15)
]


Obstacle = tuple[float, float, float]
"""A point (x, y) and how near a text may not come."""


@dataclass(frozen=True)
class Box:
    """Something to place: its size, where it wants to be and how much it minds distance and covered track."""

    key: str
    width: float
    height: float
    anchor: complex = 0j
    pull: float = 0.15
    track_weight: float = 1.0


@dataclass(frozen=True)
class Placed:
    middle: complex
    width: float
    height: float


def value_texts(design: Design, index: int) -> list[tuple[str, str]]:
    """The (color, value) boxes of a node; empty when it has nothing to show."""
    node = design.nodes[index]
    if all(value == 0 for _, value in node.revenue):
        return []
    return [(color, str(value)) for color, value in node.revenue]


def shown_values(design: Design) -> dict[int, list[tuple[str, str]]]:
    """Values to print by node. Equal values of several nodes are printed once, at the first node."""
    values = {i: value_texts(design, i) for i, node in enumerate(design.nodes) if node.show_value}
    values = {i: texts for i, texts in values.items() if texts}
    fixed = len(values) > 1 and len(values) == len(design.nodes)
    if fixed and len({tuple(texts) for texts in values.values()}) == 1 and design.nodes[0].kind != "offboard":
        first = min(values)
        return {first: values[first]}
    return values


def value_width(texts: list[tuple[str, str]]) -> float:
    """Width of a node's value: a disc for one fixed value, a row of boxes for values by color."""
    if len(texts) == 1 and not texts[0][0]:
        return 24 + max(0, len(texts[0][1]) - 2) * 8
    return sum(chip_width(text) for _, text in texts)


def chip_width(text: str) -> float:
    return 11 + 7.5 * len(text)


def name_lines(name: str) -> list[str]:
    """A name in lines of about fourteen letters; ``A & B`` breaks before the ampersand."""
    lines: list[str] = []
    for half in name.replace(" & ", "\n& ").split("\n"):
        current = ""
        for word in _words(half):
            joined = current + word if current.endswith("-") else f"{current} {word}".strip()
            if current and len(joined) > 14:
                lines.append(current)
                current = word
            else:
                current = joined
        if current:
            lines.append(current)
    if len(lines) == 2 and len(name) <= 15:
        return [name]
    return lines


def _words(text: str) -> list[str]:
    """Words of a name; a long one may be broken after its hyphens."""
    words: list[str] = []
    for word in text.split(" "):
        words.extend(re.findall("[^-]+-?|-", word) if len(word) > 17 else [word])
    return words


@lru_cache(maxsize=8192)
def spots(
    design: Design,
    layout: str,
    rotation: int,
    name: str,
    label: str,
    extras: tuple[tuple[str, float, float], ...],
) -> dict[str, complex]:
    """Middles of all texts of a hex by key: ``value:<node>``, ``label``, ``cost``, ``name`` and the keys of
    ``extras``.

    ``extras`` are further boxes as (key, width, height); a key ``<word>:<node>`` is placed near that node.
    """
    placed = place(design, layout, rotation)
    taken: list[Placed] = [
        Placed(id_middle(layout), 30, 12),
        Placed(-id_middle(layout), 30, 12),
    ]
    result: dict[str, complex] = {}
    circles, track = _obstacles(design, placed)
    for box in _boxes(design, placed, layout, name, label, extras):
        middle = _cheapest(box, layout, circles, track, taken)
        taken.append(Placed(middle, box.width, box.height))
        result[box.key] = middle
    return result


def id_middle(layout: str) -> complex:
    """Where the id of a hex is written: in a corner no track passes. The tile number stands opposite."""
    if layout == "flat":
        return complex(-34, -77)
    return corner(layout, 2) * 0.83


def _boxes(
    design: Design,
    placed: Layout,
    layout: str,
    name: str,
    label: str,
    extras: tuple[tuple[str, float, float], ...],
) -> list[Box]:
    boxes = []
    for index, texts in shown_values(design).items():
        anchor = placed.sites[index].position
        if design.nodes[index].kind == "city" and len(design.nodes) == 1:
            anchor = complex(0, -45)
        boxes.append(Box(f"value:{index}", value_width(texts), 24, anchor, 0.25, 2.5))
    if label:
        boxes.append(Box("label", text_width(label, 22) + 4, 22, complex(-60, 0), 0.1, 1.5))
    for key, width, height in extras:
        anchor = placed.sites[int(key.partition(":")[2])].position if ":" in key else 0j
        boxes.append(Box(key, width, height, anchor, 0.3, 0.6))
    if design.cost or design.terrain:
        text = str(design.cost) if design.cost else ""
        width = len(design.terrain) * 24 + text_width(text, 16)
        anchor = complex(0, 40 if design.nodes else 4)
        boxes.append(Box("cost", max(width, 20), 20, anchor, 0.12, 1.2))
    if name:
        lines = name_lines(name)
        width = max(text_width(text, NAME_SIZE) for text in lines)
        anchor = complex(0, -52) if layout == "flat" else complex(0, -56)
        boxes.append(Box("name", width, LINE * len(lines), anchor, 0.1, 0.5))
    return boxes


def _obstacles(design: Design, placed: Layout) -> tuple[list[Obstacle], list[Obstacle]]:
    """What a text should not cover: the nodes, and points along the track."""
    circles = [
        (middle.real, middle.imag, radius + 3)
        for node, site in zip(design.nodes, placed.sites, strict=True)
        if node.kind != "offboard"
        for middle, radius in discs(site)
    ]
    track: list[Obstacle] = []
    for piece, curve in zip(design.track, placed.curves, strict=True):
        run = samples(curve, 11)
        if any(design.nodes[n].kind == "offboard" for n in piece.nodes):
            run = run[:6] if piece.a < 6 else run[5:]
        track.extend((p.real, p.imag, 8.0) for p in run)
    return circles, track


def _cheapest(box: Box, layout: str, circles: list[Obstacle], track: list[Obstacle], taken: list[Placed]) -> complex:
    options = sorted(
        ((abs(p - box.anchor) * box.pull, i, p) for i, p in enumerate([*_POLAR, box.anchor])),
        key=lambda option: option[:2],
    )
    best_cost, best = math.inf, 0j
    for preference, _, middle in options:
        if preference >= best_cost:
            break
        cost = preference + _outside(box, middle, layout) + _overlap(box, middle, taken)
        for obstacles, weight in ((circles, 5.0), (track, box.track_weight)):
            if cost < best_cost:
                cost += weight * _covered(box, middle, obstacles)
        if cost < best_cost:
            best_cost, best = cost, middle
    return best


def _outside(box: Box, middle: complex, layout: str) -> float:
    """Cost of corners of a box that leave the hex."""
    half = complex(box.width, box.height) / 2
    ends = (middle - half, middle + half, middle - half.conjugate(), middle + half.conjugate())
    return sum(max(0.0, 3 - inside(layout, end)) * 3 for end in ends)


def _overlap(box: Box, middle: complex, taken: list[Placed]) -> float:
    """Cost of covering texts that are placed already."""
    cost = 0.0
    for other in taken:
        over_x = (box.width + other.width) / 2 + 2 - abs(middle.real - other.middle.real)
        over_y = (box.height + other.height) / 2 + 1 - abs(middle.imag - other.middle.imag)
        if over_x > 0 and over_y > 0:
            cost += min(over_x, over_y) * 6
    return cost


def _covered(box: Box, middle: complex, obstacles: list[Obstacle]) -> float:
    """How far obstacles reach into a box, in total."""
    half_w, half_h = box.width / 2, box.height / 2
    cost = 0.0
    for x, y, reach in obstacles:
        dx = abs(x - middle.real) - half_w
        dy = abs(y - middle.imag) - half_h
        if dx < reach and dy < reach:
            gap = math.hypot(dx if dx > 0 else 0, dy if dy > 0 else 0)
            if gap < reach:
                cost += reach - gap
    return cost
