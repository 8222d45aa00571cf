"""Shrinks the track of a problem to a network of stops and links.

A *link* is a walk over track from one stop to another that meets no stop in between. Conflict ids are
replaced by as few bits as tell the same conflicts apart: *shared* bits, of which each belongs to one route
at most, and *private* bits, which bind only within a route (junctions; all track in 1862).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from services.route_problem import HexBonus, HexSubsidy, RouteProblem, Track

MAX_LINKS = 4_000
MAX_STEPS = 400_000


@dataclass(slots=True)
class Link:
    """A walk between two stops (indices into `Network.stops`).

    `start_first`, `end_last`: because of terminal track the walk can only begin (end) a route at that end.
    `hexes`: bit set over problem hexes, filled only if hexes pay. `before`: for either end the first hex of the walk
    other than the stop's own, from which an off-board end of a freight route is measured.
    """

    ends: tuple[int, int]
    pieces: tuple[int, ...]
    ids: int
    nodes: int
    sides: int
    start_first: bool
    end_last: bool
    hexes: int
    before: tuple[int, int]
    mask: int = 0


@dataclass(slots=True)
class Network:
    """Contracted track in reach of the stations.

    `stops` are problem stop ids. `Link.mask` has the shared bits below `shared_bits`, private bits above, up to `bits`.
    `complete` is false if a cap was hit: then links are missing and nothing may be called proven.
    """

    stops: list[int]
    links: list[Link]
    shared_bits: int = 0
    bits: int = 0
    complete: bool = True
    near: list[list[int]] = field(default_factory=list)


def contract(problem: RouteProblem, tick: Callable[[], None] = lambda: None) -> Network:
    """The network of everything a route through a station of the company could use.

    `tick` is called every few milliseconds; it may raise to end the work.
    """
    walker = _Walker(problem, tick)
    walker.run()
    links = _undominated(problem, walker.links, lambda link: link.ids, lambda link: link.nodes, tick)
    network = Network(walker.stops, links, complete=walker.complete)
    _compress(problem, network, tick)
    while len({link.ends for link in network.links}) < len(network.links):
        links = _undominated(problem, network.links, lambda link: link.mask, lambda link: 0, tick)
        if len(links) == len(network.links):
            break
        network.links = links
        _compress(problem, network, tick)
    network.near = [[] for _ in network.stops]
    for number, link in enumerate(network.links):
        network.near[link.ends[0]].append(number)
        network.near[link.ends[1]].append(number)
    return network


class _Walker:
    """Finds the links by walking from stop to stop, outwards from the stations."""

    def __init__(self, problem: RouteProblem, tick: Callable[[], None]) -> None:
        self.problem = problem
        self.tick = tick
        self.count = len(problem.stops)
        self.stops: list[int] = []
        self.number: dict[int, int] = {}
        self.links: list[Link] = []
        self.complete = True
        self.steps = MAX_STEPS
        self.uses = [_bits(piece.uses) for piece in problem.track]
        self.forbidden = set(problem.forbidden)
        self.need_hexes = any(isinstance(bonus, HexBonus) for bonus in problem.bonuses) or any(
            isinstance(subsidy, HexSubsidy) for subsidy in problem.subsidies
        )
        self.need_before = any(train.pay == "ends" for train in problem.trains)
        self.near = self._adjacency(problem.track)

    def _adjacency(self, track: list[Track]) -> dict[int, list[tuple[int, int]]]:
        """Pieces at every node, without dead ends."""
        near: dict[int, list[tuple[int, int]]] = {}
        for number, piece in enumerate(track):
            first, second = piece.ends
            if len(set(piece.uses)) < len(piece.uses):
                continue
            near.setdefault(first, []).append((number, second))
            near.setdefault(second, []).append((number, first))
        dead = [node for node, pieces in near.items() if node >= self.count and len(pieces) == 1]
        while dead:
            node = dead.pop()
            if len(near[node]) != 1:
                continue
            number, other = near[node].pop()
            near[other].remove((number, node))
            if other >= self.count and len(near[other]) == 1:
                dead.append(other)
        return near

    def run(self) -> None:
        stops = self.problem.stops
        queue = [stop for stop, entry in enumerate(stops) if entry.token and stop not in self.forbidden]
        for stop in queue:
            self.number[stop] = len(self.stops)
            self.stops.append(stop)
        position = 0
        while position < len(self.stops):
            stop = self.stops[position]
            self.tick()
            if stops[stop].token or not stops[stop].blocked:
                self._expand(stop)
            position += 1

    def _expand(self, stop: int) -> None:
        """All links of a stop to stops not expanded before, depth first."""
        near, uses, count = self.near, self.uses, self.count
        done = self.number[stop]
        stops = self.problem.stops
        stack: list[tuple[int, int, int, tuple[int, ...]]] = [(stop, 0, 0, ())]
        while stack:
            if not len(stack) % 16:
                self.tick()
            node, ids, nodes, pieces = stack.pop()
            for number, other in near.get(node, ()):
                if ids & uses[number]:
                    continue
                if other < count:
                    if other == stop or other in self.forbidden:
                        continue
                    index = self.number.get(other)
                    if index is None:
                        index = self.number[other] = len(self.stops)
                        self.stops.append(other)
                    elif index < done and (stops[other].token or not stops[other].blocked):
                        continue
                    self._add(done, index, (*pieces, number), ids | uses[number], nodes)
                elif not nodes >> (other - count) & 1:
                    self.steps -= 1
                    if self.steps < 0 or len(self.links) >= MAX_LINKS:
                        self.complete = False
                        return
                    bit = 1 << (other - count)
                    stack.append((other, ids | uses[number], nodes | bit, (*pieces, number)))

    def _add(self, start: int, end: int, pieces: tuple[int, ...], ids: int, nodes: int) -> None:
        problem = self.problem
        track = problem.track
        terminal = [position for position, piece in enumerate(pieces) if track[piece].terminal]
        if any(0 < position < len(pieces) - 1 for position in terminal):
            return
        sides = (nodes & ((1 << problem.sides) - 1)).bit_count()
        hexes = _bits(track[piece].hex for piece in pieces) if self.need_hexes else 0
        before = (-1, -1)
        if self.need_before:
            before = self._before(self.stops[start], pieces), self._before(self.stops[end], pieces[::-1])
        flags = [(0 in terminal, len(pieces) - 1 in terminal)]
        if len(pieces) == 1 and terminal:
            flags = [(True, False), (False, True)]
        for first, last in flags:
            self.links.append(Link((start, end), pieces, ids, nodes, sides, first, last, hexes, before))

    def _before(self, stop: int, pieces: tuple[int, ...]) -> int:
        own = self.problem.stops[stop].hex
        if self.problem.stops[stop].kind != "offboard":
            return own
        return next((h for piece in pieces if (h := self.problem.track[piece].hex) != own), own)


def _bits(numbers: object) -> int:
    mask = 0
    for number in numbers:  # type: ignore[attr-defined]
        mask |= 1 << number
    return mask


def _undominated(
    problem: RouteProblem,
    links: list[Link],
    conflicts: Callable[[Link], int],
    places: Callable[[Link], int],
    tick: Callable[[], None],
) -> list[Link]:
    """Links without those that a parallel link replaces in every route at no loss.

    First by the track they use; once conflicts are sets of links, by the links they exclude, which is a weaker
    condition: track that no other link uses does not matter.
    """
    groups: dict[tuple[int, int], list[Link]] = {}
    for link in links:
        groups.setdefault(link.ends, []).append(link)
    if len(groups) == len(links):
        return links
    limited = any(train.hex_limit is not None for train in problem.trains)

    def replaces(one: Link, other: Link) -> bool:
        return (
            not conflicts(one) & ~conflicts(other)
            and not places(one) & ~places(other)
            and one.start_first <= other.start_first
            and one.end_last <= other.end_last
            and not other.hexes & ~one.hexes
            and one.before == other.before
            and (not limited or one.sides <= other.sides)
        )

    kept = []
    for group in groups.values():
        tick()
        if len(group) > 1:
            group.sort(key=lambda link: (len(link.pieces), link.pieces))
            best: list[Link] = []
            for link in group:
                if not any(replaces(one, link) for one in best):
                    best = [one for one in best if not replaces(link, one)]
                    best.append(link)
            group = best
        kept += group
    return kept


def _compress(problem: RouteProblem, network: Network, tick: Callable[[], None]) -> None:
    """Give every link its `mask`: conflicts as sets of links, without repetitions and subsets."""
    by_id: dict[int, int] = {}
    by_node: dict[int, int] = {}
    for number, link in enumerate(network.links):
        if not number % 64:
            tick()
        link.mask = 0
        bit = 1 << number
        _collect(by_id, link.ids, bit)
        _collect(by_node, link.nodes, bit)
    shared: list[int] = []
    private = list(by_node.values())
    if problem.rules.share_track:
        private += by_id.values()
    else:
        shared = _maximal(by_id.values(), [], tick)
        loose = (1 << len(network.links)) - 1
        for links in shared:
            loose &= ~links
        while loose:
            shared.append(loose & -loose)
            loose &= loose - 1
    private = _maximal(private, shared, tick)
    network.shared_bits = len(shared)
    network.bits = len(shared) + len(private)
    for position, links in enumerate([*shared, *private]):
        tick()
        bit = 1 << position
        while links:
            low = links & -links
            network.links[low.bit_length() - 1].mask |= bit
            links ^= low


def _collect(table: dict[int, int], mask: int, bit: int) -> None:
    while mask:
        low = mask & -mask
        table[low] = table.get(low, 0) | bit
        mask ^= low


def _maximal(sets: object, given: list[int], tick: Callable[[], None]) -> list[int]:
    """Sets of two or more links that lie in no other set (nor in one of `given`), largest first."""
    candidates = sorted(
        {links for links in sets if links & (links - 1)},  # type: ignore[attr-defined]
        key=lambda links: (-links.bit_count(), links),
    )
    kept: list[int] = []
    for links in candidates:
        tick()
        if not any(links & other == links for other in given) and not any(links & o == links for o in kept):
            kept.append(links)
    return kept
