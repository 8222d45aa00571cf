"""The plain-Python engine: the same search as the kernel, written for reading instead of speed.

It is the fallback where the compiled one is not installed or does not hold a problem (more than 63 stops),
and the reference the kernel is tested against. Sets are Python integers of any size.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field

from services.routing.chains import crow_distance
from services.routing.contract import Network
from services.routing.engine import Best, CombineWatch, Entry, Path, TooManyRoutes, Watch
from services.routing.rules import PAY_ALL, PAY_CHOICE, PAY_ENDS, TrainRules
from services.routing.twin_combine import combine

TICK = 256
MAX_ROUTES = 1_000_000


@dataclass(slots=True)
class Found:
    """A route kept: score, shared conflict bits, links in running order, visited stops, ends as 2 * link + side."""

    value: int
    mask: int
    path: Path
    visited: int
    ends: tuple[int, int]


@dataclass
class PythonList:
    """Routes of one class."""

    routes: list[Found] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.routes)

    def entry(self, number: int) -> Entry:
        route = self.routes[number]
        return Entry(route.value, route.mask, route.path)

    def distinct(self) -> list[tuple[int, int, int, Path]]:
        """(visited stops, the two link ends, links) of routes that differ in visited stops or ends."""
        table: dict[tuple[int, int, int], Path] = {}
        for route in self.routes:
            table.setdefault((route.visited, *route.ends), route.path)
        return [(*key, path) for key, path in table.items()]


class PythonEngine:
    """See `services.routing.engine.Engine`."""

    name = "python"

    def __init__(self, groups: list[TrainRules], network: Network, places: list[tuple[int, int]]) -> None:
        self.groups = groups
        self.network = network
        self.places = places
        self.shared = (1 << network.shared_bits) - 1

    def best(
        self,
        group: int,
        blocked: int,
        target: int,
        gain: int,
        watch: Watch,
        budget: int | None = None,
        *,
        resume: bool = False,
    ) -> Best:
        walk = _Walk(self, self.groups[group], blocked, target, watch)
        best = Best()
        for route in walk.routes():
            best = Best(route.value, route.path)
            walk.target = route.value + gain
            watch.found(route.value, route.path)
            if budget is not None and walk.states > budget:
                best.complete = False
                break
        return best

    def improver(self, classes: list[int]) -> None:
        """There is none: what the local search is for is out of reach without the kernel."""

    def collect(self, group: int, target: int, watch: Watch, *, extra: bool = False) -> PythonList:
        found = PythonList()
        for route in _Walk(self, self.groups[group], 0, target, watch).routes():
            found.routes.append(route)
            if len(found.routes) >= MAX_ROUTES:
                raise TooManyRoutes("too many routes to keep")
        return found

    def combine(
        self, lists: list[PythonList], counts: list[int], lower: int, gain: int, watch: CombineWatch, *, proof: bool
    ) -> None:
        pairs = [[(route.value, route.mask) for route in entry.routes] for entry in lists]
        combine(pairs, counts, lower, gain, watch, proof=proof)


@dataclass(slots=True)
class _Arm:
    """A partial route. `first` and `second` are links outwards from the station; `tip` and `tail` its ends.

    `tip_end` and `tail_end`: the ends as 2 * link + side (-1 at the station before any link).
    """

    station: int
    first: tuple[int, ...]
    second: tuple[int, ...]
    tip: int
    tail: int
    tip_end: int
    tail_end: int
    used: int
    visited: int
    closed: int
    sides: int
    hexes: int
    tip_open: bool
    tail_open: bool
    left: tuple[int, ...]
    total: int


class _Walk:
    """Depth-first enumeration for one class of trains."""

    def __init__(self, engine: PythonEngine, rules: TrainRules, blocked: int, target: int, watch: Watch) -> None:
        self.engine = engine
        self.rules = rules
        self.blocked = blocked
        self.target = target
        self.watch = watch
        self.states = 0
        self.links = engine.network.links
        position = {index: place for place, index in enumerate(rules.order)}
        everyone = len(rules.limits) == 1 and not rules.allowed & ~rules.limits[0][0]
        self.costly = everyone and all(rules.cost[stop] for stop in _members(rules.allowed))
        self.near: list[list[tuple[int, int, int]]] = []
        self.around: list[int] = []
        for index in rules.order:
            entries = []
            for number in engine.network.near[index]:
                link = self.links[number]
                side = 0 if link.ends[1] == index else 1
                entries.append((position[link.ends[side]], number, side))
            self.near.append(sorted(entries))
            self.around.append(sum({1 << stop for stop, _, _ in entries}))

    def routes(self) -> Iterator[Found]:
        """Every route worth `target`, which may be raised meanwhile."""
        rules = self.rules
        earlier = ~rules.allowed
        for station in range(len(rules.order)):
            bit = 1 << station
            if not rules.token & rules.allowed & bit:
                continue
            free = not rules.blocked & bit
            left = self._spend(tuple(most for _, most in rules.limits), station)
            if left is not None:
                start = _Arm(
                    station, (), (), station, station, -1, -1, self.blocked, bit,
                    earlier | rules.excludes[station], 0, 0, True, bool(free), left, rules.revenue[station],
                )  # fmt: skip
                yield from self._grow(start)
            earlier |= bit

    def _grow(self, arm: _Arm) -> Iterator[Found]:
        """Routes that continue a partial one."""
        self.states += 1
        if self.states % TICK == 0:
            self.watch.tick(TICK)
        reach = self._reach(arm)
        if self._bound(arm, reach) < self.target:
            return
        if arm.first:
            value = self._value(arm)
            if value is not None and value >= self.target:
                path = [*reversed(arm.first), *arm.second]
                mask = arm.used & self.engine.shared & ~self.blocked
                yield Found(value, mask, path, arm.visited, (arm.tip_end, arm.tail_end))
        if not reach:
            return
        if arm.tip_open:
            for entry in self.near[arm.tip]:
                grown = self._extend(arm, entry, second=bool(arm.second))
                if grown:
                    yield from self._grow(grown)
        if arm.first and not arm.second and arm.tail_open:
            for entry in self.near[arm.station]:
                if entry[1] > arm.first[0]:
                    grown = self._extend(arm, entry, second=True)
                    if grown:
                        yield from self._grow(grown)

    def _extend(self, arm: _Arm, entry: tuple[int, int, int], *, second: bool) -> _Arm | None:
        """The partial route with one more link, at the tip or as begin of the second arm; None if not allowed."""
        stop, number, side = entry
        bit = 1 << stop
        link = self.links[number]
        rules = self.rules
        begins, ends = (link.end_last, link.start_first) if side == 0 else (link.start_first, link.end_last)
        if arm.closed & bit or arm.used & link.mask or arm.sides + link.sides > rules.hex_limit:
            return None
        if begins and arm.first:
            return None
        left = self._spend(arm.left, stop)
        if left is None:
            return None
        starts_second = second and not arm.second
        first_link = not arm.first
        return _Arm(
            station=arm.station,
            first=arm.first if second else (*arm.first, number),
            second=(*arm.second, number) if second else (),
            tip=stop,
            tail=arm.tip if starts_second else arm.tail,
            tip_end=2 * number + side,
            tail_end=2 * number + 1 - side if first_link else (arm.tip_end if starts_second else arm.tail_end),
            used=arm.used | link.mask,
            visited=arm.visited | bit,
            closed=arm.closed | rules.excludes[stop],
            sides=arm.sides + link.sides,
            hexes=arm.hexes | link.hexes,
            tip_open=not (ends or rules.blocked & bit),
            tail_open=not second and arm.tail_open and not (first_link and begins),
            left=left,
            total=arm.total + rules.revenue[stop],
        )

    def _spend(self, left: tuple[int, ...], stop: int) -> tuple[int, ...] | None:
        """What is left of the train's limits after one more stop; None if it is too much."""
        cost = self.rules.cost[stop]
        rest = tuple(
            room - cost if mask >> stop & 1 else room for room, (mask, _) in zip(left, self.rules.limits, strict=True)
        )
        return None if any(room < 0 for room in rest) else rest

    def _reach(self, arm: _Arm) -> int:
        """Stops that can still be met, track conflicts ignored."""
        found = 0
        wave = (self.around[arm.tip] if arm.tip_open else 0) | (
            self.around[arm.station] if arm.tail_open and not arm.second else 0
        )
        while wave := wave & ~arm.closed & ~found:
            found |= wave
            wave = 0
            for stop in _members(found & ~self.rules.blocked):
                wave |= self.around[stop]
        return found

    def _bound(self, arm: _Arm, reach: int) -> int:
        """Most a continuation of a route through stops of `reach` can be worth."""
        rules = self.rules
        visited = arm.visited
        every = visited | reach
        total = rules.base + self._bonus_bound(every)
        if rules.pay == PAY_ENDS:
            rate = max(rules.rate, rules.port_rate)
            return total + sum(rules.revenue[stop] for stop in _members(every)[:2]) + rate * 2000
        if rules.pay == PAY_CHOICE:
            chosen = _choose(rules.pay_limits, rules.forced & visited, every)
            if chosen is None:
                return total - (1 << 60)
            paid = total + self._sum(chosen)
            if paid < self.target or not rules.limits:
                return paid
            now = _choose(rules.pay_limits, rules.forced & visited, visited) or 0
            for mask, most in rules.pay_limits:
                reach &= ~mask if most == 0 else ~0
            return min(paid, total + self._sum(now) + self._range(arm, reach))
        return total + arm.total + self._range(arm, reach)

    def _range(self, arm: _Arm, reach: int) -> int:
        """Most revenue that stops of `reach` can add within the limits of the train."""
        rules = self.rules
        left = list(arm.left)
        if len(left) == 1 and self.costly:
            return sum(rules.revenue[stop] for stop in _members(reach, left[0]))
        total = 0
        for stop in _members(reach):
            hit = [n for n, (mask, _) in enumerate(rules.limits) if mask >> stop & 1 and rules.cost[stop]]
            if all(left[number] > 0 for number in hit):
                total += rules.revenue[stop]
                for number in hit:
                    left[number] -= 1
        return total

    def _bonus_bound(self, every: int) -> int:
        rules = self.rules
        total = sum(amount for lists, amount in rules.sets if all(every & group for group in lists))
        total += sum(amount for mask, amount in rules.visits if every & mask)
        total += sum(amount * mask.bit_count() for mask, amount in rules.hexes)
        for trigger, rest in rules.echoes:
            if every & trigger:
                total += self._sum(_lowest(every & rest))
        for mask in rules.ends:
            total += sum(rules.revenue[stop] for stop in _members(every & mask)[:2])
        return total

    def _sum(self, stops: int) -> int:
        total = 0
        while stops:
            low = stops & -stops
            total += self.rules.revenue[low.bit_length() - 1]
            stops ^= low
        return total

    def _value(self, arm: _Arm) -> int | None:
        """Score of a route; None if it may not end where it does, cannot be paid, or is better without an end."""
        rules = self.rules
        ends = 1 << arm.tip | 1 << arm.tail
        if rules.no_end & ends or rules.pairs[arm.tip] & ends:
            return None
        visits = sum(amount for mask, amount in rules.visits if arm.visited & mask)
        visits += rules.base
        if rules.pay == PAY_ALL:
            return visits + self._worth(arm, arm.visited, ends)
        if rules.pay == PAY_ENDS:
            distance = crow_distance(self._place(arm.tip_end), self._place(arm.tail_end))
            rate = rules.port_rate if rules.ports & ends else rules.rate
            return visits + self._worth(arm, ends, ends) + rate * distance
        best, best_paying = None, 0
        for fixed in self._fixed(arm, ends) if not self._is_plain(arm, ends) else [rules.forced & arm.visited]:
            paying = _choose(rules.pay_limits, fixed, arm.visited)
            if paying is not None:
                worth = self._worth(arm, paying, ends)
                if best is None or worth > best:
                    best, best_paying = worth, paying
        if best is None or self._is_trimmed(arm, best_paying, ends):
            return None
        return visits + best

    def _is_plain(self, arm: _Arm, ends: int) -> bool:
        """Whether the dearest stops alone are a best choice: a station pays and no bonus is lost."""
        rules = self.rules
        paying = _choose(rules.pay_limits, rules.forced & arm.visited, arm.visited)
        if paying is None:
            return True
        if rules.token_must_pay and not paying & rules.token:
            return False
        bonus = self._worth(arm, paying, ends) - self._sum(paying)
        return bonus == self._worth(arm, arm.visited, ends) - self._sum(arm.visited)

    def _fixed(self, arm: _Arm, ends: int) -> set[int]:
        """Sets of stops to fix before the dearest others are taken, one of which leads to the best choice."""
        rules = self.rules
        options: list[list[int]] = []
        if rules.token_must_pay:
            options.append([1 << stop for stop in _members(arm.visited & rules.token)])
        for lists, _ in rules.sets:
            groups = [[1 << stop for stop in _members(arm.visited & group)] for group in lists]
            options.append([0, *(sum(set(picks)) for picks in itertools.product(*groups))])
        for trigger, rest in rules.echoes:
            picks = itertools.product(_members(arm.visited & trigger), _members(arm.visited & rest))
            options.append([0, *(1 << one | 1 << other for one, other in picks)])
        for mask in rules.ends:
            options += [[0, 1 << stop] for stop in _members(ends & mask)]
        found = set()
        for combination in itertools.product(*options):
            fixed = rules.forced & arm.visited
            for part in combination:
                fixed |= part
            found.add(fixed)
        return found

    def _worth(self, arm: _Arm, paying: int, ends: int) -> int:
        rules = self.rules
        total = self._sum(paying)
        total += sum(amount for lists, amount in rules.sets if all(paying & group for group in lists))
        total += sum(amount * (mask & arm.hexes).bit_count() for mask, amount in rules.hexes)
        total += sum(self._sum(_lowest(paying & rest)) for trigger, rest in rules.echoes if paying & trigger)
        if paying.bit_count() >= 2:
            total += sum(self._sum(paying & ends & mask) for mask in rules.ends)
        return total

    def _is_trimmed(self, arm: _Arm, paying: int, ends: int) -> bool:
        """Whether the route is worth no more than the same route without one of its ends."""
        rules = self.rules
        if not rules.trims_ends or arm.visited.bit_count() <= 2:
            return False
        for end in _members(ends & ~paying):
            rest = arm.visited & ~(1 << end)
            lost = any(arm.visited & mask and not rest & mask for mask, _ in rules.visits)
            if rest & rules.token and not lost:
                return True
        return False

    def _place(self, end: int) -> tuple[int, int, bool]:
        link = self.links[end // 2]
        x, y = self.engine.places[link.before[end % 2]]
        stop = self.rules.order.index(link.ends[end % 2])
        return x, y, bool(self.rules.offboard >> stop & 1)


def _members(mask: int, most: int = 1 << 30) -> list[int]:
    """The `most` lowest members of a set."""
    found: list[int] = []
    while mask and len(found) < most:
        low = mask & -mask
        found.append(low.bit_length() - 1)
        mask ^= low
    return found


def _lowest(mask: int) -> int:
    return mask & -mask


def _choose(limits: list[tuple[int, int]], fixed: int, others: int) -> int | None:
    """`fixed` and the dearest of `others` that the limits still allow; None if they do not allow `fixed`."""
    if len(limits) == 1:
        mask, most = limits[0]
        room = most - (fixed & mask).bit_count()
        if room < 0:
            return None
        rest = others & mask & ~fixed
        chosen = fixed | (others & ~mask)
        while rest and room:
            chosen |= rest & -rest
            rest &= rest - 1
            room -= 1
        return chosen
    left = [most - (fixed & mask).bit_count() for mask, most in limits]
    if any(room < 0 for room in left):
        return None
    chosen = fixed
    for stop in _members(others & ~fixed):
        hit = [number for number, (mask, _) in enumerate(limits) if mask >> stop & 1]
        if all(left[number] > 0 for number in hit):
            chosen |= 1 << stop
            for number in hit:
                left[number] -= 1
    return chosen
