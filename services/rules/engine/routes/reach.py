"""The track an operator's trains might use: everything its tokens lead to without passing a blocked stop."""

from __future__ import annotations

from ..board.geometry import opposite
from ..board.tiles import NODE
from .context import RunContext
from .track import Piece, Stop, node_index

Side = tuple[str, int]
"""A hex side, named by the hex and edge on one of its faces."""


class Reach:
    """Pieces of track in reach, in map order, with the sides that join them.

    A plain flood: a superset of what routes can use, since a route may not turn back over its own track.
    """

    def __init__(self, run: RunContext) -> None:
        self._run = run
        self._across: dict[Side, Side] = {}
        self._found: dict[tuple[str, int], Piece] = {}
        self._flood()
        self._drop_dead_ends()
        self.pieces: list[Piece] = [self._found[key] for key in sorted(self._found)]

    def side(self, hex_id: str, edge: int) -> Side:
        """The name of a side, the same from both faces; the edge must have track in reach on it."""
        here = (hex_id, edge)
        return min(here, self._across[here])

    def _flood(self) -> None:
        queue = self._starts()
        while queue:
            hex_id, path = queue.pop()
            if (hex_id, path.index) in self._found:
                continue
            self._found[hex_id, path.index] = (hex_id, path)
            for end in path.ends:
                queue += self._beyond(hex_id, end)

    def _starts(self) -> list[Piece]:
        run = self._run
        pieces: list[Piece] = []
        for hex_id in run.token_hexes():
            tile = run.tile(hex_id)
            for node in tile.cities:
                if run.stop(hex_id, node.index).token:
                    pieces += [(hex_id, path) for path in tile.paths_at.get(NODE + node.index, ())]
        return pieces

    def _beyond(self, hex_id: str, end: int) -> list[Piece]:
        """Pieces one may run on to from the end of a piece."""
        run = self._run
        if end >= NODE:
            stop = run.stop(hex_id, node_index(end))
            if stop.blocked or run.rules.forbidden(run, stop) is not None:
                return []
            return [(hex_id, path) for path in run.tile(hex_id).paths_at[end]]
        other = run.map.neighbour(run.state, hex_id, end)
        if other is None:
            return []
        here, there = (hex_id, end), (other, opposite(end))
        self._across[here], self._across[there] = there, here
        return [(other, path) for path in run.tile(other).paths_at.get(there[1], ())]

    def _drop_dead_ends(self) -> None:
        """Remove track that ends at a side without track behind it, and what only leads there."""
        at: dict[Side, set[tuple[str, int]]] = {}
        for key, (hex_id, path) in self._found.items():
            for edge in path.edges:
                at.setdefault((hex_id, edge), set()).add(key)
        loose: list[Side | None] = [face for face in at if self._across.get(face) not in at]
        while loose:
            for key in at.pop(loose.pop() or ("", 0), ()):
                hex_id, path = self._found.pop(key)
                for edge in path.edges:
                    face = (hex_id, edge)
                    if face in at:
                        at[face].discard(key)
                        if not at[face]:
                            del at[face]
                            loose.append(self._across.get(face))

    def stops(self) -> list[Stop]:
        """Stops at the ends of the track in reach, in map order."""
        found = {(hex_id, node): self._run.stop(hex_id, node) for hex_id, path in self.pieces for node in path.nodes}
        return [found[key] for key in sorted(found)]
