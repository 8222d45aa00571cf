"""May one tile replace another: the upgrade test and the rotation test (core 6.2, 6.3).

Pure functions of tiles. What depends on the state of a game (supply, neighbours, reachable edges, phase) is
in ``board.lays``; what titles override is in ``board.track_rules``, which also caches the answers.
"""

from __future__ import annotations

from ..state import Hex
from .tiles import COLORS, NODE, Node, Path, PlacedTile, Tile

CITY_BIT = 1 << 6
TOWN_BIT = 1 << 7
OFFBOARD_BIT = 1 << 8
KIND_BITS = {"city": CITY_BIT, "town": TOWN_BIT, "offboard": OFFBOARD_BIT}

FutureLabel = tuple[str, str]
"""Label and the tile color from which it holds."""


def edge_mask(edges: frozenset[int] | set[int]) -> int:
    """Edges as a bit set."""
    mask = 0
    for edge in edges:
        mask |= 1 << edge
    return mask


def next_color(color: str) -> str | None:
    """Color of the tiles that may replace this one; None where nothing can (core 5.2)."""
    if color not in COLORS or color == COLORS[-1]:
        return None
    return COLORS[COLORS.index(color) + 1]


def path_mask(path: Path, nodes: list[Node]) -> int:
    """Both ends of a path as a bit set: one bit an edge, one a kind of node."""
    mask = 0
    for end in path.ends:
        mask |= KIND_BITS[nodes[end - NODE].kind] if end >= NODE else 1 << end
    return mask


def path_masks(tile: PlacedTile) -> list[int]:
    return [path_mask(path, tile.nodes) for path in tile.paths]


def groups(tile: PlacedTile) -> list[int]:
    """Edge sets, as bits, of the cities and towns that have track to an edge."""
    masks = (
        edge_mask(edges)
        for node, edges in zip(tile.nodes, tile.node_edges, strict=True)
        if node.kind in ("city", "town")
    )
    return [mask for mask in masks if mask]


def paths_contained(old: PlacedTile, new: PlacedTile) -> bool:
    """Every path of ``old`` is contained in a path of ``new`` where both lie (core 6.2 track, 6.3 c)."""
    new_masks = path_masks(new)
    return all(any(not mask & ~other for other in new_masks) for mask in path_masks(old))


def track_fits(old: PlacedTile, new: Tile) -> bool:
    """Some rotation of ``new`` contains every path of ``old`` (core 6.2)."""
    return any(paths_contained(old, new.rotated(rotation)) for rotation in range(6))


def label_fits(old: PlacedTile, new: Tile, future_label: FutureLabel | None = None) -> bool:
    """Labels are equal, or the future label of the hex where the new tile has its color (core 6.2)."""
    if future_label is not None and future_label[1] == new.color:
        return new.label == future_label[0]
    return new.label == old.label


def counts_fit(old: PlacedTile, new: Tile) -> bool:
    """Towns and cities of the two tiles agree (core 6.2, "counts")."""
    base = new.rotated(0)
    cities, new_cities = len(old.cities), len(base.cities)
    if len(old.towns) != len(base.towns):
        return False
    if cities != new_cities:
        if old.label is None or (old.label == "OO" and old.color == "white"):
            return False
        if cities and not new_cities:
            return False
    return not (cities > 1 and new_cities > 1) or groups_contained(old, new)


def groups_contained(old: PlacedTile, new: Tile) -> bool:
    """Some rotation of ``new`` has every old node's edges inside one node's edges."""
    old_groups = groups(old)
    for rotation in range(6):
        new_groups = groups(new.rotated(rotation))
        if all(any(not group & ~other for other in new_groups) for group in old_groups):
            return True
    return False


