"""Solving one problem from start to end: bounds, order of the steps, deadline, caps, reports."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal

from services.route_problem import RouteProblem, Solution
from services.routing import Engine as EngineName
from services.routing import Report
from services.routing.checker import check_routes
from services.routing.contract import Network, contract
from services.routing.engine import Best, Engine, Improver, Interrupted, Path, TooManyRoutes, Watch, path_pieces
from services.routing.rules import PAY_ALL, PAY_CHOICE, TrainRules, Weights, classes

MAX_STATES = 20_000_000_000
HARD = 300_000
QUICK = 400_000_000
"""States times links after which the search for the best route of a train is interrupted for a local search."""
SKETCH = 4_000_000
"""States after which a train's search for a route among others has to do with what it found."""
MANY = 200_000
"""Routes to combine that are worth another local search first, which may make them fewer."""
PATIENCE = 12
SHORT_PATIENCE = 3
"""Coolings of a local search in vain before it ends: where routes are too many to walk, and where they are many."""


class Run:
    """The state of one call of `solve`: incumbent, bounds, clock."""

    def __init__(
        self,
        problem: RouteProblem,
        deadline: float | None,
        cancelled: Callable[[], bool] | None,
        report: Report | None,
    ) -> None:
        self.problem = problem
        self.started = time.monotonic()
        self.deadline = None if deadline is None else self.started + deadline
        self.cancelled = cancelled
        self.report = report
        self.weights = Weights.of(problem)
        self.trains = len(problem.trains)
        self.lower = 0
        self.upper = 0
        self.paths: list[Path | None] = [None] * self.trains
        self.first_stops: Mapping[int, int] = {}
        """Stop at which a train's route starts, where the direction matters (chains of freight trains)."""
        self.order: list[int] = []
        """The trains in the order to list their routes in, where that matters."""
        self.network: Network | None = None
        self.states = 0
        self._reported: tuple[int, int] | None = None
        self._asked = 0.0

    def tick(self, states: int = 0) -> None:
        """Count states; raises `Interrupted` when the search must end."""
        self.states += states
        now = time.monotonic()
        if self.deadline is not None and now >= self.deadline:
            raise Interrupted("deadline")
        if self.cancelled is not None and now - self._asked >= 0.005:
            self._asked = now
            if self.cancelled():
                raise Interrupted("cancelled")
        if self.states > MAX_STATES:
            raise Interrupted("states")

    def improve(
        self,
        score: int,
        paths: list[Path | None],
        first_stops: Mapping[int, int] | None = None,
        order: Sequence[int] = (),
    ) -> None:
        """A set of routes, one path a train; see `first_stops` and `order` of the run."""
        if score > self.lower:
            self.lower = score
            self.paths = list(paths)
            self.first_stops = first_stops or {}
            self.order = list(order)
            self.publish()

    def bound(self, score: int) -> None:
        """An upper bound for every set of routes; only lower ones than before count."""
        score = max(score, self.lower)
        if score < self.upper:
            self.upper = score
            self.publish()

    def publish(self) -> None:
        """Report the bounds if they have changed."""
        if self.report is None or self.upper < self.lower:
            return
        routes = self.routes()
        revenue = check_routes(self.problem, routes, self.order).revenue
        bounds = revenue, max(revenue, self.weights.revenue_bound(self.upper, self.trains))
        if bounds != self._reported:
            self._reported = bounds
            self.report(*bounds, routes)

    def routes(self) -> list[list[int] | None]:
        """Track pieces of the incumbent."""
        if self.network is None:
            return [None] * self.trains
        network = self.network
        routes = [None if path is None else path_pieces(network, path) for path in self.paths]
        for train, stop in self.first_stops.items():
            pieces = routes[train]
            if pieces and _start(self.problem, pieces) != stop:
                pieces.reverse()
        return routes

    def solution(self, engine: str, proven: bool) -> Solution:
        """The incumbent as an answer, valued by the independent checker."""
        routes = self.routes()
        report = check_routes(self.problem, routes, self.order)
        upper = report.revenue
        if not proven:
            upper = max(upper, self.weights.revenue_bound(self.upper, self.trains))
        stats = {
            "engine": engine,
            "seconds": round(time.monotonic() - self.started, 6),
            "states": self.states,
            "stops": len(self.network.stops) if self.network else 0,
            "links": len(self.network.links) if self.network else 0,
        }
        return Solution(
            revenue=report.revenue,
            upper_bound=upper,
            proven=proven,
            routes=routes,
            route_values=report.route_values,
            subsidy=report.subsidy,
            route_subsidies=report.route_subsidies,
            order=self.order,
            stats=stats,
        )


def _start(problem: RouteProblem, pieces: list[int]) -> int:
    """Node at which a route of these pieces starts."""
    one, other = problem.track[pieces[0]].ends
    return other if len(pieces) > 1 and one in problem.track[pieces[1]].ends else one


