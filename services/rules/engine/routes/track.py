"""Stops, chains and routes as pieces of track on a board (core 9.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..board.tiles import NODE, Node, Path
from ..data import NodeKind

if TYPE_CHECKING:
    from .trains import TrainSpec

Piece = tuple[str, Path]
"""A path of the tile that lies on a hex."""

Use = tuple[str, int]
"""Track that cannot be used twice: ``(hex, edge)``, or ``(hex, -1 - path index)`` for a node-to-node path."""


class Stop:
    """A node on the board. One object a node and run, so identity is equality.

    ``token``: the operator has a token here. ``blocked``: its trains may not run through (a full city of
    others, an off-board). ``value`` is the money of one visit before the train's multiplier.
    """

    __slots__ = ("blocked", "hex", "node", "ref", "token", "value")

    def __init__(self, hex_id: str, node: Node, token: bool) -> None:
        self.hex = hex_id
        self.node = node
        self.ref = f"{hex_id}-{node.ref}"
        self.token = token
        self.blocked = False
        self.value = 0

    @property
    def kind(self) -> NodeKind:
        return self.node.kind

    def __repr__(self) -> str:
        return f"Stop({self.ref})"


class Chain:
    """Track from node ``a`` to node ``b`` without a node in between; ``pieces`` run from a to b."""

    __slots__ = ("a", "b", "pieces", "uses")

    def __init__(self, a: Stop, b: Stop, pieces: list[Piece]) -> None:
        self.a = a
        self.b = b
        self.pieces = pieces
        self.uses = [use for piece in pieces for use in uses_of(piece)]

    def other(self, stop: Stop) -> Stop:
        return self.b if stop is self.a else self.a

    def pieces_from(self, stop: Stop) -> list[Piece]:
        return self.pieces if stop is self.a else self.pieces[::-1]


def uses_of(piece: Piece) -> list[Use]:
    """What a piece of track occupies (core 9.2.8)."""
    hex_id, path = piece
    edges = path.edges
    if edges:
        return [(hex_id, edge) for edge in edges]
    return [(hex_id, -1 - path.index)]


class TracedRoute:
    """A train's route on the board: stops in running order and the track between them.

    ``chains`` is empty for a local run, which stands in one city.
    """

    __slots__ = ("chains", "pieces", "spec", "stops", "train", "uses")

    def __init__(self, train: str, spec: TrainSpec, stops: list[Stop], chains: list[Chain]) -> None:
        self.train = train
        self.spec = spec
        self.stops = stops
        self.chains = chains
        self.uses: list[Use] = [use for chain in chains for use in chain.uses]
        self.pieces: list[Piece] = []
        for stop, chain in zip(stops, chains, strict=False):
            self.pieces += chain.pieces_from(stop)

    @property
    def hexes(self) -> list[str]:
        """Hexes with track of the route in running order, each once a passage."""
        hexes: list[str] = []
        for hex_id, _ in self.pieces:
            if not hexes or hexes[-1] != hex_id:
                hexes.append(hex_id)
        return hexes or [stop.hex for stop in self.stops]

    @property
    def ends(self) -> tuple[Stop, Stop]:
        return self.stops[0], self.stops[-1]


def node_index(end: int) -> int:
    """Index of the tile's node at the end of a path, or -1 at a hex edge."""
    return end - NODE if end >= NODE else -1
