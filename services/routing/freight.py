"""Chains that freight trains can form, by the trains in them: what they earn, and which routes make them up.

A chain is a walk from route to route over common ends. What it earns depends only on its two free
ends, so for every set of trains the table has the pairs of ends they can carry between. The routes themselves are
looked for only once a pair is worth it.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from services.routing.chains import ChainError, FreightRoute, Position, build_chains, crow_distance
from services.routing.cover import Tick
from services.routing.engine import Path

Key = tuple[int, ...]
"""How many trains of every class a chain has."""

End = tuple[int, int, int]
"""Stop, hex it is measured from, whether it is off the board."""


@dataclass(slots=True)
class FreightOption:
    """A route of a freight train: visited stops, ends, score of the route beyond its chain's.

    `start`: the stop it starts at if it cannot be turned, being a single piece of track; else -1.
    """

    visited: int
    ends: tuple[End, End]
    extra: int
    path: Path
    start: int = -1


@dataclass(slots=True)
class FreightClass:
    """Identical freight trains."""

    trains: list[int]
    options: list[FreightOption]
    permanent: bool


@dataclass(frozen=True, slots=True)
class Carriage:
    """What a chain can carry between: numbers of its ends, the stops they are, its distance (0 for a ring on land)."""

    ends: tuple[int, int]
    stops: tuple[int, int]
    distance: int

    @property
    def is_ring(self) -> bool:
        return self.stops[0] == self.stops[1]


@dataclass(slots=True)
class Leg:
    """A route of a chain: a train of a class, one of its options, and the two ends in the direction of the chain."""

    number: int
    option: FreightOption
    ends: tuple[int, int]


@dataclass(slots=True)
class Chain:
    """Routes joined end to end: stops they visit, score beyond what the chain earns, and whether no stop is
    the end of more than two of them.
    """

    legs: list[Leg]
    visited: int
    extra: int
    simple: bool


@dataclass(slots=True)
class Listing:
    """Freight routes in the order in which they are listed, each with the stop it starts at.

    `plain`: any order would do.
    """

    routes: list[tuple[int, FreightOption, int]]
    plain: bool

    @property
    def extra(self) -> int:
        return sum(option.extra for _, option, _ in self.routes)


class FreightTable:
    """Chains of some classes of freight trains. `places`: coordinates by hex."""

    def __init__(self, classes: list[FreightClass], places: list[tuple[int, int]], tick: Tick) -> None:
        self.classes = classes
        self.places = places
        self.tick = tick
        self.numbers: dict[End, int] = {}
        self.ends: list[End] = []
        self.onward: list[dict[int, dict[int, list[FreightOption]]]] = []
        """By class: from an end, ends that one route leads to, with the routes."""
        for freight in classes:
            table: dict[int, dict[int, list[FreightOption]]] = {}
            for option in freight.options:
                one, other = (self._number(end) for end in option.ends)
                table.setdefault(one, {}).setdefault(other, []).append(option)
                table.setdefault(other, {}).setdefault(one, []).append(option)
            self.onward.append(table)
        self.at_stop: dict[int, list[int]] = {}
        for number, end in enumerate(self.ends):
            self.at_stop.setdefault(end[0], []).append(number)
        self._reach: dict[Key, dict[int, int]] = {}
        self._from_stop: list[dict[int, int]] = [self._by_stop(table) for table in self.onward]

    def _number(self, end: End) -> int:
        if end not in self.numbers:
            self.numbers[end] = len(self.ends)
            self.ends.append(end)
        return self.numbers[end]

    def _by_stop(self, table: dict[int, dict[int, list[FreightOption]]]) -> dict[int, int]:
        """By stop, the set of ends that one route leads to."""
        found: dict[int, int] = {}
        for end, others in table.items():
            stop = self.ends[end][0]
            found[stop] = found.get(stop, 0) | sum(1 << other for other in others)
        return found

    def groupings(self) -> Iterator[tuple[Key, ...]]:
        """Every way to run some of the trains in chains, as far as trains that rust allow it."""
        counts = tuple(len(freight.trains) for freight in self.classes)
        keys = [key for key in itertools.product(*(range(count + 1) for count in counts)) if any(key)]
        rusting = {key for key in keys if any(n and not c.permanent for n, c in zip(key, self.classes, strict=True))}
        lasting = [key for key in keys if key not in rusting]

        def grow(least: int, left: Key) -> Iterator[tuple[Key, ...]]:
            yield ()
            for number in range(least, len(lasting)):
                key = lasting[number]
                rest = tuple(have - used for have, used in zip(left, key, strict=True))
                if min(rest) >= 0:
                    for others in grow(number, rest):
                        yield (key, *others)

        yield from grow(0, counts)
        for key in keys:
            if key not in rusting:
                continue
            if not any(n and c.permanent for n, c in zip(key, self.classes, strict=True)):
                yield (key,)
                continue
            left = tuple(have - used for have, used in zip(counts, key, strict=True))
            for others in grow(0, left):
                yield (key, *others)

    def carriages(self, key: Key) -> list[Carriage]:
        """What the trains of `key` can carry between, joined in one chain."""
        found = []
        rings = set()
        for one, others in self._reached(key).items():
            while others:
                other = (others & -others).bit_length() - 1
                others &= others - 1
                stop, end = self.ends[one][0], self.ends[other][0]
                if stop == end:
                    rings.add(stop)
                elif one < other:
                    distance = crow_distance(self._position(one), self._position(other))
                    found.append(Carriage((one, other), (stop, end), distance))
        for stop in sorted(rings):
            number = self.at_stop[stop][0]
            found.append(Carriage((number, number), (stop, stop), self.ends[number][2]))
        return found

    def _position(self, number: int) -> Position:
        _, tile, off = self.ends[number]
        return (*self.places[tile], bool(off))

    def _reached(self, key: Key) -> dict[int, int]:
        """By end at which a chain starts, the set of ends at which it can arrive."""
        known = self._reach.get(key)
        if known is not None:
            return known
        found: dict[int, int] = {}
        for number, count in enumerate(key):
            if not count:
                continue
            before = (*key[:number], count - 1, *key[number + 1 :])
            if not any(before):
                found = {end: sum(1 << other for other in others) for end, others in self.onward[number].items()}
                break
            onward = self._from_stop[number]
            for start, ends in self._reached(before).items():
                self.tick(1)
                arrived = 0
                for stop in {self.ends[end][0] for end in _bits(ends)}:
                    arrived |= onward.get(stop, 0)
                if arrived:
                    found[start] = found.get(start, 0) | arrived
        self._reach[key] = found
        return found

    def chains(self, key: Key, carriage: Carriage) -> Iterator[Chain]:
        """Walks of the trains of `key` that carry so, one for every set of visited stops and row of common ends."""
        seen: set[object] = set()
        starts, ends = [carriage.ends[0]], [carriage.ends[1]]
        if carriage.is_ring:
            starts = ends = self.at_stop[carriage.stops[0]]
        for first in starts:
            for legs in self._walks(key, first, ends):
                self.tick(1)
                visited, extra = 0, 0
                for leg in legs:
                    visited |= leg.option.visited
                    extra += leg.option.extra
                joints = tuple(self.ends[leg.ends[0]][0] for leg in legs[1:])
                kinds = tuple((self.classes[leg.number].permanent, leg.option.start) for leg in legs)
                found = visited, extra, joints, kinds
                if found not in seen:
                    seen.add(found)
                    yield Chain(legs, visited, extra, len({*joints, *carriage.stops}) == len(joints) + 2)

    def listings(
        self,
        choices: list[Callable[[], Iterable[Chain]]],
        carriages: list[Carriage],
        allowed: Callable[[list[int]], bool],
    ) -> Iterator[Listing]:
        """Chains, one of every choice, that carry as wanted when listed in the order given.

        Only those count whose routes' visited stops are `allowed`.
        """

        def grow(chains: list[Chain]) -> Iterator[Listing]:
            number = len(chains)
            if number == len(choices):
                if allowed([leg.option.visited for chain in chains for leg in chain.legs]):
                    yield from self._listed(chains, carriages)
                return
            for chain in choices[number]():
                yield from grow([*chains, chain])

        return grow([])

    def _walks(self, key: Key, start: int, ends: Iterable[int]) -> Iterator[list[Leg]]:
        """Ways to get from an end to one of several others with exactly the trains of `key`."""
        for number, count in enumerate(key):
            if not count:
                continue
            before = (*key[:number], count - 1, *key[number + 1 :])
            for end in ends:
                for middle, options in sorted(self.onward[number].get(end, {}).items()):
                    if not any(before):
                        if middle == start:
                            yield from ([Leg(number, option, (middle, end))] for option in options)
                        continue
                    arrivals = self._reached(before).get(start, 0)
                    meeting = [other for other in self.at_stop[self.ends[middle][0]] if arrivals >> other & 1]
                    if meeting:
                        for legs in self._walks(before, start, meeting):
                            yield from ([*legs, Leg(number, option, (middle, end))] for option in options)

    def _listed(self, chains: list[Chain], carriages: list[Carriage]) -> Iterator[Listing]:
        """The legs of some chains, if they can be listed so that these chains come of it."""
        free = [iter(freight.trains) for freight in self.classes]
        routes: list[tuple[int, FreightOption, tuple[int, int]]] = []
        members: list[frozenset[int]] = []
        for chain in chains:
            numbered = [(next(free[leg.number]), leg.option, leg.ends) for leg in chain.legs]
            routes += numbered
            members.append(frozenset(train for train, _, _ in numbered))
        wanted = {
            (trains, frozenset(carriage.stops), carriage.distance)
            for trains, carriage in zip(members, carriages, strict=True)
        }
        routes.sort(key=lambda route: route[0])
        stops = [self.ends[end][0] for _, _, ends in routes for end in ends]
        plain = all(stops.count(stop) <= 2 for stop in stops) and not any(carriage.is_ring for carriage in carriages)
        for order in [routes] if plain else itertools.permutations(routes):
            for turned in [()] if plain else itertools.product((False, True), repeat=len(routes)):
                self.tick(1)
                listed = [
                    (train, option, ends[::-1] if turned and turned[place] else ends)
                    for place, (train, option, ends) in enumerate(order)
                ]
                if any(option.start not in (-1, self.ends[ends[0]][0]) for _, option, ends in listed) and not plain:
                    continue
                if self._carried(listed) == wanted:
                    found = [(train, option, self.ends[ends[0]][0]) for train, option, ends in listed]
                    yield Listing(found, plain)
                    return

    def _carried(
        self, listed: list[tuple[int, FreightOption, tuple[int, int]]]
    ) -> set[tuple[frozenset[int], frozenset[int], int]] | None:
        permanent = {train: freight.permanent for freight in self.classes for train in freight.trains}
        try:
            joined = build_chains(
                [
                    FreightRoute(
                        train,
                        (self.ends[ends[0]][0], self.ends[ends[1]][0]),
                        (self._position(ends[0]), self._position(ends[1])),
                        permanent[train],
                    )
                    for train, _, ends in listed
                ]
            )
        except ChainError:
            return None
        return {
            (frozenset(route.train for route in chain.routes), frozenset(chain.free), chain.distance)
            for chain in joined
        }


def _bits(mask: int) -> Iterator[int]:
    while mask:
        yield (mask & -mask).bit_length() - 1
        mask &= mask - 1
