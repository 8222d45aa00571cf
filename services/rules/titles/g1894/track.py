"""Which tiles may lie where in 1894: cities that split, and Paris (1894 4.3-4.5)."""

from __future__ import annotations

from ...engine.board import tokens
from ...engine.board.map import Map
from ...engine.board.tiles import PlacedTile, Tile
from ...engine.board.track_rules import TrackRules
from ...engine.board.upgrades import FutureLabel
from ...engine.data import TitleData
from ...engine.state import City, GameState

PARIS = "G6"
PARIS_OWNER = "PLM"
SPLITS: dict[str, tuple[str, ...]] = {
    "14": ("X16", "X17", "X18"),
    "15": ("X19", "X20", "X21"),
    "619": ("X22", "X23", "X24"),
}
"""Green cities and the pairs of brown cities they become."""
SPLIT_TILES = frozenset(tile for tiles in SPLITS.values() for tile in tiles)


def splits(old: PlacedTile, new: Tile) -> bool:
    """Whether laying ``new`` splits the green city of ``old``."""
    return new.name in SPLITS.get(old.name, ())


class TrackRules1894(TrackRules):
    """Base rules, but regular green cities become two brown ones and PLM keeps city 0 of brown Paris."""

    def __init__(self, board: Map, data: TitleData) -> None:
        super().__init__(board)
        self.last_phase = len(data.phases) - 1

    def upgrade_allowed(
        self, hex_id: str, old: PlacedTile, new: Tile, future_label: FutureLabel | None, special: bool
    ) -> bool:
        if old.name in SPLITS or new.name in SPLIT_TILES:
            return splits(old, new)
        return super().upgrade_allowed(hex_id, old, new, future_label, special)

    def rotation_allowed(self, hex_id: str, old: PlacedTile, new: PlacedTile) -> bool:
        if splits(old, new.tile):
            return new.exits == old.exits
        return super().rotation_allowed(hex_id, old, new)

    def reaches(self, hex_id: str, old: PlacedTile, new: PlacedTile) -> bool:
        """For brown Paris it is enough to reach the hex (1894 4.5)."""
        return hex_id == PARIS and new.color == "brown"

    def stops_covered(self, old: PlacedTile, new: PlacedTile) -> bool:
        return splits(old, new.tile) or super().stops_covered(old, new)

    def lifts_tokens(self, hex_id: str, old: PlacedTile, new: PlacedTile, special: bool) -> bool:
        """The cities of blank Paris keep what stands in them (1894 4.5)."""
        return False

    def lay_permitted(self, state: GameState, hex_id: str, old: PlacedTile, new: PlacedTile, special: bool) -> bool:
        """No splits in the last phase (1894 1.3); brown Paris is turned so that PLM's city is city 0 (1894 4.5).

        The track of X4 fits in one rotation only.
        """
        if splits(old, new.tile):
            return state.phase < self.last_phase
        if hex_id == PARIS and new.color == "brown":
            first = _leads_to(state.board[hex_id].cities[0], PARIS_OWNER) or old.name == "X4"
            turn = 0 if first else 3
            return new.rotation == (old.rotation + turn) % 6
        return True


def _leads_to(city: City, sym: str) -> bool:
    """Whether a city holds the token or the reservation of ``sym``."""
    return sym in city.reserved or any(slot is not None and tokens.owner(slot) == sym for slot in city.slots)
