"""The board as one operator's trains see it: stops with tokens, blocks and values, made on first use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..board.map import Map
from ..board.tiles import PlacedTile
from ..state import Corporation, GameState
from .track import Stop

if TYPE_CHECKING:
    from .rules import RouteRules


class RunContext:
    """Everything the route rules ask about one run. Must not outlive a change of the state."""

    def __init__(self, map: Map, state: GameState, sym: str, rules: RouteRules) -> None:
        self.map = map
        self.state = state
        self.sym = sym
        self.rules = rules
        self.colors = rules.colors(state)
        self._tiles: dict[str, PlacedTile] = {}
        self._stops: dict[tuple[str, int], Stop] = {}

    @property
    def corporation(self) -> Corporation:
        return self.state.corporations[self.sym]

    def tile(self, hex_id: str) -> PlacedTile:
        """The tile on a hex now."""
        tile = self._tiles.get(hex_id)
        if tile is None:
            tile = self._tiles[hex_id] = self.map.tile_at(self.state, hex_id)
        return tile

    def stop(self, hex_id: str, index: int) -> Stop:
        """The stop at node ``index`` of the tile on a hex; the same object every time."""
        stop = self._stops.get((hex_id, index))
        if stop is None:
            stop = self._stops[hex_id, index] = self._make(hex_id, index)
        return stop

    def token_hexes(self) -> list[str]:
        """Hexes with a token of the operator, in map order."""
        return sorted(
            hex_id
            for hex_id, on_hex in self.state.board.items()
            if any(self.sym in city.slots or self.sym in city.extra for city in on_hex.cities)
        )

    def _make(self, hex_id: str, index: int) -> Stop:
        node = self.tile(hex_id).nodes[index]
        stop = Stop(hex_id, node, node.is_city and self._has_token(hex_id, node.city_index))
        stop.blocked = self.rules.blocked(self, stop)
        stop.value = self.rules.base_value(self, stop)
        return stop

    def _has_token(self, hex_id: str, city_index: int) -> bool:
        on_hex = self.state.board.get(hex_id)
        if on_hex is None or city_index >= len(on_hex.cities):
            return False
        city = on_hex.cities[city_index]
        return self.sym in city.slots or self.sym in city.extra
