"""Finding the pieces of track a recorded route runs over.

A route lists its connections as hexes only; the track between is searched. Consecutive connections share a
stop, no piece of track is used twice, and the stops named by the route are preferred. A connection whose
track cannot be found (an old picture of a changed board, say) is drawn straight from hex to hex.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .design import NODE, Board
from .placement import Layout, place

Stop = tuple[str, int]
"""A hex and the index of a node on its tile."""
Piece = tuple[str, int]
"""A hex and the index of a piece of track on its tile."""


@dataclass(frozen=True)
class Run:
    """A piece of track in the direction of travel; ``forward`` is from its end ``a`` to its end ``b``."""

    hex: str
    index: int
    forward: bool

    @property
    def piece(self) -> Piece:
        return (self.hex, self.index)


@dataclass(frozen=True)
class Chain:
    """Track from one stop to another without a stop between."""

    start: Stop
    end: Stop
    runs: tuple[Run, ...]

    def reversed(self) -> Chain:
        back = tuple(Run(run.hex, run.index, not run.forward) for run in reversed(self.runs))
        return Chain(self.end, self.start, back)


@dataclass(frozen=True)
class TracedRoute:
    """A route on the board. ``chains`` has None where a connection's track was not found."""

    train: str
    revenue: int
    connections: tuple[tuple[str, ...], ...]
    chains: tuple[Chain | None, ...]
    stops: tuple[Stop, ...]


def trace(board: Board, route: Mapping[str, Any]) -> TracedRoute:
    """Find the track and stops of a route given as ``train``, ``connections``, ``nodes`` and ``revenue``."""
    connections = [tuple(c) for c in route.get("connections", ()) if len(c) > 1 and c[0] != "local"]
    named = set(route.get("nodes", ()))
    options = [_preferred(board, _chains(board, hexes), named) for hexes in connections]
    chosen = _join(options)
    stops = [_find_stop(board, text) for text in route.get("nodes", ())]
    seen: list[Stop] = [stop for stop in stops if stop is not None]
    for chain in chosen:
        if chain is not None:
            seen.extend((chain.start, chain.end))
    return TracedRoute(
        train=str(route.get("train", "")),
        revenue=int(route.get("revenue") or 0),
        connections=tuple(connections),
        chains=tuple(chosen),
        stops=tuple(dict.fromkeys(seen)),
    )


def _find_stop(board: Board, signature: str) -> Stop | None:
    """The stop named ``HEX-ref``."""
    hex_id, _, ref = signature.rpartition("-")
    h = board.hexes.get(hex_id)
    if h is None:
        return None
    found = [i for i, node in enumerate(h.design.nodes) if str(node.ref) == ref]
    return (hex_id, found[0]) if found else None


def _signature(board: Board, stop: Stop) -> str:
    return f"{stop[0]}-{board.hexes[stop[0]].design.nodes[stop[1]].ref}"


def _preferred(board: Board, chains: Iterator[Chain], named: set[str]) -> list[Chain]:
    """Chains between named stops first; both directions of each."""

    def strangeness(chain: Chain) -> int:
        return sum(_signature(board, stop) not in named for stop in (chain.start, chain.end))

    return sorted(chains, key=strangeness)


def _chains(board: Board, hexes: Sequence[str]) -> Iterator[Chain]:
    """All chains whose hexes are exactly ``hexes``, in that order."""
    first = board.hexes.get(hexes[0])
    if first is None or any(h not in board.hexes for h in hexes):
        return
    for node in range(len(first.design.nodes)):
        for runs, end in _onward(board, hexes, 0, NODE + node, ()):
            yield Chain((hexes[0], node), (hexes[-1], end), runs)


def _onward(
    board: Board, hexes: Sequence[str], position: int, entry: int, runs: tuple[Run, ...]
) -> Iterator[tuple[tuple[Run, ...], int]]:
    """Ways from end ``entry`` of the tile at ``position`` to a node of the last hex, with that node."""
    hex_id = hexes[position]
    last = position == len(hexes) - 1
    used = {run.piece for run in runs}
    for index, (a, b) in enumerate(_layout(board, hex_id).ends):
        if entry not in (a, b) or (hex_id, index) in used:
            continue
        forward = a == entry
        out = b if forward else a
        onward = (*runs, Run(hex_id, index, forward))
        if out >= NODE:
            if last:
                yield onward, out - NODE
        elif not last and board.adjacent[hex_id].get(out) == hexes[position + 1]:
            yield from _onward(board, hexes, position + 1, (out + 3) % 6, onward)


def _layout(board: Board, hex_id: str) -> Layout:
    h = board.hexes[hex_id]
    return place(h.design, board.layout, h.rotation)


def _join(options: Sequence[Sequence[Chain]]) -> list[Chain | None]:
    """One chain a connection so that neighbors share a stop and no track repeats; the first of each if that
    fails.
    """
    tries = [0]

    def extend(position: int, where: Stop | None, used: frozenset[Piece]) -> list[Chain | None] | None:
        if position == len(options):
            return []
        tries[0] += 1
        if not options[position]:
            rest = extend(position + 1, None, used)
            return None if rest is None else [None, *rest]
        for chain in options[position]:
            for directed in (chain, chain.reversed()):
                pieces = {run.piece for run in directed.runs}
                if (where is not None and directed.start != where) or pieces & used or tries[0] > 2000:
                    continue
                rest = extend(position + 1, directed.end, used | pieces)
                if rest is not None:
                    return [directed, *rest]
        return None

    return extend(0, None, frozenset()) or [chains[0] if chains else None for chains in options]
