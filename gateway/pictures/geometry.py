"""Where hexes stand and how track bends, in map units. Points are complex numbers: x to the right, y down.

A hex has sides of :data:`SIDE` units. Edges 0-5 run clockwise as in the rules: edge 0 is the bottom of a
flat-topped hex and the lower left of a pointy one. A *bearing* is a fractional edge number, so 0.5 points
at the corner between edges 0 and 1.
"""

from __future__ import annotations

import cmath
import math
import re
from functools import lru_cache

SIDE = 100.0
APOTHEM = SIDE * math.sqrt(3) / 2
FLAT_OFFSETS = ((0, 2), (-1, 1), (-1, -1), (0, -2), (1, -1), (1, 1))
POINTY_OFFSETS = ((-1, 1), (-2, 0), (-1, -1), (1, -1), (2, 0), (1, 1))

Curve = tuple[complex, complex, complex, complex]
"""A cubic Bézier curve: start, two control points, end."""

_ID = re.compile(r"([A-Za-z]+)(\d+)")
_CURVE_REACH = {1: 38.49, 2: 53.59, 3: APOTHEM * 2 / 3}
"""Distance of the control points that makes a curve between edges 1, 2 or 3 apart a true arc."""


def letter_index(letters: str) -> int:
    """A=0 .. Z=25, AA=26 ..; lower-case letters are negative (a=-1)."""
    if letters.islower():
        return ord("a") - ord(letters[0]) - 1
    value = 0
    for letter in letters:
        value = value * 26 + ord(letter) - ord("A") + 1
    return value - 1


def coordinates(hex_id: str, letters: str) -> tuple[int, int]:
    """Doubled (x, y) of a hex; ``letters`` is the axis ("x" or "y") named by the letter part of the id."""
    match = _ID.fullmatch(hex_id)
    if match is None:
        raise ValueError(f"{hex_id!r} is not a hex id")
    letter, row = letter_index(match[1]), int(match[2]) - 1
    return (letter, row) if letters == "x" else (row, letter)


def center(layout: str, x: int, y: int) -> complex:
    """Middle of the hex with doubled coordinates (x, y)."""
    if layout == "flat":
        return complex(x * SIDE * 1.5, y * APOTHEM)
    return complex(x * APOTHEM, y * SIDE * 1.5)


def offsets(layout: str) -> tuple[tuple[int, int], ...]:
    """Steps of doubled coordinates across edges 0-5."""
    return FLAT_OFFSETS if layout == "flat" else POINTY_OFFSETS


@lru_cache(maxsize=256)
def direction(layout: str, bearing: float) -> complex:
    """Unit vector from the middle of a hex towards a bearing."""
    first = 90 if layout == "flat" else 120
    return cmath.rect(1, math.radians(first + 60 * bearing))


def edge_middle(layout: str, edge: int) -> complex:
    """Middle of an edge relative to the middle of the hex."""
    return direction(layout, edge) * APOTHEM


def corner(layout: str, after: int) -> complex:
    """Corner between edges ``after`` and ``after + 1``."""
    return direction(layout, after + 0.5) * SIDE


def corners(layout: str) -> list[complex]:
    """The six corners; edge e runs from corner e-1 to corner e."""
    return [corner(layout, e) for e in range(6)]


def edge_curve(layout: str, a: int, b: int) -> Curve:
    """Track between two edges: straight, a wide arc or a tight arc, always square to the edges."""
    apart = min((a - b) % 6, (b - a) % 6)
    reach = _CURVE_REACH.get(apart, 0.0)
    start, end = edge_middle(layout, a), edge_middle(layout, b)
    return (start, start - direction(layout, a) * reach, end - direction(layout, b) * reach, end)


def node_curve(layout: str, edge: int, node: complex, tangent: complex | None) -> Curve:
    """Track from an edge to a node, entering it along ``tangent`` (either way) when one is given."""
    start = edge_middle(layout, edge)
    inward = -direction(layout, edge)
    gap = node - start
    reach = abs(gap) * 0.4
    bend = start + inward * reach
    if tangent is None:
        return (start, bend, node + (bend - node) * 0.35, node)
    along = tangent if (gap * tangent.conjugate()).real >= 0 else -tangent
    return (start, bend, node - along * reach, node)


def straight(a: complex, b: complex) -> Curve:
    return (a, a + (b - a) / 3, b - (b - a) / 3, b)


def at(curve: Curve, t: float) -> complex:
    """Point of a curve, ``t`` from 0 to 1."""
    p, q, r, s = curve
    u = 1 - t
    return u * u * u * p + 3 * u * u * t * q + 3 * u * t * t * r + t * t * t * s


def tangent_at(curve: Curve, t: float) -> complex:
    """Unit vector along a curve at ``t``."""
    p, q, r, s = curve
    u = 1 - t
    slope = u * u * (q - p) + 2 * u * t * (r - q) + t * t * (s - r)
    if abs(slope) < 1e-9:
        slope = s - p
    return slope / abs(slope) if abs(slope) > 1e-9 else 1 + 0j


def part(curve: Curve, start: float, end: float) -> Curve:
    """The piece of a curve between two parameters."""
    p, q = at(curve, start), at(curve, end)
    reach = (end - start) / 3
    return (p, p + _slope(curve, start) * reach, q - _slope(curve, end) * reach, q)


def _slope(curve: Curve, t: float) -> complex:
    p, q, r, s = curve
    u = 1 - t
    return 3 * (u * u * (q - p) + 2 * u * t * (r - q) + t * t * (s - r))


def samples(curve: Curve, count: int) -> list[complex]:
    """``count`` points of a curve, both ends included."""
    return [at(curve, i / (count - 1)) for i in range(count)]


def inside(layout: str, position: complex) -> float:
    """How far a point lies inside the hex: distance to the nearest edge, negative outside."""
    return min(APOTHEM - (position * direction(layout, edge).conjugate()).real for edge in range(6))
