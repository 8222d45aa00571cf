"""Exact connectivity of track in polynomial time (core 7.1).

A *trail* starts at a start stop and runs over paths, across hex sides and through stops, and uses no stop,
path or hex side twice. What trails reach is less than what a plain flood reaches, and walking all trails is
exponential. But trails are alternating paths of a graph with a matching:

* a hex side that has track is a vertex, matched with the same side seen from the other hex (crossing it);
* a stop that may be passed is a pair of vertices matched with each other (passing it), kept here as one
  vertex that is its own mate;
* a dead end (a stop that may not be passed, a side without a neighbour, the stop of a terminal path) has no
  mate;
* a path is an edge between its two ends; a junction is an edge for every pair of its paths.

So one phase of Edmonds' blossom algorithm from a start finds every vertex that a trail can leave over track,
here called *outer*: the start itself, sides entered from the neighbour, stops that can be passed. The few
paths it leaves in doubt are decided by the trails already found or by one more growth without their far end.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from operator import or_

FREE, INNER, OUTER, DEAD, GONE = range(5)
MET = (OUTER, DEAD)
"""Labels of a stop that a trail reaches."""
End = Hashable
PathId = Hashable


@dataclass(slots=True)
class TrackGraph:
    """Track as a graph over small ints, ready for :func:`explore`.

    ``mate[v]`` is the vertex behind a side, ``v`` itself for a stop that may be passed, -1 for a dead end.
    ``links[v]`` lists ``(other vertex, link)``. A link below ``paths`` is the path of that number, the others
    are two paths of a junction, found in ``pairs[link - paths]``. ``owned`` lists ``(vertex, path)`` of paths
    that are connected whenever the vertex is outer: of a junction, or with both ends at the vertex.
    """

    mate: list[int]
    links: list[list[tuple[int, int]]]
    paths: int
    pairs: list[tuple[int, int]] = field(default_factory=list)
    owned: list[tuple[int, int]] = field(default_factory=list)


class Growth:
    """The alternating trees grown from one root: the label of every vertex and how it was reached.

    ``closed`` are vertices left out. ``used[link]`` is set when a trail surely runs over the link, ``doubts``
    lists the ``(from, to, link)`` whose far end had a label already, ``order`` the outer vertices as found.
    ``parent`` is the outer vertex from which an inner vertex or a stop was found; an inner vertex that became
    outer has in ``bridge`` the link that closed its blossom, its own side first. ``base`` is a disjoint-set
    forest of the blossoms.
    """

    __slots__ = ("base", "bridge", "doubts", "graph", "label", "order", "parent", "root", "used", "without")

    def __init__(self, graph: TrackGraph, root: int, closed: Iterable[int] = ()) -> None:
        size = len(graph.mate)
        self.graph = graph
        self.root = root
        self.label = bytearray(size)
        self.parent = [-1] * size
        self.base = list(range(size))
        self.bridge: dict[int, tuple[int, int]] = {}
        self.used = bytearray(graph.paths + len(graph.pairs))
        self.doubts: list[tuple[int, int, int]] = []
        self.order = [root]
        self.without: dict[int, Growth] = {}
        for vertex in closed:
            self.label[vertex] = GONE
        self.label[root] = OUTER
        self._grow()

    def _grow(self) -> None:
        mate, links = self.graph.mate, self.graph.links
        label, parent, base, used, order = self.label, self.parent, self.base, self.used, self.order
        find, doubt = self._find, self.doubts.append
        for u in order:  # grows while it is walked
            for v, link in links[u]:
                if used[link]:
                    continue
                state = label[v]
                if state == FREE:
                    used[link] = 1
                    behind = mate[v]
                    if behind < 0:
                        label[v] = DEAD
                        continue
                    parent[v] = u
                    if behind == v:  # passing a stop either way round is a blossom of its own
                        label[v] = OUTER
                        base[v] = find(u)
                        order.append(v)
                    else:
                        label[v] = INNER
                        label[behind] = OUTER
                        order.append(behind)
                elif state == INNER:
                    doubt((u, v, link))
                elif state == OUTER:
                    if find(u) == find(v):
                        doubt((u, v, link))
                    else:
                        used[link] = 1
                        self._shrink(u, v)
                elif state == DEAD:
                    used[link] = 1

    def _find(self, vertex: int) -> int:
        """Base of the blossom a vertex lies in."""
        base = self.base
        while base[vertex] != vertex:
            base[vertex] = vertex = base[base[vertex]]
        return vertex

    def _shrink(self, u: int, v: int) -> None:
        """Contract the blossom closed by a link between outer vertices: all its vertices become outer."""
        top = self._meet(self._find(u), self._find(v))
        self._absorb(u, v, top)
        self._absorb(v, u, top)

    def _meet(self, a: int, b: int) -> int:
        """The lowest blossom above both of two different blossoms."""
        mate, parent = self.graph.mate, self.parent
        seen = {a, b}
        while True:
            if a != self.root:
                a = self._find(parent[mate[a]])
                if a in seen:
                    return a
                seen.add(a)
            a, b = b, a

    def _absorb(self, u: int, v: int, top: int) -> None:
        """Make one side of a new blossom outer, from the blossom of u up to ``top``."""
        mate, base, find = self.graph.mate, self.base, self._find
        at = find(u)
        while at != top:
            inner = mate[at]
            self.bridge[inner] = (u, v)
            self.label[inner] = OUTER
            self.order.append(inner)
            base[at] = base[inner] = top
            at = find(self.parent[inner])

    def trail_has(self, outer: int, vertex: int) -> bool:
        """True if the trail found to an outer vertex runs over another vertex."""
        mate, parent, bridge = self.graph.mate, self.parent, self.bridge
        pending = [(outer, self.root)]
        while pending:
            at, end = pending.pop()
            while at != vertex and at != end:
                behind = mate[at]
                if at in bridge:
                    near, at = bridge[at]
                    pending.append((near, behind))
                elif behind == at:
                    at = parent[at]
                elif behind == vertex:
                    return True
                else:
                    at = parent[behind]
            if at == vertex:
                return True
        return False

    def reaches_without(self, outer: int, vertex: int) -> bool:
        """True if a trail reaches an outer vertex without another vertex and its mate."""
        if not self.trail_has(outer, vertex):
            return True
        if vertex == self.root:
            return False
        other = self.without.get(vertex)
        if other is None:
            other = self.without[vertex] = Growth(self.graph, self.root, (vertex, self.graph.mate[vertex]))
        return other.label[outer] == OUTER


@dataclass(slots=True)
class Reach:
    """What :func:`explore` found: ``connected[path]`` and, per root, its growth."""

    connected: bytearray
    growths: list[Growth]


def explore(graph: TrackGraph, roots: Sequence[int]) -> Reach:
    """Every path that lies on a trail from one of the roots; the roots must have no mate."""
    connected = bytearray(graph.paths)
    growths = [Growth(graph, root) for root in roots]
    for growth in growths:
        _mark_used(graph, growth, connected)
    for growth in growths:
        for u, v, link in growth.doubts:
            members = (link,) if link < graph.paths else graph.pairs[link - graph.paths]
            if all(connected[path] for path in members):
                continue
            if growth.reaches_without(u, v) or (growth.label[v] == OUTER and growth.reaches_without(v, u)):
                for path in members:
                    connected[path] = 1
    return Reach(connected, growths)


def _mark_used(graph: TrackGraph, growth: Growth, connected: bytearray) -> None:
    paths, used = graph.paths, growth.used
    connected[:] = bytes(map(or_, connected, used))  # stops at the last path
    for link, (a, b) in enumerate(graph.pairs, paths):
        if used[link]:
            connected[a] = connected[b] = 1
    for vertex, path in graph.owned:
        if growth.label[vertex] == OUTER:
            connected[path] = 1


@dataclass(slots=True)
class Position:
    """Track as a client of the algorithm states it; ends are any hashable ids.

    ``paths`` are ``(id, end, end)``. An end in ``stops`` is a stop, one in ``junctions`` a junction, any
    other a hex side. ``sides`` gives the same side as seen from the other hex; a border is open if it is open
    both ways. ``starts`` are the stops where trails start. ``no_pass`` stops end every trail, and so do paths
    in ``terminal`` at their stop: trails leave that stop over such a path only if they start there.
    """

    paths: Sequence[tuple[PathId, End, End]]
    sides: Mapping[End, End]
    stops: Collection[End]
    starts: Collection[End]
    no_pass: Collection[End] = ()
    junctions: Collection[End] = ()
    terminal: Collection[PathId] = ()


@dataclass(slots=True)
class Connectivity:
    """Connected paths and stops, and for every start the stops its own trails meet (itself included)."""

    paths: set[PathId]
    stops: set[End]
    met: dict[End, set[End]]


def connectivity(position: Position) -> Connectivity:
    """Connected paths and stops of a position (core 7.1), exactly and in polynomial time."""
    builder = _Builder(position)
    graph = builder.graph
    roots = [builder.vertex(start) for start in position.starts]
    reach = explore(graph, roots)
    met: dict[End, set[End]] = {}
    for start, growth in zip(position.starts, reach.growths, strict=True):
        met[start] = {stop for stop, vertex in builder.stops if growth.label[vertex] in MET} | {start}
    stops: set[End] = set(position.starts).union(*met.values())
    paths = {spec[0] for spec, on in zip(position.paths, reach.connected, strict=True) if on}
    return Connectivity(paths, stops, met)


class _Builder:
    """Translates a position into a track graph.

    An end of a path has two vertices: the one trails arrive at and the one they leave from. They differ only
    for the stop of a terminal path, where trails arrive at a dead end of the path's own.
    """

    def __init__(self, position: Position) -> None:
        self.position = position
        self.graph = TrackGraph([], [], len(position.paths))
        self.ids: dict[End, int] = {}
        self.stops: list[tuple[End, int]] = []
        self.impassable = frozenset(position.starts).union(position.no_pass)
        self.meetings: dict[End, list[tuple[int, int, int]]] = {}
        for path, (key, a, b) in enumerate(position.paths):
            self._add_path(path, a, b, key in position.terminal)
        for members in self.meetings.values():
            self._join(members)
        self._match_sides()

    def vertex(self, end: End) -> int:
        """The vertex of a stop or side, made on first use."""
        vertex = self.ids.get(end)
        if vertex is None:
            vertex = self.ids[end] = self._new()
            if end in self.position.stops:
                self.stops.append((end, vertex))
                if end not in self.impassable:
                    self.graph.mate[vertex] = vertex
        return vertex

    def _new(self) -> int:
        self.graph.mate.append(-1)
        self.graph.links.append([])
        return len(self.graph.mate) - 1

    def _ends(self, end: End, terminal: bool) -> tuple[int, int]:
        """Vertices to arrive at and to leave from."""
        if not terminal or end not in self.position.stops:
            vertex = self.vertex(end)
            return vertex, vertex
        own = self._new()
        self.stops.append((end, own))
        return own, self.vertex(end) if end in self.position.starts else own

    def _add_path(self, path: int, a: End, b: End, terminal: bool) -> None:
        junctions = self.position.junctions
        if a in junctions:
            a, b = b, a
        if a in junctions:  # between two junctions: a side between the halves of the path
            for junction in (a, b):
                half = self._new()
                self.meetings.setdefault(junction, []).append((half, half, path))
            self.graph.mate[half - 1 : half + 1] = half, half - 1
            return
        to_a, from_a = self._ends(a, terminal)
        if b in junctions:
            self.meetings.setdefault(b, []).append((to_a, from_a, path))
            self.graph.owned.append((from_a, path))
        elif a == b:
            self.graph.owned.append((from_a, path))
        else:
            to_b, from_b = self._ends(b, terminal)
            self.graph.links[from_a].append((to_b, path))
            self.graph.links[from_b].append((to_a, path))

    def _join(self, members: list[tuple[int, int, int]]) -> None:
        """Link every two paths of a junction."""
        graph = self.graph
        for (to_a, from_a, path_a), (to_b, from_b, path_b) in combinations(members, 2):
            if to_a != to_b:
                link = graph.paths + len(graph.pairs)
                graph.pairs.append((path_a, path_b))
                graph.links[from_a].append((to_b, link))
                graph.links[from_b].append((to_a, link))

    def _match_sides(self) -> None:
        sides, ids, mate = self.position.sides, self.ids, self.graph.mate
        for side, vertex in ids.items():
            other = sides.get(side)
            behind = None if other is None else ids.get(other)
            if behind is not None and behind != vertex and sides.get(other) == side:
                mate[vertex] = behind
