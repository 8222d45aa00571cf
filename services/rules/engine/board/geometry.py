"""Hexes, edges and distances (core section 4).

A hex id is a letter part and a number. Coordinates are doubled: neighbours differ by (0, 2) or (1, 1) on a flat map
and by (2, 0) or (1, 1) on a pointy one. Edges 0-5 run clockwise.
"""

from __future__ import annotations

import re

from ..data import MapData

FLAT_OFFSETS = ((0, 2), (-1, 1), (-1, -1), (0, -2), (1, -1), (1, 1))
POINTY_OFFSETS = ((-1, 1), (-2, 0), (-1, -1), (1, -1), (2, 0), (1, 1))
_ID = re.compile(r"^([A-Za-z]+)(\d+)$")


def opposite(edge: int) -> int:
    """The same side seen from the neighbouring hex."""
    return (edge + 3) % 6


def letter_index(letters: str) -> int:
    """A=0 .. Z=25, AA=26 ..; lower-case letters are negative (a=-1)."""
    if letters.islower():
        return -(ord(letters) - ord("a") + 1)
    value = 0
    for letter in letters:
        value = value * 26 + ord(letter) - ord("A") + 1
    return value - 1


def coordinates(hex_id: str, letters: str) -> tuple[int, int]:
    """Doubled (x, y) of a hex; ``letters`` is the axis ("x" or "y") named by the letter part."""
    match = _ID.match(hex_id)
    if match is None:
        raise ValueError(f"{hex_id!r} is not a hex id")
    letter, number = letter_index(match[1]), int(match[2]) - 1
    return (letter, number) if letters == "x" else (number, letter)


def offsets(layout: str) -> tuple[tuple[int, int], ...]:
    """Neighbour offsets (dx, dy) by edge."""
    return FLAT_OFFSETS if layout == "flat" else POINTY_OFFSETS


def distance(layout: str, a: tuple[int, int], b: tuple[int, int]) -> int:
    """Hexes between two coordinates as the crow flies (core 4); 0 for the same hex."""
    dx, dy = abs(a[0] - b[0]), abs(a[1] - b[1])
    if layout == "flat":
        return dx + max(0, (dy - dx) // 2)
    return dy + max(0, (dx - dy) // 2)


def positions(data: MapData) -> dict[str, tuple[int, int]]:
    """Coordinates of every hex of a map."""
    return {hex_id: coordinates(hex_id, data.letters) for hex_id in data.hexes}
