"""Track of 1893: the Rhine in phase 2 and Leverkusen (1893 4.1, 4.2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...engine.board.map import Map
from ...engine.board.tiles import PlacedTile, Tile
from ...engine.board.track_rules import TrackRules
from ...engine.board.upgrades import FutureLabel
from ...engine.state import GameState

CLOSED = "closed"
"""Icon of a hex that takes no tile yet."""


class TrackRules1893(TrackRules):
    """An upgrade must use new track or raise a value.

    ``river_edges`` are edges that no exit may point to while the Rhine is closed, in the phases with ``closed_phases``
    as index. ``town_to_city`` maps a city tile to the double-town tiles it replaces, without turning.
    """

    restriction = "semi_restrictive"

    def __init__(
        self,
        board: Map,
        river_edges: Mapping[str, int],
        closed_phases: Sequence[int],
        town_to_city: Mapping[str, Sequence[str]],
    ) -> None:
        super().__init__(board)
        self.river_edges = river_edges
        self.closed_phases = frozenset(closed_phases)
        self.town_to_city = town_to_city
        self.towns = {town for towns in town_to_city.values() for town in towns}

    def lay_permitted(self, state: GameState, hex_id: str, old: PlacedTile, new: PlacedTile, special: bool) -> bool:
        on_hex = state.board.get(hex_id)
        if on_hex is not None and CLOSED in on_hex.icons:
            return False
        return not (state.phase in self.closed_phases and self.river_edges.get(hex_id) in new.exits)

    def upgrade_allowed(
        self, hex_id: str, old: PlacedTile, new: Tile, future_label: FutureLabel | None, special: bool
    ) -> bool:
        if old.tile.name in self.towns:
            return old.tile.name in self.town_to_city.get(new.name, ())
        return super().upgrade_allowed(hex_id, old, new, future_label, special)

    def rotation_allowed(self, hex_id: str, old: PlacedTile, new: PlacedTile) -> bool:
        if old.tile.name in self.towns:
            return new.rotation == 0
        return super().rotation_allowed(hex_id, old, new)
