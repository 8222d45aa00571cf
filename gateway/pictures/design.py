"""What lies on the map, read from JSON into small immutable values that can be compared, hashed and cached.

Track notation: ``"0-3"`` joins two edges, ``"0-a"`` an edge and the first node, ``"a-b"`` two nodes; a
trailing ``!`` marks a terminal piece. An *end* is an int: 0-5 is an edge, ``NODE + i`` the i-th node of the
tile.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from .geometry import center, coordinates, offsets
from .palette import safe_color

Json = Mapping[str, Any]
NODE = 8


@dataclass(frozen=True)
class Node:
    """A revenue center of a tile. ``revenue`` is (color, value) pairs; one pair with an empty color is a
    fixed value.
    """

    kind: str
    revenue: tuple[tuple[str, int], ...]
    slots: int
    bearing: float | None
    ref: int
    city: int
    """Position among the cities of the tile, -1 for other nodes."""
    group: str
    show_value: bool


@dataclass(frozen=True)
class Track:
    """A piece of track between two ends of an unrotated tile."""

    a: int
    b: int
    terminal: bool

    @property
    def edges(self) -> tuple[int, ...]:
        return tuple(end for end in (self.a, self.b) if end < NODE)

    @property
    def nodes(self) -> tuple[int, ...]:
        return tuple(end - NODE for end in (self.a, self.b) if end >= NODE)


@dataclass(frozen=True)
class Design:
    """A tile or the print of a hex, unrotated."""

    color: str
    nodes: tuple[Node, ...]
    track: tuple[Track, ...]
    label: str
    cost: int
    terrain: tuple[str, ...]


@dataclass(frozen=True)
class Border:
    edge: int
    kind: str
    cost: int


@dataclass(frozen=True)
class CityTokens:
    """What stands in a city: syms by slot, tokens outside the slots, and syms the slots are kept for."""

    slots: tuple[str | None, ...] = ()
    extra: tuple[str, ...] = ()
    reserved: tuple[str | None, ...] = ()


@dataclass(frozen=True)
class BoardHex:
    """One hex as it is now. ``tile`` is the laid tile as ``name``, empty while the print is in view."""

    id: str
    x: int
    y: int
    center: complex
    name: str
    design: Design
    rotation: int
    tile: str
    label: str
    future_label: tuple[str, str] | None
    cities: tuple[CityTokens, ...]
    reserved: tuple[str, ...]
    borders: tuple[Border, ...]
    icons: tuple[str, ...]
    stubs: tuple[int, ...]
    dividers: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Owner:
    """How an operating company's marker looks."""

    name: str
    color: str
    text_color: str


@dataclass(frozen=True)
class Board:
    """The whole map: hexes by id, neighbors by hex and edge, and the looks of the companies."""

    layout: str
    letters: str
    hexes: dict[str, BoardHex]
    adjacent: dict[str, dict[int, str]] = field(hash=False)
    owners: dict[str, Owner] = field(hash=False)


def read_track(text: str) -> Track:
    """One piece of track notation; raises ValueError when it is not one."""
    ends = []
    for piece in text.rstrip("!").split("-"):
        if len(piece) == 1 and piece in "012345":
            ends.append(int(piece))
        elif len(piece) == 1 and "a" <= piece <= "h":
            ends.append(NODE + ord(piece) - ord("a"))
        else:
            raise ValueError(f"{text!r} is not track notation")
    if len(ends) != 2:
        raise ValueError(f"{text!r} is not track notation")
    return Track(ends[0], ends[1], text.endswith("!"))


def read_design(data: Json) -> Design:
    """A tile or printed hex of a title."""
    nodes: list[Node] = []
    cities = 0
    for index, node in enumerate(data.get("nodes", ())):
        kind = node["kind"]
        revenue = node.get("revenue", 0)
        values = tuple(revenue.items()) if isinstance(revenue, Mapping) else (("", int(revenue)),)
        nodes.append(
            Node(
                kind=kind,
                revenue=values,
                slots=int(node.get("slots", 1)) if kind == "city" else 0,
                bearing=node.get("at"),
                ref=index if node.get("ref") is None else node["ref"],
                city=cities if kind == "city" else -1,
                group=node.get("group") or "",
                show_value=node.get("show_value", True),
            )
        )
        cities += kind == "city"
    return Design(
        color=data["color"],
        nodes=tuple(nodes),
        track=tuple(read_track(text) for text in data.get("track", ())),
        label=data.get("label") or "",
        cost=data.get("cost", 0),
        terrain=tuple(data.get("terrain", ())),
    )


