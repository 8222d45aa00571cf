"""Sets of routes that may share track and are paid together, each place once (1862).

Conflicts between trains vanish; what matters of a route is which stops it visits and, for freight, between which
ends it runs. Every train has a list of *options* (routes no other option replaces). Freight is combined first,
because its chains decide which ends pay; for every combination that could still be best, an inner search
chooses the other trains: depth first, bounded by what each can earn alone, which is valid because places
are paid once. Connection and home are checked last, on complete sets.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from services.route_problem import HexSubsidy, Solution
from services.routing import Engine as EngineName
from services.routing.chains import ChainError, FreightRoute, build_chains, crow_distance
from services.routing.contract import Network
from services.routing.engine import Engine, Interrupted, Path, Watch
from services.routing.rules import PAY_ALL, PAY_ENDS, TrainRules

if TYPE_CHECKING:
    from services.routing.solver import Run

EVERYTHING = -(1 << 59)


@dataclass(slots=True)
class Option:
    """A route worth considering: visited stops, hexes with its track (if they pay), score beyond the places.

    `ends`: the two end stops with the link ends they are measured from (freight only).
    """

    visited: int
    hexes: int
    extra: int
    path: Path
    ends: tuple[tuple[int, int, int], tuple[int, int, int]] | None = None


@dataclass(slots=True)
class Member:
    """A train of the inner search. `limits`: (stops, most) that can pay; stops in no limit always pay."""

    train: int
    group: int
    options: list[Option]
    limits: list[tuple[int, int]]


@dataclass
class Setting:
    """What the inner search needs to know about all trains. Amounts are scores, by stop; `place`: by stop, a bit."""

    members: list[Member]
    amounts: list[int]
    place: list[int]
    home: int
    connect: bool
    hex_amount: int


@dataclass(slots=True)
class Task:
    """One call of the inner search: places already paid, stops of freight routes, score to beat by one."""

    paid: int
    freight: list[int]
    needed: int
    free: bool = False
    """Ignore home and connection, for a bound."""


Choice = tuple[int, list[int]]
"""Score of the inner trains, and an option number by member (-1: idle)."""


class Inner(Protocol):
    """An inner search; `search` returns the best choice with a score of at least `task.needed`, if any."""

    def search(self, task: Task) -> Choice | None: ...


def solve_union(run: Run, network: Network, groups: list[TrainRules], engine: EngineName) -> Solution:
    """The counterpart of the ordinary search for problems with `Rules.count_once`."""
    from services.routing.solver import make_engine

    plain = [_plain(rules) for rules in groups]
    searcher = make_engine(engine, run.problem, network, plain)
    search = _UnionSearch(run, network, groups)
    run.upper += search.hex_amount * len(run.problem.hexes)
    try:
        search.prepare(searcher, plain)
        search.solve(searcher)
        proven = network.complete
    except Interrupted:
        proven = False
    return run.solution(searcher.name, proven)


def _plain(rules: TrainRules) -> TrainRules:
    """The rules that make a single route legal, with no regard to what it earns."""
    pay = rules.pay if rules.pay == PAY_ENDS else PAY_ALL
    return replace(rules, pay=pay, pay_limits=[], forced=0, visits=[], base=0)


class _UnionSearch:
    def __init__(self, run: Run, network: Network, groups: list[TrainRules]) -> None:
        self.run = run
        self.network = network
        self.groups = groups
        problem = run.problem
        stops = groups[0].order if groups else []
        self.ids = [network.stops[index] for index in stops]
        self.position = {stop: place for place, stop in enumerate(self.ids)}
        place = {stop: number for number, stop in enumerate(self.ids)}
        for group in problem.rules.count_once_groups:
            members = [self.position[stop] for stop in group if stop in self.position]
            for stop in members:
                place[self.ids[stop]] = min(members)
        self.place = [1 << place[stop] for stop in self.ids]
        self.amounts = list(groups[0].revenue) if groups else []
        self.subsidised = {
            train
            for subsidy in problem.subsidies
            if isinstance(subsidy, HexSubsidy) and run.weights.subsidy
            for train in subsidy.trains
        }
        self.hex_amount = run.weights.subsidy * sum(
            subsidy.amount for subsidy in problem.subsidies if isinstance(subsidy, HexSubsidy)
        )
        self.options: list[list[Option]] = []
        self.freight: list[Member] = []
        self.inner: Inner | None = None
        self.setting: Setting | None = None

    def prepare(self, engine: Engine, plain: list[TrainRules]) -> None:
        """Options of every class, and the first upper bound."""
        members: list[Member] = []
        for number, rules in enumerate(self.groups):
            routes = engine.collect(number, EVERYTHING, Watch(self.run.tick, _ignore), extra=True)
            with_hexes = bool(self.subsidised & set(rules.trains))
            options = [self._option(rules, entry, with_hexes) for entry in routes.distinct()]
            options = _maximal(options, self.run.tick, freight=rules.pay == PAY_ENDS)
            for train in rules.trains:
                member = Member(train, number, options, self._rooms(rules))
                (self.freight if rules.pay == PAY_ENDS else members).append(member)
        problem = self.run.problem
        home = sum(1 << self.position[s] for s in set(problem.rules.must_include_any) if s in self.position)
        must_home = bool(problem.rules.must_include_any)
        self.setting = Setting(
            members, self.amounts, self.place, home if must_home else -1, problem.rules.must_connect, self.hex_amount
        )
        self.freight.sort(key=lambda member: member.train)
        self.inner = make_inner(engine.name, self.setting, self.run)

    def _rooms(self, rules: TrainRules) -> list[tuple[int, int]]:
        """Sets of stops of which only so many pay; they are disjoint, since no two rows name the same kind."""
        rows = self.run.problem.trains[rules.trains[0]].pay
        if not isinstance(rows, list):
            return []
        rooms: list[tuple[int, int]] = []
        never = rules.allowed
        for row in rows:
            mask = sum(1 << place for place, kind in enumerate(rules.kinds) if kind in row.kinds) & rules.allowed
            never &= ~mask
            implied = any(
                row.max is not None and not mask & ~limited and most <= row.max for limited, most in rules.limits
            )
            costly = all(cost for place, cost in enumerate(rules.cost) if mask >> place & 1)
            if row.max is not None and not (implied and costly):
                rooms.append((mask, row.max))
        return [*rooms, (never, 0)] if never else rooms

    def _option(self, rules: TrainRules, entry: tuple[int, int, int, Path], with_hexes: bool) -> Option:
        visited, tip, end, path = entry
        hexes = 0
        if with_hexes:
            for number in path:
                hexes |= self.network.links[number].hexes
        extra = rules.base + sum(amount for mask, amount in rules.visits if mask & visited)
        if rules.pay != PAY_ENDS:
            return Option(visited, hexes, extra, path)
        ends = sorted(self._end(rules, place) for place in (tip, end))
        return Option(visited, hexes, extra, path, (ends[0], ends[1]))

    def _end(self, rules: TrainRules, place: int) -> tuple[int, int, int]:
        """(stop, hex it is measured from, off-board) of a link end given as 2 * link + side."""
        link = self.network.links[place // 2]
        stop = self.position[self.network.stops[link.ends[place % 2]]]
        return stop, link.before[place % 2], rules.offboard >> stop & 1

    def solve(self, engine: Engine) -> None:
        """Combine; raises `Interrupted`."""
        run, inner, setting = self.run, self.inner, self.setting
        assert inner is not None and setting is not None
        run.tick()
        loose = inner.search(Task(0, [], 0, free=True))
        others = loose[0] if loose else 0
        run.bound(others + sum(self._freight_bound(member) for member in self.freight))
        for base, paid, chosen in self._freight_sets(others):
            if base + others <= run.lower:
                continue
            self._complete(base, paid, chosen)
        run.bound(run.lower)

    def _freight_bound(self, member: Member) -> int:
        """Most a freight train can add: its ends, and one hex more than its distance for a joint."""
        return max((self._shape_bound(member, option) for option in member.options), default=0)

    def _shape_bound(self, member: Member, option: Option) -> int:
        rules = self.groups[member.group]
        assert option.ends is not None
        (one, _, _), (other, _, _) = option.ends
        distance = crow_distance(*(self._position(end) for end in option.ends))
        rate = max(rules.rate, rules.port_rate)
        return self.amounts[one] + self.amounts[other] + rate * (distance + 1) + max(0, option.extra)

    def _position(self, end: tuple[int, int, int]) -> tuple[int, int, bool]:
        _, x, y = self.run.problem.hexes[end[1]]
        return x, y, bool(end[2])

    def _freight_sets(self, others: int) -> Iterator[tuple[int, int, list[tuple[Member, list[Option]]]]]:
        """(score, places paid, options by shape) of every legal combination of freight shapes worth a look."""
        shapes: list[list[tuple[int, list[Option]]]] = []
        for member in self.freight:
            by_ends: dict[object, list[Option]] = {}
            for option in member.options:
                by_ends.setdefault((option.ends, option.extra), []).append(option)
            ranked = [(self._shape_bound(member, same[0]), same) for same in by_ends.values()]
            ranked.sort(key=lambda item: -item[0])
            shapes.append(ranked)
        tops = [max((shape[0][0] if shape else 0), 0) for shape in shapes]
        pick: list[tuple[Member, list[Option]]] = []

        def grow(number: int, bound: int) -> Iterator[tuple[int, int, list[tuple[Member, list[Option]]]]]:
            if bound + sum(tops[number:]) + others <= self.run.lower:
                return
            if number == len(shapes):
                self.run.tick(1)
                valued = self._value(pick)
                if valued is not None:
                    yield (*valued, list(pick))
                return
            for most, same in shapes[number]:
                if bound + most + sum(tops[number + 1 :]) + others <= self.run.lower:
                    break
                pick.append((self.freight[number], same))
                yield from grow(number + 1, bound + most)
                pick.pop()
            yield from grow(number + 1, bound)

        return grow(0, 0)

    def _value(self, pick: list[tuple[Member, list[Option]]]) -> tuple[int, int] | None:
        """Score and places paid of freight routes; None if their chains are not allowed."""
        routes = []
        for member, same in pick:
            ends = same[0].ends
            assert ends is not None
            permanent = self.groups[member.group].permanent
            positions = self._position(ends[0]), self._position(ends[1])
            routes.append(FreightRoute(member.train, (ends[0][0], ends[1][0]), positions, permanent))
        try:
            chains = build_chains(routes)
        except ChainError:
            return None
        rules = {member.train: self.groups[member.group] for member, _ in pick}
        paid, score = 0, sum(same[0].extra for _, same in pick)
        for chain in chains:
            first = rules[chain.routes[0].train]
            ports = any(first.ports >> stop & 1 for stop in chain.free)
            score += (first.port_rate if ports else first.rate) * chain.distance
            for stop in chain.free:
                if not paid & self.place[stop]:
                    paid |= self.place[stop]
                    score += self.amounts[stop]
        return score, paid

    def _complete(self, base: int, paid: int, chosen: list[tuple[Member, list[Option]]]) -> None:
        """Add the other trains to a combination of freight shapes, for every choice of their routes."""
        run, inner = self.run, self.inner
        assert inner is not None
        needed = run.lower + 1 - base
        if chosen and inner.search(Task(paid, [], needed, free=True)) is None:
            return
        for options in itertools.product(*(same for _, same in chosen)):
            found = inner.search(Task(paid, [option.visited for option in options], run.lower + 1 - base))
            if found is not None:
                self._accept(base + found[0], chosen, options, found[1])
                if base + found[0] >= run.upper:
                    return

    def _accept(
        self, score: int, chosen: list[tuple[Member, list[Option]]], options: Iterable[Option], numbers: list[int]
    ) -> None:
        assert self.setting is not None
        paths: list[Path | None] = [None] * self.run.trains
        for (member, _), option in zip(chosen, options, strict=True):
            paths[member.train] = option.path
        for member, number in zip(self.setting.members, numbers, strict=True):
            if number >= 0:
                paths[member.train] = member.options[number].path
        starts = {member.train: self.ids[ends[0][0]] for member, same in chosen if (ends := same[0].ends)}
        self.run.improve(score, paths, starts)


def make_inner(name: str, setting: Setting, run: Run) -> Inner:
    """The compiled inner search if the kernel is in use and holds the problem, else the plain one."""
    if name == "kernel":
        from services.routing.union_kernel import KernelInner, fits

        if fits(setting):
            return KernelInner(setting, run.tick)
    from services.routing.union_twin import PythonInner

    return PythonInner(setting, run.tick)


def _maximal(options: list[Option], tick: Callable[[int], None], *, freight: bool) -> list[Option]:
    """Options that no other one replaces: it would have to visit all their stops and touch all their hexes."""
    groups: dict[object, list[Option]] = {}
    for option in options:
        groups.setdefault((option.ends, option.extra) if freight else option.extra, []).append(option)
    kept: list[Option] = []
    for group in groups.values():
        group.sort(key=lambda option: (-option.visited.bit_count(), -option.hexes.bit_count(), option.path))
        best: list[Option] = []
        for option in group:
            tick(1)
            visited, hexes = option.visited, option.hexes
            if not any(not visited & ~one.visited and not hexes & ~one.hexes for one in best):
                best.append(option)
        kept += best
    return kept


def _ignore(score: int, path: Path) -> None:
    """Single routes are not reported."""