def can_upgrade(old: PlacedTile, new: Tile, *, future_label: FutureLabel | None = None, special: bool = False) -> bool:
    """The upgrade test: may ``new`` replace ``old`` at all, whatever its rotation (core 6.2).

    ``special`` is a company's lay, for which only color and track count.
    """
    if new.color != next_color(old.color) or not track_fits(old, new):
        return False
    return special or (label_fits(old, new, future_label) and counts_fit(old, new))


def groups_in_place(old: PlacedTile, new: PlacedTile) -> bool:
    """New stops appear only where stops were added, and old ones stay apart (core 6.3 d, e)."""
    old_groups, new_groups = groups(old), groups(new)
    covered = 0
    for group in old_groups:
        covered |= group
    added = max(0, len(new_groups) - len(old_groups))
    if sum(1 for group in new_groups if not group & covered) > added:
        return False
    if len(old.cities) < 2 or len(new.cities) < 2:
        return True
    return all(sum(1 for other in new_groups if not group & ~other) == 1 for group in old_groups)


def slots_kept(old: PlacedTile, new: PlacedTile) -> bool:
    """Where the old cities differ in size none may shrink (core 6.3 f)."""
    if len({node.slots for node in old.cities}) < 2:
        return True
    mapping = city_map(old, new)
    return all(
        target is None or new.cities[target].slots >= node.slots
        for node, target in zip(old.cities, mapping, strict=True)
    )


def fits_in_place(old: PlacedTile, new: PlacedTile) -> bool:
    """The part of the rotation test that only the two tiles decide (core 6.3 c-f)."""
    return paths_contained(old, new) and groups_in_place(old, new) and slots_kept(old, new)


def city_map(old: PlacedTile, new: PlacedTile) -> list[int | None]:
    """For every old city the new city that continues it (core 5.3.1).

    None only where the new tile has too few cities left, which no upgrade of the rules produces.
    """
    old_edges = [old.node_edges[node.index] for node in old.cities]
    new_edges = [new.node_edges[node.index] for node in new.cities]
    if len(old_edges) == len(new_edges) and not any(old_edges):
        return list(range(len(new_edges)))
    mapping: list[int | None] = [None] * len(old_edges)
    for index, edges in enumerate(old_edges):
        if edges:
            mapping[index] = next((i for i, e in enumerate(new_edges) if edges <= e), None)
    for index, target in enumerate(mapping):
        if target is None:
            mapping[index] = _free_city(index, mapping, len(new_edges))
    return mapping


def _free_city(index: int, mapping: list[int | None], count: int) -> int | None:
    """The city of the same index, or the first one that continues no city yet."""
    if index < count and index not in mapping:
        return index
    return next((i for i in range(count) if i not in mapping), count - 1 if count else None)


def track_restriction_paths(old: PlacedTile, new: PlacedTile) -> frozenset[int]:
    """Indexes of the new paths that improve on the old: a semi-restrictive lay must connect one (core 6.4.4).

    A path improves if it contains no old path, or if the highest revenues of its stops differ from those of
    the old path it continues. Without old track every path does.
    """
    old_paths = [(path_mask(path, old.nodes), _revenues(path, old)) for path in old.paths]
    result = set()
    for path in new.paths:
        mask = path_mask(path, new.nodes)
        match = next((revenues for other, revenues in old_paths if not mask & ~other), None)
        if match is None or match != _revenues(path, new):
            result.add(path.index)
    return frozenset(result)


def _revenues(path: Path, tile: PlacedTile) -> list[int]:
    return sorted(tile.nodes[index].max_revenue for index in path.nodes)


def stops_covered(old: PlacedTile, new: PlacedTile) -> bool:
    """Every old city and town lies inside a new one (core 6.4.4)."""
    new_groups = groups(new)
    return all(any(not group & ~other for other in new_groups) for group in groups(old))


def carried_future_label(on_hex: Hex, new: PlacedTile) -> FutureLabel | None:
    """The hex's future label after ``new`` is laid: consumed by a tile of its color (core 5.3.5)."""
    label = on_hex.future_label
    return None if label is not None and label[1] == new.color else label
