"""Optional rules of 1893 that change trains, tiles or the map: their facts are data (1893 section 6)."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec

from ...engine.data import Data, HexData, TileData, TitleData, load_table


class OptionChanges(Data, frozen=True):
    """What one option changes: copies of trains, tiles taken out and added, hexes printed differently."""

    trains: dict[str, int] = msgspec.field(default_factory=dict)
    removed_tiles: list[str] = msgspec.field(default_factory=list)
    tiles: dict[str, TileData] = msgspec.field(default_factory=dict)
    hexes: dict[str, HexData] = msgspec.field(default_factory=dict)


class Options(Data, frozen=True):
    options: dict[str, OptionChanges]


def with_options(data: TitleData, folder: Path, options: Iterable[str]) -> TitleData:
    """The title's data under the options in force."""
    changes = load_table(folder / "options.toml", Options).options
    for option in sorted(set(options) & set(changes)):
        data = _changed(data, changes[option])
    return data


def _changed(data: TitleData, change: OptionChanges) -> TitleData:
    replace = msgspec.structs.replace
    tiles = {name: tile for name, tile in data.tiles.items() if name not in change.removed_tiles}
    return replace(
        data,
        trains=[replace(t, count=change.trains.get(t.name, t.count)) for t in data.trains],
        tiles={**tiles, **change.tiles},
        map=replace(data.map, hexes={**data.map.hexes, **change.hexes}),
    )