def solve_problem(
    problem: RouteProblem,
    *,
    deadline: float | None = None,
    cancelled: Callable[[], bool] | None = None,
    report: Report | None = None,
    engine: EngineName = "auto",
) -> Solution:
    """See `services.routing.solve`."""
    run = Run(problem, deadline, cancelled, report)
    try:
        network = run.network = contract(problem, run.tick)
    except Interrupted:
        stops = classes(problem, Network(list(range(len(problem.stops))), []), run.weights)
        run.upper = sum(len(rules.trains) * loose_bound(rules) for rules in stops)
        return run.solution("none", proven=False)
    groups = classes(problem, network, run.weights)
    run.upper = sum(len(rules.trains) * loose_bound(rules) for rules in groups)
    if problem.rules.count_once:
        from services.routing.union import solve_union

        return solve_union(run, network, groups, engine)
    searcher = make_engine(engine, problem, network, groups)
    try:
        _Search(run, searcher, groups).solve()
        proven = network.complete
    except Interrupted:
        proven = network.complete and run.lower >= run.upper
    return run.solution(searcher.name, proven)


def make_engine(
    name: EngineName | Literal["kernel", "python"],
    problem: RouteProblem,
    network: Network,
    groups: list[TrainRules],
) -> Engine:
    """The engine asked for; with `auto` the kernel where it is installed and holds the problem."""
    places = [(x, y) for _, x, y in problem.hexes]
    if name != "python":
        try:
            from services.routing.kernel_engine import KernelEngine
            from services.routing.plan import fits_kernel
        except ImportError:
            if name == "kernel":
                raise
        else:
            if all(fits_kernel(rules, network) for rules in groups):
                return KernelEngine(groups, network, places)
    from services.routing.twin import PythonEngine

    return PythonEngine(groups, network, places)


def loose_bound(rules: TrainRules) -> int:
    """What a train can earn at most, whatever the track: its dearest stops and every bonus."""
    stops = [place for place in range(len(rules.order)) if rules.allowed >> place & 1]
    if rules.pay == PAY_CHOICE:
        total = _dearest(rules, stops, rules.pay_limits, lambda place: 1)
    elif rules.pay == PAY_ALL:
        total = _dearest(rules, stops, rules.limits, lambda place: min(1, rules.cost[place]))
    else:
        total = sum(rules.revenue[place] for place in stops[:2])
        total += max(rules.rate, rules.port_rate) * 10_000
    total += sum(amount for _, amount in rules.sets) + sum(amount for _, amount in rules.visits)
    total += sum(amount * mask.bit_count() for mask, amount in rules.hexes)
    top = rules.revenue[0] if rules.revenue else 0
    return total + top * (len(rules.echoes) + 2 * len(rules.ends))


def _dearest(rules: TrainRules, stops: list[int], limits: list[tuple[int, int]], cost: Callable[[int], int]) -> int:
    used = [0] * len(limits)
    total = 0
    for place in stops:
        hit = [number for number, (mask, _) in enumerate(limits) if mask >> place & 1 and cost(place)]
        if all(used[number] < limits[number][1] for number in hit):
            total += rules.revenue[place]
            for number in hit:
                used[number] += 1
    return total


def common_divisor(problem: RouteProblem, groups: list[TrainRules]) -> int:
    """The greatest number that divides every score: a better set of routes is better by at least that."""
    amounts: set[int] = set()
    for rules in groups:
        amounts.update(rules.revenue)
        amounts.update(amount for _, amount in itertools.chain(rules.sets, rules.hexes, rules.visits))
        amounts.update((rules.rate, rules.port_rate, rules.base))
    return math.gcd(*amounts) or 1


