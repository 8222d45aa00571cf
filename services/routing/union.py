"""Sets of routes that may share track and are paid together, each place once (1862).

Conflicts between trains vanish; what matters of a route is which stops it visits and, for freight, between which
ends it runs. Every train has a list of *options* (routes no other option replaces). Freight trains are
grouped in chains first, since only the ends of a chain pay; every grouping that could still be best is
searched together with the other trains as a choice of one row a seat (`services.routing.cover`).
Connection and home are checked last, on complete sets.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from services.route_problem import HexSubsidy, Solution
from services.routing import Engine as EngineName
from services.routing.contract import Network
from services.routing.cover import HEX, Choice, Cover, CoverSearch, CoverSearches, Row, Seat, connected, make_covers
from services.routing.engine import Engine, Interrupted, Path, Watch
from services.routing.freight import Carriage, Chain, End, FreightClass, FreightOption, FreightTable, Key, Listing
from services.routing.rules import PAY_ALL, PAY_ENDS, TrainRules

if TYPE_CHECKING:
    from services.routing.solver import Run

EVERYTHING = -(1 << 59)
ANYWHERE = (1 << HEX) - 1
"""Stops that a chain may visit as long as its routes are not known."""
PROMISING = 30
"""Pairs of ends of a chain for which the first look at a grouping knows the routes."""
MOST_CHAINS = 1_000
MOST_ROWS = 4_000
"""Routes told apart for one pair of ends, and for all of a chain, before the rest is left to the last check."""


@dataclass(slots=True)
class Option:
    """A route worth considering: visited stops, hexes with its track (if they pay), score beyond the places."""

    visited: int
    hexes: int
    extra: int
    path: Path
    ends: tuple[End, End]


@dataclass(slots=True)
class Grouping:
    """One way to join freight trains in chains: the trains of every chain, and what each can carry between.

    `meant`: by chain and row, the number of its carriage, and the routes if the row stands for these alone.
    """

    keys: tuple[Key, ...]
    seats: list[Seat]
    meant: list[list[tuple[int, Chain | None]]]


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
        subsidies = [one for one in problem.subsidies if isinstance(one, HexSubsidy) and run.weights.subsidy]
        self.subsidised = {train for subsidy in subsidies for train in subsidy.trains}
        self.hex_amount = run.weights.subsidy * sum(subsidy.amount for subsidy in subsidies)
        home = [self.position[stop] for stop in problem.rules.must_include_any if stop in self.position]
        self.home = sum(1 << stop for stop in set(home)) if problem.rules.must_include_any else -1
        self.seats: list[Seat] = []
        self.trains: list[int] = []
        """By seat, its train."""
        self.paths: dict[object, list[Path]] = {}
        """By kind of seat, the routes its rows stand for."""
        self.freight: FreightTable | None = None
        self.freight_rules: list[TrainRules] = []
        self.apart: dict[tuple[Key, int, bool], Sequence[Chain | None]] = {}
        """By trains of a chain, carriage and whether it is the only chain: see `_told_apart`."""
        self.most_extra: list[int] = []
        """By class of freight trains, the most a route scores beyond what its chain does."""
        self.chains: dict[Key, tuple[Seat, list[Carriage]]] = {}

    def prepare(self, engine: Engine, plain: list[TrainRules]) -> None:
        """Options of every class of trains."""
        classes: list[FreightClass] = []
        for number, rules in enumerate(self.groups):
            routes = engine.collect(number, EVERYTHING, Watch(self.run.tick, _ignore), extra=True)
            with_hexes = bool(self.subsidised & set(rules.trains))
            options = [self._option(rules, entry, with_hexes) for entry in routes.distinct()]
            freight = rules.pay == PAY_ENDS
            options = _maximal(options, self.run.tick, freight=freight)
            if freight:
                found = [FreightOption(o.visited, o.ends, o.extra, o.path, self._start(o)) for o in options]
                classes.append(FreightClass(list(rules.trains), found, rules.permanent))
                self.freight_rules.append(rules)
                self.most_extra.append(max((option.extra for option in options), default=0))
                continue
            rooms = self._rooms(rules)
            rows = [self._row(option, rooms) for option in options]
            self.paths[number] = [option.path for option in options]
            for train in rules.trains:
                self.seats.append(Seat(number, rows, [most for _, most in rooms if most]))
                self.trains.append(train)
        places = [(x, y) for _, x, y in self.run.problem.hexes]
        self.freight = FreightTable(classes, places, self.run.tick)

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
        ends = sorted(self._end(rules, place) for place in (tip, end))
        return Option(visited, hexes, extra, path, (ends[0], ends[1]))

    def _end(self, rules: TrainRules, place: int) -> End:
        """The stop at a link end given as 2 * link + side, and where it is measured from."""
        link = self.network.links[place // 2]
        stop = self.position[self.network.stops[link.ends[place % 2]]]
        return stop, link.before[place % 2], rules.offboard >> stop & 1

    def _start(self, option: Option) -> int:
        """See `FreightOption.start`."""
        pieces = [piece for number in option.path for piece in self.network.links[number].pieces]
        return self.position[self.run.problem.track[pieces[0]].ends[0]] if len(pieces) == 1 else -1

    def _row(self, option: Option, rooms: list[tuple[int, int]]) -> Row:
        limited = 0
        for mask, _ in rooms:
            limited |= mask
        always = self._places(option.visited & ~limited) | option.hexes << HEX
        able = [self._places(option.visited & mask) for mask, most in rooms if most]
        return Row(always, able, option.extra, option.visited)

    def _places(self, stops: int) -> int:
        mask = 0
        while stops:
            mask |= self.place[(stops & -stops).bit_length() - 1]
            stops &= stops - 1
        return mask

    def _chain(self, key: Key) -> Seat:
        """The seat of a chain of freight trains; its rows are the pairs of ends it can carry between."""
        if key not in self.chains:
            assert self.freight is not None
            carriages = self.freight.carriages(key)
            rows = [self._chain_row(key, carriage) for carriage in carriages]
            self.chains[key] = Seat(key, rows, idle=False), carriages
        return self.chains[key][0]

    def _chain_row(self, key: Key, carriage: Carriage) -> Row:
        assert self.freight is not None
        rules = self.freight_rules[0]
        ends = 1 << carriage.stops[0] | 1 << carriage.stops[1]
        extra = (rules.port_rate if rules.ports & ends else rules.rate) * carriage.distance
        extra += self._most(key)
        visited = ANYWHERE
        if sum(key) == 1:
            visited = 0
            onward = self.freight.onward[key.index(1)]
            for option in onward[carriage.ends[0]][carriage.ends[1]]:
                visited |= option.visited
        free = 0 if carriage.is_ring else ends
        return Row(self._places(ends), [], extra, visited, free)

    def _most(self, key: Key) -> int:
        """Most that the routes of a chain score beyond what the chain does."""
        return sum(count * most for count, most in zip(key, self.most_extra, strict=True))

    def solve(self, engine: Engine) -> None:
        """Combine: look at every grouping that can still be best, the one with the greatest bound first.

        The first look only wants a good choice, the second all that is better. Raises `Interrupted`.
        """
        run = self.run
        run.tick()
        assert self.freight is not None
        hexes = len(run.problem.hexes)
        covers = make_covers(engine.name, self.amounts, self.hex_amount, hexes, self.seats, run.tick)
        waiting: list[tuple[int, int, bool, Grouping]] = []
        for number, keys in enumerate(self.freight.groupings()):
            seats = [self._chain(key) for key in keys]
            if all(seat.rows for seat in seats) and (seats or self.seats):
                meant: list[list[tuple[int, Chain | None]]] = [[(n, None) for n in range(len(s.rows))] for s in seats]
                grouping = Grouping(keys, [*seats, *self.seats], meant)
                if not waiting:
                    self._climb(grouping, self._search(grouping, covers))
                waiting.append((-covers.bound(grouping.seats), number, False, grouping))
        heapq.heapify(waiting)
        while waiting and -waiting[0][0] > run.lower:
            run.bound(-waiting[0][0])
            known, number, searched, grouping = heapq.heappop(waiting)
            bound = min(-known, covers.bound(grouping.seats))
            if waiting and bound < -waiting[0][0]:
                heapq.heappush(waiting, (-bound, number, searched, grouping))
                continue
            search = self._search(grouping, covers)
            bound = min(bound, search.bound)
            spelled = self._spelled(grouping, search, None if searched else PROMISING)
            if spelled is not grouping:
                search = self._search(spelled, covers)
            if not searched:
                self._climb(spelled, search)
                heapq.heappush(waiting, (-bound, number, True, grouping))
                continue
            while found := search.next(run.lower + 1):
                self._take(spelled, found)
        run.bound(run.lower)

    def _search(self, grouping: Grouping, covers: CoverSearches) -> CoverSearch:
        """A search for what is better than the incumbent."""
        connect = self.run.problem.rules.must_connect
        return covers.search(Cover(grouping.seats, self.home, connect), self.run.lower + 1)

    def _climb(self, grouping: Grouping, search: CoverSearch) -> None:
        """Take a good choice, quickly found."""
        climbed = search.climb()
        if climbed:
            self._take(grouping, climbed)

    def _spelled(self, grouping: Grouping, search: CoverSearch, most: int | None) -> Grouping:
        """The grouping with the routes of its chains told apart, so that the search knows which stops they visit.

        It keeps the rows that are left in the search, or the `most` promising of them.
        """
        if all(sum(key) == 1 for key in grouping.keys):
            return grouping
        seats, meant = list(grouping.seats), list(grouping.meant)
        alone = len(grouping.keys) == 1
        for place, key in enumerate(grouping.keys):
            if sum(key) == 1:
                continue
            seat = self.chains[key][0]
            rows: list[Row] = []
            means: list[tuple[int, Chain | None]] = []
            kept = search.rows_left(place)[:most]
            for number in kept:
                told = self._told_apart(key, number, alone) if len(rows) < MOST_ROWS else [None]
                for chain in told:
                    row = seat.rows[number]
                    if chain is not None:
                        row = replace(row, visited=chain.visited, extra=row.extra - self._most(key) + chain.extra)
                    rows.append(row)
                    means.append((number, chain))
            seats[place] = Seat((key, tuple(kept), alone), rows, idle=False)
            meant[place] = means
        return Grouping(grouping.keys, seats, meant)

    def _told_apart(self, key: Key, number: int, alone: bool) -> Sequence[Chain | None]:
        """Chains that carry so and are not replaced by others, or only None if there are too many."""
        known = self.apart.get((key, number, alone))
        if known is None:
            assert self.freight is not None
            found = list(itertools.islice(self.freight.chains(key, self.chains[key][1][number]), MOST_CHAINS))
            if len(found) == MOST_CHAINS:
                known = [None]
            else:
                found.sort(key=lambda chain: (not chain.simple, -chain.visited.bit_count()))
                told: list[Chain] = []
                for chain in found:
                    better = (one for one in told if one.simple and one.extra >= chain.extra)
                    if not alone or all(chain.visited & ~one.visited for one in better):
                        told.append(chain)
                known = told
            self.apart[key, number, alone] = known
        return known

    def _take(self, grouping: Grouping, choice: Choice) -> None:
        """Make a choice the incumbent if there are routes for it."""
        assert self.freight is not None
        score, numbers = choice
        run = self.run
        chains = len(grouping.keys)
        others = [seat.rows[n].visited for seat, n in zip(self.seats, numbers[chains:], strict=True) if n >= 0]
        meant = [rows[n] for rows, n in zip(grouping.meant, numbers, strict=False)]
        carriages = [self.chains[key][1][number] for key, (number, _) in zip(grouping.keys, meant, strict=True)]
        choices: list[Callable[[], Iterable[Chain]]] = [
            partial(self.freight.chains, key, carriage) if chain is None else partial(iter, [chain])
            for key, carriage, (_, chain) in zip(grouping.keys, carriages, meant, strict=True)
        ]
        most = sum(
            self._most(key) if chain is None else chain.extra
            for key, (_, chain) in zip(grouping.keys, meant, strict=True)
        )

        def allowed(visited: list[int]) -> bool:
            return connected([*visited, *others], self.home, connect=run.problem.rules.must_connect)

        for listing in self.freight.listings(choices, carriages, allowed):
            total = score - most + listing.extra
            if total > run.lower:
                self._accept(total, listing, numbers[chains:])
            if listing.extra >= most:
                return

    def _accept(self, score: int, listing: Listing, numbers: list[int]) -> None:
        paths: list[Path | None] = [None] * self.run.trains
        starts: dict[int, int] = {}
        for train, option, stop in listing.routes:
            paths[train] = option.path
            starts[train] = self.ids[stop]
        for seat, train, number in zip(self.seats, self.trains, numbers, strict=True):
            if number >= 0:
                paths[train] = self.paths[seat.kind][number]
        order = [] if listing.plain else list(starts)
        self.run.improve(score, paths, starts, order)


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
