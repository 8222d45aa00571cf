"""The board and the tile supply at the start of a game (core 5.2, 5.4)."""

from __future__ import annotations

from collections.abc import Container, Mapping

from ..data import CorporationData, HexData, TileData, TitleData
from ..state import Hex
from .map import Map, new_cities
from .tokens import reserve


def initial_board(board: Map, data: TitleData, homes: Container[str] | None = None) -> dict[str, Hex]:
    """Hexes that can change other than by a tile: those with cities, borders, icons or a future label.

    Corporations and minors with a fixed home reserve it; ``homes`` limits this to some of them.
    """
    result = {}
    for hex_id, printed in data.map.hexes.items():
        on_hex = _printed_hex(board, hex_id, printed)
        if on_hex is not None:
            result[hex_id] = on_hex
    everyone: Mapping[str, CorporationData] = {**data.minors, **data.corporations}
    for sym, corporation in everyone.items():
        if homes is None or sym in homes:
            for hex_id in corporation.home:
                reserve(result, sym, hex_id, corporation.home_city)
    return result


def _printed_hex(board: Map, hex_id: str, data: HexData) -> Hex | None:
    cities = new_cities(board.printed[hex_id].rotated(0))
    if not (cities or data.borders or data.icons or data.future_label):
        return None
    future = data.future_label
    return Hex(
        cities=cities,
        borders=[(border.edge, border.kind, border.cost) for border in data.borders],
        icons=list(data.icons),
        future_label=None if future is None else (future.label, future.color),
    )


def initial_supply(tiles: Mapping[str, TileData]) -> dict[str, list[int]]:
    """Copies of every tile by name; an unlimited tile starts with one (core 1.4)."""
    return {name: list(range(1 if tile.count is None else tile.count)) for name, tile in tiles.items()}