def read_owners(title: Json) -> dict[str, Owner]:
    """Looks of the corporations and minors of a title by sym."""
    owners = {}
    for table in ("corporations", "minors"):
        for sym, data in (title.get(table) or {}).items():
            owners[sym] = Owner(
                name=data.get("name", sym),
                color=safe_color(data.get("color", ""), "#888888"),
                text_color=safe_color(data.get("text_color", ""), "#ffffff"),
            )
    return owners


def read_board(title: Json, view: Json) -> Board:
    """The map of ``title`` with the state of ``view`` on it; without a state it is the printed map with its
    homes.
    """
    world = title["map"]
    layout, letters = world["layout"], world["letters"]
    state = view.get("state")
    on_map = (state.get("board") or {}) if state else _homes(title)
    hexes = {}
    for hex_id, printed in world["hexes"].items():
        hexes[hex_id] = _read_hex(hex_id, printed, on_map.get(hex_id), title, layout, letters)
    return Board(layout, letters, hexes, _adjacency(layout, hexes), read_owners(title))


def _homes(title: Json) -> dict[str, Any]:
    """Reservations of a game that has not begun: every corporation's homes."""
    kept: dict[str, Any] = {}
    for table in ("corporations", "minors"):
        for sym, data in (title.get(table) or {}).items():
            for hex_id in data.get("home", ()):
                printed = title["map"]["hexes"].get(hex_id)
                if printed is None:
                    continue
                entry = kept.setdefault(hex_id, {"borders": printed.get("borders", [])} | _no_tokens(printed))
                cities = entry["cities"]
                city = 0 if len(cities) == 1 else data.get("home_city")
                if city is None or city >= len(cities):
                    entry["reserved"].append(sym)
                else:
                    cities[city]["reserved"].append(sym)
    return kept


def _no_tokens(printed: Json) -> dict[str, Any]:
    slots = [node.get("slots", 1) for node in printed.get("nodes", ()) if node["kind"] == "city"]
    return {
        "reserved": [],
        "icons": printed.get("icons", []),
        "cities": [{"slots": [None] * count, "reserved": []} for count in slots],
    }


def _read_hex(hex_id: str, printed: Json, current: Json | None, title: Json, layout: str, letters: str) -> BoardHex:
    x, y = coordinates(hex_id, letters)
    now: Json = {"borders": printed.get("borders", []), "icons": printed.get("icons", [])}
    if current is not None:
        now = current
    tile = now.get("tile") or ""
    design = read_design(printed)
    if tile:
        # A tile the data lacks (a variant's, say) is shown by its number, with the printed cities.
        known = title["tiles"].get(tile)
        design = read_design(known) if known is not None else replace(design, track=(), cost=0, terrain=())
    future = now.get("future_label") if current is not None else None
    if current is None and printed.get("future_label"):
        future = (printed["future_label"]["label"], printed["future_label"]["color"])
    return BoardHex(
        id=hex_id,
        x=x,
        y=y,
        center=center(layout, x, y),
        name=printed.get("name", ""),
        design=design,
        rotation=now.get("rotation", 0) if tile else 0,
        tile=tile,
        label=now.get("label") or design.label,
        future_label=(future[0], future[1]) if future else None,
        cities=tuple(
            _read_city(city, node.slots)
            for city, node in zip(now.get("cities", ()), (n for n in design.nodes if n.kind == "city"), strict=False)
        ),
        reserved=tuple(now.get("reserved", ())),
        borders=tuple(_read_border(border) for border in now.get("borders", ())),
        icons=tuple(now.get("icons", ())),
        stubs=() if tile else tuple(printed.get("stubs", ())),
        dividers=tuple((a, b) for a, b in printed.get("dividers", ())),
    )


def _read_city(city: Json, slots: int) -> CityTokens:
    """Tokens of a city; those beyond its printed ``slots`` (a split city, say) stand outside."""
    standing = tuple(city.get("slots", ()))
    return CityTokens(
        slots=standing[:slots],
        extra=(*(sym for sym in standing[slots:] if sym), *city.get("extra", ())),
        reserved=tuple(city.get("reserved", ())),
    )


def _read_border(border: Any) -> Border:
    """A border as printed (a table) or as in a state (a row)."""
    if isinstance(border, Mapping):
        return Border(border["edge"], border["kind"], border.get("cost", 0))
    edge, kind, cost = border
    return Border(edge, kind, cost)


def _adjacency(layout: str, hexes: Mapping[str, BoardHex]) -> dict[str, dict[int, str]]:
    by_position = {(h.x, h.y): h.id for h in hexes.values()}
    adjacent = {}
    for h in hexes.values():
        around = {}
        for edge, (dx, dy) in enumerate(offsets(layout)):
            other = by_position.get((h.x + dx, h.y + dy))
            if other is not None:
                around[edge] = other
        adjacent[h.id] = around
    return adjacent
