"""Where the cities, towns and track of a tile are drawn inside its hex.

A single city stands in the middle. Towns with two exits stand on their track. Several nodes of one tile are
placed so that they overlap neither each other nor foreign track: every node has a few candidate sites, and
the cheapest combination is taken. Results are cached; a tile design is placed once per layout.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from functools import lru_cache

from .design import NODE, Design, Node
from .geometry import (
    Curve,
    at,
    direction,
    edge_curve,
    edge_middle,
    inside,
    node_curve,
    part,
    samples,
    straight,
    tangent_at,
)

SLOT = 25.0
"""Radius of a token slot."""
TOWN = 9.0
RIM = 50.0
"""Distance from the middle of nodes that stand at a bearing."""


@dataclass(frozen=True)
class Site:
    """Place of a node: its middle, the direction of track through it (None: any), middles of its slots."""

    position: complex
    tangent: complex | None
    slots: tuple[complex, ...]
    split: float | None = None
    """Parameter on the curve between the node's two edges, when it stands exactly on that curve."""


@dataclass(frozen=True)
class Layout:
    """A placed tile: sites by node, curves by piece of track (from end ``a`` to end ``b``), relative to the
    hex's middle.
    """

    sites: tuple[Site, ...]
    curves: tuple[Curve, ...]
    ends: tuple[tuple[int, int], ...]
    """Ends of every piece with edges turned by the rotation."""


@lru_cache(maxsize=8192)
def place(design: Design, layout: str, rotation: int) -> Layout:
    """Place a tile lying in a rotation. Edge e of the design lies at edge ``e + rotation``."""
    base_sites, base_curves = _place_unrotated(design, layout)
    turn = direction(layout, rotation) / direction(layout, 0)
    sites = tuple(_turned(site, turn) for site in base_sites)
    curves = tuple(_turned_curve(curve, turn) for curve in base_curves)
    ends = tuple((_turn_end(t.a, rotation), _turn_end(t.b, rotation)) for t in design.track)
    return Layout(sites, curves, ends)


def _turn_end(end: int, rotation: int) -> int:
    return end if end >= NODE else (end + rotation) % 6


def _turned(site: Site, turn: complex) -> Site:
    if abs(site.position) < 1 and site.tangent is None:
        return site  # a city in the middle keeps its slots level
    tangent = None if site.tangent is None else site.tangent * turn
    return Site(site.position * turn, tangent, tuple(s * turn for s in site.slots), site.split)


def _turned_curve(curve: Curve, turn: complex) -> Curve:
    p, q, r, s = curve
    return (p * turn, q * turn, r * turn, s * turn)


def slot_middles(count: int, position: complex) -> tuple[complex, ...]:
    """Middles of the slots of a city: side by side, across the bearing when it stands off the middle."""
    if count <= 1:
        return (position,) if count == 1 else ()
    across = 1 + 0j if abs(position) < 1 else position / abs(position) * 1j
    if count == 2:
        return (position - across * SLOT, position + across * SLOT)
    if count == 3:
        radius = SLOT / math.cos(math.pi / 6)
        return tuple(position + across * 1j * radius * _spin(-120 * i - 180) for i in range(3))
    if count == 4:
        return tuple(position + across * complex(x, y) * SLOT for x, y in ((-1, -1), (1, -1), (-1, 1), (1, 1)))
    ring = SLOT / math.sin(math.pi / count)
    return tuple(position + ring * _spin(360 * i / count - 90) for i in range(count))


def _spin(degrees: float) -> complex:
    angle = math.radians(degrees)
    return complex(math.cos(angle), math.sin(angle))


def _place_unrotated(design: Design, layout: str) -> tuple[tuple[Site, ...], tuple[Curve, ...]]:
    edges = node_edges(design)
    candidates = [_candidates(design, index, edges[index], layout) for index in range(len(design.nodes))]
    sites = _cheapest(design, edges, candidates, layout)
    curves = []
    for piece in design.track:
        if not piece.nodes:
            curves.append(edge_curve(layout, piece.a, piece.b))
        elif not piece.edges:
            a, b = (sites[node].position for node in piece.nodes)
            curves.append(straight(a, b))
        else:
            node, edge = piece.nodes[0], piece.edges[0]
            curve = _edge_to_node(layout, edge, sites[node], edges[node])
            curves.append(curve if piece.a == edge else curve[::-1])
    return tuple(sites), tuple(curves)


def node_edges(design: Design) -> list[tuple[int, ...]]:
    """Edges that the track of each node leads to, ascending."""
    edges: list[set[int]] = [set() for _ in design.nodes]
    for piece in design.track:
        for node in piece.nodes:
            edges[node].update(piece.edges)
    return [tuple(sorted(e)) for e in edges]


def _edge_to_node(layout: str, edge: int, site: Site, edges: tuple[int, ...]) -> Curve:
    if site.split is not None:
        whole = edge_curve(layout, edges[0], edges[1])
        if edge == edges[0]:
            return part(whole, 0, site.split)
        return part(whole, site.split, 1)[::-1]
    return node_curve(layout, edge, site.position, site.tangent)


