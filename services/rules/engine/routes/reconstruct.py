"""From recorded routes to track on the board (core 9.6).

A recorded connection only lists hexes, so several chains of track may fit it. All ways to string fitting
chains together are candidates; the recorded ``nodes`` say which is meant, and without them the first legal
one is taken.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from ..actions import RecordedRoute
from ..board.geometry import opposite
from ..board.tiles import NODE, Path
from ..errors import IllegalAction, MalformedAction
from .context import RunContext
from .track import Chain, Piece, Stop, TracedRoute, node_index
from .trains import TrainSpec

MAX_STEPS = 4096
"""Enough for every honest recording; bounds the work for others."""

LOCAL = "local"


def candidates(run: RunContext, recorded: RecordedRoute, spec: TrainSpec) -> list[TracedRoute]:
    """Ways to lay a recorded route on the board, those that match its ``nodes`` best first.

    Raises :class:`MalformedAction` for hexes that are not on the map, :class:`IllegalAction`
    ``not_connected`` if no track fits.
    """
    connections = recorded.connections
    if connections and connections[0][:1] == [LOCAL]:
        return _local(run, recorded, spec)
    if not connections:
        raise MalformedAction("route_without_connections", f"The route of train {recorded.train} has no connections.")
    options = []
    for connection in connections:
        found = chains(run, connection)
        if not found:
            raise _not_connected(recorded, f"there is no track along {'-'.join(connection)}")
        options.append(found)
    routes = [TracedRoute(recorded.train, spec, stops, list(picked)) for stops, picked in _strings(options)]
    if not routes:
        raise _not_connected(recorded, "its connections do not meet at common stops")
    if len(routes) > 1:
        nodes = set(recorded.nodes or ())
        routes.sort(key=lambda route: -_matches(route, nodes))
    return routes


def chains(run: RunContext, connection: Sequence[str]) -> list[Chain]:
    """All chains between nodes along the hexes of a connection."""
    if not connection:
        raise MalformedAction("empty_connection", "A connection of a route names no hexes.")
    hexes = [text.split(" ")[0] for text in connection]
    for hex_id in hexes:
        if hex_id not in run.map.adjacent:
            raise MalformedAction("unknown_hex", f"There is no hex {hex_id}.", hex=hex_id)
    found: list[Chain] = []
    first = run.tile(hexes[0])
    for path in first.paths:
        for start, leaving in ((path.a, path.b), (path.b, path.a)):
            if start >= NODE:
                stop = run.stop(hexes[0], node_index(start))
                _extend(run, hexes, 0, leaving, stop, [(hexes[0], path)], found)
    if len(hexes) == 1:
        found = [chain for chain in found if chain.a.node.index < chain.b.node.index]
        found = _between(found, connection[0])
    return found


def _extend(
    run: RunContext, hexes: list[str], at: int, end: int, start: Stop, pieces: list[Piece], found: list[Chain]
) -> None:
    """Continue a chain that has come to ``end`` on hex number ``at``."""
    if end >= NODE:
        if at == len(hexes) - 1:
            found.append(Chain(start, run.stop(hexes[at], node_index(end)), pieces))
        return
    if at == len(hexes) - 1 or run.map.neighbour(run.state, hexes[at], end) != hexes[at + 1]:
        return
    entry = opposite(end)
    for path in run.tile(hexes[at + 1]).paths_at.get(entry, ()):
        piece: Piece = (hexes[at + 1], path)
        if not _shares_edge(piece, pieces):
            _extend(run, hexes, at + 1, path.other(entry), start, [*pieces, piece], found)


def _shares_edge(piece: Piece, pieces: list[Piece]) -> bool:
    hex_id, path = piece
    return any(other == hex_id and _meet(path, used) for other, used in pieces)


def _meet(path: Path, used: Path) -> bool:
    edges = used.edges
    return any(edge in edges for edge in path.edges)


def _between(found: list[Chain], text: str) -> list[Chain]:
    """Chains inside a hex, restricted to the two node refs of ``"HEX a.b"`` where given."""
    _, _, refs = text.partition(" ")
    if not refs:
        return found
    wanted = sorted(refs.split("."))
    return [chain for chain in found if sorted((str(chain.a.node.ref), str(chain.b.node.ref))) == wanted]


def _strings(options: list[list[Chain]]) -> Iterator[tuple[list[Stop], tuple[Chain, ...]]]:
    """Ways to pick one chain a connection so that each begins where the one before ended."""
    stack: list[tuple[list[Stop], tuple[Chain, ...]]] = []
    for chain in reversed(options[0]):
        if len(options) > 1:
            stack.append(([chain.b, chain.a], (chain,)))
        stack.append(([chain.a, chain.b], (chain,)))
    for _ in range(MAX_STEPS):
        if not stack:
            return
        stops, picked = stack.pop()
        if len(picked) == len(options):
            yield stops, picked
            continue
        here = stops[-1]
        for chain in reversed(options[len(picked)]):
            if (here is chain.a or here is chain.b) and chain not in picked:
                stack.append(([*stops, chain.other(here)], (*picked, chain)))


def _matches(route: TracedRoute, nodes: Collection[str]) -> int:
    return sum(stop.ref in nodes for stop in route.stops)


def _local(run: RunContext, recorded: RecordedRoute, spec: TrainSpec) -> list[TracedRoute]:
    """A run that stands in one city: ``[["local", HEX]]``, the operator's own city first."""
    hex_id = recorded.connections[0][-1]
    if hex_id not in run.map.adjacent:
        raise MalformedAction("unknown_hex", f"There is no hex {hex_id}.", hex=hex_id)
    stops = [run.stop(hex_id, node.index) for node in run.tile(hex_id).cities]
    if not stops:
        raise _not_connected(recorded, f"there is no city on {hex_id}")
    nodes = recorded.nodes or ()
    stops.sort(key=lambda stop: (stop.ref not in nodes, not stop.token))
    return [TracedRoute(recorded.train, spec, [stop], []) for stop in stops]


def _not_connected(recorded: RecordedRoute, why: str) -> IllegalAction:
    return IllegalAction(
        "not_connected", f"The route of train {recorded.train} is not connected: {why}.", train=recorded.train
    )
