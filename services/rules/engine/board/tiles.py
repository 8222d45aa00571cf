"""Tiles and their rotated forms, compiled once per title from the data files (core section 5).

An *end* of a path is an int: 0-5 is a hex edge, ``NODE + i`` the i-th node of the tile.
"""

from __future__ import annotations

from functools import cached_property

from ..data import HexData, NodeData, TileData, TitleDataError

NODE = 8
COLORS = ("white", "yellow", "green", "brown", "gray")
FIXED_COLORS = ("gray", "red", "blue")


class Node:
    """A revenue center of a tile: ``index`` counts all nodes, ``ref`` is its number in ids, ``city_index`` cities."""

    __slots__ = (
        "at",
        "city_index",
        "group",
        "index",
        "kind",
        "max_revenue",
        "ref",
        "revenue",
        "slots",
        "visit_cost",
    )

    def __init__(self, data: NodeData, index: int, city_index: int) -> None:
        self.kind = data.kind
        self.revenue = data.revenue
        self.slots = data.slots if data.kind == "city" else 0
        self.group = data.group
        self.visit_cost = data.visit_cost
        self.index = index
        self.ref = index if data.ref is None else data.ref
        self.city_index = city_index
        self.at = data.at
        self.max_revenue = data.revenue if isinstance(data.revenue, int) else max(data.revenue.values())

    @property
    def is_city(self) -> bool:
        return self.kind == "city"


class Path:
    """A piece of track between two ends; ``index`` is its position in the tile's list."""

    __slots__ = ("a", "b", "index", "terminal")

    def __init__(self, a: int, b: int, terminal: bool, index: int) -> None:
        self.a = a
        self.b = b
        self.terminal = terminal
        self.index = index

    @property
    def ends(self) -> tuple[int, int]:
        return (self.a, self.b)

    @property
    def edges(self) -> tuple[int, ...]:
        return tuple(e for e in (self.a, self.b) if e < NODE)

    @property
    def nodes(self) -> tuple[int, ...]:
        return tuple(e - NODE for e in (self.a, self.b) if e >= NODE)

    def other(self, end: int) -> int:
        return self.b if end == self.a else self.a

    def rotated(self, rotation: int) -> Path:
        def turn(end: int) -> int:
            return end if end >= NODE else (end + rotation) % 6

        return Path(turn(self.a), turn(self.b), self.terminal, self.index)


def parse_track(text: str, nodes: int, index: int) -> Path:
    """Read one piece of track notation (see ``engine.data``); raises :class:`TitleDataError`."""
    terminal = text.endswith("!")
    parts = text.rstrip("!").split("-")
    ends = []
    for part in parts:
        if part.isdigit() and int(part) < 6:
            ends.append(int(part))
        elif len(part) == 1 and "a" <= part <= "h" and ord(part) - ord("a") < nodes:
            ends.append(NODE + ord(part) - ord("a"))
        else:
            raise TitleDataError(f"track {text!r}: {part!r} is neither an edge nor a node of the tile")
    if len(ends) != 2:
        raise TitleDataError(f"track {text!r}: a piece of track has two ends")
    return Path(ends[0], ends[1], terminal, index)


class PlacedTile:
    """A tile in one rotation: everything the rules ask about what lies on a hex. Immutable and shared."""

    def __init__(self, tile: Tile, rotation: int) -> None:
        self.tile = tile
        self.name = tile.name
        self.color = tile.color
        self.label = tile.label
        self.cost = tile.cost
        self.rotation = rotation
        self.nodes = tile.nodes
        self.paths = [path.rotated(rotation) for path in tile.base_paths]

    @cached_property
    def cities(self) -> list[Node]:
        return [node for node in self.nodes if node.kind == "city"]

    @cached_property
    def towns(self) -> list[Node]:
        return [node for node in self.nodes if node.kind == "town"]

    @cached_property
    def exits(self) -> frozenset[int]:
        return frozenset(edge for path in self.paths for edge in path.edges)

    @cached_property
    def paths_at(self) -> dict[int, list[Path]]:
        """Paths by end."""
        result: dict[int, list[Path]] = {}
        for path in self.paths:
            for end in path.ends:
                result.setdefault(end, []).append(path)
        return result

    @cached_property
    def node_edges(self) -> list[frozenset[int]]:
        """For every node the edges its paths lead to."""
        edges: list[set[int]] = [set() for _ in self.nodes]
        for path in self.paths:
            for node in path.nodes:
                edges[node].update(path.edges)
        return [frozenset(e) for e in edges]

    def city(self, city_index: int) -> Node:
        return self.cities[city_index]

    def node_by_ref(self, ref: int) -> Node | None:
        return next((node for node in self.nodes if node.ref == ref), None)


class Tile:
    """A tile design: the print of a hex, or one kind of tile of the supply."""

    def __init__(self, name: str, data: TileData | HexData) -> None:
        self.name = name
        self.color = data.color
        self.label = data.label
        self.cost = data.cost
        self.terrain = data.terrain
        self.printed = isinstance(data, HexData)
        self.count = None if isinstance(data, HexData) else data.count
        self.hidden = False if isinstance(data, HexData) else data.hidden
        cities = 0
        self.nodes: list[Node] = []
        for index, node in enumerate(data.nodes):
            self.nodes.append(Node(node, index, cities if node.kind == "city" else -1))
            cities += node.kind == "city"
        self.base_paths = [parse_track(text, len(self.nodes), i) for i, text in enumerate(data.track)]
        self._placed: list[PlacedTile | None] = [None] * 6

    def rotated(self, rotation: int) -> PlacedTile:
        placed = self._placed[rotation]
        if placed is None:
            placed = self._placed[rotation] = PlacedTile(self, rotation)
        return placed
