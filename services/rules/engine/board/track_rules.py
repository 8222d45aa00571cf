"""Which tiles may lie where: the part of the track rules that titles change (core 6.2, 6.3, 19).

A title has one instance, shared by all its games. It caches what does not depend on a game's state: for a
hex and the tile on it, every tile and rotation that passes the upgrade test and the in-place part of the
rotation test.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from ..state import GameState
from . import upgrades
from .map import Map
from .tiles import PlacedTile, Tile
from .upgrades import FutureLabel


class Candidate(NamedTuple):
    """A tile and rotation that fits a hex as far as the tiles decide; ``exits`` as bits."""

    name: str
    rotation: int
    color: str
    exits: int
    placed: PlacedTile


class TrackRules:
    """The base rules; titles override methods or set the class attributes."""

    restriction: Literal["permissive", "semi_restrictive"] = "permissive"
    """What an upgrade must add (core 6.4.4)."""
    max_exits: bool = False
    """Whether hexes with a city take only the offered tiles with most exits (core 6.2.6)."""

    def __init__(self, board: Map) -> None:
        self.board = board
        self._candidates: dict[tuple[str, PlacedTile, FutureLabel | None, bool], list[Candidate]] = {}
        self._in_place: dict[tuple[PlacedTile, Tile], list[PlacedTile]] = {}
        self._improving: dict[tuple[PlacedTile, PlacedTile], frozenset[int]] = {}
        self._adjacent = {h: upgrades.edge_mask(set(around)) for h, around in board.adjacent.items()}

    # what titles override: facts about tiles (cached, so they must not look at a game)

    def upgrade_allowed(
        self, hex_id: str, old: PlacedTile, new: Tile, future_label: FutureLabel | None, special: bool
    ) -> bool:
        """The upgrade test (core 6.2) without the track, which :meth:`rotation_allowed` tests in place."""
        if new.color != upgrades.next_color(old.color):
            return False
        return special or (self.label_fits(hex_id, old, new, future_label) and self.counts_fit(hex_id, old, new))

    def label_fits(self, hex_id: str, old: PlacedTile, new: Tile, future_label: FutureLabel | None) -> bool:
        """Labels agree (core 6.2)."""
        return upgrades.label_fits(old, new, future_label)

    def counts_fit(self, hex_id: str, old: PlacedTile, new: Tile) -> bool:
        """Numbers of cities and towns agree (core 6.2)."""
        return upgrades.counts_fit(old, new)

    def rotation_allowed(self, hex_id: str, old: PlacedTile, new: PlacedTile) -> bool:
        """The in-place part of the rotation test (core 6.3 c-g), printed stubs included."""
        stubs = self.board.data.hexes[hex_id].stubs
        if stubs and old.tile.printed and not new.exits.issuperset(stubs):
            return False
        return new in self._placed_in(old, new.tile)

    def reaches(self, hex_id: str, old: PlacedTile, new: PlacedTile) -> bool:
        """Whether a lay on a reached hex is connected although none of the tile's exits is reached (core 6.3 b)."""
        return False

    def stops_covered(self, old: PlacedTile, new: PlacedTile) -> bool:
        """Every old city and town lies inside a new one (core 6.4.4)."""
        return upgrades.stops_covered(old, new)

    def city_map(self, hex_id: str, old: PlacedTile, new: PlacedTile) -> list[int | None]:
        """Which new city continues which old one (core 5.3.1)."""
        return upgrades.city_map(old, new)

    def lifts_tokens(self, hex_id: str, old: PlacedTile, new: PlacedTile, special: bool) -> bool:
        """Whether the hex's tokens must be placed anew: first track on it, several cities (core 6.4.6)."""
        return not old.paths and bool(new.paths) and len(new.cities) > 1

    def max_exits_applies(self, hex_id: str, old: PlacedTile) -> bool:
        """Whether only the tiles with most exits may go on this hex (core 6.2.6)."""
        return self.max_exits and bool(old.cities)

    # what titles override: facts about the game in progress

    def lay_permitted(self, state: GameState, hex_id: str, old: PlacedTile, new: PlacedTile, special: bool) -> bool:
        """Anything else that may forbid a lay now; ``special`` is a company's lay."""
        return True

    def passable_edges(self, state: GameState, hex_id: str) -> int:
        """Edges of a hex with a passable neighbour, to which exits may lead, as bits (core 6.3 a)."""
        neighbour = self.board.neighbour
        mask = 0
        for edge in self.board.adjacent[hex_id]:
            if neighbour(state, hex_id, edge) is not None:
                mask |= 1 << edge
        return mask

    def available(self, state: GameState, tile: Tile) -> bool:
        """Whether a copy is in the supply (core 6.2.4)."""
        return bool(state.supply.get(tile.name))

    def exchange_tiles(self, state: GameState, hex_id: str, old: tuple[Tile, int] | None, new: Tile, copy: int) -> None:
        """Take the new tile out of the supply and give the old one back (core 1.4, 5.2).

        ``old`` is the replaced tile with its copy, None for a print. Laying an unlimited tile adds the copy
        after the highest.
        """
        copies = state.supply[new.name]
        if new.count is None:
            copies.append(max(copies) + 1)
        copies.remove(copy)
        if old is not None:
            state.supply[old[0].name].append(old[1])

    # cached answers

    def candidates(
        self, hex_id: str, old: PlacedTile, future_label: FutureLabel | None = None, special: bool = False
    ) -> list[Candidate]:
        """Every tile and rotation that may replace ``old`` on the hex, whatever the state of the game."""
        key = (hex_id, old, future_label, special)
        result = self._candidates.get(key)
        if result is None:
            result = self._candidates[key] = self._find_candidates(hex_id, old, future_label, special)
        return result

    def _find_candidates(
        self, hex_id: str, old: PlacedTile, future_label: FutureLabel | None, special: bool
    ) -> list[Candidate]:
        closed = ~self._adjacent[hex_id]
        result = []
        for tile in self.board.tiles.values():
            if not self.upgrade_allowed(hex_id, old, tile, future_label, special):
                continue
            for rotation in range(6):
                placed = tile.rotated(rotation)
                exits = upgrades.edge_mask(placed.exits)
                if not exits & closed and self.rotation_allowed(hex_id, old, placed):
                    result.append(Candidate(tile.name, rotation, tile.color, exits, placed))
        return result

    def _placed_in(self, old: PlacedTile, new: Tile) -> list[PlacedTile]:
        """Rotations of ``new`` that keep the track and stops of ``old`` (core 6.3 c-f)."""
        key = (old, new)
        result = self._in_place.get(key)
        if result is None:
            rotations = (new.rotated(rotation) for rotation in range(6))
            result = [placed for placed in rotations if upgrades.fits_in_place(old, placed)]
            self._in_place[key] = result
        return result

    def improving_paths(self, old: PlacedTile, new: PlacedTile) -> frozenset[int]:
        """New paths of which a semi-restrictive upgrade must connect one (core 6.4.4), by index."""
        key = (old, new)
        result = self._improving.get(key)
        if result is None:
            result = self._improving[key] = upgrades.track_restriction_paths(old, new)
        return result
