"""Track of 1888: the private companies' own tiles and the sea between Dalian and Yantai (1888 section 5)."""

from __future__ import annotations

from collections.abc import Mapping

from ...engine.board.geometry import opposite
from ...engine.board.map import Map
from ...engine.board.tiles import PlacedTile, Tile
from ...engine.board.track_rules import TrackRules
from ...engine.board.upgrades import FutureLabel
from ...engine.state import GameState


class TrackRules1888(TrackRules):
    """Upgrades need not be useful; a company's tile goes on its own printed hex, whatever its color, and nowhere else.

    ``company_tiles`` maps such tiles to their hexes. ``sea_link`` is an edge of a hex that a ferry tile may point
    to although the other side has no track yet: the two ferry tiles are laid one after the other (1888 5.5).
    """

    def __init__(self, board: Map, company_tiles: Mapping[str, str], sea_link: tuple[str, int]) -> None:
        super().__init__(board)
        self.company_tiles = company_tiles
        hex_id, edge = sea_link
        self.sea_edges = {hex_id: 1 << edge, board.adjacent[hex_id][edge]: 1 << opposite(edge)}

    def upgrade_allowed(
        self, hex_id: str, old: PlacedTile, new: Tile, future_label: FutureLabel | None, special: bool
    ) -> bool:
        if new.name in self.company_tiles:
            return special and self.company_tiles[new.name] == hex_id and old.tile.printed
        return super().upgrade_allowed(hex_id, old, new, future_label, special)

    def passable_edges(self, state: GameState, hex_id: str) -> int:
        return super().passable_edges(state, hex_id) | self.sea_edges.get(hex_id, 0)