def _candidates(design: Design, index: int, edges: tuple[int, ...], layout: str) -> list[tuple[float, Site]]:
    """Possible sites of a node with the cost of choosing each."""
    node = design.nodes[index]
    alone = len(design.nodes) == 1
    if node.kind == "city" and alone and node.bearing is None:
        return [(0, _site(node, 0j, None))]
    if node.kind == "offboard":
        return [(0, _site(node, _mean(layout, edges) * (0 if alone else 42), None))]
    if len(edges) == 2 and not (node.kind == "city" and node.bearing is not None):
        return _on_curve(node, edges, layout)
    if node.bearing is not None:
        through = _through(layout, edges)
        return [
            (cost, _site(node, direction(layout, node.bearing) * radius, through))
            for cost, radius in ((0, RIM), (40, RIM + 6), (80, RIM - 8))
        ]
    if alone:
        return [(0, _site(node, 0j, None))]
    if len(edges) == 1:
        return [
            (abs(turn) * 60, _site(node, direction(layout, edges[0] + turn) * RIM, None)) for turn in (0, 0.5, -0.5)
        ]
    return _around(node, edges, layout)


def _site(node: Node, position: complex, tangent: complex | None, split: float | None = None) -> Site:
    return Site(position, tangent, slot_middles(node.slots, position), split)


def _mean(layout: str, edges: tuple[int, ...]) -> complex:
    """Unit vector towards the middle of some edges, zero when they balance."""
    total = sum((direction(layout, e) for e in edges), 0j)
    return total / abs(total) if abs(total) > 1e-6 else 0j


def _through(layout: str, edges: tuple[int, ...]) -> complex | None:
    """Direction of track that enters and leaves a node with two edges."""
    if len(edges) != 2:
        return None
    chord = edge_middle(layout, edges[1]) - edge_middle(layout, edges[0])
    return chord / abs(chord)


def _on_curve(node: Node, edges: tuple[int, ...], layout: str) -> list[tuple[float, Site]]:
    curve = edge_curve(layout, edges[0], edges[1])
    found = []
    for t in (0.5, 0.36, 0.64, 0.27, 0.73, 0.21, 0.79):
        cost = abs(t - 0.5) * 400
        if node.bearing is not None:
            cost += abs(at(curve, t) - direction(layout, node.bearing) * RIM) * 2
        found.append((cost, _site(node, at(curve, t), tangent_at(curve, t), t)))
    return found


def _around(node: Node, edges: tuple[int, ...], layout: str) -> list[tuple[float, Site]]:
    """Sites all around the middle for a node with no edge or with many."""
    found = [(20.0 if edges else 400.0, _site(node, 0j, None))]
    for step in range(12):
        side = direction(layout, step / 2)
        # Level positions first: two nodes without track stand side by side.
        cost = abs(side.imag) * 30 if not edges else 0.0
        found.append((cost, _site(node, side * (42 if node.kind == "town" else RIM), None)))
    if edges:
        found.extend((10.0, _site(node, direction(layout, step / 2) * 25, None)) for step in range(12))
    return found


def _cheapest(
    design: Design, edges: list[tuple[int, ...]], candidates: list[list[tuple[float, Site]]], layout: str
) -> list[Site]:
    """The combination of sites with the lowest total cost; the first one on a tie."""
    if all(len(c) == 1 for c in candidates):
        return [c[0][1] for c in candidates]
    through = [samples(edge_curve(layout, t.a, t.b), 9) for t in design.track if not t.nodes]
    own = [[cost + _site_cost(layout, site, through) for cost, site in c] for c in candidates]
    tracks = [
        [[p for e in edges[i] for p in samples(_edge_to_node(layout, e, site, edges[i]), 7)] for _, site in c]
        for i, c in enumerate(candidates)
    ]
    count = len(candidates)
    pair = {
        (i, j): [
            [
                _clash(a, b) + _crossing(a, tracks[j][jb]) + _crossing(b, tracks[i][ia])
                for jb, (_, b) in enumerate(candidates[j])
            ]
            for ia, (_, a) in enumerate(candidates[i])
        ]
        for i, j in itertools.combinations(range(count), 2)
    }
    best: tuple[float, tuple[int, ...]] | None = None
    for choice in itertools.product(*(range(len(c)) for c in candidates)):
        cost = sum(own[i][c] for i, c in enumerate(choice))
        cost += sum(table[choice[i]][choice[j]] for (i, j), table in pair.items())
        if best is None or cost < best[0] - 1e-6:
            best = (cost, choice)
    assert best is not None
    return [candidates[i][c][1] for i, c in enumerate(best[1])]


def discs(site: Site) -> list[tuple[complex, float]]:
    """Circles a node covers."""
    if site.slots:
        return [(slot, SLOT) for slot in site.slots]
    return [(site.position, TOWN + 4)]


def _site_cost(layout: str, site: Site, through: list[list[complex]]) -> float:
    cost = 0.0
    for middle, radius in discs(site):
        cost += max(0.0, radius + 3 - inside(layout, middle)) ** 2
    return cost + sum(_crossing(site, track) for track in through)


def _clash(a: Site, b: Site) -> float:
    cost = 0.0
    for (p, r), (q, s) in itertools.product(discs(a), discs(b)):
        cost += max(0.0, r + s + 6 - abs(p - q)) ** 2 * 4
    return cost


def _crossing(site: Site, track: list[complex]) -> float:
    cost = 0.0
    for middle, radius in discs(site):
        cost += sum(max(0.0, radius + 9 - abs(middle - p)) ** 2 for p in track) * 0.3
    return cost
