"""Exhaustive solver: walks every route and every combination of routes. The oracle of the tests.

Correct for every kind of problem, exponential in everything; meant for small maps.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from services.route_problem import RouteProblem, Row, Solution
from services.routing.checker import (
    RouteCheckError,
    Run,
    _value,
    check_route,
    check_routes,
    objective,
    route_value,
)


def walks(problem: RouteProblem) -> Iterator[tuple[int, ...]]:
    """Every walk from stop to stop over track, each in one direction, that visits no node twice."""
    near: dict[int, list[tuple[int, int]]] = {}
    for number, piece in enumerate(problem.track):
        near.setdefault(piece.ends[0], []).append((number, piece.ends[1]))
        near.setdefault(piece.ends[1], []).append((number, piece.ends[0]))
    count = len(problem.stops)

    def grow(
        start: int, node: int, seen: frozenset[int], used: frozenset[int], pieces: tuple[int, ...]
    ) -> Iterator[tuple[int, ...]]:
        if pieces and node < count:
            if start < node:
                yield pieces
            if problem.stops[node].blocked:
                return
        for number, other in near.get(node, ()):
            uses = problem.track[number].uses
            if other not in seen and not used.intersection(uses) and len(set(uses)) == len(uses):
                yield from grow(start, other, seen | {other}, used.union(uses), (*pieces, number))

    for stop in range(count):
        yield from grow(stop, stop, frozenset([stop]), frozenset(), ())


def best_payment(problem: RouteProblem, run: Run) -> int:
    """Value of a route by trying every set of paying stops; -1 if none is allowed."""
    train = problem.trains[run.train]
    if not isinstance(train.pay, list):
        try:
            return route_value(problem, run)
        except RouteCheckError:
            return -1
    best = -1
    for size in range(len(run.stops) + 1):
        for paying in itertools.combinations(run.stops, size):
            if train.token_must_pay and not any(problem.stops[stop].token for stop in paying):
                continue
            missing = set(run.stops) - set(paying)
            if any(problem.stops[stop].kind in train.always_pay for stop in missing):
                continue
            if _seated(problem, train.pay, list(paying)):
                best = max(best, _value(problem, run, set(paying)))
    return best


def _seated(problem: RouteProblem, rows: list[Row], stops: list[int]) -> bool:
    """Whether every stop finds a row with room, by trying every row for every stop."""
    if not stops:
        return True
    for number, row in enumerate(rows):
        if problem.stops[stops[0]].kind in row.kinds and row.max != 0:
            left = list(rows)
            left[number] = Row(row.kinds, None if row.max is None else row.max - 1)
            if _seated(problem, left, stops[1:]):
                return True
    return False


def _listings(
    problem: RouteProblem, routes: list[tuple[int, ...] | None]
) -> Iterator[tuple[list[tuple[int, ...] | None], list[int]]]:
    """The routes in every order and direction that may join freight routes differently."""
    freight = [t for t, pieces in enumerate(routes) if pieces is not None and problem.trains[t].pay == "ends"]
    ends: list[int] = []
    for train in freight:
        run = check_route(problem, train, routes[train] or ())
        ends += run.stops[0], run.stops[-1]
    if len(ends) == len(set(ends)):
        yield list(routes), []
        return
    for order in itertools.permutations(freight):
        for turned in itertools.product((False, True), repeat=len(order)):
            listed = list(routes)
            for train, turn in zip(order, turned, strict=True):
                pieces = routes[train]
                listed[train] = pieces[::-1] if turn and pieces is not None else pieces
            yield listed, list(order)


def solve_bruteforce(problem: RouteProblem) -> Solution:
    """The best answer, by exhaustion."""
    every = list(walks(problem))
    options: list[list[tuple[tuple[int, ...], frozenset[int], int]]] = []
    for train in range(len(problem.trains)):
        legal = []
        for pieces in every:
            try:
                run = check_route(problem, train, pieces)
            except RouteCheckError:
                continue
            value = 0 if problem.rules.count_once else best_payment(problem, run)
            uses = frozenset(c for piece in pieces for c in problem.track[piece].uses)
            legal.append((pieces, frozenset() if problem.rules.share_track else uses, value))
        options.append(legal)
    key = objective(problem)
    best_routes: list[tuple[int, ...] | None] = [None] * len(problem.trains)
    best_order: list[int] = []
    best = key(0, 0, 0)
    additive = not problem.rules.count_once and not problem.rules.prefer

    def combine(train: int, chosen: list[tuple[int, ...] | None], used: frozenset[int], total: int) -> None:
        nonlocal best, best_routes, best_order
        if train == len(options):
            if additive:
                score = key(total, 0, 0)
            else:
                for listed, order in _listings(problem, chosen):
                    try:
                        report = check_routes(problem, listed, order)
                    except RouteCheckError:
                        continue
                    score = key(report.revenue, report.subsidy, sum(route is not None for route in listed))
                    if score > best:
                        best, best_routes, best_order = score, listed, order
                return
            if score > best:
                best, best_routes = score, list(chosen)
            return
        combine(train + 1, [*chosen, None], used, total)
        for pieces, uses, value in options[train]:
            if not used & uses:
                combine(train + 1, [*chosen, pieces], used | uses, total + value)

    combine(0, [], frozenset(), 0)
    routes = [None if route is None else list(route) for route in best_routes]
    report = check_routes(problem, routes, best_order)
    stats = {"engine": "bruteforce", "states": len(every)}
    return Solution(
        report.revenue,
        best[0],
        True,
        routes,
        report.route_values,
        report.subsidy,
        report.route_subsidies,
        best_order,
        stats,
    )
