"""The network of a corporation: the track, stops and hex sides it is connected to (core 7).

Connectivity itself is computed by :mod:`.connectivity`; this module reads the board, limited to the track
that a plain flood from the tokens reaches, and derives what the rules ask. Nodes and paths are named
``(hex, index)`` with their index in the tile's list, cities ``(hex, city_index)`` as tokens name them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from weakref import WeakKeyDictionary

from ..state import GameState
from .connectivity import DEAD, FREE, MET, OUTER, Growth, Reach, TrackGraph, explore
from .geometry import opposite
from .map import Map
from .tiles import NODE, PlacedTile

NodeKey = tuple[str, int]
PathKey = tuple[str, int]
CityKey = tuple[str, int]
NEUTRAL = "~"


def blocks(map: Map, state: GameState, hex: str, city_index: int, sym: str) -> bool:
    """True if a city stops the trails of a corporation (core 7.1).

    It does when all its slots are filled and no token on it, in a slot or outside, is the corporation's own
    or neutral. A reserved slot that is empty is open.
    """
    on_hex = state.board.get(hex)
    if on_hex is None or city_index >= len(on_hex.cities):
        return map.tile_at(state, hex).city(city_index).slots == 0
    city = on_hex.cities[city_index]
    if None in city.slots or sym in city.slots or sym in city.extra:
        return False
    return not any(token is not None and token.startswith(NEUTRAL) for token in (*city.slots, *city.extra))


class Network:
    """What one corporation is connected to at one moment. Made by :func:`build_network`; not to be changed.

    * ``connected_paths``: paths that lie on a trail of the corporation;
    * ``nodes``: connected nodes, the start nodes included;
    * ``edges``: per hex the sides of core 7.2, by which track may be laid there (6.3 b);
    * ``reachable_hexes``: hexes with a connected path;
    * ``connected_cities``: those of ``nodes`` that are cities, ``token_cities`` those that trails start from;
    * ``starts``: the start nodes in token order, ``met`` the nodes the trails of each meet (core 7.4).
    """

    __slots__ = (
        "_reach",
        "_survey",
        "connected_cities",
        "connected_paths",
        "edges",
        "met",
        "nodes",
        "optional_nodes",
        "reachable_hexes",
        "starts",
        "token_cities",
    )

    def __init__(self, starts: tuple[NodeKey, ...], optional_nodes: Collection[NodeKey]) -> None:
        self.starts = starts
        self.optional_nodes = optional_nodes
        self.connected_paths: set[PathKey] = set()
        self.nodes: set[NodeKey] = set(starts)
        self.edges: dict[str, frozenset[int]] = {}
        self.reachable_hexes: set[str] = set()
        self.connected_cities: set[CityKey] = set()
        self.token_cities: set[CityKey] = set()
        self.met: dict[NodeKey, set[NodeKey]] = {}
        self._survey: _Survey | None = None
        self._reach: Reach | None = None

    def would_connect(self, hex_id: str, a: int, b: int) -> bool | None:
        """Whether a further path between two ends of the tile on a hex would be connected.

        Ends are numbered as in :mod:`.tiles`; sides without track are allowed. None: this network cannot tell.
        """
        survey, reach = self._survey, self._reach
        assert survey is not None and reach is not None
        unsure = False
        for growth in reach.growths:
            for here, there in ((a, b), (b, a)):
                found = survey.leads_on(growth, hex_id, here, there)
                if found:
                    return True
                unsure = unsure or found is None
        return None if unsure else False

    @property
    def route_for_purchase(self) -> bool:
        """True if trails from one start meet two mandatory nodes, itself included (core 7.4)."""
        return any(mandatory >= 2 for mandatory, _ in self._counts())

    @property
    def route_available(self) -> bool:
        """True if a train may run: two mandatory nodes, or one and an optional one (core 7.4)."""
        return any(mandatory >= 2 or (mandatory == 1 and optional) for mandatory, optional in self._counts())

    def _counts(self) -> Iterable[tuple[int, int]]:
        """Mandatory and optional nodes met from every start."""
        for met in self.met.values():
            optional = sum(node in self.optional_nodes for node in met)
            yield len(met) - optional, optional


def build_network(
    map: Map,
    state: GameState,
    sym: str,
    *,
    walls: Collection[str] = frozenset(),
    blocking: bool = True,
    more_starts: Iterable[CityKey] = (),
    optional_nodes: Collection[NodeKey] = frozenset(),
) -> Network:
    """The network of a corporation on the present board.

    ``walls`` are hexes whose nodes are met but never passed; ``blocking=False`` ignores the tokens of others
    (core 7.3); ``more_starts`` are cities that count as if they held a token; ``optional_nodes`` are those of
    route kind optional (core 7.4). Raises KeyError if there is no such corporation.
    """
    cities = [(token.hex, token.city) for token in state.corporations[sym].tokens if token.hex is not None]
    cities.extend(more_starts)
    starts: dict[NodeKey, CityKey] = {}
    for hex_id, city in cities:
        starts[hex_id, map.tile_at(state, hex_id).city(city).index] = (hex_id, city)
    network = Network(tuple(starts), optional_nodes)
    network.token_cities = set(starts.values())
    survey = _Survey(map, state, sym if blocking else None, frozenset(starts), walls)
    survey.flood()
    _derive(network, survey)
    return network


class _Track:
    """Links of a placed tile by end, in the numbers of a region.

    Ends are numbered as in :mod:`.tiles`; after the nodes follow dead ends, one for each terminal path, up to
    ``size``. ``leave[end]`` lists (end arrived at, path), ``depart[node]`` the same for a trail that starts
    there, ``loops`` (end, path) of paths that return to their end, ``nodes`` (end, node index) and
    ``edges[path]`` the sides of a path.
    """

    __slots__ = ("depart", "edges", "leave", "loops", "nodes", "size")

    def __init__(self, tile: PlacedTile) -> None:
        self.size = NODE + len(tile.nodes)
        self.nodes = [(NODE + node.index, node.index) for node in tile.nodes]
        self.edges = [path.edges for path in tile.paths]
        self.leave: dict[int, list[tuple[int, int]]] = {}
        self.depart: dict[int, list[tuple[int, int]]] = {}
        self.loops: list[tuple[int, int]] = []
        for path in tile.paths:
            if path.a == path.b:
                self.loops.append((path.a, path.index))
                continue
            for here, there in (path.ends, path.ends[::-1]):
                arrive = there
                if path.terminal and there >= NODE:
                    arrive, self.size = self.size, self.size + 1
                    self.nodes.append((arrive, there - NODE))
                if here >= NODE:
                    self.depart.setdefault(here, []).append((arrive, path.index))
                if here < NODE or not path.terminal:
                    self.leave.setdefault(here, []).append((arrive, path.index))


_tracks: WeakKeyDictionary[PlacedTile, _Track] = WeakKeyDictionary()


def _track(tile: PlacedTile) -> _Track:
    track = _tracks.get(tile)
    if track is None:
        track = _tracks[tile] = _Track(tile)
    return track


class _Plot:
    """A hex of the region: where its vertices and paths begin in the numbers of the graph."""

    __slots__ = ("base", "first_path", "hex", "neighbours", "tile", "track")

    def __init__(self, hex_id: str, tile: PlacedTile, base: int, first_path: int) -> None:
        self.hex = hex_id
        self.tile = tile
        self.track = _track(tile)
        self.base = base
        self.first_path = first_path
        self.neighbours: dict[int, str | None] = {}


class _Survey:
    """The part of the board that a plain flood from the start nodes reaches, as a track graph.

    Trails reach no more than the flood, so the rest of the board is never looked at.
    """

    def __init__(
        self, map: Map, state: GameState, sym: str | None, starts: frozenset[NodeKey], walls: Collection[str]
    ) -> None:
        self.map = map
        self.state = state
        self.sym = sym
        self.starts = starts
        self.walls = walls
        self.graph = TrackGraph([], [], 0)
        self.plots: dict[str, _Plot] = {}
        self.nodes: list[tuple[int, NodeKey]] = []
        self.roots: dict[NodeKey, int] = {}

    def leads_on(self, growth: Growth, hex_id: str, here: int, there: int) -> bool | None:
        """Whether a trail of the growth that arrives at an end can go on over a new path to another end."""
        plot = self.plots.get(hex_id)
        label = growth.label
        target = FREE if plot is None else label[plot.base + there]
        if plot is not None and label[plot.base + here] == OUTER:
            return target in (FREE, DEAD) or growth.reaches_without(plot.base + here, plot.base + there)
        if here >= NODE or not self._ends_outside(growth, hex_id, here):
            return False
        return True if target in (FREE, DEAD) else None

    def _ends_outside(self, growth: Growth, hex_id: str, edge: int) -> bool:
        """Whether a trail ends at the other side of an edge for want of track on this hex."""
        behind = self.plots.get(self.map.adjacent[hex_id].get(edge, ""))
        side = opposite(edge)
        if behind is None or behind.neighbours.get(side) != hex_id:
            return False
        return growth.label[behind.base + side] == DEAD

    def flood(self) -> None:
        """Fill the graph."""
        pending: list[tuple[_Plot, int]] = []
        for hex_id, index in self.starts:
            plot = self._plot(hex_id)
            self.roots[hex_id, index] = plot.base + NODE + index
            self._leave(plot, NODE + index, plot.track.depart, pending)
        while pending:
            plot, end = pending.pop()
            self._leave(plot, end, plot.track.leave, pending)

    def _plot(self, hex_id: str) -> _Plot:
        plot = self.plots.get(hex_id)
        if plot is None:
            graph = self.graph
            tile = self.map.tile_at(self.state, hex_id)
            plot = self.plots[hex_id] = _Plot(hex_id, tile, len(graph.mate), graph.paths)
            graph.mate.extend([-1] * plot.track.size)
            graph.links.extend([] for _ in range(plot.track.size))
            graph.paths += len(tile.paths)
            self.nodes.extend((plot.base + end, (hex_id, index)) for end, index in plot.track.nodes)
            graph.owned.extend((plot.base + end, plot.first_path + path) for end, path in plot.track.loops)
        return plot

    def _leave(
        self,
        plot: _Plot,
        end: int,
        track: dict[int, list[tuple[int, int]]],
        pending: list[tuple[_Plot, int]],
    ) -> None:
        """Link an end that trails leave from, and go on where its paths arrive."""
        base, first_path = plot.base, plot.first_path
        links = self.graph.links[base + end]
        if links:
            return
        for arrive, path in track.get(end, ()):
            links.append((base + arrive, first_path + path))
            if arrive < NODE:
                behind = self._behind(plot, arrive)
                if behind is not None:
                    pending.append((behind, opposite(arrive)))
            elif self.graph.mate[base + arrive] < 0 and self._passes(plot, arrive):
                self.graph.mate[base + arrive] = base + arrive
                pending.append((plot, arrive))

    def _passes(self, plot: _Plot, end: int) -> bool:
        """Whether trails go through a node; never at the dead end of a terminal path."""
        index = end - NODE
        if index >= len(plot.tile.nodes) or plot.hex in self.walls or (plot.hex, index) in self.starts:
            return False
        node = plot.tile.nodes[index]
        if node.kind == "offboard":
            return False
        if not node.is_city or self.sym is None:
            return True
        return not blocks(self.map, self.state, plot.hex, node.city_index, self.sym)

    def _behind(self, plot: _Plot, edge: int) -> _Plot | None:
        """The plot a trail enters across a side, if there is track and the border is open both ways.

        Matches the two vertices of the side the first time.
        """
        side = opposite(edge)
        mate = self.graph.mate
        if edge in plot.neighbours:
            return None if mate[plot.base + edge] < 0 else self.plots[plot.neighbours[edge] or ""]
        other = plot.neighbours[edge] = self.map.neighbour(self.state, plot.hex, edge)
        if other is None or side not in self.map.tile_at(self.state, other).exits:
            return None
        if self.map.neighbour(self.state, other, side) is None:
            return None
        behind = self._plot(other)
        behind.neighbours[side] = plot.hex
        mate[plot.base + edge] = behind.base + side
        mate[behind.base + side] = plot.base + edge
        return behind


EDGE_SETS = [frozenset(edge for edge in range(6) if mask >> edge & 1) for mask in range(64)]


def _derive(network: Network, survey: _Survey) -> None:
    """Explore the surveyed track and fill in the sets of core 7.2 and 7.4."""
    reach = explore(survey.graph, [survey.roots[start] for start in network.starts])
    network._survey, network._reach = survey, reach
    for plot in survey.plots.values():
        paths = reach.connected[plot.first_path : plot.first_path + len(plot.tile.paths)]
        network.connected_paths.update((plot.hex, path) for path, connected in enumerate(paths) if connected)
    network.reachable_hexes = {hex_id for hex_id, _ in network.connected_paths}
    network.edges = _connected_edges(network, survey)
    for start, growth in zip(network.starts, reach.growths, strict=True):
        label = growth.label
        met = network.met[start] = {node for vertex, node in survey.nodes if label[vertex] in MET}
        met.add(start)
        network.nodes |= met
    for hex_id, index in network.nodes:
        node = survey.plots[hex_id].tile.nodes[index]
        if node.is_city:
            network.connected_cities.add((hex_id, node.city_index))


def _connected_edges(network: Network, survey: _Survey) -> dict[str, frozenset[int]]:
    """Sides by hex (core 7.2): around the start cities, and the exits of connected paths from both hexes."""
    masks: dict[str, int] = {}
    for hex_id, _ in network.starts:
        for edge in survey.map.adjacent[hex_id]:
            if survey.map.neighbour(survey.state, hex_id, edge) is not None:
                masks[hex_id] = masks.get(hex_id, 0) | 1 << edge
    for hex_id, path in network.connected_paths:
        plot = survey.plots[hex_id]
        for edge in plot.track.edges[path]:
            masks[hex_id] = masks.get(hex_id, 0) | 1 << edge
            other = plot.neighbours.get(edge)
            if other is not None:
                masks[other] = masks.get(other, 0) | 1 << opposite(edge)
    return {hex_id: EDGE_SETS[mask] for hex_id, mask in masks.items()}