class _Search:
    """Problems whose routes must not share track, or do not matter to each other."""

    def __init__(self, run: Run, engine: Engine, groups: list[TrainRules]) -> None:
        self.run = run
        self.engine = engine
        self.groups = groups
        self.gain = common_divisor(run.problem, groups)
        self.counts = [len(rules.trains) for rules in groups]
        self.best: list[int] = [0] * len(groups)
        self.most: list[int] = [0] * len(groups)
        self.paths: list[Path | None] = [None] * len(groups)
        of = {train: number for number, rules in enumerate(groups) for train in rules.trains}
        self.improver = engine.improver([of[train] for train in range(run.trains)])

    def solve(self) -> None:
        """Run to the end, leaving the optimum in the run; raises `Interrupted`."""
        run = self.run
        run.tick()
        self.most = [loose_bound(rules) for rules in self.groups]
        self._singles()
        if not self._finished():
            self._greedy()
        if self._finished():
            return
        if run.trains > 1 and run.states > HARD:
            self._improve(SHORT_PATIENCE)
        while True:
            before = run.lower
            lists, complete = self._collect()
            if sum(map(len, lists)) > MANY:
                self._improve(PATIENCE)
                if run.lower > before:
                    lists.clear()
                    lists, complete = self._collect()
            watch = _Combined(self, lists, complete)
            self.engine.combine(lists, self.counts, run.lower, self.gain, watch, proof=complete)
            if complete:
                run.bound(run.lower)
                return
            self._improve(PATIENCE)
            if run.lower == before:
                raise TooManyRoutes("too many routes to combine")

    def _singles(self) -> None:
        """The best route of every class by itself, for certain; where that takes long, good sets in between."""
        network = self.run.network
        assert network is not None
        budget = QUICK // max(100, len(network.links))
        unsure = [number for number in range(len(self.groups)) if not self._single(number, budget)]
        if unsure and self.improver is None:
            self._greedy()
        if self.run.trains > 1:
            for number in unsure:
                self._improve_class(number, self.engine.improver([number]), PATIENCE)
        patience = PATIENCE
        while unsure and not self._finished():
            self._improve(patience)
            patience, budget = 2 * patience, 2 * budget
            unsure = [number for number in unsure if not self._single(number, budget)]

    def _collect(self) -> tuple[list[Any], bool]:
        """Routes of every class that could be in a better set; false if there are too many and some are left out."""
        lists = []
        complete = True
        total = sum(count * most for count, most in zip(self.counts, self.best, strict=True))
        for number, best in enumerate(self.best):
            target = max(1, self.run.lower + self.gain - (total - best))
            while True:
                try:
                    lists.append(self.engine.collect(number, target, Watch(self.run.tick, _ignore)))
                    break
                except TooManyRoutes:
                    complete = False
                    target = (target + best) // 2 + 1
        return lists, complete

    def _finished(self) -> bool:
        return self.run.lower >= self.run.upper

    def _single(self, number: int, budget: int | None) -> bool:
        """Look for the best route of a class by itself; whether it is certain, which lowers the bound."""
        train = self.groups[number].trains[0]

        def found(score: int, path: Path) -> None:
            paths: list[Path | None] = [None] * self.run.trains
            paths[train] = path
            self.run.improve(score, paths)

        target = max(1, self.best[number] + self.gain)
        result = self.engine.best(number, 0, target, self.gain, Watch(self.run.tick, found), budget, resume=True)
        if result.path:
            self.best[number], self.paths[number] = result.score, result.path
        if result.complete:
            self.most[number] = self.best[number]
            self.run.bound(sum(count * most for count, most in zip(self.counts, self.most, strict=True)))
        return result.complete

    def _greedy(self) -> None:
        """Sets of routes built train by train, each the best that avoids the ones before, in several orders."""
        first = [number for number, count in enumerate(self.counts) for _ in range(count)]
        orders = {tuple(order) for order in itertools.islice(itertools.permutations(first), 60)}
        for order in sorted(orders)[:6]:
            score, blocked = 0, 0
            paths: list[Path | None] = [None] * self.run.trains
            free = [list(rules.trains) for rules in self.groups]
            for place, number in enumerate(order):
                result = Best(self.best[number], self.paths[number])
                if place:
                    result = self.engine.best(number, blocked, 1, self.gain, Watch(self.run.tick, _ignore), SKETCH)
                if result.path:
                    score += result.score
                    blocked |= self.shared_mask(result.path)
                    paths[free[number].pop(0)] = result.path
                    self.run.improve(score, paths)
            if self._finished():
                return

    def _improve(self, patience: int) -> None:
        """Local search on the trains together until `patience` coolings in a row were in vain."""
        run = self.run
        if self.improver is None or self._finished():
            return
        if run.trains == 1:
            self._improve_class(0, self.improver, patience)
            return
        self.improver.start(run.paths)
        idle = 0
        while idle < patience and not self._finished():
            before = run.lower
            self.improver.cool(run.lower, run.improve, run.tick)
            idle = idle + 1 if run.lower == before else 0

    def _improve_class(self, number: int, improver: Improver | None, patience: int) -> None:
        """Local search for the best route of a class by itself."""
        if improver is None:
            return
        train = self.groups[number].trains[0]

        def better(score: int, found: list[Path | None]) -> None:
            self.best[number], self.paths[number] = score, found[0]
            paths: list[Path | None] = [None] * self.run.trains
            paths[train] = found[0]
            self.run.improve(score, paths)

        improver.start([self.paths[number]])
        idle = 0
        while idle < patience and not self._finished():
            before = self.best[number]
            improver.cool(before, better, self.run.tick)
            idle = idle + 1 if self.best[number] == before else 0

    def shared_mask(self, path: Iterable[int]) -> int:
        """Conflict bits a route takes from all others."""
        network = self.run.network
        assert network is not None
        mask = 0
        for number in path:
            mask |= network.links[number].mask
        return mask & ((1 << network.shared_bits) - 1)


def _ignore(score: int, path: Path) -> None:
    """Routes that need not be reported."""


class _Combined:
    """Takes the findings of a combining search over to the run."""

    def __init__(self, search: _Search, lists: list[Any], complete: bool) -> None:
        self.search = search
        self.lists = lists
        self.complete = complete

    def tick(self, states: int) -> None:
        self.search.run.tick(states)

    def better(self, value: int, choice: list[tuple[int, int]]) -> None:
        paths: list[Path | None] = [None] * self.search.run.trains
        free = [list(rules.trains) for rules in self.search.groups]
        for group, number in choice:
            paths[free[group].pop(0)] = self.lists[group].entry(number).path
        self.search.run.improve(value, paths)

    def bound(self, value: int) -> None:
        if self.complete:
            self.search.run.bound(value)


__all__ = ["solve_problem"]
