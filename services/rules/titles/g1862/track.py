"""Track of 1862: labels, further towns, and counters that stand for several tiles (1862 1.8, 4.1)."""

from __future__ import annotations

from ...engine.board import upgrades
from ...engine.board.lays import LayResult
from ...engine.board.map import Map
from ...engine.board.tiles import NODE, PlacedTile, Tile
from ...engine.board.track_rules import Candidate, TrackRules
from ...engine.board.upgrades import FutureLabel
from ...engine.state import GameState
from .state import State1862

IPSWICH, HARWICH = "F11", "F13"
SPECIAL_LABELS = {IPSWICH: ("N", "I"), HARWICH: ("Y", "H")}
"""Hexes whose brown tile may have a label of its own: (label of the tile before, label)."""
MOST_TOWNS = {"green": 2, "brown": 3}


def base_name(tile: str) -> str:
    """Name of the physical counter of a tile (1862 1.8)."""
    return tile.partition("_")[0]


def town_may_be_added(tile: PlacedTile) -> bool:
    """Whether a tile has town track without a town on it (1862 4.1)."""
    return not tile.cities and 0 < len(tile.towns) < MOST_TOWNS.get(tile.color, 0)


def adds_town(old: PlacedTile, new: Tile) -> bool:
    """Whether a tile is the same counter with one town more."""
    return (
        town_may_be_added(old) and base_name(new.name) == base_name(old.name) and len(new.nodes) == len(old.towns) + 1
    )


class TrackRules1862(TrackRules):
    """A lay under special terms is the addition of a town; everything else is an ordinary lay."""

    restriction = "semi_restrictive"

    def __init__(self, board: Map) -> None:
        super().__init__(board)
        self._home_upgrades: dict[tuple[str, PlacedTile], list[Candidate]] = {}

    def upgrade_allowed(
        self, hex_id: str, old: PlacedTile, new: Tile, future_label: FutureLabel | None, special: bool
    ) -> bool:
        if special:
            return adds_town(old, new)
        return super().upgrade_allowed(hex_id, old, new, future_label, False)

    def label_fits(self, hex_id: str, old: PlacedTile, new: Tile, future_label: FutureLabel | None) -> bool:
        if new.label == old.label:
            return True
        return new.color == "brown" and SPECIAL_LABELS.get(hex_id) == (old.label, new.label)

    def counts_fit(self, hex_id: str, old: PlacedTile, new: Tile) -> bool:
        placed = new.rotated(0)
        return len(old.towns) == len(placed.towns) and len(old.cities) == len(placed.cities)

    def rotation_allowed(self, hex_id: str, old: PlacedTile, new: PlacedTile) -> bool:
        if new.color == old.color:
            return _only_adds_town(old, new)
        return super().rotation_allowed(hex_id, old, new)

    def lay_permitted(self, state: GameState, hex_id: str, old: PlacedTile, new: PlacedTile, special: bool) -> bool:
        """A counter must be left for a tile with towns, unless it lies there already."""
        base = base_name(new.name)
        return new.color == "yellow" or new.color == old.color or base == new.name or bool(state.supply.get(base))

    def home_upgrades(self, hex_id: str, old: PlacedTile) -> list[Candidate]:
        """Tiles of the next color that keep the exits of a home, whatever is in the supply (1862 2.5)."""
        key = (hex_id, old)
        found = self._home_upgrades.get(key)
        if found is None:
            found = self._home_upgrades[key] = []
            closed = ~self._adjacent[hex_id]
            for tile in self.board.tiles.values():
                if tile.color != upgrades.next_color(old.color) or not self.label_fits(hex_id, old, tile, None):
                    continue
                for rotation in range(6):
                    placed = tile.rotated(rotation)
                    exits = upgrades.edge_mask(placed.exits)
                    if not exits & closed and placed.exits >= old.exits:
                        found.append(Candidate(tile.name, rotation, tile.color, exits, placed))
        return found


def move_counters(state: State1862, result: LayResult) -> None:
    """A lay of town track in a new color takes a physical counter and gives the old one back (1862 4.1)."""
    old, new = result.old, result.new
    if new.color == "yellow" or new.color == old.color or new.cities:
        return
    base = base_name(new.name)
    counters = state.supply.get(base)
    if counters:
        state.base_tiles_out.append(f"{base}-{counters.pop(0)}")
    replaced = base_name(old.name)
    out = next((tile for tile in state.base_tiles_out if tile.rpartition("-")[0] == replaced), None)
    if old.color != "yellow" and out is not None:
        state.base_tiles_out.remove(out)
        state.supply[replaced].append(int(out.rpartition("-")[2]))


def _links(tile: PlacedTile) -> tuple[list[frozenset[int]], list[frozenset[int]]]:
    """Edge pairs joined by track without a stop, and the edges of every town."""
    plain = [frozenset(path.ends) for path in tile.paths if all(end < NODE for end in path.ends)]
    return plain, [frozenset(edges) for edges in tile.node_edges]


def _only_adds_town(old: PlacedTile, new: PlacedTile) -> bool:
    """All towns stay, one is new, and it lies on track that had none (1862 4.1, "Adding a town")."""
    old_plain, old_towns = _links(old)
    new_plain, new_towns = _links(new)
    if not all(town in new_towns for town in old_towns):
        return False
    added = [town for town in new_towns if town not in old_towns]
    if len(added) != 1 or not all(link in old_plain for link in new_plain):
        return False
    gone: set[int] = set()
    for link in old_plain:
        if link not in new_plain:
            gone |= link
    return bool(gone) and added[0] == gone
