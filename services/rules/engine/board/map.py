"""The map of a title: printed hexes, who borders whom, and what lies on a hex in a given state (core 4, 5)."""

from __future__ import annotations

from ..data import TitleData
from ..state import City, GameState, Hex
from .geometry import distance, offsets, opposite, positions
from .tiles import FIXED_COLORS, Node, PlacedTile, Tile


class Map:
    """Static map of a title. Shared by all its games; every method takes the state it asks about."""

    def __init__(self, data: TitleData) -> None:
        self.data = data.map
        self.layout = data.map.layout
        self.positions = positions(data.map)
        self.printed = {hex_id: Tile(hex_id, h) for hex_id, h in data.map.hexes.items()}
        self.tiles = {name: Tile(name, t) for name, t in data.tiles.items()}
        by_position = {xy: hex_id for hex_id, xy in self.positions.items()}
        self.adjacent: dict[str, dict[int, str]] = {}
        for hex_id, (x, y) in self.positions.items():
            around = {}
            for edge, (dx, dy) in enumerate(offsets(self.layout)):
                other = by_position.get((x + dx, y + dy))
                if other is not None:
                    around[edge] = other
            self.adjacent[hex_id] = around
        self.by_print_id = {h.print_id: hex_id for hex_id, h in data.map.hexes.items()}

    def tile_at(self, state: GameState, hex_id: str) -> PlacedTile:
        """The tile that lies on a hex now."""
        on_hex = state.board.get(hex_id)
        if on_hex is None or on_hex.tile is None:
            return self.printed[hex_id].rotated(0)
        return self.tiles[on_hex.tile].rotated(on_hex.rotation)

    def tile_id(self, state: GameState, hex_id: str) -> str:
        """Id of the tile on a hex as actions name it (core 1.4)."""
        on_hex = state.board.get(hex_id)
        if on_hex is None or on_hex.tile is None:
            return self.data.hexes[hex_id].print_id
        return f"{on_hex.tile}-{on_hex.copy}"

    def neighbour(self, state: GameState, hex_id: str, edge: int) -> str | None:
        """The passable neighbour across an edge, or None (core 4, "Passable neighbours").

        Closed: nothing there, an impassable border on this side, or a hex printed gray, red or blue whose track
        (printed or laid since) does not reach this side. A gray tile of the supply closes nothing.
        """
        other = self.adjacent[hex_id].get(edge)
        if other is None:
            return None
        on_hex = state.board.get(hex_id)
        if on_hex is not None:
            for border in on_hex.borders:
                if border[0] == edge and border[1] == "impassable":
                    return None
        printed = self.printed[other]
        if printed.color in FIXED_COLORS:
            side = opposite(edge)
            if side not in printed.rotated(0).exits and side not in self.tile_at(state, other).exits:
                return None
        return other

    def hex_state(self, state: GameState, hex_id: str) -> Hex:
        """The mutable part of a hex, created on first use."""
        on_hex = state.board.get(hex_id)
        if on_hex is None:
            on_hex = state.board[hex_id] = new_hex(self.printed[hex_id].rotated(0))
        return on_hex

    def node(self, state: GameState, hex_id: str, ref: int) -> Node | None:
        return self.tile_at(state, hex_id).node_by_ref(ref)

    def distance(self, a: str, b: str) -> int:
        """Distance of two hexes as the crow flies."""
        return distance(self.layout, self.positions[a], self.positions[b])


def new_cities(tile: PlacedTile) -> list[City]:
    """Empty cities for a tile."""
    return [City(slots=[None] * node.slots) for node in tile.cities]


def new_hex(tile: PlacedTile) -> Hex:
    return Hex(cities=new_cities(tile))
