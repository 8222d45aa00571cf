"""Does an upgrade add something the operator can use? Decided without laying the tile where possible (core 6.4.4).

An upgrade keeps all old track, so what was connected stays connected, and a trail that uses a path added by the tile
comes to the first such path over old track. So an added path is connected if the present network leads on
over it. Only where the tile joins stops of the hex, or opens a city that was full, the network may gain more.
"""

from __future__ import annotations

from .network import Network
from .tiles import NODE, Path, PlacedTile
from .upgrades import path_mask


def adds_something(
    network: Network, hex_id: str, old: PlacedTile, new: PlacedTile, improving: frozenset[int]
) -> bool | None:
    """Whether one of the improving paths of a new tile would be connected; None if the tile has to be tried."""
    if not improving:
        return False
    if any(path.terminal for path in (*old.paths, *new.paths)):
        return None
    several = max(len(old.nodes), len(new.nodes)) > 1
    sure = not several
    old_masks = [path_mask(path, old.nodes) for path in old.paths]
    for index in sorted(improving):
        path = new.paths[index]
        mask = path_mask(path, new.nodes)
        match = next((i for i, other in enumerate(old_masks) if not other & ~mask), None)
        connected: bool | None = None
        if match is not None:
            connected = (hex_id, old.paths[match].index) in network.connected_paths
        elif not several:
            connected = _would_connect(network, hex_id, path, bool(old.nodes))
        if connected:
            return True
        sure = sure and connected is not None
    if not sure:
        return None
    opened = bool(old.nodes) and new.nodes[0].slots > old.nodes[0].slots
    reached = bool(old.nodes) and (hex_id, old.nodes[0].index) in network.nodes
    return None if opened and reached else False


def _would_connect(network: Network, hex_id: str, path: Path, kept_stop: bool) -> bool | None:
    """A path that continues no old one; its stop is the hex's stop, if there was one."""
    if not kept_stop and path.nodes:
        return None
    return network.would_connect(hex_id, min(path.a, NODE), min(path.b, NODE))
